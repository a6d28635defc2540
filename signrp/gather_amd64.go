package signrp

import "unsafe"

// allWithin reports whether every |u_i| ≤ 1.
func allWithin(u []float64) bool {
	if !hasAVX2 {
		return allWithinGo(u)
	}
	sixteens := len(u) / 16
	return outsideAVX2(unsafe.SliceData(u), sixteens) == 0 && allWithinGo(u[16*sixteens:])
}

// gather does the same as gatherGo with first = 0. All entries of from must be indices of u. It prefetches as many
// numbers of nextX and nextU as x has.
func gather(x, u []float64, from []uint32, weight []float64, nextX, nextU []float64) {
	fours := len(x) / 4
	if !hasAVX2 {
		fours = 0
	}
	if fours > 0 {
		gatherAVX2(&x[0], &u[0], &from[0], &weight[0], len(x), unsafe.SliceData(nextX), unsafe.SliceData(nextU))
	}
	gatherGo(4*fours, x, u, from, weight)
}

// stream does the same as gather on a cleared x. Its stores bypass the cache, which leaves the cache to data that is
// read soon.
func stream(x, u []float64, from []uint32, weight []float64, nextU []float64) {
	fours := len(x) / 4
	if !hasAVX2 || uintptr(unsafe.Pointer(&x[0]))%32 != 0 {
		fours = 0
	}
	if fours > 0 {
		streamAVX2(&x[0], &u[0], &from[0], &weight[0], len(x), unsafe.SliceData(nextU))
	}
	clear(x[4*fours:])
	gatherGo(4*fours, x, u, from, weight)
}

// fromBytes sets u to the bytes of data as numbers.
func fromBytes(u []float64, data []byte) {
	fours := len(data) / 4
	if fours > 0 {
		fromBytesSSE2(&u[:len(data)][0], &data[0], fours)
	}
	fromBytesGo(u[4*fours:], data[4*fours:])
}

// outsideAVX2 returns a number that is not 0 if one of 16·sixteens entries is
// not within [−1, 1].
//
//go:noescape
func outsideAVX2(u *float64, sixteens int) uint64

// gatherAVX2 does the bins before the last k mod 4; k ≥ 4.
//
//go:noescape
func gatherAVX2(x, u *float64, from *uint32, weight *float64, k int, nextX, nextU *float64)

// streamAVX2 does the bins before the last k mod 4; k ≥ 4, and x starts at a multiple of 32 bytes.
//
//go:noescape
func streamAVX2(x, u *float64, from *uint32, weight *float64, k int, nextU *float64)

//go:noescape
func fromBytesSSE2(u *float64, data *byte, fours int)
