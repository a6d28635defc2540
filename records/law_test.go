package records_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
	"dpworkbench/internal/stattest"
	"dpworkbench/interval"
	"dpworkbench/records"
	"dpworkbench/smooth"
)

func floats(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.Float64()
	}
	return x
}

// Draws follow the law. By Hoeffding's inequality, the frequency of an event among 40000 draws differs from its
// probability by 0.015 with probability below 1e-7.
func TestDrawsFollowTheLaw(t *testing.T) {
	const n = 20000
	eps := must.For(evidence.NewEpsilon("eps", 0.7))(t)
	r := small(records.Replace)
	open := must.For(records.New([]float64{0.1, 0.2, 0.7}, records.Options{Lo: rat(0, 1), Hi: rat(1, 1), Neighbors: records.Replace}))(t)
	for _, q := range []*records.Query{must.For(r.Median())(t), must.For(open.Mean())(t), must.For(triangle(records.Edge).Triangles(context.Background()))(t)} {
		for _, of := range []func(q *records.Query, eps evidence.Epsilon) (records.Law, error){records.NewPurest, records.NewLaplace, records.NewExponential,
			func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
				return records.NewStaircase(q, eps, nil)
			}} {
			m := must.For(of(q, eps))(t)
			drawn := must.For(m.Simulate(context.Background(), n, draw.Source(1, 0)))(t)
			released, _, err := m.(records.Releaser).Release(context.Background(), 4000, draw.Source(2, 0))
			if err != nil {
				t.Fatal(err)
			}
			f, _ := q.Value().Float64()
			for _, e := range []float64{0.05, 0.3, 1, 2} {
				p := must.For(m.Within(context.Background(), new(big.Rat).SetFloat64(e)))(t).Mid()
				for what, values := range map[string][]float64{"simulated": drawn, "released": released} {
					count := 0
					for _, v := range values {
						if math.Abs(v-f) <= e+1e-9 {
							count++
						}
					}
					if share := float64(count) / float64(len(values)); math.Abs(share-p) > 0.015*math.Sqrt(n/float64(len(values))) {
						t.Errorf("%s of %s, %s: frequency %g within %g, want %g", m.Name(), q.Name(), what, share, e, p)
					}
				}
			}
		}
	}
}

// prefixed is a source that returns given words first.
type prefixed struct {
	words []uint64
	rand.Source
}

func (s *prefixed) Uint64() uint64 {
	if len(s.words) == 0 {
		return s.Source.Uint64()
	}
	v := s.words[0]
	s.words = s.words[1:]
	return v
}

// Simulated outputs stay in the range for extreme random words, however the range and the answer round to float64.
func TestSimulationsStayInRange(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 3))
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	for range 300 {
		at := []int{rng.IntN(3000) - 1000, rng.IntN(3000) - 1000, rng.IntN(3000) - 1000}
		slices.Sort(at)
		if at[0] == at[2] {
			continue
		}
		scale := []int64{10, 1000, 1e6}[rng.IntN(3)]
		if rng.IntN(2) == 0 {
			at[1] = at[2*rng.IntN(2)]
		}
		lo, hi := rat(int64(at[0]), scale), rat(int64(at[2]), scale)
		v, _ := rat(int64(at[1]), scale).Float64()
		q := must.For(must.For(records.New([]float64{v}, records.Options{Lo: lo, Hi: hi, Neighbors: records.Replace}))(t).Median())(t)
		below, _ := lo.Float64()
		above, _ := hi.Float64()
		for name, of := range mechanisms {
			if strings.Contains(name, "line") || name == "smooth" { // these mechanisms draw exactly
				continue
			}
			m := must.For(of(q, eps))(t)
			for _, word := range []uint64{0, math.MaxUint64} {
				out, err := m.Simulate(ctx, 1, &prefixed{[]uint64{word, word}, rng})
				if err != nil || out[0] < below || out[0] > above {
					t.Errorf("%s from %g in [%g, %g]: %v, error %v", name, v, below, above, out, err)
				}
			}
		}
	}
}

// largestGain returns the most that t changes can add to a sum. Each change adds the largest possible number or removes
// a negative one.
func largestGain(x []*big.Rat, hi *big.Rat, t int) *big.Rat {
	gains := make([]*big.Rat, t)
	for i := range gains {
		gains[i] = largest(hi, new(big.Rat))
	}
	for _, v := range x {
		gains = append(gains, new(big.Rat).Neg(v))
	}
	slices.SortFunc(gains, func(a, b *big.Rat) int { return b.Cmp(a) })
	sum := new(big.Rat)
	for _, g := range gains[:t] {
		sum.Add(sum, largest(g, new(big.Rat)))
	}
	return sum
}

func negated(x []*big.Rat) []*big.Rat {
	var out []*big.Rat
	for _, v := range x {
		out = append(out, new(big.Rat).Neg(v))
	}
	return out
}

