package ehmc

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/internal/parameter"
)

// Dense is a law given by its whole matrix Π.
type Dense struct {
	d    int
	rows []float64 // row by row, diagonal zeroed
	diag []float64
}

// NewDense returns the law with the given Π. It returns an error wrapping evidence.ErrParameter unless pi is square,
// symmetric and finite, of order at least 1.
func NewDense(pi [][]float64) (*Dense, error) {
	d := len(pi)
	if d < 1 {
		return nil, parameter.Errorf("Π is empty, want a square matrix")
	}
	q := &Dense{d: d, rows: make([]float64, d*d), diag: make([]float64, d)}
	for i, row := range pi {
		if len(row) != d {
			return nil, parameter.Errorf("Π[%d] has %d entries, want %d", i, len(row), d)
		}
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, parameter.Errorf("Π[%d][%d] = %g, want a finite number", i, j, v)
			}
			if j < i && v != pi[j][i] {
				return nil, parameter.Errorf("Π[%d][%d] = %g and Π[%d][%d] = %g, want them equal", i, j, v, j, i, pi[j][i])
			}
			if i == j {
				q.diag[i] = v
			} else {
				q.rows[i*d+j] = v
			}
		}
	}
	return q, nil
}

// Dim implements Quadratic.
func (q *Dense) Dim() int { return q.d }

// Diagonal implements Quadratic. It returns 0 if bit k does not exist.
func (q *Dense) Diagonal(k int) float64 {
	if k < 0 || k >= q.d {
		return 0
	}
	return q.diag[k]
}

// AddRow implements Quadratic. The diagonal of rows is zero. It adds nothing if bit k does not exist or dst is too
// short.
func (q *Dense) AddRow(k int, scale float64, dst []float64) {
	if k < 0 || k >= q.d || len(dst) < q.d {
		return
	}
	row := q.rows[k*q.d : (k+1)*q.d]
	dst = dst[:len(row)]
	for j, v := range row {
		dst[j] += scale * v
	}
}

// Index returns the number of a state, as in [Probabilities]. It returns an error wrapping evidence.ErrParameter above
// 32 bits.
func Index(b []bool) (uint32, error) {
	if len(b) > 32 {
		return 0, parameter.Errorf("a state of %d bits has no number, want at most 32 bits", len(b))
	}
	var s uint32
	for k, on := range b {
		if on {
			s |= 1 << k
		}
	}
	return s, nil
}

// Run takes burn steps, then keeps n states, each after thin steps. It calls visit with each kept state, which visit
// must not change. It stops with visit's error, or with ctx's.
func Run(ctx context.Context, s Sampler, burn, n, thin int, visit func(*State) error) error {
	for range burn {
		if _, err := StepUntil(ctx, s); err != nil {
			return err
		}
	}
	for range n {
		for range max(1, thin) {
			if _, err := StepUntil(ctx, s); err != nil {
				return err
			}
		}
		if err := visit(s.State()); err != nil {
			return err
		}
	}
	return nil
}

// LogisticAt returns 1/(1 + e⁻ˣ) for |x| < 2¹⁰ with error about 2^(30−prec), by the Taylor series of e^{x/2¹⁰}. It
// shares no code with the sampler.
func LogisticAt(x *big.Rat, prec uint) *big.Rat {
	r := new(big.Float).SetPrec(prec).SetRat(x)
	r.Neg(r).SetMantExp(r, -10)
	sum, term := new(big.Float).SetPrec(prec).SetInt64(1), new(big.Float).SetPrec(prec).SetInt64(1)
	for n := int64(1); term.Sign() != 0 && term.MantExp(nil) > -int(prec)-8; n++ {
		term.Mul(term, r)
		term.Quo(term, new(big.Float).SetInt64(n))
		sum.Add(sum, term)
	}
	for range 10 {
		sum.Mul(sum, sum)
	}
	sum.Add(sum, big.NewFloat(1))
	q, _ := new(big.Float).SetPrec(prec).Quo(big.NewFloat(1), sum).Rat(nil)
	return q
}

// Whole returns a threshold as an integer, in units of 2⁻¹²⁸.
func (t Threshold) Whole() *big.Int {
	v := new(big.Int).SetUint64(t.Hi)
	return v.Add(v.Lsh(v, 64), new(big.Int).SetUint64(t.Lo))
}
