package field

import (
	"context"
	"iter"
	"math/big"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// flipped states that a formula is at least the Kullback-Leibler divergence of permute-and-flip between scores (0, 1)
// and (1, 0), which is a lower bound on ρ.
func flipped(name string, formula func(eps interval.Interval) interval.Interval) inequality {
	return inequality{
		family: "scores (0, 1) and (1, 0), ε in {.1, .5, 1, 2, 4}",
		each:   check.Untyped(slices.Values([]float64{.1, .5, 1, 2, 4})),
		quantity: computed("divergence", func(_ context.Context, eps float64) evidence.Number {
			x := real(eps).Quo(whole(2)).Neg().Exp().Quo(whole(2)) // the probability of the lower score
			other := whole(1).Sub(x)
			return enclosed(other.Sub(x).Mul(other.Quo(x).Log()), "two outputs")
		}),
		bound: computed(name, func(_ context.Context, eps float64) evidence.Number { return enclosed(formula(real(eps)), name) }),
		witness: describing(func(eps float64) *check.Witness {
			return check.NewWitness(check.Named("scores", "(0, 1) and (1, 0)", "eps", eps), check.Vars{"e": eps},
				"x = math.exp(-{e} / 2) / 2; kl = (1 - 2 * x) * math.log((1 - x) / x); f = {e} * {e} / 8; print(kl, f, kl <= f)")
		}),
	}
}

// scoresCase is two lists of scores that differ by at most 1 in each entry, and r = e^{ε/2}.
type scoresCase struct {
	a, b []int
	r    *big.Rat
}

// law returns the output probabilities of the exponential mechanism.
func (c scoresCase) law(scores []int) []*big.Rat {
	out, sum := make([]*big.Rat, len(scores)), new(big.Rat)
	for i, s := range scores {
		out[i] = check.Power(c.r, s)
		sum.Add(sum, out[i])
	}
	for _, p := range out {
		p.Quo(p, sum)
	}
	return out
}

// zeroOne returns the pairs of different lists of n zeros and ones, for n from 2 to most, with each of the given r.
func zeroOne(most int, ratios ...*big.Rat) iter.Seq[scoresCase] {
	return func(yield func(scoresCase) bool) {
		for n := 2; n <= most; n++ {
			for a := range check.Words(2, n) {
				for b := range check.Words(2, n) {
					for _, r := range ratios {
						if !slices.Equal(a, b) && !yield(scoresCase{a, b, r}) {
							return
						}
					}
				}
			}
		}
	}
}

// exponential states that the ρ of the exponential mechanism is at most ε²/over.
func exponential(over int) inequality {
	return inequality{
		family: "scores 0 and 1 of 2 candidates, e^{ε/2} in {11/10, 3/2, 3}",
		each:   check.Untyped(zeroOne(2, big.NewRat(11, 10), big.NewRat(3, 2), big.NewRat(3, 1))),
		quantity: computed("ρ of the exponential mechanism", func(ctx context.Context, c scoresCase) evidence.Number {
			pair := check.Must(privacy.NewRationalPair(c.law(c.a), c.law(c.b)))
			return check.Must(privacy.New(privacy.PairAndReverse("exponential mechanism", "two laws", pair)).ZCDP(ctx))
		}),
		bound: computed("ε²/8", func(_ context.Context, c scoresCase) evidence.Number {
			eps := interval.RationalLog(c.r).Mul(whole(2))
			return enclosed(eps.Mul(eps).Quo(whole(over)), "ε²/8")
		}),
	}
}

// gapCase is two scores at two neighbors. The first score leads by gap at one neighbor, and by gap − less at the other.
type gapCase struct {
	eps       float64
	gap, less int
}

// trails encloses the probability that the second score wins with Laplace noise of scale 1/ε if the first leads by
// gap.
func (c gapCase) trails(gap int) interval.Interval {
	if gap < 0 {
		return whole(1).Sub(c.trails(-gap))
	}
	t := real(c.eps).Mul(whole(gap))
	return t.Neg().Exp().Quo(whole(2)).Mul(whole(1).Add(t.Quo(whole(2))))
}

// noisyMax states that the loss of the noisy maximum of two scores is at most ε if the gap changes by at most the
// given number.
func noisyMax(family string, most int) inequality {
	return inequality{
		family: family,
		each: check.Untyped(check.Grid(func(c *gapCase) []check.Axis {
			return []check.Axis{check.Span(&c.gap, 0, 4), check.Span(&c.less, 1, most), check.Over(&c.eps, .1, .5, 1, 2)}
		})),
		quantity: computed("loss", func(_ context.Context, c gapCase) evidence.Number {
			return enclosed(c.trails(c.gap-c.less).Quo(c.trails(c.gap)).Log(), "the chances of the second score")
		}),
		bound: computed("ε", func(_ context.Context, c gapCase) evidence.Number { return exact(interval.Decimal(c.eps), "given") }),
		witness: describing(func(c gapCase) *check.Witness {
			return check.NewWitness(check.Named("scores", check.List([]int{c.gap, 0})+" and "+check.List([]int{c.gap - 1, c.less - 1}), "eps", c.eps),
				check.Vars{"e": c.eps, "g": c.gap, "h": c.gap - c.less},
				"t = lambda g: math.exp(-{e} * g) * (1 + {e} * g / 2) / 2; loss = math.log(t({h}) / t({g})); print(loss, {e}, loss <= {e})")
		}),
	}
}

// flips returns the law of permute-and-flip, averaged over all orders of the candidates. Candidate i is accepted with
// probability r^{scores[i] − max}.
func (c scoresCase) flips() []*big.Rat {
	n, top := len(c.a), slices.Max(c.a)
	out := make([]*big.Rat, n)
	for i := range out {
		out[i] = new(big.Rat)
	}
	orders := int64(0)
	for order := range check.Words(n, n) {
		if sorted := slices.Sorted(slices.Values(order)); len(slices.Compact(sorted)) < n {
			continue // not a permutation
		}
		orders++
		left := big.NewRat(1, 1)
		for _, i := range order {
			p := check.Power(c.r, c.a[i]-top)
			out[i].Add(out[i], new(big.Rat).Mul(left, p))
			left.Mul(left, new(big.Rat).Sub(check.One, p))
		}
	}
	for _, p := range out {
		p.Mul(p, big.NewRat(1, orders))
	}
	return out
}

// noisy returns the law of the noisy maximum with exponential noise. Candidate i with the noise −ln u/ln r wins if no
// other candidate exceeds it. The probability of this, Π (1 − u r^{scores[j] − scores[i]}) over the other candidates j,
// is integrated over u from 0 to r^{scores[i] − max}.
func (c scoresCase) noisy() []*big.Rat {
	top := slices.Max(c.a)
	out := make([]*big.Rat, len(c.a))
	for i := range c.a {
		poly := []*big.Rat{big.NewRat(1, 1)}
		for j := range c.a {
			if j == i {
				continue
			}
			y := check.Power(c.r, c.a[j]-c.a[i])
			next := make([]*big.Rat, len(poly)+1)
			for k := range next {
				next[k] = new(big.Rat)
			}
			for k, v := range poly {
				next[k].Add(next[k], v)
				next[k+1].Sub(next[k+1], new(big.Rat).Mul(v, y))
			}
			poly = next
		}
		end := check.Power(c.r, c.a[i]-top)
		out[i] = new(big.Rat)
		for k, v := range poly {
			term := new(big.Rat).Mul(v, check.Power(end, k+1))
			out[i].Add(out[i], term.Mul(term, big.NewRat(1, int64(k+1))))
		}
	}
	return out
}

// sameLaws states that permute-and-flip and the noisy maximum with exponential noise have the same law.
func sameLaws(noisy func(c scoresCase) []*big.Rat) check.Statement[scoresCase] {
	return check.Statement[scoresCase]{
		Family: "scores 0, 1 and 2 of 2 and 3 candidates, e^{ε/2} in {3/2, 3}",
		Each: func(yield func(scoresCase) bool) {
			for n := 2; n <= 3; n++ {
				for a := range check.Words(3, n) {
					for _, r := range []*big.Rat{big.NewRat(3, 2), big.NewRat(3, 1)} {
						if !yield(scoresCase{a, nil, r}) {
							return
						}
					}
				}
			}
		},
		Holds: func(c scoresCase) bool {
			return slices.EqualFunc(c.flips(), noisy(c), func(p, q *big.Rat) bool { return p.Cmp(q) == 0 })
		},
	}
}

// selectionChecks returns the checks of the statements about the selection of a candidate.
func selectionChecks() check.Checks {
	eighth := func(eps interval.Interval) interval.Interval { return eps.Mul(eps).Quo(whole(8)) }
	claim := noisyMax("two scores, gaps to 4, each score moving by at most 1, ε in {.1, .5, 1, 2}", 2)
	return check.Checks{
		"field.permuteandflip.zcdp": flipped("ε²/8", eighth).shown(quoted(flipped("ε²/8", eighth).Check), .5),
		"field.permuteandflip.law":  sameLaws(scoresCase.noisy).Check,
		"field.exponential.zcdp":    exponential(8).Check,
		"field.noisymax.scale": check.WithCorrection(claim.Check,
			noisyMax("two scores, gaps to 4, one score moving by 1, ε in {.1, .5, 1, 2}", 1).Check),
	}
}

// quoted returns the check of a statement that is known only from a quotation. Its outcome is undecided, with the
// evidence of the quoted statement. An instance at which the quoted statement fails becomes the exception.
func quoted(of check.Checker) check.Checker {
	return func(ctx context.Context, run check.Run) (check.Outcome, error) {
		out, err := of(ctx, run)
		if err != nil {
			return out, err
		}
		out.Verdict, out.Exception, out.Witness = evidence.Undecided, out.Witness, nil
		return out, nil
	}
}
