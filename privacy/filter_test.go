package privacy_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// binary is a mechanism with two outputs on two neighboring datasets. Output 0 has probability p on the first and q on
// the second.
type binary struct {
	p, q *big.Rat
	of   *privacy.Account
}

func newBinary(p, q *big.Rat) binary {
	rest := func(x *big.Rat) *big.Rat { return new(big.Rat).Sub(big.NewRat(1, 1), x) }
	pair := must.Be(privacy.NewRationalPair([]*big.Rat{p, rest(p)}, []*big.Rat{q, rest(q)}))
	return binary{p, q, privacy.New(privacy.PairAndReverse("binary", "test", pair))}
}

// interact returns the laws of all outputs of two adaptive steps at the two datasets. At each step pick chooses a
// mechanism from the outputs so far, and a filter admits or rejects it. Every sequence of outputs repeats the choices
// on a new filter.
func interact(t *testing.T, filter func() *privacy.Filter, pick func(outputs []int) *binary) (p, q []*big.Rat) {
	t.Helper()
	var walk func(outputs []int, wp, wq *big.Rat)
	walk = func(outputs []int, wp, wq *big.Rat) {
		if len(outputs) == 2 {
			p, q = append(p, wp), append(q, wq)
			return
		}
		f := filter()
		for i := range outputs {
			must.Be(f.Admit(t.Context(), pick(outputs[:i]).of))
		}
		m := pick(outputs)
		if !must.Be(f.Admit(t.Context(), m.of)) {
			walk(append(outputs[:len(outputs):len(outputs)], 0), wp, wq)
			return
		}
		for out := range 2 {
			sp, sq := m.p, m.q
			if out == 1 {
				sp, sq = new(big.Rat).Sub(big.NewRat(1, 1), sp), new(big.Rat).Sub(big.NewRat(1, 1), sq)
			}
			walk(append(outputs[:len(outputs):len(outputs)], out), new(big.Rat).Mul(wp, sp), new(big.Rat).Mul(wq, sq))
		}
	}
	walk(nil, big.NewRat(1, 1), big.NewRat(1, 1))
	return p, q
}

// The privacy loss of adaptive choices under a filter, over all sequences of outputs, is within the budget. Some
// choices use most of the budget, and exceed it without the filter.
func TestFilterHoldsAgainstAdaptiveChoices(t *testing.T) {
	rng := rand.New(rand.NewPCG(52, 1))
	for _, c := range []struct {
		eps         evidence.Epsilon
		delta       evidence.Delta
		least, most int // output 0 has probability p/64 at one dataset and up to (p + most − 1)/64 at the other, where p ≥ least
	}{{must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 1))), evidence.Delta{}, 8, 24}, {evidencetest.Epsilon(1), evidencetest.Delta(.01), 4, 16}} {
		filter := func() *privacy.Filter { return must.Be(privacy.NewFilter(c.eps, c.delta)) }
		open := func() *privacy.Filter { return must.Be(privacy.NewFilter(evidencetest.Epsilon(100), c.delta)) }
		refused, beyond, admitted, reached := 0, 0, 0, 0.0
		runs := cases.Of(6, 12)
		for range runs {
			menu := map[string]*binary{}
			pick := func(outputs []int) *binary {
				key := fmt.Sprint(outputs)
				if menu[key] == nil {
					p := int64(c.least + rng.IntN(3*c.least))
					m := newBinary(big.NewRat(p, 64), big.NewRat(p+int64(rng.IntN(c.most)), 64))
					menu[key] = &m
				}
				return menu[key]
			}
			reveals := func(f func() *privacy.Filter) float64 {
				p, q := interact(t, f, pick)
				all := privacy.New(privacy.PairAndReverse("all", "test", must.Be(privacy.NewRationalPair(p, q))))
				if c.delta.IsZero() {
					lo, _ := must.Be(all.Epsilon(t.Context(), c.delta)).Bounds()
					return lo
				}
				if lo, _ := must.Be(all.Delta(t.Context(), evidence.Epsilon{})).Bounds(); lo > .05 {
					admitted++
				}
				lo, _ := must.Be(all.Delta(t.Context(), c.eps)).Bounds()
				return lo
			}
			limit := c.eps.Value() * (1 + 1e-15)
			if !c.delta.IsZero() {
				limit = c.delta.Value()
			}
			got, free := reveals(filter), reveals(open)
			if got > limit {
				t.Errorf("under the budget (%v, %v) the total is %g", c.eps, c.delta, got)
			}
			if reached = max(reached, got/limit); free > got {
				refused++
			}
			if free > limit {
				beyond++
			}
		}
		if refused == 0 || beyond == 0 || c.delta.IsZero() && reached < .8 || !c.delta.IsZero() && admitted <= runs { // admitted counts every run without a filter, too
			t.Errorf("(%v, %v): %d runs refuse a use, %d exceed the budget without a filter, the largest share used is %g, and %d have δ(0) > .05", c.eps, c.delta, refused, beyond, reached, admitted)
		}
	}
}

