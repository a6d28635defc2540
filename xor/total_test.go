package xor_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// What does not fit gives an error, or the answer that is documented, and never a panic.
func TestShapesThatDoNotFit(t *testing.T) {
	small, wide := must.Be(xor.NewBits(2, 3)), must.Be(xor.NewBits(2, 70))
	law := must.Be(xor.NewUniform(2, 3, 1, .1))
	dense := must.Be(xor.NewBernoulli([][]float64{{1, .5}, {.5, 0}}, nil, 2))
	moments := must.Be(dense.Moments(ctx))
	for what, err := range map[string]error{
		"a matrix without rows":       second(xor.NewBits(0, 3)),
		"a matrix of -1 columns":      second(xor.NewBits(3, -1)),
		"a matrix beyond memory":      second(xor.NewBits(math.MaxInt, math.MaxInt)),
		"xor of two shapes":           second(small.Xor(wide)),
		"xor with nothing":            second(small.Xor(nil)),
		"half of a matrix":            second(xor.Symmetrize(small)),
		"half of nothing":             second(xor.Symmetrize(nil)),
		"the exponent of nothing":     second(law.Exponent(nil)),
		"the exponent of a shape":     second(law.Exponent(wide)),
		"a pattern that is nothing":   second(law.Under(xor.FlipPatterns(nil), xor.LossOptions{})),
		"a pair of bits beyond":       second(moments.Pair(0, 4)),
		"a pair of bits before":       second(moments.Pair(-1, 0)),
		"a mean over nothing":         second(law.Columns().MeanOnes(ctx, xor.Plain, 0)),
		"Π of a million bits":         second(must.Be(xor.NewUniform(1000, 1000, 1, 0)).Pi()),
		"Θ of a million features":     second(must.Be(xor.NewUniform(1, 1000000, 1, 0)).Theta()),
		"differences of many bits":    second(xor.FlipBits(1).Differences(5, 4)),
		"differences of nothing":      second(xor.FlipBits(1).Differences(0, 4)),
		"differences without a sense": second(xor.Neighbors{}.Differences(1, 1)),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", what, err)
		}
	}
	dense.AddRow(0, 1, make([]float64, 1))
	for _, k := range []int{-1, 7, 1 << 40} {
		small.Set(k, 0, true)
		small.Set(0, k, true)
		law.AddRow(k, 1, nil)
		if small.At(k, 0) || small.At(0, k) || small.Row(k) != nil || small.ColumnOnes(k) != 0 || law.Diagonal(k) != 0 || dense.Diagonal(k) != 0 {
			t.Errorf("there is a row, a column or a bit %d", k)
		}
	}
	for _, b := range []*xor.Bernoulli{law, dense} {
		row := make([]float64, b.Dim())
		b.AddRow(b.Dim(), 1, row)
		if slices.ContainsFunc(row, func(v float64) bool { return v != 0 }) || b.Diagonal(b.Dim()) != 0 {
			t.Errorf("of %d bits there is one more: row %v, diagonal %v", b.Dim(), row, b.Diagonal(b.Dim()))
		}
	}
	if small.Ones() != 0 {
		t.Errorf("%d entries were set", small.Ones())
	}
	var none xor.Bits
	if none.Complement().Ones() != 0 || none.Transpose().Ones() != 0 || len(none.Flat()) != 0 || none.At(0, 0) {
		t.Error("a matrix without entries has some")
	}
	for _, s := range []int{math.MinInt, -1, 0} {
		for _, loss := range []evidence.Certified{law.Columns().LossAnywhere(s), law.Columns().LossInDistinctColumns(s)} {
			if loss.Lo != 0 || loss.Hi != 0 {
				t.Errorf("%d bits: %v", s, loss)
			}
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Differences are listed of up to 16 bits in any shape, and of neighbors that differ at all.
func TestDifferencesOfShapes(t *testing.T) {
	for _, shape := range [][2]int{{1, 16}, {16, 1}, {4, 4}, {2, 8}} {
		if d, err := xor.FlipBits(1).Differences(shape[0], shape[1]); len(d) != 16 || err != nil {
			t.Errorf("%v: %v, error %v", shape, d, err)
		}
	}
	for _, n := range []int{1, 2, 4} {
		if d, err := xor.FlipEdges(1).Differences(n, n); len(d) != n*(n-1)/2 || err != nil {
			t.Errorf("an edge of %d nodes: %v, error %v", n, d, err)
		}
		for what, nb := range map[string]xor.Neighbors{"edges": xor.FlipEdges(0), "rows": xor.FlipRows(0), "bits": xor.FlipBits(0)} {
			if d, err := nb.Differences(n, n); d != nil || !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("no %s of %d nodes: %v, error %v", what, n, d, err)
			}
		}
	}
	if _, err := xor.FlipBits(1).Differences(1, 17); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("17 bits: %v", err)
	}
}
