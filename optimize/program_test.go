package optimize

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/optimize/lp"
	"dpworkbench/query"
)

// For an exact kernel, missed returns the exact residual of a solution. radiusOf bounds the error by the residual.
func TestResidual(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	eps := must.For(evidence.LogEpsilon("eps", big.NewRat(3, 1)))(t)
	for _, n := range []int{1, 2, 5} {
		var edges [][2]int
		for x := 1; x < n; x++ {
			edges = append(edges, [2]int{rng.IntN(x), x})
		}
		space := must.For(query.NewPathSpace(n, edges))(t)
		k := must.For(newKernel(t.Context(), space, eps))(t)
		for range 10 {
			c, points := make([]*big.Rat, n), make([]interval.Interval, n)
			for y := range c {
				c[y] = big.NewRat(rng.Int64N(2000)-1000, 512)
				points[y] = interval.Rat(c[y])
			}
			want := new(big.Rat)
			for x := range n {
				rest := big.NewRat(1, 1)
				for y, d := range space.Distances(x) {
					weight := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(3), big.NewInt(int64(d)), nil))
					rest.Sub(rest, weight.Mul(weight, c[y]))
				}
				if rest.Abs(rest).Cmp(want) > 0 {
					want = rest
				}
			}
			off := must.For(k.missed(t.Context(), points))(t).Sub(interval.Rat(want))
			if lo, hi := off.Bounds(); lo > 0 || hi < 0 || hi-lo > 1e-60 {
				t.Errorf("%d datasets: the residual is off by [%g, %g]", n, lo, hi)
			}
		}
	}
	if got := radiusOf(interval.Int(2), 3, 0.25); got.Mid() != 8 {
		t.Errorf("a residual of 2 at ‖R‖ = 3 and ‖I − RK‖ = ¼ may be off by %v, want 8", got)
	}
}

// path returns the query f(x) = x on a path of n datasets.
func path(t testing.TB, n int) *query.Query {
	values, edges := make([]float64, n), [][2]int(nil)
	for x := range values {
		values[x] = float64(x)
		if x > 0 {
			edges = append(edges, [2]int{x - 1, x})
		}
	}
	return must.For(query.NewNumeric("f", must.For(query.NewPathSpace(n, edges))(t), values, nil))(t)
}

// A mechanism is admitted if its ε, or its δ, is certified to be at most that of the program, with equality allowed. It
// is not admitted if it may spend more.
func TestAdmits(t *testing.T) {
	ctx, q := t.Context(), path(t, 2)
	answer := func(p *big.Rat, exact bool) mechanism.Mechanism { // answers the dataset with probability p
		r := new(big.Rat).Sub(big.NewRat(1, 1), p)
		rows := [][]*big.Rat{{p, r}, {r, p}}
		if exact {
			return must.For(mechanism.NewFinite(ctx, q, rows, nil))(t)
		}
		wide := make([][]interval.Interval, 2)
		for x := range rows {
			for _, v := range rows[x] {
				f, _ := v.Float64()
				wide[x] = append(wide[x], interval.Between(f-1e-6, f+1e-6))
			}
		}
		return must.For(mechanism.NewEnclosedTable(mechanism.Info{Name: "wide", Query: q}, wide, nil, nil))(t)
	}
	three := must.For(evidence.LogEpsilon("eps", big.NewRat(3, 1)))(t)
	for _, c := range []struct {
		p     *big.Rat
		exact bool
		delta *big.Rat
		want  bool
	}{
		{big.NewRat(7, 10), true, nil, true}, {big.NewRat(76, 100), true, nil, false}, {big.NewRat(9, 10), true, nil, false}, {big.NewRat(7, 10), false, nil, true}, {big.NewRat(3, 4), false, nil, false}, {big.NewRat(9, 10), false, nil, false},
		// δ(ln 3) is p − 3(1 − p).
		{big.NewRat(8, 10), true, big.NewRat(2, 10), true}, {big.NewRat(8, 10), true, big.NewRat(19, 100), false}, {big.NewRat(3, 4), true, big.NewRat(1, 1000), true},
		{big.NewRat(8, 10), false, big.NewRat(2, 10), false}, {big.NewRat(8, 10), false, big.NewRat(21, 100), true}, {big.NewRat(8, 10), false, big.NewRat(19, 100), false},
	} {
		p := &program{q: q, eps: three}
		p.Delta = c.delta
		m := answer(c.p, c.exact)
		if got, err := p.admits(ctx, m); got != c.want || err != nil {
			t.Errorf("p = %v, exact %t, δ = %v: admitted %t, %v", c.p, c.exact, c.delta, got, err)
		}
		if got, err := p.admits(ctxtest.CancelAfter(ctx, 0), m); got || !errors.Is(err, context.Canceled) {
			t.Errorf("p = %v, δ = %v: admitted %t, %v, after cancellation", c.p, c.delta, got, err)
		}
	}
}

