package mechanism_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// fractionQuery returns a query whose values have no common unit in float64.
func fractionQuery(t testing.TB, rng *rand.Rand, n int) (*query.Query, []*big.Rat) {
	t.Helper()
	values, points := make([]query.Value, n), make([]*big.Rat, n)
	for x := range values {
		points[x] = new(big.Rat).SetFrac64(rng.Int64N(1<<40), 1<<40-1-2*rng.Int64N(1<<20))
		values[x] = query.RationalValue(points[x])
	}
	q := must.For(query.New("fractions", pathQuery(t, n).Space(), values, nil, query.ValueMetric{}))(t)
	if q.Metric().IsExact() {
		t.Fatal("the distances are whole steps")
	}
	return q, points
}

// Distances that float64 rounds are summed as rational numbers: distortions at a rational e^{−decay} are exact for
// all mechanisms.
func TestMechanismsOfRationalDistances(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(77, 1))
	for range 20 {
		q, points := fractionQuery(t, rng, 4)
		for _, name := range []string{"ladder", "inverse"} {
			m := build(t, name, q, ln(t, 9, 1))
			worst := new(big.Rat)
			for x := range q.Size() {
				want := new(big.Rat)
				for r, v := range q.Range() {
					p, ok := m.Rational(x, r)
					if !ok {
						t.Fatalf("%s: p^%d(%d) is no rational", name, x, r)
					}
					at, _ := query.RationalOf(v)
					d := new(big.Rat).Sub(at, points[x])
					want.Add(want, p.Mul(p, d.Abs(d)))
				}
				if want.Cmp(worst) > 0 {
					worst = want
				}
				if got, ok := mechanism.Distortion(m, x).(evidence.Exact); !ok || got.Value.Cmp(want) != 0 {
					t.Errorf("%s: distortion at %d is %v, want %v", name, x, got, want)
				}
			}
			if got, err := mechanism.WorstDistortion(ctx, m); err != nil || got.(evidence.Exact).Value.Cmp(worst) != 0 {
				t.Errorf("%s: worst distortion %v, %v, want %v", name, got, err, worst)
			}
		}
	}
}

// The weights are e^{−εd/(2Δ)} at every ε for distances that are not integer steps.
func TestExponentialOfRationalDistances(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(78, 1))
	for _, e := range []evidence.Epsilon{eps(t, 1e-200), eps(t, 0.7), ln(t, 3, 1), eps(t, 1e6), eps(t, 1e308)} {
		q, points := fractionQuery(t, rng, 4)
		m := build(t, "exponential", q, e)
		twice := q.Sensitivity().(evidence.Exact).Value
		twice = new(big.Rat).Add(twice, twice)
		for x := range q.Size() {
			for r, v := range q.Range() {
				// ln p(r)/p(f(x)) = −ε d/(2Δ)
				at, _ := query.RationalOf(v)
				d := new(big.Rat).Sub(at, points[x])
				d.Quo(d.Abs(d), twice)
				f, _ := d.Float64()
				lo, hi := m.EncloseLog(x, r).Sub(m.EncloseLog(x, q.ValueIndex(x))).Bounds()
				if want := -f * e.Value(); lo > want*(1-1e-12)+1e-70 || hi < want*(1+1e-12)-1e-70 {
					t.Errorf("ε = %v: ln p^%d(%v)/p(f(x)) in [%v, %v], want %v", e, x, v, lo, hi, want)
				}
			}
		}
		loss := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t)
		if lo, hi := loss.Bounds(); !(lo > 0 && hi <= e.Value()*(1+1e-15)) {
			t.Errorf("ε = %v: smallest ε in [%v, %v]", e, lo, hi)
		}
	}
}

// Distances up to MaxLayer are layers and larger ones use a table, with the same weights e^{−εd/(2Δf)}.
func TestExponentialUpToMaxLayer(t *testing.T) {
	space := must.For(query.NewPathSpace(3, [][2]int{{0, 1}}))(t) // the farthest value is no neighbor's
	for _, c := range []struct {
		far    float64
		levels bool
	}{{query.MaxLayer - 1, true}, {query.MaxLayer, true}, {query.MaxLayer + 1, false}} {
		q := must.For(query.NewNumeric("far", space, []float64{0, 1, c.far}, nil))(t)
		m := build(t, "exponential", q, eps(t, 0.5))
		if _, ok := m.(*mechanism.Layered); ok != c.levels {
			t.Errorf("distances up to %v as levels: %t", c.far, ok)
		}
		if gap := m.EncloseLog(0, 0).Sub(m.EncloseLog(0, 2)).Sub(interval.Float(c.far / 4)); !isAround(gap, new(big.Rat)) || gap.Upper().Sub(gap.Lower()).Mid() > 1e-50 {
			t.Errorf("a value at %v weighs e^−%v of that at 0, off by %v", c.far, c.far/4, gap)
		}
	}
}
