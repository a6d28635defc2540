package signrp

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// arcPPlus encloses P₊ in one or two dimensions. The direction of Gaussian w is uniform. If |w₁| ≥ |w₂|, the event is
// |u₁ + u₂t| ≤ β for t = w₂/w₁ in [−1, 1]. The slopes t form an interval, so the directions form an arc. If |w₁| <
// |w₂|, the coordinates are exchanged.
func arcPPlus(u []float64, beta float64) evidence.Certified {
	const method = "length of arcs, 256-bit outward rounding"
	a, b, limit := exactDecimal(u[0]), exactDecimal(u[len(u)-1]), exactDecimal(beta)
	a.Abs(a)
	b.Abs(b) // the event is symmetric in t
	one := big.NewRat(1, 1)
	arc := func(c, d *big.Rat) interval.Interval { // angles of t with |c + dt| ≤ β, |t| ≤ 1
		if d.Sign() == 0 {
			if c.Cmp(limit) <= 0 {
				return pi.Quo(interval.Int(2))
			}
			return interval.Int(0)
		}
		lo, hi := new(big.Rat).Add(limit, c), new(big.Rat).Sub(limit, c)
		lo.Quo(lo.Neg(lo), d)
		hi.Quo(hi, d)
		if lo.Cmp(new(big.Rat).Neg(one)) < 0 {
			lo.Neg(one)
		}
		if hi.Cmp(one) > 0 {
			hi.Set(one)
		}
		if lo.Cmp(hi) >= 0 {
			return interval.Int(0)
		}
		// The identity is arctan hi − arctan lo = arctan((hi − lo)/(1 + lo·hi)).
		product := new(big.Rat).Mul(lo, hi)
		if product.Add(product, one).Sign() == 0 {
			return pi.Quo(interval.Int(2))
		}
		return arctan(interval.Rat(hi.Quo(hi.Sub(hi, lo), product)))
	}
	if len(u) == 1 { // the event is certain or impossible
		certain := 0.0
		if a.Cmp(limit) <= 0 {
			certain = 1
		}
		return evidence.Certified{Lo: certain, Hi: certain, Provenance: evidence.From(pplusSource).By(method)}
	}
	out := evidence.Enclosed(arc(a, b).Add(arc(b, a)).Quo(pi), method, pplusSource)
	out.Hi = min(out.Hi, 1)
	return out
}

// arctan encloses arctan x for x > 0. It halves the angle until Taylor's alternating series is short.
func arctan(x interval.Interval) interval.Interval {
	one := interval.Int(1)
	if one.Less(x) {
		return pi.Quo(interval.Int(2)).Sub(arctan(one.Quo(x)))
	}
	const halvings, terms = 8, 20 // 2⁻⁸ to the 43rd power is below 2⁻³⁴⁰
	for range halvings {
		x = x.Quo(one.Add(one.Add(x.Mul(x)).Sqrt()))
	}
	square, power, sum := x.Mul(x), x, interval.Int(0)
	for n := range terms {
		term := power.Quo(interval.Int(int64(2*n + 1)))
		if n%2 == 1 {
			term = term.Neg()
		}
		sum, power = sum.Add(term), power.Mul(square)
	}
	rest := power.Quo(interval.Int(2*terms + 1))
	sum = interval.Hull(sum.Sub(rest), sum.Add(rest))
	return sum.Mul(interval.Int(1 << halvings))
}
