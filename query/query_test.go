package query_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// Missing numbers are rejected with their position.
func TestConstructorsRejectMissingNumbers(t *testing.T) {
	ctx := context.Background()
	one := big.NewRat(1, 1)
	h := must.For(query.NewHistograms(ctx, 2, 2, query.AddRemove))(t)
	values := []query.Value{query.Number(0), query.Number(1)}
	for name, f := range map[string]func() error{
		"weight": func() error { _, err := h.Linear([]*big.Rat{one, nil}); return err },
		"median": func() error { _, err := h.Median([]*big.Rat{nil, one}); return err },
		"value": func() error {
			_, err := query.New("f", line(t, 2), []query.Value{query.Number(0), nil}, nil, query.ValueMetric{})
			return err
		},
		"range": func() error {
			_, err := query.New("f", line(t, 2), values, []query.Value{values[0], values[1], nil}, query.ValueMetric{})
			return err
		},
		"fraction": func() error {
			_, err := query.New("f", line(t, 2), []query.Value{query.RationalValue(nil), query.Number(0)}, nil, query.ValueMetric{})
			return err
		},
		"distance": func() error { _, err := query.NewRationalSpace(ctx, [][]*big.Rat{{nil}}); return err },
		"metric": func() error {
			_, err := query.New("f", line(t, 2), values, nil, query.ValueMetric{Rational: [][]*big.Rat{{new(big.Rat), nil}, {one, new(big.Rat)}}})
			return err
		},
		"histogram": func() error { _, err := h.Index([]int{1, math.MaxInt}); return err },
	} {
		if err := f(); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
	}
	for _, v := range []query.Value{query.Fraction{}, query.Number(math.NaN()), query.Number(math.Inf(1)), nil} {
		if q, ok := query.RationalOf(v); ok {
			t.Errorf("%v is the number %v, want none", v, q)
		}
	}
}

// Balls include their boundary, for decimal and rational radii.
func TestBallMatchesDefinition(t *testing.T) {
	q := must.For(query.NewNumeric("f", line(t, 4), []float64{0, 0.1, 0.3, 1}, nil))(t)
	third := must.For(query.New("f", line(t, 3), []query.Value{query.Number(0), query.RationalValue(big.NewRat(1, 3)), query.Number(math.Pi)}, nil, query.ValueMetric{}))(t)
	for _, c := range []struct {
		q      *query.Query
		x      int
		radius float64
		want   []int
	}{
		{q, 1, 0.2, []int{0, 1, 2}}, {q, 1, math.Nextafter(0.2, 0), []int{0, 1}}, {q, 1, 0.1, []int{0, 1}}, {q, 1, 0.0999, []int{1}}, {q, 1, 0, []int{1}},
		{q, 0, 1, []int{0, 1, 2, 3}}, {q, 0, 0.9999999, []int{0, 1, 2}}, {q, 2, math.Inf(1), []int{0, 1, 2, 3}}, {q, 2, -1, nil}, {q, 2, math.NaN(), nil}, {q, 2, math.Inf(-1), nil},
		{third, 0, 0.3333333333333333, []int{0}}, {third, 0, 0.33333333333333337, []int{0, 1}}, {third, 0, math.Pi, []int{0, 1, 2}}, {third, 0, math.Nextafter(math.Pi, 0), []int{0, 1}},
	} {
		if got := c.q.Ball(c.x, c.radius); !slices.Equal(got, c.want) {
			t.Errorf("ball of radius %v around %v: %v, want %v", c.radius, c.q.Value(c.x), got, c.want)
		}
	}
	if got := third.RationalBall(0, big.NewRat(1, 3)); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("ball of radius 1/3: %v", got)
	}
}

func line(t testing.TB, n int) *query.Space {
	t.Helper()
	var edges [][2]int
	for x := 1; x < n; x++ {
		edges = append(edges, [2]int{x - 1, x})
	}
	s := must.For(query.NewPathSpace(n, edges))(t)
	return s
}

func TestRangeAndMetric(t *testing.T) {
	q := must.For(query.NewNumeric("f", line(t, 4), []float64{0.3, -0.1, 0.3, 2}, nil))(t)
	if len(q.Range()) != 3 || q.Range()[0] != query.Number(-0.1) || q.Range()[2] != query.Number(2) {
		t.Errorf("range is %v, want -0.1, 0.3, 2", q.Range())
	}
	if !q.Metric().IsExact() || q.Metric().Steps(0, 1) != 4 || q.Metric().Unit().RatString() != "1/10" {
		t.Errorf("d(-0.1, 0.3) is %v steps of %v, want 4 of 1/10", q.Metric().Steps(0, 1), q.Metric().Unit())
	}
	if got := q.Sensitivity(); got.Kind() != "exact" || got.Float() != 1.7 {
		t.Errorf("sensitivity is %v (%s), want 1.7 exactly", got.Float(), got.Kind())
	}
	if got := q.LocalSensitivity(0).Float(); got != 0.4 {
		t.Errorf("local sensitivity at 0 is %v, want 0.4", got)
	}
	if ball := q.Ball(0, 0.4); len(ball) != 2 {
		t.Errorf("ball of radius 0.4 around 0.3 is %v, want -0.1 and 0.3", ball)
	}
}

