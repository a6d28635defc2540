package records_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/records"
)

// Datasets of numbers are refused with what is wrong, and taken up to the last bit of what is right.
func TestRefusedRecords(t *testing.T) {
	zero, ten := rat(0, 1), rat(10, 1)
	of := func(x []float64, o records.Options) error {
		if o.Neighbors == "" {
			o.Neighbors = records.Replace
		}
		return errorOf(records.New(x, o))
	}
	one := []float64{1}
	wide := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 53))
	for _, c := range []struct {
		x    []float64
		o    records.Options
		want string
	}{
		{nil, records.Options{Lo: zero, Hi: ten}, "x is empty, want at least one record"},
		{one, records.Options{Hi: ten}, "lo and hi are missing, want the ends between which every record of every dataset lies"},
		{one, records.Options{Lo: zero}, "lo and hi are missing, want the ends between which every record of every dataset lies"},
		{one, records.Options{Lo: ten, Hi: ten}, "x[0] = 1, want a number between lo = 10 and hi = 10, or clip"},
		{one, records.Options{Lo: rat(21, 2), Hi: ten}, "lo = 21/2, want at most hi = 10"},
		{one, records.Options{Lo: zero, Hi: ten, Neighbors: records.Edge}, `neighbors = "edge", want "replace" or "add_remove"`},
		{one, records.Options{Lo: zero, Hi: ten, Grid: zero}, "grid = 0, want a positive number"},
		{one, records.Options{Lo: zero, Hi: ten, Grid: rat(-1, 2)}, "grid = -1/2, want a positive number"},
		{one, records.Options{Lo: rat(-1, 1), Hi: ten, Grid: rat(3, 1)}, "grid = 3, want a part of hi − lo = 11: there are so many steps between the ends that it is no whole number"},
		{one, records.Options{Lo: zero, Hi: wide, Grid: rat(1, 1)}, "grid = 1, want at most 2^53 steps from lo to hi"},
		{[]float64{1, math.NaN()}, records.Options{Lo: zero, Hi: ten}, "x[1] = NaN, want a finite number"},
		{[]float64{math.Inf(-1)}, records.Options{Lo: zero, Hi: ten, Clip: true}, "x[0] = -Inf, want a finite number"},
		{[]float64{math.Inf(1)}, records.Options{Lo: zero, Hi: ten, Clip: true}, "x[0] = +Inf, want a finite number"},
		{[]float64{-0.5}, records.Options{Lo: zero, Hi: ten}, "x[0] = -0.5, want a number between lo = 0 and hi = 10, or clip"},
		{[]float64{0, 10, 10.25}, records.Options{Lo: zero, Hi: ten}, "x[2] = 10.25, want a number between lo = 0 and hi = 10, or clip"},
		{[]float64{0, 1.5}, records.Options{Lo: zero, Hi: ten, Grid: rat(1, 1)}, "x[1] = 1.5, want a number lo + k·grid with lo = 0 and grid = 1, or clip"},
		{[]float64{2}, records.Options{Lo: rat(1, 1), Hi: ten, Grid: rat(3, 1)}, "x[0] = 2, want a number lo + k·grid with lo = 1 and grid = 3, or clip"},
		{[]float64{0.1}, records.Options{Lo: rat(1, 10), Hi: rat(9, 10), Grid: rat(1, 5), Neighbors: "b"}, `neighbors = "b", want "replace" or "add_remove"`},
	} {
		refused(t, of(c.x, c.o), c.want)
	}
	// Decimals lie where they say, though float64s do not.
	third := rat(1, 3)
	refused(t, of([]float64{1. / 3}, records.Options{Lo: zero, Hi: third, Grid: third}), "x[0] = 0.3333333333333333, want a number lo + k·grid with lo = 0 and grid = 1/3, or clip")
	for _, c := range []struct {
		x []float64
		o records.Options
	}{
		{[]float64{0.1, 0.2, 0.3, 0.7, 0.9}, records.Options{Lo: rat(1, 10), Hi: rat(9, 10)}},
		{[]float64{0.1, 0.3, 0.7, 0.9}, records.Options{Lo: rat(1, 10), Hi: rat(9, 10), Grid: rat(1, 5)}},
		{[]float64{1, 4, 10}, records.Options{Lo: rat(1, 1), Hi: ten, Grid: rat(3, 1)}},
		{[]float64{1 << 53}, records.Options{Lo: zero, Hi: wide}},
		{[]float64{0, 1<<53 - 1}, records.Options{Lo: zero, Hi: new(big.Rat).Sub(wide, rat(1, 1)), Grid: rat(1, 1)}},
	} {
		c.o.Neighbors = records.Replace
		r := must.For(records.New(c.x, c.o))(t)
		if r.Len() != len(c.x) || r.Options().Lo != c.o.Lo || must.For(r.Maximum())(t).Value().FloatString(3) != new(big.Rat).SetFloat64(slices.Max(c.x)).FloatString(3) {
			t.Errorf("%v: %d records up to %v", c.x, r.Len(), must.For(r.Maximum())(t).Value())
		}
	}
}

