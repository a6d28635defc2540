package program

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// randomTangle is a state of bounded draws with forms of any coefficients, so that most are no forest.
func randomTangle(src *rand.Rand, n int) state {
	s := state{draws: make([]draw, n), prob: fraction{num: whole(big.NewInt(1))}}
	for i := range s.draws {
		s.draws[i] = draw{step: exponent{1 + src.Int64N(2)}, oneSided: src.IntN(4) == 0}
		lo := src.Int64N(5) - 3
		s.spans = append(s.spans, known{form: form{fmt.Sprint(i), []part{{i, 1}}}, span: span{lo, lo + 1 + src.Int64N(3)}})
	}
	seen := make(map[string]bool)
	for range 1 + src.IntN(2*n) {
		var of []part
		for i := range n {
			if k := src.IntN(5) - 2; k != 0 && src.IntN(3) > 0 {
				of = append(of, part{i, k})
			}
		}
		if len(of) < 2 {
			continue
		}
		f, k := formOf(of)
		lo := src.Int64N(7) - 5
		in := span{lo, lo + src.Int64N(8)}.over(int64(k))
		if !seen[f.key] {
			seen[f.key] = true
			s.spans = append(s.spans, known{form: f, span: in})
		}
	}
	return s
}

// Tangles of bounded draws are summed case by case to what visiting all values sums up to, exactly, however many draws are cut.
func TestTanglesByVisiting(t *testing.T) {
	src := rand.New(rand.NewPCG(10, 1))
	r := newRates()
	r.symbol, r.denom = true, []int64{1}
	cuts := make(map[int]int)
	for round := range 150 {
		s := randomTangle(src, 2+round%3)
		want, _ := s.visited(nil)
		if want.Sign() != 0 && !s.possible() {
			t.Fatalf("%+v have the weight %v, and are taken for impossible", s.spans, want)
		}
		cut, ok := r.untangled(s, nil)
		if !ok {
			if s.possible() {
				t.Fatalf("%+v are not untangled", s.spans)
			}
			continue
		}
		cuts[len(cut.draws)]++
		if !cut.tail.isZero() || len(cut.at) != len(cut.draws) {
			t.Fatalf("%+v leave %v out", cut, cut.tail)
		}
		sum, cases, most := new(big.Rat), 0, 1
		for _, in := range cut.at {
			most *= int(in.hi - in.lo + 1)
		}
		err := cut.each(r, s, func(given state) error {
			cases++
			weight, _, err := r.weigh(given, nil)
			sum.Add(sum, r.field.evaluated(weight, third))
			return err
		})
		if err != nil || sum.Cmp(want) != 0 || cases > most {
			t.Fatalf("%+v sum up to %v in %d of %d cases, %v, want %v", s.spans, sum, cases, most, err, want)
		}
	}
	if cuts[0] < 5 || cuts[1] < 10 || cuts[2] < 5 {
		t.Errorf("by the number of draws that are cut there were %v", cuts)
	}
	broken := errors.New("broken")
	s := randomTangle(src, 4)
	for !s.possible() || s.worst(make([]bool, 4), nil) < 0 {
		s = randomTangle(src, 4)
	}
	cut, _ := r.untangled(s, nil)
	calls := 0
	if err := cut.each(r, s, func(state) error { calls++; return broken }); err != broken || calls != 1 {
		t.Errorf("%v after %d cases, want the first one's error", err, calls)
	}
}

