package mvg

import (
	"context"
	"fmt"
	"math"

	"dpworkbench/evidence"

	"gonum.org/v1/gonum/mat"
)

// Sensitivity is a declared set of differences f(X₁) − f(X₂) between neighbors.
// The exact privacy of a design depends on the set, not on its largest Frobenius
// norm alone.
type Sensitivity interface {
	// Shape returns the size of the query f(X).
	Shape() (m, n int)
	// Frobenius returns s₂(f), the largest ‖Δ‖_F (Definition 3).
	Frobenius() float64
	// Gamma returns γ = sup ‖f(X)‖_F, which Theorems 2 and 3 need; ok is false
	// where the set does not determine it.
	Gamma() (gamma float64, ok bool)
	// Describe says what is assumed, in one line.
	Describe() string

	// whitened bounds max ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F over the set.
	whitened(ctx context.Context, sigma, psi Covariance) (bound, error)
}

// Ball is the set of all m×n differences with ‖Δ‖_F ≤ S2.
type Ball struct {
	m, n      int
	s2, gamma float64
	psd       bool
}

// NewBall declares an L2 (Frobenius) sensitivity s2 for an m×n query with
// ‖f(X)‖_F ≤ gamma; psd says that f(X) is symmetric positive semi-definite,
// which Theorem 3 needs. It returns an error wrapping evidence.ErrParameter
// unless s2 and gamma are positive and finite, gamma ≥ s2/2 (the triangle
// inequality), and m = n where psd.
func NewBall(m, n int, s2, gamma float64, psd bool) (Ball, error) {
	if err := checkShape(m, n); err != nil {
		return Ball{}, err
	}
	if err := positive("s2", s2); err != nil {
		return Ball{}, err
	}
	if err := positive("gamma", gamma); err != nil {
		return Ball{}, err
	}
	if gamma < s2/2*(1-1e-12) {
		return Ball{}, fmt.Errorf("%w: gamma = %g, want at least s2/2 = %g: ‖f(X₁) − f(X₂)‖ ≤ 2γ", evidence.ErrParameter, gamma, s2/2)
	}
	if psd && m != n {
		return Ball{}, fmt.Errorf("%w: a positive semi-definite query is square, not %d×%d", evidence.ErrParameter, m, n)
	}
	return Ball{m, n, s2, gamma, psd}, nil
}

// Shape implements Sensitivity.
func (b Ball) Shape() (m, n int) { return b.m, b.n }

// Frobenius implements Sensitivity.
func (b Ball) Frobenius() float64 { return b.s2 }

// Gamma implements Sensitivity.
func (b Ball) Gamma() (float64, bool) { return b.gamma, true }

// Describe implements Sensitivity.
func (b Ball) Describe() string {
	return fmt.Sprintf("any %d×%d difference with Frobenius norm at most %g", b.m, b.n, b.s2)
}

// The largest ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F is attained at Δ = s₂ w vᵀ with w and v
// top directions of Σ⁻¹ and Ψ⁻¹.
func (b Ball) whitened(_ context.Context, sigma, psi Covariance) (bound, error) {
	p, q := sigma.topPrecision(), psi.topPrecision()
	return bound{b.s2 * math.Sqrt(p.lo*q.lo) * (1 - 8*unit), b.s2 * math.Sqrt(p.hi*q.hi) * (1 + 8*unit)}, nil
}

// Box is the set of differences of f(X) = X, an m×n data set of n records
// (columns), when one record moves anywhere within a box of the given
// half-widths: Δ = v e_jᵀ with |v_i| ≤ 2h_i.
type Box struct {
	halfWidths []float64
	n          int
}

// NewBox declares a box sensitivity; γ is that of a box around the origin,
// √(n Σ h_i²). It returns an error wrapping evidence.ErrParameter unless there is
// a record and all half-widths are positive and finite.
func NewBox(n int, halfWidths []float64) (Box, error) {
	if err := checkShape(len(halfWidths), n); err != nil {
		return Box{}, err
	}
	for i, h := range halfWidths {
		if err := positive(fmt.Sprintf("half_width[%d]", i), h); err != nil {
			return Box{}, err
		}
	}
	return Box{append([]float64(nil), halfWidths...), n}, nil
}

// Shape implements Sensitivity.
func (b Box) Shape() (m, n int) { return len(b.halfWidths), b.n }

// HalfWidths returns h.
func (b Box) HalfWidths() []float64 { return append([]float64(nil), b.halfWidths...) }

// Frobenius implements Sensitivity: 2‖h‖.
func (b Box) Frobenius() float64 {
	sum := 0.0
	for _, h := range b.halfWidths {
		sum += 4 * h * h
	}
	return math.Sqrt(sum)
}

// Gamma implements Sensitivity.
func (b Box) Gamma() (float64, bool) {
	return math.Sqrt(float64(b.n)) * b.Frobenius() / 2, true
}

