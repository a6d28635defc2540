package ehmc

import (
	"context"
	"math"
	"math/rand/v2"

	"dpworkbench/internal/parameter"
)

// Gibbs is heat-bath sampling, bit after bit in a fixed order: the baseline.
type Gibbs struct {
	state *State
	rng   *rand.Rand
}

// NewGibbs returns the sampler started at a copy of the given bits. It returns
// an error wrapping evidence.ErrParameter unless their number is the law's.
func NewGibbs(q Quadratic, bits []bool, src rand.Source) (*Gibbs, error) {
	if len(bits) != q.Dim() {
		return nil, parameter.Errorf("%d bits to start from, want %d", len(bits), q.Dim())
	}
	return &Gibbs{newState(q, bits), rand.New(src)}, nil
}

// State implements Sampler.
func (g *Gibbs) State() *State { return g.state }

// Step implements Sampler: one sweep.
func (g *Gibbs) Step() Info {
	info, _ := g.step(context.Background())
	return info
}

func (g *Gibbs) step(ctx context.Context) (Info, error) {
	info := Info{Tries: len(g.state.Bits)}
	pause := pollEvery(len(g.state.Bits))
	for k := range g.state.Bits {
		if k%pause == 0 && ctx.Err() != nil {
			return info, ctx.Err()
		}
		if on := g.rng.Float64() < sigmoid(g.state.field[k]); on != g.state.Bits[k] {
			info.Crosses++
			g.state.flip(k)
		}
	}
	return info, nil
}

// sigmoid returns 1/(1 + e⁻ˣ) without overflow.
func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}
