package query_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
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

// Numbers without a common unit small enough fall back to rounded distances, and
// their sensitivity stays exact.
func TestWildNumbers(t *testing.T) {
	q, err := query.NewNumeric("f", line(t, 3), []float64{1e300, 1e-300, math.Pi}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if q.Metric().IsExact() {
		t.Error("1e300, 1e-300 and π have no common unit in 53 bits")
	}
	want, _ := new(big.Rat).SetString("1e300")
	least, _ := new(big.Rat).SetString("1e-300")
	if got, ok := q.Sensitivity().(evidence.Exact); !ok || got.Value.Cmp(want.Sub(want, least)) != 0 {
		t.Errorf("sensitivity is %v, want 1e300 − 1e-300 exactly", q.Sensitivity())
	}
}

// Integers that no float64 tells apart are two values, one apart.
func TestLargeIntegers(t *testing.T) {
	const n = 1 << 53
	values := []query.Value{query.RationalValue(big.NewRat(n+1, 1)), query.RationalValue(big.NewRat(n, 1))}
	q, err := query.New("f", line(t, 2), values, nil, query.ValueMetric{})
	if err != nil {
		t.Fatal(err)
	}
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
		if !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one that says %q", name, err, c.want)
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
