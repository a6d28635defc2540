package signrp

// pairTables are tables for two vectors side by side, of four groups of eight
// coordinates: one look-up serves both.
type pairTables [4][256][2]float64

// dotsOfTwo sets acc[j] to (Wᵀ_j u, Wᵀ_j v) for a Rademacher W.
func (w *Projection) dotsOfTwo(acc [][2]float64, u, v []float64, t *pairTables) {
	clear(acc)
	for block := 0; block*blockRows < w.p; block++ {
		words := w.signs(block)
		for half := range uint(2) {
			first := block*blockRows + int(half)*blockRows/2
			if first >= w.p {
				break
			}
			rows := min(blockRows/2, w.p-first)
			for g := range t {
				var low, high [16][2]float64
				if 8*g < rows {
					var x, y [8]float64
					copy(x[:], u[first+8*g:first+rows])
					copy(y[:], v[first+8*g:first+rows])
					pairSums(&low, x[:4], y[:4])
					pairSums(&high, x[4:], y[4:])
				}
				fillPairs(&t[g], &low, &high)
			}
			addPairs(acc, words[:len(acc)], 32*half, t)
		}
	}
}

// pairSums sets sums[m] to the signed sums of u and v, + where the bit of m is
// set.
func pairSums(sums *[16][2]float64, u, v []float64) {
	var x, y [16]float64
	quarterSums(&x, u[0], u[1], u[2], u[3])
	quarterSums(&y, v[0], v[1], v[2], v[3])
	for m := range sums {
		sums[m] = [2]float64{x[m], y[m]}
	}
}

// fillPairsGo is fillPairs in Go.
func fillPairsGo(table *[256][2]float64, low, high *[16][2]float64) {
	for h, top := range high {
		row := (*[16][2]float64)(table[16*h:])
		for l, v := range low {
			row[l] = [2]float64{top[0] + v[0], top[1] + v[1]}
		}
	}
}

// addPairsGo is addPairs in Go.
func addPairsGo(acc [][2]float64, words []uint64, shift uint, t *pairTables) {
	for j, c := range words {
		c >>= shift
		a, b, d, e := &t[0][uint8(c)], &t[1][uint8(c>>8)], &t[2][uint8(c>>16)], &t[3][uint8(c>>24)]
		acc[j][0] += a[0] + b[0] + (d[0] + e[0])
		acc[j][1] += a[1] + b[1] + (d[1] + e[1])
	}
}
