package ehmc

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"dpworkbench/internal/memory"
	"dpworkbench/internal/parameter"
)

// Published is Algorithm 2 of the XOR mechanism's paper (section 5.2) exactly as printed: y and q standard normal,
// s = sign(y cos T + q sin T), without a step of the potential at y_k = 0. It is REFUTED: the printed motion does
// not depend on Π, so its bits are fair coins for every law. It exists to check the claim; never use it for
// releases.
type Published struct {
	state *State
	rng   *rand.Rand
	time  float64
}

// NewPublished returns the published algorithm with the given duration. It returns an error wrapping
// evidence.ErrParameter unless time is finite, or memory.Err if a state does not fit.
func NewPublished(q Quadratic, time float64, src rand.Source) (*Published, error) {
	if math.IsNaN(time) || math.IsInf(time, 0) {
		return nil, parameter.Bad("time", time, "a finite number")
	}
	d := q.Dim()
	if err := memory.Need(fmt.Sprintf("a state of %d bits", d), 10*float64(d)); err != nil {
		return nil, err
	}
	return &Published{newState(q, make([]bool, d)), rand.New(src), time}, nil
}

// State implements Sampler.
func (p *Published) State() *State { return p.state }

// Step implements Sampler: a fresh start and one travel, as printed.
func (p *Published) Step() Info {
	info, _ := p.step(context.Background())
	return info
}

func (p *Published) step(ctx context.Context) (Info, error) {
	sin, cos := math.Sincos(p.time)
	info := Info{Tries: len(p.state.Bits)}
	pause := pollEvery(len(p.state.Bits))
	for k, on := range p.state.Bits {
		if k%pause == 0 && ctx.Err() != nil {
			return info, ctx.Err()
		}
		y, q := p.rng.NormFloat64(), p.rng.NormFloat64()
		if now := y*cos+q*sin > 0; now != on {
			info.Crosses++
			p.state.flip(k)
		}
	}
	return info, nil
}
