package query

import (
	"errors"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// Distinct names have distance 1.
func TestDiscreteMetric(t *testing.T) {
	m := discreteMetric()
	for i := range 3 {
		for j := range 3 {
			want := int64(1)
			if i == j {
				want = 0
			}
			if m.Steps(i, j) != float64(want) || m.Rational(i, j).Cmp(big.NewRat(want, 1)) != 0 {
				t.Errorf("the distance of %d and %d is %v", i, j, m.Steps(i, j))
			}
		}
	}
}

// Invalid arguments give an error and no result.
func TestErrorMessages(t *testing.T) {
	one, half := big.NewRat(1, 1), big.NewRat(1, 2)
	path := func(n int) *Space { return must.For(NewPathSpace(n, nil))(t) }
	numeric := func(values []float64, rng []float64) *Query {
		return must.For(NewNumeric("q", path(len(values)), values, rng))(t)
	}
	count := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(i)
		}
		return out
	}
	h := must.For(NewHistograms(t.Context(), 2, 2, AddRemove))(t)
	wide := must.For(NewHistograms(t.Context(), 1, 2100, AddRemove))(t)
	largest := must.For(NewHistograms(t.Context(), 1, 46341, AddRemove))(t)
	product := func(norm Norm, weights []*big.Rat, queries ...*Query) error {
		q, err := Product(t.Context(), queries, norm, weights)
		if q != nil && err != nil {
			t.Errorf("a product together with the error %v", err)
		}
		return err
	}
	pair, words := numeric([]float64{0, 1}, nil), must.For(New("words", path(2), []Value{Name("a"), Name("b")}, nil, ValueMetric{Discrete: true}))(t)
	lossy := must.For(pair.WithLoss("lossy", [][]*big.Rat{{new(big.Rat), one}, {one, new(big.Rat)}}))(t)
	far := [][]*big.Rat{{new(big.Rat), powerOfTwo(-50), powerOfTwo(1000)}, {powerOfTwo(-50), new(big.Rat), powerOfTwo(1000)}, {powerOfTwo(1000), powerOfTwo(1000), new(big.Rat)}}
	third := big.NewRat(1, 3)
	matrix := must.For(NewRationalSpace(t.Context(), [][]*big.Rat{{new(big.Rat), half}, {half, new(big.Rat)}}))(t)
	many := make([]int, 1<<20)
	for x := range many {
		many[x] = x % 4096
	}
	for what, err := range map[string]error{
		"too few weights":                     second(h.Classifier([]int{0, 1}, [][]int{{0, 1}}, []*big.Rat{one})),
		"a weight of 0":                       second(h.Classifier([]int{0, 1}, [][]int{{0, 1}}, []*big.Rat{one, new(big.Rat)})),
		"no weight":                           second(h.Classifier([]int{0, 1}, [][]int{{0, 1}}, []*big.Rat{one, nil})),
		"too few labels":                      second(h.Classifier([]int{0}, [][]int{{0, 1}}, nil)),
		"repeated classifier":                 second(h.Classifier([]int{0, 1}, [][]int{{0, 1}, {0, 1}}, nil)),
		"too few vectors":                     second(h.Principal([][]int{{1}}, 1)),
		"empty vectors":                       second(h.Principal([][]int{{}, {}}, 1)),
		"long vectors":                        second(h.Principal([][]int{make([]int, 17), make([]int, 17)}, 1)),
		"vectors of different lengths":        second(h.Principal([][]int{{1, 2}, {1}}, 1)),
		"an entry of 1001":                    second(h.Principal([][]int{{1, 1001}, {1, 1}}, 1)),
		"an entry of −1001":                   second(h.Principal([][]int{{1, 1}, {-1001, 1}}, 1)),
		"no component":                        second(h.Principal([][]int{{1, 1}, {1, 1}}, 0)),
		"too many components":                 second(h.Principal([][]int{{1, 1}, {1, 1}}, 3)),
		"too many vectors":                    second(wide.vectorQuery("v", SumNorm, func(c []int, _ int) ([]*big.Rat, error) { return []*big.Rat{big.NewRat(int64(c[0]), 1)}, nil })),
		"a failing vector function":           second(wide.vectorQuery("v", SumNorm, func([]int, int) ([]*big.Rat, error) { return nil, evidence.ErrParameter })),
		"vectors with an unknown norm":        second(h.vectorQuery("v", "l3", func([]int, int) ([]*big.Rat, error) { return []*big.Rat{one}, nil })),
		"no types":                            second(h.Counting(nil)),
		"a large identity":                    second(largest.Identity()),
		"an unknown pattern":                  second(mustGraphs(t, 3).Count("pentagon")),
		"squared error of names":              second(SquaredError(words, 0, 1)),
		"losses far apart":                    second(must.For(NewNumeric("three", path(3), []float64{0, 1, 2}, nil))(t).WithLoss("far", far)),
		"distances far apart":                 second(New("far", path(3), []Value{Name("a"), Name("b"), Name("c")}, nil, ValueMetric{Rational: far})),
		"numbers too near":                    second(New("near", path(1), []Value{Number(0)}, []Value{Number(0), RationalValue(third), RationalValue(new(big.Rat).Add(third, powerOfTwo(-1100)))}, ValueMetric{})),
		"no value":                            second(New("none", path(1), []Value{nil}, nil, ValueMetric{})),
		"a tuple without a value":             second(New("none", path(1), []Value{Tuple{Number(1), nil}}, nil, ValueMetric{Discrete: true})),
		"large tables":                        second(NewNumeric("large", path(1<<16), count(1<<16), nil)),
		"large tables of counts":              second(newCountQuery("large", path(1<<20), many)),
		"large spaces":                        second(NewPathSpace(maxPathDatasets+1, nil)),
		"too few values":                      second(pair.Surrogate("in", []Value{Number(1)})),
		"a product of a single query":         product(SumNorm, nil, pair),
		"a product over different spaces":     product(SumNorm, nil, pair, numeric([]float64{0, 1, 2}, nil)),
		"a product with a loss":               product(SumNorm, nil, pair, lossy),
		"a product of one weight":             product(SumNorm, []*big.Rat{one}, pair, pair),
		"a product with a weight 0":           product(SumNorm, []*big.Rat{one, new(big.Rat)}, pair, pair),
		"a product with an unknown norm":      product("l3", nil, pair, pair),
		"a product without a weight":          product(SumNorm, []*big.Rat{one, nil}, pair, pair),
		"a range of 2³² tuples":               product(SumNorm, nil, numeric([]float64{0, 1}, count(1<<16)), numeric([]float64{0, 1}, count(1<<16))),
		"a table of 2³² tuples":               product(SumNorm, nil, numeric([]float64{0, 1, 2}, count(1<<15)), numeric([]float64{0, 1, 2}, count(1<<15))),
		"a Euclidean range":                   product(EuclideanNorm, nil, numeric([]float64{0, 1}, count(64)), numeric([]float64{0, 1}, count(33))),
		"Euclidean distances":                 product(EuclideanNorm, nil, numeric([]float64{0, 1, 1 << 40}, nil), numeric([]float64{0, 1, 1 << 40}, nil)),
		"a product without a unit":            product(SumNorm, nil, pair, numeric([]float64{0, 1}, []float64{0, 1, 1e-25})),
		"a product of very different weights": product(SumNorm, []*big.Rat{one, big.NewRat(1, 1e18)}, pair, pair),
		"seeds of a matrix":                   second(matrix.DistanceTransformFrom(t.Context(), maxCells, 0, nil)),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", what, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Index returns an error if the universe lacks the class. Original returns the query that a surrogate replaces.
func TestIndexOfMissingClass(t *testing.T) {
	few := &Graphs{universe: &graphUniverse{nodes: 3, codes: []graphCode{0}, first: []int{0, 1, 1, 1, 1}}}
	if x, err := few.Index("Bw"); x != 0 || err == nil {
		t.Errorf("a triangle is class %d, %v", x, err)
	}
	if _, err := mustGraphs(t, 3).Space().Find("Bw"); err != nil {
		t.Error(err)
	}
	pair := must.For(NewNumeric("q", must.For(NewPathSpace(2, nil))(t), []float64{0, 1}, nil))(t)
	if in := must.For(pair.Surrogate("in", []Value{Number(3), Number(1)}))(t); in.Original() != pair || pair.Original() != nil {
		t.Error("Original does not return the replaced query")
	}
}
