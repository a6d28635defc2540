package query

import "unsafe"

// minRow is minRowGo. The length of row must be even.
func minRow(row, other []uint64) {
	minRowSSE2(unsafe.SliceData(row), unsafe.SliceData(other[:len(row)]), len(row)/2)
}

// minRowSSE2 computes the given number of pairs of words.
//
//go:noescape
func minRowSSE2(row, other *uint64, pairs int)
