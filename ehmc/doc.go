// Package ehmc draws from quadratic laws on bits, Pr[b] ∝ exp(bᵀΠb) for b in
// {0, 1}^d, and judges the draws.
//
// A law is a [Quadratic]: [Dense] holds Π whole, package xor has laws that never
// build it. [State] is where a chain stands, and the field that each bit feels.
//
// Exact in law, every comparison followed until it is decided: monotone coupling from
// the past for laws that are attractive, possibly after renaming some zeros to ones
// ([NewPerfect]). Exact up to float64:
// enumeration for small d ([Probabilities]). Markov chains, each a [Sampler], whose
// stationary law is the wanted one: exact Hamiltonian Monte Carlo with walls after
// Pakman and Paninski, "Auxiliary-variable exact Hamiltonian Monte Carlo samplers
// for binary distributions", NIPS 2013 ([NewGaussian]) and heat-bath Gibbs
// ([NewGibbs]). One sampler that is wrong, kept for the record: [NewPublished]. [Run]
// keeps states of a chain, and stops with its context.
//
// Judgment: [Diagnose] tells how fast chains forget, [TotalVariation] encloses the
// distance of a sampler to its law, and [DeltaOf] says what such a distance costs
// in privacy.
//
// Whatever draws takes its source of randomness last; equal sources give equal
// draws, and a nil source panics.
package ehmc

import (
	"math"

	"dpworkbench/internal/parameter"
)

// Quadratic is a law on d bits with weight exp(bᵀΠb), Π symmetric.
// Implementations are immutable and safe for concurrent use.
type Quadratic interface {
	// Dim returns d.
	Dim() int
	// Diagonal returns Π_kk.
	Diagonal(k int) float64
	// AddRow adds scale·Π_kj to dst[j] for every j ≠ k. dst has length d.
	AddRow(k int, scale float64, dst []float64)
}

// Dense is a law given by its whole matrix Π.
type Dense struct {
	d    int
	rows []float64 // row by row, diagonal zeroed
	diag []float64
}

// NewDense returns the law with the given Π. It returns an error wrapping
// evidence.ErrParameter unless pi is square, symmetric and finite, of order at least 1.
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

// Diagonal implements Quadratic. It is 0 where there is no bit k.
func (q *Dense) Diagonal(k int) float64 {
	if k < 0 || k >= q.d {
		return 0
	}
	return q.diag[k]
}

// AddRow implements Quadratic. The diagonal of rows is zero. It adds nothing where
// there is no bit k, or dst is too short.
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

// Exponent returns bᵀΠb in nats, rounded. It returns an error wrapping
// evidence.ErrParameter unless the number of bits is the law's.
func Exponent(q Quadratic, b []bool) (float64, error) {
	d := q.Dim()
	if len(b) != d {
		return 0, parameter.Errorf("a state of %d bits, want %d", len(b), d)
	}
	row := make([]float64, d)
	var e float64
	for k, on := range b {
		if !on {
			continue
		}
		e += q.Diagonal(k)
		clear(row)
		q.AddRow(k, 1, row)
		for j, v := range row {
			if b[j] {
				e += v
			}
		}
	}
	return e, nil
}
