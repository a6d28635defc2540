package signrp

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
)

// Grid returns the default grid for numbers, 2⁻³² of a power of two about σ. It is nil for signs, and if σ
// overflows float64.
func (r *Release) Grid() *big.Rat {
	if r.rule != numbers || !(r.sigma.Hi > 0 && r.sigma.Hi <= math.MaxFloat64) {
		return nil
	}
	return sampling.GridFor(new(big.Rat).SetFloat64(r.sigma.Hi))
}

// Draw releases the answer for u with exactly its law. Entries of u are read as their decimals, entries of W are
// exact, and noise is drawn digit by digit. Numbers are rounded to the nearest multiple of the grid (nil is
// [Release.Grid]) and then to the nearest float64, which is post-processing of the ideal mechanism. A nil source is
// the operating system's generator, which a real release needs; a seeded one is for tests.
//
// It returns an error wrapping evidence.ErrParameter unless u has p entries in [−1, 1] and the grid is positive. A
// grid for signs, and a σ that overflows float64, are such errors as well. It returns ctx's error if it ends.
func (r *Release) Draw(ctx context.Context, u []float64, grid *big.Rat, src rand.Source) (Output, error) {
	if err := checkVector("u", u, r.p); err != nil {
		return Output{}, err
	}
	if grid != nil && r.Signs() {
		return Output{}, parameter.Bad("grid", grid, "none for a release of signs")
	}
	if err := sampling.CheckGrid(grid); err != nil {
		return Output{}, err
	}
	if !r.Signs() && r.Grid() == nil {
		return Output{}, parameter.Errorf("the standard deviation %v of the noise overflows float64: rescale the data and beta", r.sigma)
	}
	if grid == nil {
		grid = r.Grid()
	}
	src = sampling.Or(src)
	if r.w == nil {
		return r.drawNumbers(ctx, func(j int) sampling.Number { return sampling.Rat(exactDecimal(u[j])) }, grid, src)
	}
	at, err := r.w.at(ctx, u, r.beta)
	if err != nil {
		return Output{}, err
	}
	if r.rule == numbers {
		return r.drawNumbers(ctx, func(j int) sampling.Number { return at.coordinate(j) }, grid, src)
	}
	l, err := r.law(ctx, at, norm(u))
	if err != nil {
		return Output{}, err
	}
	signs, err := l.drawExactly(ctx, at, src)
	return Output{Signs: signs}, err
}

// coordinate returns x_j to any precision. x_j is d_j/√k, or d_j for OPORP.
func (p *point) coordinate(j int) sampling.Number {
	whole, _ := p.exact(j).Rat(nil)
	d := sampling.Rat(whole.Quo(whole, new(big.Rat).SetInt(powerOfTen(p.places))))
	if p.w.kind == OPORP {
		return d
	}
	return d.Mul(sampling.Rat(big.NewRat(1, int64(p.w.k))).Root(2))
}

// drawNumbers returns x + σN rounded to the grid, where N is standard normal.
func (r *Release) drawNumbers(ctx context.Context, x func(j int) sampling.Number, grid *big.Rat, src rand.Source) (Output, error) {
	sigma := sampling.Rat(new(big.Rat).SetFloat64(r.sigma.Hi))
	out := make([]float64, r.K())
	for j := range out {
		if j%256 == 0 && ctx.Err() != nil {
			return Output{}, ctx.Err()
		}
		k, err := sampling.Round(sampling.Sum(x(j), sampling.Normal(src).Number().Mul(sigma)), grid)
		if err != nil {
			return Output{}, err
		}
		out[j] = sampling.Multiple(k, grid)
	}
	return Output{Numbers: out}, nil
}

// drawExactly returns one sign per bit, each with exactly its probability.
func (l *law) drawExactly(ctx context.Context, at *point, src rand.Source) ([]int8, error) {
	out := make([]int8, len(l.level))
	flips := make(map[int]*sampling.Law) // for each level, whether a sign is kept or flipped
	for j, level := range l.level {
		if j%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		out[j] = 1
		if level < 0 {
			out[j] = -1
		}
		switch {
		case l.fixed != nil && l.fixed[j]:
		case l.normal: // the sign of x + σN is that of σN − (−x)
			noise := sampling.Normal(src).Number().Mul(sampling.Rat(new(big.Rat).SetFloat64(l.sigma)))
			negative, err := sampling.Less(noise, at.coordinate(j).Neg())
			if err != nil {
				return nil, err
			}
			if out[j] = 1; negative {
				out[j] = -1
			}
		default:
			size := max(level, -level)
			if flips[size] == nil {
				law, err := sampling.NewLaw(sampling.Int(1), sampling.Decay(l.eps, big.NewRat(int64(size), 1)))
				if err != nil {
					return nil, err
				}
				flips[size] = law
			}
			flipped, err := flips[size].Draw(src)
			if err != nil {
				return nil, err
			}
			if flipped == 1 {
				out[j] = -out[j]
			}
		}
	}
	return out, nil
}
