package records_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/records"
)

// Remake returns the mechanism that is built at the other dataset, with the same name and claim.
func TestRemakeEqualsNew(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 0.6))(t)
	_, one := quarterRecords(t, quarters[0], rat(1, 4), records.Replace)
	_, other := quarterRecords(t, quarters[1], rat(1, 4), records.Replace)
	_, open := quarterRecords(t, quarters[0], nil, records.Replace)
	same := func(name string, of func(q *records.Query, eps evidence.Epsilon) (records.Law, error), at, to *records.Query) {
		t.Helper()
		m := must.For(of(at, eps))(t)
		for _, have := range []records.Law{must.For(m.Remake(to))(t), must.For(must.For(m.Remake(at))(t).Remake(to))(t)} {
			want := must.For(of(to, eps))(t)
			describe := func(m records.Law) string {
				return fmt.Sprint(m.Name(), m.Query() == to, m.ClaimedEpsilon(), must.For(m.Distortion(ctx))(t), must.For(m.Between(ctx, rat(1, 1), rat(3, 1)))(t))
			}
			if describe(have) != describe(want) {
				t.Errorf("%s: %s, want %s", name, describe(have), describe(want))
			}
		}
	}
	for name, of := range mechanisms {
		same(name, of, must.For(one.Median())(t), must.For(other.Median())(t))
		same(name, of, must.For(one.Median())(t), must.For(open.Maximum())(t))
	}
	for name, of := range modal {
		same(name, of, modeOf(t, []int{1, 4, 2}, records.Replace), modeOf(t, []int{3, 2, 3}, records.Replace))
	}
}

