package mvg

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/matrix"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// KroneckerFilling is an allocation for a signal of covariance Ψ_f⊗Σ_f with eigenvalues κ_b λ_a. Row precisions p_a
// and column precisions q_b in the signal's own directions maximise Σ_ab ln(1 + λ_a κ_b p_a q_b), subject to
// ‖p‖·‖q‖ ≤ budget in the l1 or l2 norm (Problems 2 and 1 for m, n > 1).
//
// The problem is concave in p and in q but not jointly. The result is the best local optimum of several starts.
// Value encloses the global optimum: the lower end is this local optimum. The upper end is the optimum over all mn
// precisions p_ab, Kronecker or not (Theorem 7 with (·)⁺, or its l2 analogue).
type KroneckerFilling struct {
	Rows, Columns []float64
	// LogPNR is the value of this allocation in float64, and Local encloses it.
	LogPNR        float64
	Local         evidence.Certified
	Residual      float64 // largest relative KKT violation of p or of q
	Value         evidence.Certified
	Starts, Found int // all starts, and those that reached the best value to 1e-9
}

// KroneckerProblem is the input of FillKronecker.
type KroneckerProblem struct {
	Rows, Columns []float64 // the eigenvalues λ_a of Σ_f and κ_b of Ψ_f
	Budget        float64   // on ‖p‖·‖q‖
	Norm          Norm      // of p and of q
	Starts        int       // random starts besides the uniform one
}

// mostStarts bounds the number of starts of FillKronecker.
const mostStarts = 1 << 30

// FillKronecker alternates exact water-fillings of p and q from the uniform and from random points. The budget and each
// eigenvalue that is not 0 must be between 1e-40 and 1e40. One eigenvalue on each side must be positive, and starts at
// least 0. An error wraps evidence.ErrParameter or is the context's error.
func FillKronecker(ctx context.Context, k KroneckerProblem, src rand.Source) (*KroneckerFilling, error) {
	rows, columns, budget, norm, starts := k.Rows, k.Columns, k.Budget, k.Norm, k.Starts
	if err := cmp.Or(checkEigenvalues("rows", rows, 40), checkEigenvalues("columns", columns, 40), ordinary("budget", budget, "", 40)); err != nil {
		return nil, err
	}
	if starts < 0 || starts > mostStarts {
		return nil, parameter.Bad("starts", starts, "0…%d", mostStarts)
	}
	if norm != L1 && norm != L2 {
		return nil, parameter.Errorf("norm %d, want %d or %d", norm, L1, L2)
	}
	var flat, ones []interval.Interval
	for _, k := range columns {
		for _, l := range rows {
			flat = append(flat, interval.Float(l).Mul(interval.Float(k)))
			ones = append(ones, interval.Int(1))
		}
	}
	limit := interval.Float(budget)
	var relaxed *Waterfilling
	if norm == L2 {
		relaxed = fillSquares(flat, limit.Mul(limit)) // ‖p⊗q‖₂² = ‖p‖₂²‖q‖₂² ≤ budget²
	} else {
		relaxed = fillLinear(flat, ones, limit)
	}
	draw := rand.New(src)
	best := &KroneckerFilling{LogPNR: math.Inf(-1), Starts: starts + 1}
	var reached []float64
	for s := range starts + 1 {
		q := make([]float64, len(columns))
		for i := range q {
			q[i] = 1
			if s > 0 {
				q[i] = draw.ExpFloat64()
			}
		}
		parallel.Report(ctx, int64(s), int64(starts+1), "starts")
		f, err := alternate(ctx, rows, columns, q, budget, norm)
		if err != nil {
			return nil, err
		}
		reached = append(reached, f.LogPNR)
		if f.LogPNR > best.LogPNR {
			f.Starts = best.Starts
			best = f
		}
	}
	for _, v := range reached {
		if v >= best.LogPNR*(1-1e-9) {
			best.Found++
		}
	}
	// If rounding left the allocation over the budget, count its value after scaling it down.
	worth := best.worth(rows, columns, interval.Int(1))
	best.Local = evidence.Enclosed(worth, inIntervals, "Problem 1 or 2")
	over := interval.Max(best.size(norm).Quo(limit), interval.Int(1))
	lo, _ := best.worth(rows, columns, over).Bounds()
	best.Value = evidence.Certified{
		Lo: math.Max(lo, 0), Hi: relaxed.Value.Hi,
		Provenance: evidence.From("Problem 1 or 2 with K_f = Ψ_f⊗Σ_f").By("local optimum below, optimum without the Kronecker structure above"),
	}
	return best, nil
}

