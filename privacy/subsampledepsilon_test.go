package privacy

import (
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// ε of one use on records that are drawn first, to the digits that mpmath gives it: findroot on the closed form of δ, 60 digits.
func TestEpsilonOfOneSampledUse(t *testing.T) {
	for _, c := range []struct {
		mu    float64
		rate  string
		how   mixture
		delta float64
		want  string
	}{
		{2, "1e-12", replacement, 1e-20, "3.442912802483892163847e-7"},
		{2, "1e-12", removal, 1e-20, "3.442912802483892163847e-7"},
		{2, "1e-12", addition, 1e-20, "9.998753937990197031857e-13"},
		{0.5, "0.01", addition, 1e-9, "0.008996485872730087906234"},
		{0.5, "0.01", removal, 1e-9, "0.1049486700285269961244"},
		{1.25, "0.9", addition, 1e-6, "2.262757890843872500797"},
		{30, "0.3", removal, 1e-100, "1084.547058818802096009"},
		{4, "0.999", addition, 1e-100, "6.907755278982137052054"},
		{0.001, "0.5", addition, 1e-4, "0.0002464132661987224192599"},
	} {
		rate, _ := new(big.Rat).SetString(c.rate)
		p := newComposition(0, []factor{{newSubsampled(Normal(interval.Float(c.mu)).(*closedForm), rate, c.how), 1}})
		e := must.For(p.epsilon(t.Context(), evidencetest.Delta(c.delta).Rat(), 0))(t)
		want, _ := new(big.Rat).SetString(c.want)
		exact, _ := want.Float64()
		if lo, hi := e.Enclosure.Bounds(); lo > exact || hi < exact || hi-lo > 1e-13*hi {
			t.Errorf("μ = %g, rate %s, direction %d, δ = %g: ε in [%g, %g], want %s", c.mu, c.rate, c.how, c.delta, lo, hi, c.want)
		}
	}
}

// Drawing from what was drawn is drawing at the product of the rates, and at rate 0 neighbors have one law.
func TestSubsampleTwice(t *testing.T) {
	half, third := big.NewRat(1, 2), big.NewRat(1, 3)
	for _, kind := range []Sampling{Poisson, WithoutReplacement} {
		base := New(NormalPairs("normal", "test", interval.Float(1.5)))
		once := must.For(Subsample(t.Context(), base, big.NewRat(1, 6), kind))(t)
		twice := must.For(Subsample(t.Context(), must.For(Subsample(t.Context(), base, half, kind))(t), third, kind))(t)
		lo, hi := must.For(once.Epsilon(t.Context(), evidencetest.Delta(1e-4)))(t).Bounds()
		if least, most := must.For(twice.Epsilon(t.Context(), evidencetest.Delta(1e-4)))(t).Bounds(); lo > most || hi < least || once.Relation() != twice.Relation() {
			t.Errorf("%s: ε in [%g, %g] for %q once, [%g, %g] for %q twice", kind, lo, hi, once.Relation(), least, most, twice.Relation())
		}
		none := must.For(Subsample(t.Context(), base, new(big.Rat), kind))(t)
		if d := must.For(none.Delta(t.Context(), evidence.Epsilon{}))(t); !isExactly(d, 0) {
			t.Errorf("%s at rate 0: δ(0) is %v", kind, d)
		}
	}
}

func isExactly(n evidence.Number, v float64) bool {
	lo, hi := n.Bounds()
	return lo == v && hi == v
}