// Answers and sensitivities carry the right evidence, and descriptions match.
func TestQueryAnswersAndDescriptions(t *testing.T) {
	r := small(records.Replace)
	median := must.For(r.Median())(t)
	exact := func(n evidence.Number, err error, v *big.Rat, source string) {
		t.Helper()
		if x, ok := n.(evidence.Exact); err != nil || !ok || x.Value.Cmp(v) != 0 || x.Source != source {
			t.Errorf("%v by %v, %v, want %v by %s", n, x.Source, err, v, source)
		}
	}
	exact(median.Answer(), nil, rat(2, 1), "computed from the records")
	n, err := median.LocalSensitivity(0)
	exact(n, err, rat(2, 1), "the local sensitivity within 0 changes (docs/records.md)")
	n, err = median.LocalSensitivity(2)
	exact(n, err, rat(4, 1), "the local sensitivity within 2 changes (docs/records.md)")
	for _, n := range []evidence.Number{n, must.For(median.GlobalSensitivity())(t)} { // these are upper bounds
		if n.(evidence.Exact).Side != evidence.Up {
			t.Errorf("%v is rounded %v", n, n.(evidence.Exact).Side)
		}
	}
	n, err = median.GlobalSensitivity()
	exact(n, err, rat(4, 1), "the largest change between neighbors")
	atMost := func(n evidence.Number, err error, lo, hi float64) {
		t.Helper()
		if c, ok := n.(evidence.Certified); err != nil || !ok || c.Lo != lo || c.Hi != hi || c.Float() != hi || c.Method != "an upper bound" {
			t.Errorf("%v, %v, want at least %g and at most %g", n, err, lo, hi)
		}
	}
	triangles := must.For(triangle(records.Node).Triangles(ctx))(t)
	n, err = triangles.LocalSensitivity(0) // a fourth node can be joined to all three
	exact(n, err, rat(3, 1), "the local sensitivity within 0 changes (docs/records.md)")
	n, err = must.For(must.For(records.NewGraph(6, [][2]int{{0, 1}, {1, 2}, {2, 0}}, records.Node))(t).Triangles(ctx))(t).LocalSensitivity(1)
	atMost(n, err, 3, 7)
	extended := must.For(records.Extend(ctx, triangles, 2, rat(3, 1)))(t)
	n, err = extended.LocalSensitivity(5)
	atMost(n, err, 0, 3)
	n, err = extended.GlobalSensitivity()
	atMost(n, err, 0, 3)
	own := ownTotal(t, records.Range{Lo: rat(0, 1), Hi: rat(12, 1)})
	mode := modeOf(t, []int{1, 2}, records.Replace)
	far := new(big.Int).SetInt64(math.MaxInt / 4)
	refused(t, errorOf(own.GlobalSensitivity()), own.Name()+" has no known finite global sensitivity")
	refused(t, errorOf(own.LocalSensitivity(1)), own.Name()+" has no known local sensitivity at a distance")
	refused(t, errorOf(median.LocalSensitivity(-1)), "t = -1, want 0…"+far.String())
	refused(t, errorOf(median.Local(math.MaxInt/4+1)), fmt.Sprintf("t = %d, want 0…%v", math.MaxInt/4+1, far))
	if v, err := median.Local(math.MaxInt / 4); err != nil || v.Cmp(rat(4, 1)) != 0 {
		t.Errorf("%v, %v at the largest distance", v, err)
	}
	moves := func(q *records.Query, t int) error { _, _, err := q.Moves(t); return err }
	refused(t, moves(mode, 1), "the layers of mode of 3 records of 2 categories are not intervals around its value")
	refused(t, moves(median, -1), "t = -1, want 0…"+far.String())
	refused(t, moves(median, math.MaxInt/4+1), fmt.Sprintf("t = %d, want 0…%v", math.MaxInt/4+1, far))
	if up, down, err := median.Moves(math.MaxInt / 4); err != nil || up.Cmp(rat(2, 1)) != 0 || down.Cmp(rat(2, 1)) != 0 {
		t.Errorf("%v, %v, %v at the largest distance", up, down, err)
	}
	if up, down, err := median.Moves(0); err != nil || up.Sign() != 0 || down.Sign() != 0 {
		t.Errorf("%v, %v, %v without a change", up, down, err)
	}
	for place, want := range map[int]string{-1: "", 0: "c0", 1: "c1", 2: ""} {
		if name, ok := mode.Category(place); name != want || ok != (want != "") {
			t.Errorf("place %d is %q, %t", place, name, ok)
		}
	}
	if _, ok := median.Category(0); ok {
		t.Error("a number is a category")
	}
	if k, err := mode.Place("c1"); k != 1 || err != nil {
		t.Errorf("c1 at %d, %v", k, err)
	}
	refused(t, errorOf(mode.Place("c2")), `r = "c2", want one of the categories`)
	refused(t, errorOf(median.Place("c1")), `r = "c1", want one of the categories`)
	if own.IsBare() || median.IsBare() || !ownMedian(nil).Bare(records.Replace).IsBare() {
		t.Error("only a query without a dataset is bare")
	}
	if median.Original() != nil || median.Neighbors() != records.Replace || mode.Neighbors() != records.Replace || !strings.HasPrefix(median.Ground(), "order statistics") {
		t.Errorf("original %v, neighbors %s, ground %s", median.Original(), median.Neighbors(), median.Ground())
	}
	// FindLayer returns the layer of a value if the law has layers.
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	layer := func(m records.Law, r *big.Rat, want int, has bool) {
		t.Helper()
		if have, ok, err := records.FindLayer(m, r); have != want || ok != has || err != nil {
			t.Errorf("%s: %v in layer %d, %t, %v, want %d, %t", m.Name(), r, have, ok, err, want, has)
		}
	}
	layer(must.For(records.NewPurest(median, eps))(t), rat(4, 1), 1, true)
	layer(must.For(records.NewPurest(median, eps))(t), rat(0, 1), 2, true)
	layer(must.For(records.NewDeltaNeighborhood(median, eps, rat(1, 1)))(t), rat(0, 1), 1, true)
	layer(must.For(records.NewDeltaNeighborhood(median, eps, nil))(t), rat(0, 1), 0, true)
	layer(must.For(records.NewLadder(median, eps))(t), rat(4, 1), 1, true)
	layer(must.For(records.NewLaplace(median, eps))(t), rat(4, 1), 0, false)
	layer(must.For(records.NewPurest(mode, eps))(t), rat(0, 1), 1, true)
	layer(must.For(records.NewExponential(mode, eps))(t), rat(0, 1), 0, false)
	for _, m := range []records.Law{must.For(records.NewPurest(median, eps))(t), must.For(records.NewDeltaNeighborhood(median, eps, rat(1, 1)))(t)} {
		_, has, err := records.FindLayer(m, rat(1, 2))
		if refused(t, err, "r = 1/2, want a value of [0, 4] in steps of 1"); !has {
			t.Errorf("%s is not layered", m.Name())
		}
	}
	_, _, err = records.FindLayer(must.For(records.NewPurest(mode, eps))(t), rat(2, 1))
	refused(t, err, "r = 2, want a value of [0, 1] in steps of 1")
	if all := must.For(records.NewPurest(mode, eps))(t).(*records.Choice); !all.IsLayered() {
		t.Error("the purest mechanism of a mode is not layered")
	}
	refused(t, errorOf(records.Probability(ctx, must.For(records.NewPurest(median, eps))(t), rat(2, 1), rat(1, 1))), "lo = 2, want at most hi = 1")
	thirds := must.For(must.For(records.NewCustomQuery(records.CustomQuery{ // moves by 3 per change up and 1/3 down, on a lattice of step 2
		Value: func(records.Dataset) (*big.Rat, error) { return rat(0, 1), nil },
		Up:    func(_ records.Dataset, t int) (*big.Rat, error) { return rat(int64(3*t), 1), nil },
		Down:  func(_ records.Dataset, t int) (*big.Rat, error) { return rat(int64(t), 3), nil },
	}))(t).OnRecords(r, records.Range{Lo: rat(-4, 1), Hi: rat(20, 1), Step: rat(2, 1)}))(t)
	for d, want := range [][2]int64{{0, 0}, {2, 0}, {6, 0}, {8, 0}, {12, 0}, {14, 0}, {18, 2}, {20, 2}} {
		if up, down, err := thirds.Moves(d); err != nil || up.Cmp(rat(want[0], 1)) != 0 || down.Cmp(rat(want[1], 1)) != 0 {
			t.Errorf("%d changes move by %v and %v, %v, want %v", d, up, down, err, want)
		}
	}
	never := must.For(must.For(records.NewCustomQuery(records.CustomQuery{
		Value:    func(records.Dataset) (*big.Rat, error) { return rat(0, 1), nil },
		Distance: func(_ records.Dataset, r *big.Rat) (int, error) { return int(-r.Num().Int64()), nil },
	}))(t).OnRecords(r, records.Range{Lo: rat(0, 1), Hi: rat(1, 1), Step: rat(1, 1)}))(t)
	if l, err := never.Layer(rat(1, 1)); l != -1 || err != nil {
		t.Errorf("a value that is never reached is in layer %d, %v", l, err)
	}
}