// Integers with the same float64 are different values at distance 1.
func TestLargeIntegers(t *testing.T) {
	const n = 1 << 53
	values := []query.Value{query.RationalValue(big.NewRat(n+1, 1)), query.RationalValue(big.NewRat(n, 1))}
	q := must.For(query.New("f", line(t, 2), values, nil, query.ValueMetric{}))(t)
	if s := q.Sensitivity().(evidence.Exact); s.Value.Cmp(big.NewRat(1, 1)) != 0 || len(q.Range()) != 2 || !q.Metric().IsExact() {
		t.Errorf("sensitivity %v on %v, want 1", s.Value, q.Range())
	}
	if r, ok := q.Find(query.RationalValue(big.NewRat(n+1, 1))); !ok || r != 1 {
		t.Errorf("2⁵³ + 1 is at %d, %v, want 1", r, ok)
	}
	for text, want := range map[string]query.Value{"9007199254740992": query.Number(n), "1152921504606846976": nil, "1152921504606847000": query.Number(1 << 60), "0.1": query.Number(0.1), "1/3": nil, "1e300": query.Number(1e300)} {
		v := query.RationalValue(rationals(text)[0])
		if _, fraction := v.(query.Fraction); want != nil && v != want || want == nil && !fraction {
			t.Errorf("%s is the value %v (%T), want %v", text, v, v, want)
		}
	}
}

func TestNewErrors(t *testing.T) {
	s := line(t, 2)
	numbers := []query.Value{query.Number(0), query.Number(1)}
	for name, c := range map[string]struct {
		values, rng []query.Value
		metric      query.ValueMetric
		want        string
	}{
		"length":        {values: numbers[:1], want: "values has 1"},
		"NaN":           {values: []query.Value{query.Number(math.NaN()), query.Number(0)}, want: "values[0] = NaN"},
		"missed":        {values: numbers, rng: numbers[:1], want: "range lacks 1"},
		"repeated":      {values: numbers, rng: append(numbers, query.Number(math.Copysign(0, -1))), want: "repeats"},
		"names":         {values: []query.Value{query.Name("a"), query.Name("b")}, want: "needs numbers"},
		"matrix shape":  {values: numbers, metric: query.ValueMetric{Matrix: [][]float64{{0, 1}}}, want: "value_metric has 1 rows"},
		"not symmetric": {values: numbers, metric: query.ValueMetric{Matrix: [][]float64{{0, 1}, {2, 0}}}, want: "value_metric[0][1] = 1"},
		"infinite":      {values: numbers, metric: query.ValueMetric{Matrix: [][]float64{{0, math.Inf(1)}, {math.Inf(1), 0}}}, want: "finite"},
	} {
		_, err := query.New("f", s, c.values, c.rng, c.metric)
		if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
	}
}

// Constructors return a query or an error for any input.
func FuzzFiniteQuery(f *testing.F) {
	f.Add(3, []byte{0, 1, 1, 2}, 0.5, 1.0, -3.25)
	f.Add(1, []byte{}, 0.0, 0.0, 0.0)
	f.Add(2, []byte{0, 7}, 1e300, 1e-300, 0.1)
	f.Fuzz(func(t *testing.T, n int, ends []byte, a, b, c float64) {
		if n > 50 {
			n %= 50
		}
		var edges [][2]int
		for i := 0; i+1 < len(ends); i += 2 {
			edges = append(edges, [2]int{int(int8(ends[i])), int(int8(ends[i+1]))})
		}
		s, err := query.NewPathSpace(n, edges)
		if err != nil {
			if !errors.Is(err, evidence.ErrParameter) {
				t.Fatal(err)
			}
			return
		}
		values := make([]float64, n)
		for x := range values {
			values[x] = []float64{a, b, c}[x%3]
		}
		q, err := query.NewNumeric("f", s, values, nil)
		if err != nil {
			if !errors.Is(err, evidence.ErrParameter) {
				t.Fatal(err)
			}
			return
		}
		lo, hi := q.Sensitivity().Bounds()
		if !(lo <= hi) || lo < 0 {
			t.Fatalf("sensitivity in [%v, %v]", lo, hi)
		}
	})
}

