package records

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/locks"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
)

// stairTail is Pr[Z > u] and ∫_u^∞ Pr[Z > s] ds of a staircase of rational parameters: over [k, k + 1) the tail is b^k times that over [0, 1),
// a line on either side of γ.
func stairTail(b, gamma, density, u *big.Rat) (tail, above *big.Rat) {
	one, half := big.NewRat(1, 1), big.NewRat(1, 2)
	mul := func(v ...*big.Rat) *big.Rat {
		out := big.NewRat(1, 1)
		for _, w := range v {
			out.Mul(out, w)
		}
		return out
	}
	add := func(v, w *big.Rat) *big.Rat { return new(big.Rat).Add(v, w) }
	minus := func(v, w *big.Rat) *big.Rat { return new(big.Rat).Sub(v, w) }
	at := func(v *big.Rat) *big.Rat { // the tail at 0 ≤ v ≤ 1
		if v.Cmp(gamma) <= 0 {
			return minus(half, mul(density, v))
		}
		return minus(minus(half, mul(density, gamma)), mul(density, b, minus(v, gamma)))
	}
	area := func(v *big.Rat) *big.Rat { // under it, from v to 1
		middle := gamma
		if v.Cmp(gamma) > 0 {
			middle = v
		}
		return add(mul(half, minus(middle, v), add(at(v), at(middle))), mul(half, minus(one, middle), add(at(middle), at(one))))
	}
	k := interval.RationalFloor(u)
	power := interval.RationalPower(b, k)
	v := minus(u, new(big.Rat).SetInt(k))
	all := mul(area(new(big.Rat)), new(big.Rat).Inv(minus(one, b)))
	return mul(power, at(v)), mul(power, add(area(v), mul(b, all)))
}

// A staircase of an open number is open from the value at its upper end to that at its lower one, in whatever steps they lie, and whether it has an end or none.
func TestStaircasesOfOpenNumbers(t *testing.T) {
	b, gamma := big.NewRat(1, 3), big.NewRat(2, 5)
	density := new(big.Rat).Quo(big.NewRat(1, 3), big.NewRat(3, 5)) // (1 − b)/2 over γ + b(1 − γ)
	s := staircase{b: interval.Rat(b), gamma: interval.Rat(gamma), density: interval.Rat(density)}
	zero := new(big.Rat)
	far := func(k uint) *big.Rat { return new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), k)) }
	huge := interval.Float(math.MaxFloat64)
	huge = interval.Hull(interval.Int(0), huge.Pow(40)).Upper() // of too many digits for a whole part
	for _, c := range []struct {
		from *big.Rat
		to   *big.Rat // nil: no end
		u    interval.Interval
	}{
		{big.NewRat(9, 10), big.NewRat(11, 10), interval.Int(0)},
		{zero, big.NewRat(3, 1), interval.Int(0)},
		{big.NewRat(1, 4), big.NewRat(30, 7), interval.Int(0)},
		{big.NewRat(5, 2), big.NewRat(5, 2), interval.Int(0)},
		{big.NewRat(1, 2), far(31), interval.Int(0)},
		{big.NewRat(1, 2), far(40), interval.Int(0)},
		{big.NewRat(7, 4), far(400), interval.Int(0)},
		{far(40), far(41), interval.Int(0)},
		{far(400), far(401), interval.Int(0)},
		{big.NewRat(3, 2), nil, interval.Hull(interval.Rat(big.NewRat(3, 2)), huge)},
		{big.NewRat(3, 2), nil, interval.Hull(interval.Rat(big.NewRat(3, 2)), interval.Whole().Upper())},
		{zero, nil, interval.Whole()},
		{far(32), nil, interval.Hull(interval.Rat(far(32)), huge)},
		{far(32), nil, huge},
	} {
		u := c.u
		if c.to != nil {
			u = interval.Hull(interval.Rat(c.from), interval.Rat(c.to))
		}
		for name, f := range map[string]func(u interval.Interval) interval.Interval{"tail": s.Tail, "above": s.above} {
			value := func(u *big.Rat) interval.Interval {
				if u == nil || u.Cmp(big.NewRat(1000, 1)) > 0 {
					return interval.Int(0)
				}
				tail, above := stairTail(b, gamma, density, u)
				if name == "tail" {
					return interval.Rat(tail)
				}
				return interval.Rat(above)
			}
			have, low, high := f(u), value(c.to), value(c.from)
			slack := interval.Hull(interval.Float(-0x1p-200), interval.Float(0x1p-200))
			if want := interval.Hull(low, high).Add(slack); have.CmpLo(want) < 0 || have.CmpHi(want) > 0 || high.Less(have) || have.Upper().Less(high) || low.Less(have) {
				t.Errorf("%s from %v to %v: %v, want %v to %v", name, c.from, c.to, have, low, high)
			}
		}
	}
}

