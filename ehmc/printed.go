package ehmc

import (
	"context"
	"math"
	"math/rand/v2"
)

// Printed is Algorithm 2 of the XOR mechanism's paper (section 5.2) exactly as
// it stands there: y and q standard normal, s = sign(y cos T + q sin T), with no
// step of the potential at y_k = 0. It is REFUTED: the motion it prints never
// looks at Π, so its bits are fair coins whatever the law is. It is kept so
// that the statement can be judged; release nothing with it.
type Printed struct {
	state *State
	rng   *rand.Rand
	time  float64
}

// NewPrinted returns the printed algorithm with moving duration time. A source
// that is nil panics at the first step.
func NewPrinted(q Quadratic, time float64, src rand.Source) *Printed {
	return &Printed{NewState(q, make([]bool, q.Dim())), rand.New(src), time}
}

// State implements Sampler.
func (p *Printed) State() *State { return p.state }

// Step implements Sampler: a fresh start and one travel, as printed.
func (p *Printed) Step() Info {
	info, _ := p.step(context.Background())
	return info
}

func (p *Printed) step(ctx context.Context) (Info, error) {
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
