package signrp

// fillPairs sets table[16h + l] to high[h] + low[l].
//
//go:noescape
func fillPairs(table *[256][2]float64, low, high *[16][2]float64)

// addPairs adds to acc[j] the entries of the four tables that the four bytes of
// words[j] from bit shift on name. words must not be shorter than acc.
func addPairs(acc [][2]float64, words []uint64, shift uint, t *pairTables) {
	if len(acc) > 0 {
		addPairsSSE2(&acc[0], &words[0], len(acc), shift, t)
	}
}

//go:noescape
func addPairsSSE2(acc *[2]float64, words *uint64, k int, shift uint, t *pairTables)