// Of draws that untangle, those go first that stand in most that is no comparison of two, then those in most circles; draws of
// the output last.
func TestWhoIsCutFirst(t *testing.T) {
	pair := func(i, j, times int) known {
		return known{form: form{fmt.Sprint(i, j, times), []part{{i, 1}, {j, times}}}}
	}
	three := func(of ...int) known {
		k := known{form: form{key: fmt.Sprint(of)}}
		for _, i := range of {
			k.form.of = append(k.form.of, part{i, 1})
		}
		return k
	}
	none := make([]bool, 5)
	for name, c := range map[string]struct {
		spans []known
		cut   []bool
		kept  []int
		want  int
	}{
		"nothing":                    {nil, none, nil, -1},
		"a tree":                     {[]known{pair(0, 1, -1), pair(1, 2, 1), pair(1, 3, -1)}, none, nil, -1},
		"a sum and a difference":     {[]known{pair(0, 1, -1), pair(0, 1, 1)}, none, nil, -1},
		"a circle with a tail":       {[]known{pair(0, 1, -1), pair(1, 2, 1), pair(2, 3, -1), pair(1, 3, -1)}, none, nil, 1},
		"two circles at 3":           {[]known{pair(0, 1, -1), pair(0, 3, 1), pair(1, 3, -1), pair(2, 3, -1), pair(2, 4, 1), pair(3, 4, 1)}, none, nil, 3},
		"one of them cut":            {[]known{pair(0, 1, -1), pair(0, 3, 1), pair(1, 3, -1), pair(2, 3, -1), pair(2, 4, 1), pair(3, 4, 1)}, []bool{false, false, false, true, false}, nil, -1},
		"where one is of the output": {[]known{pair(0, 1, -1), pair(1, 2, 1), pair(0, 2, -1)}, none, []int{2}, 0},
		"where all others are":       {[]known{pair(0, 1, -1), pair(1, 2, 1), pair(0, 2, -1)}, none, []int{0, 2}, 1},
		"three draws":                {[]known{three(1, 2, 4), pair(0, 3, 1)}, none, nil, 1},
		"three draws twice":          {[]known{three(0, 2, 4), three(1, 2, 3)}, none, nil, 2},
		"three draws and a circle":   {[]known{three(2, 3, 4), pair(0, 1, 1), pair(1, 3, 1), pair(0, 3, 1)}, none, nil, 2},
		"twice a draw":               {[]known{pair(1, 3, 2)}, none, nil, 1},
		"twice a draw, cut":          {[]known{pair(1, 3, 2)}, []bool{false, true, false, false, false}, nil, -1},
		"kept in three":              {[]known{three(1, 2, 4), three(1, 2, 3)}, none, []int{0, 3, 4}, 1},
	} {
		s := state{draws: make([]draw, 5), spans: c.spans}
		if got := s.worst(c.cut, c.kept); got != c.want {
			t.Errorf("%s: %d is cut first, want %d", name, got, c.want)
		}
	}
	// all of a circle that are no draws of the output are cut, and no other
	r := newRates()
	s := state{draws: make([]draw, 3), spans: []known{pair(0, 1, -1), pair(1, 2, 1), pair(0, 2, -1)}}
	for i := range s.spans {
		s.spans[i].span = span{-2, 2}
	}
	for i := range s.draws {
		s.draws[i].step = exponent{1}
		s.spans = append(s.spans, known{form: form{fmt.Sprint(i), []part{{i, 1}}}, span: span{-2, 2}})
	}
	r.symbol = true
	if _, ok := r.untangled(s, []int{0, 1, 2}); ok {
		t.Error("a draw of the output is cut")
	}
	if cut, ok := r.untangled(s, []int{0}); !ok || !slices.Equal(cut.draws, []int{1}) || !slices.Equal(cut.at, []span{{-2, 2}}) {
		t.Errorf("cut %+v, want draw 1 at −2 … 2", cut)
	}
}

