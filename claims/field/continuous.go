package field

import (
	"context"
	"math/big"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// momentCase is ε and the number of features of a second-moment matrix, to which a row of norm 1 is added.
type momentCase struct {
	features int
	eps      float64
}

// wishart states that the loss of Wishart noise is infinite with probability 0. Noise W, with one degree of freedom
// more than features, is added to the matrix A. If a row v changes A to A + vvᵀ, the same output needs the noise W −
// vvᵀ, which is not positive definite if 1/vᵀW⁻¹v < 1. If W has the scale matrix I/4ε², 1/vᵀW⁻¹v has the law of χ²/4ε²
// with two degrees of freedom (Muirhead 1982, Theorem 3.2.12).
func wishart() inequality {
	return inequality{
		family: "1 to 3 features, a row of norm 1 added, ε in {.1, .5, 1, 2}",
		each: check.Untyped(check.Grid(func(c *momentCase) []check.Axis {
			return []check.Axis{check.Span(&c.features, 1, 3), check.Over(&c.eps, .1, .5, 1, 2)}
		})),
		quantity: computed("chance of an infinite loss", func(_ context.Context, c momentCase) evidence.Number {
			square := real(c.eps).Mul(real(c.eps))
			return enclosed(square.Mul(whole(-2)).Expm1().Neg(), "1 − e^{−2ε²}, the chance that W − vvᵀ is not positive")
		}),
		bound: computed("δ", func(context.Context, momentCase) evidence.Number {
			return exact(new(big.Rat), "the file takes no other")
		}),
		witness: describing(func(c momentCase) *check.Witness {
			return check.NewWitness(
				check.Named("features", c.features, "matrix", "0", "row added", "norm 1", "eps", c.eps), check.Vars{"e": c.eps},
				"t = 1 - math.exp(-2 * {e} * {e}); print(t, 0, t <= 0)")
		}),
	}
}

// smoothCase is Laplace noise of scale 2S/ε at two neighbors, where S is 1 at one of them and e^{jβ/4} at the other.
// Their answers are halves/2 apart. If narrowFirst is set, δ is that of the narrow law from the wide one. Otherwise it
// is that of the wide law from the narrow one.
type smoothCase struct {
	eps, delta  float64
	j, halves   int
	narrowFirst bool
}

// ratio returns e^{jβ/4}, where β = ε/(2 ln(over/δ)).
func (c smoothCase) ratio(over int) interval.Interval {
	return real(c.eps).Mul(whole(c.j)).Quo(whole(8).Mul(whole(over).Quo(real(c.delta)).Log())).Exp()
}

// cut returns the ends of the interval (−L, R) in which the density of the narrow noise is at least e^at times that of
// the wide noise. The narrow noise has the scale 2/ε around 0, and the wide noise 2t/ε around the other answer. It
// returns false if the interval is empty.
func (c smoothCase) cut(t, at interval.Interval) (l, r interval.Interval, some bool) {
	inner := real(c.eps).Quo(whole(2)) // the inverse of the narrow scale
	outer := inner.Quo(t)
	apart := ratio(int64(c.halves), 2)
	top := t.Log().Add(apart.Mul(outer)).Sub(at) // the logarithm of the ratio of the densities at 0, minus at
	if sign, known := top.Sign(); !known {
		check.Refuse("the logarithm of the likelihood ratio at 0, minus the threshold %v, is in %v, want an interval without 0", at, top)
	} else if sign <= 0 {
		return l, r, false
	}
	l, r = top.Quo(inner.Sub(outer)), top.Quo(inner.Add(outer))
	if apart.Less(r) {
		r = apart.Add(top.Sub(apart.Mul(inner.Add(outer))).Quo(inner.Sub(outer)))
	} else if !r.Less(apart) {
		check.Refuse("the right end of the likelier region is in %v, want an interval without the other answer %v", r, apart)
	}
	return l, r, true
}

// divergence encloses the hockey-stick divergence of the narrow law from the wide one at e^at.
func (c smoothCase) divergence(t, at interval.Interval) interval.Interval {
	l, r, some := c.cut(t, at)
	if !some {
		return whole(0)
	}
	scale, apart := real(c.eps).Quo(whole(2)), ratio(int64(c.halves), 2)
	beyond := func(x, inverse interval.Interval) interval.Interval { return x.Mul(inverse).Neg().Exp().Quo(whole(2)) }
	narrow := whole(1).Sub(beyond(l, scale)).Sub(beyond(r, scale))
	wide := beyond(l.Add(apart), scale.Quo(t)) // the mass of the wide law below −L
	if apart.Less(r) {
		wide = whole(1).Sub(wide).Sub(beyond(r.Sub(apart), scale.Quo(t)))
	} else {
		wide = beyond(apart.Sub(r), scale.Quo(t)).Sub(wide)
	}
	return narrow.Sub(at.Exp().Mul(wide))
}

// deltaAt encloses δ at ε. It only computes divergences of the narrow law from the wide one. For the reverse direction
// it uses (p − e^ε q)⁺ = p − e^ε q + e^ε(q − e^{−ε}p)⁺.
func (c smoothCase) deltaAt(over int) interval.Interval {
	t, eps := c.ratio(over), real(c.eps)
	if c.narrowFirst {
		return c.divergence(t, eps)
	}
	return whole(1).Sub(eps.Exp()).Add(eps.Exp().Mul(c.divergence(t, eps.Neg())))
}

// smooth states that Laplace noise of scale 2S/ε is (ε, δ)-private for the smooth sensitivity S at β = ε/(2
// ln(over/δ)).
func smooth(over int) inequality {
	return inequality{
		family: "ε in {.1, 1, 2, 4}, δ in {.5, .1, .01, 1e-6}, S growing by e^{jβ/4}, j ≤ 4, answers to 1 apart, both ways",
		each: check.Untyped(check.Grid(func(c *smoothCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.eps, .1, 1, 2, 4), check.Over(&c.delta, .5, .1, .01, 1e-6),
				check.Span(&c.j, 1, 4), check.Span(&c.halves, 0, 2), check.Over(&c.narrowFirst, true, false),
			}
		})),
		quantity: computed("δ at ε", func(_ context.Context, c smoothCase) evidence.Number {
			return enclosed(c.deltaAt(over), "two Laplace densities")
		}),
		bound: computed("δ asked for", func(_ context.Context, c smoothCase) evidence.Number {
			return exact(interval.Decimal(c.delta), "given")
		}),
		witness: describing(func(c smoothCase) *check.Witness {
			at := real(c.eps)
			if !c.narrowFirst {
				at = at.Neg()
			}
			l, r, _ := c.cut(c.ratio(over), at)
			apart := check.Ratio(c.halves, 2)
			return check.NewWitness(
				check.Named("S", "1 and e^(jβ/4)", "j", c.j, "answers apart", apart, "eps", c.eps, "delta", c.delta),
				check.Vars{"e": c.eps, "d": c.delta, "j": c.j, "m": apart, "l": l.Mid(), "r": r.Mid(), "o": over},
				"t = math.exp({e} / (2 * math.log({o} / {d})) * {j} / 4)",
				"out = lambda x, y, s: (math.exp(-x * {e} / (2 * s)) + math.exp(-y * {e} / (2 * s))) / 2",
				"v = out({l} + {m}, {r} - {m}, t) - math.exp({e}) * out({l}, {r}, 1)", "print(v, {d}, v <= {d})")
		}),
	}
}

