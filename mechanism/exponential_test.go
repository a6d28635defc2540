package mechanism_test

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"strings"
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

// Far values and datasets need no memory for the numbers between them.
func TestMechanismsOfFarValues(t *testing.T) {
	ctx := context.Background()
	space := must.For(query.NewMatrixSpace([][]float64{{0, 1, 3e8}, {1, 0, 3e8}, {3e8, 3e8, 0}}))(t)
	q := must.For(query.NewNumeric("f", space, []float64{0, 1, 3e8}, nil))(t)
	ladder := must.For(mechanism.NewLadder(ctx, q, eps(t, 1)))(t)
	if got := ladder.NonemptyLayers(0); len(got) != 3 || got[2].Index != 3e8 || ladder.LastLayer(0) != 3e8 {
		t.Errorf("rungs of dataset 0 are %v, want the last to be 3·10⁸", got)
	}
	for name, m := range map[string]mechanism.Mechanism{
		"ladder": ladder, "exponential": build(t, "exponential", q, eps(t, 1)), "laplace": build(t, "laplace", q, eps(t, 1)),
		"exact": build(t, "exponential", q, ln(t, 3, 1)), "noise": build(t, "geometric", q, ln(t, 3, 1)),
	} {
		loss := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t)
		if lo, hi := loss.Bounds(); !(lo > 0 && hi <= m.ClaimedEpsilon().Float()*(1+1e-12)) {
			t.Errorf("%s: smallest ε in [%v, %v]", name, lo, hi)
		}
		if d, err := mechanism.Privacy(m).Delta(ctx, eps(t, 0.01)); err != nil || !(d.Float() > 0) {
			t.Errorf("%s: δ(0.01) = %v, %v", name, d, err)
		}
		if v := mechanism.Distortion(m, 0).Float(); !(v > 0 && v < 3e8) {
			t.Errorf("%s: distortion %v", name, v)
		}
	}
	far := must.For(query.NewNumeric("f", space, []float64{0, 1, 1e12}, nil))(t)
	if _, err := mechanism.NewLadder(ctx, far, eps(t, 1)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a rung of 10¹² gives %v, want ErrParameter", err)
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

// The name shows the radius as a decimal if it is one, and as a fraction otherwise.
func TestInverseSensitivityName(t *testing.T) {
	for text, rho := range map[string]*big.Rat{"0.5": big.NewRat(1, 2), "0.1": big.NewRat(1, 10), "1/3": big.NewRat(1, 3), "3": big.NewRat(3, 1), "inf": nil} {
		m := must.For(mechanism.NewInverseSensitivity(t.Context(), pathQuery(t, 3), eps(t, 1), rho))(t)
		if !strings.Contains(m.Name(), text) {
			t.Errorf("radius %s: the mechanism is %q", text, m.Name())
		}
	}
	if _, err := mechanism.NewInverseSensitivity(t.Context(), pathQuery(t, 3), eps(t, 1), big.NewRat(-1, 4)); err == nil || !strings.Contains(err.Error(), "rho = -0.25, want at least 0") {
		t.Errorf("a negative radius: %v", err)
	}
}