// A staircase that hardly falls at a step is as the definition has it however many steps away: b^k is e^{k ln b}.
func TestStaircasesThatHardlyFall(t *testing.T) {
	gamma := big.NewRat(2, 5)
	for _, bits := range []uint{20, 31, 33, 45, 61, 70} {
		one := big.NewRat(1, 1)
		fall := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), bits))
		b := new(big.Rat).Sub(one, fall)
		density := new(big.Rat).Quo(new(big.Rat).Mul(fall, big.NewRat(1, 2)), new(big.Rat).Add(gamma, new(big.Rat).Mul(b, big.NewRat(3, 5))))
		s := staircase{b: interval.Rat(b), gamma: interval.Rat(gamma), density: interval.Rat(density)}
		value := func(k, v *big.Rat) (tail, above interval.Interval) {
			power := interval.Rat(b).Log().Mul(interval.Rat(k)).Exp()
			a, c := stairTail(b, gamma, density, v)
			return power.Mul(interval.Rat(a)), power.Mul(interval.Rat(c))
		}
		for _, steps := range []uint{3, 30, 31, 32, 40, 62, 63, 64, 70} {
			k := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), steps))
			for _, v := range []*big.Rat{new(big.Rat), big.NewRat(1, 5), big.NewRat(2, 5), big.NewRat(7, 10)} {
				tail, above := value(k, v)
				lowTail, lowAbove := value(new(big.Rat).Add(k, one), v)
				u := interval.Rat(new(big.Rat).Add(k, v))
				wide := interval.Hull(u, u.Add(interval.Int(1)))
				for what, c := range map[string]struct{ at, over, want, low interval.Interval }{
					"the tail":      {s.Tail(u), s.Tail(wide), tail, lowTail},
					"what is above": {s.above(u), s.above(wide), above, lowAbove},
				} {
					if c.at.Less(c.want) || c.want.Less(c.at) || c.over.Less(c.want) || c.low.Less(c.over) {
						t.Errorf("%s of 1 − 2^−%d from 2^%d + %v: %v and %v, want %v", what, bits, steps, v, c.at, c.over, c.want)
					}
					if small := c.want.Mul(interval.Float(0x1p-150)); steps < 63 && small.Less(c.at.Upper().Sub(c.at.Lower())) {
						t.Errorf("%s of 1 − 2^−%d from 2^%d + %v: %v", what, bits, steps, v, c.at)
					}
				}
			}
		}
	}
}