// tuples lists all ascending lists of n integers in 0…top.
func tuples(n int, top int64) (out [][]int64) {
	if n == 0 {
		return [][]int64{nil}
	}
	for _, rest := range tuples(n-1, top) {
		from := int64(0)
		if len(rest) > 0 {
			from = rest[len(rest)-1]
		}
		for v := from; v <= top; v++ {
			out = append(out, append(slices.Clone(rest), v))
		}
	}
	return out
}

// replacements returns the number of records of x to replace to get y.
func replacements(x, y []int64) int {
	same, i, j := 0, 0, 0
	for i < len(x) && j < len(y) {
		switch {
		case x[i] < y[j]:
			i++
		case x[i] > y[j]:
			j++
		default:
			same, i, j = same+1, i+1, j+1
		}
	}
	return len(x) - same
}

// statistics maps names to queries and their definitions.
var statistics = map[string]struct {
	of    func(r *records.Records) (*records.Query, error)
	value func(x []int64) *big.Rat
}{
	"median":  {(*records.Records).Median, func(x []int64) *big.Rat { return rat(x[(len(x)+1)/2-1], 1) }},
	"minimum": {(*records.Records).Minimum, func(x []int64) *big.Rat { return rat(x[0], 1) }},
	"maximum": {(*records.Records).Maximum, func(x []int64) *big.Rat { return rat(x[len(x)-1], 1) }},
	"quantile": {func(r *records.Records) (*records.Query, error) { return r.Quantile(rat(2, 3)) }, func(x []int64) *big.Rat {
		k := (2*len(x) + 2) / 3
		return rat(x[k-1], 1)
	}},
	"total": {(*records.Records).Total, func(x []int64) *big.Rat { return sumOf(x) }},
	"mean":  {(*records.Records).Mean, func(x []int64) *big.Rat { return new(big.Rat).Quo(sumOf(x), rat(int64(len(x)), 1)) }},
	"trimmed": {func(r *records.Records) (*records.Query, error) { return r.TrimmedMean(1) }, func(x []int64) *big.Rat {
		return new(big.Rat).Quo(sumOf(x[1:len(x)-1]), rat(int64(len(x)-2), 1))
	}},
	"variance": {(*records.Records).Variance, func(x []int64) *big.Rat {
		mean, sum := new(big.Rat).Quo(sumOf(x), rat(int64(len(x)), 1)), new(big.Rat)
		for _, v := range x {
			d := new(big.Rat).Sub(rat(v, 1), mean)
			sum.Add(sum, d.Mul(d, d))
		}
		return sum.Quo(sum, rat(int64(len(x)), 1))
	}},
	"count": {func(r *records.Records) (*records.Query, error) {
		return r.Count(func(v *big.Rat) (bool, error) { return v.Cmp(rat(2, 1)) >= 0, nil })
	}, func(x []int64) *big.Rat {
		n := int64(0)
		for _, v := range x {
			if v >= 2 {
				n++
			}
		}
		return rat(n, 1)
	}},
}

