package ehmc

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"dpworkbench/internal/draw"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/parameter"
)

// ErrNotCoalesced is wrapped if coupling from the past ran out of sweeps.
var ErrNotCoalesced = errors.New("coupling from the past has not coalesced")

// Perfect samples exactly by monotone coupling from the past (Propp and Wilson 1996). It applies to attractive laws, in
// which setting one bit only increases the conditional probabilities of the others: off-diagonal Π ≥ 0. It also applies
// if exchanging 0 and 1 of some bits makes the law attractive, which is possible if no cycle of couplings has an odd
// number of negative ones. The chains started at all ones and at all zeros then enclose every other chain. If they have
// met by time 0, their common state is a draw from the law. Every heat bath compares a uniform number with the exact
// conditional probability, digit by digit until they differ.
//
// Coupling from the past reuses its randomness. Each block of sweeps has a key from the source. The first 128 digits of
// its numbers come from ChaCha8 at the key; the further digits for sweep i and bit k come from ChaCha8 at the key's
// part (i, k). So both chains and every later run use the same digits. A draw has exactly the law if the digits are
// fair and independent; digits from a cryptographic source are indistinguishable from such digits. A Perfect is not
// safe for concurrent use.
type Perfect struct {
	law     Quadratic
	renamed []bool
	bath    *bath
}

// NewPerfect returns the sampler. It returns an error wrapping evidence.ErrParameter that names a frustrated pair of
// bits if the law cannot be made attractive, memory.Err if its bits do not fit in memory, and ctx's error if ctx ends.
func NewPerfect(ctx context.Context, q Quadratic) (*Perfect, error) {
	d := q.Dim()
	if err := memory.Need(fmt.Sprintf("coupling from the past of %d bits", d), 64*float64(d)); err != nil {
		return nil, err
	}
	p := &Perfect{q, make([]bool, d), newBath(q)}
	renamed, seen := p.renamed, make([]bool, d)
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
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			clear(row)
			q.AddRow(i, 1, row)
			p.bath.measure(i, row)
			for j, v := range row {
				want := renamed[i] != (v < 0)
				switch {
				case v == 0:
				case !seen[j]:
					seen[j], renamed[j] = true, want
					queue = append(queue, j)
				case renamed[j] != want:
					return nil, parameter.Errorf("bits %d and %d lie on a cycle with an odd number of negative couplings; perfect sampling needs couplings without such a cycle", i, j)
				}
			}
		}
	}
	return p, nil
}

// Sample returns one draw and its number of sweeps. It returns an error wrapping ErrNotCoalesced if more than limit
// sweeps into the past would be needed. Discarding only such draws would bias the sample; a caller should then change
// the sampler for all draws. If a comparison would take more than sampling.MostBits digits, the error wraps
// sampling.ErrUndecided. Sample notices a cancelled context within milliseconds.
func (p *Perfect) Sample(ctx context.Context, limit int, src rand.Source) (bits []bool, sweeps int, err error) {
	d := p.law.Dim()
	var seeds []draw.Key // seeds[j] makes the sweeps from −2ʲ to −2ʲ⁻¹, seeds[0] the last one
	high, low := make([]bool, d), make([]bool, d)
	for past := 1; past <= limit; past *= 2 {
		seeds = append(seeds, draw.NewKey(src))
		for k, r := range p.renamed {
			high[k], low[k] = !r, r
		}
		top, bottom := newState(p.law, high), newState(p.law, low)
		for j := len(seeds) - 1; j >= 0; j-- {
			rng := seeds[j].Source()
			for i := range max(1, 1<<j>>1) {
				behind := func(k int) rand.Source { return seeds[j].Part(uint64(i), uint64(k)).Source() }
				if err := p.sweep(ctx, top, bottom, rng, behind); err != nil {
					return nil, sweeps, err
				}
				sweeps++
			}
		}
		if slices.Equal(top.Bits, bottom.Bits) {
			return top.Bits, sweeps, nil
		}
	}
	return nil, sweeps, fmt.Errorf("%w within %d sweeps of %d bits", ErrNotCoalesced, limit, d)
}

// sweep applies the same heat bath to both chains. It draws two words for each bit, whether it uses them or not, so
// that a repeated sweep in a longer run uses the same words. behind returns the further digits of each bit.
func (p *Perfect) sweep(ctx context.Context, top, bottom *State, rng rand.Source, behind func(k int) rand.Source) error {
	pause := pollEvery(len(p.renamed))
	for k, r := range p.renamed {
		if k%pause == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		u := Threshold{rng.Uint64(), rng.Uint64()}
		for _, s := range [2]*State{top, bottom} {
			under, err := p.bath.below(u, s, k, r, func() rand.Source { return behind(k) })
			if err != nil {
				return err
			}
			if on := under != r; on != s.Bits[k] {
				s.flip(k)
			}
		}
	}
	return nil
}

// pollEvery returns the number of flips between polls of a context, given that each flip costs up to d additions.
func pollEvery(d int) int { return max(1, 1<<20/max(1, d)) }
