package query_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
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

// Distances of random numbers, near and far from each other, against rationals:
// exact where they claim to be, within what Enclose says elsewhere.
func TestDistancesAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	number := func() *big.Rat {
		q := big.NewRat(rng.Int64N(2000)-1000, 1+rng.Int64N(3))
		switch rng.IntN(6) {
		case 0:
			q.Add(q, big.NewRat(1<<53, 1))
		case 1:
			q.Mul(q, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(rng.Int64N(40)), nil)))
		case 2:
			q.SetFloat64(rng.NormFloat64())
		case 3:
			q.Add(q, big.NewRat(1, 1<<62))
		}
		return q
	}
	exact := 0
	for range 400 {
		n := 2 + rng.IntN(5)
		values := make([]query.Value, n)
		for x := range values {
			values[x] = query.RationalValue(number())
		}
		q, err := query.New("f", line(t, n), values, nil, query.ValueMetric{})
		if err != nil {
			t.Fatal(err)
		}
		if q.Metric().IsExact() {
			exact++
		}
		largest := new(big.Rat)
		for i, a := range q.Range() {
			for j, b := range q.Range() {
				p, _ := query.RationalOf(a)
				r, _ := query.RationalOf(b)
				want := new(big.Rat).Sub(p, r)
				want.Abs(want)
				if got := q.Metric().Rational(i, j); got.Cmp(want) != 0 {
					t.Fatalf("d(%v, %v) = %v, want %v", a, b, got, want)
				}
				if near, _ := want.Float64(); q.Metric().Distance(i, j) != near {
					t.Fatalf("d(%v, %v) rounds to %v, want %v", a, b, q.Metric().Distance(i, j), near)
				}
				lo, hi := q.Metric().Enclose(q.Metric().Steps(i, j)).Bounds()
				if new(big.Rat).SetFloat64(lo).Cmp(want) > 0 || new(big.Rat).SetFloat64(hi).Cmp(want) < 0 || hi > lo*(1+0x1p-49) {
					t.Fatalf("d(%v, %v) in [%v, %v], want %v", a, b, lo, hi, want.FloatString(40))
				}
			}
		}
		for x := 1; x < n; x++ {
			if d := q.Metric().Rational(q.ValueIndex(x-1), q.ValueIndex(x)); d.Cmp(largest) > 0 {
				largest = d
			}
		}
		if got := q.Sensitivity().(evidence.Exact); got.Value.Cmp(largest) != 0 {
			t.Fatalf("sensitivity %v, want %v", got.Value, largest)
		}
		radius := q.Metric().Rational(rng.IntN(len(q.Range())), rng.IntN(len(q.Range())))
		for x := range n {
			var want []int
			for r := range q.Range() {
				if q.Metric().Rational(q.ValueIndex(x), r).Cmp(radius) <= 0 {
					want = append(want, r)
				}
			}
			if got := q.BallWithin(x, radius); !slices.Equal(got, want) {
				t.Fatalf("ball of radius %v around %v is %v, want %v of %v", radius, q.Value(x), got, want, q.Range())
			}
		}
	}
	if exact < 50 || exact > 350 {
		t.Errorf("%d of 400 queries have a common unit, want both kinds", exact)
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

// A matrix is a metric without tolerance, and layers count distances as given.
func TestMatrixSpacesAreExact(t *testing.T) {
	over := math.Nextafter(3, 4)
	if _, err := query.NewMatrixSpace([][]float64{{0, 1, 2, over}, {1, 0, 1, 2}, {2, 1, 0, 1}, {over, 2, 1, 0}}); err == nil || !strings.Contains(err.Error(), "distances[0][3] = 3.0000000000000004 exceeds the way through") {
		t.Errorf("a distance of 3 and an ulp over three steps of 1: %v", err)
	}
	if _, err := query.NewMatrixSpace([][]float64{{0, 0.1, 0.3}, {0.1, 0, 0.2}, {0.3, 0.2, 0}}); err != nil {
		t.Errorf("0.3 is 0.1 + 0.2 in decimals: %v", err)
	}
	third := big.NewRat(1, 3)
	two := new(big.Rat).Add(big.NewRat(2, 1), new(big.Rat).SetFrac64(1, 1<<62))
	s, err := query.NewRationalSpace(context.Background(), [][]*big.Rat{{new(big.Rat), third, two}, {third, new(big.Rat), two}, {two, two, new(big.Rat)}})
	if err != nil {
		t.Fatal(err)
	}
	layers, err := s.Spread(context.Background(), 1, []query.Seed{{}})
	if err != nil || !slices.Equal(layers, []int32{0, 1, 3}) {
		t.Errorf("distances 1/3 and 2 + 2⁻⁶² give layers %v, %v, want 0, 1, 3", layers, err)
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
		if err := c.f(); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), c.want) {
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
	want := [][]query.Rise{{{0, 1}, {3, 5}}, {{0, 0}, {1, 1}, {2, 5}}, {{0, 0}, {1, 5}}, {{0, 5}}}
	for x := range want {
		if !slices.Equal(out[x], want[x]) {
			t.Errorf("largest within balls around %d: %v, want %v", x, out[x], want[x])
		}
	}
}

// Running maxima of random spaces, against the largest value in every ball.
func TestGrowingMaxAgainstBalls(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 9))
	for k := range 100 {
		n := 1 + rng.IntN(9)
		points, d := make([]float64, n), make([][]float64, n)
		for x := range points {
			points[x] = float64(x) + []float64{0, 0.25, 1e6}[rng.IntN(3)]*float64(1+x)
		}
		for x := range d {
			d[x] = make([]float64, n)
			for y := range d[x] {
				d[x][y] = math.Abs(points[x] - points[y])
				if k%2 == 0 && x%2 != y%2 {
					d[x][y] = math.Inf(1)
				}
			}
		}
		s, err := query.NewMatrixSpace(d)
		if err != nil {
			t.Fatal(err)
		}
		f := make([]float64, n)
		for x := range f {
			f[x] = float64(rng.IntN(5))
		}
		out, err := s.GrowingMax(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		for x := range n {
			for i, rise := range out[x] {
				if i > 0 && (rise.From <= out[x][i-1].From || rise.Value <= out[x][i-1].Value) || i == 0 && rise.From != 0 {
					t.Fatalf("rises %v of dataset %d", out[x], x)
				}
			}
			for y := range n {
				if math.IsInf(d[x][y], 1) {
					continue
				}
				for _, radius := range []int{int(math.Floor(d[x][y])), int(math.Ceil(d[x][y]))} {
					largest, value := math.Inf(-1), 0.0
					for z := range n {
						if d[x][z] <= float64(radius) {
							largest = max(largest, f[z])
						}
					}
					for _, rise := range out[x] {
						if rise.From <= radius {
							value = rise.Value
						}
					}
					if value != largest {
						t.Fatalf("largest within %d of %d is %v, want %v: %v in %v", radius, x, value, largest, f, d)
					}
				}
			}
		}
	}
}