// Sums of a staircase's tails half a step beside its lattice are those of rationals, term by term, however steps and corners lie to each other, up to a number of
// terms and without an end.
func TestSumsOfStaircases(t *testing.T) {
	half := big.NewRat(1, 2)
	for _, gamma := range []*big.Rat{big.NewRat(2, 5), big.NewRat(6, 7)} {
		b := big.NewRat(1, 3)
		density := new(big.Rat).Add(gamma, new(big.Rat).Mul(b, new(big.Rat).Sub(big.NewRat(1, 1), gamma)))
		density.Quo(new(big.Rat).Mul(new(big.Rat).Sub(big.NewRat(1, 1), b), half), density)
		s := staircase{b: interval.Rat(b), gamma: interval.Rat(gamma), density: interval.Rat(density)}
		for _, step := range []*big.Rat{big.NewRat(1, 13), big.NewRat(2, 7), big.NewRat(1, 1), big.NewRat(9, 4)} {
			want, u := interval.Int(0), new(big.Rat).Mul(step, half)
			for k := int64(1); k <= 250; k++ {
				tail, _ := stairTail(b, gamma, density, u)
				want = want.Add(interval.Rat(tail))
				u.Add(u, step)
				if k > 12 && k%100 > 0 {
					continue
				}
				have := must.For(s.lattice(t.Context(), step, big.NewInt(k)))(t)
				if have.Less(want) || want.Less(have) || !have.Upper().Sub(have.Lower()).Less(want.Mul(interval.Float(0x1p-78))) {
					t.Errorf("γ = %v, %d steps of %v: %v, want %v", gamma, k, step, have, want)
				}
			}
			_, rest := stairTail(b, gamma, density, u.Sub(u, step)) // the area behind the last term
			have := must.For(s.lattice(t.Context(), step, nil))(t)
			if have.Less(want) || want.Add(interval.Rat(rest.Quo(rest, step))).Less(have) || !have.Upper().Sub(have.Lower()).Less(want.Mul(interval.Float(0x1p-78))) {
				t.Errorf("γ = %v, steps of %v without an end: %v, want %v", gamma, step, have, want)
			}
		}
	}
}

// What is no number, or infinite, has no nearest value of a lattice but an end.
func TestNothingIsNearest(t *testing.T) {
	up := Range{Lo: big.NewRat(1, 1), Step: big.NewRat(1, 2)}
	line := Range{Step: big.NewRat(1, 2)}
	inf := math.Inf(1)
	if v := up.nearest(math.NaN(), up.Lo); !math.IsNaN(v) {
		t.Errorf("near no number: %g", v)
	}
	if a, b, c, d := up.nearest(inf, up.Lo), up.nearest(-inf, up.Lo), line.nearest(-inf, up.Lo), up.nearest(2.2, up.Lo); a != inf || b != 1 || c != -inf || d != 2 {
		t.Errorf("%g, %g, %g and %g", a, b, c, d)
	}
}

// Work without a known end tells how far it has come: layers, in rationals and by places, and changes.
func TestLongWorkTells(t *testing.T) {
	decay := must.Be(evidence.NewEpsilon("decay", 0.001))
	spread := make([]float64, 5000)
	for i := range spread {
		spread[i] = float64(i)
	}
	places := must.Be(must.Be(New(spread, Options{Lo: new(big.Rat), Hi: big.NewRat(5000, 1), Neighbors: Replace})).Quantile(new(big.Rat)))
	edges := must.Be(must.Be(NewGraph(100, nil, Edge)).Edges())
	rising := &Query{name: "steps", local: func(t int) *big.Rat { return big.NewRat(int64(t+1), 1) }, global: big.NewRat(5000, 1)}
	for what, do := range map[string]func(ctx context.Context) error{
		"layers": func(ctx context.Context) error {
			_, err := must.Be(NewPurest(edges, decay)).(*Layered).known(ctx)
			return err
		},
		"layers of places": func(ctx context.Context) error {
			_, err := must.Be(NewPurest(places, decay)).(*Layered).known(ctx)
			return err
		},
		"changes": func(ctx context.Context) error {
			_, err := rising.rises(ctx, 1e-9)
			return err
		},
	} {
		most, unit := int64(0), ""
		if err := do(parallel.WithProgress(t.Context(), func(done, _ int64, of string) { most, unit = max(most, done), of })); err != nil || most < 4096 || most > 5000 || !strings.HasPrefix(what, unit) {
			t.Errorf("%s: told of %d %s, error %v", what, most, unit, err)
		}
	}
}

