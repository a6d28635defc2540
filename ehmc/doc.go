// Package ehmc draws from quadratic laws on bits, Pr[b] ∝ exp(bᵀΠb) for b in
// {0, 1}^d, and judges the draws.
//
// A law is a [Quadratic]; package xor has laws, and never builds Π. [State] is where a chain stands, and the field that each bit feels.
//
// Exact in law, every comparison followed until it is decided: monotone coupling from
// the past for laws that are attractive, possibly after renaming some zeros to ones
// ([NewPerfect]). Exact up to float64:
// enumeration for small d ([Probabilities]). Markov chains, each a [Sampler], whose
// stationary law is the wanted one: exact Hamiltonian Monte Carlo with walls after
// Pakman and Paninski, "Auxiliary-variable exact Hamiltonian Monte Carlo samplers
// for binary distributions", NIPS 2013 ([NewGaussian]) and heat-bath Gibbs
// ([NewGibbs]). One sampler that is wrong, kept for the record: [NewPublished].
//
// Judgment: [Diagnose] tells how fast chains forget, [TotalVariation] encloses the
// distance of a sampler to its law, and [DeltaOf] says what such a distance costs
// in privacy.
//
// Whatever draws takes its source of randomness last; equal sources give equal
// draws, and a nil source panics.
package ehmc

import (
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