// Invalid arguments give an error and no result.
func TestErrorMessages(t *testing.T) {
	one, half := big.NewRat(1, 1), big.NewRat(1, 2)
	path := func(n int) *query.Space { return must.For(query.NewPathSpace(n, nil))(t) }
	numeric := func(values []float64, rng []float64) *query.Query {
		return must.For(query.NewNumeric("q", path(len(values)), values, rng))(t)
	}
	count := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = float64(i)
		}
		return out
	}
	h := must.For(query.NewHistograms(t.Context(), 2, 2, query.AddRemove))(t)
	largest := must.For(query.NewHistograms(t.Context(), 1, 46341, query.AddRemove))(t)
	product := func(norm query.Norm, weights []*big.Rat, queries ...*query.Query) error {
		q, err := query.Product(t.Context(), queries, norm, weights)
		if q != nil && err != nil {
			t.Errorf("a product together with the error %v", err)
		}
		return err
	}
	pair, words := numeric([]float64{0, 1}, nil), must.For(query.New("words", path(2), []query.Value{query.Name("a"), query.Name("b")}, nil, query.ValueMetric{Discrete: true}))(t)
	lossy := must.For(pair.WithLoss("lossy", [][]*big.Rat{{new(big.Rat), one}, {one, new(big.Rat)}}))(t)
	far := [][]*big.Rat{{new(big.Rat), twoTo(-50), twoTo(1000)}, {twoTo(-50), new(big.Rat), twoTo(1000)}, {twoTo(1000), twoTo(1000), new(big.Rat)}}
	third := big.NewRat(1, 3)
	matrix := must.For(query.NewRationalSpace(t.Context(), [][]*big.Rat{{new(big.Rat), half}, {half, new(big.Rat)}}))(t)
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
		"no types":                            second(h.Counting(nil)),
		"a large identity":                    second(largest.Identity()),
		"an unknown pattern":                  second(must.For(query.NewGraphs(t.Context(), 3))(t).Count("pentagon")),
		"squared error of names":              second(query.SquaredError(words, 0, 1)),
		"losses far apart":                    second(must.For(query.NewNumeric("three", path(3), []float64{0, 1, 2}, nil))(t).WithLoss("far", far)),
		"distances far apart":                 second(query.New("far", path(3), []query.Value{query.Name("a"), query.Name("b"), query.Name("c")}, nil, query.ValueMetric{Rational: far})),
		"numbers too near":                    second(query.New("near", path(1), []query.Value{query.Number(0)}, []query.Value{query.Number(0), query.RationalValue(third), query.RationalValue(new(big.Rat).Add(third, twoTo(-1100)))}, query.ValueMetric{})),
		"no value":                            second(query.New("none", path(1), []query.Value{nil}, nil, query.ValueMetric{})),
		"a tuple without a value":             second(query.New("none", path(1), []query.Value{query.Tuple{query.Number(1), nil}}, nil, query.ValueMetric{Discrete: true})),
		"large tables":                        second(query.NewNumeric("large", path(1<<16), count(1<<16), nil)),
		"large spaces":                        second(query.NewPathSpace(1<<26+1, nil)),
		"too few values":                      second(pair.Surrogate("in", []query.Value{query.Number(1)})),
		"a product of a single query":         product(query.SumNorm, nil, pair),
		"a product over different spaces":     product(query.SumNorm, nil, pair, numeric([]float64{0, 1, 2}, nil)),
		"a product with a loss":               product(query.SumNorm, nil, pair, lossy),
		"a product of one weight":             product(query.SumNorm, []*big.Rat{one}, pair, pair),
		"a product with a weight 0":           product(query.SumNorm, []*big.Rat{one, new(big.Rat)}, pair, pair),
		"a product with an unknown norm":      product("l3", nil, pair, pair),
		"a product without a weight":          product(query.SumNorm, []*big.Rat{one, nil}, pair, pair),
		"a range of 2³² tuples":               product(query.SumNorm, nil, numeric([]float64{0, 1}, count(1<<16)), numeric([]float64{0, 1}, count(1<<16))),
		"a table of 2³² tuples":               product(query.SumNorm, nil, numeric([]float64{0, 1, 2}, count(1<<15)), numeric([]float64{0, 1, 2}, count(1<<15))),
		"a Euclidean range":                   product(query.EuclideanNorm, nil, numeric([]float64{0, 1}, count(64)), numeric([]float64{0, 1}, count(33))),
		"Euclidean distances":                 product(query.EuclideanNorm, nil, numeric([]float64{0, 1, 1 << 40}, nil), numeric([]float64{0, 1, 1 << 40}, nil)),
		"a product without a unit":            product(query.SumNorm, nil, pair, numeric([]float64{0, 1}, []float64{0, 1, 1e-25})),
		"a product of very different weights": product(query.SumNorm, []*big.Rat{one, big.NewRat(1, 1e18)}, pair, pair),
		"seeds of a matrix":                   second(matrix.DistanceTransformFrom(t.Context(), 1<<31, 0, nil)),
	} {
		if !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", what, err)
		}
	}
}

// twoTo returns 2ⁿ.
func twoTo(n int) *big.Rat {
	q := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(n, -n))))
	if n < 0 {
		q.Inv(q)
	}
	return q
}

func second[T any](_ T, err error) error { return err }

// Original returns the query that a surrogate replaces.
func TestOriginalOfSurrogate(t *testing.T) {
	if _, err := must.For(query.NewGraphs(t.Context(), 3))(t).Space().Find("Bw"); err != nil {
		t.Error(err)
	}
	pair := must.For(query.NewNumeric("q", must.For(query.NewPathSpace(2, nil))(t), []float64{0, 1}, nil))(t)
	if in := must.For(pair.Surrogate("in", []query.Value{query.Number(3), query.Number(1)}))(t); in.Original() != pair || pair.Original() != nil {
		t.Error("Original does not return the replaced query")
	}
}
