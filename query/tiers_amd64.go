package query

import "unsafe"

// leastRow is leastRowGo; the length of row is even.
func leastRow(row, other []uint64) {
	leastRowSSE2(unsafe.SliceData(row), unsafe.SliceData(other[:len(row)]), len(row)/2)
}

// leastRowSSE2 does so many pairs of words.
//
//go:noescape
func leastRowSSE2(row, other *uint64, pairs int)