// Weights are integers over the least common denominator if that has at most 52 bits.
func TestWeightsOverTheLeastDenominator(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 4))
	q := path(t, 6)
	whole, rational := 0, 0
	for trial := range 60 {
		prior := make([]*big.Rat, 6)
		least, total := big.NewInt(1), int64(0)
		shares := make([]int64, 6)
		for x := range prior {
			shares[x] = 1 + rng.Int64N(60)
			if trial%3 == 0 {
				shares[x] = 1 + rng.Int64N(1<<56)
			}
			total += shares[x]
		}
		for x := range prior {
			prior[x] = big.NewRat(shares[x], total)
		}
		weights := must.For(mechanism.PriorWeights(6, prior))(t)
		for _, w := range weights {
			g := new(big.Int).GCD(nil, nil, least, w.Denom())
			least.Mul(least, w.Denom()).Quo(least, g)
		}
		p := &program{q: q, objective: Mean}
		if err := p.weigh(Options{Prior: prior}); err != nil {
			t.Fatal(err)
		}
		if least.BitLen() > 52 {
			rational++
			least.SetInt64(1)
		} else {
			whole++
		}
		if p.factor.Cmp(new(big.Rat).SetInt(least)) != 0 || (p.ExactWeight == nil) != (least.Cmp(big.NewInt(1)) != 0 || fmt.Sprint(p.ExactWeight) != fmt.Sprint(weights)) {
			t.Errorf("%v: factor %v, want %v", weights, p.factor, least)
		}
		for x, w := range weights {
			if want, _ := new(big.Rat).Mul(w, p.factor).Float64(); p.Weight[x] != want {
				t.Errorf("%v: weight %d is %v, want %v", weights, x, p.Weight[x], want)
			}
		}
	}
	if whole < 10 || rational < 10 {
		t.Errorf("only %d priors have a short denominator, and %d have none", whole, rational)
	}
}

// The method nothing returns an exact optimum of 0 if the solution has cost 0 and the lower bound is not positive. The
// test's program has a δ and the mean as objective.
func TestZeroOptimumFromSolution(t *testing.T) {
	ctx, q := t.Context(), path(t, 3)
	prior := []*big.Rat{big.NewRat(1, 2), new(big.Rat), big.NewRat(1, 2)}
	p := must.For(newProgram(ctx, q, must.For(evidence.NewEpsilon("eps", 1))(t), Options{Prior: prior, Delta: evidencetest.RationalDelta(big.NewRat(1, 2))}))(t)
	n := len(p.values)
	x := &lp.Solution{P: make([]float64, 3*n)}
	for i, row := range [][]float64{{1, 0, 0}, {.5, 0, .5}, {0, 0, 1}} { // the middle has weight 0, and lies between the others
		for k, r := range p.values {
			x.P[i*n+k] = row[r]
		}
	}
	claim := evidence.Claimed{Value: 1}
	for lo, want := range map[float64]bool{-1e-9: true, 0: true, 1e-300: false} {
		x.Lo = lo
		m := p.nothing(ctx, "free", claim, x)
		if (m != nil) != want {
			t.Errorf("lower bound %g: %v", lo, m)
		}
		if m != nil && evidence.Rational(m.optimum) != "0" {
			t.Errorf("the optimum is %v", m.optimum)
		}
	}
	x.Lo = 0
	if m := p.nothing(ctxtest.CancelAfter(ctx, 0), "free", claim, x); m != nil {
		t.Errorf("after cancellation: %v", m)
	}
	for i := range x.P[:n] { // the costly answer is dropped, and no answer remains
		x.P[i] = 0
	}
	x.P[len(p.values)-1] = 1
	if m := p.nothing(ctx, "free", claim, x); m != nil {
		t.Errorf("with only a costly answer: %v", m)
	}
}

// A mechanism with an unbounded smallest ε has no optimum to compare with.
func TestOptimumAtInfiniteEpsilon(t *testing.T) {
	q := must.For(query.NewNumeric("pair", must.For(query.NewPathSpace(2, [][2]int{{0, 1}}))(t), []float64{0, 1}, nil))(t)
	if v, err := optimumAt(t.Context(), q, evidence.Certified{Lo: 1, Hi: math.Inf(1)}); v != nil || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(strings.ToLower(err.Error()), "inf") {
		t.Errorf("optimum %v, error %v", v, err)
	}
}