// Laws on an unbounded range agree with a sufficiently long list: to 75 bits for layered laws, whose tail is only
// bounded, and to 200 for noise. The range has one end or none.
func TestLawsOnUnboundedRanges(t *testing.T) {
	for n, c := range []struct {
		lo, hi int64
		x      []int64
		grid   *big.Rat
	}{
		{-2, 3, []int64{-2, -1, -1, 0, 3}, rat(1, 1)},
		{-2, 3, []int64{2}, nil},
		{1, 4, []int64{1, 1, 3}, rat(1, 1)},
		{-3, -1, []int64{-1, -3}, rat(1, 2)},
		{0, 2, []int64{0, 2, 2}, nil},
	} {
		var x []*big.Rat
		var floats []float64
		sum := new(big.Rat)
		for _, v := range c.x {
			x, floats = append(x, rat(v, 1)), append(floats, float64(v))
			sum.Add(sum, rat(v, 1))
		}
		lo, hi := rat(c.lo, 1), rat(c.hi, 1)
		q := must.For(must.For(records.New(floats, records.Options{Lo: lo, Hi: hi, Grid: c.grid, Neighbors: records.AddRemove}))(t).Total())(t)
		if q.Value().Cmp(sum) != 0 {
			t.Fatalf("%v sum to %v", c.x, q.Value())
		}
		low, high := rat(-250, 1), rat(250, 1) // a density is below 2⁻²⁰⁰ outside
		if c.lo >= 0 {
			low = rat(0, 1)
		}
		if c.hi <= 0 {
			high = rat(0, 1)
		}
		end := func(v *big.Rat, side int64) *big.Rat {
			if v.Sign() == 0 {
				return v
			}
			return nil
		}
		if g := q.Range(); (g.Lo == nil) != (c.lo < 0) || (g.Hi == nil) != (c.hi > 0) {
			t.Fatalf("totals of numbers from %v to %v have the range %v", lo, hi, g)
		}
		wide := func(v *big.Rat) *big.Rat { return new(big.Rat).Mul(v, rat(3, 1)) } // wider, because the exponential mechanism has a heavier tail
		global := largest(new(big.Rat).Abs(lo), new(big.Rat).Abs(hi))
		cut := func(up, down *big.Rat) (a, b *big.Rat) {
			return largest(new(big.Rat).Sub(sum, down), low), smallest(new(big.Rat).Add(sum, up), high)
		}
		points := []*big.Rat{rat(-50, 1), rat(-8, 1), rat(-5, 2), rat(-1, 1), rat(0, 1), rat(1, 3), rat(2, 1), rat(7, 2), rat(5, 1), rat(30, 1)}
		for _, decay := range []evidence.Epsilon{must.Be(evidence.LogEpsilon("decay", rat(9, 1))), must.Be(evidence.NewEpsilon("decay", 2))}[n%2:][:1] {
			what := fmt.Sprintf("%v on [%v, %v], grid %v, decay %v", c.x, lo, hi, c.grid, decay)
			compareLaw(t, "purest, "+what, must.For(records.NewPurest(q, decay))(t), layered(low, high, c.grid, decay, func(t int) (a, b *big.Rat) {
				return cut(largestGain(x, hi, t), largestGain(negated(x), new(big.Rat).Neg(lo), t))
			}), points, 75)
			compareLaw(t, "ladder, "+what, must.For(records.NewLadder(q, decay.Times(2)))(t), layered(low, high, c.grid, decay, func(t int) (a, b *big.Rat) {
				d := new(big.Rat).Mul(global, rat(int64(t), 1))
				return cut(d, d)
			}), points, 75)
			eps := decay.Times(2)
			rate := over(value(eps), realOf(global))
			var law truth = &truncatedLaplace{f: sum, lo: end(low, -1), hi: end(high, 1), rate: rate, clamped: true}
			var weighed truth = &truncatedLaplace{f: sum, lo: end(low, -1), hi: end(high, 1), rate: over(rate, fresh().SetInt64(2))}
			if c.grid != nil {
				law = clampedTo(&truncatedLaplace{f: rat(0, 1), rate: rate}, sum, low, high, c.grid)
				weighed = listed(wide(low), wide(high), c.grid, func(v *big.Rat) *big.Float {
					d := new(big.Rat).Sub(v, sum)
					return expOf(fresh().Neg(times(rate, realOf(d.Abs(d).Mul(d, rat(1, 2))))))
				})
			}
			compareLaw(t, "laplace, "+what, must.For(records.NewLaplace(q, eps))(t), law, points, 200)
			compareLaw(t, "exponential, "+what, must.For(records.NewExponential(q, eps))(t), weighed, points, 200)
			if c.grid != nil {
				compareLaw(t, "staircase, "+what, must.For(records.NewStaircase(q, eps, rat(1, 4)))(t), clampedTo(staircaseNoise(eps, rat(1, 4), global, 120), sum, low, high, c.grid), points, 200)
			}
		}
	}
}

// boundedError is a law for which the probability of an error of at most e is known only up to bounds.
type boundedError struct {
	records.Law
	q      *records.Query
	within func(e *big.Rat) interval.Interval
	fails  error
}

