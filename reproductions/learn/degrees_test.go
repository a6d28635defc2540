package learn_test

import (
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/reproductions/learn"
)

// degreesOf returns the degrees of a graph.
func degreesOf(t *testing.T, rows [][]uint64) []int {
	return must.Be(learn.Degrees(rows))
}

// numberOf encodes a graph on 4 nodes as a number of six bits.
func numberOf(rows [][]uint64) (code int) {
	at := 0
	for j := range rows {
		for i := range j {
			code |= int(rows[i][0]>>j&1) << at
			at++
		}
	}
	return code
}
