package records_test

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
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/records"
	"dpworkbench/smooth"
)

// refused fails unless the error is ErrParameter with exactly this text.
func refused(t *testing.T, err error, want string) {
	t.Helper()
	if err == nil || !errors.Is(err, evidence.ErrParameter) || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

func errorOf[T any](_ T, err error) error { return err }

// mechanisms maps names to the mechanisms for numeric queries, which take an ε or a decay.
var mechanisms = map[string]func(q *records.Query, eps evidence.Epsilon) (records.Law, error){
	"purest": records.NewPurest,
	"delta": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		return records.NewDeltaNeighborhood(q, eps, rat(1, 2))
	},
	"ladder":  records.NewLadder,
	"laplace": records.NewLaplace,
	"staircase": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		return records.NewStaircase(q, eps, rat(1, 3))
	},
	"best": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		return records.NewStaircase(q, eps, nil)
	},
	"exponential": records.NewExponential,
	"line": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		m, err := records.NewLaplace(q, eps)
		if err != nil {
			return nil, err
		}
		return m.(*records.Added).OnLine(), nil
	},
	"smooth": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		return records.NewSmooth(ctx, q, must.Be(smooth.Calibrate(must.Be(smooth.Student(rat(3, 1))), eps, evidence.Delta{}, nil)))
	},
	"smooth on the line": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		m, err := records.NewSmooth(ctx, q, must.Be(smooth.Calibrate(must.Be(smooth.Student(rat(3, 1))), eps, evidence.Delta{}, nil)))
		if err != nil {
			return nil, err
		}
		return m.OnLine(), nil
	},
}

var modal = map[string]func(q *records.Query, eps evidence.Epsilon) (records.Law, error){
	"purest":           records.NewPurest,
	"exponential":      records.NewExponential,
	"permute_and_flip": records.NewPermuteAndFlip,
	"laplace": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		return records.NewNoisyMax(q, eps, "laplace")
	},
	"flips": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		return records.NewNoisyMax(q, eps, "exponential")
	},
	"gumbel": func(q *records.Query, eps evidence.Epsilon) (records.Law, error) {
		return records.NewNoisyMax(q, eps, "gumbel")
	},
}

// ownTotal returns the sum as a custom query under replacement, without a sensitivity.
func ownTotal(t *testing.T, rng records.Range) *records.Query {
	o := must.For(records.NewCustomQuery(records.CustomQuery{
		Value: func(x records.Dataset) (*big.Rat, error) {
			sum := new(big.Rat)
			for _, v := range x.Records {
				sum.Add(sum, new(big.Rat).SetFloat64(v))
			}
			return sum, nil
		},
		Up:   func(_ records.Dataset, t int) (*big.Rat, error) { return rat(int64(4*t), 1), nil },
		Down: func(_ records.Dataset, t int) (*big.Rat, error) { return rat(int64(4*t), 1), nil },
	}))(t)
	return must.For(o.OnRecords(small(records.Replace), rng))(t)
}

