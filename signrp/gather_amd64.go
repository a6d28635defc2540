package signrp

import "unsafe"

// allWithin reports whether every |u_i| ≤ 1.
func allWithin(u []float64) bool {
	eights := len(u) / 8
	return outsideSSE2(unsafe.SliceData(u), eights) == 0 && allWithinGo(u[8*eights:])
}

// gather is gatherGo from 0; from must stay within u. nextX and nextU are
// prefetched as far as x is long.
func gather(x, u []float64, from []uint32, weight []float64, nextX, nextU []float64) {
	fours := len(x) / 4
	if fours > 0 {
		gatherSSE2(&x[0], &u[0], &from[0], &weight[0], len(x), unsafe.SliceData(nextX), unsafe.SliceData(nextU))
	}
	gatherGo(4*fours, x, u, from, weight)
}

// fromBytes sets u to the numbers in data.
func fromBytes(u []float64, data []byte) {
	fours := len(data) / 4
	if fours > 0 {
		fromBytesSSE2(&u[:len(data)][0], &data[0], fours)
	}
	fromBytesGo(u[4*fours:], data[4*fours:])
}

// outsideSSE2 returns a number that is not 0 where one of 8·eights entries is
// not within [−1, 1].
//
//go:noescape
func outsideSSE2(u *float64, eights int) uint64

// gatherSSE2 does the bins before the last k mod 4; k ≥ 4.
//
//go:noescape
func gatherSSE2(x, u *float64, from *uint32, weight *float64, k int, nextX, nextU *float64)

//go:noescape
func fromBytesSSE2(u *float64, data *byte, fours int)