// What is read is what was written: each record as its decimal, moved to the nearest value of the range where that is asked for, in ascending order,
// with halves rounded up.
func TestRecordsAreRead(t *testing.T) {
	for _, c := range []struct {
		x            []float64
		lo, hi, grid *big.Rat
		want         []string
		shown        string
	}{
		{[]float64{3, 1, 2}, rat(0, 1), rat(4, 1), nil, []string{"1", "2", "3"}, "[0, 4]"},
		{[]float64{0.1, -7, 0.7, 9e300, 0.3}, rat(1, 10), rat(7, 10), nil, []string{"1/10", "1/10", "3/10", "7/10", "7/10"}, "[0.1, 0.7]"},
		{[]float64{-3, 4.5, 4.49, 12, 5.5}, rat(0, 1), rat(10, 1), rat(1, 1), []string{"0", "4", "5", "6", "10"}, "[0, 10], grid 1"},
		{[]float64{-3, 4.5, 2.4, 2.6, 99}, rat(-1, 1), rat(9, 1), rat(5, 1), []string{"-1", "4", "4", "4", "9"}, "[-1, 9], grid 5"},
		{[]float64{1, 1.6, 2, 7, 0}, rat(1, 1), rat(7, 1), rat(3, 1), []string{"1", "1", "1", "1", "7"}, "[1, 7], grid 3"},
		{[]float64{3, 2.4, 2.5}, rat(1, 1), rat(7, 1), rat(3, 1), []string{"1", "4", "4"}, "[1, 7], grid 3"},
		{[]float64{0.25, 0.15, 0.05, 0.349}, rat(-1, 10), rat(4, 5), rat(1, 10), []string{"1/10", "1/5", "3/10", "3/10"}, "[-0.1, 0.8], grid 0.1"},
		{[]float64{1 << 54, -1 << 54, 6}, rat(0, 1), new(big.Rat).SetInt64(1 << 55), new(big.Rat).SetInt64(1 << 54), []string{"0", "0", "18014398509481984"}, "[0, 36028797018963968], grid 1.8014398509481984e+16"},
		{[]float64{1<<53 - 1, 1 << 53, 1<<53 + 2}, rat(0, 1), new(big.Rat).SetInt64(1 << 54), nil, []string{"9007199254740991", "9007199254740992", "9007199254740994"}, "[0, 1.8014398509481984e+16]"},
	} {
		r := must.For(records.New(c.x, records.Options{Lo: c.lo, Hi: c.hi, Grid: c.grid, Neighbors: records.Replace, Clip: true}))(t)
		sum := new(big.Rat)
		for k := range c.want {
			v := must.For(r.Quantile(rat(int64(k+1), int64(len(c.want)))))(t).Value()
			if v.RatString() != c.want[k] {
				t.Errorf("%v: record %d is %v, want %s", c.x, k+1, v.RatString(), c.want[k])
			}
			sum.Add(sum, v)
		}
		if total := must.For(r.Total())(t).Value(); total.Cmp(sum) != 0 || r.Len() != len(c.x) {
			t.Errorf("%v: %d records sum to %v, want %v", c.x, r.Len(), total, sum)
		}
		if r.String() != fmt.Sprintf("%d records in %s", len(c.x), c.shown) {
			t.Error(r)
		}
	}
	// Numbers are written as decimals where these are short, else as fractions, and with ten digits where even they are long.
	long := new(big.Rat).SetFrac(new(big.Int).Exp(big.NewInt(7), big.NewInt(60), nil), new(big.Int).Exp(big.NewInt(3), big.NewInt(60), nil))
	exactly40 := new(big.Rat).SetFrac(new(big.Int).Exp(big.NewInt(10), big.NewInt(19), nil), new(big.Int).Add(new(big.Int).Exp(big.NewInt(10), big.NewInt(18), nil), big.NewInt(1)))
	for v, want := range map[*big.Rat]string{rat(1, 3): "1/3", rat(1, 8): "0.125", rat(-5, 1): "-5", rat(1, 10): "0.1", long: "1.198414673e+22", exactly40: exactly40.RatString()} {
		if len(want) == 40 != (v == exactly40) {
			t.Errorf("%d letters", len(want))
		}
		refused(t, errorOf(records.New([]float64{1}, records.Options{Lo: new(big.Rat).Add(v, rat(1, 1)), Hi: v, Neighbors: records.Replace})),
			"lo = "+new(big.Rat).Add(v, rat(1, 1)).RatString()+", want at most hi = "+want)
	}
}

