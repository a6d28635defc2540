package xor_test

import (
	"errors"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/xor"
)

// PackedBits copies the words of its rows and rejects invalid rows.
func TestPackedBits(t *testing.T) {
	for _, p := range []int{1, 64, 65, 130} {
		rows := [][]uint64{make([]uint64, (p+63)/64), make([]uint64, (p+63)/64)}
		rows[1][(p-1)/64] |= 1 << ((p - 1) % 64)
		m, err := xor.PackedBits(p, rows)
		if err != nil || m.Ones() != 1 || !m.At(1, p-1) {
			t.Errorf("%d columns: %v, %v", p, m.Floats(), err)
		}
		rows[1][0] = 0
		if m.Ones() != 1 {
			t.Error("the matrix shares memory with its input")
		}
	}
	for what, rows := range map[string][][]uint64{"none": nil, "a long row": {{0}, {0, 0}}, "a bit beyond": {{8}}} {
		if _, err := xor.PackedBits(3, rows); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