// worth encloses Σ ln(1 + λ_a κ_b p_a q_b/over).
func (f *KroneckerFilling) worth(rows, columns []float64, over interval.Interval) interval.Interval {
	total := newLogTotal()
	for a, l := range rows {
		if f.Rows[a] == 0 {
			continue
		}
		row := interval.Float(l).Mul(interval.Float(f.Rows[a])).Quo(over)
		for b, k := range columns {
			total.add(row.Mul(interval.Float(k).Mul(interval.Float(f.Columns[b]))))
		}
	}
	return total.sum()
}

// size encloses ‖p‖·‖q‖.
func (f *KroneckerFilling) size(norm Norm) interval.Interval {
	of := func(v []float64) interval.Interval {
		sum := interval.Int(0)
		for _, x := range v {
			if y := interval.Float(x); norm == L1 {
				sum = sum.Add(y)
			} else {
				sum = sum.Add(y.Mul(y))
			}
		}
		if norm == L1 {
			return sum
		}
		return sum.Sqrt()
	}
	return of(f.Rows).Mul(of(f.Columns))
}

// alternate maximises over p and q in turn until neither step increases the value.
func alternate(ctx context.Context, rows, columns, q []float64, budget float64, norm Norm) (*KroneckerFilling, error) {
	f := &KroneckerFilling{Columns: q, LogPNR: math.Inf(-1)}
	for range 5000 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		order := 1.0
		if norm == L2 {
			order = 2
		}
		floats.Scale(1/floats.Norm(f.Columns, order), f.Columns)
		f.Rows = fillGains(outerGains(rows, columns, f.Columns), budget, norm)
		floats.Scale(1/floats.Norm(f.Rows, order), f.Rows)
		f.Columns = fillGains(outerGains(columns, rows, f.Rows), budget, norm)
		value := 0.0
		for a, l := range rows {
			for b, k := range columns {
				value += math.Log1p(l * k * f.Rows[a] * f.Columns[b])
			}
		}
		gain := value - f.LogPNR
		f.LogPNR = value
		if gain <= 1e-14*math.Abs(value) {
			break
		}
	}
	f.Residual = math.Max(gainResidual(outerGains(rows, columns, f.Columns), f.Rows, norm),
		gainResidual(outerGains(columns, rows, f.Rows), f.Columns, norm))
	return f, nil
}

// outerGains returns c_ab = λ_a κ_b q_b: the objective in p is Σ_ab ln(1 + c_ab p_a).
func outerGains(rows, columns, q []float64) [][]float64 {
	c := make([][]float64, len(rows))
	for a, l := range rows {
		c[a] = make([]float64, len(q))
		for b, v := range q {
			c[a][b] = l * columns[b] * v
		}
	}
	return c
}

// marginal returns Σ_b c_b/(1 + c_b p), the derivative of the gain in p.
func marginal(c []float64, p float64) float64 {
	s := 0.0
	for _, v := range c {
		s += v / (1 + v*p)
	}
	return s
}

// fillGains maximises Σ_ab ln(1 + c_ab p_a) over a budget on p. At multiplier ν, marginal(c_a, p_a) = ν, or 2νp_a for
// the l2 norm; p_a = 0 if the left side is below ν at 0. It bisects in ln ν. At the lower end, one p_a alone uses the
// budget. At the upper end, every p_a is 0 or, for the l2 norm, at most its even share.
func fillGains(c [][]float64, budget float64, norm Norm) []float64 {
	p := make([]float64, len(c))
	solve := func(nu float64) float64 {
		sum := 0.0
		for a := range c {
			p[a] = solveMarginal(c[a], nu, norm)
			if norm == L1 {
				sum += p[a] / budget
			} else {
				sum += p[a] / budget * (p[a] / budget)
			}
		}
		return sum
	}
	var lo, hi float64
	share := budget / math.Sqrt(float64(len(c)))
	for a := range c {
		if norm == L1 {
			lo, hi = math.Max(lo, marginal(c[a], budget)), math.Max(hi, marginal(c[a], 0))
		} else {
			lo, hi = math.Max(lo, marginal(c[a], budget)/(2*budget)), math.Max(hi, marginal(c[a], share)/(2*share))
		}
	}
	for range 120 {
		mid := math.Sqrt(lo) * math.Sqrt(hi)
		if !(mid > lo && mid < hi) {
			break
		}
		if solve(mid) > 1 {
			lo = mid
		} else {
			hi = mid
		}
	}
	sum := solve(lo)
	if norm == L2 {
		sum = math.Sqrt(sum)
	}
	if sum == 0 { // c·budget is below rounding: the largest gains share the budget
		for a := range c {
			if marginal(c[a], 0) >= hi {
				p[a] = budget
				sum++
			}
		}
	}
	floats.Scale(1/sum, p)
	return p
}