// Describe implements Sensitivity.
func (b Box) Describe() string {
	return fmt.Sprintf("one of %d records replaced within a box of %d half-widths", b.n, len(b.halfWidths))
}

// Gram is the set of differences of scale·XXᵀ, the Gram matrix of records x
// with ‖x‖ ≤ c: ±scale·xxᵀ when one record comes or goes, scale·(xxᵀ − yyᵀ)
// when one is replaced.
type Gram struct {
	d       int
	rowNorm float64
	replace bool
	scale   float64
}

// NewGram declares the sensitivity of a d×d Gram matrix of records of Euclidean
// norm at most rowNorm; replace says that one record is replaced rather than
// added or removed. Where scale is 1/n for n ≥ 2 records, γ = rowNorm²; elsewhere
// the number of records is open and so is γ. It returns an error wrapping
// evidence.ErrParameter unless d ≥ 1 and the numbers are positive and finite.
func NewGram(d int, rowNorm float64, replace bool, scale float64) (Gram, error) {
	if err := checkShape(d, d); err != nil {
		return Gram{}, err
	}
	if err := positive("row_norm", rowNorm); err != nil {
		return Gram{}, err
	}
	if err := positive("scale", scale); err != nil {
		return Gram{}, err
	}
	return Gram{d, rowNorm, replace, scale}, nil
}

// Shape implements Sensitivity.
func (g Gram) Shape() (m, n int) { return g.d, g.d }

// Frobenius implements Sensitivity: scale·c² for ±xxᵀ, and √2 scale·c² for a
// replacement, attained at x ⟂ y where d ≥ 2.
func (g Gram) Frobenius() float64 {
	s := g.scale * g.rowNorm * g.rowNorm
	if g.replace && g.d > 1 {
		s *= math.Sqrt2
	}
	return s
}

// Gamma implements Sensitivity.
func (g Gram) Gamma() (float64, bool) {
	n := 1 / g.scale
	if n < 1.5 || math.Abs(n-math.Round(n)) > 1e-6*n {
		return 0, false
	}
	return g.rowNorm * g.rowNorm, true
}

// Describe implements Sensitivity.
func (g Gram) Describe() string {
	change := "added or removed"
	if g.replace {
		change = "replaced"
	}
	return fmt.Sprintf("%g·XXᵀ of order %d, one record of norm at most %g %s", g.scale, g.d, g.rowNorm, change)
}

// Differences is a finite list of differences, each with its negative.
type Differences struct {
	m, n int
	list []*mat.Dense
}

// NewDifferences declares the listed differences. It returns an error wrapping
// evidence.ErrParameter unless there is at least one, all have one shape and
// finite entries, and one is not zero.
func NewDifferences(list []*mat.Dense) (Differences, error) {
	if len(list) == 0 {
		return Differences{}, fmt.Errorf("%w: the list of differences is empty", evidence.ErrParameter)
	}
	m, n := list[0].Dims()
	d := Differences{m: m, n: n}
	for k, a := range list {
		if r, c := a.Dims(); r != m || c != n {
			return Differences{}, fmt.Errorf("%w: difference %d is %d×%d, the first is %d×%d", evidence.ErrParameter, k, r, c, m, n)
		}
		if s := mat.Norm(a, 2); math.IsNaN(s) || math.IsInf(s, 0) {
			return Differences{}, fmt.Errorf("%w: difference %d is not finite", evidence.ErrParameter, k)
		}
		d.list = append(d.list, mat.DenseCopyOf(a))
	}
	if !(d.Frobenius() > 0) {
		return Differences{}, fmt.Errorf("%w: every difference is zero", evidence.ErrParameter)
	}
	return d, nil
}

// Shape implements Sensitivity.
func (d Differences) Shape() (m, n int) { return d.m, d.n }

// Frobenius implements Sensitivity.
func (d Differences) Frobenius() float64 {
	s := 0.0
	for _, a := range d.list {
		s = math.Max(s, mat.Norm(a, 2))
	}
	return s
}

// Gamma implements Sensitivity: a list of differences does not bound f.
func (d Differences) Gamma() (float64, bool) { return 0, false }

// Describe implements Sensitivity.
func (d Differences) Describe() string {
	return fmt.Sprintf("%d listed differences, %d×%d", len(d.list), d.m, d.n)
}

// maxOrder bounds the rows and the columns of a query.
const maxOrder = 1 << 20

func checkShape(m, n int) error {
	if m < 1 || n < 1 || m > maxOrder || n > maxOrder {
		return fmt.Errorf("%w: query is %d×%d, want 1 to %d rows and columns", evidence.ErrParameter, m, n, maxOrder)
	}
	return nil
}

func positive(name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("%w: %s = %g, want a positive finite number", evidence.ErrParameter, name, v)
	}
	return nil
}