func sumOf(x []int64) *big.Rat {
	sum := int64(0)
	for _, v := range x {
		sum += v
	}
	return rat(sum, 1)
}

// recordsOf returns integer records from 0 to top, on the given grid or without one.
func recordsOf(t *testing.T, x []int64, top int64, grid *big.Rat, neighbors records.Neighbors) *records.Records {
	t.Helper()
	var floats []float64
	for _, v := range x {
		floats = append(floats, float64(v))
	}
	return must.For(records.New(floats, records.Options{Lo: rat(0, 1), Hi: rat(top, 1), Grid: grid, Neighbors: neighbors}))(t)
}

// One change moves the variance up as far as the best replacement of a record by an end of the range does. The cases
// are a range of one point, and records whose common denominator exceeds the largest float64.
func TestVarianceMovesOnExtremeRanges(t *testing.T) {
	variance := func(x []*big.Rat) *big.Rat {
		n, sum, squares := rat(int64(len(x)), 1), new(big.Rat), new(big.Rat)
		for _, v := range x {
			sum.Add(sum, v)
			squares.Add(squares, new(big.Rat).Mul(v, v))
		}
		sum.Quo(sum, n)
		return squares.Quo(squares, n).Sub(squares, sum.Mul(sum, sum))
	}
	for _, x := range [][]float64{{1, 1, 1}, {0.5, 0.5, 1e-320}, {1e-320, 0.25, 0.75}} {
		lo := rat(int64(x[0]), 1) // 1 or 0
		q := must.For(must.For(records.New(x, records.Options{Lo: lo, Hi: rat(1, 1), Neighbors: records.Replace}))(t).Variance())(t)
		exact := lists.Each(x, func(v float64) (decimal *big.Rat) {
			decimal, _ = new(big.Rat).SetString(fmt.Sprint(v))
			return decimal
		})
		here, best := variance(exact), new(big.Rat)
		for i, v := range exact {
			for _, end := range []*big.Rat{lo, rat(1, 1)} {
				exact[i] = end
				if up := new(big.Rat).Sub(variance(exact), here); up.Cmp(best) > 0 {
					best = up
				}
			}
			exact[i] = v
		}
		if up, down, err := q.Moves(1); err != nil || up.Cmp(best) != 0 || down.Cmp(here) > 0 {
			t.Errorf("variance of %v: moves %v up, want %v, and %v down, want at most %v (error %v)", x, up.FloatString(9), best.FloatString(9), down.FloatString(9), here.FloatString(9), err)
		}
	}
}

