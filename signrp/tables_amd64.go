package signrp

import "golang.org/x/sys/cpu"

// hasAVX2 reports whether the processor has the instructions that these routines need.
var hasAVX2 = cpu.X86.HasAVX2 && cpu.X86.HasBMI2

// fillFours makes the tables of 64 coordinates of four vectors.
func fillFours(t *fourTables, a, b, c, d *[blockRows]float64) {
	if !hasAVX2 {
		fillFoursGo(t, a, b, c, d)
		return
	}
	fillFoursAVX2(t, a, b, c, d)
}

// addFours adds the signed sums selected by words[j] to acc[j]: first those of its low 32 bits, then the others,
// each by bytes in pairs. words must not be shorter than acc.
func addFours(acc [][4]float64, words []uint64, t *fourTables) {
	switch {
	case !hasAVX2:
		addFoursGo(acc, words, t)
	case len(acc) > 0:
		addFoursAVX2(&acc[0], &words[0], len(acc), t)
	}
}

// fillBytes makes the tables of 64 coordinates of sixteen vectors.
func fillBytes(t *byteTables, columns *[blockRows][lanes]uint16) {
	if !hasAVX2 {
		fillBytesGo(t, columns)
		return
	}
	fillBytesAVX2(t, columns)
}

// addBytes adds the sums selected by words[j] to acc[j]. words must not be shorter than acc.
func addBytes(acc [][lanes]uint16, words []uint64, t *byteTables) {
	switch {
	case !hasAVX2:
		addBytesGo(acc, words, t)
	case len(acc) > 0:
		addBytesAVX2(&acc[0], &words[0], len(acc), t)
	}
}

// widen adds acc to wide, which must not be shorter, and clears it.
func widen(wide [][lanes]int32, acc [][lanes]uint16) {
	switch {
	case !hasAVX2:
		widenGo(wide, acc)
	case len(acc) > 0:
		widenAVX2(&wide[0], &acc[0], len(acc))
	}
}

//go:noescape
func fillBytesAVX2(t *byteTables, columns *[blockRows][lanes]uint16)

//go:noescape
func addBytesAVX2(acc *[lanes]uint16, words *uint64, k int, t *byteTables)

//go:noescape
func widenAVX2(wide *[lanes]int32, acc *[lanes]uint16, k int)

//go:noescape
func fillFoursAVX2(t *fourTables, a, b, c, d *[blockRows]float64)

//go:noescape
func addFoursAVX2(acc *[4]float64, words *uint64, k int, t *fourTables)
