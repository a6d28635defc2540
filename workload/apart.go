package workload

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

// runEpochs finds the least error for several participations. For MinSeparation it uses all patterns. If there are too
// many of them, it starts with the patterns of Fixed. In each round it adds the patterns that move Cx most for the
// strategy found.
func (s *search) runEpochs(ctx context.Context) (Optimum, error) {
	_, n := s.kept.Dims()
	fixed := s.p
	fixed.Kind = Fixed
	patterns := fixed.fixedPatterns(n)
	if s.p.Kind == Fixed {
		found, _, err := s.over(ctx, patterns, s.gap)
		return found, err
	}
	if all, ok := s.p.separatedPatterns(n, mostAll); ok && ownVariables(all) <= mostAll {
		found, _, err := s.over(ctx, all, s.gap)
		return found, err
	}
	best, err := s.banded(ctx)
	for round := 0; err == nil && round < mostRounds; round++ {
		var found Optimum
		var weights []float64
		if found, weights, err = s.over(ctx, patterns, max(s.gap, roundGap)); err != nil {
			break
		}
		best = best.narrowed(found)
		more := s.worst(found.C, patterns)
		if best.Error.Hi <= best.Error.Lo*(1+max(s.gap, lastGap)) || len(more) == 0 {
			break
		}
		if ownVariables(patterns)+ownVariables(more) > mostAll { // drop patterns without weight
			least := .01 * sum(weights) / float64(len(weights))
			var kept [][]int
			for k, steps := range patterns {
				if weights[k] >= least {
					kept = append(kept, steps)
				}
			}
			patterns = kept
		}
		for len(more) > 0 && ownVariables(patterns)+ownVariables(more) > mostAll {
			more = more[:len(more)-1]
		}
		patterns = append(patterns, more...)
	}
	return best, err
}

const (
	mostConjugateVariables = 4 * MostVariables
	mostAll                = 2500 // most variables with which all patterns of MinSeparation are used
	mostRounds             = 12
	roundGap               = 1e-4 // relative gap at which the search of a round stops
	lastGap                = 1e-3 // relative gap at which no further round follows
)

// banded returns the factorisation of the strategy "banded", whose error is an upper end, with the lower end 0. If W is
// not Toeplitz, it returns no factorisation and an infinite upper end.
func (s *search) banded(ctx context.Context) (o Optimum, err error) {
	o.Error = certified(s.w, s.o, s.p, 0, math.Inf(1))
	w, ok := s.w.(*Toeplitz)
	if !ok {
		return o, nil
	}
	found, err := NewStrategy(ctx, w, "banded", StrategyParams{Objective: s.o, Participation: s.p})
	if err != nil {
		return o, err
	}
	b, err := found.Decoder()
	if err != nil {
		return o, err
	}
	c, err := found.Encoder()
	if err != nil {
		return o, err
	}
	size := found.Sensitivity.Hi * (1 + 1e-12)
	o.B, o.C = new(mat.Dense), new(mat.Dense)
	o.B.Scale(size, b)
	o.C.Scale(1/size, c)
	o.Error.Hi = found.Error().Hi * (1 + 4e-12)
	return o, nil
}

// narrowed returns the narrower bounds of two searches for the same optimum, with the factorisation of smaller error.
func (o Optimum) narrowed(by Optimum) Optimum {
	lo := max(o.Error.Lo, by.Error.Lo)
	if by.Error.Hi < o.Error.Hi {
		o = by
	}
	o.Error.Lo = lo
	return o
}

// worst returns new patterns of MinSeparation that move Cx more than all known ones. There are at most as many as
// steps. First come the worst pattern found around each step, and then the worst of all patterns if these can be
// listed.
func (s *search) worst(c *mat.Dense, known [][]int) (more [][]int) {
	g := newGram(c)
	_, n := c.Dims()
	seen, most := map[string]bool{}, 0.0
	for _, steps := range known {
		seen[fmt.Sprint(steps)] = true
		most = max(most, g.absolute(steps))
	}
	take := func(all [][]int) {
		slices.SortStableFunc(all, func(a, b []int) int { return cmp.Compare(g.absolute(b), g.absolute(a)) })
		for _, steps := range all {
			if len(more) == n || !(g.absolute(steps) > most*(1+2*roundGap)) {
				break
			}
			if key := fmt.Sprint(steps); !seen[key] {
				seen[key] = true
				more = append(more, steps)
			}
		}
	}
	var around [][]int
	for i := range n {
		weights := slices.Clone(g.size.RawRowView(i))
		_, others := s.p.heaviest(weights, 1, i)
		for _, k := range others {
			axpy(weights, 1, g.size.RawRowView(k))
		}
		_, steps := s.p.heaviest(weights, 0, -1)
		around = append(around, steps)
	}
	take(around)
	if all, ok := s.p.separatedPatterns(n, mostListed); ok {
		take(all)
	}
	return more
}

// over returns the optimum for participation in one of the patterns, and the weights of the patterns. It stops at the
// relative gap, where 0 means the default.
func (s *search) over(ctx context.Context, patterns [][]int, gap float64) (Optimum, []float64, error) {
	rows, n := s.kept.Dims()
	e := newEpochs(patterns, s.p.Scalar, n)
	d := e.dual(s.kept, s.o)
	most := MostVariables
	if e.conjugate {
		most = mostConjugateVariables
	}
	if size := d.size() - d.columns + len(e.patterns) + len(e.pairs); size > most {
		return Optimum{}, nil, parameter.Errorf("the dual of %s with %s has %d weights of steps and of pairs, "+
			"want at most %d", s.w.Name(), s.p, size, most)
	}
	if gap == 0 {
		gap = defaultGap
		if len(e.patterns)+len(e.pairs) > mostReduced(Mean) {
			gap = defaultLongGap
		}
	}
	var x []float64
	if s.o == Max {
		x = uniform(rows)
	}
	x, err := d.maximise(ctx, append(x, e.start()...), gap)
	if err != nil {
		return Optimum{}, nil, err
	}
	p, y := d.split(x)
	f, r, reach, err := e.factor(s.kept, p, y)
	if err != nil {
		return Optimum{}, nil, err
	}
	found, err := s.certify(ctx, f, p, r, reach)
	return found, y[:len(patterns)], err
}
