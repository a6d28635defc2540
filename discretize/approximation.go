package discretize

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Approximation returns the datasets x at which m is an approximation mechanism of its query (Wu et al., Definition
// 19): no neighborhood N_δ of f(x), δ > 0, lies within the layers 0 … upTo of x. Definition 19 has upTo = 0. On a
// discrete range a small N_δ is the set of values at distance 0 from f(x), which is {f(x)} for a metric. m is an
// approximation mechanism if the list is not empty.
//
// Layers are m's own if it is layered, and otherwise those of Definition 13 at eps; the zero Epsilon stands for m's
// claim. Errors are those of New and Guarantee.
func Approximation(ctx context.Context, m mechanism.Mechanism, eps evidence.Epsilon, upTo int) ([]int, error) {
	if upTo < 0 {
		return nil, parameter.Bad("n", upTo, "at least 0")
	}
	if err := m.Query().CheckMetric("Definition 19"); err != nil {
		return nil, err
	}
	level, ok := levelsOf(m)
	if !ok || !eps.IsZero() {
		if eps.IsZero() {
			claim, err := Guarantee(m)
			if err != nil {
				return nil, err
			}
			eps = claim
		}
		d, err := New(ctx, m, eps)
		if err != nil {
			return nil, err
		}
		level = d.Layer
	}
	q := m.Query()
	out := []int{}
	for x := range q.Size() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, r := range q.RationalBall(x, noRadius) {
			if l := level(x, r); l == query.Unreached || l > upTo {
				out = append(out, x)
				break
			}
		}
	}
	return out, nil
}

var noRadius = new(big.Rat)

// levelsOf returns the function that gives the layers of m, and false if m is not layered. A mechanism with layers and
// a decay is layered.
func levelsOf(m mechanism.Mechanism) (func(x, r int) int, bool) {
	l, ok := m.(interface {
		Layer(x, r int) int
		Decay() evidence.Epsilon
	})
	if !ok {
		return nil, false
	}
	return l.Layer, true
}

// WithRange is mechanism.WithRange; it preserves layered mechanisms.
func WithRange(ctx context.Context, m mechanism.Mechanism, q *query.Query) (mechanism.Mechanism, error) {
	level, ok := levelsOf(m)
	if !ok {
		table, err := mechanism.WithRange(ctx, m, q)
		if err != nil {
			return nil, err
		}
		return table, nil
	}
	own := m.Query()
	q, place, err := mechanism.ExtendRange(own, q)
	if err != nil {
		return nil, err
	}
	size := len(q.Range())
	table := make([]int32, q.Size()*size)
	for i := range table {
		table[i] = query.Unreached
	}
	for x := range q.Size() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for r, at := range place {
			table[x*size+at] = int32(level(x, r))
		}
	}
	decay := m.(interface{ Decay() evidence.Epsilon }).Decay()
	given, err := layers.NewGiven(ctx, mechanism.Info{Name: m.Name() + " for " + q.Name(), Query: q, Claimed: m.ClaimedEpsilon()}, decay, table)
	if err != nil {
		return nil, err
	}
	return given, nil
}