// Charges are exact if ε is exact. The filter admits as many uses as the limit allows and no more, and a rejected use
// costs nothing.
func TestFilterCountsExactly(t *testing.T) {
	for _, c := range []struct {
		budget evidence.Epsilon
		use    *privacy.Account
		fits   int
	}{
		{evidencetest.Epsilon(1), accountOfEvent(t, laplace(8), ""), 8},
		{must.Be(evidence.LogEpsilon("eps", big.NewRat(81, 1))), privacy.New(must.Be(privacy.ApproxDP(must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 1))), new(big.Rat)))), 4},
		{evidencetest.Epsilon(4.39), privacy.New(must.Be(privacy.ApproxDP(must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 1))), new(big.Rat)))), 3}, // 4 ln 3 = 4.394…
		{evidencetest.Epsilon(1), accountOfEvent(t, gauss(10), ""), 0},
	} {
		f := must.Be(privacy.NewFilter(c.budget, evidence.Delta{}))
		for i := range c.fits + 2 {
			if ok := must.Be(f.Admit(t.Context(), c.use)); ok != (i < c.fits) {
				t.Errorf("%v: use %d is admitted: %v", f, i, ok)
			}
		}
		if spent, left := f.Spent().Float(), f.Left().Float(); math.Abs(spent+left-c.budget.Value()) > 1e-12 || f.Odometer().Float() != spent {
			t.Errorf("%v: %g spent and %g left", f, spent, left)
		}
	}
}

// If a charge is not a float64, the spent amount is rounded up and the remaining one down.
func TestFilterRoundsOutward(t *testing.T) {
	third := big.NewRat(1, 3)
	f := must.Be(privacy.NewFilter(must.Be(evidence.RationalEpsilon("eps", big.NewRat(2, 3))), evidence.Delta{}))
	ok := must.Be(f.Admit(t.Context(), privacy.New(must.Be(privacy.ApproxDP(must.Be(evidence.RationalEpsilon("eps", third)), new(big.Rat))))))
	spent, left, limit := rat(f.Spent().Float()), rat(f.Left().Float()), rat(f.Limit().Float())
	if !ok || spent.Cmp(third) < 0 || left.Cmp(third) > 0 || limit.Cmp(big.NewRat(2, 3)) > 0 {
		t.Errorf("%v spent, %v left of %v", f.Spent(), f.Left(), f.Limit())
	}
}

// The limit is the ρ for which the conversion from ρ-zCDP gives (ε, δ). The odometer reports at least the ε that was
// spent.
func TestFilterOfConcentratedPrivacy(t *testing.T) {
	f := must.Be(privacy.NewFilter(evidencetest.Epsilon(1), evidencetest.Delta(1e-6)))
	rho := new(big.Rat).SetFloat64(f.Limit().Float())
	claimed := privacy.New(must.Be(privacy.ConcentratedPairs(privacy.Concentrated{Xi: new(big.Rat), Rho: rho})))
	if eps := must.Be(claimed.Epsilon(t.Context(), evidencetest.Delta(1e-6))).Float(); !(eps <= 1+1e-12 && eps > 1-1e-6) {
		t.Errorf("ρ = %g converts to ε = %g", f.Limit().Float(), eps)
	}
	use := accountOfEvent(t, gauss(20), "") // ρ = 1/800
	for n := 1; must.Be(f.Admit(t.Context(), use)); n++ {
		if spent := f.Spent().Float(); math.Abs(spent-float64(n)/800) > 1e-12 {
			t.Fatalf("%d uses have ε = %g", n, spent)
		}
		rho, log := f.Spent().Float(), math.Log(1e6)
		if got, least := f.Odometer().Float(), rho+2*math.Sqrt(rho*log); !(got >= least*(1-1e-12)) || got > 1.3 {
			t.Errorf("after %d uses the odometer reports ε = %g, want at least %g", n, got, least)
		}
	}
	if left := f.Left().Float(); !(left < 1./800 && left >= 0) {
		t.Errorf("%g is left, but a use of 1/800 was refused", left)
	}
}

// A use under another neighbor relation is rejected with an error and costs nothing.
func TestFilterRefusesOtherNeighbors(t *testing.T) {
	f := must.Be(privacy.NewFilter(evidencetest.Epsilon(10), evidence.Delta{}))
	must.Be(f.Admit(t.Context(), accountOfEvent(t, laplace(1), query.AddRemove)))
	before := f.Spent().Float()
	if _, err := f.Admit(t.Context(), accountOfEvent(t, laplace(1), query.Replace)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a use under another relation: %v", err)
	}
	if got := f.Spent().Float(); got != before || f.Relation() != query.AddRemove {
		t.Errorf("%g is spent, %g before, under %q", got, before, f.Relation())
	}
}
