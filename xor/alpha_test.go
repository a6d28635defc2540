package xor_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// With the complement, Law is that of 1 − B, state by state, and flips what is said.
func TestOptimizeAlphaOfTheComplement(t *testing.T) {
	for _, privacy := range []xor.Constraint{xor.ClaimedPrivacy, xor.ExactPrivacy} {
		for _, shape := range [][3]int{{1, 2, 1}, {3, 2, 1}, {6, 1, 3}, {4, 2, 5}} {
			q := xor.AlphaProblem{N: shape[0], P: shape[1], Epsilon: nats(2), Sensitivity: shape[2], Privacy: privacy, Complement: true}
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
					t.Fatalf("%+v: ln p(%b) = %v of the law, %v of B's complement", q, state, got, want)
				}
			}
			flips, loss := must.Be(b.ErrorRate(ctx, 0, xor.Complement)).Float(), b.Columns().LossAnywhere(q.Sensitivity).Float()
			rate := must.Be(s.Law.ErrorRate(ctx, 0, xor.Plain))
			if rate.Lo != s.FlipRate.Lo || rate.Hi != s.FlipRate.Hi || math.Abs(rate.Float()-flips) > 1e-12 || rate.Hi > .5 || math.Abs(s.Smallest.Float()-loss) > 1e-12*loss {
				t.Errorf("%+v: flips %v and spends %v, its law flips %v, B's complement flips %v and spends %v", q, s.FlipRate, s.Smallest, rate, flips, loss)
			}
		}
	}
}
