package signrp

import (
	"context"
	"math/big"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// sides holds the laws of signs at two vectors, and the pairs of these laws in both orders.
type sides struct {
	a, b  *law
	pairs func() [2]privacy.Pair
}

// newSides returns the sides for the laws a and b. The comment of signPair explains still.
func newSides(a, b *law, still []bool) *sides {
	return &sides{a, b, sync.OnceValue(func() [2]privacy.Pair {
		pair := signPair(a, b, still)
		return [2]privacy.Pair{pair, pair.Reverse()}
	})}
}

// delta returns the least δ with P(S) ≤ e^ε Q(S) + δ and Q(S) ≤ e^ε P(S) + δ for all sets S of patterns.
func (s *sides) delta(ctx context.Context, eps evidence.Epsilon, source string) (evidence.Number, error) {
	if s.a.contradicts(s.b) {
		return evidence.Exact{Value: big.NewRat(1, 1), Side: evidence.Up, Provenance: evidence.From(source)}, nil
	}
	if covers(eps, smallestEpsilon(s.a, s.b, source)) {
		return evidence.Exact{Value: new(big.Rat), Side: evidence.Up, Provenance: evidence.From(source)}, nil
	}
	d := evidence.ExactRat(new(big.Rat))
	for _, pair := range s.pairs() {
		one, err := pair.Delta(ctx, eps)
		if err != nil {
			return nil, err
		}
		d = privacy.Max(d, one)
	}
	if d.Rational != nil {
		return evidence.Exact{Value: d.Rational, Side: evidence.Up, Provenance: evidence.From(source)}, nil
	}
	out := evidence.EnclosedLoss(d.Enclosure, "hockey-stick divergence of the sum of the bits' losses", source)
	out.Hi = min(out.Hi, 1)
	return out, nil
}

// contradicts reports whether some bit is always + under one law and always − under the other. Then the laws have
// no pattern in common.
func (l *law) contradicts(m *law) bool {
	for j := range l.level {
		if l.isFixed(j) && m.isFixed(j) && (l.level[j] < 0) != (m.level[j] < 0) {
			return true
		}
	}
	return false
}

// chance is a probability and its logarithm.
type chance struct{ p, log interval.Interval }

// levelProbs returns Pr[+1] by signed level, cached.
func levelProbs(eps evidence.Epsilon) func(level int) chance {
	known := make(map[int]chance)
	unit := interval.Int(1)
	return func(level int) chance {
		v, ok := known[level]
		if !ok {
			v.log = logOnePlusExp(levelLogit(-level, eps)).Neg()
			if lo, _ := levelLogit(level, eps).Bounds(); lo >= 0 {
				v.p = unit.Quo(unit.Add(levelLogit(-level, eps).Exp()))
			} else {
				e := levelLogit(level, eps).Exp()
				v.p = e.Quo(unit.Add(e))
			}
			known[level] = v
		}
		return v
	}
}

func sgn(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}
