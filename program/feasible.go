package program

// possible reports whether some draws are consistent with the comparisons, as far as interval bounds on single
// draws and forms decide. It is exact if forms have unit coefficients and their graph is a forest. An impossible
// path that this does not exclude gets the probability 0.
func (s state) possible() bool {
	_, ok := s.bounds()
	return ok
}

// bounds returns an interval for each draw, from all comparisons; ok is false if one is empty.
func (s state) bounds() (at []span, ok bool) {
	at = make([]span, len(s.draws))
	for i, d := range s.draws {
		at[i] = span{below, above}
		if d.oneSided {
			at[i].lo = 0
		}
	}
	for round := 0; round <= len(s.draws)+1; round++ {
		changed := false
		for _, k := range s.spans {
			if k.span.isEmpty() {
				return at, false
			}
			for i, p := range k.form.of {
				rest := span{0, 0} // interval of the other draws' sum
				for j, q := range k.form.of {
					if j != i {
						rest = rest.plus(at[q.draw].scaled(int64(q.times)))
					}
				}
				room := k.span.plus(rest.scaled(-1)).over(int64(p.times))
				now := span{max(at[p.draw].lo, room.lo), min(at[p.draw].hi, room.hi)}
				if now != at[p.draw] {
					at[p.draw], changed = now, true
				}
				if now.isEmpty() {
					return at, false
				}
			}
		}
		if !changed {
			return at, true
		}
	}
	return at, true
}

// bounded returns n, or ±infinity if |n| > 2⁶⁰.
func bounded(n int64) int64 {
	switch {
	case n > 1<<60:
		return above
	case n < -1<<60:
		return below
	}
	return n
}

func (s span) plus(o span) span {
	var out span
	if out.lo = below; s.lo != below && o.lo != below {
		out.lo = bounded(s.lo + o.lo)
	}
	if out.hi = above; s.hi != above && o.hi != above {
		out.hi = bounded(s.hi + o.hi)
	}
	return out
}

// scaled returns k·s for k ≠ 0.
func (s span) scaled(k int64) span {
	end := func(n int64, none int64) int64 {
		if n == below || n == above {
			return none
		}
		return bounded(n * k)
	}
	if k < 0 {
		return span{end(s.hi, below), end(s.lo, above)}
	}
	return span{end(s.lo, below), end(s.hi, above)}
}

// over returns the integers n with k·n in s.
func (s span) over(k int64) span {
	if k < 0 {
		return s.scaled(-1).over(-k)
	}
	if s.lo != below {
		s.lo = -floorDiv(-s.lo, k)
	}
	if s.hi != above {
		s.hi = floorDiv(s.hi, k)
	}
	return s
}

// floorDiv returns ⌊a/b⌋ for b > 0.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}
