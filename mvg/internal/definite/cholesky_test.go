package definite_test

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/mvg/internal/definite"

	"gonum.org/v1/gonum/mat"
)

// The root with 500 more bits reproduces the matrix, so it serves as the exact root. The rows of a root with fewer bits
// are within their documented bound of the exact rows.
func TestCholeskyWithinItsBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 1))
	seen := 0
	for name, terms := range definite.Cases(rng) {
		n := terms[0].SymmetricDim()
		m, err := definite.New(n, definite.EntriesOf(terms)...)
		if err != nil || n > 40 {
			continue
		}
		f, err := m.Factor()
		if err != nil {
			continue
		}
		seen++
		for _, places := range []int{0, 1, 20, 64, 90} {
			rootWithin(t, fmt.Sprintf("%s at %d places", name, places), definite.Exactly(terms...), m, f, places)
		}
	}
	if seen < 5 {
		t.Errorf("only %d matrices have a root", seen)
	}
}

// rootWithin fails if a row of the root of a is off by more than √n units in the last place.
func rootWithin(t *testing.T, name string, a definite.Exact, m *definite.Matrix, f *definite.Factor, places int) {
	t.Helper()
	const more, enough = 500, 4800 // bits; enough holds any sum of products of two float64s
	n, exps := len(a), f.Exps()
	short := must.Be(m.Cholesky(t.Context(), f, places))
	long := must.Be(m.Cholesky(t.Context(), f, places+more))
	worst := new(big.Float)
	for i := range n {
		square := new(big.Int)
		for k := range i + 1 {
			d := new(big.Int).Lsh(short[i][k], more)
			d.Sub(d, long[i][k])
			square.Add(square, d.Mul(d, d))
		}
		off := new(big.Float).SetInt(square)
		off.SetMantExp(off.Sqrt(off.Quo(off, big.NewFloat(float64(n)))), -more)
		if off.Cmp(worst) > 0 {
			worst = off
		}
		for j := range i + 1 {
			sum := new(big.Int)
			for k := range j + 1 {
				sum.Add(sum, new(big.Int).Mul(long[i][k], long[j][k]))
			}
			want := new(big.Float).SetPrec(enough).SetRat(a[i][j])
			want.SetMantExp(want, 2*(places+more)-exps[i]-exps[j])
			gap, _ := want.Sub(want, new(big.Float).SetPrec(enough).SetInt(sum)).Int(nil)
			if gap.BitLen() > places+more+2+8 { // at most 2√2·√n·2^(places+more) from errors in two rows
				t.Fatalf("%s: entry (%d, %d) of LLᵀ is 2^%d units off", name, i, j, gap.BitLen())
			}
		}
	}
	if worst.Cmp(big.NewFloat(1)) > 0 {
		t.Errorf("%s: a row is %.3g bounds off", name, worst)
	}
}

func TestNotPositiveDefinite(t *testing.T) {
	for name, s := range map[string]*mat.SymDense{
		"zero":       mat.NewSymDense(2, []float64{0, 0, 0, 1}),
		"negative":   mat.NewSymDense(2, []float64{1, 0, 0, -1}),
		"indefinite": mat.NewSymDense(2, []float64{1, 2, 2, 1}),
		"singular":   mat.NewSymDense(2, []float64{1, 1, 1, 1}),
		"by an ulp":  mat.NewSymDense(2, []float64{1, 1 + 0x1p-52, 1 + 0x1p-52, 1}),
		"huge aside": mat.NewSymDense(2, []float64{1e-300, 1e300, 1e300, 1e-300}),
		"rank one":   mat.NewSymDense(3, []float64{1, 2, 3, 2, 4, 6, 3, 6, 9}),
	} {
		m, err := definite.New(s.SymmetricDim(), definite.Entries(s))
		if err == nil {
			_, err = m.Factor()
		}
		if !errors.Is(err, definite.ErrNotProven) {
			t.Errorf("%s gives %v", name, err)
		}
	}
}
