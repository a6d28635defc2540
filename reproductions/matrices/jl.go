package matrices

import (
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/reproductions/learn"

	"gonum.org/v1/gonum/mat"
)

// Form is the way a projection is made private.
type Form string

// Raised replaces the singular values σ_i of the records by √(σ_i² + w²) (Blocki et al.). Threshold projects the
// records unchanged, and refuses them if a singular value is below w (the condition of Upadhyay).
const (
	Raised    Form = "raised"
	Threshold Form = "threshold"
)

const (
	blocki   = "Blocki, Blum, Datta and Sheffet 2012, arXiv:1204.2136, Theorem 4.1 as it is cited; the paper was not at hand"
	upadhyay = "Upadhyay 2014, arXiv:1410.2470, not at hand: the threshold on singular values that Chanyaswad et al. describe, with the width of Blocki et al."
)

// JL is the Johnson–Lindenstrauss transform as a mechanism. A data set of n records of dimension m, the columns of X,
// is released as r mixed records XGᵀ/√r, where G is an r×n matrix of independent standard normals. The mixed records
// are independent N(0, C/r), with C = XXᵀ for the form Threshold and C = XXᵀ + w²I for Raised. So the release depends
// on C alone.
//
// Neighbors differ in one record, which moves by at most Move in Euclidean norm. Adding and removing records is not
// covered.
type JL struct {
	Form  Form
	Rows  int     // r, the number of mixed records
	Width float64 // w
	Move  float64

	eps   evidence.Epsilon // the claimed ε; 0 if the width was given
	delta evidence.Delta
}

// NewJL returns the transform with a given width. It returns an error wrapping evidence.ErrParameter unless 1 ≤ rows ≤
// 2²⁰, width and move are positive and finite, and the form is known.
func NewJL(form Form, rows int, width, move float64) (JL, error) {
	if err := checkJL(form, rows, move); err != nil {
		return JL{}, err
	}
	if err := parameter.Positive("width", width); err != nil {
		return JL{}, err
	}
	return JL{Form: form, Rows: rows, Width: width, Move: move}, nil
}

const mostRows = 1 << 20

func checkJL(form Form, rows int, move float64) error {
	if form != Raised && form != Threshold {
		return parameter.Bad("form", form, "%q or %q", Raised, Threshold)
	}
	if rows < 1 || rows > mostRows {
		return parameter.Bad("rows", rows, "1 <= rows <= %d", mostRows)
	}
	return parameter.Positive("move", move)
}

// PublishedJL returns the transform with the published width, for which its paper claims (ε, δ)-privacy. That is 16√(r
// ln(2/δ)) ln(16r/δ)/ε for records that move by 1, times move. Errors wrap evidence.ErrParameter.
func PublishedJL(form Form, rows int, move float64, eps evidence.Epsilon, delta evidence.Delta) (JL, error) {
	if err := checkJL(form, rows, move); err != nil {
		return JL{}, err
	}
	if err := checkPrivacy(eps, delta); err != nil {
		return JL{}, err
	}
	w := publishedWidth(rows, eps, delta).Mul(interval.Float(move)).Mid()
	j, err := NewJL(form, rows, w, move)
	if err != nil {
		return JL{}, parameter.Errorf("rows = %d, eps = %v and delta = %v need a width of %g, want a positive finite number", rows, eps, delta, w)
	}
	j.eps, j.delta = eps, delta
	return j, nil
}

func publishedWidth(rows int, eps evidence.Epsilon, delta evidence.Delta) interval.Interval {
	r, d := interval.Int(int64(rows)), delta.Enclosure()
	root := r.Mul(interval.Int(2).Quo(d).Log()).Sqrt()
	return interval.Int(16).Mul(root).Mul(interval.Int(16).Mul(r).Quo(d).Log()).Quo(eps.Enclosure())
}

// checkPrivacy checks the ε and δ that a mechanism is calibrated to.
func checkPrivacy(eps evidence.Epsilon, delta evidence.Delta) error {
	if err := eps.Positive("eps"); err != nil {
		return err
	}
	return delta.Positive("delta")
}

// Claimed returns the (ε, δ) that the paper claims. ok is false if the width was given.
func (j JL) Claimed() (eps, delta evidence.Claimed, ok bool) {
	source := blocki
	if j.Form == Threshold {
		source = upadhyay
	}
	return evidence.Claimed{Value: j.eps.Value(), Epsilon: j.eps, Provenance: evidence.From(source)}, evidence.Claimed{Value: j.delta.Value(), Provenance: evidence.From(source)}, !j.eps.IsZero()
}

