package privacy

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// normalMu is the distance of the two normal laws in these tests.
const normalMu = 1.25

func tailOf(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }

// normalDivergence returns the hockey-stick divergence of order t ≥ 0 of the two normal laws.
func normalDivergence(t float64) float64 {
	if t <= 0 {
		return 1 - t
	}
	e := math.Log(t)
	return tailOf(e/normalMu-normalMu/2) - t*tailOf(e/normalMu+normalMu/2)
}

// sampledDivergence returns the divergence of order t after sampling at rate g.
func sampledDivergence(how mixture, g, t float64) float64 {
	if how == addition { // 1 − t plus t times the divergence of the reverse at 1/t
		return 1 - t + t*g*normalDivergence((1/t-1+g)/g)
	}
	return g * normalDivergence((t-1+g)/g)
}

// An added record that is sampled at rate γ cannot cause a loss above ln 1/(1 − γ). From this loss on δ is exactly 0,
// and just below it δ is small. For an interval of orders, δ lies between the values at its ends.
func TestSampledDeltaNearItsLargestLoss(t *testing.T) {
	p := newSubsampled(Normal(interval.Float(normalMu)).(*closedForm), big.NewRat(1, 4), addition)
	for _, c := range []struct {
		w    *big.Rat
		zero bool
	}{{big.NewRat(4, 3), true}, {big.NewRat(3, 2), true}, {big.NewRat(400, 301), false}, {big.NewRat(5, 4), false}} {
		d := must.For(p.Delta(t.Context(), must.Be(evidence.LogEpsilon("eps", c.w))))(t)
		w, _ := c.w.Float64()
		lo, hi := d.Enclosure.Bounds()
		if want := sampledDivergence(addition, 0.25, w); c.zero != (d.Rational != nil) || c.zero && (lo != 0 || hi != 0) || !c.zero && (lo > want+1e-15 || hi < want-1e-15 || hi <= 0) {
			t.Errorf("δ(ln %v) in [%g, %g], want %g", c.w, lo, hi, want)
		}
	}
	// ε agrees with ln 4/3 to 40 digits, so enclosures do not decide whether 1 − t(1 − γ) is positive.
	near := must.Be(evidence.RationalEpsilon("eps", rationalOf("0.28768207245178092743921900599382743150350971089776105650666705")))
	if lo, hi := must.For(p.Delta(t.Context(), near))(t).Enclosure.Bounds(); lo != 0 || hi > 1e-50 {
		t.Errorf("δ near the largest loss is in [%g, %g]", lo, hi)
	}
	base := Normal(interval.Float(normalMu)).(*closedForm)
	of := func(order evidence.RatOrInterval) interval.Interval {
		return must.Be(hockeyStickOf(order, func(eps evidence.Epsilon) (evidence.RatOrInterval, error) { return base.delta(eps), nil })).Enclosure
	}
	at := func(lo, hi float64) (float64, float64) {
		return of(evidence.RatOrInterval{Enclosure: interval.Between(lo, hi)}).Bounds()
	}
	for _, c := range [][2]float64{{1.5, 1.5}, {1.1, 1.5}, {1, 3}, {0.5, 2}, {0.5, 0.75}} {
		lo, hi := at(c[0], c[1])
		most, least := normalDivergence(max(c[0], 1)), normalDivergence(max(c[1], 1))
		if math.Abs(lo-least) > 1e-14 || math.Abs(hi-most) > 1e-14 {
			t.Errorf("orders in %v: δ in [%g, %g], want [%g, %g]", c, lo, hi, least, most)
		}
	}
	for _, c := range []struct{ t, want *big.Rat }{{big.NewRat(1, 1), one}, {big.NewRat(1, 2), one}, {big.NewRat(3, 2), big.NewRat(3, 2)}} {
		w, _ := c.want.Float64()
		if got := of(evidence.ExactRat(c.t)).Mid(); math.Abs(got-normalDivergence(w)) > 1e-14 {
			t.Errorf("order %v: δ = %g, want %g", c.t, got, normalDivergence(w))
		}
	}
}

func rationalOf(digits string) *big.Rat {
	q, ok := new(big.Rat).SetString(digits)
	if !ok {
		panic(digits)
	}
	return q
}
