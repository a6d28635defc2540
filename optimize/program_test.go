package optimize

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// What a solution misses is known exactly where the kernel is, and bounds its error.
func TestMissedByDefinition(t *testing.T) {
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

// The program's floats round its exact numbers, whatever the prior and the unit are, and
// the largest loss lies between 1 and 2 where the metric is not one of whole steps.
func TestProgramRoundsItsNumbers(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	space := must.For(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t)
	rest := new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Add(big.NewRat(1, 999999999989), big.NewRat(2, 999983)))
	for _, values := range [][]float64{{0, 1, 5}, {0, 0.1, 0.7}, {0, 1e-7, 3.3e-6}, {0.3, 1e7 + 0.1, 3e9}, {0, math.Pi, 1}, {0, 1, 2.5}, {0, 0.5, 1}, {0, math.Sqrt2 / 2, 0.5}} {
		for _, prior := range [][]*big.Rat{nil, {big.NewRat(1, 6), big.NewRat(1, 3), big.NewRat(1, 2)}, {big.NewRat(1, 999999999989), big.NewRat(2, 999983), rest}} {
			q := must.For(query.NewNumeric("f", space, values, nil))(t)
			p := must.For(newProgram(t.Context(), q, eps, Options{Prior: prior}))(t)
			near := func(what string, got float64, want *big.Rat) {
				off := new(big.Rat).Sub(new(big.Rat).SetFloat64(got), want)
				if off.Abs(off).Cmp(new(big.Rat).Mul(want, new(big.Rat).SetFloat64(0x1p-52))) > 0 {
					t.Errorf("f of %v: %s is %v, want %v", values, what, got, want)
				}
			}
			weights := must.For(mechanism.PriorWeights(3, prior))(t)
			for x, w := range p.Weight {
				scaled := new(big.Rat).Mul(weights[x], p.factor)
				near("a weight", w, scaled)
				if p.ExactWeight != nil && p.ExactWeight[x].Cmp(scaled) != 0 || p.ExactWeight == nil && new(big.Rat).SetFloat64(w).Cmp(scaled) != 0 {
					t.Errorf("f of %v: weight %d is %v, exactly %v", values, x, w, scaled)
				}
			}
			top := 0.0
			for j, loss := range p.Loss {
				top = max(top, loss)
				want := q.Metric().Rational(q.ValueIndex(j/len(p.values)), p.values[j%len(p.values)])
				want.Quo(want, p.unit)
				near("a loss", loss, want)
				if p.ExactLoss != nil && p.ExactLoss(j).Cmp(want) != 0 {
					t.Errorf("f of %v: loss %d is %v, want %v", values, j, p.ExactLoss(j), want)
				}
			}
			if p.ExactLoss != nil && !(top >= 1 && top < 2) {
				t.Errorf("f of %v: the largest loss is %v, want 1 to 2", values, top)
			}
			if new(big.Rat).Mul(p.scale, p.factor).Cmp(p.unit) != 0 {
				t.Errorf("f of %v: scale %v, factor %v, unit %v", values, p.scale, p.factor, p.unit)
			}
		}
	}
}

// The largest kernel and the largest program are allowed, and nothing beyond.
func TestLargestSizes(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for n, want := range map[int]error{largestKernel: context.Canceled, largestKernel + 1: evidence.ErrParameter} {
		if _, err := newKernel(ended, must.For(query.NewPathSpace(n, nil))(t), eps); !errors.Is(err, want) {
			t.Errorf("%d datasets: %v, want %v", n, err, want)
		}
	}
	values := make([]float64, 4097)
	for x := range values {
		values[x] = float64(x % 2048)
	}
	q := must.For(query.NewNumeric("f", must.For(query.NewPathSpace(4097, nil))(t), values, nil))(t)
	if _, err := newProgram(t.Context(), q, eps, Options{}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("2^23 variables and more: %v, want ErrParameter", err)
	}
}

// The logarithm of the objective is that of its value, and one choice of radii is less
// than another where its value is: exactly for rational ones, with priors or none.
func TestRadiiAreComparedByTheirValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	space := must.For(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t)
	log := must.For(evidence.LogEpsilon("decay", big.NewRat(3, 1)))(t)
	for trial := range 40 {
		q := must.For(query.NewNumeric("f", space, []float64{0, float64(1 + rng.IntN(2)), float64(rng.IntN(4))}, []float64{0, 1, 2, 3}))(t)
		prior := [][]*big.Rat{nil, {big.NewRat(1, 6), big.NewRat(1, 3), big.NewRat(1, 2)}, {new(big.Rat), big.NewRat(1, 1), new(big.Rat)}}[trial%3]
		objective := Mean
		if trial%4 == 3 {
			objective, prior = Worst, nil
		}
		s := must.For(newRadiusSearch(q, log, objective, prior))(t)
		choose := func() (*layers.Mechanism, *big.Rat) {
			rank := make([]int, 3)
			for x := range rank {
				rank[x] = rng.IntN(len(s.rings[x]))
			}
			m, _, err := s.build(t.Context(), rank)
			if err != nil {
				t.Fatal(err)
			}
			return m, must.For(s.value(t.Context(), m))(t).(evidence.Exact).Value
		}
		for range 10 {
			a, v := choose()
			b, w := choose()
			if got := must.For(s.less(t.Context(), a, b))(t); got != (v.Cmp(w) < 0) {
				t.Errorf("%s, prior %v: %v below %v is %v", objective, prior, v, w, got)
			}
			at, positive := s.logValue(a)
			if positive != (v.Sign() > 0) {
				t.Errorf("%s, prior %v: %v is positive: %v", objective, prior, v, positive)
			}
			if positive {
				if lo, hi := at.Exp().Sub(interval.Rat(v)).Bounds(); lo > 0 || hi < 0 || hi-lo > 1e-60 {
					t.Errorf("%s, prior %v: the logarithm of %v is off by [%g, %g]", objective, prior, v, lo, hi)
				}
			}
		}
	}
}
