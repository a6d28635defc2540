package field

import (
	"context"
	"math/big"
	"math/bits"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// batchCase is DP-SGD on two batches of one record each, at ε = eps. The Gaussian noise has standard
// deviation noise, in clipping norms.
type batchCase struct{ noise, eps float64 }

// cut returns a threshold for noisy sums, 2 plus half the noise's standard deviation. A noisy sum often
// reaches it if the record is present.
func (c batchCase) cut() float64 { return 2 + c.noise/2 }

// delta returns p − e^ε q, a lower bound on δ. p and q are the probabilities that at least one of two noisy sums
// reaches cut, with a record and without it. The other record's batch has the sum −1. The record's batch has the sum 1,
// or 0 without it. After 1 is added to all sums they are 0 and 2 with the record, and 0 and 1 without it, in random
// order.
func (c batchCase) delta() interval.Interval {
	below := func(mean int) interval.Interval {
		return whole(1).Sub(gaussian.Tail(interval.Float(c.cut()).Sub(whole(mean)).Quo(real(c.noise))))
	}
	one, none := whole(1), below(0)
	p, q := one.Sub(below(2).Mul(none)), one.Sub(below(1).Mul(none))
	return p.Sub(real(c.eps).Exp().Mul(q))
}

// batches states that the δ at ε of shuffled batches is at most the δ of two steps with Poisson sampling at the rate
// 1/2.
func batches() inequality {
	return inequality{
		family: "two records in two batches, noise 1/2 and 1, ε in {1, 2, 3}",
		each: check.Untyped(check.Grid(func(c *batchCase) []check.Axis {
			return []check.Axis{check.Over(&c.noise, 1, .5), check.Over(&c.eps, 1, 2, 3)}
		})),
		quantity: computed("δ of shuffled batches, at least", func(_ context.Context, c batchCase) evidence.Number {
			return enclosed(c.delta(), "the chances that a sum is large")
		}),
		bound: computed("δ of Poisson sampling", func(ctx context.Context, c batchCase) evidence.Number {
			s := check.Must(privacy.NewDPSGD(ctx, interval.Decimal(c.noise), big.NewRat(1, 2), 2, privacy.Poisson))
			return check.Must(s.Account().Delta(ctx, check.BudgetOf(c.eps)))
		}),
		witness: describing(func(c batchCase) *check.Witness {
			return check.NewWitness(
				check.Named("records", 2, "batches", 2, "noise multiplier", c.noise, "eps", c.eps),
				check.Vars{"s": c.noise, "e": c.eps, "c": c.cut()},
				`cdf = lambda x: (1 + gaussian_delta(0, {s} / (2 * x)).lo) / 2`, `p = 1 - cdf({c} - 2) * cdf({c})`,
				`q = 1 - cdf({c} - 1) * cdf({c})`, `d = p - math.exp({e}) * q`, `t = dp_sgd({s}, "1/2", 2).delta_at({e})`,
				`print(d, t.hi, d <= t.hi)`)
		}),
	}
}

// sampleCase is randomized response, with ratio = e^ε, to the question whether a sample contains a 1. The sample is
// drawn from n bits. All subsets of the size drawn have equal probability, or if poisson is set, each bit is drawn
// independently at the rate drawn/n.
type sampleCase struct {
	n, drawn int
	ratio    *big.Rat
	poisson  bool
}

// yes returns (1 + e^ε) times the probability of the answer yes. The dataset has the given number of records, whose
// bits are data.
func (c sampleCase) yes(data uint, records int) *big.Rat {
	rate := check.Ratio(c.drawn, c.n)
	rest := new(big.Rat).Sub(check.One, rate)
	sum, total := new(big.Rat), new(big.Rat)
	for sample := range uint(1) << records {
		weight := big.NewRat(1, 1)
		if k := bits.OnesCount(sample); c.poisson {
			weight.Mul(check.Power(rate, k), check.Power(rest, records-k))
		} else if k != c.drawn {
			continue
		}
		total.Add(total, weight)
		if sample&data != 0 {
			weight = new(big.Rat).Mul(weight, c.ratio)
		}
		sum.Add(sum, weight)
	}
	return sum.Quo(sum, total)
}

// largest returns the largest e^loss over both answers and all neighbors. Neighbors differ in the last bit, or if
// poisson is set, one of them lacks the last bit.
func (c sampleCase) largest() *big.Rat {
	most := new(big.Rat)
	for data := range uint(1) << c.n {
		other, records := data^1<<(c.n-1), c.n
		if c.poisson {
			other, records = data&^(1<<(c.n-1)), c.n-1
		}
		p, q := c.yes(data, c.n), c.yes(other, records)
		for _, v := range []*big.Rat{new(big.Rat).Quo(p, q), new(big.Rat).Quo(q, p)} {
			if v.Cmp(most) > 0 {
				most = v
			}
		}
		all := new(big.Rat).Add(check.One, c.ratio)
		no, none := new(big.Rat).Sub(all, p), new(big.Rat).Sub(all, q)
		for _, v := range []*big.Rat{new(big.Rat).Quo(no, none), new(big.Rat).Quo(none, no)} {
			if v.Cmp(most) > 0 {
				most = v
			}
		}
	}
	return most
}

// amplified states that the largest e^loss is at most 1 + γ(e^ε − 1), where γ is the given rate.
func amplified(rate func(c sampleCase) *big.Rat) inequality {
	return inequality{
		family: "1 to 4 bits, 1 to all of them drawn, e^ε in {2, 3, 10}, as sets, or by Poisson sampling",
		each: check.Untyped(check.Grid(func(c *sampleCase) []check.Axis {
			return []check.Axis{
				check.Span(&c.n, 1, 4), check.Span(&c.drawn, 1, 4), check.Where(func() bool { return c.drawn <= c.n }),
				check.Over(&c.ratio, big.NewRat(2, 1), big.NewRat(3, 1), big.NewRat(10, 1)), check.Over(&c.poisson, false, true),
			}
		})),
		quantity: computed("e^ε of the sampled mechanism", func(_ context.Context, c sampleCase) evidence.Number {
			return exact(c.largest(), "every sample")
		}),
		bound: computed("1 + γ(e^ε − 1)", func(_ context.Context, c sampleCase) evidence.Number {
			v := new(big.Rat).Sub(c.ratio, check.One)
			return exact(v.Add(v.Mul(v, rate(c)), check.One), "the formula")
		}),
	}
}

func share(c sampleCase) *big.Rat { return check.Ratio(c.drawn, c.n) }

// stepCase is a number of steps of DP-SGD at the rate 1/2, with noise in units of the clipping norm.
type stepCase struct {
	noise float64
	steps int
}

// relations states that, at δ = 1e-5, DP-SGD with batches of fixed size has at most the ε of DP-SGD with
// Poisson sampling. The two have different neighbors. With fixed size, one record is replaced, which changes
// a sum by up to twice the clipping norm. With Poisson sampling, one record is added or removed, which
// changes a sum by up to the clipping norm.
func relations() inequality {
	epsilon := func(kind privacy.Sampling, norms int64) func(context.Context, stepCase) evidence.Number {
		return func(ctx context.Context, c stepCase) evidence.Number {
			noise := new(big.Rat).Quo(interval.Decimal(c.noise), big.NewRat(norms, 1))
			s := check.Must(privacy.NewDPSGD(ctx, noise, big.NewRat(1, 2), c.steps, kind))
			return check.Must(s.Account().Epsilon(ctx, check.DeltaOf(1e-5)))
		}
	}
	return inequality{
		family: "1 and 2 steps at the rate 1/2, noise 1 and 2 in clipping norms, δ = 1e-5",
		each: check.Untyped(check.Grid(func(c *stepCase) []check.Axis {
			return []check.Axis{check.Span(&c.steps, 1, 2), check.Over(&c.noise, 1, 2)}
		})),
		quantity: computed("ε of batches of fixed size", epsilon(privacy.WithoutReplacement, 2)),
		bound:    computed("ε of Poisson sampling", epsilon(privacy.Poisson, 1)),
		witness: describing(func(c stepCase) *check.Witness {
			return check.NewWitness(
				check.Named("noise over the clipping norm", c.noise, "rate", "1/2", "steps", c.steps),
				check.Vars{"s": c.noise, "t": c.steps},
				`f = dp_sgd({s} / 2, "1/2", {t}, sampling="without_replacement").epsilon_at(1e-5)`,
				`p = dp_sgd({s}, "1/2", {t}).epsilon_at(1e-5)`, `print(f.lo, p.hi, f.lo <= p.hi)`)
		}),
	}
}

// samplingChecks returns the checks of the statements about subsampling.
func samplingChecks() check.Checks {
	both := amplified(share)
	return check.Checks{
		"field.shuffle.batches": batches().shown(check.TakenFor(nil, batches().Check), batchCase{.5, 3}),
		"field.subsample":       check.TakenFor(check.InTurn(both.Check, reverse(both).Check), relations().Check),
	}
}