func (m boundedError) Query() *records.Query { return m.q }

func (m boundedError) Within(_ context.Context, e *big.Rat) (interval.Interval, error) {
	return m.within(e), m.fails
}

// If probabilities are only bounded, the error quantile lies between the least e that may reach p and the least e that
// certainly reaches p. It is exact if both are the same lattice value.
func TestErrorQuantileOfBoundedProbabilities(t *testing.T) {
	f := rat(3, 2)
	own := must.For(records.NewCustomQuery(records.CustomQuery{Value: func(records.Dataset) (*big.Rat, error) { return f, nil },
		Up: func(records.Dataset, int) (*big.Rat, error) { return rat(1, 1), nil }, Down: func(records.Dataset, int) (*big.Rat, error) { return rat(1, 1), nil }}))(t)
	r := recordsOf(t, []int64{0, 1, 2}, 3, rat(1, 1), records.Replace)
	one := rat(1, 1)
	for name, g := range map[string]records.Range{"a line": {}, "a half-line": {Lo: rat(0, 1)}, "an interval": {Lo: rat(-7, 1), Hi: rat(2, 1)}, "a lattice": {Step: rat(1, 4)}, "a half-infinite lattice": {Hi: rat(2, 1), Step: rat(1, 4)},
		"a bounded lattice": {Lo: rat(-7, 1), Hi: rat(2, 1), Step: rat(1, 4)}, "a coarse lattice": {Lo: rat(-42, 1), Hi: rat(12, 1), Step: rat(3, 2)}} {
		q := must.For(own.OnRecords(r, g))(t)
		var end *big.Rat
		if g.Lo != nil && g.Hi != nil {
			end = new(big.Rat).Sub(f, g.Lo)
		}
		for _, wide := range []*big.Rat{rat(1, 64), new(big.Rat)} {
			m := boundedError{q: q, within: func(e *big.Rat) interval.Interval { // e/(1 + e) ± wide
				if end != nil && e.Cmp(end) >= 0 {
					return interval.Int(1)
				}
				v := new(big.Rat).Quo(e, new(big.Rat).Add(e, one))
				return interval.Hull(interval.Rat(new(big.Rat).Sub(v, wide)), interval.Rat(new(big.Rat).Add(v, wide)))
			}}
			for _, p := range []*big.Rat{rat(1, 32), rat(1, 2), rat(3, 4), rat(5, 16), rat(15, 16)} {
				at := func(p *big.Rat) *big.Rat { // solves e/(1 + e) = p
					e := new(big.Rat).Quo(p, new(big.Rat).Sub(one, p))
					if g.Step != nil { // round up to the lattice
						k := e.Quo(e, g.Step)
						if !k.IsInt() {
							k.SetInt(new(big.Int).Add(new(big.Int).Quo(k.Num(), k.Denom()), big.NewInt(1)))
						}
						e = new(big.Rat).Mul(k, g.Step)
					}
					if end != nil && e.Cmp(end) > 0 {
						return end
					}
					return e
				}
				least, most := at(new(big.Rat).Sub(p, wide)), at(new(big.Rat).Add(p, wide))
				what := fmt.Sprintf("%s, known to %v: the %v-quantile", name, wide, p)
				n := must.For(records.ErrorQuantile(ctx, m, p))(t)
				if e, ok := n.(evidence.Exact); ok != (g.Step != nil && least.Cmp(most) == 0) || ok && e.Value.Cmp(least) != 0 {
					t.Errorf("%s is %v, want %v to %v", what, n, least, most)
					continue
				}
				lo, hi := n.Bounds()
				a, _ := least.Float64()
				b, _ := most.Float64()
				if lo > a || hi < b || lo < a*(1-1e-15) || hi > b*(1+1e-15) {
					t.Errorf("%s is in [%v, %v], want [%v, %v]", what, lo, hi, a, b)
				}
			}
			m.fails = errors.New("gone")
			if n, err := records.ErrorQuantile(ctx, m, rat(1, 2)); n != nil || err != m.fails {
				t.Errorf("%s: %v, %v", name, n, err)
			}
		}
	}
	// A probability whose enclosure has the upper end p may be below p.
	q := must.For(own.OnRecords(r, records.Range{Step: one}))(t)
	third := interval.Rat(rat(1, 3))
	n := must.For(records.ErrorQuantile(ctx, boundedError{q: q, within: func(e *big.Rat) interval.Interval {
		switch {
		case e.Cmp(rat(2, 1)) < 0:
			return interval.Int(0)
		case e.Cmp(rat(5, 1)) < 0:
			return third
		}
		return interval.Int(1)
	}}, rat(1, 3)))(t)
	if lo, hi := n.Bounds(); lo != 2 || hi != 5 {
		t.Errorf("the 1/3-quantile is %v, want from 2 to 5", n)
	}
}

