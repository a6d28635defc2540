package xor

import (
	"context"

	"dpworkbench/evidence"
)

// component is a set of bits that no coupling joins to any other bit: bits of
// different components are independent. copies counts components with the same
// law, of which bits names the first.
type component struct {
	bits   []int
	copies int
}

// components cuts the law into independent parts. Where no objects are
// associated, rows are independent and alike, and only the first is cut. It
// returns ctx's error.
func (b *Bernoulli) components(ctx context.Context) ([]component, error) {
	d, copies := b.Dim(), 1
	if b.theta == nil {
		if b.cols.lambda == 0 {
			return []component{{[]int{0}, d}}, nil
		}
		bits := make([]int, b.n)
		for i := range bits {
			bits[i] = i * b.p
		}
		return []component{{bits, b.p}}, nil
	}
	if len(b.lam) == 0 {
		d, copies = b.p, b.n
	}
	seen := make([]bool, d)
	row := make([]float64, b.Dim())
	var out []component
	for start := range d {
		if seen[start] {
			continue
		}
		seen[start] = true
		bits := []int{start}
		for at := 0; at < len(bits); at++ {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			clear(row)
			b.AddRow(bits[at], 1, row)
			for j, v := range row[:d] {
				if v != 0 && !seen[j] {
					seen[j] = true
					bits = append(bits, j)
				}
			}
		}
		out = append(out, component{bits, copies})
	}
	return out, nil
}

// LogNormalizer returns ln Σ exp(bᵀΠb): by the closed form where there is one,
// otherwise by enumerating each independent part. It returns an error wrapping
// ErrParameter where a part has more than MaxStates bits, and ctx's error.
func (b *Bernoulli) LogNormalizer(ctx context.Context, opts Options) (evidence.Certified, error) {
	if b.cols != nil {
		return b.cols.LogNormalizer(), nil
	}
	s, err := b.solve(ctx, opts)
	if err != nil {
		return evidence.Certified{}, err
	}
	return s.logZ, nil
}

// MeanOnes returns E‖B‖², or E‖1 − B‖² where complement is true; by the routes
// and with the errors of LogNormalizer.
func (b *Bernoulli) MeanOnes(ctx context.Context, complement bool, opts Options) (evidence.Certified, error) {
	if b.cols != nil {
		rate, size := b.cols.FlipRate(complement), float64(b.n)*float64(b.p)
		rate.Lo, rate.Hi = rate.Lo*size*(1-unit), rate.Hi*size*(1+unit)
		return rate, nil
	}
	s, err := b.solve(ctx, opts)
	if err != nil {
		return evidence.Certified{}, err
	}
	if complement {
		return s.zeros, nil
	}
	return s.ones, nil
}

// answer is what LogNormalizer and MeanOnes keep.
type answer struct {
	logZ, ones, zeros evidence.Certified
}

func (b *Bernoulli) solve(ctx context.Context, opts Options) (*answer, error) {
	if s := b.answers.Load(); s != nil {
		return s, nil
	}
	parts, err := b.components(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range parts { // refuse before working
		if len(c.bits) > MaxStates {
			_, _, err := b.dense(c.bits)
			return nil, err
		}
	}
	out := &answer{}
	for _, c := range parts {
		diag, rows, err := b.dense(c.bits)
		if err != nil {
			return nil, err
		}
		s, err := enumerate(ctx, diag, rows, opts)
		if err != nil {
			return nil, err
		}
		part := s.report()
		accumulate(&out.logZ, part.LogNormalizer, c.copies)
		accumulate(&out.ones, part.MeanOnes, c.copies)
		accumulate(&out.zeros, s.zeros(), c.copies)
	}
	b.answers.Store(out)
	return out, nil
}

// accumulate adds copies·v to to, rounding outward.
func accumulate(to *evidence.Certified, v evidence.Certified, copies int) {
	first := to.Method == ""
	to.Method, to.Source = v.Method, v.Source
	n := float64(copies)
	lo, hi := v.Lo, v.Hi
	if copies > 1 {
		lo, hi = down(lo*n), up(hi*n)
	}
	if first {
		to.Lo, to.Hi = lo, hi
		return
	}
	to.Lo, to.Hi = down(to.Lo+lo), up(to.Hi+hi)
}