func TestRefusedMechanisms(t *testing.T) {
	none := evidence.Epsilon{}
	one := must.For(evidence.NewEpsilon("eps", 1))(t)
	median := must.For(small(records.Replace).Median())(t)
	mode := modeOf(t, []int{1, 2}, records.Replace)
	own := ownTotal(t, records.Range{Lo: rat(0, 1), Hi: rat(12, 1)})
	bare := must.For(records.NewCustomQuery(records.CustomQuery{Value: func(records.Dataset) (*big.Rat, error) { return rat(0, 1), nil }, Distance: func(records.Dataset, *big.Rat) (int, error) { return 0, nil }}))(t).Bare(records.Replace)
	for name, of := range mechanisms {
		parameter := "eps"
		if name == "purest" || name == "delta" {
			parameter = "decay"
		}
		if name != "smooth" && name != "smooth on the line" { // its calibration determines ε
			refused(t, errorOf(of(median, none)), parameter+" = 0, want a positive finite number")
		}
	}
	for name, of := range modal {
		parameter := "eps"
		if name == "purest" {
			parameter = "decay"
		}
		refused(t, errorOf(of(mode, none)), parameter+" = 0, want a positive finite number")
		if name != "purest" && name != "exponential" {
			what := name
			switch name {
			case "laplace":
				what = "noisy_max"
			case "flips":
				what = "noisy_max, exponential"
			case "gumbel":
				what = "noisy_max, gumbel"
			}
			refused(t, errorOf(of(median, one)), "median of 3 records in [0, 4], grid 1 is not a mode, which "+what+" requires")
			refused(t, errorOf(of(own, one)), "custom query of 3 records in [0, 4], grid 1 is not a mode, which "+what+" requires")
		}
	}
	for _, name := range []string{"laplace", "staircase", "exponential"} {
		refused(t, errorOf(mechanisms[name](own, one)), "custom query of 3 records in [0, 4], grid 1 has no finite global sensitivity, which "+name+" requires")
	}
	for _, name := range []string{"laplace", "staircase", "line"} {
		refused(t, errorOf(mechanisms[name](mode, one)), "mode of 3 records of 2 categories has categories as values, to which no noise is added")
	}
	refused(t, errorOf(records.NewLadder(own, one)), "custom query of 3 records in [0, 4], grid 1 has no known local sensitivity at a distance, which ladder requires")
	refused(t, errorOf(records.NewLadder(mode, one)), "mode of 3 records of 2 categories has no known local sensitivity at a distance, which ladder requires")
	for _, q := range []*records.Query{own, mode} {
		refused(t, errorOf(mechanisms["smooth"](q, one)), q.Name()+" has no known local sensitivity at a distance, which smooth_sensitivity requires")
	}
	refused(t, errorOf(records.NewPurest(bare, one)), "own query has no dataset, so only verify lists its layers")
	refused(t, errorOf(bare.Layer(rat(0, 1))), "own query has no dataset, so only verify lists its layers")
	refused(t, errorOf(records.NewNoisyMax(mode, one, "t")), `noise = "t", want "laplace", "exponential" or "gumbel"`)
	for _, gamma := range []*big.Rat{rat(0, 1), rat(-1, 2), rat(1, 1), rat(3, 2)} {
		refused(t, errorOf(records.NewStaircase(median, one, gamma)), "gamma = "+gamma.RatString()+", want a number between 0 and 1")
	}
	refused(t, errorOf(records.NewDeltaNeighborhood(median, one, rat(-1, 9))), "radius = -1/9, want at least 0")
	refused(t, errorOf(records.NewDeltaNeighborhood(mode, one, nil)), "radius = inf, want 0 for mode of 3 records of 2 categories, whose layers are not intervals")
	refused(t, errorOf(records.NewDeltaNeighborhood(mode, one, rat(1, 1))), "radius = 1, want 0 for mode of 3 records of 2 categories, whose layers are not intervals")
	if m, err := records.NewDeltaNeighborhood(mode, one, rat(0, 1)); err != nil || m.Name() != "purest(decay=1)" {
		t.Errorf("a radius of 0: %v, %v", m, err)
	}
	wide := func(n int) *records.Query {
		names := make([]string, n)
		for i := range names {
			names[i] = rat(int64(i), 1).RatString()
		}
		return must.For(must.For(records.NewCategories(names[:1], names, records.Replace))(t).Mode())(t)
	}
	if _, err := records.NewNoisyMax(wide(128), one, "laplace"); err != nil {
		t.Error(err)
	}
	refused(t, errorOf(records.NewNoisyMax(wide(129), one, "laplace")), `129 categories, want at most 128 for noisy_max with noise "laplace"`)
	refused(t, errorOf(records.NewPermuteAndFlip(wide(2049), one)), "2049 categories, want at most 2048 for permute_and_flip")
	refused(t, errorOf(records.NewNoisyMax(wide(2049), one, "exponential")), "2049 categories, want at most 2048 for noisy_max, exponential")
	// These laws have no sampler, no builder, no claim, or no end of their range.
	plain := must.For(records.NewAdded(median, "noise", must.For(records.NewLaplace(median, one))(t).(*records.Added).Scale(), nil, nil, nil))(t)
	refused(t, errorOf(plain.Remake(median)), "noise cannot be built at another dataset")
	refused(t, errorOf(plain.Pairs(ctx)), "noise cannot be built at another dataset")
	moving := must.For(records.NewAdded(must.For(small(records.AddRemove).Median())(t), "noise", plain.Scale(), nil, nil, nil))(t)
	refused(t, errorOf(moving.Pairs(ctx)), "noise claims no ε, so no bound on its privacy loss is known")
	endless := must.For(must.For(records.NewCustomQuery(records.CustomQuery{
		Value: func(records.Dataset) (*big.Rat, error) { return rat(0, 1), nil },
		Up:    func(_ records.Dataset, t int) (*big.Rat, error) { return rat(int64(t), 1), nil },
		Down:  func(_ records.Dataset, t int) (*big.Rat, error) { return rat(int64(t), 1), nil },
	}))(t).OnRecords(small(records.Replace), records.Range{Hi: rat(4, 1), Step: rat(1, 1)}))(t)
	refused(t, errorOf(must.For(records.NewPurest(endless, one))(t).Distortion(ctx)), "the range of "+endless.Name()+" is unbounded and the growth of its layers is not known, want a bounded range")
	for _, of := range [][]int64{{0, 2}, {-2, 0}, {-1, 1}} { // ranges without an upper end, lower end, or both
		r := must.For(records.New([]float64{0}, records.Options{Lo: rat(of[0], 1), Hi: rat(of[1], 1), Neighbors: records.AddRemove}))(t)
		q := must.For(r.Total())(t)
		refused(t, errorOf(must.For(records.NewDeltaNeighborhood(q, one, nil))(t).Distortion(ctx)), "the range of "+q.Name()+" does not bound layer 0, so the sum of the weights is infinite")
	}
	_, _, err := plain.Release(ctx, 1, nil)
	refused(t, err, "noise has no exact sampler")
	other := func(*records.Query) (records.Law, error) { return records.NewPurest(mode, one) }
	added := must.For(records.NewAdded(median, "added", interval.Int(1), nil, nil, other))(t)
	refused(t, errorOf(added.OnLine().Remake(median)), "remake returned a *records.Choice, want a *records.Added")
	refused(t, errorOf(must.For(records.NewLaplace(median, one))(t).(*records.Added).OnLine().Remake(mode)), "mode of 3 records of 2 categories has categories as values, to which no noise is added")
	refused(t, errorOf(must.For(mechanisms["smooth"](median, one))(t).Remake(mode)), "mode of 3 records of 2 categories has no known local sensitivity at a distance, which smooth_sensitivity requires")
}

