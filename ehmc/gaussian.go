package ehmc

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"dpworkbench/internal/parameter"
)

// Gaussian is exact Hamiltonian Monte Carlo with Gaussian auxiliary variables (Pakman and Paninski 2013, section
// 2.1). Each bit is the sign of a coordinate y_k. Given the bits, |y_k| is half normal, so that between walls the
// particle moves as y_k cos t + q_k sin t. At a wall y_k = 0 the potential jumps by the logit of bit k. The
// particle crosses if q_k²/2 exceeds the increase, and is reflected otherwise; both conserve the energy exactly.
//
// A coordinate that starts with y, q reaches its first wall at the time t in (0, π) with cot t = −q/y, and then one
// every π. So the order of walls is the order of q/y. Travelling for (n + ½)π reaches each wall n times, and once
// more if t < π/2. No trigonometric function is needed.
type Gaussian struct {
	state *State
	rng   *rand.Rand
	turns int
	y     []float64 // |y_k|; the sign is the bit
	speed []float64 // |q_k| at the wall
	walls []wall
}

// A wall has the key q/|y| of its coordinate, with q positive away from the wall. Walls are reached in the order of the
// keys.
type wall struct {
	key float64
	k   int32
}

// GaussianOptions are the choices of NewGaussian.
type GaussianOptions struct {
	Turns int // the travel time is (Turns + ½)π
}

// NewGaussian returns the sampler, started at a copy of the given bits. It returns an
// error wrapping evidence.ErrParameter unless Turns is at least 1 (at 0 half of the walls
// are never met) and the number of bits is the law's.
func NewGaussian(q Quadratic, bits []bool, o GaussianOptions, src rand.Source) (*Gaussian, error) {
	if err := parameter.AtLeast("turns", o.Turns, 1); err != nil {
		return nil, err
	}
	if len(bits) != q.Dim() {
		return nil, parameter.Errorf("%d bits to start from, want %d", len(bits), q.Dim())
	}
	d := q.Dim()
	g := &Gaussian{
		state: newState(q, bits), rng: rand.New(src), turns: o.Turns,
		y: make([]float64, d), speed: make([]float64, d), walls: make([]wall, d),
	}
	for k := range g.y {
		g.y[k] = math.Abs(g.rng.NormFloat64())
	}
	return g, nil
}

// State implements Sampler.
func (g *Gaussian) State() *State { return g.state }

// Step implements Sampler: fresh momenta, then one travel.
func (g *Gaussian) Step() Info {
	info, _ := g.step(context.Background())
	return info
}

func (g *Gaussian) step(ctx context.Context) (Info, error) {
	for k, y := range g.y {
		q := g.rng.NormFloat64()
		g.walls[k] = wall{q / y, int32(k)}
		g.speed[k] = math.Sqrt(y*y + q*q)
		g.y[k] = math.Abs(q) / g.speed[k] // |cos t| of the first wall's time t
	}
	slices.SortFunc(g.walls, func(a, b wall) int { return cmp.Compare(a.key, b.key) })

	var info Info
	pause := pollEvery(len(g.walls))
	for range g.turns {
		for i, w := range g.walls {
			if i%pause == 0 && ctx.Err() != nil {
				return info, ctx.Err()
			}
			g.meet(int(w.k), &info)
		}
	}
	for _, w := range g.walls {
		if !(w.key < 0) { // the half turn ends here
			break
		}
		g.meet(int(w.k), &info)
	}
	// At the end a coordinate is at |q_wall sin(T − t_wall)| = |q_wall cos t|.
	for k, v := range g.speed {
		g.y[k] *= v
	}
	return info, nil
}

// meet processes the collision of coordinate k with its wall.
func (g *Gaussian) meet(k int, info *Info) {
	info.Tries++
	rise := g.state.field[k] // increase of the potential if the bit becomes 0
	if !g.state.Bits[k] {
		rise = -rise
	}
	left := g.speed[k]*g.speed[k] - 2*rise
	if left > 0 {
		info.Crosses++
		g.speed[k] = math.Sqrt(left)
		g.state.flip(k)
	}
}