// The sums of what each change adds are those of the definition, and are kept no further than to where they go on by a formula.
func TestRisesAreSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	for _, n := range []int{3, 4, 7, 12} {
		for part := range 5 {
			var list [][2]int
			for u := range n {
				for v := range u {
					if rng.IntN(4) < part {
						list = append(list, [2]int{v, u})
					}
				}
			}
			g := must.For(NewGraph(n, list, Edge))(t)
			edges, others, _, err := g.wedges(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, pair := range [][2]*pairs{{edges, others}, {others, edges}} {
				fresh := func() *rise { return &rise{own: pair[0], other: pair[1], cap: n - 2} }
				sum, all := int64(0), fresh()
				for d := range 5 * n {
					one := fresh()
					a, b := all.sum(d), one.sum(d)
					if want := big.NewInt(sum); a.Cmp(want) != 0 || b.Cmp(want) != 0 {
						t.Fatalf("%d nodes, %v: %d changes add %v and %v, want %v", n, list, d, a, b, want)
					}
					sum += int64(all.at(d))
				}
				settled := max(pair[0].widest, pair[1].widest+1)
				late := fresh()
				want := big.NewInt(1 << 40)
				want.Sub(want, big.NewInt(int64(5*n))).Mul(want, big.NewInt(int64(all.at(5*n)))).Add(want, big.NewInt(sum))
				if have := late.sum(1 << 40); have.Cmp(want) != 0 || len(late.sums) != settled+1 || len(all.sums) > settled+1 {
					t.Errorf("%d nodes, %v: 2^40 changes add %v, want %v; %d and %d sums are kept, want %d", n, list, have, want, len(late.sums), len(all.sums), settled+1)
				}
			}
		}
	}
}

// The front of some pairs of degrees is what no other of them is at least as large as in both.
func TestFrontsByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for range 400 {
		of := make([]ends, rng.IntN(30))
		for i := range of {
			of[i] = pairOf(rng.IntN(9), rng.IntN(9))
		}
		var want []ends
		for high := 9; high >= 0; high-- {
			for low := high; low >= 0; low-- {
				e := ends{high, low}
				covered := slices.ContainsFunc(of, func(o ends) bool { return o != e && o.high >= e.high && o.low >= e.low })
				if slices.Contains(of, e) && !covered {
					want = append(want, e)
				}
			}
		}
		if have := front(slices.Clone(of)); !slices.Equal(have, want) {
			t.Fatalf("the front of %v is %v, want %v", of, have, want)
		}
	}
}

// Bounds of stars grow as they are asked for, by one who asks at a time.
func TestStarsWaitForTheirLocks(t *testing.T) {
	c := newClimb(func(k int) (up, down *big.Rat) { return big.NewRat(int64(k), 1), big.NewRat(2, 1) })
	locks.Awaited(t, "a climb", &c.mu, func() { c.moves(3) })
	if up, down := c.moves(4); up.Cmp(big.NewRat(6, 1)) != 0 || down.Cmp(big.NewRat(8, 1)) != 0 || len(c.sums) != 5 {
		t.Errorf("%v and %v of %d", up, down, len(c.sums))
	}
	top := &topPairs{graph: must.For(NewGraph(5, [][2]int{{0, 1}, {1, 2}, {2, 0}, {3, 4}}, Edge))(t)}
	locks.Awaited(t, "pairs by their degrees", &top.mu, func() { top.sum(3) })
	if !c.mu.TryLock() || !top.mu.TryLock() {
		t.Error("a lock is not given back")
	}
}

// trueGap is the largest x_(b+k) − x_(a+k−t−1), 0 ≤ k ≤ t + 1, of the records' decimals within the range.
func trueGap(x []float64, lo, hi *big.Rat, a, b, t int) *big.Rat {
	sorted := slices.Clone(x)
	slices.Sort(sorted)
	at := func(k int) *big.Rat {
		if k < 1 {
			return lo
		}
		if k > len(sorted) {
			return hi
		}
		v := interval.Decimal(sorted[k-1])
		if v.Cmp(lo) < 0 {
			return lo
		}
		if v.Cmp(hi) > 0 {
			return hi
		}
		return v
	}
	best := new(big.Rat)
	for k := range t + 2 {
		if d := new(big.Rat).Sub(at(b+k), at(a+k-t-1)); d.Cmp(best) > 0 {
			best = d
		}
	}
	return best
}