// Moves match an enumeration of all datasets: they lead to the farthest values that t replacements reach. A variance
// may move less far down, since its least value can lie off the grid. Local sensitivities are the largest changes
// within t replacements; for a variance they are upper bounds.
func TestMovesMatchEnumeration(t *testing.T) {
	const top = 3
	for name, s := range statistics {
		for n := 1; n <= cases.Of(3, 4); n++ {
			if name == "trimmed" && n < 3 || name == "variance" && n < 2 {
				continue
			}
			all := tuples(n, top)
			values := make([]*big.Rat, len(all))
			for i, x := range all {
				values[i] = s.value(x)
			}
			for i, x := range all {
				for _, grid := range []*big.Rat{rat(1, 1), nil} {
					q := must.For(s.of(recordsOf(t, x, top, grid, records.Replace)))(t)
					if name == "variance" && q.Range().Hi.Cmp(slices.MaxFunc(values, (*big.Rat).Cmp)) != 0 {
						t.Fatalf("the largest variance is %v", q.Range().Hi)
					}
					if q.Value().Cmp(values[i]) != 0 {
						t.Fatalf("%s of %v is %v, want %v", name, x, q.Value(), values[i])
					}
					for d := 0; d <= n+2; d++ {
						lo, hi, local := values[i], values[i], new(big.Rat)
						for j, y := range all {
							if replacements(x, y) > d {
								continue
							}
							lo, hi = smallest(lo, values[j]), largest(hi, values[j])
							if name == "variance" { // bound: (n − 1)/n² times the largest squared distance from the mean of the others to an end
								for k := range y {
									mean := new(big.Rat).Quo(new(big.Rat).Sub(sumOf(y), rat(y[k], 1)), rat(int64(n-1), 1))
									far := largest(mean, new(big.Rat).Sub(rat(top, 1), mean))
									far = new(big.Rat).Mul(far, far)
									local = largest(local, far.Mul(far, rat(int64(n-1), int64(n*n))))
								}
								continue
							}
							for k, z := range all {
								if replacements(y, z) == 1 {
									c := new(big.Rat).Sub(values[j], values[k])
									local = largest(local, c.Abs(c))
								}
							}
						}
						up, down, err := q.Moves(d)
						if err != nil {
							t.Fatal(err)
						}
						up, down = new(big.Rat).Add(values[i], up), new(big.Rat).Sub(values[i], down)
						if up.Cmp(hi) != 0 || down.Cmp(lo) != 0 && (name != "variance" || down.Cmp(lo) > 0) {
							t.Errorf("%s of %v, grid %v: %d changes reach [%v, %v], want [%v, %v]", name, x, grid, d, down, up, lo, hi)
						}
						have := must.For(q.Local(d))(t)
						if have.Cmp(local) != 0 || have.Cmp(q.Global()) > 0 || q.LocalIsExact(d) != (name != "variance") {
							t.Errorf("%s of %v: I_%d = %v, want %v, at most %v", name, x, d, have, local, q.Global())
						}
					}
				}
			}
		}
	}
}

