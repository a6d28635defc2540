package mvg

import (
	"context"
	"math"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/reproductions/matrices"

	"gonum.org/v1/gonum/mat"
)

// rivalChecks returns the checks of the privacy guarantees of the mechanisms that the paper compares MVG with.
func rivalChecks() check.Checks {
	return check.Checks{
		"mvg.rivals.jl.raised":    check.WithCorrection(projection(matrices.Raised, 1).Check, projection(matrices.Raised, 1.0/30).Check),
		"mvg.rivals.jl.threshold": check.WithCorrection(projection(matrices.Threshold, 1).Check, projection(matrices.Threshold, 1.0/30).Check),
		"mvg.rivals.ppca":         componentLoss(1).Check,
		"mvg.rivals.net":          check.WithCorrection(netLoss(matrices.Max, 1).Check, netLoss(matrices.Sum, 0.5).Check),
	}
}

// projectionCase is a number of records mixed by the transform, and the claimed privacy.
type projectionCase struct {
	rows       int
	eps, delta float64
}

// projection states that the Johnson-Lindenstrauss transform with share times the published width is private.
func projection(form matrices.Form, share float64) check.Statement[projectionCase] {
	of := func(c projectionCase) matrices.JL {
		p := check.Must(matrices.PublishedJL(form, c.rows, 1, check.BudgetOf(c.eps), check.DeltaOf(c.delta)))
		return check.Must(matrices.NewJL(form, c.rows, p.Width*share, 1))
	}
	s := check.Statement[projectionCase]{
		Family: "r in 1, 3, 20, 100, ε in 0.1, 1, 4, δ in 0.1, 10⁻³, 10⁻⁶",
		Each: check.Grid(func(c *projectionCase) []check.Axis {
			return []check.Axis{
				check.Over(&c.rows, 1, 3, 20, 100),
				check.Over(&c.eps, 1, 0.1, 4),
				check.Over(&c.delta, 0.1, 1e-3, 1e-6),
			}
		}),
		Draw: func(rng *rand.Rand) projectionCase {
			return projectionCase{1 + rng.IntN(60), math.Exp(3*rng.Float64() - 2), math.Pow(10, -6*rng.Float64()-0.3)}
		},
		Holds: func(c projectionCase) bool {
			v := check.Must(of(c).IsPrivate(context.Background(), check.BudgetOf(c.eps), check.DeltaOf(c.delta)))
			if v == evidence.Undecided {
				check.Refuse("%+v: the enclosure of the true δ contains the claimed δ, want it on one side of the claimed δ", c)
			}
			return v == evidence.Confirmed
		},
	}
	if form == matrices.Threshold { // an instance takes twelve times as long as in the other form
		s.Draw = nil
	}
	return s
}

// componentCase is a data set of records in the plane, in quarters, and a replacement of the first record.
type componentCase struct {
	x  [][2]int
	to [2]int
	at float64 // ε
}

// componentLoss states that no output of PPCA with the parameter ε has a loss above share·ε.
func componentLoss(share float64) check.Statement[componentCase] {
	loss := func(c componentCase) evidence.Certified {
		a, b := mat.NewDense(2, len(c.x), nil), mat.NewDense(2, len(c.x), nil)
		for k, r := range c.x {
			for i := range 2 {
				a.Set(i, k, float64(r[i])/4)
				if b.Set(i, k, float64(r[i])/4); k == 0 {
					b.Set(i, k, float64(c.to[i])/4)
				}
			}
		}
		p := check.Must(matrices.NewPPCA(check.BudgetOf(c.at), 1, false))
		var logs [2]evidence.Certified
		for i, x := range []*mat.Dense{a, b} {
			law := check.Must(p.Law(x))
			logs[i] = check.Must(law.LogConstant(context.Background()))
		}
		// top is the largest eigenvalue of (xxᵀ − yyᵀ)/16. The integer under the root is exact.
		square := func(v [2]int) (p, q, r int64) { return int64(v[0] * v[0]), int64(v[0] * v[1]), int64(v[1] * v[1]) }
		p1, q1, r1 := square(c.x[0])
		p2, q2, r2 := square(c.to)
		p3, q3, r3 := p1-p2, q1-q2, r1-r2
		root := interval.Int((p3-r3)*(p3-r3) + 4*q3*q3).Sqrt()
		top := interval.Int(p3 + r3).Add(root).Quo(interval.Int(32))
		out := top.Mul(interval.Float(c.at)).Quo(interval.Int(2)).Add(interval.Between(logs[1].Bounds())).Sub(interval.Between(logs[0].Bounds()))
		return evidence.EnclosedLoss(out, "closed form and enclosed constants", "largest loss of two data sets")
	}
	records := [][2]int{{4, 0}, {0, 4}, {0, 0}, {2, 3}, {3, -2}}
	return check.Statement[componentCase]{
		Family: "n in 1, 2, 20 records, all but one alike, of 5 records of the plane each, ε in 1, 4",
		Each: func(yield func(componentCase) bool) {
			for _, n := range []int{1, 2, 20} {
				for _, eps := range []float64{1, 4} {
					for _, first := range records {
						for k, rest := range records {
							for _, to := range records {
								if n == 1 && k > 0 {
									continue // there are no other records
								}
								x := [][2]int{first}
								for range n - 1 {
									x = append(x, rest)
								}
								if !yield(componentCase{x, to, eps}) {
									return
								}
							}
						}
					}
				}
			}
		},
		Draw: func(rng *rand.Rand) componentCase {
			record := func() [2]int { return records[rng.IntN(len(records))] }
			c := componentCase{to: record(), at: math.Exp(3*rng.Float64() - 1)}
			for range 1 + rng.IntN(20) {
				c.x = append(c.x, record())
			}
			return c
		},
		Holds: func(c componentCase) bool {
			l := loss(c)
			return l.Hi <= share*c.at*(1+1e-9)
		},
		Applies: func(c componentCase) bool { return c.x[0] != c.to },
		Measure: func(c componentCase) []check.Item { return []check.Item{{Label: "largest loss", Number: loss(c)}} },
	}
}

// netCase holds the parameters of a small net of outputs.
type netCase struct {
	half            []float64
	records, levels int
	at              float64
}

// netLoss states that the smallest ε of the mechanism as written is at most share·ε.
func netLoss(quality matrices.Quality, share float64) check.Statement[netCase] {
	loss := func(c netCase) evidence.Number {
		n := check.Must(matrices.NewNet(c.half, c.records, c.levels, quality, check.BudgetOf(c.at)))
		m := check.Must(n.Mechanism(context.Background()))
		return check.Must(mechanism.Privacy(m).Epsilon(context.Background(), evidence.Delta{}))
	}
	return check.Statement[netCase]{
		Family: "quality " + string(quality) + ", half-widths (1), (1, 1), (1, 2), one or two records, 2 or 3 levels, ε in 1, 4",
		Each: func(yield func(netCase) bool) {
			for _, half := range [][]float64{{1}, {1, 1}, {1, 2}} {
				for records := range 2 {
					for _, levels := range []int{2, 3} {
						for _, eps := range []float64{1, 4} {
							if !yield(netCase{half, records + 1, levels, eps}) {
								return
							}
						}
					}
				}
			}
		},
		Holds: func(c netCase) bool { return check.Most(loss(c)) <= share*c.at*(1+4*check.Epsilon64) },
	}
}
