package xor_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// With the complement, Law is the law of 1 − B, state by state, and has the reported flip rate.
func TestOptimizeAlphaOfTheComplement(t *testing.T) {
	for _, privacy := range []xor.Constraint{xor.ClaimedPrivacy, xor.ExactPrivacy} {
		for _, shape := range [][3]int{{1, 2, 1}, {3, 2, 1}, {6, 1, 3}, {4, 2, 5}} {
			q := xor.AlphaProblem{N: shape[0], P: shape[1], Epsilon: evidencetest.Epsilon(2), Sensitivity: shape[2], Privacy: privacy, Complement: true}
			s := must.Be(xor.OptimizeAlpha(ctx, q))
			b := must.Be(xor.Allocate(xor.Budget{N: q.N, P: q.P, Epsilon: q.Epsilon, Alpha: s.Alpha, Sensitivity: float64(q.Sensitivity)}))
			if privacy == xor.ExactPrivacy {
				b = must.Be(b.Scale(2 / b.Columns().LossAnywhere(q.Sensitivity).Float()))
			}
			all := 1<<(q.N*q.P) - 1
			log := func(law *xor.Bernoulli, state int) float64 {
				m := must.Be(xor.NewBits(q.N, q.P))
				for k := range q.N * q.P {
					m.Set(k/q.P, k%q.P, state>>k&1 == 1)
				}
				return must.Be(law.Exponent(m)) - must.Be(law.LogNormalizer(ctx)).Float()
			}
			for range 20 {
				state := rand.IntN(all + 1)
				if got, want := log(s.Law, state), log(b, all&^state); math.Abs(got-want) > 1e-11 {
					t.Fatalf("%+v: ln p(%b) = %v in Law, %v for B's complement", q, state, got, want)
				}
			}
			flips, loss := must.Be(b.ErrorRate(ctx, 0, xor.Complement)).Float(), b.Columns().LossAnywhere(q.Sensitivity).Float()
			rate := must.Be(s.Law.ErrorRate(ctx, 0, xor.Plain))
			if rate.Lo != s.FlipRate.Lo || rate.Hi != s.FlipRate.Hi || math.Abs(rate.Float()-flips) > 1e-12 || rate.Hi > .5 || math.Abs(s.Smallest.Float()-loss) > 1e-12*loss {
				t.Errorf("%+v: flip rate %v, ε %v; flip rate of its law %v; for B's complement flip rate %v, ε %v", q, s.FlipRate, s.Smallest, rate, flips, loss)
			}
		}
	}
}

func ExampleOptimizeAlpha() {
	s, _ := xor.OptimizeAlpha(context.Background(), xor.AlphaProblem{
		N: 5, P: 3, Epsilon: evidencetest.Epsilon(1), Sensitivity: 2, Privacy: xor.ExactPrivacy, Complement: true,
	})
	fmt.Printf("α = %g, ε = %.6f, flips %.6f, randomised response %.6f\n",
		s.Alpha, s.Smallest.Float(), s.FlipRate.Float(), s.Response.Float())
	// Output: α = 1, ε = 1.000000, flips 0.377541, randomised response 0.377541
}

// Under exact privacy, with the complement and s ≤ P, α = 1 is best. The whole budget is spent.
func TestOptimizeAlpha(t *testing.T) {
	for _, n := range []int{1, 2, 7} {
		for _, p := range []int{1, 3} {
			for s := 1; s <= p; s++ {
				for _, eps := range []float64{.1, 5} {
					q := xor.AlphaProblem{N: n, P: p, Epsilon: evidencetest.Epsilon(eps), Sensitivity: s, Privacy: xor.ExactPrivacy, Complement: true}
					got := must.Be(xor.OptimizeAlpha(ctx, q))
					if got.Alpha != 1 || math.Abs(got.Smallest.Float()/eps-1) > 1e-12 || math.Abs(got.FlipRate.Float()/got.Response.Float()-1) > 1e-10 {
						t.Errorf("%+v: α = %v, ε = %v, rate %v, response %v", q, got.Alpha, got.Smallest.Float(), got.FlipRate.Float(), got.Response.Float())
					}
				}
			}
		}
	}
	// For every problem no α of a fine grid does better, and the budget is spent.
	for _, q := range []xor.AlphaProblem{
		{N: 4, P: 2, Epsilon: evidencetest.Epsilon(2), Sensitivity: 1, Privacy: xor.ClaimedPrivacy},
		{N: 4, P: 2, Epsilon: evidencetest.Epsilon(2), Sensitivity: 1, Privacy: xor.ClaimedPrivacy, Complement: true},
		{N: 2, P: 2, Epsilon: evidencetest.Epsilon(3), Sensitivity: 2, Privacy: xor.ClaimedPrivacy, Complement: true},
		{N: 6, P: 1, Epsilon: evidencetest.Epsilon(2), Sensitivity: 3, Privacy: xor.ExactPrivacy},
		{N: 6, P: 1, Epsilon: evidencetest.Epsilon(2), Sensitivity: 3, Privacy: xor.ExactPrivacy, Complement: true},
	} {
		got := must.Be(xor.OptimizeAlpha(ctx, q))
		spent := got.Claimed.Float()
		if q.Privacy == xor.ExactPrivacy {
			spent = got.Smallest.Float()
		}
		if math.Abs(spent/q.Epsilon.Value()-1) > 1e-12 {
			t.Errorf("%+v spends %v", q, spent)
		}
		for i := range 1001 {
			b := must.Be(xor.Allocate(xor.Budget{N: q.N, P: q.P, Epsilon: q.Epsilon, Alpha: float64(i) / 1000, Sensitivity: float64(q.Sensitivity)}))
			if q.Privacy == xor.ExactPrivacy {
				theta, lambda := b.Columns().Parameters()
				k := q.Epsilon.Value() / b.Columns().LossAnywhere(q.Sensitivity).Float()
				b = must.Be(xor.NewUniform(q.N, q.P, theta*k, lambda*k))
			}
			if rate := must.Be(b.Columns().FlipRate(ctx, xor.Variant(q.Complement))).Float(); rate < got.FlipRate.Float()*(1-1e-12) {
				t.Errorf("%+v: α = %g flips %v, the optimum %g flips %v", q, float64(i)/1000, rate, got.Alpha, got.FlipRate.Float())
				break
			}
		}
	}
}
