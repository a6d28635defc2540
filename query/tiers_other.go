//go:build !amd64

package query

func leastRow(row, other []uint64) { leastRowGo(row, other) }