// Draws with a fixed seed never change: testdata/draws.txt holds the output of this test.
func TestSeededDrawsAreStable(t *testing.T) {
	var out strings.Builder
	write := func(name string, m records.Law) {
		drawn := must.For(m.Simulate(ctx, 8, rand.NewPCG(7, 11)))(t)
		released, grid, err := m.(records.Releaser).Release(ctx, 8, rand.NewPCG(5, 3))
		if err != nil {
			t.Fatalf("%s of %s: %v", name, m.Query().Name(), err)
		}
		fmt.Fprintf(&out, "%s of %s: %s\n\t%.9g\n\t%v grid %v\n", name, m.Query().Name(), m.Name(), drawn, released, grid)
	}
	_, lattice := quarterRecords(t, quarters[0], rat(1, 4), records.Replace)
	_, open := quarterRecords(t, quarters[0], nil, records.Replace)
	_, end := quarterRecords(t, quarters[3], rat(1, 4), records.Replace)
	total := must.For(records.New([]float64{-2, -1, 0, 3}, records.Options{Lo: rat(-2, 1), Hi: rat(3, 1), Neighbors: records.AddRemove}))(t)
	sums := must.For(records.New([]float64{1, 3}, records.Options{Lo: rat(1, 1), Hi: rat(4, 1), Grid: rat(1, 1), Neighbors: records.AddRemove}))(t)
	many := must.For(records.New(floats(100, 3), records.Options{Lo: rat(0, 1), Hi: rat(1, 1), Neighbors: records.Replace}))(t)
	names := make([]string, 0, len(mechanisms))
	for name := range mechanisms {
		names = append(names, name)
	}
	slices.Sort(names)
	little, much := must.For(evidence.NewEpsilon("eps", 0.75))(t), must.For(evidence.NewEpsilon("eps", 3))(t)
	for _, name := range names {
		eps := much
		if name == "purest" || name == "delta" || name == "ladder" {
			eps = little
		}
		for _, q := range []*records.Query{must.For(lattice.Median())(t), must.For(end.Maximum())(t), must.For(open.Median())(t), must.For(total.Total())(t), must.For(sums.Total())(t), must.For(many.Median())(t)} {
			write(name, must.For(mechanisms[name](q, eps))(t))
		}
	}
	names = names[:0]
	for name := range modal {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		for _, neighbors := range []records.Neighbors{records.Replace, records.AddRemove} {
			write(name, must.For(modal[name](modeOf(t, []int{3, 1, 4, 4}, neighbors), little))(t))
		}
	}
	path := filepath.Join("testdata", "draws.txt")
	want := must.Be(os.ReadFile(path))
	if out.String() != string(want) {
		lines, wanted := strings.Split(out.String(), "\n"), strings.Split(string(want), "\n")
		for i, line := range lines {
			if i >= len(wanted) || line != wanted[i] {
				t.Errorf("line %d: %s", i+1, line)
			}
		}
		t.Errorf("%d lines, want %d", len(lines), len(wanted))
	}
}

// The laws of order statistics without a grid (orderLaw) are exact to the last digit at the ends of the range. The
// cases have records next to ends that are not float64s, records clamped to the ends, and gaps to the ends too small
// for float64.
func TestLawsByPlacesAtTheEnds(t *testing.T) {
	quick, slow := must.Be(evidence.NewEpsilon("decay", 1.5)), must.Be(evidence.NewEpsilon("decay", 0.013))
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil))
	past := func(v *big.Rat) *big.Rat { return new(big.Rat).Add(v, tiny) }
	before := func(v *big.Rat) *big.Rat { return new(big.Rat).Sub(v, tiny) }
	spread := func(i int) float64 { // half the records at the lower end, the rest up to 1/10
		return min(max(0, float64(i-35)/200), 0.1)
	}
	thirds := func(i int) float64 {
		return []float64{0.1, 0.3333333333333333, 0.33333333333333337, 0.4, 0.5, 0.6, 0.6666666666666666, 0.6666666666666667, 0.9}[i%9]
	}
	ones := func(i int) float64 { return []float64{-5, -1, -0.5, 0, 0.25, 0.5, 1, 5}[i%8] }
	for name, c := range map[string]struct {
		lo, hi *big.Rat
		of     func(i int) float64
		decay  evidence.Epsilon
		bits   int
	}{
		"thirds": {rat(1, 3), rat(2, 3), thirds, slow, 210}, "negative thirds": {rat(-2, 3), rat(-1, 3), func(i int) float64 { return -thirds(i) }, slow, 210},
		"slightly beyond ±1": {before(rat(-1, 1)), past(rat(1, 1)), ones, slow, 210}, "slightly within ±1": {past(rat(-1, 1)), before(rat(1, 1)), ones, slow, 210},
		"far thirds": {rat(-3, 1), rat(11, 1), thirds, slow, 210}, "spread": {rat(0, 1), past(rat(1, 10)), spread, quick, 75},
		"spread below": {before(rat(-1, 10)), rat(0, 1), func(i int) float64 { return -spread(i) }, quick, 75},
	} {
		o := ordered{lo: c.lo, hi: c.hi}
		x := make([]float64, 90)
		for i := range x {
			x[i] = c.of(i)
			o.x = append(o.x, smallest(largest(interval.Decimal(x[i]), o.lo), o.hi))
		}
		slices.SortFunc(o.x, (*big.Rat).Cmp)
		q := must.For(must.For(records.New(x, records.Options{Lo: o.lo, Hi: o.hi, Neighbors: records.Replace, Clip: true}))(t).Median())(t)
		law, _ := o.gaps(45, c.decay)
		m := must.For(records.NewPurest(q, c.decay))(t)
		points := []*big.Rat{o.lo, past(o.lo), o.at(20), q.Value(), o.at(70), before(o.hi), o.hi}
		slices.SortFunc(points, (*big.Rat).Cmp)
		for i, to := range points[1:] {
			from := points[i]
			encloses(t, fmt.Sprintf("%s: between %v and %v", name, from, to), must.For(m.Between(ctx, from, to))(t), law.between(from, to), c.bits)
		}
		containsTightly(t, name+": the error", must.For(m.Distortion(ctx))(t), law.off(q.Value()), 1)
	}
}

