package mvg

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/mvg"
)

// rankOneChecks returns the checks of the guarantee of the follow-up.
func rankOneChecks() check.Checks {
	return check.Checks{
		"r1smg": func(ctx context.Context, run check.Run) (check.Outcome, error) {
			out := check.Must(check.WithCorrection(rankOne(ctx, 10, publishedVariance).Check, smallRankOne(publishedVariance))(ctx, run))
			for _, m := range []int{5, 10, 30} {
				r := check.Must(mvg.NewRankOne(m, 1, check.BudgetOf(1), check.DeltaOf(1e-5)))
				d := check.Must(r.Privacy(0.05).Delta(ctx, check.BudgetOf(1)))
				out.Evidence = append(out.Evidence, check.Item{Label: fmt.Sprintf("real δ at ε = 1, claimed δ = 1e-5, dimension %d", m), Number: d})
			}
			return out, nil
		},
	}
}

// rankOneCase is a dimension and the claimed (ε, δ) at sensitivity Δ = 1.
type rankOneCase struct {
	dimension  int
	eps, delta float64
}

func publishedVariance(c rankOneCase) float64 {
	return check.Must(mvg.NewRankOne(c.dimension, 1, check.BudgetOf(c.eps), check.DeltaOf(c.delta))).Variance
}

// realDelta encloses the true δ of noise of variance v at Δ = 1.
func (c rankOneCase) realDelta(ctx context.Context, v, tolerance float64) evidence.Number {
	return check.Must(mvg.RankOne{Dimension: c.dimension, Sensitivity: 1, Variance: v}.Privacy(tolerance).Delta(ctx, check.BudgetOf(c.eps)))
}

// rankOne states that the true δ at the given variance is at most the claimed one, in dimensions 3 to most.
func rankOne(ctx context.Context, most int, variance func(rankOneCase) float64) check.Statement[rankOneCase] {
	real := func(c rankOneCase) evidence.Number { return c.realDelta(ctx, variance(c), 0.25) }
	family := fmt.Sprintf("dimensions 3 to %d, ε in 0.1 … 10, δ in 0.3 … 10⁻⁴", most)
	if most == 3 {
		family = "dimension 3, ε in 0.1 … 10, δ in 0.3 … 10⁻⁴"
	}
	return check.Statement[rankOneCase]{
		Family: family,
		Each: check.Grid(func(c *rankOneCase) []check.Axis {
			return []check.Axis{
				check.Span(&c.dimension, 3, most),
				check.Over(&c.delta, 0.3, 0.1, 0.01, 1e-4),
				check.Over(&c.eps, 1, 0.1, 0.5, 2, 10),
			}
		}),
		Draw: func(rng *rand.Rand) rankOneCase {
			return rankOneCase{3 + rng.IntN(most-2), math.Exp(rng.NormFloat64()), math.Pow(10, -4*rng.Float64()-0.3)}
		},
		Holds: func(c rankOneCase) bool {
			lo, hi := real(c).Bounds()
			if lo <= c.delta && hi > c.delta { // undecided at this tolerance
				lo, hi = c.realDelta(ctx, variance(c), (hi-lo)/100).Bounds()
			}
			return check.AtMost(lo, hi, c.delta)
		},
		Witness: func(c rankOneCase) *check.Witness {
			return check.NewWitness(check.Named("dimension", c.dimension, "eps", c.eps, "claimed delta", c.delta),
				check.Vars{"dimension": c.dimension, "eps": c.eps, "delta": c.delta},
				"d = r1smg({dimension}, {eps}, {delta}).delta_at({eps}).lo; print(d, {delta}, d <= {delta})")
		},
		Measure: func(c rankOneCase) []check.Item {
			return []check.Item{{Label: "real δ", Number: real(c)}, {Label: "claimed δ", Number: evidence.Claimed{Value: c.delta, Provenance: evidence.From("Ji and Li, arXiv:2306.02256v3")}}}
		},
	}
}

// smallRankOne checks rankOne in dimension 3, where the ratio of the true δ to the claimed one is constant. Its
// evidence is this ratio.
func smallRankOne(variance func(rankOneCase) float64) check.Checker {
	return func(ctx context.Context, run check.Run) (check.Outcome, error) {
		var share seenRange
		s := rankOne(ctx, 3, variance)
		s.Holds = func(c rankOneCase) bool {
			lo, hi := c.realDelta(ctx, variance(c), 0.25).Bounds()
			share.see(lo/c.delta*(1-2*check.Epsilon64), hi/c.delta*(1+2*check.Epsilon64))
			return hi <= c.delta
		}
		// There are fewer random instances, because an instance takes 5 ms.
		out, err := s.Check(ctx, check.Run{Budget: run.Budget / 10, Seed: run.Seed})
		out.Evidence = append(out.Evidence, share.most("real δ over the claimed one"))
		return out, err
	}
}
