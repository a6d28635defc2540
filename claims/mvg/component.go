package mvg

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/audit"
	"dpworkbench/claims/check"
	"dpworkbench/evidence"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/lists"
	"dpworkbench/mvg"
	"dpworkbench/reproductions/learn"

	"gonum.org/v1/gonum/mat"
)

// movementCovariance is XXᵀ/n of the first 10,176 rows of the data set of Experiment II, scaled to [−1, 1], to five
// digits. The mechanisms of Table 4 that add noise to XXᵀ/n use nothing else of the data.
var movementCovariance = mat.NewSymDense(4, []float64{
	0.19972, 0.11876, -0.1276, -0.12073,
	0.11876, 0.21295, -0.12079, -0.11822,
	-0.1276, -0.12079, 0.27641, 0.1725,
	-0.12073, -0.11822, 0.1725, 0.21489,
})

const (
	movementRecords = 10176
	movementS2      = 8. / movementRecords  // 2m/n of Section 8.2.3, in the units of the data
	movementL1      = 32. / movementRecords // 2m²/n
)

// noisyComponent states that MVG by Theorem 3 loses less variance Δρ on average than i.i.d. Gaussian or Laplace noise
// on the covariance. gaps encloses the differences of the means. MVG uses the best share τ of the precision for anchors
// 0 and 3.
func noisyComponent(gaps componentGaps) check.Checker {
	return func(ctx context.Context, run check.Run) (check.Outcome, error) {
		var found []check.Item
		s := check.Statement[string]{
			Family: "the Gaussian and the Laplace mechanism", Each: slices.Values([]string{"Gaussian", "Laplace"}),
			Holds: func(law string) bool {
				holds := false
				found = nil
				for _, tau := range shareGrid {
					gap := check.Must(gaps(ctx, check.BudgetOf(1), law, tau, run.Seed))
					holds = holds || gap.Lo <= 0
					found = append(found, check.Item{Label: fmt.Sprintf("mean Δρ of MVG less that of the %s mechanism, τ = %g", law, tau), Number: gap})
				}
				return holds
			},
			Measure: func(string) []check.Item { return found },
			Witness: func(law string) *check.Witness {
				rows := lists.Of(4, func(i int) []float64 { return mat.Row(nil, i, movementCovariance) })
				other := check.Code("lambda k: laplace_noise(s, 32 / n, seed=k)")
				if law == "Gaussian" {
					other = "lambda k: mvg_noise(q, [[v if i == j else 0 for j in range(4)] for i in range(4)]).simulate(s, seed=k)"
				}
				return check.NewWitness(check.Named("rival", law, "XXᵀ/n", "of the 10,176 first rows, to five digits"),
					check.Vars{"s": rows, "other": other, "taus": shareGrid},
					"n, s = 10176, {s}", "q = l2_sensitivity(4, 4, 8 / n, 4, psd=True); v = math.pow(classic_gaussian_sigma(1, 1 / n, 8 / n).value, 2)",
					"mean = lambda draw: sum([lost_variance(s, draw(k)) for k in range(100)]) / 100",
					"design = lambda t: mvg(q, 1, 1 / n, theta=binary_theta(4, [0, 3], t), modal=\"equi\", condition=\"theorem3\")",
					"ours = lambda d: mean(lambda k: d.simulate(s, seed=k))",
					"a = min([ours(design(t)) for t in {taus}]); b = mean({other}); print(a, b, a < b)")
			},
		}
		return s.Check(ctx, run)
	}
}

// componentGaps is a function that encloses the mean of Δρ of MVG with share τ minus that of noise of a given law.
type componentGaps func(ctx context.Context, eps evidence.Epsilon, law string, tau float64, seed uint64) (evidence.Estimated, error)

// shareGrid holds the shares τ that the paper tries.
var shareGrid = []float64{0.55, 0.65, 0.75, 0.85, 0.95}