// OnRecords rejects a range whose ends are not a multiple of the step apart, because a law would have values outside.
func TestOnRecordsRejectsStepsPastTheEnds(t *testing.T) {
	own := must.For(records.NewCustomQuery(records.CustomQuery{Value: func(records.Dataset) (*big.Rat, error) { return rat(1, 2), nil },
		Up: func(_ records.Dataset, t int) (*big.Rat, error) { return rat(int64(t), 1), nil }, Down: func(_ records.Dataset, t int) (*big.Rat, error) { return rat(int64(t), 2), nil }}))(t)
	r := recordsOf(t, []int64{0, 1, 2}, 3, rat(1, 1), records.Replace)
	half, past := rat(1, 2), rat(7, 4)
	refused(t, errorOf(own.OnRecords(r, records.Range{Lo: rat(0, 1), Hi: past, Step: half})), "range is [0, 1.75] in steps of 0.5, want hi − lo to be a multiple of the step")
	refused(t, errorOf(own.OnRecords(r, records.Range{Hi: past, Step: half})), "value = 1/2, want a value of (−inf, 1.75] in steps of 0.5")
	refused(t, errorOf(own.OnRecords(r, records.Range{Lo: past, Step: half})), "value = 1/2, want a value of [1.75, inf) in steps of 0.5")
	for _, g := range []records.Range{{Lo: rat(0, 1), Hi: rat(2, 1), Step: half}, {Hi: rat(2, 1), Step: half}, {Lo: rat(0, 1), Step: half}, {Lo: rat(0, 1), Hi: past}, {Step: half}} {
		if q := must.For(own.OnRecords(r, g))(t); q.Range() != g {
			t.Errorf("%v has the range %v", q, q.Range())
		}
	}
}

// Drawing a negative number of outputs, or too many, is an error. Drawing no outputs is not.
func TestRefusedDraws(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	_, grid := quarterRecords(t, quarters[0], rat(1, 4), records.Replace)
	_, open := quarterRecords(t, quarters[0], nil, records.Replace)
	var laws []records.Law
	for _, of := range mechanisms {
		laws = append(laws, must.For(of(must.For(grid.Median())(t), eps))(t), must.For(of(must.For(open.Median())(t), eps))(t))
	}
	for _, of := range modal {
		laws = append(laws, must.For(of(modeOf(t, []int{1, 2}, records.Replace), eps))(t))
	}
	for _, m := range laws {
		for _, n := range []int{-1, math.MaxInt} {
			if _, err := m.Simulate(ctx, n, rand.NewPCG(1, 1)); !isParameter(err, "n = ") {
				t.Errorf("%s: %v", m.Name(), err)
			}
			if _, _, err := m.(records.Releaser).Release(ctx, n, rand.NewPCG(1, 1)); !isParameter(err, "n = ") {
				t.Errorf("%s: %v", m.Name(), err)
			}
		}
		if out, err := m.Simulate(ctx, 0, rand.NewPCG(1, 1)); len(out) != 0 || err != nil {
			t.Errorf("%s: %v, %v", m.Name(), out, err)
		}
		if out, _, err := m.(records.Releaser).Release(ctx, 0, nil); len(out) != 0 || err != nil {
			t.Errorf("%s: %v, %v", m.Name(), out, err)
		}
		if out, _, err := m.(records.Releaser).Release(ctx, 3, nil); len(out) != 3 || err != nil { // a nil source is the system's generator
			t.Errorf("%s: %v, %v", m.Name(), out, err)
		}
	}
	// Lattices with too many values, and fractions of ε with too many digits, have no exact sampler.
	far := must.For(records.New([]float64{1, 5, 1 << 39}, records.Options{Lo: rat(0, 1), Hi: rat(1<<40, 1), Grid: rat(1, 1), Neighbors: records.Replace}))(t)
	q := must.For(far.Variance())(t)
	_, _, err := must.For(records.NewExponential(q, eps))(t).(records.Releaser).Release(ctx, 1, rand.NewPCG(1, 1))
	refused(t, err, "exponential(eps=1) has no exact sampler at a step of 1/9: it multiplies eps by 1/4835703278458516698824704, want a fraction of 64-bit integers")
	_, _, err = must.For(records.NewPurest(q, eps))(t).(records.Releaser).Release(ctx, 1, rand.NewPCG(1, 1))
	if !isParameter(err, "a layer of variance of 3 records in [0, 1.099511627776e+12], grid 1 has ") || !isParameter(err, " values, want at most 2^64") {
		t.Error(err)
	}
}

