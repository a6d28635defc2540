package records

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"sort"

	"dpworkbench/internal/draw"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
)

// Simulate implements Law.
func (m *Layered) Simulate(ctx context.Context, n int, src rand.Source) ([]float64, error) {
	l, err := m.listedLaw(ctx)
	if err != nil {
		return nil, err
	}
	cells := l.cells()
	law := make(draw.Law, 0, len(cells))
	for _, c := range cells {
		law.Add(max(0, c.weight.Quo(l.mass).Mid()))
	}
	rng := rand.New(src)
	f, _ := m.q.value.Float64()
	step, _ := l.step.Float64()
	return drawing(ctx, n, 4096, func() (float64, error) {
		c := cells[law.Draw(rng)]
		if step > 0 {
			k, _ := new(big.Float).SetRat(new(big.Rat).Quo(c.from, l.step)).Float64()
			size, _ := l.measure(c.from, c.to).Float64()
			d := (k + 1 + math.Floor(rng.Float64()*size)) * step
			return m.output(f, c.side, d), nil
		}
		from, _ := c.from.Float64()
		to, _ := c.to.Float64()
		return m.output(f, c.side, from+(to-from)*rng.Float64()), nil
	})
}

func (m *Layered) output(f float64, side int, d float64) float64 {
	if side == 1 {
		d = -d
	}
	return m.q.rng.nearest(f+d, m.q.value)
}

// cell is the part of a side that a layer adds: the distances in (from, to].
type cell struct {
	layer, side int
	from, to    *big.Rat
	weight      interval.Interval
}

// cells lists the cells that are not empty.
func (l *layerLaw) cells() []cell {
	var out []cell
	for k := range l.weight {
		for i := range l.sides {
			s := &l.sides[i]
			from, sum := new(big.Rat), interval.Int(0)
			if i == 1 {
				from = new(big.Rat).Neg(l.step)
			}
			if k > 0 {
				from, sum = s.end(k-1), s.sum[k-1]
			}
			if to := s.end(k); to.Cmp(from) > 0 {
				out = append(out, cell{l.first + k, i, from, to, s.sum[k].Sub(sum)})
			}
		}
	}
	return out
}

// Release draws n outputs, each with exactly its probability. It compares a uniform number with the distribution
// function, to as many digits as needed. On a continuous range it rounds outputs to the nearest multiple of a public
// grid, and returns this grid. A nil source stands for the operating system's generator.
//
// It returns an error wrapping evidence.ErrParameter if n is negative, or if a draw falls into the weight that is not
// listed, which has probability below 2⁻⁷⁵.
func (m *Layered) Release(ctx context.Context, n int, src Source) (out []float64, grid *big.Rat, err error) {
	l, err := m.listedLaw(ctx)
	if err != nil {
		return nil, nil, err
	}
	src = sampling.Or(src)
	cells := l.cells()
	ends := make([]interval.Interval, len(cells))
	sum := interval.Int(0)
	for i, c := range cells {
		sum = sum.Add(c.weight)
		ends[i] = sum.Quo(l.mass)
	}
	if l.step.Sign() == 0 {
		width := m.q.growth
		if m.q.rng.Lo != nil && m.q.rng.Hi != nil {
			width = new(big.Rat).Sub(m.q.rng.Hi, m.q.rng.Lo)
		}
		grid = sampling.GridFor(width)
	}
	out, err = drawing(ctx, n, 1024, func() (float64, error) {
		lo, hi := uniform(src)(192)
		u := interval.Hull(interval.Rat(new(big.Rat).SetInt(lo)), interval.Rat(new(big.Rat).SetInt(hi))).Mul(interval.Float(0x1p-192))
		k := sort.Search(len(cells)-1, func(k int) bool { return u.Less(ends[k]) })
		if k > 0 && !ends[k-1].Less(u) || k == len(cells)-1 && l.rest.CmpHi(interval.Int(0)) > 0 && !u.Less(ends[k]) {
			return 0, sampling.ErrUndecided
		}
		return m.drawn(l, cells[k], grid, src)
	})
	if err != nil {
		return nil, nil, err
	}
	return out, grid, nil
}

// uniform returns a uniform number in [0, 1]. It draws 192 binary digits at once, and more when they are needed.
func uniform(src rand.Source) sampling.Number {
	return sampling.UniformAfter(src, src.Uint64(), src.Uint64(), src.Uint64()).Number()
}

// drawn returns a uniform value of a cell.
func (m *Layered) drawn(l *layerLaw, c cell, grid *big.Rat, src rand.Source) (float64, error) {
	at, size := new(big.Rat).Set(c.from), l.measure(c.from, c.to)
	if l.step.Sign() > 0 {
		if !size.Num().IsUint64() {
			return 0, parameter.Errorf("a layer of %s has %s values, want at most 2^64", m.q.name, size.RatString())
		}
		k := new(big.Rat).SetInt(new(big.Int).SetUint64(sampling.Uniform(src, size.Num().Uint64())))
		k.Add(k, big.NewRat(1, 1))
		at.Add(at, k.Mul(k, l.step))
	}
	if c.side == 1 {
		at.Neg(at)
		size.Neg(size)
	}
	if at.Add(at, m.q.value); l.step.Sign() > 0 {
		return sampling.Float(at), nil
	}
	x := sampling.Sum(sampling.Rat(at), uniform(src).Mul(sampling.Rat(size)))
	k, err := sampling.Round(x, grid)
	if err != nil {
		return 0, err
	}
	return sampling.Multiple(k, grid), nil
}
