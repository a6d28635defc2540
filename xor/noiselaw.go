package xor

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
)

// NoiseLaw is any law of the noise B of an XOR release X ⊕ B on N × P bits, given
// state by state. State b has bit (i, j) of the matrix as its bit i·P + j.
type NoiseLaw struct {
	Rows, Columns int
	weights       []float64  // unnormalised weights of the states
	exact         []*big.Rat // nil if the law is given by weights
	sum           float64
	drawn         func() (*sampling.Law, error) // sampler of the law, if it is rational
}

// NewNoiseLaw returns the law with the given probabilities of the 2^{NP} states. It keeps the slice. It returns an
// error wrapping evidence.ErrParameter unless 1 ≤ NP ≤ [MaxDifferences] and there are 2^{NP} probabilities, none of
// them negative, with sum 1.
func NewNoiseLaw(n, p int, probs []*big.Rat) (*NoiseLaw, error) {
	if err := checkTable(n, p, len(probs)); err != nil {
		return nil, err
	}
	sum := new(big.Rat)
	for b, q := range probs {
		if q == nil || q.Sign() < 0 {
			return nil, parameter.Errorf("probability of state %d: %v, want at least 0", b, q)
		}
		sum.Add(sum, q)
	}
	if sum.Cmp(big.NewRat(1, 1)) != 0 {
		return nil, parameter.Errorf("the sum of the probabilities is %s, want 1", sum.RatString())
	}
	return &NoiseLaw{Rows: n, Columns: p, exact: probs, drawn: sync.OnceValues(func() (*sampling.Law, error) {
		weights := lists.Of(len(probs), func(b int) sampling.Number { return sampling.Rat(probs[b]) })
		return sampling.NewLaw(weights...)
	})}, nil
}

// NewWeightedNoiseLaw returns the law whose probabilities of the 2^{NP} states are the given weights over their sum. It
// keeps the slice. It returns an error wrapping evidence.ErrParameter unless 1 ≤ NP ≤ [MaxDifferences] and there are
// 2^{NP} weights, none of them negative, with a finite sum above 0.
func NewWeightedNoiseLaw(n, p int, weights []float64) (*NoiseLaw, error) {
	if err := checkTable(n, p, len(weights)); err != nil {
		return nil, err
	}
	sum := 0.0
	for b, w := range weights {
		if !(w >= 0) {
			return nil, parameter.Errorf("weight of state %d: %v, want at least 0", b, w)
		}
		sum += w
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return nil, parameter.Errorf("the sum of the weights is %v, want a finite number above 0", sum)
	}
	return &NoiseLaw{Rows: n, Columns: p, weights: weights, sum: sum}, nil
}

// checkTable returns an error wrapping evidence.ErrParameter unless 1 ≤ np ≤ MaxDifferences and states is 2^{np}.
func checkTable(n, p, states int) error {
	if n < 1 || p < 1 || n > MaxDifferences || p > MaxDifferences || n*p > MaxDifferences {
		return parameter.Errorf("n·p = %d·%d, want 1 to %d bits", n, p, MaxDifferences)
	}
	if states != 1<<(n*p) {
		return parameter.Errorf("probabilities of %d states, want %d for %d × %d bits", states, 1<<(n*p), n, p)
	}
	return nil
}

// Prob returns the probability of state b as a float64, or 0 if there is no such state.
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

// Probabilities returns the probability of every state with its evidence: exact if the law was given by rationals,
// certified otherwise.
func (l *NoiseLaw) Probabilities() []evidence.Number {
	from := evidence.From(fmt.Sprintf("the law of the noise on %d × %d bits", l.Rows, l.Columns))
	if l.exact != nil {
		return lists.Each(l.exact, func(q *big.Rat) evidence.Number { return evidence.Exact{Value: q, Provenance: from} })
	}
	sum := interval.Int(0)
	for _, w := range l.weights {
		sum = sum.Add(interval.Float(w))
	}
	return lists.Each(l.weights, func(w float64) evidence.Number {
		return evidence.Enclosed(interval.Float(w).Quo(sum), "256-bit intervals", from.Source)
	})
}

// Probs returns the probability of every state, as [NoiseLaw.Prob] does.
func (l *NoiseLaw) Probs() []float64 {
	return lists.Of(l.States(), func(b int) float64 { return l.Prob(b) })
}

// Rational returns the exact probability of state b. It returns false if the law was given by weights or has no state
// b.
func (l *NoiseLaw) Rational(b int) (*big.Rat, bool) {
	if b < 0 || b >= len(l.exact) {
		return nil, false
	}
	return l.exact[b], true
}

// States returns 2^{NP}.
func (l *NoiseLaw) States() int { return 1 << (l.Rows * l.Columns) }

// Noise draws n states from rounded probabilities, with the error that [draw.Law] states. It is for research, not for a
// release. It returns an error wrapping evidence.ErrParameter if n is negative or the states take more than 4 GiB.
func (l *NoiseLaw) Noise(n int, src rand.Source) ([]int, error) {
	if n < 0 || n > maxSampleBytes/8 {
		return nil, parameter.Bad("n", n, "0…%d", maxSampleBytes/8)
	}
	law := make(draw.Law, 0, l.States())
	for b := range l.States() {
		law.Add(l.Prob(b))
	}
	rng := rand.New(src)
	out := lists.Of(n, func(int) int { return law.Draw(rng) })
	return out, nil
}