// Check returns an error wrapping evidence.ErrParameter if the transform refuses the records: an entry is not finite,
// or for the form Threshold a singular value is below the width, as with fewer records than dimensions. A refusal
// reveals something about the records, which the published claim ignores.
func (j JL) Check(x mat.Matrix) error {
	_, _, err := j.spectrum(x)
	return err
}

// spectrum returns the left singular vectors of x and its singular values, changed according to the form.
func (j JL) spectrum(x mat.Matrix) (*mat.Dense, []float64, error) {
	if err := checkRecords(x); err != nil {
		return nil, nil, err
	}
	m, n := x.Dims()
	s := gram(x)
	if !(mat.Trace(s) <= math.MaxFloat64) {
		return nil, nil, parameter.Errorf("x is %d×%d with entries whose squares overflow float64", m, n)
	}
	values, u, err := learn.Components(s)
	if err != nil {
		return nil, nil, err
	}
	least := math.Inf(1)
	for i, v := range values {
		v = math.Max(0, v)
		if i >= n {
			v = 0
		}
		least = math.Min(least, math.Sqrt(v))
		if j.Form == Raised {
			v += j.Width * j.Width
		}
		values[i] = math.Sqrt(v)
	}
	if j.Form == Threshold && !(least >= j.Width) {
		return nil, nil, parameter.Errorf("x is %d×%d with the least singular value %.6g, want at least the width %.6g: form %q raises the spectrum instead", m, n, least, j.Width, Raised)
	}
	return u, values, nil
}

// Simulate returns the mixed records, an m×r matrix with columns from N(0, C/r), drawn in float64. Errors are those of
// Check.
func (j JL) Simulate(x mat.Matrix, src rand.Source) (*mat.Dense, error) {
	u, values, err := j.spectrum(x)
	if err != nil {
		return nil, err
	}
	m := len(values)
	g := mat.NewDense(m, j.Rows, nil)
	normal := rand.New(src)
	root := math.Sqrt(float64(j.Rows))
	for i := range m {
		row := g.RawRowView(i)
		for k := range row {
			row[k] = normal.NormFloat64() * values[i] / root
		}
	}
	out := mat.NewDense(m, j.Rows, nil)
	out.Mul(u, g)
	return out, nil
}

// SimulateGram returns an unbiased estimate of XXᵀ from a draw of the mixed records Y: YYᵀ, minus w²I for the form
// Raised. Errors are those of Check.
func (j JL) SimulateGram(x mat.Matrix, src rand.Source) (*mat.SymDense, error) {
	y, err := j.Simulate(x, src)
	if err != nil {
		return nil, err
	}
	out := gram(y)
	if j.Form == Raised {
		for i := range out.SymmetricDim() {
			out.SetSym(i, i, out.At(i, i)-j.Width*j.Width)
		}
	}
	if norm := mat.Norm(out, math.Inf(1)); math.IsNaN(norm) || math.IsInf(norm, 0) {
		return nil, parameter.Errorf("width = %g and x give squares that overflow float64", j.Width)
	}
	return out, nil
}

// String describes the transform.
func (j JL) String() string {
	return fmt.Sprintf("Johnson–Lindenstrauss transform to %d mixed records, %s at width %s, records move by %s",
		j.Rows, j.Form, evidence.FormatFloat(j.Width, 6), evidence.FormatFloat(j.Move, 6))
}

// gram returns xxᵀ.
func gram(x mat.Matrix) *mat.SymDense {
	m, _ := x.Dims()
	s := mat.NewSymDense(m, nil)
	s.SymOuterK(1, x)
	return s
}

// checkRecords requires at least one entry, and finite entries.
func checkRecords(x mat.Matrix) error {
	if x == nil {
		return parameter.Errorf("x is missing, want a matrix of records")
	}
	m, n := x.Dims()
	if m == 0 || n == 0 {
		return parameter.Errorf("x is %d×%d, want at least one row and one column", m, n)
	}
	for i := range m {
		for k := range n {
			if v := x.At(i, k); math.IsNaN(v) || math.IsInf(v, 0) {
				return parameter.Errorf("x[%d][%d] = %g, want a finite number", i, k, v)
			}
		}
	}
	return nil
}