// Gaps are the largest of the decimals themselves, to the last digit: where float64s cannot tell which it is, at ends that are no float64, far from 0 and on
// either side of it.
func TestGapsByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 2))
	next := 0
	tenth := func(k int) float64 { return float64(k) / 10 }
	ulps := func(v float64) float64 {
		for range rng.IntN(3) {
			v = math.Nextafter(v, 9)
		}
		return v
	}
	big60 := new(big.Rat).SetInt64(1 << 60)
	above := func(v *big.Rat) *big.Rat { return new(big.Rat).Add(v, new(big.Rat).SetFrac64(1, 1e18)) }
	below := func(v *big.Rat) *big.Rat { return new(big.Rat).Sub(v, new(big.Rat).SetFrac64(1, 1e18)) }
	for _, c := range []struct {
		rounds int
		lo, hi *big.Rat
		of     func() float64
	}{
		{40, new(big.Rat), big.NewRat(1, 1), func() float64 { return ulps(tenth(rng.IntN(10))) }},
		{400, new(big.Rat), big.NewRat(1, 1), func() float64 { next++; return ulps(tenth(next % 10)) }}, // differences of about as many tenths
		{400, big.NewRat(-1, 1), new(big.Rat), func() float64 { next++; return -ulps(tenth(next % 10)) }},
		{40, new(big.Rat), above(big.NewRat(1, 1)), func() float64 { return float64(rng.IntN(4)) }},
		{40, below(big.NewRat(1, 10)), above(big.NewRat(3, 10)), func() float64 { return tenth(rng.IntN(5)) }},
		{40, above(big.NewRat(1, 10)), below(big.NewRat(3, 10)), func() float64 { return tenth(rng.IntN(5)) }},
		{40, big.NewRat(-7, 1), big.NewRat(-2, 1), func() float64 { return -2 - 5*rng.Float64() }},
		{40, big.NewRat(-1, 1), new(big.Rat), func() float64 { return -ulps(tenth(rng.IntN(9))) }},
		{40, big.NewRat(3, 1), big.NewRat(11, 1), func() float64 { return 3 + ulps(tenth(rng.IntN(9))) }},
		{40, big60, new(big.Rat).Add(big60, big.NewRat(1, 1)), func() float64 { return 1 << 60 }},
		{40, big60, new(big.Rat).Add(big60, big.NewRat(1000, 1)), func() float64 { return 1<<60 + 256*float64(rng.IntN(4)) }},
	} {
		for range c.rounds {
			x := make([]float64, 1+rng.IntN(12))
			for i := range x {
				x[i] = c.of()
			}
			r := must.For(New(x, Options{Lo: c.lo, Hi: c.hi, Neighbors: Replace, Clip: true}))(t)
			a := 1 + rng.IntN(len(x))
			b := a + rng.IntN(len(x)-a+1)
			for d := range len(x) + 2 {
				if have, want := r.gap(a, b, d), trueGap(x, c.lo, c.hi, a, b, d); have == nil || have.Cmp(want) != 0 {
					t.Fatalf("%v in [%v, %v]: the gap of %d changes at places %d to %d is %v, want %v", x, c.lo, c.hi, d, a, b, have, want)
				}
			}
		}
	}
}