// What is cut off a draw is counted: Pr[X < −far], Pr[X > far], at z = 1/3.
func TestTailsOfCuts(t *testing.T) {
	r := newRates()
	r.denom = []int64{1}
	f := r.field
	two, one := draw{step: exponent{1}}, draw{step: exponent{1}, oneSided: true}
	start := f.rational(big.NewRat(1, 7))
	pow := func(n int64) *big.Rat { return ratPower(third[0], n) }
	side := func(n int64, over *big.Rat) *big.Rat { return new(big.Rat).Mul(pow(n), over) } // z^n/(1 + z) from n on
	half := big.NewRat(3, 4)
	for name, c := range map[string]struct {
		d    draw
		in   span
		far  int64
		want span
		tail *big.Rat
	}{
		"both sides":       {two, span{below, above}, 5, span{-5, 5}, new(big.Rat).Mul(big.NewRat(2, 1), side(6, half))},
		"the left":         {two, span{below, 3}, 5, span{-5, 3}, side(6, half)},
		"the right":        {two, span{-3, above}, 5, span{-3, 5}, side(6, half)},
		"neither":          {two, span{-9, 9}, 5, span{-9, 9}, new(big.Rat)},
		"one side":         {one, span{0, above}, 5, span{0, 5}, side(6, big.NewRat(1, 1))},
		"beyond the left":  {two, span{below, -7}, 5, span{-7, -7}, side(6, half)},
		"beyond the right": {two, span{7, above}, 5, span{7, 7}, side(6, half)},
	} {
		in, tail := r.within(c.d, c.in, c.far, start)
		got := f.evaluated(tail, third)
		if got.Sub(got, big.NewRat(1, 7)); in != c.want || got.Cmp(c.tail) != 0 {
			t.Errorf("%s: %v with %v left out, want %v with %v", name, in, got, c.want, c.tail)
		}
	}
}

// circle compares n draws, each with each other.
func circle(n int, rate Rate) Run {
	return func(x int, noise *Noise) Output {
		noise.Place = func() fmt.Stringer { return here("here") }
		draws := make([]Unknown, n)
		for i := range draws {
			draws[i] = noise.Geometric(rate, big.NewRat(1, 1))
		}
		for i := range draws {
			for j := range i {
				if noise.Less(draws[j], draws[i].Plus(big.NewRat(int64(x+5*j), 1))) {
					return Output{Shape: "less"}
				}
			}
		}
		return Output{Shape: "more"}
	}
}

// Circles of comparisons are summed case by case at a number, where a few draws cut them, and refused elsewhere.
func TestCircles(t *testing.T) {
	const circles = "here: the comparison of X1 with X3 closes a circle of comparisons, want a forest"
	_, err := New(t.Context(), "circle", line(t, 1), circle(3, times(t, 1, 1)), Default)
	if err == nil || !errors.Is(err, evidence.ErrParameter) || (err.Error() != circles && err.Error() != "here: the comparison of X2 with X3 closes a circle of comparisons, want a forest" && err.Error() != "here: the comparison of X1 with X2 closes a circle of comparisons, want a forest") {
		t.Errorf("a circle of a symbol's draws: %v, want %q", err, circles)
	}
	// Σ of a law whose parts are cut is 1, up to what is left out
	p := must.For(New(t.Context(), "circle", line(t, 1), circle(3, log2(1)), Default))(t)
	lo, hi, certified := 0.0, 0.0, false
	for _, v := range p.Law(0)[0] {
		n, _ := v.Number()
		a, b := n.Bounds()
		lo, hi, certified = lo+a, hi+b, certified || n.Kind() == evidence.KindCertified
	}
	if lo > 1+1e-15 || hi < 1-1e-15 || hi-lo > 1e-14 || !certified { // two outputs, each to 2⁻⁵² of itself
		t.Errorf("a law sums up to [%.17g, %.17g], certified %v, want it around 1, and not exact", lo, hi, certified)
	}
	q := must.For(p.SmallestEpsilon(t.Context()))(t)
	if b, _ := q.Bounds(); b != 0 {
		t.Errorf("one dataset has the smallest ε %v", q)
	}
}

