package xor

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/privacy"
)

// PairsUnder returns the ordered pairs of laws that the noise has for the neighbors. There is one pair of B and B ⊕ d
// for each difference pattern d, which equals its own reverse. The pairs are exact, from the same rationals as Under.
// If all patterns have more than 2²² states together, the pairs are an upper bound from the smallest ε. For a single
// use, Under answers. PairsUnder has the same errors.
func (l *NoiseLaw) PairsUnder(nb Neighbors) (*privacy.DominatingPairs, error) {
	under, err := l.Under(nb)
	if err != nil {
		return nil, err
	}
	steps := nb.differences(l.Rows, l.Columns)
	f := &privacy.DominatingPairs{Name: fmt.Sprintf("XOR noise on %d × %d bits by its law", l.Rows, l.Columns), Universe: universeOf(l, nb), Profile: under}
	if len(steps) > mostStates>>(l.Rows*l.Columns) {
		return boundOf(f, under), nil
	}
	kinds := l.kinds()
	ofPatterns(f, steps, l.Columns)
	f.Pair = func(_ context.Context, i int) (privacy.Pair, error) { return kinds.pair(stepAt(steps, i)), nil }
	f.Screen = func(i int) *privacy.Screen {
		_, p, q := kinds.moved(stepAt(steps, i))
		return privacy.NewScreen(p, q)
	}
	return f, nil
}

// Equal reports whether two laws have the same shape and probabilities.
func (l *NoiseLaw) Equal(o *NoiseLaw) bool {
	if l == o || l.Rows != o.Rows || l.Columns != o.Columns {
		return l == o
	}
	a, sum := l.whole()
	b, all := o.whole()
	return slices.EqualFunc(a, b, func(v, w *big.Int) bool { return new(big.Int).Mul(v, all).Cmp(new(big.Int).Mul(w, sum)) == 0 })
}

// stateKinds groups a law's states by their probability.
type stateKinds struct {
	of   []int // of[b] is the index of state b's probability in prob
	prob []*big.Rat
}

func (l *NoiseLaw) kinds() *stateKinds {
	weight, sum := l.whole()
	out, seen := &stateKinds{of: make([]int, len(weight))}, map[string]int{}
	for b, w := range weight {
		key := string(w.Bytes())
		at, ok := seen[key]
		if !ok {
			at = len(out.prob)
			seen[key] = at
			out.prob = append(out.prob, new(big.Rat).SetFrac(w, sum))
		}
		out.of[b] = at
	}
	return out
}

// moved groups the states that have the same probabilities under B and under B ⊕ step. p and q are the total
// probabilities of each group.
func (s *stateKinds) moved(step int) (states [][]int, p, q []*big.Rat) {
	seen := map[[2]int]int{}
	for b, k := range s.of {
		key := [2]int{k, s.of[b^step]}
		at, ok := seen[key]
		if !ok {
			at = len(states)
			seen[key] = at
			states, p, q = append(states, nil), append(p, s.prob[key[0]]), append(q, s.prob[key[1]])
		}
		states[at] = append(states[at], b)
	}
	for i, alike := range states {
		n := big.NewRat(int64(len(alike)), 1)
		p[i], q[i] = new(big.Rat).Mul(p[i], n), new(big.Rat).Mul(q[i], n)
	}
	return states, p, q
}

// pair returns the laws of B and of B ⊕ step.
func (s *stateKinds) pair(step int) privacy.Pair {
	states, p, q := s.moved(step)
	var atoms []privacy.Atom
	sure, never := new(big.Rat), new(big.Rat)
	var tags []int
	for i, alike := range states {
		switch {
		case q[i].Sign() == 0 && p[i].Sign() == 0:
		case q[i].Sign() == 0:
			sure.Add(sure, p[i])
			tags = append(tags, alike...)
		case p[i].Sign() == 0:
			never.Add(never, q[i])
		default:
			a := privacy.RationalAtom(p[i], q[i], 0)
			a.Tags = alike
			atoms = append(atoms, a)
		}
	}
	return privacy.NewDiscretePair(atoms, evidence.ExactRat(sure), evidence.ExactRat(never), evidence.Epsilon{}, privacy.Hooks{}).WithInfinityTags(tags)
}
