package xor

import (
	"context"
	"encoding/binary"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// LogNormalizer returns ln Σ exp(bᵀΠb): by the closed form where there is one,
// otherwise by enumerating each independent part. It returns an error wrapping
// evidence.ErrParameter where a part has more than MaxStates bits, and ctx's error.
func (b *Bernoulli) LogNormalizer(ctx context.Context) (evidence.Certified, error) {
	logZ, err := b.logNormalizer(ctx)
	if err != nil {
		return evidence.Certified{}, err
	}
	return evidence.WithStatement(logZ, &NormalizerStatement{b}), nil
}

func (b *Bernoulli) logNormalizer(ctx context.Context) (evidence.Certified, error) {
	if b.cols != nil {
		return b.cols.LogNormalizer(ctx)
	}
	s, err := b.solve(ctx)
	if err != nil {
		return evidence.Certified{}, err
	}
	return s.logZ, nil
}

// Variant selects the noise B or its complement.
type Variant bool

// Both variants have the same privacy.
const (
	Plain      Variant = false // f(D) ⊕ B
	Complement Variant = true  // f(D) ⊕ (1 − B)
)

// MeanOnes returns E‖B‖², or E‖1 − B‖² for the complement. It uses the methods of LogNormalizer and returns its errors.
func (b *Bernoulli) MeanOnes(ctx context.Context, complement Variant) (evidence.Certified, error) {
	if b.cols != nil {
		return b.cols.MeanOnes(ctx, complement, 1)
	}
	s, err := b.solve(ctx)
	if err != nil {
		return evidence.Certified{}, err
	}
	if complement {
		return s.zeros, nil
	}
	return s.ones, nil
}

// answer is the common result of LogNormalizer and MeanOnes.
type answer struct {
	logZ, ones, zeros evidence.Certified
}

func (b *Bernoulli) solve(ctx context.Context) (*answer, error) {
	if s := b.answers.Load(); s != nil {
		return s, nil
	}
	parts, err := b.components(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range parts { // check all parts before computing
		if err := checkStates(len(c.bits)); err != nil {
			return nil, err
		}
	}
	out := &answer{}
	known := make(map[string]*sum) // equal parts are computed once
	for _, c := range parts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		diag, rows := b.dense(c.bits)
		key := partKey(diag, rows)
		s := known[key]
		if s == nil {
			if s, err = enumerate(ctx, diag, rows); err != nil {
				return nil, err
			}
			s.off = b.reading.exponents(diag, rows)
			known[key] = s
		}
		part := s.report()
		accumulate(&out.logZ, part.LogNormalizer, c.copies)
		accumulate(&out.ones, part.MeanOnes, c.copies)
		accumulate(&out.zeros, s.zeros(), c.copies)
	}
	b.answers.Store(out)
	return out, nil
}

// partKey returns a map key for a part of a law.
func partKey(diag []float64, rows [][]float64) string {
	var key []byte
	for i, d := range diag {
		key = binary.LittleEndian.AppendUint64(key, math.Float64bits(d))
		for _, v := range rows[i][:i] {
			key = binary.LittleEndian.AppendUint64(key, math.Float64bits(v))
		}
	}
	return string(key)
}

// accumulate adds copies·v ≥ 0 to to, rounding outward.
func accumulate(to *evidence.Certified, v evidence.Certified, copies int) {
	sum := interval.EndsOf(v.Lo, v.Hi)
	if n := float64(copies); copies > 1 {
		sum = sum.Mul(interval.EndsOf(n, n))
	}
	if to.Method != "" {
		sum = interval.EndsOf(to.Lo, to.Hi).Add(sum)
	}
	to.Lo, to.Hi, to.Method, to.Source = sum.Lo, sum.Hi, v.Method, v.Source
}
