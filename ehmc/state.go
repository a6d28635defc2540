package ehmc

import (
	"context"
	"fmt"
	"math/rand/v2"

	"dpworkbench/internal/memory"
)

// State is the state of a Markov chain: the bits, and the field at each bit.
type State struct {
	Bits  []bool
	field []float64 // field[k] = Π_kk + 2 Σ_{j≠k} Π_kj b_j, the logit of bit k given the rest
	law   Quadratic
	moves int // flips since the fields were last recomputed
}

// refresh is the number of flips after which the fields are recomputed, because rounding errors of updates
// accumulate.
const refresh = 1 << 16

// newState returns the state with a copy of the given bits, as many as the law has.
func newState(q Quadratic, bits []bool) *State {
	s := &State{Bits: append([]bool(nil), bits...), field: make([]float64, len(bits)), law: q}
	s.recompute()
	return s
}

// NewRandomState returns a state of fair bits. It returns an error wrapping memory.Err if the state does not fit in
// memory.
func NewRandomState(q Quadratic, src rand.Source) (*State, error) {
	d := q.Dim()
	if err := memory.Need(fmt.Sprintf("a state of %d bits", d), 10*float64(d)); err != nil {
		return nil, err
	}
	return newState(q, fairBits(d, src)), nil
}

func fairBits(d int, src rand.Source) []bool {
	bits := make([]bool, d)
	var word uint64
	for k := range bits {
		if k%64 == 0 {
			word = src.Uint64()
		}
		bits[k] = word>>(k%64)&1 == 1
	}
	return bits
}

// Logit returns ln Pr[b_k = 1 | rest] − ln Pr[b_k = 0 | rest], and 0 if bit k does not exist.
func (s *State) Logit(k int) float64 {
	if k < 0 || k >= len(s.field) {
		return 0
	}
	return s.field[k]
}

// Ones returns the number of ones.
func (s *State) Ones() int {
	n := 0
	for _, on := range s.Bits {
		if on {
			n++
		}
	}
	return n
}

// flip complements bit k and updates the fields of the others.
func (s *State) flip(k int) {
	scale := 2.0
	if s.Bits[k] {
		scale = -2
	}
	s.Bits[k] = !s.Bits[k]
	s.law.AddRow(k, scale, s.field)
	if s.moves++; s.moves >= refresh {
		s.recompute()
	}
}

func (s *State) recompute() {
	for k := range s.field {
		s.field[k] = s.law.Diagonal(k)
	}
	for k, on := range s.Bits {
		if on {
			s.law.AddRow(k, 2, s.field)
		}
	}
	s.moves = 0
}

// Sampler is a Markov chain whose stationary law is the given one (except for Published). A Sampler owns its source
// and its state, and is not safe for concurrent use.
type Sampler interface {
	// Step moves the chain once: by a full travel for the Hamiltonian samplers, by a sweep over all bits for the
	// others.
	Step() Info
	// State returns the chain's state, which the next Step changes.
	State() *State
}

// Info describes one step.
type Info struct {
	Tries   int // walls met, or bits visited
	Crosses int // walls crossed, or bits changed
}

// StepUntil takes one step. A step of this package's samplers stops within milliseconds if ctx ends. If StepUntil
// returns ctx's error, the chain must not be used any more.
func StepUntil(ctx context.Context, s Sampler) (Info, error) {
	if long, ok := s.(interface {
		step(ctx context.Context) (Info, error)
	}); ok {
		return long.step(ctx)
	}
	if err := ctx.Err(); err != nil {
		return Info{}, err
	}
	return s.Step(), nil
}