// Quantiles, means and the like refuse what they cannot be of.
func TestRefusedStatistics(t *testing.T) {
	r, moving := small(records.Replace), small(records.AddRemove)
	refused(t, errorOf(r.Quantile(rat(-1, 9))), "p = -1/9, want a number from 0 to 1")
	refused(t, errorOf(r.Quantile(rat(10, 9))), "p = 10/9, want a number from 0 to 1")
	refused(t, errorOf(r.TrimmedMean(-1)), "k = -1, want 0…1, so that some of 3 records are left")
	refused(t, errorOf(r.TrimmedMean(2)), "k = 2, want 0…1, so that some of 3 records are left")
	refused(t, errorOf(moving.Mean()), `neighbors = "add_remove", want "replace" for mean: the lattice of means changes with the number of records`)
	refused(t, errorOf(moving.TrimmedMean(1)), `neighbors = "add_remove", want "replace" for trimmed_mean: the lattice of means changes with the number of records`)
	refused(t, errorOf(moving.Variance()), `neighbors = "add_remove", want "replace" for variance: the lattice of variances changes with the number of records`)
	alone := recordsOf(t, []int64{1}, 3, nil, records.Replace)
	refused(t, errorOf(alone.Variance()), "x has one record, whose variance is always 0: want at least two")
	even := recordsOf(t, []int64{1, 2, 3, 3}, 3, nil, records.Replace)
	refused(t, errorOf(even.TrimmedMean(2)), "k = 2, want 0…1, so that some of 4 records are left")
	beside := must.For(records.New([]float64{0.5}, records.Options{Lo: rat(1, 2), Hi: rat(5, 2), Grid: rat(1, 1), Neighbors: records.AddRemove}))(t)
	refused(t, errorOf(beside.Total()), "lo = 1/2, want a multiple of grid = 1 for a total under addition and removal: sums of records lie on no grid else")
	fails := fmt.Errorf("a predicate that fails")
	asked := 0
	if _, err := r.Count(func(v *big.Rat) (bool, error) { asked++; return true, fails }); err != fails || asked != 1 {
		t.Errorf("%v after %d questions", err, asked)
	}
	asked = 0
	ties := recordsOf(t, []int64{1, 1, 2, 2, 2, 3}, 3, nil, records.Replace)
	if q := must.For(ties.Count(func(v *big.Rat) (bool, error) { asked++; return v.Cmp(rat(2, 1)) <= 0, nil }))(t); asked != 5 || q.Value().Cmp(rat(5, 1)) != 0 {
		t.Errorf("%v of %d values", q.Value(), asked)
	}
	// Single points of a grid are listed up to a million steps, where they are needed.
	long := must.For(records.New([]float64{1, 2}, records.Options{Lo: rat(0, 1), Hi: rat(1<<20, 1), Grid: rat(1, 1), Neighbors: records.AddRemove}))(t)
	refused(t, errorOf(long.Quantile(rat(1, 3))), "grid has 1048576 steps between the ends, want at most 1048575 for this quantile under addition and removal")
	must.For(long.Median())(t)
}

