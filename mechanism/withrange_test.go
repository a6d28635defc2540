package mechanism_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// WithRange keeps the probability of every value, gives added values probability 0, and measures distortions from the
// other query's values.
func TestWithRangeMatchesDefinition(t *testing.T) {
	ctx, rng := t.Context(), rand.New(rand.NewPCG(18, 4))
	exact, moved, wider := 0, 0, 0
	for range 60 {
		n := 2 + rng.IntN(4)
		space := pathQuery(t, n).Space()
		m := anyMechanism(t, rng, fewValues(t, rng, space, "own"))
		other := fewValues(t, rng, space, "other")
		a := must.For(mechanism.WithRange(ctx, m, other))(t)
		if want := m.Name() + " for other"; a.Name() != want || a.ClaimedEpsilon() != m.ClaimedEpsilon() {
			t.Errorf("%s claims %v, want %s and %v", a.Name(), a.ClaimedEpsilon(), want, m.ClaimedEpsilon())
		}
		if a.Classes() != m.Classes() {
			t.Errorf("%s has %d laws, want %d", a.Name(), a.Classes(), m.Classes())
		}
		rational := isRational(m)
		if rational {
			exact++
		}
		wider += len(a.Query().Range()) - len(other.Range())
		for x := range n {
			distortion := interval.Int(0)
			for at, v := range a.Query().Range() {
				r := slices.Index(m.Query().Range(), v)
				p, ok := a.Rational(x, at)
				if ok != rational {
					t.Fatalf("%s: p^%d(%v) is rational: %t", a.Name(), x, v, ok)
				}
				if r < 0 || math.IsInf(m.LogProb(x, r), -1) {
					if !math.IsInf(a.LogProb(x, at), -1) || ok && p.Sign() != 0 {
						t.Errorf("%s: p^%d(%v) = %v, which is never output", a.Name(), x, v, a.Enclose(x, at))
					}
					continue
				}
				if at != r {
					moved++
				}
				if want, _ := m.Rational(x, r); ok && p.Cmp(want) != 0 || !agree(a.Enclose(x, at), m.Enclose(x, r)) || !agree(a.EncloseLog(x, at), m.EncloseLog(x, r)) {
					t.Errorf("%s: p^%d(%v) = %v, e^%v, want %v, e^%v", a.Name(), x, v, a.Enclose(x, at), a.EncloseLog(x, at), m.Enclose(x, r), m.EncloseLog(x, r))
				}
				d := new(big.Rat).Sub(valueOf(t, v), valueOf(t, other.Value(x)))
				distortion = distortion.Add(m.Enclose(x, r).Mul(interval.Rat(d.Abs(d))))
			}
			if lo, hi := mechanism.Distortion(a, x).Bounds(); !(lo <= distortion.Mid() && distortion.Mid() <= hi && hi-lo <= 1e-14*hi+math.SmallestNonzeroFloat64) {
				t.Errorf("%s: distortion at %d in [%v, %v], want %v", a.Name(), x, lo, hi, distortion)
			}
		}
	}
	if exact < 5 || moved < 50 || wider < 20 {
		t.Errorf("too few cases: %d rational probabilities, %d moved values, %d added values", exact, moved, wider)
	}
}

// halves returns a rational mechanism on a path of three datasets.
func halves(t *testing.T) (*query.Query, *mechanism.Table) {
	space := must.For(query.NewPathSpace(3, [][2]int{{0, 1}, {1, 2}}))(t)
	q := must.For(query.NewNumeric("three", space, []float64{0, 1, 5}, nil))(t)
	r := func(a, b int64) *big.Rat { return big.NewRat(a, b) }
	m := must.For(mechanism.NewFinite(context.Background(), q, [][]*big.Rat{
		{r(1, 2), r(1, 4), r(1, 4)}, {r(1, 3), r(1, 3), r(1, 3)}, {r(1, 4), r(1, 4), r(1, 2)}}, mechanism.Claim(must.For(evidence.NewEpsilon("eps", 1))(t), "given")))(t)
	return q, m
}
