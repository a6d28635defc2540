package mvg

import (
	"context"
	"math"
	"math/rand/v2"

	"dpworkbench/claims/check"
	"dpworkbench/gaussian"
	"dpworkbench/internal/draw"
	"dpworkbench/interval"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// precisionChecks returns the checks of the precision budgets and the algorithms that allocate them.
func precisionChecks() check.Checks {
	return check.Checks{
		"mvg.theorem5":       precisionBudget(mvg.Unimodal, mvg.Theorem2, theorem5).Check,
		"mvg.theorem6":       precisionBudget(mvg.Equimodal, mvg.Theorem2, theorem6).Check,
		"mvg.theorem6.psd":   precisionBudget(mvg.Equimodal, mvg.Theorem3, theorem6).Check,
		"mvg.algorithm1":     algorithm(mvg.Unimodal, mvg.Theorem2, "I", "III"),
		"mvg.algorithm2":     algorithm(mvg.Equimodal, mvg.Theorem2, "II"),
		"mvg.algorithm2.psd": algorithm(mvg.Equimodal, mvg.Theorem3, "II by Theorem 3"),
	}
}

// algorithm checks that an algorithm uses the whole budget of a theorem's condition. The noise of the experiments
// measures how loose the condition is.
func algorithm(mode mvg.Mode, theorem mvg.Theorem, experiments ...string) check.Checker {
	return check.Loose(allocates(mode, theorem, inverseRoot).Check, func(ctx context.Context) []check.Item {
		return experimentNoise(ctx, experiments...)
	})
}

// budgetRule returns the budget P of Σp_i² for φ = (−β + √(β² + 8aε))/2a and n columns.
type budgetRule func(phi interval.Interval, n int) interval.Interval

func theorem5(phi interval.Interval, n int) interval.Interval {
	return phi.Pow(4).Quo(interval.Int(int64(n)))
}

func theorem6(phi interval.Interval, _ int) interval.Interval { return phi.Pow(2) }

// leading returns the coefficient of φ² in the theorem's quadratic: ω for Theorem 3, otherwise α.
func (k tableOneValues) leading(theorem mvg.Theorem) interval.Interval {
	if theorem == mvg.Theorem3 {
		return k.omega
	}
	return k.alpha
}

// precisionBudget states that at Σ p_i² = P the left side of the condition, ‖p‖√n or ‖p‖², equals φ², and that the
// workbench computes the same budget.
func precisionBudget(mode mvg.Mode, theorem mvg.Theorem, rule budgetRule) check.Statement[mvgCase] {
	return mvgQueries(mode == mvg.Equimodal, func(c mvgCase) bool {
		k := tableOne(c)
		phi := quadraticRoot(k.leading(theorem), k.beta, c.eps)
		p := rule(phi, c.n)
		left := p
		if mode == mvg.Unimodal {
			left = p.Mul(interval.Int(int64(c.n))).Sqrt()
		}
		lo, hi := left.Quo(phi.Pow(2)).Sub(interval.Int(1)).Bounds()
		if !(lo > -1e-60 && hi < 1e-60) {
			return false
		}
		own := check.Must(mvg.Published(mvg.Premises{
			Theorem: theorem, Rows: c.m, Columns: c.n,
			Gamma: 1, S2: c.s2, Epsilon: check.BudgetOf(c.eps), Delta: check.DeltaOf(c.delta),
		}))
		budget := own.EquimodalBudget()
		if mode == mvg.Unimodal {
			budget = own.UnimodalBudget(c.n)
		}
		// The closed forms have at most m + n + 20 terms and factors, each within 4 ulps, raised to the fourth power.
		return math.Abs(budget/p.Mid()-1) < 16*float64(c.m+c.n+20)*check.Epsilon64
	})
}

// inverseRoot returns the variance σ_i(Σ) = 1/√p_i of step 3.
func inverseRoot(p float64) float64 { return 1 / math.Sqrt(p) }

// allocates states that an algorithm, with variance as its step 3, meets its theorem's condition with equality and is
// private. Shares and directions are pseudorandom, with a seed derived from the case.
func allocates(mode mvg.Mode, theorem mvg.Theorem, variance func(p float64) float64) check.Statement[mvgCase] {
	s := mvgQueries(mode == mvg.Equimodal, func(c mvgCase) bool {
		k := tableOne(c)
		phi := quadraticRoot(k.leading(theorem), k.beta, c.eps)
		bound := phi.Pow(2).Mid()
		total := theorem6(phi, c.n).Mid()
		if mode == mvg.Unimodal {
			total = theorem5(phi, c.n).Mid()
		}
		theta, directions := c.allocation()
		variances := make([]float64, c.m)
		for i, share := range theta {
			variances[i] = variance(share * total)
		}
		sigma := check.Must(mvg.NewDirectional(variances, directions))
		psi := sigma
		columns := 0.0
		if mode == mvg.Unimodal {
			psi = check.Must(mvg.NewIsotropic(c.n, 1))
			columns = math.Sqrt(float64(c.n))
		}
		rows := inverseNorm(sigma.Matrix())
		if columns == 0 {
			columns = rows
		}
		// Shares are at least 0.01/(0.01m + Σ e_i) with e_i exponential and below 40, so the condition number of Σ is at
		// most 64. Its eigenvalues are computed to within 100m² ulps of the largest: 64·100·64·2⁻⁵² < 1e-9.
		if math.Abs(rows*columns/bound-1) > 1e-9 {
			return false
		}
		ball := check.Must(mvg.NewBall(c.m, c.n, mvg.BallOptions{S2: c.s2, Gamma: 1, PSD: theorem == mvg.Theorem3}))
		d := check.Must(mvg.NewDesign(context.Background(), ball, sigma, psi))
		mu := check.Must(gaussian.FastMu(check.BudgetOf(c.eps), check.DeltaOf(c.delta)))
		return d.WhitenedSensitivity().Hi < mu*(1-1e-12)
	})
	draw := s.Draw
	s.Draw = func(rng *rand.Rand) mvgCase {
		c := draw(rng)
		c.m, c.n = 1+c.m%8, 1+c.n%40
		if mode == mvg.Equimodal {
			c.n = c.m
		}
		return c
	}
	return s
}

// allocation draws shares and orthonormal directions with a seed derived from the case.
func (c mvgCase) allocation() (theta []float64, directions *mat.Dense) {
	rng := rand.New(draw.Source(math.Float64bits(c.eps), math.Float64bits(c.delta)^uint64(c.m*1000+c.n)))
	sum := 0.0
	for range c.m {
		theta = append(theta, 0.01+rng.ExpFloat64())
		sum += theta[len(theta)-1]
	}
	for i := range theta {
		theta[i] /= sum
	}
	g := mat.NewDense(c.m, c.m, nil)
	for i := range c.m {
		for j := range c.m {
			g.Set(i, j, rng.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(g)
	directions = new(mat.Dense)
	qr.QTo(directions)
	return theta, directions
}

// inverseNorm returns ‖σ(Σ⁻¹)‖₂ from the eigenvalues of Σ.
func inverseNorm(sigma mat.Symmetric) float64 {
	var eigen mat.EigenSym
	eigen.Factorize(sigma, true)
	sum := 0.0
	for _, v := range eigen.Values(nil) { // panics if the factorization failed, which it does not for a covariance
		sum += 1 / (v * v)
	}
	return math.Sqrt(sum)
}
