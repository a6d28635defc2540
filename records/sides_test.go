package records_test

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/records"
)

// Sums of decimals between ends that are fractions of other denominators are those of the numbers, and so is how far t changes move them.
func TestSumsBetweenFractions(t *testing.T) {
	for _, ends := range [][2]*big.Rat{{rat(1, 3), rat(11, 7)}, {rat(-5, 6), rat(2, 1)}, {rat(-7, 1), rat(-2, 9)}, {rat(0, 1), rat(22, 7)}, {rat(-11, 6), rat(9, 7)}} { // the last without a record at them
		o := ordered{lo: ends[0], hi: ends[1]}
		floats := []float64{-1.75, -0.5, 0.4, 0.5, 1.25}
		sum, squares, n := new(big.Rat), new(big.Rat), int64(len(floats))
		for _, v := range floats {
			q := smallest(largest(interval.Decimal(v), o.lo), o.hi)
			o.x = append(o.x, q)
			sum.Add(sum, q)
			squares.Add(squares, new(big.Rat).Mul(q, q))
		}
		r := must.For(records.New(floats, records.Options{Lo: o.lo, Hi: o.hi, Neighbors: records.Replace, Clip: true}))(t)
		mean := new(big.Rat).Quo(sum, rat(n, 1))
		variance := new(big.Rat).Quo(squares, rat(n, 1))
		variance.Sub(variance, new(big.Rat).Mul(mean, mean))
		if v := must.For(r.Variance())(t).Value(); v.Cmp(variance) != 0 {
			t.Errorf("the variance of %v is %v, want %v", o.x, v, variance)
		}
		for name, c := range map[string]struct {
			q    *records.Query
			want *big.Rat
			over int64
			a, b int
		}{"total": {must.For(r.Total())(t), sum, 1, 1, 5}, "mean": {must.For(r.Mean())(t), mean, 5, 1, 5}, "trimmed mean": {must.For(r.TrimmedMean(1))(t), nil, 3, 2, 4}} {
			shifted := func(by int) *big.Rat { // the records of places a…b, moved by some places
				v := new(big.Rat)
				for k := c.a; k <= c.b; k++ {
					v.Add(v, o.at(k+by))
				}
				return v.Quo(v, rat(c.over, 1))
			}
			if v := c.q.Value(); v.Cmp(shifted(0)) != 0 || c.want != nil && v.Cmp(c.want) != 0 {
				t.Errorf("the %s of %v is %v, want %v", name, o.x, v, shifted(0))
			}
			for d := 1; d < 8; d++ {
				up, down, err := c.q.Moves(d)
				if err != nil {
					t.Fatal(err)
				}
				if up.Add(up, c.q.Value()).Cmp(shifted(d)) != 0 || down.Sub(c.q.Value(), down).Cmp(shifted(-d)) != 0 {
					t.Errorf("%d changes move the %s of %v to [%v, %v], want [%v, %v]", d, name, o.x, down, up, shifted(-d), shifted(d))
				}
			}
		}
	}
}

// Laws by places know the last digit of records at the ends of their range: beside ends that are no float64, moved to them, and so near to them that
// float64s cannot tell what is left.
func TestLawsByPlacesAtTheEnds(t *testing.T) {
	quick, slow := must.Be(evidence.NewEpsilon("decay", 1.5)), must.Be(evidence.NewEpsilon("decay", 0.013))
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(30), nil))
	past := func(v *big.Rat) *big.Rat { return new(big.Rat).Add(v, tiny) }
	before := func(v *big.Rat) *big.Rat { return new(big.Rat).Sub(v, tiny) }
	spread := func(i int) float64 { // half at the lower end, and the rest up to 1/10
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
		"past ones": {before(rat(-1, 1)), past(rat(1, 1)), ones, slow, 210}, "before ones": {past(rat(-1, 1)), before(rat(1, 1)), ones, slow, 210},
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
		tells(t, name+": the error", must.For(m.Distortion(ctx))(t), law.off(q.Value()), 1)
	}
}

// A range that is shorter than intervals can tell is no single value: its law is open.
func TestLawsOfALittleLength(t *testing.T) {
	hi := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 300))
	hi.Add(hi, rat(1, 1))
	q := must.For(must.For(records.New(slices.Repeat([]float64{1}, 70), records.Options{Lo: rat(1, 1), Hi: hi, Neighbors: records.Replace}))(t).Median())(t)
	p := must.For(must.For(records.NewPurest(q, some))(t).Between(ctx, rat(1, 1), rat(1, 1)))(t)
	if lo, hi := p.Bounds(); lo != 0 || hi < 0 {
		t.Errorf("a single value with a chance of %g to %g", lo, hi)
	}
	p = must.For(must.For(records.NewPurest(q, some))(t).Between(ctx, rat(1, 1), hi))(t)
	if _, hi := p.Bounds(); hi != 1 {
		t.Errorf("all values with a chance of at most %g", hi)
	}
}

