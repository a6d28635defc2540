package definite

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The root with 500 more bits reproduces the matrix, so it serves as the exact one. Rows with fewer bits are within
// their bound of it.
func TestCholeskyWithinItsBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 1))
	seen := 0
	for name, terms := range cases(rng) {
		n := terms[0].SymmetricDim()
		m, err := New(n, entries(terms)...)
		if err != nil || n > 40 {
			continue
		}
		f, err := m.Factor()
		if err != nil {
			continue
		}
		seen++
		for _, places := range []int{0, 1, 20, 64, 90} {
			rootWithin(t, fmt.Sprintf("%s at %d places", name, places), m, f, places)
		}
	}
	if seen < 5 {
		t.Errorf("only %d matrices have a root", seen)
	}
}

// rootWithin returns the largest error of a row, in units of √n in the last place.
func rootWithin(t *testing.T, name string, m *Matrix, f *Factor, places int) *big.Float {
	t.Helper()
	const more = 500
	short, err := m.Cholesky(t.Context(), f, places)
	if err != nil {
		t.Fatal(name, err)
	}
	long, err := m.Cholesky(t.Context(), f, places+more)
	if err != nil {
		t.Fatal(name, err)
	}
	worst := new(big.Float)
	for i := range m.n {
		square := new(big.Int)
		for k := range i + 1 {
			d := new(big.Int).Lsh(short[i][k], more)
			d.Sub(d, long[i][k])
			square.Add(square, d.Mul(d, d))
		}
		off := new(big.Float).SetInt(square)
		off.SetMantExp(off.Sqrt(off.Quo(off, big.NewFloat(float64(m.n)))), -more)
		if off.Cmp(worst) > 0 {
			worst = off
		}
		for j := range i + 1 {
			sum := new(big.Int)
			for k := range j + 1 {
				sum.Add(sum, new(big.Int).Mul(long[i][k], long[j][k]))
			}
			want := m.entry(i, j, exactBits)
			want.SetMantExp(want, 2*(places+more)-m.exps[i]-m.exps[j])
			gap, _ := want.Sub(want, new(big.Float).SetPrec(exactBits).SetInt(sum)).Int(nil)
			if gap.BitLen() > places+more+2+8 { // 2√2·√n units of either row
				t.Fatalf("%s: entry (%d, %d) of LLᵀ is 2^%d units off", name, i, j, gap.BitLen())
			}
		}
	}
	if worst.Cmp(big.NewFloat(1)) > 0 {
		t.Errorf("%s: a row is %.3g bounds off", name, worst)
	}
	return worst
}