// What is largest or least is looked for in float64s first, so that few of many candidates are compared in rationals.
func TestFewAreComparedExactly(t *testing.T) {
	x := make([]float64, 400)
	for i := range x {
		x[i] = float64(i*i) / 160000
	}
	r := must.For(New(x, Options{Lo: new(big.Rat), Hi: big.NewRat(1, 1), Neighbors: Replace}))(t)
	s := r.running()
	for name, do := range map[string]func(){"gap": func() { r.gap(200, 200, 150) }, "widest": func() { s.widest(150) }, "narrowest": func() { s.narrowest(150) }} {
		if n := testing.AllocsPerRun(2, do); n > 250 { // some 20 a comparison, of at least 150
			t.Errorf("%s takes %g allocations", name, n)
		}
	}
}

// A panel is no longer than ln 2, where one less would be.
func TestPanelsOfLengths(t *testing.T) {
	for _, length := range []float64{1e-9, 0.3, 0.69, 0.7, 1, 1.38, 1.39, 2, 5, 12.25, 80} {
		n := panelsOf(length)
		if length/float64(n) > math.Ln2 || n > 1 && length/float64(n-1) <= math.Ln2 {
			t.Errorf("%g is cut into %d", length, n)
		}
	}
}

// What noisy max adds up over a panel are ∫₀¹ s^k (1 − qs)^{−a} ds: of u = 1 − qs, powers between 1 − q and 1, and where one is u^{−1} the logarithm, by its own
// series to 400 bits. Each is known to what is left of the series behind 2⁻²⁰⁰.
func TestIntegralsOfPanels(t *testing.T) {
	const n = 60
	one := big.NewRat(1, 1)
	exact := func(v interval.Interval) *big.Rat {
		end, _ := v.MidFloat(2 * interval.Prec).Rat(nil)
		return end
	}
	for _, q := range []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 3), big.NewRat(1, 64), big.NewRat(1, 1<<20), new(big.Rat).SetFloat64(0x1p-250)} {
		from := new(big.Rat).Sub(one, q)
		log, power := new(big.Rat), big.NewRat(1, 1) // −ln(1 − q)
		for j := int64(1); power.Denom().BitLen() < 500+n*(q.Denom().BitLen()+1); j++ {
			power.Mul(power, q)
			log.Add(log, new(big.Rat).Mul(power, big.NewRat(1, j)))
		}
		for _, m := range []int{0, 1, 2, 40} {
			same, other := integrals(m, n, interval.Rat(q))
			for a, have := range map[int][]interval.Interval{m + 1: same, m: other} {
				parts := make([]*big.Rat, n+1) // ∫ u^{i−a} du
				for i := range parts {
					if i == a-1 {
						parts[i] = log
						continue
					}
					up := interval.RationalPower(from, big.NewInt(int64(i-a+1)))
					parts[i] = up.Mul(up.Sub(one, up), big.NewRat(1, int64(i-a+1)))
				}
				for _, k := range []int{0, 1, 4, 20, n} {
					v, want := have[k], new(big.Rat)
					for i := range k + 1 {
						c := new(big.Int).Binomial(int64(k), int64(i))
						if i%2 == 1 {
							c.Neg(c)
						}
						want.Add(want, new(big.Rat).Mul(new(big.Rat).SetInt(c), parts[i]))
					}
					want.Quo(want, interval.RationalPower(q, big.NewInt(int64(k+1))))
					lo, hi := exact(v.Lower()), exact(v.Upper())
					wide, most := new(big.Rat).Sub(hi, lo), new(big.Rat).Mul(want, big.NewRat(1, 1<<62))
					most.Add(most, big.NewRat(1, 1<<20)).Mul(most, new(big.Rat).SetFloat64(0x1p-180))
					if lo.Cmp(want) > 0 || hi.Cmp(want) < 0 || wide.Cmp(most) > 0 {
						t.Errorf("q = %v, k = %d, the power −%d: %v, want %s", q, k, a, v.Mid(), want.FloatString(20))
					}
				}
			}
		}
	}
}

