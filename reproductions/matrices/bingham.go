package matrices

import (
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/matrix"
	"dpworkbench/reproductions/learn"

	"gonum.org/v1/gonum/mat"
)

// symmetricOf reads a symmetric matrix of the given order, 0 for any.
func symmetricOf(name string, a mat.Matrix, order int) (*mat.SymDense, error) {
	if a == nil {
		return nil, parameter.Errorf("%s is missing, want a symmetric matrix", name)
	}
	s, err := matrix.Symmetric(name, a)
	if err != nil {
		return nil, err
	}
	if d := s.SymmetricDim(); order > 0 && d != order {
		return nil, parameter.Errorf("%s is %d×%d, want %d×%d", name, d, d, order, order)
	}
	return s, nil
}

// Bingham is the law of unit vectors v of density proportional to exp(vᵀAv). Draws are exact except for float64
// rounding. They come from an angular central Gaussian law by rejection (Kent, Ganeiber and Mardia 2013). With a_i the
// largest eigenvalue of A minus the i-th, and b the root of Σ 1/(b + 2a_i) = 1, the proposals have precisions 1 +
// 2a_i/b. The ratio of the densities is largest if Σ a_i v_i² = (q − b)/2.
type Bingham struct {
	values  []float64  // eigenvalues in decreasing order
	vectors *mat.Dense // the eigenvectors as columns
	b       float64
}

// mostSpread bounds the difference of eigenvalues, because the time of the constant grows with its square.
const mostSpread = 5e4

// NewBingham returns the law of a symmetric matrix. It returns an error wrapping
// evidence.ErrParameter unless A is symmetric and finite, of order up to 4096, and its
// eigenvalues lie within 10¹² of each other.
func NewBingham(a mat.Matrix) (*Bingham, error) {
	s, err := symmetricOf("a", a, 0)
	if err != nil {
		return nil, err
	}
	q := s.SymmetricDim()
	if q > mostOrder {
		return nil, parameter.Errorf("a is %d×%d, want an order of at most %d", q, q, mostOrder)
	}
	values, vectors, err := learn.Components(s)
	if err != nil {
		return nil, err
	}
	if spread := values[0] - values[q-1]; !(spread <= 1e12) {
		return nil, parameter.Errorf("the eigenvalues of a differ by %.3g, want at most 1e12: the law is nearly a point mass", spread)
	}
	return &Bingham{values, vectors, envelope(values)}, nil
}

// envelope returns the root b of Σ 1/(b + 2a_i) = 1, between 1 and the order.
func envelope(values []float64) float64 {
	lo, hi := 1.0, float64(len(values))
	for range 200 {
		b := (lo + hi) / 2
		if b <= lo || b >= hi {
			break
		}
		sum := 0.0
		for _, v := range values {
			sum += 1 / (b + 2*(values[0]-v))
		}
		if sum > 1 {
			lo = b
		} else {
			hi = b
		}
	}
	return hi
}

// Order returns the dimension of the vectors.
func (l *Bingham) Order() int { return len(l.values) }

// Values returns the eigenvalues of A in decreasing order.
func (l *Bingham) Values() []float64 { return append([]float64(nil), l.values...) }

// Vectors returns the eigenvectors of A as columns.
func (l *Bingham) Vectors() *mat.Dense { return mat.DenseCopyOf(l.vectors) }

// Simulate returns count vectors as the columns of a matrix, and the number of proposals drawn. It returns an error
// wrapping evidence.ErrParameter unless 1 ≤ count and count times the order is at most 2²⁶.
func (l *Bingham) Simulate(count int, src rand.Source) (vectors *mat.Dense, proposals int, err error) {
	q := len(l.values)
	if count < 1 || count > 1<<26/q {
		return nil, 0, parameter.Bad("count", count, "1 <= count <= %d", 1<<26/q)
	}
	coordinates := mat.NewDense(q, count, nil)
	normal := rand.New(src)
	y := make([]float64, q)
	for k := range count {
		for {
			proposals++
			if l.propose(y, normal) {
				coordinates.SetCol(k, y)
				break
			}
		}
	}
	vectors = mat.NewDense(q, count, nil)
	vectors.Mul(l.vectors, coordinates)
	return vectors, proposals, nil
}

// propose writes a proposal, in the basis of the eigenvectors, to y and reports whether to accept it.
func (l *Bingham) propose(y []float64, normal *rand.Rand) bool {
	q := float64(len(y))
	norm := 0.0
	for i, v := range l.values {
		y[i] = normal.NormFloat64() / math.Sqrt(1+2*(l.values[0]-v)/l.b)
		norm += y[i] * y[i]
	}
	norm = math.Sqrt(norm)
	u := 0.0
	for i, v := range l.values {
		y[i] /= norm
		u += (l.values[0] - v) * y[i] * y[i]
	}
	log := -u + q/2*math.Log1p(2*u/l.b) + (q-l.b)/2 + q/2*math.Log(l.b/q)
	return math.Log(1-normal.Float64()) < log
}

// String describes the law.
func (l *Bingham) String() string {
	return fmt.Sprintf("Bingham law in dimension %d, eigenvalues from %s to %s", len(l.values),
		evidence.FormatFloat(l.values[len(l.values)-1], 6), evidence.FormatFloat(l.values[0], 6))
}
