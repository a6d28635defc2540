package gaussian

import (
	"math"

	"dpworkbench/interval"
)

// Tail encloses 1 − Φ(x), the probability that a standard normal variable exceeds x, with a small relative width:
// φ(x)·R(x) for x ≥ 0, and 1 minus the tail of −x otherwise. It decreases in x.
func Tail(x interval.Interval) interval.Interval {
	least := tailPoint(x.Upper())
	if x.CmpLo(x.Upper()) == 0 {
		return least
	}
	return interval.Hull(least, tailPoint(x.Lower()))
}

func tailPoint(x interval.Interval) interval.Interval {
	if sign, _ := x.Sign(); sign < 0 {
		return interval.Int(1).Sub(tailPoint(x.Neg()))
	}
	if x.Less(interval.Int(1 << 10)) {
		growth := growthAt(x)
		return millsEnclosure(x, fullNats, func() interval.Interval { return growth }).Quo(sqrtTwoPi.Mul(growth))
	}
	return interval.Hull(interval.Int(0), interval.Int(-1<<19).Exp()) // x²/2 is at least 2¹⁹, R below 1
}

// Quantile encloses the x that a standard normal variable exceeds with probability p. It decreases in p. Unless 0 < p <
// 1 is certain, it returns the interval of all numbers. It brackets a float64 root x₀ and takes one interval Newton
// step x₀ + (Tail(x₀) − p)/φ(ξ).
func Quantile(p interval.Interval) interval.Interval {
	out := quantilePoint(p.Upper())
	if p.CmpLo(p.Upper()) == 0 {
		return out
	}
	return interval.Hull(out, quantilePoint(p.Lower()))
}

func quantilePoint(p interval.Interval) interval.Interval {
	if half.Less(p) {
		return quantilePoint(interval.Int(1).Sub(p)).Neg()
	}
	if sign, _ := p.Sign(); sign <= 0 {
		return interval.Whole()
	}
	return quantileNear(p, roughQuantile(p))
}

// quantileNear encloses the quantile of a point 0 < p ≤ 1/2, given a start whose error is usually below 1.
func quantileNear(p interval.Interval, start float64) interval.Interval {
	for radius := 1e-13 * (1 + start); radius < 1; radius *= 64 {
		lo, hi := interval.Float(max(start-radius, 0)), interval.Float(start+radius)
		if Tail(hi).Less(p) && (start <= radius || p.Less(Tail(lo))) { // the root is not negative
			at := interval.Float(start)
			around := interval.Hull(lo, hi)
			density := around.Mul(around).Mul(half).Neg().Exp().Quo(sqrtTwoPi)
			return at.Add(Tail(at).Sub(p).Quo(density))
		}
	}
	return interval.Whole()
}

// roughQuantile returns a float64 approximation of Quantile for p ≤ 1/2, however small.
func roughQuantile(p interval.Interval) float64 {
	if v := p.Mid(); v > 1e-290 {
		return FastQuantile(v)
	}
	return quantileOfLog(p.Log().Mid())
}

// FastQuantile returns a float64 approximation of Quantile for 0 < p ≤ 1/2, with an error of about 1e-11.
func FastQuantile(p float64) float64 {
	if p > 1e-3 {
		return max(math.Sqrt2*math.Erfcinv(2*p), 0)
	}
	return quantileOfLog(math.Log(p)) // Erfcinv cancels here: it subtracts from 1
}

// quantileOfLog returns the x at which the logarithm of the normal tail is want < −6. It uses Newton's method, which
// converges because that logarithm is concave.
func quantileOfLog(want float64) float64 {
	x := math.Sqrt(-2 * want)
	for range 50 {
		r := mills(x)
		x -= (-x*x/2 + math.Log(r/math.Sqrt(2*math.Pi)) - want) * -r
	}
	return x
}