// solveMarginal returns the root p of marginal(c, p) = ν or 2νp, or 0 if there is none. The difference is convex and
// decreasing, and Newton's method starts from the root for the largest c alone. So it increases monotonically to the
// root.
func solveMarginal(c []float64, nu float64, norm Norm) float64 {
	top := floats.Max(c)
	if top == 0 || norm == L1 && marginal(c, 0) <= nu {
		return 0
	}
	p := math.Max(0, 1/nu-1/top)
	if norm == L2 {
		p = top / (nu + math.Sqrt(nu)*math.Sqrt(nu+2*top*top))
	}
	for range 400 {
		value, slope := -nu, 0.0
		if norm == L2 {
			value, slope = -2*nu*p, 2*nu
		}
		for _, v := range c {
			g := v / (1 + v*p)
			value += g
			slope += g * g
		}
		step := value / slope
		if !(step > 1e-16*p) {
			break
		}
		p += step
	}
	return p
}

// gainResidual returns the relative spread of marginal (divided by 2p for the l2 norm) over the active directions. For
// the l1 norm, it also covers by how much an inactive direction exceeds them.
func gainResidual(c [][]float64, p []float64, norm Norm) float64 {
	price := func(a int) float64 {
		if norm == L1 {
			return marginal(c[a], p[a])
		}
		return marginal(c[a], p[a]) / (2 * p[a])
	}
	lo, hi := math.Inf(1), 0.0
	for a := range c {
		if p[a] > 0 {
			lo, hi = math.Min(lo, price(a)), math.Max(hi, price(a))
		}
	}
	out := hi/lo - 1
	for a := range c {
		if p[a] == 0 && norm == L1 {
			out = math.Max(out, marginal(c[a], 0)/lo-1)
		}
	}
	return out
}

// NearestKronecker returns the Ψ (n×n) and Σ (m×m) that minimise ‖K − Ψ⊗Σ‖_F, and that norm, for a symmetric positive
// semi-definite K of order mn on the column-stacked vec. Ψ and Σ are the leading singular pair of the rearrangement of
// Van Loan and Pitsianis (1993), which is symmetric and positive semi-definite; Σ has trace m. NearestKronecker returns
// an error wrapping evidence.ErrParameter if K is not of order mn, not symmetric, zero, or so indefinite that Σ would
// have trace 0.
func NearestKronecker(k mat.Matrix, m, n int) (psi, sigma *mat.SymDense, residual float64, err error) {
	if r, c := k.Dims(); m < 1 || n < 1 || r != m*n || c != m*n {
		return nil, nil, 0, parameter.Errorf("K is %d×%d, want order m·n = %d·%d", r, c, m, n)
	}
	if _, err := matrix.Symmetric("K", k); err != nil {
		return nil, nil, 0, err
	}
	// Row (j, l) of r holds the m×m block (j, l) of K, in units in which the largest entry of K is about 1.
	top := largest(k)
	if top == 0 {
		return nil, nil, 0, parameter.Errorf("every entry of K is 0")
	}
	_, unit := math.Frexp(top)
	r := mat.NewDense(n*n, m*m, nil)
	for j := range n {
		for l := range n {
			for a := range m {
				for b := range m {
					r.Set(j*n+l, a*m+b, math.Ldexp(k.At(j*m+a, l*m+b), -unit))
				}
			}
		}
	}
	var svd mat.SVD
	if !svd.Factorize(r, mat.SVDThin) {
		return nil, nil, 0, parameter.Errorf("the singular values of K did not converge")
	}
	values := svd.Values(nil)
	var u, v mat.Dense
	svd.UTo(&u)
	svd.VTo(&v)
	psi = symmetric.Symmetrized(mat.NewDense(n, n, mat.Col(nil, 0, &u)))
	sigma = symmetric.Symmetrized(mat.NewDense(m, m, mat.Col(nil, 0, &v)))
	trace := mat.Trace(sigma)
	if !(math.Abs(trace) > 1e-12) {
		return nil, nil, 0, parameter.Errorf("K is far from positive semi-definite: the nearest Kronecker product has a Σ of trace 0, which cannot be scaled to trace %d", m)
	}
	scale := float64(m) / trace
	sigma.ScaleSym(scale, sigma)
	psi.ScaleSym(math.Ldexp(values[0]/scale, unit), psi)
	rest := 0.0
	for _, s := range values[1:] {
		rest += s * s
	}
	return psi, sigma, math.Ldexp(math.Sqrt(rest), unit), nil
}
