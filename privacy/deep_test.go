package privacy

import (
	"dpworkbench/internal/must"
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/interval"
)

// Sums of normal losses hold the closed form, one normal loss as far away, and are narrow, from δ near 1
// to far below 10⁻³⁰: the composition does not know that they are normal.
func TestDeepTails(t *testing.T) {
	for _, c := range []struct {
		mu         float64
		uses       int
		eps, delta float64
	}{{0.04, 600, 11, 1e-30}, {1.5, 4, 45, 1e-38}} {
		mu := interval.Float(c.mu)
		p := &composition{tailSums: map[uint]*tailSums{}, factors: []factor{{Normal(mu), c.uses}}, width: 1e-4}
		sum := Normal(mu.Mul(interval.Int(int64(c.uses)).Sqrt()))
		eps := must.For(evidence.NewEpsilon("eps", c.eps))(t)
		holds := func(what string, got, want interval.Interval, width float64) {
			if got.Less(want) || want.Less(got) {
				t.Errorf("%d uses at μ = %g: %s in %v, is %v", c.uses, c.mu, what, got, want)
			}
			if lo, hi := got.Bounds(); !(hi-lo <= width*hi) {
				t.Errorf("%d uses at μ = %g: %s in [%g, %g]: wide", c.uses, c.mu, what, lo, hi)
			}
		}
		got := must.For(p.delta(t.Context(), eps))(t)
		want := must.For(sum.Delta(t.Context(), eps))(t)
		holds(fmt.Sprintf("δ(%g)", c.eps), got.Enclosure, want.Enclosure, 1e-3)
		got = must.For(p.epsilon(t.Context(), interval.Decimal(c.delta), math.Inf(-1)))(t)
		loss := must.For(sum.(*closedForm).epsilon(evidencetest.Delta(c.delta)))(t)
		holds(fmt.Sprintf("ε(%g)", c.delta), got.Enclosure, loss, 1e-4)
	}
}

// Uses of Laplace noise on a grid hold what the powers of its jumps and of the rest say: of two uses, by the
// integral over the loss of one of δ of the other, in closed form.
func TestTwoLaplaceUses(t *testing.T) {
	for _, e := range []float64{3} {
		eps, _ := evidence.NewEpsilon("eps", e)
		p := &composition{tailSums: map[uint]*tailSums{}, factors: []factor{{Laplace(eps), 2}}}
		p.width = 1e-6
		one := func(at float64) float64 { // δ of one use, for at of any sign: 1 − e^at below −e
			switch {
			case at >= e:
				return 0
			case at <= -e:
				return -math.Expm1(at)
			}
			return -math.Expm1((at - e) / 2)
		}
		for _, share := range []float64{0, 0.3, 1.7, 1.999} {
			at := share * e
			// Loss e with chance 1/2, −e with e^{−e}/2, and density e^{(l−e)/2}/4 between.
			want := one(at-e)/2 + one(at+e)*math.Exp(-e)/2
			const n = 200_000
			for k := range n {
				l := -e + (float64(k)+0.5)*2*e/n
				want += one(at-l) * math.Exp((l-e)/2) / 4 * 2 * e / n
			}
			var answers evidence.Epsilon
			if at > 0 {
				answers, _ = evidence.NewEpsilon("eps", at)
			}
			got := must.For(p.delta(t.Context(), answers))(t)
			lo, hi := got.Enclosure.Bounds()
			if lo > want*(1+1e-8)+1e-15 || hi < want*(1-1e-8)-1e-15 || hi-lo > 1e-5*hi {
				t.Errorf("two uses of Laplace noise, ε = %g: δ(%g) in [%.12g, %.12g], is %.12g", e, at, lo, hi, want)
			}
		}
	}
}

// Masses that no enclosure tells, as those of randomized response at an enormous ε, tell nothing, and no more.
func TestUnknownMasses(t *testing.T) {
	huge := must.For(evidence.NewEpsilon("eps", 1<<70))(t)
	a := must.For(ApproxDP(huge, new(big.Rat)))(t)
	three := must.For(evidence.LogEpsilon("eps", big.NewRat(3, 1)))(t)
	b := must.For(ApproxDP(three, big.NewRat(1, 1000)))(t)
	account := must.For(Compose(t.Context(), []*Account{New(a), New(b)}, []int{1, 1}))(t)
	for name, ask := range map[string]func() (evidence.Number, error){
		"δ": func() (evidence.Number, error) { return account.Delta(t.Context(), three) },
		"ε": func() (evidence.Number, error) { return account.Epsilon(t.Context(), evidencetest.Delta(0.01)) },
		"μ": func() (evidence.Number, error) { return account.GDP(t.Context()) },
		"trade-off": func() (evidence.Number, error) {
			tr, err := account.Tradeoff(t.Context())
			return tr.Corners[0].Beta, err
		},
	} {
		n, err := ask()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if lo, hi := n.Bounds(); !(lo <= hi) || hi < 1e-3 {
			t.Errorf("%s is %v", name, n)
		}
	}
}