// Outputs stay on ranges that have one end, none, or do not begin at 0, and on their lattices, however they are drawn.
func TestDrawsStayInTheirRange(t *testing.T) {
	eps := must.Be(evidence.NewEpsilon("eps", 0.5))
	for _, ends := range [][2]int64{{3, 11}, {-7, -2}, {-7, 10}} {
		x := []float64{float64(ends[0]), float64(ends[0] + 2), float64(ends[1] - 1)}
		for _, grid := range []*big.Rat{rat(1, 2), nil} {
			r := must.For(records.New(x, records.Options{Lo: rat(ends[0], 1), Hi: rat(ends[1], 1), Grid: grid, Neighbors: records.AddRemove}))(t)
			q := must.For(r.Total())(t)
			g := q.Range()
			for _, name := range []string{"purest", "ladder", "laplace", "staircase"} {
				m := must.For(mechanisms[name](q, eps))(t)
				drawn := must.For(m.Simulate(ctx, 100, rand.NewPCG(4, 1)))(t)
				released, step, err := m.(records.Releaser).Release(ctx, 20, rand.NewPCG(5, 1))
				if err != nil || (step == nil) != (g.Step != nil) {
					t.Fatalf("%s of %s: %v, on %v", name, q.Name(), err, step)
				}
				for i, v := range append(drawn, released...) {
					at := new(big.Rat).SetFloat64(v)
					if g.Lo != nil && at.Cmp(g.Lo) < 0 || g.Hi != nil && at.Cmp(g.Hi) > 0 || g.Step != nil && !new(big.Rat).Quo(at, g.Step).IsInt() ||
						step != nil && i >= len(drawn) && !new(big.Rat).Quo(at, step).IsInt() {
						t.Fatalf("%s of %s: output %d is %g", name, q.Name(), i, v)
					}
				}
			}
		}
	}
}

// With an infinite radius all values are in layer 0, though the range has one end or none; and a law that would be even on all of it is refused.
func TestInfiniteRadiusWithoutAnEnd(t *testing.T) {
	for _, ends := range [][2]int64{{3, 11}, {-7, -2}, {-7, 10}} {
		r := must.For(records.New([]float64{float64(ends[0])}, records.Options{Lo: rat(ends[0], 1), Hi: rat(ends[1], 1), Neighbors: records.AddRemove}))(t)
		q := must.For(r.Total())(t)
		m := must.For(records.NewDeltaNeighborhood(q, ln3, nil))(t).(*records.Layered)
		for _, v := range []int64{-1000, -9, 0, 5, 1000} {
			at := rat(v, 1)
			if g := q.Range(); g.Lo != nil && at.Cmp(g.Lo) < 0 || g.Hi != nil && at.Cmp(g.Hi) > 0 {
				continue
			}
			if layer := must.For(m.Layer(at))(t); layer != 0 {
				t.Errorf("%v of %s is in layer %d", at, q.Name(), layer)
			}
		}
		refused(t, errorOf(m.Distortion(ctx)), "the range of "+q.Name()+" has no end that layer 0 stops at: the weights have no finite sum")
	}
}

// The distortion is added up in rationals where they have few digits, and enclosed where they have more.
func TestExactWhereDigitsAreFew(t *testing.T) {
	decay := must.Be(evidence.LogEpsilon("decay", new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 100)))) // 101 digits a layer
	for _, c := range []struct {
		layers int
		kind   evidence.Kind
	}{{1200, evidence.KindExact}, {1400, evidence.KindCertified}} {
		r := must.For(records.New(make([]float64, c.layers), records.Options{Lo: rat(0, 1), Hi: rat(1, 1), Neighbors: records.Replace}))(t)
		q := must.For(r.Count(func(v *big.Rat) (bool, error) { return v.Sign() > 0, nil }))(t)
		n := must.For(must.For(records.NewPurest(q, decay))(t).Distortion(ctx))(t)
		lo, hi := n.Bounds()
		if n.Kind() != c.kind || lo > 0x1p-100*(1+1e-15) || hi < 0x1p-100*(1-1e-15) || hi-lo > 0x1p-150 {
			t.Errorf("%d layers: %v, %s, want 2^-100", c.layers, n, fmt.Sprint(n.Kind()))
		}
	}
}

// Ranges whose ends no whole steps lead to are refused: a law of them would have values beyond an end.
func TestStepsLeadToTheEnds(t *testing.T) {
	own := must.For(records.NewOwn(records.Own{Value: func(records.Dataset) (*big.Rat, error) { return rat(1, 2), nil },
		Up: func(_ records.Dataset, t int) (*big.Rat, error) { return rat(int64(t), 1), nil }, Down: func(_ records.Dataset, t int) (*big.Rat, error) { return rat(int64(t), 2), nil }}))(t)
	r := recordsOf(t, []int64{0, 1, 2}, 3, rat(1, 1), records.Replace)
	half, past := rat(1, 2), rat(7, 4)
	refused(t, errorOf(own.OnRecords(r, records.Range{Lo: rat(0, 1), Hi: past, Step: half})), "range is [0, 1.75] in steps of 0.5, want ends that whole steps lead to")
	refused(t, errorOf(own.OnRecords(r, records.Range{Hi: past, Step: half})), "value = 1/2, want a value of (−inf, 1.75] in steps of 0.5")
	refused(t, errorOf(own.OnRecords(r, records.Range{Lo: past, Step: half})), "value = 1/2, want a value of [1.75, inf) in steps of 0.5")
	for _, g := range []records.Range{{Lo: rat(0, 1), Hi: rat(2, 1), Step: half}, {Hi: rat(2, 1), Step: half}, {Lo: rat(0, 1), Step: half}, {Lo: rat(0, 1), Hi: past}, {Step: half}} {
		if q := must.For(own.OnRecords(r, g))(t); q.Range() != g {
			t.Errorf("%v has the range %v", q, q.Range())
		}
	}
}