// wordsOf returns the first 192 binary digits of a number below 1, rounded down.
func wordsOf(q *big.Rat) []uint64 {
	v := new(big.Int).Lsh(q.Num(), 192)
	v.Quo(v, q.Denom())
	var out []uint64
	for k := range uint(3) {
		out = append(out, new(big.Int).And(new(big.Int).Rsh(v, 128-64*k), new(big.Int).SetUint64(math.MaxUint64)).Uint64())
	}
	return out
}

// Release inverts the distribution function at a uniform number of 192 binary digits, layer by layer, the upper part of
// each layer first. It returns ErrUndecided if these digits do not decide the output.
func TestReleaseInvertsDistribution(t *testing.T) {
	decay := must.For(evidence.LogEpsilon("decay", rat(2, 1)))(t)
	// The median is 1 on the range 0…3: the weights of 1, 2, 0, 3 are 1, 1/2, 1/2, 1/4, with sum 9/4.
	r := recordsOf(t, []int64{0, 1, 2}, 3, rat(1, 1), records.Replace)
	m := must.For(records.NewPurest(must.For(r.Median())(t), decay))(t).(records.Releaser)
	bits := func(num, den int64, off int64) []uint64 { // digits of num/den, plus off units in the last place
		v := new(big.Rat).SetFrac(big.NewInt(off), new(big.Int).Lsh(big.NewInt(1), 192))
		return wordsOf(v.Add(v, rat(num, den)))
	}
	for _, c := range []struct {
		words []uint64
		want  float64 // NaN if undecided
	}{
		{bits(0, 1, 0), 1}, {bits(4, 9, -1), 1}, {bits(4, 9, 0), math.NaN()}, {bits(4, 9, 1), 2}, {bits(6, 9, -1), 2}, {bits(6, 9, 1), 0}, {bits(8, 9, -1), 0}, {bits(8, 9, 0), math.NaN()}, {bits(8, 9, 1), 3}, {bits(1, 1, -1), 3},
	} {
		src := &stattest.Spelled{Words: c.words, Tail: 1 << 62}
		out, grid, err := m.Release(ctx, 1, src)
		if math.IsNaN(c.want) {
			if !errors.Is(err, sampling.ErrUndecided) || out != nil || grid != nil {
				t.Errorf("%x draws %v, %v", c.words, out, err)
			}
		} else if err != nil || out[0] != c.want || grid != nil {
			t.Errorf("%x draws %v, %v, want %g", c.words, out, err, c.want)
		}
	}
	// The tail is only bounded, so digits that select it are undecided.
	total := must.For(recordsOf(t, []int64{0, 1, 2}, 3, rat(1, 1), records.AddRemove).Total())(t)
	open := must.For(records.NewPurest(total, decay))(t).(records.Releaser)
	if out, _, err := open.Release(ctx, 1, &stattest.Spelled{Words: bits(1, 1, -1)}); !errors.Is(err, sampling.ErrUndecided) {
		t.Errorf("the last digits draw %v, %v", out, err)
	}
	if out, _, err := open.Release(ctx, 1, &stattest.Spelled{Words: bits((1<<40)-1, 1<<40, 0), Tail: 1 << 62}); err != nil || out[0] < 30 {
		t.Errorf("digits next to 1 draw %v, %v", out, err)
	}
	// Without a grid, a draw from a layer is rounded to the nearest multiple of a public grid.
	line := must.For(records.NewPurest(must.For(recordsOf(t, []int64{0, 1, 2}, 3, nil, records.Replace).Median())(t), decay))(t).(records.Releaser)
	// The intervals [1, 2] and [0, 1] are in layer 1, [2, 3] is in layer 2, so their probabilities are 2/5, 2/5, 1/5.
	for _, c := range []struct {
		num, den int64
		lo       float64
		sign     float64
	}{{1, 5, 1, 1}, {3, 5, 1, -1}, {9, 10, 2, 1}} {
		for _, share := range []*big.Rat{rat(0, 1), rat(1, 3), rat(1, 2), rat(999, 1000)} {
			out, grid, err := line.Release(ctx, 1, &stattest.Spelled{Words: append(bits(c.num, c.den, 0), wordsOf(share)...)})
			if err != nil {
				t.Fatal(err)
			}
			g, _ := grid.Float64()
			v, _ := share.Float64()
			want := c.lo + c.sign*v
			if math.Abs(out[0]-want) > g/2*(1+1e-9) || math.Mod(out[0], g) != 0 || g != 0x1p-31 {
				t.Errorf("%v of the part draws %v on %v, want %g", share, out, grid, want)
			}
		}
	}
	third := must.For(records.NewPurest(must.For(must.For(records.New([]float64{0.3}, records.Options{Lo: rat(0, 1), Hi: rat(1, 1), Neighbors: records.Replace}))(t).Median())(t), decay))(t).(records.Releaser)
	// If the layer's length is not a power of two, 192 digits do not decide a draw half way between two grid values, so
	// more digits are drawn.
	_, grid, _ := third.Release(ctx, 1, &stattest.Spelled{Words: append(bits(1, 9, 0), 0, 0, 0)})
	k := new(big.Rat).Quo(rat(3, 10), grid)
	k.SetInt(new(big.Int).Quo(k.Num(), k.Denom()))
	at := new(big.Rat).Mul(k.Add(k, rat(5, 2)), grid) // above 0.3
	at.Sub(at, rat(3, 10)).Quo(at, rat(7, 10))
	if out, _, err := third.Release(ctx, 1, &stattest.Spelled{Words: append(bits(1, 9, 0), wordsOf(at)...)}); err != nil || math.Abs(out[0]-0.3) > 1e-8 {
		t.Errorf("a draw half way between grid values: %v, %v", out, err)
	}
}

