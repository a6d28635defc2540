// Package ehmc samples quadratic laws on bits, Pr[b] ∝ exp(bᵀΠb) for b in {0, 1}^d, and evaluates the samples.
//
// A law is a [Quadratic]. The laws of package xor never build the matrix Π. [State] is the state of a chain, with the
// field at each bit, its logit given the other bits.
//
//   - Exact in law, with every comparison continued until it is decided: monotone coupling from the past, for laws
//     that are attractive, possibly after exchanging 0 and 1 of some bits ([NewPerfect]).
//   - Exact up to float64: enumeration for small d ([Probabilities]).
//   - Markov chains with the given stationary law, each a [Sampler]: exact Hamiltonian Monte Carlo with walls after
//     Pakman and Paninski, "Auxiliary-variable exact Hamiltonian Monte Carlo samplers for binary distributions", NIPS
//     2013 ([NewGaussian]), and heat-bath Gibbs ([NewGibbs]).
//   - A published sampler that is wrong, kept for reference: [NewPublished].
//
// [Diagnose] measures how fast chains mix, [TotalVariation] encloses the distance between a sampler and its law,
// and [DeltaOf] converts such a distance into a δ.
//
// Functions that draw take their source of randomness last. Equal sources give equal draws, and a nil source
// panics.
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
