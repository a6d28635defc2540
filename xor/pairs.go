package xor

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"dpworkbench/privacy"
)

// Entries lists positions (row, column) in a matrix of bits: those in which two answers differ, or the ones of a
// released matrix. A pair consists of the laws of B and of B ⊕ d for a difference pattern d. It does not depend on
// f(D).
type Entries [][2]int

// String lists the entries.
func (e Entries) String() string {
	if len(e) == 0 {
		return "no bits"
	}
	out := "bits"
	for i, at := range e {
		if i == 12 {
			return fmt.Sprintf("%s and %d more", out, len(e)-i)
		}
		out += fmt.Sprintf(" (%d, %d)", at[0], at[1])
	}
	return out
}

// entriesOf returns the ones of a matrix with p columns whose bits are those of the number state.
func entriesOf(state, p int) Entries {
	var out Entries
	for k := 0; state>>k != 0; k++ {
		if state>>k&1 == 1 {
			out = append(out, [2]int{k / p, k % p})
		}
	}
	return out
}

// entries returns the ones of the matrix.
func (b *Bits) entries() Entries {
	var out Entries
	for i := range b.n {
		for k, w := range b.Row(i) {
			for ; w != 0; w &= w - 1 {
				out = append(out, [2]int{i, 64*k + bits.TrailingZeros64(w)})
			}
		}
	}
	return out
}

// lawUniverse identifies a law and its neighbors. Uses of equal laws on one matrix have the same universe.
type lawUniverse[L interface{ Equal(L) bool }] struct {
	law L
	nb  Neighbors
}

// Equal reports whether both have equal laws and neighbors that are known to be equal.
func (u lawUniverse[L]) Equal(o lawUniverse[L]) bool {
	same := func(a, b *Bits) bool { return a.n == b.n && a.p == b.p && slices.Equal(a.rows, b.rows) }
	return u.law.Equal(o.law) && u.nb.kind == o.nb.kind && u.nb.times == o.nb.times && slices.EqualFunc(u.nb.patterns, o.nb.patterns, same)
}

func universeOf[L interface{ Equal(L) bool }](law L, nb Neighbors) privacy.Universe {
	return privacy.ByEquality(lawUniverse[L]{law, nb})
}

// Equal reports whether two laws have the same shape, parameters and reading.
func (b *Bernoulli) Equal(o *Bernoulli) bool {
	switch {
	case b == o || b.n != o.n || b.p != o.p || b.reading != o.reading || (b.cols == nil) != (o.cols == nil):
		return b == o
	case b.cols != nil:
		c, d := b.cols, o.cols
		return c.theta == d.theta && c.lambda == d.lambda && c.offTheta == d.offTheta && c.offLambda == d.offLambda
	}
	none := make([]float64, b.p*b.p)
	within := func(x, y map[Pair][]float64) bool {
		for pair, block := range x {
			if other, ok := y[pair]; !slices.Equal(block, other) && (ok || !slices.Equal(block, none)) {
				return false
			}
		}
		return true
	}
	return slices.Equal(b.theta, o.theta) && within(b.lam, o.lam) && within(o.lam, b.lam)
}

// Noise is a law of noise on bits, whose privacy depends on which bits neighbors differ in.
type Noise interface {
	// PairsUnder returns the pairs of laws that the noise has for the given neighbors.
	PairsUnder(nb Neighbors) (*privacy.DominatingPairs, error)
	// Private assumes neighbors that differ in one bit.
	privacy.Private
}

// Pairs implements privacy.Private, for neighbors that differ in one bit.
func (b *Bernoulli) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	return b.PairsUnder(FlipBits(1))
}

// Pairs implements privacy.Private, for neighbors that differ in one bit.
func (l *NoiseLaw) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	return l.PairsUnder(FlipBits(1))
}

// PairsUnder returns the ordered pairs of laws that the noise has for the neighbors: those of B and B ⊕ d, one for each
// difference pattern d. Each equals its own reverse, because the map b → b ⊕ d swaps the two.
//
// If columns are exchangeable ([Bernoulli.Columns]), a pattern is the number of flipped bits of each column. Otherwise
// all states are visited, at most 2²² over all patterns. Losses and masses are enclosed. Beyond these limits, or if
// there are too many patterns or states of a column, the pairs are an upper bound: the worst mechanism with the same
// smallest ε. For a single use, Under may return a smaller bound. PairsUnder returns the errors of Under.
func (b *Bernoulli) PairsUnder(nb Neighbors) (*privacy.DominatingPairs, error) {
	under, err := b.Under(nb, LossOptions{})
	if err != nil {
		return nil, err
	}
	f := &privacy.DominatingPairs{Name: fmt.Sprintf("XOR noise on %d × %d bits", b.n, b.p), Universe: universeOf(b, nb), Profile: under}
	if b.cols != nil {
		if patterns, ok := b.cols.patterns(nb); ok && patterns.fill(f) {
			f.Profile = nil // only the smallest ε is known
			return f, nil
		}
		return boundOf(f, under), nil
	}
	if b.n > MaxDifferences || b.p > MaxDifferences || b.Dim() > MaxDifferences {
		return boundOf(f, under), nil
	}
	steps, s := nb.differences(b.n, b.p), b.allStates()
	if s == nil || len(steps) > mostStates>>b.Dim() {
		return boundOf(f, under), nil
	}
	ofPatterns(f, steps, b.p)
	f.Pair = func(ctx context.Context, i int) (privacy.Pair, error) { return s.pair(ctx, stepAt(steps, i)) }
	f.Screen = func(i int) *privacy.Screen { return s.rough(stepAt(steps, i)) }
	return f, nil
}

// mostStates bounds the number of states over all patterns.
const mostStates = 1 << 22

// ofPatterns sets the names of a family's pairs, by their patterns, and of their states. If no two matrices are
// neighbors, there is one pair of equal laws.
func ofPatterns(f *privacy.DominatingPairs, steps []int, p int) {
	f.Size, f.Source = max(len(steps), 1), "every state of every difference pattern"
	f.Datasets = func(i int) (x, y any) { return Entries(nil), entriesOf(stepAt(steps, i), p) }
	f.Output = func(tag int) any { return entriesOf(tag, p) }
}

func stepAt(steps []int, i int) int {
	if i < len(steps) {
		return steps[i]
	}
	return 0
}

// boundOf returns f with the upper bound that follows from the smallest ε alone.
func boundOf(f *privacy.DominatingPairs, under privacy.Profile) *privacy.DominatingPairs {
	bound := privacy.PureDP(f.Name, under)
	bound.Universe = f.Universe
	return bound
}
