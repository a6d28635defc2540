package signrp

// fourTables are tables for four vectors side by side, of sixteen groups of four coordinates. They hold the signed
// sums of group g, with + where the bit of the index is set. One look-up serves all four vectors, and 8 KiB fit in
// the first-level cache.
type fourTables [16][16][4]float64

// dotsOfFour sets acc[j] to Wᵀ_j u for each of four vectors u and a Rademacher W.
func (w *Projection) dotsOfFour(acc [][4]float64, vectors *[4][]float64, t *fourTables) {
	clear(acc)
	for block := 0; block*blockRows < w.p; block++ {
		first := block * blockRows
		var rest [4][blockRows]float64 // the last block, filled up with zeros
		var at [4]*[blockRows]float64
		for v, u := range vectors {
			if at[v] = &rest[v]; w.p-first >= blockRows {
				at[v] = (*[blockRows]float64)(u[first:])
			} else {
				copy(rest[v][:], u[first:w.p])
			}
		}
		fillFours(t, at[0], at[1], at[2], at[3])
		addFours(acc, w.signs(block)[:len(acc)], t)
	}
}

// fillFoursGo is fillFours in Go.
func fillFoursGo(t *fourTables, vectors ...*[blockRows]float64) {
	for v, u := range vectors {
		for g := range t {
			var sums [16]float64
			quarterSums(&sums, u[4*g], u[4*g+1], u[4*g+2], u[4*g+3])
			for m, s := range sums {
				t[g][m][v] = s
			}
		}
	}
}

// addFoursGo is addFours in Go.
func addFoursGo(acc [][4]float64, words []uint64, t *fourTables) {
	for j, c := range words {
		for half := 0; half < 16; half += 8 {
			eight := (*[8][16][4]float64)(t[half:])
			for v := range 4 {
				var sums [4]float64 // of eight coordinates each
				for g := range sums {
					byte := c >> (4*half + 8*g)
					sums[g] = eight[2*g][byte&15][v] + eight[2*g+1][byte>>4&15][v]
				}
				acc[j][v] += (sums[0] + sums[1]) + (sums[2] + sums[3])
			}
		}
	}
}
