package xor

import (
	"context"
	"math/bits"
	"math/rand/v2"
)

// counts returns the sampler of the number of ones in a column. Its weights have the relative error that each states.
func (c *Columns) counts(ctx context.Context) (*inversion, error) {
	law, err := c.kept(ctx)
	if err != nil {
		return nil, err
	}
	return c.invert(law), nil
}

// invert returns the sampler for a law.
func (c *Columns) invert(law *columnLaw) *inversion {
	c.guard.Lock()
	defer c.guard.Unlock()
	if c.drawn != nil {
		return c.drawn
	}
	top := int64(none)
	for _, t := range law.terms {
		top = max(top, t.e)
	}
	l := newInversion(law.terms, top, float64(c.n)*(anew+4)*scaledDoubleUnit)
	l.guard = 2*uint(bits.Len(uint(c.n+2))) + 3
	l.weights = c.eachScaledBig
	c.drawn = l
	return l
}

// eachScaledBig calls visit with the weight of m ones, m = 0, …, N, as long as visit returns true. The m-th ratio of
// weights has an error of at most 3m + 5 factors 1 ± 2^−prec, and a weight has fewer than 2(N + 2)² such factors. It
// returns ctx's error.
func (c *Columns) eachScaledBig(ctx context.Context, prec uint, visit func(w scaledBigFloat) bool) error {
	exp := scaledBigExps{prec, map[float64]scaledBigFloat{}}
	w, step, grow := scaledBigOne(prec), exp.of(1, c.theta), exp.of(2, c.lambda)
	for m := range c.n {
		if m&0xfff == 0xfff && ctx.Err() != nil {
			return ctx.Err()
		}
		if !visit(w) {
			return nil
		}
		w = w.mul(step).mulRatio(c.n-m, m+1)
		if c.lambda != 0 {
			step = step.mul(grow)
		}
	}
	visit(w)
	return nil
}

// Noise draws the noise. For each column it draws the number of ones by inversion of its law, then a uniform subset of
// that size. It compares integers, and draws digits until they decide. So the law of a draw is exactly the closed form
// if the words of src are fair and independent. It takes O(NP) time, about ten nanoseconds per bit. It returns an error
// wrapping evidence.ErrParameter if N exceeds 2²⁴, one wrapping sampling.ErrUndecided if a number of ones would take
// more than sampling.MostBits digits, and ctx's error.
func (c *Columns) Noise(ctx context.Context, src rand.Source) (*Bits, error) {
	counts, err := c.counts(ctx)
	if err != nil {
		return nil, err
	}
	out := newBits(c.n, c.p)
	draw := below{src: src}
	var need [64]uint32
	for start := 0; start < c.p; start += 64 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		width := min(64, c.p-start)
		for j := range width {
			ones, err := counts.draw(ctx, src)
			if err != nil {
				return nil, err
			}
			need[j] = uint32(ones)
		}
		word := start / 64
		for i := range c.n {
			if i&0xfffff == 0xfffff && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			left := uint32(c.n - i)
			reject := -left % left
			var w uint64
			for j := range width {
				if k := need[j]; k > 0 && draw.draw(left, reject) < k { // k of the left rows get a one
					need[j]--
					w |= 1 << j
				}
			}
			out.rows[i*out.words+word] = w
		}
	}
	return out, nil
}
