package mvg

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// Sensitivity is a declared set of differences f(X₁) − f(X₂) between neighbors.
// The exact privacy of a design depends on the set, not on its largest Frobenius
// norm alone.
type Sensitivity interface {
	// Shape returns the size of the query f(X).
	Shape() (m, n int)
	// Frobenius encloses s₂(f), the largest ‖Δ‖_F (Definition 3).
	Frobenius() evidence.Certified
	// Gamma encloses γ = sup ‖f(X)‖_F, which Theorems 2 and 3 need; ok is false if the set does not determine it.
	Gamma() (gamma evidence.Certified, ok bool)
	// Describe returns the assumption in one line.
	Describe() string

	// whitened encloses max ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F over the set.
	whitened(ctx context.Context, sigma, psi Covariance) (interval.Interval, error)
}

// The provenance of norms names these methods and sources.
const (
	inIntervals = "256-bit outward rounding"
	definition3 = "Definition 3"
	tableOne    = "Table 1"
)

// Ball is the set of all m×n differences with ‖Δ‖_F ≤ S2.
type Ball struct {
	m, n      int
	s2, gamma float64
	psd       bool
}

// BallOptions describe the query of a [Ball].
type BallOptions struct {
	S2    float64 // its L2 (Frobenius) sensitivity
	Gamma float64 // ‖f(X)‖_F ≤ Gamma
	PSD   bool    // f(X) is symmetric positive semi-definite, which Theorem 3 needs
}

// NewBall declares the L2 sensitivity of an m×n query. It returns an error wrapping evidence.ErrParameter unless S2 and
// Gamma are positive and finite, Gamma ≥ S2/2 (the triangle inequality), and, if PSD, m = n.
func NewBall(m, n int, o BallOptions) (Ball, error) {
	s2, gamma := o.S2, o.Gamma
	if err := cmp.Or(checkShape(m, n), parameter.Positive("s2", s2), parameter.Positive("gamma", gamma)); err != nil {
		return Ball{}, err
	}
	if gamma < s2/2*(1-1e-12) {
		return Ball{}, parameter.Bad("gamma", gamma, "at least s2/2 = %g: ‖f(X₁) − f(X₂)‖ ≤ 2γ", s2/2)
	}
	if o.PSD && m != n {
		return Ball{}, parameter.Errorf("a positive semi-definite query is square, not %d×%d", m, n)
	}
	return Ball{m, n, s2, gamma, o.PSD}, nil
}

// Shape implements Sensitivity.
func (b Ball) Shape() (m, n int) { return b.m, b.n }

// S2 returns the radius.
func (b Ball) S2() float64 { return b.s2 }

// Frobenius implements Sensitivity.
func (b Ball) Frobenius() evidence.Certified {
	return evidence.WithSide(evidence.Enclosed(interval.Float(b.s2), inIntervals, definition3), evidence.Up)
}

// Gamma implements Sensitivity.
func (b Ball) Gamma() (evidence.Certified, bool) {
	return evidence.WithSide(evidence.Enclosed(interval.Float(b.gamma), inIntervals, tableOne), evidence.Up), true
}

// Describe implements Sensitivity.
func (b Ball) Describe() string {
	return fmt.Sprintf("any %d×%d difference with Frobenius norm at most %g", b.m, b.n, b.s2)
}

// whitened implements Sensitivity. The largest ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F is attained at Δ = s₂ w vᵀ with w and v top
// directions of Σ⁻¹ and Ψ⁻¹.
func (b Ball) whitened(_ context.Context, sigma, psi Covariance) (interval.Interval, error) {
	return interval.Float(b.s2).Mul(sigma.norm().Mul(psi.norm()).Sqrt()), nil
}

// Box is the set of differences of f(X) = X, an m×n data set of n records (columns), if one record moves anywhere
// within a box of the given half-widths: Δ = v e_jᵀ with |v_i| ≤ 2h_i.
type Box struct {
	halfWidths []float64
	n          int
}