// Noise whose scale is open down to 0 is noise: nothing says that it is quiet.
func TestNoiseThatMayBeQuiet(t *testing.T) {
	q := must.For(must.For(New([]float64{3, 8, 9}, Options{Lo: big.NewRat(3, 1), Hi: big.NewRat(11, 1), Neighbors: Replace}))(t).Median())(t)
	m := must.For(NewAdded(q, "open", interval.Between(0, 1), laplace{}, nil, nil))(t).OnLine()
	n := must.For(m.Distortion(t.Context()))(t)
	if lo, hi := n.Bounds(); n.Kind() == evidence.KindExact || lo > 0 || hi < 1 {
		t.Errorf("an error of %v, want from 0 to 1", n)
	}
	in := must.For(m.Within(t.Context(), big.NewRat(1, 2)))(t)
	if lo, hi := in.Bounds(); lo > 1-math.Exp(-0.5) || hi < 1 {
		t.Errorf("within 1/2 with a chance of %g to %g, want from %g to 1", lo, hi, 1-math.Exp(-0.5))
	}
	quiet := must.For(NewAdded(q, "quiet", interval.Int(0), laplace{}, nil, nil))(t).OnLine()
	if e, ok := must.For(quiet.Distortion(t.Context()))(t).(evidence.Exact); !ok || e.Value.Sign() != 0 {
		t.Error("what has no noise errs")
	}
}

// Without a lattice a law is cut between values: of layers, of noise, on a line with ends and with one or none.
func TestCellsBetweenValues(t *testing.T) {
	eps := must.Be(evidence.NewEpsilon("eps", 1))
	x := []float64{4, 5, 9}
	for name, c := range map[string]struct {
		lo, hi    int64
		neighbors Neighbors
		total     bool
	}{"two ends": {3, 11, Replace, false}, "below 0": {-7, 10, Replace, false}, "a lower end": {3, 11, AddRemove, true}, "no end": {-7, 10, AddRemove, true}} {
		r := must.For(New(x, Options{Lo: big.NewRat(c.lo, 1), Hi: big.NewRat(c.hi, 1), Neighbors: c.neighbors}))(t)
		q := must.For(r.Median())(t)
		if c.total {
			q = must.For(r.Total())(t)
		}
		for what, m := range map[string]Law{"purest": must.Be(NewPurest(q, eps)), "laplace": must.Be(NewLaplace(q, eps)), "line": must.Be(NewLaplace(q, eps)).(*Added).OnLine()} {
			values := []*big.Rat{big.NewRat(3, 1), big.NewRat(5, 1), big.NewRat(6, 1), big.NewRat(9, 1), big.NewRat(19, 2)}
			row := must.For(cellsOf(t.Context(), m, values))(t)
			far := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 300))
			from := new(big.Rat).Neg(far)
			for i := range values {
				to := far
				if i+1 < len(values) {
					to = new(big.Rat).Add(values[i], values[i+1])
					to.Mul(to, big.NewRat(1, 2))
				}
				if want := must.For(m.Between(t.Context(), from, to))(t); row[i].Less(want) || want.Less(row[i]) || !row[i].Upper().Sub(row[i].Lower()).Less(interval.Float(0x1p-70)) {
					t.Errorf("%s, %s: near %v with a chance of %v, want %v", name, what, values[i], row[i].Mid(), want.Mid())
				}
				from = to
			}
		}
	}
}

// Local sensitivities are listed as far as one of them can weigh most, and where nothing bounds them on and on.
func TestRisesAreListedAsFarAsTheyWeigh(t *testing.T) {
	q := &Query{name: "steps", local: func(t int) *big.Rat { return big.NewRat(int64(t+1), 1) }, global: big.NewRat(1000, 1)}
	last := 0 // 1000·e^{−t} falls below the largest (t + 1)·e^{−t}, which is 1, at once
	for 1000*math.Exp(-float64(last)) >= 1 {
		last++
	}
	out := must.For(q.rises(t.Context(), 1))(t)
	if len(out) != last+1 || out[last].From != last {
		t.Errorf("%d local sensitivities, want %d", len(out), last+1)
	}
	if out, err := q.rises(looks.After(t.Context(), 0), 1); !errors.Is(err, context.Canceled) || out != nil {
		t.Errorf("%d local sensitivities where the context has ended, %v", len(out), err)
	}
	q.global = nil
	if out, err := q.rises(looks.After(t.Context(), 3), 1); !errors.Is(err, context.Canceled) || out != nil {
		t.Errorf("%d local sensitivities of a query without a bound, %v", len(out), err)
	}
}

