package optimize

import (
	"context"
	"math/big"
	"math/bits"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/internal/lp"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/xor"
)

// NoiseLaw is a law of the noise B of an XOR release X ⊕ B on N × P bits. State
// b has bit (i, j) of the matrix as its bit i·P + j.
type NoiseLaw struct {
	Rows, Columns int
	weights       []float64  // of a state, over their sum
	exact         []*big.Rat // nil where the law is not known to be rational
	sum           float64
	flips         evidence.Number
	cells         int
}

// MeanFlips returns the certified optimum: the least mean number of flipped
// bits E‖B‖².
func (l *NoiseLaw) MeanFlips() evidence.Number { return l.flips }

// Prob returns the probability of state b, as a float64, 0 where there is no such
// state.
func (l *NoiseLaw) Prob(b int) float64 {
	switch {
	case b >= 0 && b < len(l.exact):
		v, _ := l.exact[b].Float64()
		return v
	case b >= 0 && b < len(l.weights):
		return l.weights[b] / l.sum
	}
	return 0
}

// Probs returns the probability of every state, as [NoiseLaw.Prob] does.
func (l *NoiseLaw) Probs() []float64 {
	out := make([]float64, l.States())
	for b := range out {
		out[b] = l.Prob(b)
	}
	return out
}

// Rational returns the probability of state b where it is known as a rational.
func (l *NoiseLaw) Rational(b int) (*big.Rat, bool) {
	if b < 0 || b >= len(l.exact) {
		return nil, false
	}
	return l.exact[b], true
}

// States returns 2^{NP}.
func (l *NoiseLaw) States() int { return 1 << (l.Rows * l.Columns) }

// Cells returns the number of different probabilities that the program's
// symmetry leaves: color refinement merges the other states.
func (l *NoiseLaw) Cells() int { return l.cells }

// Noise draws n states by inversion with 53 random bits: for research, not for a
// release. It returns an error wrapping evidence.ErrParameter where n is negative or
// more than can be drawn at once.
func (l *NoiseLaw) Noise(n int, src rand.Source) ([]int, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	cumulative := make([]float64, l.States())
	total := 0.0
	for b := range cumulative {
		total += l.Prob(b)
		cumulative[b] = total
	}
	rng := rand.New(src)
	out := make([]int, n)
	for i := range out {
		u := rng.Float64() * total
		lo, hi := 0, len(cumulative)-1
		for lo < hi {
			if mid := (lo + hi) / 2; cumulative[mid] > u {
				hi = mid
			} else {
				lo = mid + 1
			}
		}
		out[i] = lo
	}
	return out, nil
}

// growth encloses e^ε, ok where it is within the solver's reach.
func growth(eps evidence.Epsilon) (w interval.Interval, ok bool) {
	if eps.Value() > largestEpsilon {
		return w, false
	}
	return eps.Enclosure().Exp(), true
}

// maxNoiseBits bounds the states to 1,024.
const maxNoiseBits = 10

// NewOptimalNoise returns the law of B, over all laws on {0,1}^{NP}, with the least
// mean number of flipped bits among those for which X ⊕ B is ε-differentially
// private. Where e^ε is rational the law is exact.
//
// Averaging a law over the permutations of the bits that keep the neighbor
// relation keeps privacy and mean, so the program may take one variable per
// orbit (docs/optimum.md); the merging finds at most that many.
//
// Where no two matrices are neighbors, as for the edges of one node, nothing is
// flipped.
//
// It returns an error wrapping evidence.ErrParameter unless 1 ≤ NP ≤ 10, the
// neighbors suit the shape, and ε is a logarithm or between 1e-9 and 138; ErrPrecision and *Stopped errors come with the best law found, as
// NewOptimal does.
func NewOptimalNoise(ctx context.Context, n, p int, eps evidence.Epsilon, nb xor.Neighbors) (*NoiseLaw, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	if n < 1 || p < 1 || n > maxNoiseBits || p > maxNoiseBits || n*p > maxNoiseBits {
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
	law := &NoiseLaw{Rows: n, Columns: p}
	if len(steps) == 0 {
		law.exact, law.cells = make([]*big.Rat, states), 1
		for b := range law.exact {
			law.exact[b] = new(big.Rat)
		}
		law.exact[0].SetInt64(1)
		law.flips = evidence.Exact{Value: new(big.Rat), Cases: uint64(states), Source: source + "; no two matrices are neighbors"}
		return law, nil
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
			law.exact = x.P
			law.flips = evidence.Exact{Value: x.Value, Cases: uint64(states), Source: source + "; primal and dual points agree, both checked in rationals"}
			law.cells = x.Cells
			return law, nil
		}
		if ctx.Err() != nil {
			return nil, err
		}
	} else if program.Ratio, ok = growth(eps); !ok {
		return nil, parameter.Bad("eps", eps, "at most %g", largestEpsilon)
	}
	x, err := lp.Solve(ctx, program, lp.Options{})
	if x == nil {
		return nil, explain(err, nil, eps)
	}
	law.weights, law.cells = x.P, x.Cells
	for _, w := range x.P {
		law.sum += w
	}
	flips := evidence.Certified{Lo: max(0, x.Lo), Hi: x.Hi, Source: source,
		Method: "interior point method; primal and dual points checked in 256-bit intervals"}
	law.flips = flips
	return law, explain(err, &Optimal{optimum: flips, steps: x.Iterations}, eps)
}
