package optimize

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// Weights are whole multiples of the prior where its common denominator is below 2⁵², and else go along exactly.
func TestWeightsOfPriors(t *testing.T) {
	q := must.For(query.NewNumeric("path", must.For(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t), []float64{0, 1, 3}, nil))(t)
	for _, c := range []struct {
		prior []*big.Rat
		exact bool
	}{
		{nil, false}, {[]*big.Rat{big.NewRat(1, 2), big.NewRat(1, 3), big.NewRat(1, 6)}, false},
		{[]*big.Rat{big.NewRat(1, 1<<51), big.NewRat(1<<51-1, 1<<51), new(big.Rat)}, false},
		{[]*big.Rat{big.NewRat(1, 1<<52-1), big.NewRat(1<<52-2, 1<<52-1), new(big.Rat)}, false},
		{[]*big.Rat{big.NewRat(1, 1<<52), big.NewRat(1<<52-1, 1<<52), new(big.Rat)}, true},
		{[]*big.Rat{big.NewRat(1, 1<<31-1), big.NewRat(1, 1<<31), new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Add(big.NewRat(1, 1<<31-1), big.NewRat(1, 1<<31)))}, true},
	} {
		p := &program{q: q, objective: Mean}
		if err := p.weigh(Options{Prior: c.prior}); err != nil {
			t.Fatal(err)
		}
		if got := p.ExactWeight != nil; got != c.exact || got && !slices.EqualFunc(p.ExactWeight, p.prior, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 }) || got && p.factor.Cmp(big.NewRat(1, 1)) != 0 {
			t.Errorf("%v: exact weights %v, factor %v", c.prior, p.ExactWeight, p.factor)
		}
		for x, w := range p.prior {
			want := new(big.Rat).Mul(w, p.factor)
			if !c.exact && (!want.IsInt() || new(big.Rat).SetFloat64(p.Weight[x]).Cmp(want) != 0) {
				t.Errorf("%v: weight %d is %v, want %v", c.prior, x, p.Weight[x], want)
			}
			if f, _ := want.Float64(); p.Weight[x] != f {
				t.Errorf("%v: weight %d is %v, want %v", c.prior, x, p.Weight[x], f)
			}
		}
	}
}

// The least cost of a row whose values in the last layer have any weight up to its own: a quotient of two linear functions, least where each
// of these is taken whole or not at all.
func TestLeastCostOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 200 {
		size, deepest := 1+rng.IntN(5), 1+rng.IntN(3)
		e := &relaxed{tables: &tables{size: size}, deepest: deepest}
		for l := range deepest + rng.IntN(2) { // a layer that no probability shows, or not
			e.weight = append(e.weight, math.Exp(-0.7*float64(l)))
		}
		row, d, sorted := make([]int, size), make([]float64, size), make([]int, size)
		for r := range row {
			row[r], d[r], sorted[r] = rng.IntN(deepest+1), float64(rng.IntN(9)), r
		}
		row[rng.IntN(size)] = 0
		slices.SortFunc(sorted, func(a, b int) int { return int(d[a] - d[b]) })
		want := math.Inf(1)
		for taken := range 1 << size {
			sum, mass := 0.0, 0.0
			for r, l := range row {
				if l < len(e.weight) && (l < deepest || taken>>r&1 != 0) {
					sum, mass = sum+e.weight[l]*d[r], mass+e.weight[l]
				}
			}
			want = min(want, sum/mass)
		}
		if got := e.least(row, d, sorted); math.Abs(got-want) > 1e-14*(1+want) {
			t.Errorf("layers %v at distances %v, the last %d: least cost %v, want %v", row, d, deepest, got, want)
		}
	}
}

// The identity is any matrix that rounds to it: 1 − 2⁻⁵⁴ on the diagonal too.
func TestContractionOfRoundedMatrices(t *testing.T) {
	for n := 1; n < 9; n++ {
		one := mat.NewDense(n, n, nil)
		for i := range n {
			one.Set(i, i, 1)
		}
		if got := must.For((&kernel{n: n}).contraction(t.Context(), one, one))(t); !(got >= 0x1p-54 && got < 1e-12) {
			t.Errorf("order %d: ‖I − RK‖ is at most %v", n, got)
		}
	}
}

// The table that an exhaustive search finds begins at layer 0 in every component.
func TestExhaustiveTablesBeginAtZero(t *testing.T) {
	q := must.For(query.NewNumeric("parts", must.For(query.NewPathSpace(5, [][2]int{{0, 1}, {1, 2}, {3, 4}}))(t), []float64{0, 3, 1, 7, 2}, nil))(t)
	s := tablesOf(t, q, 0.6)
	best, _, err := s.exhaust(t.Context(), math.Inf(1), 2, 1<<26)
	if err != nil {
		t.Fatal(err)
	}
	for _, members := range [][]int{{0, 1, 2}, {3, 4}} {
		least := int32(none)
		for _, x := range members {
			least = min(least, slices.Min(best[x*s.size:][:s.size]))
		}
		if least != 0 {
			t.Errorf("datasets %v begin at layer %d", members, least)
		}
	}
}

// There is no optimum at a smallest ε that is not bounded.
func TestOptimumAtNoEpsilon(t *testing.T) {
	q := must.For(query.NewNumeric("pair", must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t), []float64{0, 1}, nil))(t)
	if v, err := optimumAt(t.Context(), q, evidence.Certified{Lo: 1, Hi: math.Inf(1)}); v != nil || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(strings.ToLower(err.Error()), "inf") {
		t.Errorf("%v, %v", v, err)
	}
}

// One step is no steps.
func TestStoppedCountsSteps(t *testing.T) {
	for n, want := range map[int]string{0: "0 steps", 1: "1 step", 2: "2 steps"} {
		s := &Stopped{Steps: n, Lo: 1, Hi: 2, Cause: context.Canceled}
		if got := s.Error(); !strings.Contains(got, "after "+want+": ") {
			t.Errorf("%d: %s", n, got)
		}
	}
}
