//go:build !amd64

package signrp

func fillPairs(table *[256][2]float64, low, high *[16][2]float64) { fillPairsGo(table, low, high) }

func addPairs(acc [][2]float64, words []uint64, shift uint, t *pairTables) {
	addPairsGo(acc, words, shift, t)
}