// Draws without bounds are cut where 2⁻⁶⁶ of each lies beyond, or more, down to 2⁻²⁴, so that cases are few; with a symbol there is no such place.
func TestFewCases(t *testing.T) {
	complete := func(n int) state {
		s := state{draws: slices.Repeat([]draw{{step: exponent{1}}}, n)}
		for i := range n {
			for j := range i {
				s.spans = append(s.spans, known{form: form{fmt.Sprint(i, j), []part{{j, 1}, {i, -1}}}, span: span{below, 0}})
			}
		}
		return s
	}
	for _, c := range []struct {
		n    int   // draws, two of which are no part of a circle
		bits int64 // that a step away from 0 is worth, times 12
		far  int64 // 0 where there are too many
	}{
		{3, 12, 66}, {4, 12, 66}, {5, 12, 0}, // 133² cases are few, 49³ many
		{4, 6, 60},               // 145² are many, and 121² of 2⁻³⁰ few
		{4, 4, 0},                // 145² of 2⁻²⁴
		{5, 48, 13}, {5, 36, 12}, // 27³ and 25³ are few: 2⁻⁵⁴ and 2⁻³⁶
		{3, 5, 158}, // one draw alone has up to 20000
	} {
		r := newRates()
		if _, _, err := r.unit(Known(must.For(evidence.LogEpsilon("eps", big.NewRat(2, 1)))(t).Ratio(c.bits, 12))); err != nil {
			t.Fatal(err)
		}
		cut, ok := r.untangled(complete(c.n), nil)
		if ok != (c.far > 0) {
			t.Errorf("%+v: few %v", c, ok)
		} else if ok && (len(cut.draws) != c.n-2 || slices.ContainsFunc(cut.at, func(s span) bool { return s != span{-c.far, c.far} })) {
			t.Errorf("%+v: cut to %v", c, cut.at)
		} else if tail, _ := r.enclose(cut.tail).Bounds(); ok && !(tail > 0) {
			t.Errorf("%+v: nothing is left out", c)
		}
		r.symbol = true
		if _, ok := r.untangled(complete(c.n), nil); ok {
			t.Errorf("%+v: draws of a symbol are cut", c)
		}
	}
}

// Draws of the output whose law differs from case to case are kept so often and no more, and what is refused in a case is refused.
func TestCasesOfOutputs(t *testing.T) {
	one := big.NewRat(1, 1)
	run := func(most int64, fast Rate) func(n *Noise) Output {
		return func(n *Noise) Output {
			a, b, kept := n.Geometric(fast, one), n.Geometric(fast, one), n.Geometric(log2(1), one)
			for _, u := range []Unknown{a, b} {
				if n.Less(u, whole64s(0)) || n.Less(whole64s(most), u) {
					return Output{Shape: "far"}
				}
			}
			// the third draw's span follows from both others: 2(most + 1)·a + 2b is different for all
			if n.Less(a.Times(2*int(most)+2).Add(b.Times(2)), kept) {
				return Output{Shape: "in", Numbers: []Unknown{kept}}
			}
			return Output{Shape: "out"}
		}
	}
	if _, err := alone(t, run(5, log2(1))); err != nil {
		t.Errorf("36 laws: %v", err)
	}
	_, err := alone(t, run(44, log2(1))) // 45² = 2025 cases
	wantError(t, err, "an output has draws whose law differs from case to case, in more than 2000")
	// what no case allows, and the tail does: its number is out of range all the same
	_, err = alone(t, func(n *Noise) Output {
		a, b, c := n.Geometric(log2(1), one), n.Geometric(log2(1), one), n.Geometric(log2(1), one)
		if n.Less(whole64s(10000), a.Add(b).Add(c)) {
			return oneNumber(n.OneSided(log2(1)).Plus(big.NewRat(1<<20+1, 1)))
		}
		return Output{Shape: "near"}
	})
	wantError(t, err, "a number of an output: a comparison with 1048577, want at most 1048576 in absolute value")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := false
	_, err = New(ctx, "ended", single(t), func(x int, n *Noise) Output {
		o := run(20, log2(1))(n)
		if o.Shape == "out" {
			ended = true
			cancel()
		}
		return o
	}, Default)
	if !ended || !errors.Is(err, context.Canceled) {
		t.Errorf("441 cases in a context that has ended: %v", err)
	}
}
