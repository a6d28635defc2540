//go:build !amd64

package query

func minRow(row, other []uint64) { minRowGo(row, other) }
