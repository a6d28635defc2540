package xor

import (
	"context"
	"math/big"
	"math/bits"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/optimize/lp"
)

// OptimalNoise is the noise law of an XOR release with the fewest flipped bits, or the best found so far. If the
// program was solved in rationals, as for a rational e^ε, Release draws from it exactly. Otherwise it has float64
// weights and cannot be released.
type OptimalNoise struct {
	*NoiseLaw
	flips evidence.Number
	cells int
}

// MeanFlips returns the certified optimum: the least mean number of flipped
// bits E‖B‖².
func (l *OptimalNoise) MeanFlips() evidence.Number { return l.flips }

// FlipsOverHalf reports whether the noise, or 1 − B for the complement, certainly flips more than half of the bits on
// average.
func (l *OptimalNoise) FlipsOverHalf(complement Variant) bool {
	lo, hi := l.FlipRate().Bounds()
	if complement {
		return hi < .5
	}
	return lo > .5
}

// FlipRate returns the optimum divided by the number of bits: the least probability that a bit is flipped. It is exact
// if MeanFlips is.
func (l *OptimalNoise) FlipRate() evidence.Number {
	bits := l.Rows * l.Columns
	if e, ok := l.flips.(evidence.Exact); ok {
		e.Value = new(big.Rat).Quo(e.Value, big.NewRat(int64(bits), 1))
		return e
	}
	rate := interval.EndsOf(l.flips.Bounds()).Quo(interval.EndsOf(float64(bits), float64(bits)))
	return evidence.Certified{Lo: rate.Lo, Hi: rate.Hi, Provenance: evidence.From(l.flips.Origin()).By("linear program, certified")}
}

// Cells returns the number of different probabilities in the reduced program; color refinement merges equivalent
// states.
func (l *OptimalNoise) Cells() int { return l.cells }

// These are limits of NewOptimalNoise: 1,024 states, the range of ε, and the number of systems solved in rationals.
const (
	maxNoiseBits   = 10
	leastEpsilon   = 1e-9
	largestEpsilon = 138.0
	manyFaces      = 400
)

// NewOptimalNoise returns the law of B, over all laws on {0,1}^{NP}, with the least mean number of flipped bits
// among those for which X ⊕ B is ε-differentially private. If e^ε is rational the law is exact.
//
// Averaging a law over the permutations of the bits that preserve the neighbor relation keeps its privacy and its
// mean. So the program needs one variable per orbit (docs/optimum.md); the merging finds at most that many.
//
// If no two matrices are neighbors, as for the edges of one node, nothing is flipped.
//
// It returns an error wrapping evidence.ErrParameter unless 1 ≤ NP ≤ 10, the neighbors fit the shape, and ε is a
// logarithm or between 1e-9 and 138. lp.ErrPrecision and *lp.Stopped errors come with the best law found.
func NewOptimalNoise(ctx context.Context, n, p int, eps evidence.Epsilon, nb Neighbors) (*OptimalNoise, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	if n < 1 || p < 1 || n > maxNoiseBits/p {
		return nil, parameter.Errorf("n·p = %d·%d, want 1 to %d bits", n, p, maxNoiseBits)
	}
	steps, err := nb.Differences(n, p)
	if err != nil {
		return nil, err
	}
	if v := eps.Value(); !eps.IsExact() && !(v >= leastEpsilon && v <= largestEpsilon) {
		return nil, parameter.Bad("eps", v, "a number from %g to %g, or a logarithm", leastEpsilon, largestEpsilon)
	}
	states := 1 << (n * p)
	const source = "linear program of the optimal XOR noise"
	if len(steps) == 0 {
		still := lists.Of(states, func(int) *big.Rat { return new(big.Rat) })
		still[0].SetInt64(1)
		law, err := NewNoiseLaw(n, p, still)
		flips := evidence.Exact{Value: new(big.Rat), Cases: uint64(states), Provenance: evidence.From(source + "; no two matrices are neighbors")}
		return &OptimalNoise{law, flips, 1}, err
	}
	program := &lp.Program{Rows: 1, Weight: []float64{1}, Row: make([]int32, states), Loss: make([]float64, states)}
	for b := range states {
		program.Loss[b] = float64(bits.OnesCount(uint(b)))
	}
	for _, s := range steps {
		for b := range states {
			if c := b ^ s; b < c {
				program.Pairs = append(program.Pairs, [2]int32{int32(b), int32(c)})
			}
		}
	}
	if w, ok := eps.Exp(); ok {
		program.Ratio = interval.Rat(w)
		x, err := lp.SolveExact(ctx, program, w, manyFaces)
		if err == nil {
			law, err := NewNoiseLaw(n, p, x.P)
			flips := evidence.Exact{Value: x.Value, Cases: uint64(states), Provenance: evidence.From(source + "; primal and dual points agree, both checked in rationals")}
			return &OptimalNoise{law, flips, x.Cells}, err
		}
		if ctx.Err() != nil {
			return nil, err
		}
	} else if eps.Value() > largestEpsilon {
		return nil, parameter.Bad("eps", eps, "at most %g", largestEpsilon)
	} else {
		program.Ratio = eps.Enclosure().Exp()
	}
	x, err := lp.Solve(ctx, program, lp.Options{})
	if x == nil {
		return nil, lp.Explain(err, nil, 0, "eps = "+eps.String())
	}
	law, bad := NewWeightedNoiseLaw(n, p, x.P)
	if bad != nil {
		return nil, bad
	}
	flips := evidence.Certified{Lo: max(0, x.Lo), Hi: x.Hi, Provenance: evidence.From(source).By("interior point method; primal and dual points checked in 256-bit intervals")}
	return &OptimalNoise{law, flips, x.Cells}, lp.Explain(err, flips, x.Iterations, "eps = "+eps.String())
}