// truncatedCase is Laplace noise of scale 1/ε truncated to [−A, A], with ratio = e^ε, and the δ asked for.
type truncatedCase struct{ ratio, delta *big.Rat }

// truncated states that the noise is (ε, δ)-private if e^{εA} is 1 + share·(e^ε − 1)/2δ. Where the ranges of both
// answers overlap, the loss is at most ε. The δ of the noise is therefore the mass of the last unit of its range, (e^ε
// − 1)/(2(e^{εA} − 1)).
func truncated(share *big.Rat) inequality {
	return inequality{
		family: "e^ε in {11/10, 2, 3, 20}, δ in {1e-9, 1e-5, 1/100, 1/2}",
		each: check.Untyped(check.Grid(func(c *truncatedCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.ratio, big.NewRat(11, 10), big.NewRat(2, 1), big.NewRat(3, 1), big.NewRat(20, 1)),
				check.Over(&c.delta, big.NewRat(1, 1_000_000_000), big.NewRat(1, 100_000), big.NewRat(1, 100), big.NewRat(1, 2)),
			}
		})),
		quantity: computed("δ at ε", func(_ context.Context, c truncatedCase) evidence.Number {
			less := new(big.Rat).Sub(c.ratio, check.One)
			end := new(big.Rat).Quo(less, new(big.Rat).Add(c.delta, c.delta)) // e^{εA} − 1
			end.Mul(end, share)
			grown := new(big.Rat).Add(end, check.One)
			density := new(big.Rat).Quo(check.One, grown)                                    // the density at A, relative to that at 0
			mass := new(big.Rat).Mul(big.NewRat(2, 1), new(big.Rat).Sub(check.One, density)) // the whole mass, times ε
			last := new(big.Rat).Mul(density, new(big.Rat).Sub(c.ratio, check.One))          // the mass of the last unit, times ε
			return exact(last.Quo(last, mass), "the mass that only one of the two answers has")
		}),
		bound: computed("δ asked for", func(_ context.Context, c truncatedCase) evidence.Number {
			return exact(c.delta, "given")
		}),
		witness: describing(func(c truncatedCase) *check.Witness {
			return check.NewWitness(
				check.Named("e^eps", c.ratio, "delta", c.delta, "share", share), check.Vars{"r": c.ratio, "d": c.delta, "s": share},
				"y = 1 + {s} * ({r} - 1) / (2 * {d}); t = ({r} - 1) / (2 * (y - 1)); print(t, {d}, t <= {d})")
		}),
	}
}

// continuousChecks returns the checks of the statements about noise of real numbers.
func continuousChecks() check.Checks {
	whole := truncated(check.One)
	attained, smaller := check.InTurn(whole.Check, reverse(whole).Check), truncated(big.NewRat(9, 10))
	return check.Checks{
		"field.wishart":           wishart().shown(wishart().Check, momentCase{3, 1}),
		"field.smooth.laplace":    check.TakenFor(smooth(2).Check, smooth(1).Check),
		"field.laplace.truncated": check.TakenFor(attained, smaller.Check),
	}
}