// If the sensitivity is 0, every mechanism returns the exact answer.
func TestNoNoiseWithoutSensitivity(t *testing.T) {
	pair := must.For(must.For(records.NewGraph(2, nil, records.Edge))(t).Triangles(ctx))(t)
	one := must.For(evidence.NewEpsilon("eps", 1))(t)
	for _, of := range []string{"laplace", "staircase", "line", "smooth", "smooth on the line"} {
		m := must.For(mechanisms[of](pair, one))(t)
		sure := &reference{atoms: []atom{{rat(0, 1), fresh().SetInt64(1)}}}
		for _, c := range []*big.Rat{rat(-1, 2), rat(0, 1), rat(3, 2)} {
			n := must.For(records.DistortionFrom(ctx, m, c))(t)
			containsTightly(t, of, n, sure.off(c), 0)
			for _, d := range []*big.Rat{rat(-1, 2), rat(0, 1), rat(3, 2)} {
				if c.Cmp(d) <= 0 {
					encloses(t, of, must.For(m.Between(ctx, c, d))(t), sure.between(c, d), 300)
				}
			}
			encloses(t, of, must.For(m.Within(ctx, c))(t), sure.between(new(big.Rat).Neg(c), c), 300)
		}
		if n, ok := must.For(m.Distortion(ctx))(t).(evidence.Exact); !ok || n.Value.Sign() != 0 {
			t.Errorf("%s: an error of %v", of, n)
		}
		if _, _, err := m.(records.Releaser).Release(ctx, -1, nil); !isParameter(err, "n = -1") {
			t.Errorf("%s: %v", of, err)
		}
		for _, v := range must.For(m.Simulate(ctx, 3, rand.NewPCG(1, 1)))(t) {
			if v != 0 {
				t.Errorf("%s: draws %g", of, v)
			}
		}
	}
}

