package xor_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// A matrix of several words to a row holds the entries that were set, and no others.
func TestEntriesOfWideMatrices(t *testing.T) {
	for _, p := range []int{1, 63, 64, 65, 130} {
		const n = 3
		m := must.Be(xor.NewBits(n, p))
		want := map[[2]int]bool{}
		src := rand.New(rand.NewPCG(1, uint64(p)))
		for range 4 * p {
			i, j, on := src.IntN(n), src.IntN(p), src.IntN(2) == 0
			m.Set(i, j, on)
			want[[2]int{i, j}] = on
		}
		ones := 0
		for i := -1; i <= n; i++ {
			for j := -1; j <= p; j++ {
				if on := want[[2]int{i, j}]; m.At(i, j) != on {
					t.Errorf("%d columns: entry (%d, %d) is %t", p, i, j, m.At(i, j))
				} else if on {
					ones++
				}
			}
		}
		flat := 0
		for k, on := range m.Flat() {
			if on != want[[2]int{k / p, k % p}] {
				t.Errorf("%d columns: entry %d of all is %t", p, k, on)
			}
			if on {
				flat++
			}
		}
		if flat != ones {
			t.Errorf("%d columns: %d ones, and %d in the list", p, ones, flat)
		}
	}
}

// Rows of words make the matrix that has them, and others are refused.
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
			t.Error("the matrix shares the rows it was made of")
		}
	}
	for what, rows := range map[string][][]uint64{"none": nil, "a long row": {{0}, {0, 0}}, "a bit beyond": {{8}}} {
		if _, err := xor.PackedBits(3, rows); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Entries of a transpose are those across the diagonal, in rows of several words, too.
func TestTransposesOfManyWords(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 202))
	for _, shape := range [][2]int{{1, 1}, {3, 64}, {2, 65}, {70, 130}, {129, 5}} {
		m := must.Be(xor.NewBits(shape[0], shape[1]))
		for i := range shape[0] {
			for j := range shape[1] {
				m.Set(i, j, rng.IntN(3) == 0)
			}
		}
		back := m.Transpose()
		for i := range shape[0] {
			for j := range shape[1] {
				if back.At(j, i) != m.At(i, j) {
					t.Fatalf("%v: entry (%d, %d) is not (%d, %d) of the transpose", shape, i, j, j, i)
				}
			}
		}
		if back.Ones() != m.Ones() {
			t.Errorf("%v: %d ones, %d of the transpose", shape, m.Ones(), back.Ones())
		}
	}
}
