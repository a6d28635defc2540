package signrp

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/signrp"
)

// countChecks returns the checks of Lemma 4.3 and Proposition 4.4 about the number of signs that a neighbor can change.
func countChecks() check.Checks {
	return check.Checks{
		"signrp.lemma4.3": binomialTail(func(eta *big.Rat) *big.Rat {
			square := new(big.Rat).Mul(eta, eta)
			return square.Quo(square, new(big.Rat).Add(eta, big.NewRat(2, 1)))
		}).Check,
		"signrp.proposition4.4": check.WithCorrection(printedCount().Check, check.Alongside(trueCount(1, 8).Check,
			countItem("N₊ at P₊ = .05, k = 512, δ = 1e-6", signrp.ChernoffCount), countItem("the binomial quantile there", signrp.BinomialCount))),
	}
}

func countItem(label string, count func(probability float64, k int, delta evidence.Delta) (int, error)) check.Item {
	n := check.Must(count(0.05, 512, check.DeltaOf(1e-6)))
	return check.Item{Label: label, Number: evidence.Exact{Value: big.NewRat(int64(n), 1), Provenance: evidence.From("counted")}}
}

// binomialCase is a binomial law and a threshold.
type binomialCase struct {
	k, at int
	p     *big.Rat
}

// tail returns Pr(X ≥ at).
func (c binomialCase) tail() *big.Rat {
	q := new(big.Rat).Sub(big.NewRat(1, 1), c.p)
	sum := new(big.Rat)
	for m := max(0, c.at); m <= c.k; m++ {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(c.k), int64(m)))
		sum.Add(sum, term.Mul(term, check.Power(c.p, m)).Mul(term, check.Power(q, c.k-m)))
	}
	return sum
}

// binomials returns a sequence of the instances for k ≤ most and P in tenths, and a function that draws an instance
// with P in hundredths.
func binomials[I any](most int, make func(k int, p *big.Rat) iter.Seq[I]) (each iter.Seq[I], draw func(rng *rand.Rand) I) {
	type trials struct {
		k int
		p *big.Rat
	}
	each = check.Each(check.Grid(func(t *trials) []check.Axis {
		var tenths int64
		return []check.Axis{
			check.Span(&t.k, 1, most),
			check.Span(&tenths, 1, 9),
			check.Let(func() { t.p = big.NewRat(tenths, 10) }),
		}
	}), func(t trials) iter.Seq[I] { return make(t.k, t.p) })
	draw = func(rng *rand.Rand) I {
		var all []I
		for i := range make(1+rng.IntN(60), big.NewRat(1+rng.Int64N(99), 100)) {
			all = append(all, i)
		}
		return all[rng.IntN(len(all))]
	}
	return each, draw
}

// binomialTail states that Pr(X ≥ (1+η)kP) ≤ exp(−exponent(η)·kP). The right side is an enclosure.
func binomialTail(exponent func(eta *big.Rat) *big.Rat) check.Statement[binomialCase] {
	bound := func(c binomialCase) interval.Interval {
		mean := new(big.Rat).Mul(c.p, check.Ratio(c.k, 1))
		eta := new(big.Rat).Quo(check.Ratio(c.at, 1), mean)
		return interval.Rat(mean.Mul(mean, exponent(eta.Sub(eta, check.One)))).Neg().Exp()
	}
	each, draw := binomials(16, func(k int, p *big.Rat) iter.Seq[binomialCase] {
		return func(yield func(binomialCase) bool) {
			mean, _ := p.Float64()
			for at := int(mean*float64(k)) + 1; at <= k; at++ {
				if !yield(binomialCase{k, at, p}) {
					return
				}
			}
			yield(binomialCase{k, k + 1, p}) // an impossible threshold, so that the sequence is never empty
		}
	})
	return check.Statement[binomialCase]{
		Family: "k ≤ 16, P in tenths, every whole threshold above the mean", Each: each, Draw: draw,
		Holds: func(c binomialCase) bool { return !bound(c).Less(interval.Rat(c.tail())) },
		Witness: func(c binomialCase) *check.Witness {
			tail, _ := c.tail().Float64()
			most := bound(c).Mid()
			return check.NewWitness(check.Named("k", c.k, "P", c.p, "threshold", c.at),
				check.Vars{"exact": c.tail(), "most": most, "tail": tail}, "print({exact}, {most}, {tail} <= {most})")
		},
	}
}

// countCase is a binomial law and δ.
type countCase struct {
	k     int
	p     *big.Rat
	delta float64
}