// Categories and graphs say what they cannot be.
func TestRefusedCategoriesAndGraphs(t *testing.T) {
	two := []string{"a", "b"}
	refused(t, errorOf(records.NewCategories(nil, two, records.Replace)), "x is empty, want at least one record")
	refused(t, errorOf(records.NewCategories(two[:1], two[:1], records.Replace)), "categories has 1 names, want at least two")
	refused(t, errorOf(records.NewCategories(two, two, records.Node)), `neighbors = "node", want "replace" or "add_remove"`)
	refused(t, errorOf(records.NewCategories(two, []string{"a", "b", "a"}, records.Replace)), `categories[2] = "a" stands there twice`)
	refused(t, errorOf(records.NewCategories([]string{"a", "c"}, two, records.Replace)), `x[1] = "c", want one of the 2 categories`)
	refused(t, errorOf(records.NewCategories([]string{""}, make([]string, 1<<20+1), records.Replace)), "categories has 1048577 names, want at most 1048576")
	c := must.For(records.NewCategories([]string{"b", "a", "b"}, two, records.AddRemove))(t)
	counts := c.Counts()
	counts[0] = 7 // a copy
	if c.Len() != 3 || !slices.Equal(c.Counts(), []int{1, 2}) || c.String() != "3 records of 2 categories" {
		t.Errorf("%v: %v", c, c.Counts())
	}
	graph := func(nodes int, edges ...[2]int) error { return errorOf(records.NewGraph(nodes, edges, records.Edge)) }
	refused(t, graph(1), "nodes = 1, want 2…67108864")
	refused(t, graph(1<<26+1), "nodes = 67108865, want 2…67108864")
	refused(t, errorOf(records.NewGraph(2, nil, records.Replace)), `neighbors = "replace", want "edge" or "node"`)
	refused(t, graph(3, [2]int{0, 1}, [2]int{1, 3}), "edges[1] = (1, 3), want nodes from 0 to 2")
	refused(t, graph(3, [2]int{-1, 1}), "edges[0] = (-1, 1), want nodes from 0 to 2")
	refused(t, graph(3, [2]int{0, 1}, [2]int{2, 2}), "edges[1] = (2, 2) joins a node to itself, want a simple graph")
	refused(t, graph(4, [2]int{3, 1}, [2]int{0, 1}, [2]int{1, 3}), "edges has (1, 3) twice, want a simple graph")
	refused(t, graph(4, [2]int{3, 1}, [2]int{3, 1}), "edges has (1, 3) twice, want a simple graph")
	edge, node := triangle(records.Edge), triangle(records.Node)
	if edge.Nodes() != 4 || edge.Len() != 4 || edge.Neighbors() != records.Edge || node.Neighbors() != records.Node || edge.String() != "a graph of 4 nodes and 4 edges" {
		t.Error(edge)
	}
	refused(t, errorOf(node.Components()), `neighbors = "node", want "edge" for components: under "node" there are bounds in polynomial time for edges, triangles, k_star and maximum_degree`)
	refused(t, errorOf(edge.KStar(1)), "k = 1, want 2…3, below the number of nodes")
	refused(t, errorOf(node.KStar(4)), "k = 4, want 2…3, below the number of nodes")
	pair := must.For(records.NewGraph(2, [][2]int{{0, 1}}, records.Edge))(t)
	refused(t, errorOf(pair.KStar(2)), "k_star: a graph of 2 nodes has no stars, want at least three nodes")
	// The packed rows of a matrix, of more than a word.
	rows := make([][]uint64, 70)
	for u := range rows {
		rows[u] = make([]uint64, 2)
	}
	want := [][2]int{{0, 1}, {0, 65}, {1, 63}, {1, 64}, {64, 69}, {68, 69}}
	for _, e := range want {
		rows[e[0]][e[1]/64] |= 1 << (e[1] % 64)
		rows[e[1]][e[0]/64] |= 1 << (e[0] % 64)
	}
	if have := records.EdgesOf(rows); !slices.Equal(have, want) {
		t.Errorf("%v, want %v", have, want)
	}
}