// Bad seeds, functions and contexts are errors, not panics of a goroutine.
func TestSpaceRefusesBadSeeds(t *testing.T) {
	ctx := context.Background()
	matrix, err := query.NewMatrixSpace([][]float64{{0, 1e10}, {1e10, 0}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []*query.Space{line(t, 5), matrix} {
		for _, seed := range []query.Seed{{Dataset: -1}, {Dataset: 5}, {Value: 3}, {Value: -1}, {Layer: -1}, {Layer: math.MaxInt}, {Layer: query.MaxLayer}} {
			if _, err := s.Spread(ctx, 3, []query.Seed{seed}); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("seed %v gives %v, want ErrParameter", seed, err)
			}
		}
		for _, values := range []int{-1, 1 << 40, math.MaxInt} {
			if _, err := s.Spread(ctx, values, nil); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("%d values give %v, want ErrParameter", values, err)
			}
		}
		for _, f := range [][]float64{nil, {1}, {1, math.NaN()}, {1, 2, 3, math.NaN(), 5}, make([]float64, 6)} {
			if _, err := s.GrowingMax(ctx, f); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("GrowingMax of %v gives %v, want ErrParameter", f, err)
			}
		}
	}
	if _, err := matrix.Spread(ctx, 1, []query.Seed{{}}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("layer 10¹⁰ gives %v, want ErrParameter", err)
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
			if !errors.Is(err, evidence.ErrParameter) {
				t.Fatal(err)
			}
			return
		}
		if s.Size() != n || s.Diameter() < 0 {
			t.Fatalf("size %d, diameter %v", s.Size(), s.Diameter())
		}
	})
}