// Records are read as the definition says: a decimal moved to the range, and then to the nearest value of its grid, half a step up, wherever
// the ends lie, and refused just where it lies beside them.
func TestRecordsAreReadByDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	pow := func(k uint) *big.Rat { return new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), k)) }
	minus := func(q *big.Rat) *big.Rat { return new(big.Rat).Neg(q) }
	for _, c := range []struct{ lo, hi, grid *big.Rat }{
		{big.NewRat(3, 1), big.NewRat(11, 1), big.NewRat(1, 2)},
		{big.NewRat(-7, 1), big.NewRat(-2, 1), big.NewRat(1, 1)},
		{big.NewRat(-7, 1), big.NewRat(8, 1), big.NewRat(3, 1)},
		{big.NewRat(1, 3), big.NewRat(2, 3), nil},
		{big.NewRat(1, 3), big.NewRat(10, 3), big.NewRat(1, 1)},
		{big.NewRat(-2, 3), big.NewRat(-1, 3), big.NewRat(1, 9)},
		{minus(pow(64)), pow(20), pow(20)},
		{minus(pow(60)), new(big.Rat), pow(10)},
		{minus(pow(63)), pow(53), pow(53)},
		{pow(53), pow(54), pow(30)},
		{new(big.Rat).Sub(pow(63), big.NewRat(1, 1)), new(big.Rat).Add(pow(63), pow(40)), big.NewRat(1, 1)},
		{new(big.Rat).Sub(pow(54), pow(40)), pow(54), pow(40)},
		{big.NewRat(-1<<51, 1), big.NewRat(1<<51, 1), big.NewRat(1, 1)},
	} {
		lo, hi := float(c.lo), float(c.hi)
		for range 150 {
			v := lo + (hi-lo)*(rng.Float64()*1.5-0.25)
			switch rng.IntN(4) {
			case 0:
				v = []float64{lo, hi, math.Nextafter(lo, -math.MaxFloat64), math.Nextafter(lo, math.MaxFloat64), math.Nextafter(hi, -math.MaxFloat64), math.Nextafter(hi, math.MaxFloat64), 0}[rng.IntN(7)]
			case 1:
				v = math.Round(v)
			}
			want := interval.Decimal(v)
			outside := want.Cmp(c.lo) < 0 || want.Cmp(c.hi) > 0
			if want.Cmp(c.lo) < 0 {
				want = c.lo
			} else if want.Cmp(c.hi) > 0 {
				want = c.hi
			}
			beside := false
			if c.grid != nil {
				k := new(big.Rat).Sub(want, c.lo)
				k.Quo(k, c.grid)
				beside = !k.IsInt()
				k.SetInt(interval.RationalFloor(k.Add(k, big.NewRat(1, 2))))
				want = k.Add(k.Mul(k, c.grid), c.lo)
			}
			what := fmt.Sprintf("%v in [%v, %v] on %v", v, c.lo, c.hi, c.grid)
			r := must.For(New([]float64{v}, Options{Lo: c.lo, Hi: c.hi, Grid: c.grid, Neighbors: Replace, Clip: true}))(t)
			if have := r.at(1); have.Cmp(want) != 0 {
				t.Fatalf("%s is read as %v, want %v", what, have, want)
			}
			_, err := New([]float64{v}, Options{Lo: c.lo, Hi: c.hi, Grid: c.grid, Neighbors: Replace})
			if (err != nil) != (outside || beside) || err != nil && !errors.Is(err, evidence.ErrParameter) {
				t.Fatalf("%s without clip: %v", what, err)
			}
		}
	}
}