// trueCount states that N₊ of the proposition is reached with probability at most δ. In its formula the logarithm is
// multiplied by scale, and eight replaces the 8.
func trueCount(scale, eight float64) check.Statement[countCase] {
	bound := func(c countCase) float64 {
		mean, _ := c.p.Float64()
		mean *= float64(c.k)
		l := -scale * math.Log(c.delta)
		return mean + (l+math.Sqrt(l*l+eight*mean*l))/2
	}
	each, draw := binomials(16, func(k int, p *big.Rat) iter.Seq[countCase] {
		return check.Grid(func(c *countCase) []check.Axis {
			c.k = k
			c.p = p
			return []check.Axis{
				check.Over(&c.delta, 0.5, 0.1, 1e-2, 1e-6),
			}
		})
	})
	// bound has an error of at most 16 ulps. If an integer is that close above, the check uses the next one, which only
	// lowers the tail.
	reached := func(c countCase) float64 {
		tail, _ := binomialCase{c.k, int(math.Ceil(bound(c) * (1 + 16*check.Epsilon64))), c.p}.tail().Float64()
		return tail
	}
	return check.Statement[countCase]{
		Family: "k ≤ 16, P in tenths, δ in {.5, .1, .01, 1e-6}", Each: each, Draw: draw,
		Holds: func(c countCase) bool { return reached(c) <= c.delta },
		Witness: func(c countCase) *check.Witness {
			return check.NewWitness(check.Named("k", c.k, "P", c.p, "delta", c.delta, "N₊", bound(c)),
				check.Vars{"reached": reached(c), "delta": c.delta}, "print({reached}, {delta}, {reached} <= {delta})")
		},
	}
}

// printedCase is u = (1, …, 1)/2 in p ≤ 2 coordinates, for which a closed form encloses P₊. It has a ratio β/‖u‖, k
// signs and δ.
type printedCase struct {
	reach
	k     int
	delta float64
}

// printedCount states that the number of signs within reach exceeds N₊, computed with F, with probability at most δ. A
// binomial law reaches ⌊kP⌋ with probability at least ½ (its median is ⌊kP⌋ or ⌈kP⌉), so the statement fails if δ < ½
// and ⌊kP₊⌋ > N₊.
func printedCount() check.Statement[printedCase] {
	sides := func(c printedCase) (reached int, n float64) {
		u, beta := c.vector()
		p := check.Must(signrp.GaussianPPlus(context.Background(), u, beta))
		f := check.Must(signrp.PublishedGaussian(c.ratio, c.p))
		mean, l := f.Value*float64(c.k), -math.Log(c.delta)
		return int(check.Least(p) * float64(c.k)), math.Min(float64(c.k), mean+(l+math.Sqrt(l*l+8*mean*l))/2)
	}
	return check.Statement[printedCase]{
		Family: "p ≤ 2, equal coordinates, β/‖u‖ in {.5, .7, .9}, k = 2, 4, …, 65536, δ in {.1, .01, 1e-6}",
		Each: check.Grid(func(c *printedCase) []check.Axis {
			var log int
			return []check.Axis{
				check.Span(&c.p, 1, 2),
				check.Over(&c.ratio, 0.5, 0.7, 0.9),
				check.Span(&log, 1, 16),
				check.Over(&c.delta, 0.1, 0.01, 1e-6),
				check.Let(func() { c.k = 1 << log }),
			}
		}),
		Holds: func(c printedCase) bool {
			reached, n := sides(c)
			return float64(reached) <= n
		},
		Simpler: func(c printedCase) iter.Seq[printedCase] {
			return func(yield func(printedCase) bool) {
				for _, less := range []int{c.k / 4, c.k / 16, c.k / 64, 1} {
					if less > 0 && less < c.k {
						d := c
						if d.k -= less; !yield(d) {
							return
						}
					}
				}
			}
		},
		Witness: func(c printedCase) *check.Witness {
			u, beta := c.vector()
			reached, n := sides(c)
			return check.NewWitness(check.Named("p", c.p, "u", vector(u), "beta/norm(u)", c.ratio, "k", c.k, "delta", c.delta, "N₊", fmt.Sprintf("%.2f", n), "signs within reach with probability at least 1/2", reached),
				check.Vars{"k": c.k, "delta": c.delta, "ratio": c.ratio, "p": c.p, "u": u, "beta": beta},
				"k, l = {k}, math.log(1 / {delta}); f = k * p_plus_printed({ratio}, {p}).value; n = f + (l + math.sqrt(l * l + 8 * f * l)) / 2",
				`m = int(k * p_plus({u}, beta={beta}, kind="gaussian").lo); print(m, n, m <= n)`)
		},
	}
}
