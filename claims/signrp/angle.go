package signrp

import (
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
)

// angleChecks returns the checks of Theorem 4.5 and a line of its proof.
func angleChecks() check.Checks {
	return check.Checks{
		"signrp.theorem4.5":       angleVariance(printedAngle).Check,
		"signrp.theorem4.5.proof": check.WithCorrection(angleLine(thirdLine).Check, angleLine(whole).Check),
	}
}

// anglePoint holds θ/π and e^{ε'}.
type anglePoint struct{ turn, base *big.Rat }

// unit returns e^{ε'}/(e^{ε'} − 1)².
func (a anglePoint) unit() *big.Rat {
	d := new(big.Rat).Sub(a.base, check.One)
	return d.Quo(a.base, d.Mul(d, d))
}

// printedAngle returns V_RR/π² as printed.
func printedAngle(a anglePoint) *big.Rat {
	v := new(big.Rat).Mul(a.turn, new(big.Rat).Sub(check.One, a.turn))
	u := a.unit()
	v.Add(v, new(big.Rat).Add(u, u))
	return v.Add(v, u.Mul(u, u).Mul(u, big.NewRat(4, 1)))
}

// moments returns the mean and variance of the angle's estimator, in units of π and π², over the joint outcomes of one
// pair of signs. The signs agree with probability 1 − θ/π. Each is then flipped with probability 1/(e^{ε'} + 1).
func (a anglePoint) moments() (mean, variance *big.Rat) {
	flip := new(big.Rat).Inv(new(big.Rat).Add(a.base, check.One))
	keep := new(big.Rat).Sub(check.One, flip)
	// P̂ = gain·1{agree} − shift, gain = (e^{ε'}+1)²/(e^{ε'}−1)², and θ̂/π = 1 − P̂
	shift := new(big.Rat).Mul(a.unit(), big.NewRat(2, 1))
	gain := new(big.Rat).Quo(new(big.Rat).Add(a.base, check.One), new(big.Rat).Sub(a.base, check.One))
	gain.Mul(gain, gain)
	mean, square := new(big.Rat), new(big.Rat)
	for outcome := range 8 {
		agree, first, second := outcome&1 == 1, outcome>>1&1 == 1, outcome>>2&1 == 1
		p := new(big.Rat).Set(a.turn)
		if agree {
			p.Sub(check.One, a.turn)
		}
		for _, flipped := range []bool{first, second} {
			if flipped {
				p.Mul(p, flip)
			} else {
				p.Mul(p, keep)
			}
		}
		estimate := new(big.Rat).Add(check.One, shift)
		if agree == (first == second) {
			estimate.Sub(estimate, gain)
		}
		p.Mul(p, estimate)
		mean.Add(mean, p)
		square.Add(square, p.Mul(p, estimate))
	}
	return mean, square.Sub(square, new(big.Rat).Mul(mean, mean))
}

// angleVariance states that the estimator's mean is θ and that its variance is the formula times π².
func angleVariance(formula func(anglePoint) *big.Rat) check.Statement[anglePoint] {
	return anglePoints(check.Statement[anglePoint]{
		Holds: func(a anglePoint) bool {
			mean, variance := a.moments()
			return mean.Cmp(a.turn) == 0 && formula(a).Cmp(variance) == 0
		},
		Witness: func(a anglePoint) *check.Witness {
			_, variance := a.moments()
			return check.NewWitness(check.Named("theta/pi", a.turn, "e^{eps'}", a.base, "variance/pi²", variance),
				check.Vars{"turn": a.turn, "base": a.base.RatString(), "a": formula(a)},
				"v = angle_variance({turn} * math.pi, ln({base}), 1).value; f = {a} * math.pi * math.pi",
				"print(f, v, abs(f - v) <= 1e-9 * v)")
		},
	})
}

// anglePoints quantifies s over θ: the family has twelfths of π, the draws have thousandths.
func anglePoints(s check.Statement[anglePoint]) check.Statement[anglePoint] {
	s.Family = "θ in twelfths of π, e^{ε'} = 3/2, 2, …, 6"
	s.Each = check.Grid(func(c *anglePoint) []check.Axis {
		var halves, i int
		return []check.Axis{
			check.Span(&halves, 3, 12),
			check.Span(&i, 0, 12),
			check.Let(func() { c.turn, c.base = check.Ratio(i, 12), check.Ratio(halves, 2) }),
		}
	})
	s.Draw = func(rng *rand.Rand) anglePoint {
		return anglePoint{check.Ratio(rng.IntN(1001), 1000), check.Ratio(101+rng.IntN(10000), 100)}
	}
	return s
}

// parts is a number as a rational multiple of π² plus a rational.
type parts struct{ square, rest *big.Rat }

// whole returns the printed variance with the factor π² on the whole formula.
func whole(a anglePoint) parts { return parts{printedAngle(a), new(big.Rat)} }

// thirdLine returns the third line of V_RR in E.3 as printed, where only θ(π − θ) = π²·(θ/π)(1 − θ/π) has the factor
// π².
func thirdLine(a anglePoint) parts {
	square := new(big.Rat).Mul(a.turn, new(big.Rat).Sub(check.One, a.turn))
	return parts{square, new(big.Rat).Sub(printedAngle(a), square)}
}

// angleLine states that a line of the derivation equals the variance. Because π² is irrational, both parts must agree.
func angleLine(line func(a anglePoint) parts) check.Statement[anglePoint] {
	return anglePoints(check.Statement[anglePoint]{
		Holds: func(a anglePoint) bool {
			_, variance := a.moments()
			is := line(a)
			return is.square.Cmp(variance) == 0 && is.rest.Sign() == 0
		},
		Witness: func(a anglePoint) *check.Witness {
			_, variance := a.moments()
			is := line(a)
			return check.NewWitness(check.Named("theta/pi", a.turn, "e^{eps'}", a.base, "the line", is.square.RatString()+" π² + "+is.rest.RatString(), "variance", variance.RatString()+" π²"),
				check.Vars{"turn": a.turn, "base": a.base, "square": is.square, "rest": is.rest},
				"t, b = {turn}, {base}; q = 1 / (b + 1); p = (1 - t) * ((1 - q) * (1 - q) + q * q) + 2 * t * (1 - q) * q", // p is the probability that the released signs agree
				"v = math.pi * math.pi * math.pow((b + 1) / (b - 1), 4) * p * (1 - p); f = {square} * math.pi * math.pi + {rest}; print(f, v, abs(f - v) <= 1e-9 * v)")
		},
	})
}
