package query_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/query"
)

func line(t testing.TB, n int) *query.Space {
	t.Helper()
	var edges [][2]int
	for x := 1; x < n; x++ {
		edges = append(edges, [2]int{x - 1, x})
	}
	s, err := query.NewPathSpace(n, edges)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRangeAndSteps(t *testing.T) {
	q, err := query.NewNumeric("f", line(t, 4), []float64{0.3, -0.1, 0.3, 2}, nil)
	if err != nil {
		t.Fatal(err)
	}
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

// Numbers without a common unit small enough fall back to rounded distances.
func TestWildNumbers(t *testing.T) {
	q, err := query.NewNumeric("f", line(t, 3), []float64{1e300, 1e-300, math.Pi}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if q.Metric().IsExact() {
		t.Error("1e300, 1e-300 and π have no common unit in 53 bits")
	}
	lo, hi := q.Sensitivity().Bounds()
	if !(lo <= 1e300 && 1e300 <= hi) || hi-lo > 1e285 {
		t.Errorf("sensitivity in [%v, %v], want around 1e300", lo, hi)
	}
}

func TestQueryRefuses(t *testing.T) {
	s := line(t, 2)
	numbers := []query.Value{query.Number(0), query.Number(1)}
	for name, c := range map[string]struct {
		values, rng []query.Value
		metric      query.ValueMetric
		want        string
	}{
		"length":        {values: numbers[:1], want: "values has 1"},
		"NaN":           {values: []query.Value{query.Number(math.NaN()), query.Number(0)}, want: "values[0] = NaN"},
		"missed":        {values: numbers, rng: numbers[:1], want: "range misses 1"},
		"repeated":      {values: numbers, rng: append(numbers, query.Number(math.Copysign(0, -1))), want: "repeats"},
		"names":         {values: []query.Value{query.Name("a"), query.Name("b")}, want: "needs numbers"},
		"matrix shape":  {values: numbers, metric: query.ValueMetric{Matrix: [][]float64{{0, 1}}}, want: "value_metric has 1 rows"},
		"not symmetric": {values: numbers, metric: query.ValueMetric{Matrix: [][]float64{{0, 1}, {2, 0}}}, want: "value_metric[0][1] = 1"},
		"infinite":      {values: numbers, metric: query.ValueMetric{Matrix: [][]float64{{0, math.Inf(1)}, {math.Inf(1), 0}}}, want: "finite"},
	} {
		_, err := query.New("f", s, c.values, c.rng, c.metric)
		if !errors.Is(err, query.ErrParameter) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
	}
}

func TestSpacesRefuse(t *testing.T) {
	for name, c := range map[string]struct {
		f    func() error
		want string
	}{
		"empty":     {func() error { _, err := query.NewPathSpace(0, nil); return err }, "datasets = 0"},
		"outside":   {func() error { _, err := query.NewPathSpace(2, [][2]int{{0, 2}}); return err }, "edges[0] = (0, 2)"},
		"loop":      {func() error { _, err := query.NewPathSpace(2, [][2]int{{1, 1}}); return err }, "itself"},
		"no matrix": {func() error { _, err := query.NewMatrixSpace(nil); return err }, "empty"},
		"ragged":    {func() error { _, err := query.NewMatrixSpace([][]float64{{0}, {1, 0}}); return err }, "distances[0] has 1"},
		"diagonal":  {func() error { _, err := query.NewMatrixSpace([][]float64{{1}}); return err }, "distances[0][0] = 1"},
		"zero":      {func() error { _, err := query.NewMatrixSpace([][]float64{{0, 0}, {0, 0}}); return err }, "positive"},
		"NaN": {func() error {
			_, err := query.NewMatrixSpace([][]float64{{0, math.NaN()}, {math.NaN(), 0}})
			return err
		}, "positive"},
		"triangle": {func() error {
			_, err := query.NewMatrixSpace([][]float64{{0, 1, 5}, {1, 0, 1}, {5, 1, 0}})
			return err
		}, "distances[0][2] = 5 exceeds the way through 1"},
	} {
		if err := c.f(); !errors.Is(err, query.ErrParameter) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
		}
	}
}

// The bit-parallel search agrees with the minimum over all pairs, for more
// values than a word has bits and with seeds in late layers.
func TestSpreadAgainstMinimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		n, values := 2+rng.IntN(20), 1+rng.IntN(150)
		var edges [][2]int
		for x := 1; x < n; x++ {
			if rng.IntN(8) > 0 { // now and then a new component
				edges = append(edges, [2]int{x, rng.IntN(x)})
			}
		}
		s, err := query.NewPathSpace(n, edges)
		if err != nil {
			t.Fatal(err)
		}
		var seeds []query.Seed
		for range rng.IntN(2 * values) {
			seeds = append(seeds, query.Seed{Dataset: rng.IntN(n), Value: rng.IntN(values), Layer: []int{0, 0, 1, 7, 1000}[rng.IntN(5)]})
		}
		got, err := s.Spread(context.Background(), values, seeds)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]int32, n*values)
		for i := range want {
			want[i] = query.Unreached
		}
		for _, seed := range seeds {
			for x, d := range s.Distances(seed.Dataset) {
				if math.IsInf(d, 1) {
					continue
				}
				cell := &want[x*values+seed.Value]
				if l := int32(d) + int32(seed.Layer); *cell == query.Unreached || l < *cell {
					*cell = l
				}
			}
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("value %d of dataset %d in layer %d, want %d", i%values, i/values, got[i], want[i])
			}
		}
	}
}

func TestSpreadStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := line(t, 9).Spread(ctx, 1, []query.Seed{{}}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the context's", err)
	}
}

func TestGrowingMax(t *testing.T) {
	out, err := line(t, 4).GrowingMax(context.Background(), []float64{1, 0, 0, 5})
	if err != nil {
		t.Fatal(err)
	}
	want := [][]float64{{1, 1, 1, 5}, {0, 1, 5, 5}, {0, 5, 5, 5}, {5, 5, 5, 5}}
	for x := range want {
		for k, v := range want[x] {
			if out[x][k] != v {
				t.Errorf("largest within %d of %d is %v, want %v", k, x, out[x][k], v)
			}
		}
	}
}

// Whatever a script hands over, the constructors return a query or one error.
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
			if !errors.Is(err, query.ErrParameter) {
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
			if !errors.Is(err, query.ErrParameter) {
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

func FuzzMatrixSpace(f *testing.F) {
	f.Add(2, 1.0, 1.0, 0.5)
	f.Add(3, 2.0, 1.0, 1.0)
	f.Fuzz(func(t *testing.T, n int, a, b, c float64) {
		if n < 0 || n > 12 {
			return
		}
		d := make([][]float64, n)
		for x := range d {
			d[x] = make([]float64, n)
			for y := range d[x] {
				if x != y {
					d[x][y] = []float64{a, b, c}[(x+y)%3]
				}
			}
		}
		s, err := query.NewMatrixSpace(d)
		if err != nil {
			if !errors.Is(err, query.ErrParameter) {
				t.Fatal(err)
			}
			return
		}
		if s.Size() != n || s.Diameter() < 0 {
			t.Fatalf("size %d, diameter %v", s.Size(), s.Diameter())
		}
	})
}