// DistortionFrom returns the sum of |r − c|, weighted by the law.
func TestDistortionFrom(t *testing.T) {
	ctx := context.Background()
	eps := must.For(evidence.NewEpsilon("eps", 0.9))(t)
	noise := must.For(smooth.Student(rat(3, 1)))(t)
	makers := map[string]func(q *records.Query) (records.Law, error){
		"purest":      func(q *records.Query) (records.Law, error) { return records.NewPurest(q, eps) },
		"delta":       func(q *records.Query) (records.Law, error) { return records.NewDeltaNeighborhood(q, eps, rat(1, 2)) },
		"ladder":      func(q *records.Query) (records.Law, error) { return records.NewLadder(q, eps) },
		"laplace":     func(q *records.Query) (records.Law, error) { return records.NewLaplace(q, eps) },
		"staircase":   func(q *records.Query) (records.Law, error) { return records.NewStaircase(q, eps, nil) },
		"exponential": func(q *records.Query) (records.Law, error) { return records.NewExponential(q, eps) },
		"smooth": func(q *records.Query) (records.Law, error) {
			return records.NewSmooth(ctx, q, must.Be(smooth.Calibrate(noise, eps, evidence.Delta{}, nil)))
		},
	}
	for _, fine := range []int64{4, 64} { // a coarse lattice, and one fine enough to approximate the continuous law
		for name, of := range makers {
			grid := rat(1, fine)
			x := []float64{0.5, 1, 1.25, 2.25, 3.5}
			lattice := must.For(of(must.For(must.For(records.New(x, records.Options{Lo: rat(0, 1), Hi: rat(4, 1), Grid: grid, Neighbors: records.Replace}))(t).Median())(t)))(t)
			open := must.For(of(must.For(must.For(records.New(x, records.Options{Lo: rat(0, 1), Hi: rat(4, 1), Neighbors: records.Replace}))(t).Median())(t)))(t)
			for _, c := range []*big.Rat{rat(5, 4), rat(0, 1), rat(1, 3), rat(9, 4), rat(47, 20), rat(4, 1), rat(5, 1), rat(-1, 1)} {
				have := must.For(records.DistortionFrom(ctx, lattice, c))(t).Float()
				if fine == 4 {
					want, at := 0.0, 0.0
					to, _ := c.Float64()
					for k := range 4*fine + 1 {
						at = float64(k) / float64(fine)
						want += must.For(lattice.Between(ctx, rat(k, fine), rat(k, fine)))(t).Mid() * math.Abs(at-to)
					}
					if math.Abs(have-want) > 1e-12 {
						t.Errorf("%s: E|r − %v| = %g, want the sum %g", name, c, have, want)
					}
				} else if near := must.For(records.DistortionFrom(ctx, open, c))(t).Float(); math.Abs(have-near) > 2./64 {
					t.Errorf("%s: E|r − %v| = %g on a fine lattice, %g without a grid", name, c, have, near)
				}
			}
		}
	}
}