// componentGap encloses the mean of Δρ of MVG minus that of another mechanism, at confidence 1 − 1e-6. Δρ is between 0
// and λ₁ < 1.
func componentGap(ctx context.Context, eps evidence.Epsilon, law string, tau float64, seed uint64) (evidence.Estimated, error) {
	const draws = 1000
	const delta = 1. / movementRecords
	ball := check.Must(mvg.NewBall(4, 4, mvg.BallOptions{S2: movementS2, Gamma: 4, PSD: true}))
	theta := check.Must(mvg.BinaryTheta(4, []int{0, 3}, tau))
	ours := check.Must(mvg.NewClaim(ctx, ball, mvg.Theorem3, mvg.ZetaRoot, mvg.Params{Epsilon: eps, Delta: check.DeltaOf(delta), Theta: theta, Mode: mvg.Equimodal}))
	sigma := check.Must(mvg.ClassicSigma(eps, check.DeltaOf(delta), new(big.Rat).SetFloat64(movementS2))).Float()
	gaps := make([]float64, draws)
	for k := range gaps {
		if err := ctx.Err(); err != nil {
			return evidence.Estimated{}, err
		}
		z := check.Must(ours.Design.Simulate(movementCovariance, draw.Source(seed, uint64(k))))
		var w *mat.Dense
		src := draw.Source(seed, uint64(draws+k))
		if law == "Laplace" {
			w = check.Must(mvg.SimulateLaplace(movementCovariance, movementL1, src))
		} else {
			normal := rand.New(src)
			w = mat.DenseCopyOf(movementCovariance)
			w.Apply(func(_, _ int, v float64) float64 { return v + sigma*normal.NormFloat64() }, w)
		}
		lost := check.Must(learn.LostVariance(movementCovariance, z)) - check.Must(learn.LostVariance(movementCovariance, w))
		gaps[k] = math.Max(-1, math.Min(1, lost))
	}
	return audit.MeanWithin(gaps, audit.Range{Lo: -1, Hi: 1}, 1-1e-6)
}

// noisySquare is a symmetric matrix of order 2 and the noise on it, by their entries 11, 12, 22.
type noisySquare struct{ s, e [3]int }

func (c noisySquare) square(entries [3]int) *mat.SymDense {
	return mat.NewSymDense(2, []float64{float64(entries[0]), float64(entries[1]), float64(entries[1]), float64(entries[2])})
}

// lostBound states that Δρ² ≤ factor·‖E‖_F² for the estimate S + E. Let u and v be the first components of S and S +
// E. Then Δρ = tr S(uuᵀ − vvᵀ) ≤ tr E(vvᵀ − uuᵀ), because v is best for S + E, and ‖vvᵀ − uuᵀ‖_F ≤ √2.
func lostBound(factor float64) check.Statement[noisySquare] {
	return check.Statement[noisySquare]{
		Family: "symmetric matrices of order 2 with entries −2…2, and noise that is one of them, not 0",
		Each: check.Grid(func(c *noisySquare) []check.Axis {
			return []check.Axis{
				check.Span(&c.s[0], -2, 2), check.Span(&c.s[1], -2, 2), check.Span(&c.s[2], -2, 2),
				check.Span(&c.e[0], -2, 2), check.Span(&c.e[1], -2, 2), check.Span(&c.e[2], -2, 2),
				check.Where(func() bool { return c.e != [3]int{} }),
			}
		}),
		Holds: func(c noisySquare) bool {
			s, estimate := c.square(c.s), c.square(c.e)
			size := mat.Norm(estimate, 2) // Frobenius
			estimate.AddSym(estimate, s)
			lost := check.Must(learn.LostVariance(s, estimate))
			// Eigenvalues and components of order 2 with entries below 5 are accurate to 1e-13, unless two eigenvalues of S +
			// E are equal. Then every direction is best, and the bound holds for each.
			return lost*lost <= factor*size*size+1e-9
		},
	}
}
