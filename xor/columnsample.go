package xor

import (
	"context"
	"math"
	"math/rand/v2"

	"dpworkbench/ehmc"
)

// counts returns the law of the number of ones of a column as 128-bit
// fractions: counts[m] is Pr[at most m ones]. The last is 1.
func (c *Columns) counts(ctx context.Context) (ehmc.Thresholds, error) {
	law, err := c.kept(ctx)
	if err != nil {
		return nil, err
	}
	top := int64(none)
	for _, t := range law.terms {
		top = max(top, t.e)
	}
	var z pair
	for _, t := range law.terms {
		z.addPair(t.scaledTo(top))
	}
	out := make(ehmc.Thresholds, c.n+1)
	var run pair
	for m, t := range law.terms {
		run.addPair(t.scaledTo(top))
		out[m] = run.over(z)
	}
	out[c.n] = ehmc.Threshold{Hi: math.MaxUint64, Lo: math.MaxUint64}
	return out, nil
}

// scaledTo returns a·2⁻ᵗᵒᵖ, zero where that is below 2⁻⁹⁰⁰.
func (a quad) scaledTo(top int64) pair {
	if a.e-top < -900 {
		return pair{}
	}
	return pair{math.Ldexp(a.hi, int(a.e-top)), math.Ldexp(a.lo, int(a.e-top))}
}

// Noise returns a draw: for each column the number of ones by inversion of its
// law, then a uniform subset of that size. Only integers are compared, so that
// the law of a draw is within NP·2⁻⁸⁶ of the closed form in total variation,
// whatever the source: a term errs by N·2⁻⁸⁷ relative, a threshold by as much and
// by 2⁻¹⁰⁰ more. It takes O(NP), about ten nanoseconds a bit. It returns an error
// wrapping evidence.ErrParameter where N exceeds 2²⁴, and ctx's error.
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
			need[j] = uint32(counts.Draw(src))
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
