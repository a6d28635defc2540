package program

import (
	"dpworkbench/internal/must"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// randomTree is a state whose draws are bounded to within ±5 and joined in a forest, by differences, sums or both.
func randomTree(src *rand.Rand, n int) state {
	s := state{draws: make([]draw, n), prob: fraction{num: whole(big.NewInt(1))}}
	for i := range s.draws {
		s.draws[i] = draw{step: exponent{1 + src.Int64N(2)}, oneSided: src.IntN(4) == 0}
		s.spans = append(s.spans, known{form: form{fmt.Sprint(i), []part{{i, 1}}}, span: span{-1 - src.Int64N(5), 1 + src.Int64N(5)}})
		if i == 0 || src.IntN(6) == 0 {
			continue
		}
		j := src.IntN(i)
		which := 1 + src.IntN(3)
		for bit, sign := range []int{-1, 1} {
			if which>>bit&1 == 0 {
				continue
			}
			lo := src.Int64N(9) - 6
			in := span{lo, lo + src.Int64N(7)}
			switch src.IntN(3) {
			case 0:
				in.lo = below
			case 1:
				in.hi = above
			}
			s.spans = append(s.spans, known{form: form{fmt.Sprint(i, j, sign), []part{{j, 1}, {i, sign}}}, span: in})
		}
	}
	src.Shuffle(len(s.spans), func(i, j int) { s.spans[i], s.spans[j] = s.spans[j], s.spans[i] })
	return s
}

// visited sums a state out at z = 1/3 by visiting all values: the whole weight, and that at each value of the kept draws.
func (s state) visited(kept []int) (all *big.Rat, at map[string]*big.Rat) {
	z := third[0]
	norm := big.NewRat(1, 1)
	var weights [6][11]int64 // times 9⁵, z^{step·k}
	for i, d := range s.draws {
		zs := ratPower(z, d.step[0])
		norm.Mul(norm, new(big.Rat).Sub(big.NewRat(1, 1), zs))
		if !d.oneSided {
			norm.Quo(norm, new(big.Rat).Add(big.NewRat(1, 1), zs))
		}
		for k := int64(-5); k <= 5; k++ {
			w := new(big.Rat).Mul(big.NewRat(59049, 1), ratPower(zs, max(k, -k)))
			if d.oneSided && k < 0 {
				w.SetInt64(0)
			}
			weights[i][k+5] = w.Num().Int64()
		}
		norm.Quo(norm, big.NewRat(59049, 1))
	}
	total := new(big.Int)
	sums := make(map[string]*big.Int)
	var x [6]int64
	var visit func(i int, w *big.Int)
	visit = func(i int, w *big.Int) {
		if i < len(s.draws) {
			for x[i] = -5; x[i] <= 5; x[i]++ {
				if n := weights[i][x[i]+5]; n != 0 {
					visit(i+1, new(big.Int).Mul(w, big.NewInt(n)))
				}
			}
			return
		}
		for _, k := range s.spans {
			sum := int64(0)
			for _, p := range k.form.of {
				sum += int64(p.times) * x[p.draw]
			}
			if !k.span.has(sum) {
				return
			}
		}
		total.Add(total, w)
		var values []int64
		for _, d := range kept {
			values = append(values, x[d])
		}
		key := fmt.Sprint(values)
		if sums[key] == nil {
			sums[key] = new(big.Int)
		}
		sums[key].Add(sums[key], w)
	}
	visit(0, big.NewInt(1))
	at = make(map[string]*big.Rat)
	for key, n := range sums {
		at[key] = new(big.Rat).Mul(norm, new(big.Rat).SetInt(n))
	}
	return norm.Mul(norm, new(big.Rat).SetInt(total)), at
}

// Trees of draws are summed out as visiting all their values sums them, exactly, the laws of draws that are kept too.
func TestTreesByVisiting(t *testing.T) {
	src := rand.New(rand.NewPCG(8, 1))
	r := newRates()
	r.denom = []int64{1}
	f := r.field
	empty := 0
	for round := range 150 {
		s := randomTree(src, 2+round%3)
		trees := treesOf(t, s, r)
		var kept []int
		for _, c := range trees { // at most one of each
			if src.IntN(2) == 0 {
				kept = append(kept, c.draws[src.IntN(len(c.draws))])
			}
		}
		slices.Sort(kept)
		all, at := s.visited(kept)
		weight, laws, err := r.weigh(s, kept)
		if err != nil {
			t.Fatal(err)
		}
		if all.Sign() == 0 {
			empty++
		}
		total := f.evaluated(weight, third)
		for _, d := range kept {
			if laws == nil {
				total.SetInt64(0)
				break
			}
			total.Mul(total, f.evaluated(r.total(laws[d]), third))
		}
		if total.Cmp(all) != 0 {
			t.Fatalf("%+v sum up to %v, want %v", s.spans, total, all)
		}
		if laws == nil {
			continue
		}
		x := make([]int64, len(kept))
		var visit func(i int, w *big.Rat)
		visit = func(i int, w *big.Rat) {
			if i < len(kept) {
				for x[i] = -6; x[i] <= 6; x[i]++ {
					visit(i+1, new(big.Rat).Mul(w, number(t, f, laws[kept[i]], x[i])))
				}
				return
			}
			want := at[fmt.Sprint(x)]
			if want == nil {
				want = new(big.Rat)
			}
			if w.Cmp(want) != 0 {
				t.Fatalf("%+v: %v at %v have the weight %v, want %v", s.spans, kept, x, w, want)
			}
		}
		visit(0, f.evaluated(weight, third))
	}
	if empty == 0 || empty > 75 {
		t.Errorf("%d of 150 are empty", empty)
	}
}

// treesOf returns the trees of a state, after it was seen that any draw of one sums it up alike.
func treesOf(t *testing.T, s state, r *rates) []component {
	t.Helper()
	f := must.For(newForest(r, s))(t)
	trees := must.For(f.components(nil))(t)
	for _, c := range trees {
		if c.kept != -1 {
			t.Fatalf("%d is kept of %v", c.kept, c.draws)
		}
		first := r.field.evaluated(f.total(c.draws[0]), third)
		for _, i := range c.draws {
			if got := r.field.evaluated(f.total(i), third); got.Cmp(first) != 0 {
				t.Fatalf("%+v sum up to %v from %d and to %v from %d", s.spans, first, c.draws[0], got, i)
			}
		}
		centre := f.centre(c)
		for _, i := range c.draws {
			if len(f.pairs[i]) > len(f.pairs[centre]) {
				t.Fatalf("%d was compared more than %d", i, centre)
			}
		}
	}
	return trees
}

// Trees that differ in the order of their draws have one name, others have others: with a step, a side, an end or the
// direction of a comparison turned.
func TestNamesOfTrees(t *testing.T) {
	src := rand.New(rand.NewPCG(8, 2))
	r := newRates()
	name := func(s state, i int) string {
		f := must.For(newForest(r, s))(t)
		return f.key(i, nil)
	}
	for range 200 {
		n := 2 + src.IntN(3)
		s := randomTree(src, n)
		to := src.Perm(n)
		turned := state{draws: make([]draw, n)}
		for i, d := range s.draws {
			turned.draws[to[i]] = d
		}
		for _, k := range s.spans {
			var of []part
			in := k.span
			for _, p := range k.form.of {
				of = append(of, part{to[p.draw], p.times})
			}
			if len(of) == 2 && of[0].draw > of[1].draw {
				of[0], of[1] = of[1], of[0]
				if of[0].times < 0 { // b − a in −hi … −lo
					of[0].times, of[1].times = 1, -1
					in = in.scaled(-1)
				}
			}
			turned.spans = append(turned.spans, known{form: form{k.form.key, of}, span: in})
		}
		src.Shuffle(len(turned.spans), func(i, j int) { turned.spans[i], turned.spans[j] = turned.spans[j], turned.spans[i] })
		for i := range n {
			if a, b := name(s, i), name(turned, to[i]); a != b {
				t.Fatalf("%+v and its draws in the order %v have two names", s.spans, to)
			}
		}
		other := s
		other.draws = slices.Clone(s.draws)
		other.draws[0].step[src.IntN(most)]++
		if name(s, 0) == name(other, 0) {
			t.Fatal("a step is not part of a name")
		}
		other.draws[0] = s.draws[0]
		other.draws[0].oneSided = !other.draws[0].oneSided
		if at := s.spans[slices.IndexFunc(s.spans, func(k known) bool { return k.form.key == "0" })]; at.span.lo < 0 && name(s, 0) == name(other, 0) {
			t.Fatal("a side is not part of a name")
		}
	}
}
