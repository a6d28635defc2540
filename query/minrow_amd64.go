package query

import "unsafe"

// minRow is minRowGo; the length of row is even.
func minRow(row, other []uint64) {
	minRowSSE2(unsafe.SliceData(row), unsafe.SliceData(other[:len(row)]), len(row)/2)
}

// minRowSSE2 does so many pairs of words.
//
//go:noescape
func minRowSSE2(row, other *uint64, pairs int)
