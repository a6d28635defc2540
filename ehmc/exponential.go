package ehmc

import (
	"container/heap"
	"math"
	"math/rand/v2"

	"dpworkbench/internal/parameter"
)

// Exponential is exact Hamiltonian Monte Carlo with exponential auxiliary
// variables (Pakman and Paninski 2013, section 2.2): given the bits, |y_k| is
// exponential of mean 1, so that between walls the particle falls towards its
// wall with acceleration 1, and is back 2|q_k| after leaving it with speed |q_k|.
// Walls step as in Gaussian.
type Exponential struct {
	state  *State
	rng    *rand.Rand
	travel float64
	y      []float64 // |y_k|
	q      []float64 // speed away from the wall, at time from[k]
	from   []float64
	queue  events
}

// NewExponential returns the sampler with the given travel time, started at a
// copy of the given bits. It returns an error wrapping evidence.ErrParameter unless
// travel is positive and finite and the number of bits is the law's.
func NewExponential(q Quadratic, bits []bool, travel float64, src rand.Source) (*Exponential, error) {
	if !(travel > 0) || math.IsInf(travel, 1) {
		return nil, parameter.Bad("travel", travel, "a positive finite time")
	}
	if len(bits) != q.Dim() {
		return nil, parameter.Errorf("%d bits to start from, want %d", len(bits), q.Dim())
	}
	d := q.Dim()
	e := &Exponential{
		state: newState(q, bits), rng: rand.New(src), travel: travel,
		y: make([]float64, d), q: make([]float64, d), from: make([]float64, d), queue: make(events, 0, d),
	}
	for k := range e.y {
		e.y[k] = e.rng.ExpFloat64()
	}
	return e, nil
}

// State implements Sampler.
func (e *Exponential) State() *State { return e.state }

// Step implements Sampler.
func (e *Exponential) Step() Info {
	e.queue = e.queue[:0]
	for k, y := range e.y {
		q := e.rng.NormFloat64()
		e.q[k], e.from[k] = q, 0
		// y + qt − t²/2 = 0 at t = q + √(q² + 2y), without cancellation:
		root := math.Sqrt(q*q + 2*y)
		t := q + root
		if q < 0 {
			t = 2 * y / (root - q)
		}
		if t < e.travel {
			e.queue = append(e.queue, event{t, k})
		}
	}
	heap.Init(&e.queue)

	var info Info
	for len(e.queue) > 0 {
		at, k := e.queue[0].time, e.queue[0].k
		speed := math.Abs(e.q[k] - (at - e.from[k]))
		if e.from[k] == 0 {
			speed = math.Sqrt(e.q[k]*e.q[k] + 2*e.y[k])
		}
		info.Tries++
		rise := e.state.field[k]
		if !e.state.Bits[k] {
			rise = -rise
		}
		if left := speed*speed - 2*rise; left > 0 {
			info.Crosses++
			speed = math.Sqrt(left)
			e.state.flip(k)
		}
		e.y[k], e.q[k], e.from[k] = 0, speed, at
		if next := at + 2*speed; next < e.travel {
			e.queue[0].time = next
			heap.Fix(&e.queue, 0)
		} else {
			last := len(e.queue) - 1 // heap.Pop would allocate
			e.queue[0] = e.queue[last]
			if e.queue = e.queue[:last]; last > 0 {
				heap.Fix(&e.queue, 0)
			}
		}
	}
	for k := range e.y {
		t := e.travel - e.from[k]
		e.y[k] = math.Max(e.y[k]+t*(e.q[k]-t/2), math.SmallestNonzeroFloat64)
	}
	return info
}

type event struct {
	time float64
	k    int
}

type events []event

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i].time < e[j].time }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(v any)        { *e = append(*e, v.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}
