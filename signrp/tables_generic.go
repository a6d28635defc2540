//go:build !amd64

package signrp

func fillFours(t *fourTables, a, b, c, d *[blockRows]float64) { fillFoursGo(t, a, b, c, d) }

func addFours(acc [][4]float64, words []uint64, t *fourTables) { addFoursGo(acc, words, t) }

func fillBytes(t *byteTables, columns *[blockRows][lanes]uint16) { fillBytesGo(t, columns) }

func addBytes(acc [][lanes]uint16, words []uint64, t *byteTables) { addBytesGo(acc, words, t) }

func widen(wide [][lanes]int32, acc [][lanes]uint16) { widenGo(wide, acc) }
