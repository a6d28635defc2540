package xor

import (
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/internal/lists"
	"dpworkbench/interval"
)

// xorFamilyChecks returns the checks of Theorem 5, which the proof of Theorem 2 cites.
func xorFamilyChecks() check.Checks {
	return check.Checks{
		"xor.theorem5": familyMean(familyCase.mean).Check,
	}
}

// familyCase is an exponential family on the points 0, 1, …. Only one coordinate η of its parameter varies.
type familyCase struct {
	h   []int64    // h(x) > 0
	t   [][]int64  // t[i][x]
	w   [][3]int64 // ω_i(η) = w₀ + w₁η + w₂η²
	eta int64      // η in tenths
}

// exponent encloses S = Σ_i ω_i(η) t_i(x) and its derivative S′ in η.
func (c familyCase) exponent(eta interval.Interval, x int) (value, slope interval.Interval) {
	value, slope = interval.Int(0), interval.Int(0)
	for i, w := range c.w {
		t := interval.Int(c.t[i][x])
		omega := interval.Int(w[0]).Add(eta.Mul(interval.Int(w[1]).Add(eta.Mul(interval.Int(w[2])))))
		value = value.Add(t.Mul(omega))
		slope = slope.Add(t.Mul(interval.Int(w[1]).Add(eta.Mul(interval.Int(2 * w[2])))))
	}
	return value, slope
}

// sums encloses Σ h e^S and Σ h e^S S′ over the points, where S is the exponent.
func (c familyCase) sums(eta interval.Interval) (mass, moment interval.Interval) {
	mass, moment = interval.Int(0), interval.Int(0)
	for x, h := range c.h {
		value, slope := c.exponent(eta, x)
		weight := interval.Int(h).Mul(value.Exp())
		mass, moment = mass.Add(weight), moment.Add(weight.Mul(slope))
	}
	return mass, moment
}

func (c familyCase) at() interval.Interval { return interval.Int(c.eta).Quo(interval.Int(10)) }

// mean encloses E[Σ ω_i′(η) t_i(X)].
func (c familyCase) mean() interval.Interval {
	mass, moment := c.sums(c.at())
	return moment.Quo(mass)
}

// derivative encloses −d log c/dη at η, where c = 1/Σ h e^S, by the central difference over [η − δ, η + δ]. The error
// of the difference is at most δ²/6 times the largest third derivative there, E S‴ + 3 Cov(S′, S″) + κ₃(S′). With S‴ =
// 0, |S′| ≤ a for an integer a, and |S″| ≤ a/2, this is at most δ²(3a²/2 + 8a³)/6 ≤ δ²·10a³/6.
func (c familyCase) derivative() interval.Interval {
	delta := interval.Float(0x1p-40)
	var a int64
	for x := range c.h {
		var slope int64
		for i, w := range c.w {
			t := max(c.t[i][x], -c.t[i][x])
			slope += t * (max(w[1], -w[1]) + 2*max(w[2], -w[2])*(max(c.eta, -c.eta)/10+2)) // |η ± δ| ≤ |η| + 1
		}
		a = max(a, slope)
	}
	logMass := func(eta interval.Interval) interval.Interval {
		mass, _ := c.sums(eta)
		return mass.Log()
	}
	difference := logMass(c.at().Add(delta)).Sub(logMass(c.at().Sub(delta))).Quo(delta.Add(delta))
	far := delta.Mul(delta).Mul(interval.Int(10 * a * a * a)).Quo(interval.Int(6))
	return interval.Hull(difference.Sub(far), difference.Add(far))
}

// familyMean states that the mean is −∂ log c/∂η.
func familyMean(mean func(familyCase) interval.Interval) check.Statement[familyCase] {
	return check.Statement[familyCase]{
		Family: "two points, h = 1, t in {−1, 0, 1}, ω = w₁η + w₂η² with w₁, w₂ in {0, 1}, η in {0, 1}",
		Each: check.Grid(func(c *familyCase) []check.Axis {
			var w1, w2, t0, t1 int64
			c.h = []int64{1, 1}
			return []check.Axis{
				check.Over(&c.eta, 0, 10),
				check.Span(&w2, 0, 1),
				check.Span(&w1, 0, 1),
				check.Span(&t1, -1, 1),
				check.Span(&t0, -1, 1),
				check.Let(func() { c.t, c.w = [][]int64{{t0, t1}}, [][3]int64{{0, w1, w2}} }),
			}
		}),
		Draw: func(rng *rand.Rand) familyCase {
			c := familyCase{eta: rng.Int64N(41) - 20}
			points := 2 + rng.IntN(3)
			for range points {
				c.h = append(c.h, 1+rng.Int64N(4))
			}
			for range 1 + rng.IntN(2) {
				t := lists.Of(points, func(int) int64 { return rng.Int64N(7) - 3 })
				c.t = append(c.t, t)
				c.w = append(c.w, [3]int64{rng.Int64N(3) - 1, rng.Int64N(5) - 2, rng.Int64N(5) - 2})
			}
			return c
		},
		Holds: func(c familyCase) bool {
			m, d := mean(c), c.derivative()
			return !m.Less(d) && !d.Less(m)
		},
	}
}
