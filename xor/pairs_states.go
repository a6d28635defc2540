package xor

import (
	"context"
	"math"
	"sync"

	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// states is the law of few bits, with an interval for each state.
type states struct {
	diag, twice []interval.Interval // twice the coupling of bits j < k is twice[k·d + j]
	steps       []int64             // the steps of diag and twice, in the order of latticeOf's arguments
	on          lattice
	off         float64 // largest effect of the parameters' reading on an exponent

	guard    sync.Mutex
	share    []interval.Interval // Pr[state], nil until needed
	exponent []interval.Interval
	middle   []float64
	units    []int64 // the exponent in units of the lattice
}

// allStates returns the law of the states of b, nil if exponents are too large or too uncertain.
func (b *Bernoulli) allStates() *states {
	diag, rows := b.dense(nil)
	lo, hi := exponentBounds(diag, rows)
	off := b.reading.exponents(diag, rows)
	if !(hi-lo < 1e6) || !(off < 0x1p-30) {
		return nil
	}
	d := len(diag)
	s := &states{off: off, diag: make([]interval.Interval, d), twice: make([]interval.Interval, d*d)}
	around := func(v float64) interval.Interval {
		off := b.reading.of(v)
		return interval.Float(v).Add(interval.Between(-off, off))
	}
	var numbers []float64
	two := interval.Int(2)
	for k := range d {
		s.diag[k] = around(diag[k])
		numbers = append(numbers, diag[k])
		for j := range k {
			s.twice[k*d+j] = around(rows[k][j]).Mul(two)
			numbers = append(numbers, 2*rows[k][j])
		}
	}
	s.on = latticeOf(numbers...)
	s.steps = s.on.count
	return s
}

// visit computes the law, once.
func (s *states) visit(ctx context.Context) error {
	s.guard.Lock()
	defer s.guard.Unlock()
	if s.share != nil {
		return nil
	}
	d := len(s.diag)
	weight, exponent, units := make([]interval.Interval, 1<<d), make([]interval.Interval, 1<<d), make([]int64, 1<<d)
	pull, more, step := make([]interval.Interval, 1<<d), make([]interval.Interval, 1<<d), make([]int64, 1<<d)
	weight[0], exponent[0] = interval.Int(1), interval.Int(0)
	sum := weight[0]
	at := 0
	count := func() (n int64) {
		if s.on.unit > 0 {
			n = s.steps[at]
		}
		at++
		return n
	}
	for k := range d {
		// pull[t] is the factor by which setting bit k changes the weight of a state t of the bits before. more[t] is
		// the change of the exponent.
		pull[0], more[0], step[0] = s.diag[k].Exp(), s.diag[k], count()
		for j := range k {
			v := s.twice[k*d+j]
			f, n := v.Exp(), count()
			for t := range 1 << j {
				pull[t|1<<j], more[t|1<<j], step[t|1<<j] = pull[t].Mul(f), more[t].Add(v), step[t]+n
			}
		}
		for t := range 1 << k {
			if t%4096 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			u := t | 1<<k
			weight[u], exponent[u], units[u] = weight[t].Mul(pull[t]), exponent[t].Add(more[t]), units[t]+step[t]
			sum = sum.Add(weight[u])
		}
	}
	for t := range weight {
		weight[t] = weight[t].Quo(sum)
	}
	s.middle = interval.Mids(exponent)
	s.share, s.exponent, s.units = weight, exponent, units
	return nil
}

// pair returns the pair of a difference pattern.
func (s *states) pair(ctx context.Context, step int) (privacy.Pair, error) {
	if step == 0 {
		return nothing(), nil
	}
	if err := s.visit(ctx); err != nil {
		return nil, err
	}
	atoms := make([]atom, len(s.share))
	for t := range atoms {
		if t%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		u := t ^ step
		atoms[t] = atom{s.share[t], s.share[u], s.exponent[t].Sub(s.exponent[u]), s.units[t] - s.units[u], t}
	}
	return lossesOf(atoms, s.on), nil
}

// rough returns the float64 screen of a difference pattern's pair.
func (s *states) rough(step int) *privacy.Screen {
	_ = s.visit(context.Background()) // only an ended context makes it fail
	r := &privacy.Screen{}
	furthest := 0.0
	for t, p := range s.share {
		a, b := s.middle[t], s.middle[t^step]
		furthest = math.Max(furthest, math.Abs(a))
		r.Loss, r.P = append(r.Loss, a-b), append(r.P, math.Max(p.Mid(), 0x1p-1022))
	}
	r.Error = 0x1p-50*(1+furthest) + 4*s.off
	return r
}
