package continuous

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/internal/sampling"
)

// Sampler implements [ExactlySampled]. It chooses a run of positions above one residue by weight. Then it chooses a
// position by a geometric law from the heaviest end, a place within the gap, and a sign.
//
// It returns an error wrapping ErrUnknownLayer if the layers were not computed until they are periodic, because the
// unknown layers have positive weight.
func (m *Layered) Sampler() (func(rand.Source) (Noise, error), error) {
	if !m.closed {
		return nil, fmt.Errorf("%w: %s has no exact sampler, because only its layers up to %d are known: use a radius with a smaller denominator, for which all layers may be known", ErrUnknownLayer, m.Name(), m.known)
	}
	return m.exact()
}

// exactSampler returns a function that prepares the exact sampler of a Layered at its first call.
func exactSampler(l *Sequence, decay evidence.Epsilon) func() (func(rand.Source) (Noise, error), error) {
	return sync.OnceValues(func() (func(rand.Source) (Noise, error), error) {
		cells := newExactCells(l, decay)
		law, err := sampling.NewLaw(cells.weights...)
		if err != nil {
			return nil, err
		}
		return func(src rand.Source) (Noise, error) {
			i, err := law.Draw(src)
			if err != nil {
				return Noise{}, err
			}
			return cells.draw(cells.cells[i], src)
		}, nil
	})
}

// exactCells holds the runs above all residues, with their weights.
type exactCells struct {
	length, denominator *big.Int
	counting            bool
	cells               []cell
	weights             []sampling.Number
	over                sampling.Number // 1/decay
}

func newExactCells(l *Sequence, decay evidence.Epsilon) *exactCells {
	c := &exactCells{length: l.length, denominator: l.denominator, counting: l.counting, over: sampling.Epsilon(decay).Inverse().Known()}
	known := make(map[int]sampling.Number)
	power := func(k int) sampling.Number {
		if known[k] == nil {
			known[k] = sampling.Decay(decay, big.NewRat(int64(k), 1))
		}
		return known[k]
	}
	for _, cell := range l.laddersOver() {
		c.add(cell, l.first, power)
	}
	return c
}

// add adds a cell. Each of its positions has the weight share·z^{level−base}. All weights are multiplied by 1 − z,
// which makes those of infinite runs finite.
func (c *exactCells) add(cell cell, base int, power func(int) sampling.Number) {
	s := cell.ladder
	top := s.level - base // layer of the heaviest position
	if s.slope < 0 {
		top -= s.count - 1
	}
	weight, share := power(top), cell.share
	switch {
	case s.slope == 0:
		share = new(big.Int).Mul(share, big.NewInt(int64(s.count)))
		weight = sampling.Sum(weight, power(top+1).Neg())
	case s.count > 0:
		weight = sampling.Sum(weight, power(top+s.count).Neg())
	}
	c.cells = append(c.cells, cell)
	c.weights = append(c.weights, sampling.Rat(new(big.Rat).SetInt(share)).Mul(weight))
}

// draw returns a random position of a cell, and a random place in it.
func (c *exactCells) draw(cell cell, src rand.Source) (Noise, error) {
	s, step := cell.ladder, new(big.Int)
	if s.slope == 0 {
		step.SetUint64(sampling.Uniform(src, uint64(s.count)))
	} else {
		var err error
		if step, err = sampling.GeometricOver(c.over, src); err != nil {
			return Noise{}, err
		}
		if s.count > 0 { // a geometric variable modulo count has the truncated law
			step.Mod(step, big.NewInt(int64(s.count)))
		}
		if s.slope < 0 {
			step.Sub(big.NewInt(int64(s.count-1)), step)
		}
	}
	step.Add(step, big.NewInt(int64(s.j)))
	step.Mul(step, c.length).Add(step, cell.at)
	at := new(big.Rat).SetFrac(step, c.denominator)
	negative := src.Uint64()&1 == 0
	if negative {
		at.Neg(at)
	}
	if c.counting {
		return Noise{Point: at}, nil
	}
	width := new(big.Rat).SetFrac(cell.width, c.denominator)
	if negative {
		width.Neg(width)
	}
	return Noise{at, sampling.UniformReal(src).Number().Mul(sampling.Rat(width))}, nil
}
