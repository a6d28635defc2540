package ehmc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// ErrNotCoalesced is wrapped where coupling from the past ran out of sweeps.
var ErrNotCoalesced = errors.New("coupling from the past has not coalesced")

// Perfect samples exactly by monotone coupling from the past (Propp and Wilson
// 1996). It applies where raising one bit only ever makes others likelier to be
// raised: off-diagonal Π ≥ 0, or a choice of bits to rename (0 for 1) that makes
// it so, which exists where no cycle of couplings has an odd number of negative
// ones. The chains started at all ones and at all zeros (in the new names) then
// hold every other between them, and where they have met by time 0 that state
// is a draw from the law, with no error but the rounding of the heat bath.
type Perfect struct {
	law     Quadratic
	renamed []bool
}

// NewPerfect returns the sampler. It returns an error wrapping ErrParameter
// that names a frustrated pair of bits where the law cannot be made attractive.
func NewPerfect(q Quadratic) (*Perfect, error) {
	d := q.Dim()
	renamed, seen := make([]bool, d), make([]bool, d)
	row := make([]float64, d)
	var queue []int
	for start := range d {
		if seen[start] {
			continue
		}
		seen[start] = true
		queue = append(queue[:0], start)
		for len(queue) > 0 {
			i := queue[0]
			queue = queue[1:]
			clear(row)
			q.AddRow(i, 1, row)
			for j, v := range row {
				want := renamed[i] != (v < 0)
				switch {
				case v == 0:
				case !seen[j]:
					seen[j], renamed[j] = true, want
					queue = append(queue, j)
				case renamed[j] != want:
					return nil, fmt.Errorf("%w: bits %d and %d lie on a cycle with an odd number of negative couplings; perfect sampling wants none", ErrParameter, i, j)
				}
			}
		}
	}
	return &Perfect{q, renamed}, nil
}

// Draw returns one draw and the number of sweeps that it took. It returns an
// error wrapping ErrNotCoalesced where more than limit sweeps into the past
// would be needed; giving up on such draws and keeping others would bias the
// sample, so a caller should then change the sampler for all of them. A
// cancelled context is noticed at every sweep.
func (p *Perfect) Draw(ctx context.Context, limit int, src rand.Source) (bits []bool, sweeps int, err error) {
	d := p.law.Dim()
	var seeds [][32]byte // seeds[j] makes the sweeps from −2ʲ to −2ʲ⁻¹, seeds[0] the last one
	high, low := make([]bool, d), make([]bool, d)
	for past := 1; past <= limit; past *= 2 {
		seeds = append(seeds, seed(src))
		for k, r := range p.renamed {
			high[k], low[k] = !r, r
		}
		top, bottom := NewState(p.law, high), NewState(p.law, low)
		for j := len(seeds) - 1; j >= 0; j-- {
			rng := rand.New(rand.NewChaCha8(seeds[j]))
			for range max(1, 1<<j>>1) {
				if err := ctx.Err(); err != nil {
					return nil, sweeps, err
				}
				p.sweep(top, bottom, rng)
				sweeps++
			}
		}
		if slices.Equal(top.Bits, bottom.Bits) {
			return top.Bits, sweeps, nil
		}
	}
	return nil, sweeps, fmt.Errorf("%w within %d sweeps of %d bits", ErrNotCoalesced, limit, d)
}

// sweep moves both chains by the same heat bath.
func (p *Perfect) sweep(top, bottom *State, rng *rand.Rand) {
	for k, r := range p.renamed {
		u := rng.Float64()
		for _, s := range [2]*State{top, bottom} {
			var on bool
			if r {
				on = !(u < sigmoid(-s.field[k]))
			} else {
				on = u < sigmoid(s.field[k])
			}
			if on != s.Bits[k] {
				s.flip(k)
			}
		}
	}
}

func seed(src rand.Source) (s [32]byte) {
	for i := 0; i < len(s); i += 8 {
		v := src.Uint64()
		for k := range 8 {
			s[i+k] = byte(v >> (8 * k))
		}
	}
	return s
}
