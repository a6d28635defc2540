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
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/smooth"
)

// stairTail returns Pr[Z > u] and ∫_u^∞ Pr[Z > s] ds for a staircase with rational parameters. On [k, k + 1), the tail
// is b^k times the tail on [0, 1), which is linear on each side of γ.
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
	at := func(v *big.Rat) *big.Rat { // the tail at v, 0 ≤ v ≤ 1
		if v.Cmp(gamma) <= 0 {
			return minus(half, mul(density, v))
		}
		return minus(minus(half, mul(density, gamma)), mul(density, b, minus(v, gamma)))
	}
	area := func(v *big.Rat) *big.Rat { // area under the tail from v to 1
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

// The staircase tail of an interval runs from the tail at the upper end to the tail at the lower end. The ends lie in
// any steps, and the upper end may be infinite.
func TestStaircaseTailOfIntervals(t *testing.T) {
	b, gamma := big.NewRat(1, 3), big.NewRat(2, 5)
	density := new(big.Rat).Quo(big.NewRat(1, 3), big.NewRat(3, 5)) // makes the total mass 1: (1 − b)/2 over γ + b(1 − γ)
	s := staircase{b: interval.Rat(b), gamma: interval.Rat(gamma), density: interval.Rat(density)}
	zero := new(big.Rat)
	far := func(k uint) *big.Rat { return new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), k)) }
	huge := interval.Float(math.MaxFloat64)
	huge = interval.Hull(interval.Int(0), huge.Pow(40)).Upper() // too many digits for an integer part
	for _, c := range []struct {
		from *big.Rat
		to   *big.Rat // nil is infinity
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

// Lattice sums for an interval of γ contain the sums for each γ, added term by term.
func TestStaircaseSumsOfIntervalGamma(t *testing.T) {
	b := big.NewRat(1, 3)
	density := func(gamma *big.Rat) *big.Rat { // makes the total mass 1: (1 − b)/2 over γ + b(1 − γ)
		v := new(big.Rat).Mul(gamma, big.NewRat(2, 3))
		return v.Quo(b, v.Add(v, b))
	}
	open := staircase{b: interval.Rat(b), gamma: interval.Between(0.25, 0.5), density: interval.Hull(interval.Rat(density(big.NewRat(1, 4))), interval.Rat(density(big.NewRat(1, 2))))}
	for _, step := range []*big.Rat{big.NewRat(1, 7), big.NewRat(3, 8), big.NewRat(5, 4)} {
		for _, n := range []int64{1, 2, 3, 5, 40} {
			have := must.Be(open.lattice(t.Context(), step, big.NewInt(n)))
			for _, gamma := range []*big.Rat{big.NewRat(1, 4), big.NewRat(3, 8), big.NewRat(1, 2)} {
				sum := new(big.Rat)
				for k := range n {
					tail, _ := stairTail(b, gamma, density(gamma), new(big.Rat).Mul(big.NewRat(2*k+1, 2), step))
					sum.Add(sum, tail)
				}
				closed := staircase{b: open.b, gamma: interval.Rat(gamma), density: interval.Rat(density(gamma))}
				want, got := interval.Rat(sum), must.Be(closed.lattice(t.Context(), step, big.NewInt(n)))
				if have.Less(want) || want.Less(have) || got.Less(want) || want.Less(got) || !got.Upper().Sub(got.Lower()).Less(interval.Float(0x1p-200)) {
					t.Errorf("%d tails %v apart at γ = %v: %v and %v, want %v", n, step, gamma, have, got, want)
				}
			}
		}
	}
	for length, want := range map[float64]int{0: 1, 0.5: 1, math.Ln2: 1, 0.7: 2, 1.3: 2, 1.4: 3} {
		if got := panelsOf(length); got != want {
			t.Errorf("a length of %g has %d panels, want %d", length, got, want)
		}
	}
}

// trueGap returns the largest x_(b+k) − x_(a+k−t−1) for 0 ≤ k ≤ t + 1, where x are the decimals of the records, clamped
// to the range.
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

// Gaps are exact differences of decimals, even if float64 cannot tell which is largest. The ends are not float64s, the
// records are far from 0, or the records are on both sides of 0.
func TestGapsMatchDefinition(t *testing.T) {
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
		{400, new(big.Rat), big.NewRat(1, 1), func() float64 { next++; return ulps(tenth(next % 10)) }}, // many differences of about n tenths are equal
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

// refuses fails unless the result is nil and the error is ErrParameter with exactly this text.
func refuses(t *testing.T, what string, result any, err error, want string) {
	t.Helper()
	if fmt.Sprint(result) != "<nil>" || !errors.Is(err, evidence.ErrParameter) || err.Error() != want {
		t.Errorf("%s: %v, error %v, want %s", what, result, err, want)
	}
}

// Builders check the data of a rebuilt query as the constructors do.
func TestBuildersCheckData(t *testing.T) {
	r := must.Be(New([]float64{0, 1, 1}, Options{Lo: new(big.Rat), Hi: whole(2), Grid: whole(1), Neighbors: Replace}))
	mode := must.Be(must.Be(NewCategories([]string{"a"}, []string{"a", "b"}, AddRemove)).Mode())
	for _, q := range []*Query{must.Be(r.Median()), must.Be(r.Variance()), mode} {
		again, err := q.again.records(nil, []float64{0, 1})
		refuses(t, q.name, again, err, "x is empty, want at least one record")
		if again, err = q.again.records([]float64{0, 1, 0}, []float64{0, 1}); err != nil || again.name == q.name {
			t.Errorf("%s: %v, error %v", q.name, again, err)
		}
	}
	g := must.Be(NewGraph(4, [][2]int{{0, 1}, {1, 2}}, Node))
	edges := must.Be(g.Edges())
	for _, q := range []*Query{edges, must.Be(g.KStar(2)), must.Be(g.Triangles(t.Context())), must.Be(Extend(t.Context(), edges, 2, nil))} {
		again, err := q.again.graph(1, nil)
		refuses(t, q.name, again, err, "nodes = 1, want 2…67108864")
		if again, err = q.again.graph(3, nil); err != nil || again.value.Sign() != 0 {
			t.Errorf("%s: %v, error %v", q.name, again, err)
		}
	}
}

// choices are the mechanisms for a mode.
var choices = map[string]func(q *Query, eps evidence.Epsilon) (Law, error){
	"purest": NewPurest, "exponential": NewExponential, "flips": NewPermuteAndFlip,
	"laplace": func(q *Query, eps evidence.Epsilon) (Law, error) { return NewNoisyMax(q, eps, "laplace") },
	"gumbel":  func(q *Query, eps evidence.Epsilon) (Law, error) { return NewNoisyMax(q, eps, "gumbel") },
}

// Mechanisms for a mode reject lists with repeated values, and probabilities that cannot be told from 0.
func TestRefusedChoices(t *testing.T) {
	one, huge := must.Be(evidence.NewEpsilon("eps", 1)), must.Be(evidence.NewEpsilon("eps", 1e300))
	for name, of := range choices {
		twice := must.Be(must.Be(NewCategories([]string{"a", "b", "a"}, []string{"a", "b"}, Replace)).Mode())
		twice.listed.names = []string{"a", "a"}
		m, err := of(twice, one)
		refuses(t, name, m, err, "range[1] = a repeats range[0]")
		if name != "flips" && name != "laplace" {
			continue
		}
		m, err = of(must.Be(must.Be(NewCategories([]string{"a", "b", "a"}, []string{"a", "b"}, Replace)).Mode()), huge)
		if m != nil || !errors.Is(err, evidence.ErrParameter) || !strings.HasPrefix(err.Error(), "the probability in row 0, value 1, lies in [0, ") {
			t.Errorf("%s with tiny probabilities: %v, error %v", name, m, err)
		}
	}
	// This custom query reaches no value.
	r := must.Be(New([]float64{0, 1, 1}, Options{Lo: new(big.Rat), Hi: whole(2), Grid: whole(1), Neighbors: Replace}))
	nowhere := must.Be(NewCustomQuery(CustomQuery{Value: func(Dataset) (*big.Rat, error) { return whole(1), nil }, Distance: func(Dataset, *big.Rat) (int, error) { return -1, nil }}))
	m, err := NewPurest(must.Be(nowhere.OnRecords(r, r.valueRange())), one)
	refuses(t, "nowhere", m, err, "dataset 0 reaches no value: every layer is empty")
	// Ladder rejects a mode even if it has a local sensitivity.
	mode := must.Be(must.Be(NewCategories([]string{"a"}, []string{"a", "b"}, Replace)).Mode())
	mode.local = constant(whole(1))
	m, err = NewLadder(mode, one)
	refuses(t, "ladder", m, err, "mode of 1 records of 2 categories has categories as values, but ladder needs numbers")
}

// lower lowers a bound for the duration of a test.
func lower(t *testing.T, bound *int, to int) {
	t.Helper()
	was := *bound
	*bound = to
	t.Cleanup(func() { *bound = was })
}

// Laws with too many layers, datasets with too many records, and sensitivities that increase for too long give errors.
// The errors are not cached.
func TestWorkLimits(t *testing.T) {
	edges := must.Be(must.Be(NewGraph(60, nil, Edge)).Edges())
	m := must.Be(NewPurest(edges, must.Be(evidence.NewEpsilon("decay", 1))))
	rising := &Query{name: "rising", value: new(big.Rat), local: func(t int) *big.Rat { return whole(t + 1) }}
	by := must.Be(smooth.Calibrate(must.Be(smooth.Student(whole(3))), must.Be(evidence.RationalEpsilon("eps", big.NewRat(1, 2))), evidence.Delta{}, nil))
	t.Run("lowered", func(t *testing.T) {
		lower(t, &mostLayers, 10)
		lower(t, &mostSteps, 10)
		lower(t, &mostRecords, 10)
		r, err := New(make([]float64, 11), Options{Lo: new(big.Rat), Hi: whole(1), Neighbors: Replace})
		refuses(t, "records", r, err, "x has 11 records, want at most 10")
		n, err := m.Distortion(t.Context())
		refuses(t, "layers", n, err, "more than 10 layers have weights that matter at decay 1, want a larger decay")
		s, err := NewSmooth(t.Context(), rising, by)
		refuses(t, "steps", s, err, fmt.Sprintf("local sensitivities increase for more than 10 changes, and the smooth sensitivity at beta = %g depends on all of them, want a larger beta", by.BetaEnclosure().Mid()))
	})
	if n, err := m.Distortion(t.Context()); n == nil || err != nil {
		t.Errorf("%v, error %v", n, err)
	}
	// A negative sensitivity is rejected.
	wrong := &Query{name: "wrong", value: new(big.Rat), local: constant(whole(-1)), global: whole(-1)}
	s, err := NewSmooth(t.Context(), wrong, by)
	refuses(t, "a negative sensitivity", s, err, "steps[0] = -1, want a local sensitivity of at least 0")
}

// The law of an order statistic without a grid (orderLaw) rejects a range with a single value.
func TestOrderLawOfPointRange(t *testing.T) {
	x := slices.Repeat([]float64{1}, 70)
	q := must.Be(must.Be(New(x, Options{Lo: whole(1), Hi: whole(2), Neighbors: Replace})).Median())
	m := must.Be(NewPurest(q, must.Be(evidence.NewEpsilon("decay", 1)))).(*Layered)
	r := &Records{opts: Options{Lo: whole(1), Hi: whole(1)}, sorted: x, lo: 1, hi: 1}
	l, err := m.orderLaw(t.Context(), &orderLayers{r, 35})
	if refuses(t, "a point", nil, err, "the range of "+q.name+" has one value, so its length is 0"); l != nil {
		t.Error("a law returned with an error")
	}
}

// bare is a law that implements only its name, query and claim.
type bare struct {
	Law
	q *Query
}

func (m bare) Query() *Query                   { return m.q }
func (m bare) Name() string                    { return "bare" }
func (m bare) ClaimedEpsilon() evidence.Number { return nil }

// Verify rejects queries that are built incorrectly: values outside the range, functions that fail, or repeated
// categories.
func TestRefusedBuilds(t *testing.T) {
	fails := errors.New("fails")
	bases := func(build func(x Dataset) (*Query, error)) *Query {
		return &Query{name: "built", value: new(big.Rat), neighbors: Replace, again: builder{records: func(x, _ []float64) (*Query, error) { return build(Dataset{Records: x}) }}}
	}
	r := must.Be(New([]float64{0}, Options{Lo: new(big.Rat), Hi: whole(2), Grid: whole(1), Neighbors: Replace}))
	own := func(up func(x Dataset, t int) (*big.Rat, error)) func(x Dataset) (*Query, error) {
		o := must.Be(NewCustomQuery(CustomQuery{Value: func(Dataset) (*big.Rat, error) { return whole(1), nil }, Up: up, Down: func(_ Dataset, t int) (*big.Rat, error) { return whole(t), nil }}))
		return func(x Dataset) (*Query, error) { return o.on(x, "own query", r.valueRange(), nil, Replace) }
	}
	decay := must.Be(evidence.NewEpsilon("decay", 1))
	as := func(q *Query) (Law, error) { return bare{q: q}, nil }
	layers := func(q *Query) (Law, error) { return NewPurest(q, decay) }
	options := VerifyOptions{Records: 2, Values: []float64{0, 1}}

	off := bases(func(Dataset) (*Query, error) {
		return &Query{name: "off", value: whole(5), rng: r.valueRange(), moves: func(t int) (up, down *big.Rat) { return whole(t), whole(t) }}, nil
	})
	if v, err := Verify(t.Context(), off, as, options); v != nil || err == nil || err.Error() != "the value 5 at dataset [1 1] is not in the range [0, 2] in steps of 1" {
		t.Errorf("off its range: %v, error %v", v, err)
	}
	failing := bases(own(func(Dataset, int) (*big.Rat, error) { return nil, fails }))
	for name, of := range map[string]func(q *Query) (Law, error){"layers of the query": as, "layers of the mechanism": layers} {
		if v, err := Verify(t.Context(), failing, of, options); v != nil || err != fails {
			t.Errorf("%s: %v, error %v", name, v, err)
		}
	}
	twice := bases(func(Dataset) (*Query, error) {
		return &Query{name: "twice", value: whole(1), listed: &listed{values: []*big.Rat{whole(0), whole(1)}, names: []string{"a", "a"}, level: []int32{1, 0}}}, nil
	})
	v, err := Verify(t.Context(), twice, as, options)
	refuses(t, "a repeated category", nil, err, "range[1] = a repeats range[0]")
	if v != nil {
		t.Error("a verification returned with an error")
	}

	// After the context ends, layers are computed for at most sixteen more datasets.
	c, end := context.WithCancel(t.Context())
	asked := map[string]bool{}
	slow := bases(own(func(x Dataset, t int) (*big.Rat, error) {
		asked[x.String()] = true
		end()
		return whole(t), nil
	}))
	v, err = Verify(c, slow, layers, VerifyOptions{Records: 3, Values: []float64{0, 1, 2, 3, 4}}) // 35 datasets
	if v != nil || !errors.Is(err, context.Canceled) || len(asked) > 16 || len(asked) == 0 {
		t.Errorf("%v after layers at %d datasets, error %v", v, len(asked), err)
	}
}

// Methods that several goroutines call wait for the lock of their shared state.
func TestLocks(t *testing.T) {
	g := must.For(NewGraph(5, [][2]int{{0, 1}, {1, 2}, {2, 0}, {3, 4}}, Edge))(t)
	q := must.For(g.Edges())(t)
	locks.Awaited(t, "a sum of local sensitivities", &q.mu, func() { q.ladderSum(2) })
	m := must.For(NewPurest(q, must.Be(evidence.NewEpsilon("decay", 1))))(t).(*Layered)
	locks.Awaited(t, "a law", &m.mu, func() { must.Be(m.listedLaw(context.Background())) })
	s := new(firstError)
	locks.Awaited(t, "keep of firstError", &s.mu, func() { s.keep(errors.New("first")) })
	own := &Query{failed: s}
	locks.Awaited(t, "Failed of a query", &s.mu, func() {
		if err := own.Failed(); err == nil || err.Error() != "first" {
			t.Error(err)
		}
	})
	s.keep(errors.New("second"))
	if err := own.Failed(); err.Error() != "first" {
		t.Errorf("Failed returns %v, want the first error", err)
	}
	edges, others, _, err := g.wedges(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	r := &gainSums{own: others, other: edges, cap: 3}
	locks.Awaited(t, "a rise", &r.mu, func() { r.sum(2) })
	if !r.mu.TryLock() {
		t.Error("the lock of a gainSums is not released")
	}
}

// The enclosures of the layers' total weight and moment contain the sums of 700 layers in rational arithmetic. Their
// width is at most 2⁻⁷⁹ if the tail is bounded. Ranges have one end, none, or two far apart.
func TestLayerTailBounds(t *testing.T) {
	one := big.NewRat(1, 1)
	far := big.NewRat(5000, 1)
	total := func(lo, hi int64, grid *big.Rat) *Query {
		return must.Be(must.Be(New([]float64{float64(lo), float64(hi)}, Options{Lo: big.NewRat(lo, 1), Hi: big.NewRat(hi, 1), Grid: grid, Neighbors: AddRemove})).Total())
	}
	spread := make([]float64, 400)
	for i := range spread {
		spread[i] = float64(i*i) / 160000 // dense at the lower end
	}
	places := must.Be(must.Be(New(spread, Options{Lo: new(big.Rat), Hi: far, Neighbors: Replace})).Median())
	graph := must.Be(must.Be(NewGraph(120, nil, Edge)).Edges())
	many := make([]float64, 1000)
	small := must.Be(must.Be(New(many, Options{Lo: new(big.Rat), Hi: one, Grid: big.NewRat(1, 1<<40), Neighbors: Replace})).Total())
	for name, q := range map[string]*Query{"small steps": small, "no end": total(-2, 3, one), "a lower end": total(1, 4, one), "an upper end": total(-4, -1, big.NewRat(1, 2)), "a line": total(-2, 3, nil), "a half-line": total(0, 2, nil), "places": places, "a distant end": graph} {
		for _, base := range []int64{3, 40} {
			decay := must.Be(evidence.LogEpsilon("decay", big.NewRat(base, 1)))
			if q == places || q == graph || q == small { // these use other code for rational sums
				decay = must.Be(evidence.RationalEpsilon("decay", big.NewRat(base, 20)))
			}
			m := must.Be(NewPurest(q, decay)).(*Layered)
			l := must.Be(m.listedLaw(t.Context()))
			step := new(big.Rat)
			if q.rng.Step != nil {
				step = q.rng.Step
			}
			mass, moment, power := interval.Int(0), interval.Int(0), interval.Int(1)
			before := [2]*big.Rat{new(big.Rat), new(big.Rat)}
			if step.Sign() > 0 {
				mass = power // f(x) itself
			}
			first := true
			for k := range 700 {
				up, down := q.within(q.moves, k, new(big.Rat))
				if first = first && up.Sign() == 0 && down.Sign() == 0 && step.Sign() == 0; first {
					continue
				}
				for i, end := range []*big.Rat{up, down} {
					n := new(big.Rat).Sub(end, before[i])
					mean := new(big.Rat).Add(end, before[i])
					if mean.Add(mean, step).Mul(mean, big.NewRat(1, 2)); step.Sign() > 0 {
						n.Quo(n, step)
					}
					w := power.Mul(interval.Rat(n))
					mass, moment, before[i] = mass.Add(w), moment.Add(w.Mul(interval.Rat(mean))), end
				}
				power = power.Mul(decay.Decay())
			}
			for what, pair := range map[string][2]interval.Interval{"mass": {l.mass, mass}, "moment": {l.moment, moment}} {
				have, want := pair[0], pair[1]
				small := want.Mul(interval.Float(0x1p-79))
				if have.Less(want) || want.Less(have) || !have.Upper().Sub(have.Lower()).Less(small) {
					t.Errorf("%s, decay %v: the %s from %v to %v, want %v", name, decay, what, have.Lower().MidFloat(200), have.Upper().MidFloat(200), want.MidFloat(200))
				}
			}
			if l.sides[0].full != nil && l.sides[1].full != nil {
				if have, want := must.Be(l.from(new(big.Rat))), moment.Quo(mass); have.Less(want) || want.Less(have) {
					t.Errorf("%s, decay %v: E|r − f(x)| from %v to %v, want %v", name, decay, have.Lower().MidFloat(200), have.Upper().MidFloat(200), want.MidFloat(200))
				}
			}
			if rest := l.rest.Upper(); l.rest.Lower().CmpLo(interval.Int(0)) != 0 || l.sides[0].full == nil && rest.CmpHi(interval.Int(0)) <= 0 || !rest.Less(mass.Mul(interval.Float(0x1p-79))) {
				t.Errorf("%s, decay %v: a tail of %v", name, decay, rest.Mid())
			}
		}
	}
}
