package program

import (
	"math"
	"slices"
)

// Limits on explicit summation: on the cases of a cutset, and on the distinct laws that the output's draws have in
// these cases.
const (
	largestCases = 20_000
	largestKept  = 2_000
)

// cyclicError wraps the error of comparisons whose graph is not a forest, so that their sums have no closed form.
type cyclicError struct{ error }

func (t cyclicError) Unwrap() error { return t.error }

// cutset holds draws whose values are enumerated, so that the comparisons between the other draws of a path form a
// forest.
type cutset struct {
	draws []int
	at    []span   // range of values of each draw
	tail  fraction // upper bound on the probability that some draw lies outside its range
}

// breakCycles chooses a cutset without draws of the output. Unbounded draws are truncated where the omitted probability
// is negligible, unless the program is symbolic. ok is false if there is no such cutset with at most largestCases
// cases.
func (r *rates) breakCycles(s state, kept []int) (cutset, bool) {
	bounds, possible := s.bounds()
	if !possible {
		return cutset{}, false
	}
	var out cutset
	cut := make([]bool, len(s.draws))
	for {
		d := s.worst(cut, kept)
		if d < 0 {
			break
		}
		if slices.Contains(kept, d) {
			return out, false
		}
		cut[d] = true
		out.draws = append(out.draws, d)
	}
	for bits := 66.0; bits >= 24; bits -= 6 { // each truncation omits a probability near 2^-bits
		cases := 1.0
		out.at, out.tail = nil, fraction{}
		for _, d := range out.draws {
			in := bounds[d]
			if in.lo == below || in.hi == above {
				if r.symbol {
					return out, false
				}
				far := int64(min(bits*math.Ln2/r.logarithm(s.draws[d].step).Mid(), largestCut))
				in, out.tail = r.within(s.draws[d], in, far, out.tail)
			}
			out.at = append(out.at, in)
			cases *= max(0, float64(in.hi)-float64(in.lo)+1)
		}
		if cases <= largestCases {
			return out, true
		}
	}
	return out, false
}

// within truncates the range of a draw to ±far and adds the omitted probability to the tail.
func (r *rates) within(d draw, in span, far int64, tail fraction) (span, fraction) {
	f := r.field
	side := f.mul(r.normaliser(d), f.overOneMinus(f.power(d.step.times(far+1)), d.step, r.grows(d.step)))
	if in.lo == below {
		in.lo, tail = min(-far, in.hi), f.add(tail, side)
	}
	if in.hi == above {
		in.hi, tail = max(far, in.lo), f.add(tail, side)
	}
	return in, tail
}

// worst returns the draw whose value would simplify the comparisons most. It prefers draws in a comparison that is not
// of one or two draws with unit coefficients, and then draws on a cycle. It returns −1 if the comparisons are a forest.
// Draws that are part of the output come last.
func (s state) worst(cut []bool, kept []int) int {
	degree := make([]int, len(s.draws))
	pairs := make(map[[2]int]bool)
	bad := false
	for _, k := range s.spans {
		left := slices.DeleteFunc(slices.Clone(k.form.of), func(p part) bool { return cut[p.draw] })
		switch {
		case len(left) < 2:
		case len(left) == 2 && max(left[0].times, -left[0].times) == max(left[1].times, -left[1].times):
			pairs[[2]int{left[0].draw, left[1].draw}] = true
		default:
			bad = true
			for _, p := range left {
				degree[p.draw]++
			}
		}
	}
	if !bad {
		for p := range pairs {
			degree[p[0]]++
			degree[p[1]]++
		}
		for leaf := true; leaf; { // the remaining draws form cycles
			leaf = false
			for p := range pairs {
				if degree[p[0]] == 1 || degree[p[1]] == 1 {
					degree[p[0]]--
					degree[p[1]]--
					delete(pairs, p)
					leaf = true
				}
			}
		}
	}
	best, rank := -1, 0
	for d, n := range degree {
		if n > 0 && !slices.Contains(kept, d) {
			n += len(s.spans) + 1
		}
		if n > rank {
			best, rank = d, n
		}
	}
	return best
}

// each yields every case: the state after the draws of the cutset have taken fixed values. The state's probability
// includes that of these values.
func (c cutset) each(r *rates, s state, yield func(s state) error) error {
	f := r.field
	values := make([]int64, len(c.draws))
	var visit func(i int, prob fraction) error
	visit = func(i int, prob fraction) error {
		if i == len(c.draws) {
			given, possible := s.given(c.draws, values)
			if !possible {
				return nil
			}
			given.prob = f.mul(s.prob, prob)
			return yield(given)
		}
		d := s.draws[c.draws[i]]
		norm := r.normaliser(d)
		for k := c.at[i].lo; k <= c.at[i].hi; k++ {
			values[i] = k
			if err := visit(i+1, f.mul(prob, norm.shift(d.step.times(max(k, -k))))); err != nil {
				return err
			}
		}
		return nil
	}
	return visit(0, f.one())
}

// given returns the state of the other draws after the given draws have taken the given values; ok is false if the
// comparisons exclude these values.
func (s state) given(draws []int, values []int64) (state, bool) {
	out := s
	out.spans = nil
	for _, k := range s.spans {
		in := k.span
		var of []part
		for _, p := range k.form.of {
			if i := slices.Index(draws, p.draw); i >= 0 {
				in = in.plus(span{-values[i] * int64(p.times), -values[i] * int64(p.times)})
			} else {
				of = append(of, p)
			}
		}
		if len(of) == 0 {
			if in.lo > 0 || in.hi < 0 {
				return s, false
			}
			continue
		}
		form, times := formOf(of)
		out = out.with(comparison{form: form, spans: []span{in.over(int64(times))}}, 0, k.where)
	}
	return out, out.possible()
}