// Release returns ErrUndecided if the random digits never decide the output. With other digits it returns outputs.
func TestUndecidedReleases(t *testing.T) {
	const half, all = 1 << 63, 1<<64 - 1
	ln2, one := must.Be(evidence.LogEpsilon("eps", big.NewRat(2, 1))), must.Be(evidence.NewEpsilon("eps", 1))
	eps := func(num, den int64) evidence.Epsilon {
		return must.Be(evidence.RationalEpsilon("eps", big.NewRat(num, den)))
	}
	median := func(grid *big.Rat) *records.Query { // 2, Δ = 4
		return must.Be(must.Be(records.New([]float64{1, 2, 3}, records.Options{Lo: new(big.Rat), Hi: big.NewRat(4, 1), Grid: grid, Neighbors: records.Replace})).Median())
	}
	lattice, line := median(big.NewRat(1, 1)), median(nil)
	first := &stattest.Spelled{Words: []uint64{half, all}, Tail: 7}
	if k, err := sampling.GeometricOver(sampling.Int(1), first); err != nil || k.Sign() != 0 {
		t.Fatal(k, err)
	}
	below := []uint64{half, all} // a geometric variable of 0, then an exponential variable of 1 − 2⁻ᵏ
	for len(below) < first.Taken {
		below = append(below, first.Tail)
	}
	below = append(below, all, half, 5, all)
	equal := must.Be(must.Be(records.NewCategories([]string{"a", "b"}, []string{"a", "b"}, records.AddRemove)).Mode())
	unequal := must.Be(must.Be(records.NewCategories([]string{"a", "b", "b"}, []string{"a", "b"}, records.AddRemove)).Mode())
	for name, c := range map[string]struct {
		m   records.Law
		src stattest.Spelled
	}{
		"staircase, between steps":             {must.Be(records.NewStaircase(line, ln2, big.NewRat(1, 2))), stattest.Spelled{Tail: all / 3}},
		"laplace, between values":              {must.Be(records.NewLaplace(lattice, eps(4, 1))), stattest.Spelled{Words: []uint64{half, all, 0}}},                   // 2 − ½·4/4
		"laplace, between multiples":           {must.Be(records.NewLaplace(line, eps(2<<31, 1<<31+1))), stattest.Spelled{Words: []uint64{half, all, 0}}},            // 2 − (1 + 2⁻³¹), on multiples of 2⁻³⁰
		"exponential, just below a difference": {must.Be(records.NewExponential(lattice, eps(8, 1))), stattest.Spelled{Words: below, Tail: all}},                     // of rate 1
		"exponential, at the lower end":        {must.Be(records.NewExponential(line, eps(2, 1))), stattest.Spelled{Words: []uint64{half, all, 0}}},                  // 2 − ½·8/2
		"exponential, at the upper end":        {must.Be(records.NewExponential(line, eps(2, 1))), stattest.Spelled{Words: []uint64{half, all, 1}}},                  // 2 + ½·8/2
		"exponential, between multiples":       {must.Be(records.NewExponential(line, eps(4<<31, 1<<31+1))), stattest.Spelled{Words: []uint64{half, all, 0}}},        // 2 − (1 + 2⁻³¹)
		"purest, between multiples":            {must.Be(records.NewPurest(line, one)), stattest.Spelled{Words: []uint64{0, 0, 0, all >> 31}, Tail: all}},            // 2 + 2⁻³¹
		"permute-and-flip, at the threshold":   {must.Be(records.NewPermuteAndFlip(unequal, ln2)), stattest.Spelled{Words: []uint64{0, half}}},                       // the first category, accepted
		"noisy max, equal negative sums":       {must.Be(records.NewNoisyMax(equal, one, "laplace")), stattest.Spelled{Words: []uint64{half, all, 0, half, all, 0}}}, // −½ both
		"noisy max, equal positive sums":       {must.Be(records.NewNoisyMax(equal, one, "laplace")), stattest.Spelled{Words: []uint64{half, all, 1, half, all, 1}}}, // ½ both
	} {
		out, grid, err := c.m.(records.Releaser).Release(t.Context(), 1, &c.src)
		if out != nil || grid != nil || !errors.Is(err, sampling.ErrUndecided) {
			t.Errorf("%s: outputs %v on grid %v, error %v, want ErrUndecided", name, out, grid, err)
		}
		if out, _, err := c.m.(records.Releaser).Release(t.Context(), 3, rand.NewPCG(1, 1)); len(out) != 3 || err != nil {
			t.Errorf("%s, with other digits: %v, error %v", name, out, err)
		}
	}
	// If e^{−decay} underflows float64, a law exists but exact draws do not.
	for name, m := range map[string]records.Law{"laplace": must.Be(records.NewLaplace(line, eps(800, 1))), "staircase": must.Be(records.NewStaircase(line, eps(800, 1), nil)), "exponential": must.Be(records.NewExponential(line, eps(800, 1))), "exponential on a lattice": must.Be(records.NewExponential(lattice, eps(6400, 1))),
		"noisy mean": must.Be(records.NewNoisyMean(must.Be(must.Be(records.New([]float64{1}, records.Options{Lo: new(big.Rat), Hi: big.NewRat(1, 1), Grid: big.NewRat(1, 1), Neighbors: records.AddRemove})).Mean()), eps(1600, 1), big.NewRat(1, 2)))} {
		out, grid, err := m.(records.Releaser).Release(t.Context(), 1, nil)
		if out != nil || grid != nil || !errors.Is(err, evidence.ErrParameter) || err.Error() != "eps = 800, want at most 700" {
			t.Errorf("%s: draws %v on grid %v, error %v", name, out, grid, err)
		}
	}
}