// Layers under addition and removal are distances between all small datasets, if the universe has enough records.
func TestLayersMatchEnumeration(t *testing.T) {
	const top, most = 3, 6
	var all [][]int64
	for n := 1; n <= most; n++ {
		all = append(all, tuples(n, top)...)
	}
	distance := func(x, y []int64) int { // number of records removed and added
		same := 0
		for v := range int64(top + 1) {
			a, b := 0, 0
			for _, w := range x {
				a += b2i(w == v)
			}
			for _, w := range y {
				b += b2i(w == v)
			}
			same += min(a, b)
		}
		return len(x) + len(y) - 2*same
	}
	for _, p := range []*big.Rat{rat(0, 1), rat(1, 3), rat(1, 2), rat(3, 4), rat(1, 1)} {
		value := func(x []int64) int64 {
			k := 1
			for new(big.Rat).Mul(p, rat(int64(len(x)), 1)).Cmp(rat(int64(k), 1)) > 0 {
				k++
			}
			return x[k-1]
		}
		for _, grid := range []*big.Rat{rat(1, 1), nil} {
			for n := 1; n <= 3; n++ {
				for _, x := range tuples(n, top) {
					q := must.For(recordsOf(t, x, top, grid, records.AddRemove).Quantile(p))(t)
					for r := range int64(top + 1) {
						least := 100
						for _, y := range all {
							// A shortest path may remove records first, but it never removes the last one.
							if value(y) == r {
								least = min(least, distance(x, y))
							}
						}
						have := must.For(q.Layer(rat(r, 1)))(t)
						if n+least <= most && have != least {
							t.Errorf("the quantile %v of %v, grid %v: %d is in layer %d, want %d", p, x, grid, r, have, least)
						}
					}
				}
			}
		}
	}
	// The layer of a count is the distance to the nearest nonempty dataset with this count.
	for _, of := range [][]int64{{3}, {3, 3}, {2, 3, 3}, {0, 3}, {0}} {
		q := must.For(statistics["count"].of(recordsOf(t, of, top, nil, records.AddRemove)))(t)
		for r := range int64(5) {
			least := 100
			for _, y := range all {
				if statistics["count"].value(y).Cmp(rat(r, 1)) == 0 {
					least = min(least, distance(of, y))
				}
			}
			if have := must.For(q.Layer(rat(r, 1)))(t); have != least {
				t.Errorf("a count of %v: %d is in layer %d, want %d", of, r, have, least)
			}
		}
		if q.Range().Hi != nil || must.For(q.Layer(rat(10, 1)))(t) != 10-int(q.Value().Num().Int64()) {
			t.Errorf("a count of %v has the range %v", of, q.Range())
		}
	}
}

