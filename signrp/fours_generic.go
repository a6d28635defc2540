//go:build !amd64

package signrp

func fillFours(t *fourTables, a, b, c, d *[blockRows]float64) { fillFoursGo(t, a, b, c, d) }

func addFours(acc [][4]float64, words []uint64, t *fourTables) { addFoursGo(acc, words, t) }
