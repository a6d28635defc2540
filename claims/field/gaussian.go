package field

import (
	"context"
	"fmt"
	"iter"
	"math/big"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// noiseCase is Gaussian noise for a target (ε, δ).
type noiseCase struct{ eps, delta float64 }

// sigma encloses √(2 ln(1.25/δ))/ε, the noise of the classical formula at sensitivity 1.
func (c noiseCase) sigma() interval.Interval {
	return whole(2).Mul(ratio(5, 4).Quo(real(c.delta)).Log()).Sqrt().Quo(real(c.eps))
}

// classicalNoise states that the δ of the classical formula's noise is at most the target δ.
func classicalNoise(family string, each iter.Seq[noiseCase]) inequality {
	return inequality{
		family: family, each: check.Untyped(each),
		quantity: computed("δ of the noise", func(_ context.Context, c noiseCase) evidence.Number {
			return gaussian.DeltaAt(check.BudgetOf(c.eps), whole(1).Quo(c.sigma()))
		}),
		bound: computed("δ asked for", func(_ context.Context, c noiseCase) evidence.Number {
			return exact(interval.Decimal(c.delta), "given")
		}),
		witness: describing(func(c noiseCase) *check.Witness {
			_, sigma := c.sigma().Bounds() // the formula's noise, rounded up
			return check.NewWitness(check.Named("eps", c.eps, "delta", c.delta),
				check.Vars{"eps": c.eps, "delta": c.delta, "sigma": sigma},
				"d = gaussian_delta({eps}, {sigma}); print(d.lo, {delta}, d.lo <= {delta})")
		}),
	}
}

// upTo returns the pairs of each ε between from and to, which are in hundredths, and each of the given δ.
func upTo(from, to int, deltas ...float64) iter.Seq[noiseCase] {
	return check.Grid(func(c *noiseCase) []check.Axis {
		hundredths := 0
		return []check.Axis{
			check.Span(&hundredths, from, to),
			check.Let(func() { c.eps = float64(hundredths) / 100 }),
			check.Over(&c.delta, deltas...),
		}
	})
}

// trainingCase is DP-SGD with Poisson sampling at the rate batch/records.
type trainingCase struct {
	noise          float64
	batch, records int64
	steps          int
	delta          float64
}

// centralLimit states that the ε computed by the central limit theorem is at least the ε of the training.
func centralLimit(family string, each iter.Seq[trainingCase]) inequality {
	return inequality{
		family: family, each: check.Untyped(each),
		quantity: computed("ε of the composition", func(ctx context.Context, c trainingCase) evidence.Number {
			s := check.Must(privacy.NewDPSGD(ctx, interval.Decimal(c.noise), big.NewRat(c.batch, c.records), c.steps, privacy.Poisson))
			return check.Must(s.Account().Epsilon(ctx, check.DeltaOf(c.delta)))
		}),
		bound: computed("ε of the central limit", func(_ context.Context, c trainingCase) evidence.Number {
			inverse := whole(1).Quo(real(c.noise))
			mu := inverse.Mul(inverse).Expm1().Sqrt().Mul(whole(c.steps).Sqrt()).Mul(ratio(c.batch, c.records))
			return check.Must(gaussian.EpsilonAt(check.DeltaOf(c.delta), mu))
		}),
		witness: describing(func(c trainingCase) *check.Witness {
			return check.NewWitness(check.Named("noise multiplier", c.noise, "rate", fmt.Sprintf("%d/%d", c.batch, c.records), "steps", c.steps, "delta", c.delta),
				check.Vars{"s": c.noise, "q": check.Code(fmt.Sprintf(`"%d/%d"`, c.batch, c.records)), "q0": check.Code(fmt.Sprintf("%d / %d", c.batch, c.records)), "t": c.steps, "d": c.delta},
				`e = dp_sgd({s}, {q}, {t}).epsilon_at({d}); g = gaussian_epsilon({d}, 1 / (math.sqrt({t}) * {q0} * math.sqrt(math.exp(1 / {s} / {s}) - 1))); print(e.lo, g.hi, e.lo <= g.hi)`)
		}),
	}
}

// gaussianChecks returns the checks of the statements about Gaussian noise.
func gaussianChecks() check.Checks {
	within := classicalNoise("ε in {.01, .05, .25, .5, .75, 1}, δ in {1e-12, 1e-9, 1e-6, 1e-5, .001, .01, .1, .3, .5, .7, .9}",
		check.Grid(func(c *noiseCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.eps, .01, .05, .25, .5, .75, 1),
				check.Over(&c.delta, 1e-12, 1e-9, 1e-6, 1e-5, .001, .01, .1, .3, .5, .7, .9),
			}
		}))
	beyond := classicalNoise("ε = 1.01, 1.02, …, 9, δ in {1e-6, 1e-5, .01, .1}", upTo(101, 900, 1e-6, 1e-5, .01, .1))
	thresholds := []any{noiseCase{6.78, .01}, noiseCase{8.42, 1e-5}, noiseCase{8.79, 1e-6}, noiseCase{3.79, .9}} // these fail, and each holds at ε − .01
	training := centralLimit("noise 4/5 and 11/10, rate 1/100, 1, 10, 100 and 1000 steps, δ = 1e-5", check.Grid(func(c *trainingCase) []check.Axis {
		c.batch, c.records, c.delta = 1, 100, 1e-5
		return []check.Axis{check.Over(&c.steps, 1, 10, 100, 1000), check.Over(&c.noise, .8, 1.1)}
	}))
	return check.Checks{
		"field.gaussian.classical": beyond.shown(check.TakenFor(within.Check, beyond.Check), thresholds...),
		"field.gaussian.any":       check.WithCorrection(beyond.Check, within.Check),
		"field.dpsgd.clt": training.shown(check.TakenFor(nil, training.Check),
			trainingCase{.8, 1, 100, 1000, 1e-5}, trainingCase{1.1, 256, 60000, 10000, 1e-5}),
		"field.dpaccounting.pessimistic": stored("δ of 100,000 uses of Gaussian noise with σ = 100 at ε = 27.1359", func(context.Context) evidence.Number {
			return gaussian.DeltaAt(check.BudgetOf(27.1359), whole(100000).Sqrt().Quo(whole(100)))
		}),
	}
}

// stored returns the check of a claim about a package that is not run here. Its outcome is undecided, and its evidence
// is the number to compare with the package's.
func stored(label string, of func(ctx context.Context) evidence.Number) check.Checker {
	return func(ctx context.Context, _ check.Run) (out check.Outcome, err error) {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		err = check.Try(func() {
			out = check.Outcome{Verdict: evidence.Undecided, Scope: "1 instance", Instances: 1, Evidence: []check.Item{{Label: label, Number: of(ctx)}}}
		})
		return out, err
	}
}

// classicalDelta returns the δ at ε of Gaussian noise of deviation σ at sensitivity 1.
func classicalDelta(sigma, eps float64) evidence.Number {
	return gaussian.DeltaAt(check.BudgetOf(eps), whole(1).Quo(real(sigma)))
}