// If the predicate is constant, only the number of records moves the count. At values where the predicate is not
// evaluated, its result is unknown, and sensitivities are only bounds.
func TestConstantPredicates(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	is := func(what bool) func(*big.Rat) (bool, error) {
		return func(*big.Rat) (bool, error) { return what, nil }
	}
	for _, neighbors := range []records.Neighbors{records.Replace, records.AddRemove} {
		at := func(grid *big.Rat, hi int64) *records.Records {
			return must.For(records.New([]float64{0, 2}, records.Options{Lo: rat(0, 1), Hi: rat(hi, 1), Grid: grid, Neighbors: neighbors}))(t)
		}
		fails := func(v *big.Rat) (bool, error) {
			return false, map[bool]error{true: errors.New("fails")}[v.Cmp(rat(2, 1)) > 0]
		}
		for name, c := range map[string]struct {
			r     *records.Records
			which func(*big.Rat) (bool, error)
			want  string // layers of 0, 1 and 2; I_1; whether I_1 is exact, the kind of Δ, whether layers are exact
		}{
			"none":            {at(rat(1, 1), 3), is(false), "[0 -1 -1] 0/1 true certified true"},
			"all":             {at(rat(1, 1), 3), is(true), map[records.Neighbors]string{records.Replace: "[-1 -1 0] 0/1 true certified true", records.AddRemove: "[-1 1 0] 1/1 true exact true"}[neighbors]},
			"some":            {at(rat(1, 1), 3), func(v *big.Rat) (bool, error) { return v.Cmp(rat(1, 1)) == 0, nil }, "[0 1 2] 1/1 true exact true"},
			"none, no grid":   {at(nil, 3), is(false), "[0 1 2] 1/1 false certified false"},
			"none, fine grid": {at(rat(1, 1<<20), 3), is(false), "[0 1 2] 1/1 false certified false"},
			"a third":         {at(nil, 3), func(v *big.Rat) (bool, error) { return v.Cmp(rat(1, 1)) > 0 && v.Cmp(rat(10, 9)) < 0, nil }, "[0 1 2] 1/1 true exact true"},
			"one in 2^60":     {at(nil, 1<<60), func(v *big.Rat) (bool, error) { return v.Cmp(rat(2, 1)) == 0, nil }, "[1 0 1] 1/1 false certified false"},
			"failing":         {at(rat(1, 1), 3), fails, "[0 1 2] 1/1 false certified false"},
		} {
			q := must.For(c.r.Count(c.which))(t)
			var layers []int
			for v := range int64(3) {
				layers = append(layers, must.For(q.Layer(rat(v, 1)))(t))
			}
			if have := fmt.Sprintf("%v %v %v %v %v", layers, must.For(q.Local(1))(t), q.LocalIsExact(1), must.For(q.GlobalSensitivity())(t).Kind(), q.Exact()); have != c.want {
				t.Errorf("%s under %s: %s, want %s", name, neighbors, have, c.want)
			}
			if name == "failing" || name == "one in 2^60" {
				continue
			}
			for what, of := range map[string]func(q *records.Query) (records.Law, error){"purest": purest, "ladder": func(q *records.Query) (records.Law, error) { return records.NewLadder(q, eps) }, "smooth": func(q *records.Query) (records.Law, error) { return mechanisms["smooth"](q, eps) }} {
				v := must.For(records.Verify(ctx, q, of, records.VerifyOptions{Records: cases.Of(3, 4), Values: []float64{0, 1, 2}}))(t)
				if v.Keeps != evidence.Confirmed || what == "purest" && v.Verdict != "exact" || v.Verdict == "wrong" || v.Local != "exact" || v.Gap != nil {
					t.Errorf("%s of %s under %s: layers %s, local sensitivities %s, %v, %s", what, name, neighbors, v.Verdict, v.Local, v.Gap, v.Keeps)
				}
				if m := must.For(of(q))(t); c.want[:10] == "[0 -1 -1] " && must.For(m.Distortion(ctx))(t).Float() != 0 {
					t.Errorf("%s of %s under %s does not always answer 0", what, name, neighbors)
				}
			}
		}
	}
}

// A record is read as its shortest decimal, clamped to the range and rounded to the nearest grid value, halves up.
// Without Clip, it is rejected exactly if it is outside the range.
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
		lo, _ := c.lo.Float64()
		hi, _ := c.hi.Float64()
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
			r := must.For(records.New([]float64{v}, records.Options{Lo: c.lo, Hi: c.hi, Grid: c.grid, Neighbors: records.Replace, Clip: true}))(t)
			if have := must.For(r.Median())(t).Value(); have.Cmp(want) != 0 {
				t.Fatalf("%s is read as %v, want %v", what, have, want)
			}
			_, err := records.New([]float64{v}, records.Options{Lo: c.lo, Hi: c.hi, Grid: c.grid, Neighbors: records.Replace})
			if (err != nil) != (outside || beside) || err != nil && !errors.Is(err, evidence.ErrParameter) {
				t.Fatalf("%s without clip: %v", what, err)
			}
		}
	}
}
