package smooth

import (
	"math/big"

	"dpworkbench/interval"
)

// places is the working precision of a series in bits.
const places = 160

// hypergeometric encloses ₂F₁(a, 1; c; w) = Σ (a)_k/(c)_k w^k for a, c > 0 and 0 ≤ w < 1. All terms are positive, and
// the ratio (a + k)w/(c + k) of consecutive terms is monotone towards w. The remainder is at most the last term times
// ρ/(1 − ρ), where ρ is the larger of that ratio and w. If w may exceed 1, the sum has no upper bound.
func hypergeometric(a, c, w interval.Interval) interval.Interval {
	sum, term := one(), one()
	for k := int64(0); ; k++ {
		n := interval.Int(k)
		ratio := a.Add(n).Mul(w).Quo(c.Add(n))
		term = term.Mul(ratio)
		sum = sum.Add(term)
		rho := interval.Max(ratio, w)
		if k > 1<<14 { // w is not in [0, 1), or its enclosure is too wide
			return interval.Hull(sum.Lower(), interval.Whole().Upper())
		}
		if !rho.Less(one()) {
			continue
		}
		if rest := term.Mul(rho).Quo(one().Sub(rho)); rest.Less(sum.Mul(tiny)) {
			return sum.Add(interval.Hull(interval.Int(0), rest))
		}
	}
}

// tiny is 2^−places.
var tiny = interval.Rat(new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), places)))

// part encloses ∫₀^x v^{b−1}/(1 + v) dv for b > 0 and 0 < x ≤ 1, given x^b:
// (x^b/b) ₂F₁(1, b; 1 + b; −x), after Pfaff's transformation (DLMF 15.8.1)
// x^b/(b(1 + x)) ₂F₁(1, 1; 1 + b; x/(1 + x)), whose terms at least halve.
func part(b, x, raised interval.Interval) interval.Interval {
	y := one().Add(x)
	return raised.Quo(b.Mul(y)).Mul(hypergeometric(one(), one().Add(b), x.Quo(y)))
}

// moment returns ∫₀^∞ z^k/(1 + z^γ) dz for k + 1 < γ. Substituting v = z^γ below 1 and v = z^{−γ} above gives 1/γ times
// the sum of part at x = 1 for b = (k + 1)/γ and for 1 − b. (The tests compare it with π/(γ sin(π(k + 1)/γ)).)
func (n Noise) moment(k int64) interval.Interval {
	b := interval.Int(k + 1).Quo(n.s())
	c := one().Sub(b)
	return part(b, one(), one()).Add(part(c, one(), one())).Quo(n.s())
}

// all returns moment(k), cached for k = 0.
func (n Noise) all(k int64) interval.Interval {
	if k == 0 {
		return n.whole
	}
	return n.moment(k)
}

// upper returns ∫_z^∞ t^k/(1 + t^γ) dt for a point z ≥ 0.
func (n Noise) upper(z interval.Interval, k int64) interval.Interval {
	if sign, exact := z.Sign(); sign == 0 && exact {
		return n.all(k)
	}
	b := interval.Int(k + 1).Quo(n.s())
	c := one().Sub(b)
	x := power(z, n.s(), n.shape)
	up := z.Pow(int(k + 1)) // x^b
	if !z.Less(one()) {
		return part(c, one().Quo(x), up.Quo(x)).Quo(n.s()) // (1/x)^c = x^b/x
	}
	return n.all(k).Sub(part(b, x, up).Quo(n.s()))
}

// lower returns ∫₀^z t/(1 + t^γ) dt for a point z > 0, γ > 1. Let c = 1 − 2/γ. The part from 1 to z is the integral of
// v^{c−1}/(1 + v) from x = z^{−γ} to 1, divided by γ. For c ≤ 0, where the series of this integral diverges, the
// identity v^{c−1}/(1 + v) = v^{c−1} − v^c/(1 + v) is used.
func (n Noise) lower(z interval.Interval) interval.Interval {
	b := interval.Int(2).Quo(n.s())
	c := one().Sub(b)
	if z.Less(one()) {
		return part(b, power(z, n.s(), n.shape), z.Mul(z)).Quo(n.s())
	}
	near := part(b, one(), one())
	x := one().Quo(power(z, n.s(), n.shape))
	square := z.Mul(z)
	if n.shape.Cmp(big.NewRat(2, 1)) > 0 {
		return near.Add(part(c, one(), one())).Sub(part(c, x, square.Mul(x))).Quo(n.s()) // x^c = z²x
	}
	next := c.Add(one())
	bent := part(next, one(), one()).Sub(part(next, x, square.Mul(x).Mul(x)))
	if n.shape.Cmp(big.NewRat(2, 1)) == 0 {
		return near.Add(z.Log().Mul(n.s())).Sub(bent).Quo(n.s())
	}
	return near.Add(one().Sub(square.Mul(x)).Quo(c)).Sub(bent).Quo(n.s())
}

// incomplete returns the incomplete beta function ∫₀^x v^{a−1}(1 − v)^{b−1} dv for 0 < x ≤ 1/2 (DLMF 8.17.8): x^a(1 −
// x)^b/a ₂F₁(a + b, 1; a + 1; x).
func incomplete(a, b, x interval.Interval) interval.Interval {
	front := x.Log().Mul(a).Add(one().Sub(x).Log().Mul(b)).Exp().Quo(a)
	return front.Mul(hypergeometric(a.Add(b), a.Add(one()), x))
}

// beta returns B(1/2, d/2).
func (n Noise) beta() interval.Interval {
	half := interval.Rat(big.NewRat(1, 2))
	a := n.s().Mul(half)
	return incomplete(half, a, half).Add(incomplete(a, half, half))
}

// studentTail returns 2·Pr[T > z] at a point z > 0: the share of B(d/2, 1/2) up to d/(d + z²).
func (n Noise) studentTail(z interval.Interval) interval.Interval {
	half := interval.Rat(big.NewRat(1, 2))
	a, square := n.s().Mul(half), z.Mul(z)
	sum := n.s().Add(square)
	x, y := n.s().Quo(sum), square.Quo(sum)
	if !half.Less(x) {
		return incomplete(a, half, x).Quo(n.whole)
	}
	return one().Sub(incomplete(half, a, y).Quo(n.whole))
}
