package xor

import (
	"context"
	"math"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
)

// MaxMarginals is the number of bits up to which marginals are listed.
const MaxMarginals = 1 << 20

// Marginals encloses Pr[b_k = 1] for every bit k, bit (i, j) being number i·P + j. It enumerates each independent
// part of the law once for seven bits. Relative errors are at most 1e-12, plus the effect of the parameters'
// reading. Errors are those of LogNormalizer; NP must not exceed MaxMarginals.
func (b *Bernoulli) Marginals(ctx context.Context) ([]evidence.Certified, error) {
	if d := b.Dim(); d > MaxMarginals {
		return nil, parameter.Errorf("%d bits, want at most %d to list the marginal of each", d, MaxMarginals)
	}
	if b.cols != nil {
		one, err := b.cols.marginal(ctx)
		return slices.Repeat([]evidence.Certified{one}, b.Dim()), err
	}
	parts, err := b.components(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]evidence.Certified, b.Dim())
	for _, c := range parts {
		if err := checkStates(len(c.bits)); err != nil {
			return nil, err
		}
		for from := 0; from < len(c.bits); from += mostFirst {
			group := c.bits[from:min(from+mostFirst, len(c.bits))]
			low := min(lowBits, len(c.bits)-len(group))
			// The first high bits are those of the group.
			rest := slices.Concat(c.bits[:from], c.bits[from+len(group):])
			diag, rows := b.dense(slices.Concat(rest[:low], group, rest[low:]))
			s, err := newSplit(diag, rows, low)
			if err != nil {
				return nil, err
			}
			all, with, err := s.enumerate(ctx)
			if err != nil {
				return nil, err
			}
			off := b.reading.exponents(diag, rows)
			for i, k := range group {
				v := ratio(with[i].total(), all.total(), 1, all.rel+8*unit, off, math.Inf(1), allStates, "equation (2)")
				for copy := range c.copies {
					out[k+b.shift(c, copy)] = v
				}
			}
		}
	}
	return out, nil
}