// isParameter reports whether the error is ErrParameter and contains the text.
func isParameter(err error, want string) bool {
	return err != nil && errors.Is(err, evidence.ErrParameter) && strings.Contains(err.Error(), want)
}

func TestBadExtensions(t *testing.T) {
	ctx := context.Background()
	node, edge := triangle(records.Node), triangle(records.Edge)
	refused := func(q *records.Query, degree int, bound *big.Rat, want string) {
		t.Helper()
		if _, err := records.Extend(ctx, q, degree, bound); !isParameter(err, want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	refused(must.For(edge.Edges())(t), 2, nil, "has no extension")
	refused(must.For(node.MaximumDegree())(t), 2, nil, "has no extension")
	refused(must.For(small(records.Replace).Median())(t), 2, nil, "has no extension")
	refused(must.For(node.Edges())(t), 0, nil, "on = 0, want")
	refused(must.For(node.Edges())(t), 4, nil, "on = 4, want")
	refused(must.For(node.Edges())(t), 1, new(big.Rat), "bound = 0, want")
	refused(must.For(node.Edges())(t), 1, rat(-1, 2), "bound = -1/2, want")
	refused(must.For(node.Edges())(t), 1, rat(1, 1<<30), "want a fraction")
	refused(must.For(edge.Triangles(ctx))(t), 1, nil, "bound = 0, want") // no edge of such a graph is in a triangle
	e := must.For(records.Extend(ctx, must.For(node.Edges())(t), 1, nil))(t)
	refused(e, 1, nil, "has no extension")
}

// New rejects invalid numeric datasets with the reason. It accepts valid numbers that are close to the limits.
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
		{one, records.Options{Lo: ten, Hi: ten}, "x[0] = 1, want a number between lo = 10 and hi = 10, or clip=True"},
		{one, records.Options{Lo: rat(21, 2), Hi: ten}, "lo = 21/2, want at most hi = 10"},
		{one, records.Options{Lo: zero, Hi: ten, Neighbors: records.Edge}, `neighbors = "edge", want "replace" or "add_remove"`},
		{one, records.Options{Lo: zero, Hi: ten, Grid: zero}, "grid = 0, want a positive number"},
		{one, records.Options{Lo: zero, Hi: ten, Grid: rat(-1, 2)}, "grid = -1/2, want a positive number"},
		{one, records.Options{Lo: rat(-1, 1), Hi: ten, Grid: rat(3, 1)}, "grid = 3, want a divisor of hi − lo = 11, so that lo and hi are a whole number of steps apart"},
		{one, records.Options{Lo: zero, Hi: wide, Grid: rat(1, 1)}, "grid = 1, want at most 2^53 steps from lo to hi"},
		{[]float64{1, math.NaN()}, records.Options{Lo: zero, Hi: ten}, "x[1] = NaN, want a finite number"},
		{[]float64{math.Inf(-1)}, records.Options{Lo: zero, Hi: ten, Clip: true}, "x[0] = -Inf, want a finite number"},
		{[]float64{math.Inf(1)}, records.Options{Lo: zero, Hi: ten, Clip: true}, "x[0] = +Inf, want a finite number"},
		{[]float64{-0.5}, records.Options{Lo: zero, Hi: ten}, "x[0] = -0.5, want a number between lo = 0 and hi = 10, or clip=True"},
		{[]float64{0, 10, 10.25}, records.Options{Lo: zero, Hi: ten}, "x[2] = 10.25, want a number between lo = 0 and hi = 10, or clip=True"},
		{[]float64{0, 1.5}, records.Options{Lo: zero, Hi: ten, Grid: rat(1, 1)}, "x[1] = 1.5, want a number lo + k·grid with lo = 0 and grid = 1, or clip=True"},
		{[]float64{2}, records.Options{Lo: rat(1, 1), Hi: ten, Grid: rat(3, 1)}, "x[0] = 2, want a number lo + k·grid with lo = 1 and grid = 3, or clip=True"},
		{[]float64{0.1}, records.Options{Lo: rat(1, 10), Hi: rat(9, 10), Grid: rat(1, 5), Neighbors: "b"}, `neighbors = "b", want "replace" or "add_remove"`},
	} {
		refused(t, of(c.x, c.o), c.want)
	}
	// Decimals are compared exactly, even where float64s are equal.
	third := rat(1, 3)
	refused(t, of([]float64{1. / 3}, records.Options{Lo: zero, Hi: third, Grid: third}), "x[0] = 0.3333333333333333, want a number lo + k·grid with lo = 0 and grid = 1/3, or clip=True")
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

// Statistics reject invalid arguments.
func TestRefusedStatistics(t *testing.T) {
	r, moving := small(records.Replace), small(records.AddRemove)
	refused(t, errorOf(r.Quantile(rat(-1, 9))), "p = -1/9, want a number from 0 to 1")
	refused(t, errorOf(r.Quantile(rat(10, 9))), "p = 10/9, want a number from 0 to 1")
	refused(t, errorOf(r.TrimmedMean(-1)), "k = -1, want 0…1, so that some of 3 records are left")
	refused(t, errorOf(r.TrimmedMean(2)), "k = 2, want 0…1, so that some of 3 records are left")
	refused(t, errorOf(moving.TrimmedMean(1)), `neighbors = "add_remove", want "replace" for trimmed_mean: the lattice of means changes with the number of records`)
	refused(t, errorOf(moving.Variance()), `neighbors = "add_remove", want "replace" for variance: the lattice of variances changes with the number of records`)
	alone := recordsOf(t, []int64{1}, 3, nil, records.Replace)
	refused(t, errorOf(alone.Variance()), "x has one record, whose variance is always 0: want at least two")
	even := recordsOf(t, []int64{1, 2, 3, 3}, 3, nil, records.Replace)
	refused(t, errorOf(even.TrimmedMean(2)), "k = 2, want 0…1, so that some of 4 records are left")
	beside := must.For(records.New([]float64{0.5}, records.Options{Lo: rat(1, 2), Hi: rat(5, 2), Grid: rat(1, 1), Neighbors: records.AddRemove}))(t)
	refused(t, errorOf(beside.Total()), "lo = 1/2, want a multiple of grid = 1 for a total under addition and removal: otherwise sums of records lie on no grid")
	fails := fmt.Errorf("a predicate that fails")
	asked := 0
	if _, err := r.Count(func(v *big.Rat) (bool, error) { asked++; return true, fails }); err != fails || asked != 1 {
		t.Errorf("%v after %d predicate calls", err, asked)
	}
	asked = 0
	ties := recordsOf(t, []int64{1, 1, 2, 2, 2, 3}, 3, nil, records.Replace)
	if q := must.For(ties.Count(func(v *big.Rat) (bool, error) { asked++; return v.Cmp(rat(2, 1)) <= 0, nil }))(t); asked != 5 || q.Value().Cmp(rat(5, 1)) != 0 {
		t.Errorf("count %v after %d predicate calls", q.Value(), asked)
	}
	// A query that needs a list of the grid's values accepts up to a million steps.
	long := must.For(records.New([]float64{1, 2}, records.Options{Lo: rat(0, 1), Hi: rat(1<<20, 1), Grid: rat(1, 1), Neighbors: records.AddRemove}))(t)
	refused(t, errorOf(long.Quantile(rat(1, 3))), "grid has 1048576 steps between the ends, want at most 1048575 for this quantile under addition and removal")
	must.For(long.Median())(t)
}

// Categories and graphs reject invalid arguments.
func TestRefusedCategoriesAndGraphs(t *testing.T) {
	two := []string{"a", "b"}
	refused(t, errorOf(records.NewCategories(nil, two, records.Replace)), "x is empty, want at least one record")
	refused(t, errorOf(records.NewCategories(two[:1], two[:1], records.Replace)), "categories has 1 names, want at least two")
	refused(t, errorOf(records.NewCategories(two, two, records.Node)), `neighbors = "node", want "replace" or "add_remove"`)
	refused(t, errorOf(records.NewCategories(two, []string{"a", "b", "a"}, records.Replace)), `categories[2] = "a" is listed twice`)
	refused(t, errorOf(records.NewCategories([]string{"a", "c"}, two, records.Replace)), `x[1] = "c", want one of the 2 categories`)
	refused(t, errorOf(records.NewCategories([]string{""}, make([]string, 1<<20+1), records.Replace)), "categories has 1048577 names, want at most 1048576")
	c := must.For(records.NewCategories([]string{"b", "a", "b"}, two, records.AddRemove))(t)
	counts := c.Counts()
	counts[0] = 7 // Counts returns a copy
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
	// Packed matrix rows may have more than one word.
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

func TestRefusedCustomQueries(t *testing.T) {
	value := func(records.Dataset) (*big.Rat, error) { return rat(1, 1), nil }
	distance := func(records.Dataset, *big.Rat) (int, error) { return 0, nil }
	move := func(_ records.Dataset, t int) (*big.Rat, error) { return rat(int64(t), 1), nil }
	for _, c := range []struct {
		own  records.CustomQuery
		want string
	}{
		{records.CustomQuery{Distance: distance}, "value is missing, want a function of a dataset"},
		{records.CustomQuery{Value: value}, "distance, up and down are missing, want distance, or up and down"},
		{records.CustomQuery{Value: value, Distance: distance, Up: move}, "distance and up or down are given, want one of the two"},
		{records.CustomQuery{Value: value, Distance: distance, Down: move}, "distance and up or down are given, want one of the two"},
		{records.CustomQuery{Value: value, Up: move}, "only one of up and down is given, want both or neither"},
		{records.CustomQuery{Value: value, Down: move}, "only one of up and down is given, want both or neither"},
	} {
		refused(t, errorOf(records.NewCustomQuery(c.own)), c.want)
	}
	r, g := small(records.Replace), triangle(records.Node)
	at := func(o records.CustomQuery, rng records.Range) error {
		own := must.For(records.NewCustomQuery(o))(t)
		a, b := errorOf(own.OnRecords(r, rng)), errorOf(own.OnGraph(g, rng))
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("of records: %v; of a graph: %v", a, b)
		}
		return a
	}
	unit := records.Range{Lo: rat(0, 1), Hi: rat(4, 1), Step: rat(1, 1)}
	moves, layers := records.CustomQuery{Value: value, Up: move, Down: move}, records.CustomQuery{Value: value, Distance: distance}
	refused(t, at(moves, records.Range{Lo: rat(5, 1), Hi: rat(4, 1)}), "range is [5, 4], want lo ≤ hi")
	refused(t, at(moves, records.Range{Lo: rat(0, 1), Step: rat(0, 1)}), "range is [0, inf) in steps of 0, want a positive step")
	refused(t, at(moves, records.Range{Hi: rat(3, 1), Step: rat(-1, 2)}), "range is (−inf, 3] in steps of -0.5, want a positive step")
	refused(t, at(moves, records.Range{Lo: rat(3, 2), Hi: rat(3, 1)}), "value = 1, want a value of [1.5, 3]")
	refused(t, at(moves, records.Range{Lo: rat(0, 1), Hi: rat(1, 2)}), "value = 1, want a value of [0, 0.5]")
	refused(t, at(moves, records.Range{Lo: rat(-1, 2), Hi: rat(5, 2), Step: rat(1, 1)}), "value = 1, want a value of [-0.5, 2.5] in steps of 1")
	if err := at(moves, records.Range{Lo: rat(1, 1), Hi: rat(1, 1)}); err != nil {
		t.Error(err)
	}
	if err := at(moves, records.Range{Step: rat(1, 3)}); err != nil { // a range around the value
		t.Error(err)
	}
	for _, rng := range []records.Range{{Hi: rat(4, 1), Step: rat(1, 1)}, {Lo: rat(0, 1), Step: rat(1, 1)}, {Lo: rat(0, 1), Hi: rat(4, 1)}} {
		refused(t, at(layers, rng), "range is "+rng.String()+", want two ends and a step, so that its values can be listed")
	}
	refused(t, at(layers, records.Range{Lo: rat(0, 1), Hi: rat(1<<20, 1), Step: rat(1, 1)}), "range is [0, 1.048576e+06] in steps of 1, want at most 2^20 whole steps")
	refused(t, at(layers, records.Range{Lo: rat(0, 1), Hi: rat(5, 2), Step: rat(1, 1)}), "range is [0, 2.5] in steps of 1, want hi − lo to be a multiple of the step")
	fails := errors.New("a function that fails")
	if err := at(records.CustomQuery{Value: func(records.Dataset) (*big.Rat, error) { return nil, fails }, Distance: distance}, unit); err != fails {
		t.Error(err)
	}
	if err := at(records.CustomQuery{Value: value, Distance: func(_ records.Dataset, r *big.Rat) (int, error) {
		if r.Cmp(rat(3, 1)) == 0 {
			return 0, fails
		}
		return 0, nil
	}}, unit); err != fails {
		t.Error(err)
	}
	for far, want := range map[int]string{-1: "", -2: "distance = -2, want 0…2^30, or -1 for a value that is never reached", 1 << 30: "", 1<<30 + 1: "distance = 1073741825, want 0…2^30, or -1 for a value that is never reached"} {
		err := at(records.CustomQuery{Value: value, Distance: func(records.Dataset, *big.Rat) (int, error) { return far, nil }}, unit)
		if want != "" {
			refused(t, err, want)
		} else if err != nil {
			t.Error(err)
		}
	}
	// If a move function fails or returns a negative number, every method that calls it fails, and so does the query.
	for _, c := range []struct {
		move func(_ records.Dataset, t int) (*big.Rat, error)
		want string
	}{
		{func(_ records.Dataset, t int) (*big.Rat, error) { return rat(int64(-t), 2), nil }, "up or down returned -0.5 for t = 1 changes, want at least 0"},
		{func(records.Dataset, int) (*big.Rat, error) { return nil, fails }, "a function that fails"},
	} {
		for _, own := range []records.CustomQuery{{Value: value, Up: c.move, Down: move}, {Value: value, Up: move, Down: c.move}} {
			q := must.For(must.For(records.NewCustomQuery(own))(t).OnRecords(r, unit))(t)
			if q.Failed() != nil {
				t.Error(q.Failed())
			}
			if _, err := must.For(purest(q))(t).Distortion(ctx); err == nil || err.Error() != c.want || fmt.Sprint(q.Failed()) != c.want {
				t.Errorf("%v and %v, want %s", err, q.Failed(), c.want)
			}
			bare := must.For(records.NewCustomQuery(own))(t).Bare(records.Replace)
			_, err := records.Verify(ctx, bare, purest, records.VerifyOptions{Records: 2, Values: []float64{0, 1}})
			if own.Up != nil && err == nil {
				// A universe with a single value has no neighbors, so no move is computed.
				if q := must.For(must.For(records.NewCustomQuery(own))(t).OnRecords(r, unit))(t); errorOf(q.Layer(rat(4, 1))) != nil || errorOf(q.Layer(rat(0, 1))) != nil || fmt.Sprint(q.Failed()) != c.want {
					t.Errorf("%v, want %s", q.Failed(), c.want)
				}
			}
		}
	}
	if small(records.Replace).Len() != 3 || must.For(r.Median())(t).Failed() != nil {
		t.Error("a built-in query has failed")
	}
	failing := must.For(records.NewCustomQuery(records.CustomQuery{Value: func(x records.Dataset) (*big.Rat, error) {
		if slices.Equal(x.Records, []float64{0, 1}) {
			return nil, fails
		}
		return rat(int64(len(x.Records)), 1), nil
	}, Distance: distance}))(t).Bare(records.Replace)
	if _, err := records.Verify(ctx, failing, purest, records.VerifyOptions{Records: 2, Values: []float64{0, 1}}); err != fails {
		t.Error(err)
	}
	far := must.For(records.NewCustomQuery(records.CustomQuery{Value: func(x records.Dataset) (*big.Rat, error) { return new(big.Rat).SetFloat64(x.Records[0]), nil }, Distance: func(x records.Dataset, _ *big.Rat) (int, error) {
		return -2 * b2i(x.Records[0] == 1), nil
	}}))(t).Bare(records.Replace)
	refused(t, errorOf(records.Verify(ctx, far, purest, records.VerifyOptions{Records: 1, Values: []float64{0, 1}})), "at dataset [1]: distance = -2, want 0…2^30, or -1 for a value that is never reached")
	moved := must.For(records.NewCustomQuery(records.CustomQuery{Value: func(x records.Dataset) (*big.Rat, error) { return new(big.Rat).SetFloat64(x.Records[0]), nil }, Up: func(records.Dataset, int) (*big.Rat, error) { return nil, fails }, Down: move}))(t).Bare(records.Replace)
	if _, err := records.Verify(ctx, moved, purest, records.VerifyOptions{Records: 1, Values: []float64{0, 1}}); !errors.Is(err, fails) {
		t.Error(err)
	}
}

func TestVerifyErrors(t *testing.T) {
	q := must.For(small(records.Replace).Median())(t)
	edges := must.For(triangle(records.Edge).Edges())(t)
	rewired := must.For(triangle(records.Node).Edges())(t)
	options := records.VerifyOptions{Records: 2, Values: floatsOf([]int64{0, 1, 2})}
	verify := func(q *records.Query, o records.VerifyOptions) error {
		return errorOf(records.Verify(ctx, q, purest, o))
	}
	for _, c := range []struct {
		values []float64
		want   string
	}{
		{nil, "values = [], want at least two numbers"},
		{[]float64{1}, "values = [1], want at least two numbers"},
		{[]float64{0, 1, 3}, "at dataset [3 3]: values = [0 1 3], want at least two numbers that rise by equal steps"},
		{[]float64{0, 0}, "at dataset [0 0]: values = [0 0], want at least two numbers that rise by equal steps"},
		{[]float64{2, 1, 0}, "at dataset [0 0]: values = [2 1 0], want at least two numbers that rise by equal steps"},
		{[]float64{0, math.NaN()}, "at dataset [NaN NaN]: values = [0 NaN], want at least two numbers that rise by equal steps"},
		{[]float64{math.Inf(-1), 0}, "at dataset [0 0]: values = [-Inf 0], want at least two numbers that rise by equal steps"},
	} {
		refused(t, verify(q, records.VerifyOptions{Records: 2, Values: c.values}), c.want)
	}
	refused(t, verify(q, records.VerifyOptions{Values: options.Values}), "records = 0, want at least 1")
	refused(t, verify(new(records.Query), options), " cannot be built at another dataset")
	refused(t, verify(edges, records.VerifyOptions{Nodes: 1}), "nodes = 1, want 2…8")
	refused(t, verify(edges, records.VerifyOptions{Nodes: 9}), "nodes = 9, want 2…8")
	refused(t, verify(rewired, records.VerifyOptions{Nodes: 7}), "nodes = 7, want 2…6")
	mode := modeOf(t, []int{1, 2}, records.Replace)
	refused(t, verify(mode, records.VerifyOptions{Records: 1, Values: options.Values}), "at dataset [2]: values has 3 entries, want 2…2, one for each category that is tried")
	fails := errors.New("a mechanism that is not made")
	if err := errorOf(records.Verify(ctx, q, func(*records.Query) (records.Law, error) { return nil, fails }, options)); !errors.Is(err, fails) || err.Error() != "at dataset [2 2]: a mechanism that is not made" {
		t.Error(err)
	}
	refused(t, errorOf(records.Verify(ctx, q, func(*records.Query) (records.Law, error) { return purest(q) }, options)), "at dataset [2 2]: the mechanism answers median of 3 records in [0, 4], grid 1, want median of 2 records in [0, 2], grid 1")
	if err := errorOf(records.Verify(ctx, edges, func(*records.Query) (records.Law, error) { return nil, fails }, records.VerifyOptions{Nodes: 3})); err == nil || err.Error() != "at dataset 3 nodes with edges []: a mechanism that is not made" {
		t.Error(err)
	}
	if _, err := records.Verify(ctx, q, purest, records.VerifyOptions{Records: 200, Values: make([]float64, 60)}); err == nil {
		t.Error("want an error for a universe that is too large")
	}

}