// NewBox declares a box sensitivity; γ = √(n Σ h_i²) is that of a box around the origin. It returns an error
// wrapping evidence.ErrParameter unless there is a record and all half-widths are positive and finite.
func NewBox(n int, halfWidths []float64) (Box, error) {
	if err := checkShape(len(halfWidths), n); err != nil {
		return Box{}, err
	}
	for i, h := range halfWidths {
		if err := parameter.Positive(fmt.Sprintf("half_width[%d]", i), h); err != nil {
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
func (b Box) Frobenius() evidence.Certified {
	return evidence.WithSide(evidence.Enclosed(b.squares().Mul(interval.Int(4)).Sqrt(), inIntervals, definition3), evidence.Up)
}

// Gamma implements Sensitivity.
func (b Box) Gamma() (evidence.Certified, bool) {
	return evidence.WithSide(evidence.Enclosed(b.squares().Mul(interval.Int(int64(b.n))).Sqrt(), inIntervals, tableOne), evidence.Up), true
}

// squares encloses Σ h_i².
func (b Box) squares() interval.Interval {
	sum := interval.Int(0)
	for _, h := range b.halfWidths {
		sum = sum.Add(interval.Float(h).Mul(interval.Float(h)))
	}
	return sum
}

// Describe implements Sensitivity.
func (b Box) Describe() string {
	return fmt.Sprintf("one of %d records replaced within a box of %d half-widths", b.n, len(b.halfWidths))
}

// Gram is the set of differences of scale·XXᵀ, the Gram matrix of records x with ‖x‖ ≤ c: ±scale·xxᵀ if one record
// is added or removed, scale·(xxᵀ − yyᵀ) if one is replaced.
type Gram struct {
	d       int
	rowNorm float64
	replace bool
	scale   float64
}

// NewGram declares the sensitivity of a d×d Gram matrix of records of Euclidean norm at most rowNorm; neighbors are
// query.AddRemove or query.Replace. If scale is 1/n for n ≥ 2 records, γ = rowNorm²; otherwise the number of
// records, and so γ, is unknown. It returns an error wrapping evidence.ErrParameter unless d ≥ 1, the numbers are
// positive and finite, and neighbors is one of the two.
func NewGram(d int, rowNorm float64, neighbors query.Relation, scale float64) (Gram, error) {
	if neighbors != query.AddRemove && neighbors != query.Replace {
		return Gram{}, parameter.Bad("neighbors", string(neighbors), `"add_remove" (also "unbounded") or "replace" ("bounded")`)
	}
	if err := cmp.Or(checkShape(d, d), parameter.Positive("row_norm", rowNorm), parameter.Positive("scale", scale)); err != nil {
		return Gram{}, err
	}
	return Gram{d, rowNorm, neighbors == query.Replace, scale}, nil
}

// RowNorm returns the largest norm of a record.
func (g Gram) RowNorm() float64 { return g.rowNorm }

// Scale returns the factor of XXᵀ.
func (g Gram) Scale() float64 { return g.scale }

// Replaces reports whether a record is replaced, not added or removed.
func (g Gram) Replaces() bool { return g.replace }

// Shape implements Sensitivity.
func (g Gram) Shape() (m, n int) { return g.d, g.d }

// Frobenius implements Sensitivity: scale·c² for ±xxᵀ, and √2 scale·c² for a replacement, attained at x ⟂ y if d ≥ 2.
func (g Gram) Frobenius() evidence.Certified {
	s := interval.Float(g.scale).Mul(g.largest())
	if g.replace && g.d > 1 {
		s = s.Mul(interval.Int(2).Sqrt())
	}
	return evidence.WithSide(evidence.Enclosed(s, inIntervals, definition3), evidence.Up)
}

// Gamma implements Sensitivity.
func (g Gram) Gamma() (evidence.Certified, bool) {
	n := 1 / g.scale
	if n < 1.5 || math.Abs(n-math.Round(n)) > 1e-6*n {
		return evidence.Certified{}, false
	}
	return evidence.WithSide(evidence.Enclosed(g.largest(), inIntervals, tableOne), evidence.Up), true
}

// largest encloses the largest squared norm of a record.
func (g Gram) largest() interval.Interval {
	return interval.Float(g.rowNorm).Mul(interval.Float(g.rowNorm))
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

// NewDifferences declares the listed differences. It returns an error wrapping evidence.ErrParameter unless there is at
// least one, all have one shape and finite entries, and at least one is not zero.
func NewDifferences(list []*mat.Dense) (Differences, error) {
	if len(list) == 0 {
		return Differences{}, parameter.Errorf("the list of differences is empty")
	}
	if slices.Contains(list, nil) {
		return Differences{}, parameter.Errorf("a difference is nil")
	}
	m, n := list[0].Dims()
	if err := checkShape(m, n); err != nil {
		return Differences{}, err
	}
	d, zero := Differences{m: m, n: n}, true
	for k, a := range list {
		if r, c := a.Dims(); r != m || c != n {
			return Differences{}, parameter.Errorf("difference %d is %d×%d, the first is %d×%d", k, r, c, m, n)
		}
		for i := range m {
			for j := range n {
				v := a.At(i, j)
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return Differences{}, parameter.Errorf("difference %d has the entry %g, want finite numbers", k, v)
				}
				zero = zero && v == 0
			}
		}
		d.list = append(d.list, mat.DenseCopyOf(a))
	}
	if zero {
		return Differences{}, parameter.Errorf("every difference is zero")
	}
	return d, nil
}

// List returns copies of the differences.
func (d Differences) List() []*mat.Dense {
	return lists.Each(d.list, func(a *mat.Dense) *mat.Dense { return mat.DenseCopyOf(a) })
}

// Shape implements Sensitivity.
func (d Differences) Shape() (m, n int) { return d.m, d.n }

// Frobenius implements Sensitivity.
func (d Differences) Frobenius() evidence.Certified {
	square := interval.Int(0)
	for _, a := range d.list {
		sum := interval.Int(0)
		for i := range d.m {
			for _, v := range a.RawRowView(i) {
				if v != 0 {
					sum = sum.Add(interval.Float(v).Mul(interval.Float(v)))
				}
			}
		}
		square = interval.Max(square, sum)
	}
	return evidence.WithSide(evidence.Enclosed(square.Sqrt(), inIntervals, definition3), evidence.Up)
}

// Gamma implements Sensitivity: a list of differences does not bound f.
func (d Differences) Gamma() (evidence.Certified, bool) { return evidence.Certified{}, false }

// Describe implements Sensitivity.
func (d Differences) Describe() string {
	return fmt.Sprintf("%d listed differences, %d×%d", len(d.list), d.m, d.n)
}

// maxOrder bounds the numbers of rows and columns of a query.
const maxOrder = 1 << 20

// shapeOf returns the size of the query whose differences s declares, or an error for the zero value.
func shapeOf(s Sensitivity) (m, n int, err error) {
	if s == nil {
		return 0, 0, parameter.Errorf("there is no sensitivity set")
	}
	m, n = s.Shape()
	return m, n, checkShape(m, n)
}

func checkShape(m, n int) error {
	if m < 1 || n < 1 || m > maxOrder || n > maxOrder {
		return parameter.Errorf("query is %d×%d, want 1 to %d rows and columns", m, n, maxOrder)
	}
	return nil
}
