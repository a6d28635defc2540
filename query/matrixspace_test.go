package query_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/query"
)

// A diameter is found once, whoever asks, and tells whether a space is connected.
func TestDiameters(t *testing.T) {
	apart, err := query.NewPathSpace(3, [][2]int{{0, 1}})
	if err != nil {
		t.Fatal(err)
	}
	matrix, err := query.NewMatrixSpace([][]float64{{0, 1.5, 3}, {1.5, 0, 2.25}, {3, 2.25, 0}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		s         *query.Space
		want      float64
		connected bool
	}{{line(t, 5), 4, true}, {line(t, 1), 0, true}, {apart, math.Inf(1), false}, {matrix, 3, true}} {
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if c.s.IsConnected() != c.connected {
					t.Errorf("connected is not %v", c.connected)
				}
			})
			all.Go(func() {
				if d := c.s.Diameter(); d != c.want {
					t.Errorf("diameter %v, want %v", d, c.want)
				}
			})
		}
		all.Wait()
		if c.s.IsConnected() != c.connected || c.s.Diameter() != c.want {
			t.Errorf("diameter %v, connected %v, want %v, %v", c.s.Diameter(), c.s.IsConnected(), c.want, c.connected)
		}
	}
}

// Random metrics: distances, neighbors, layers and running maxima are those of the
// rational numbers, next to whole ones too.
func TestMatrixSpacesAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 60))
	ctx := context.Background()
	sliver := new(big.Rat).SetFrac64(1, 1<<61)
	for range 100 {
		n := 2 + rng.IntN(5)
		at := make([]*big.Rat, n) // on a line: |a − b| is a metric
		for x := range at {
			at[x] = big.NewRat(int64(x)*4+rng.Int64N(4), 2)
			if rng.IntN(3) == 0 {
				at[x].Add(at[x], sliver)
			}
		}
		d := make([][]*big.Rat, n)
		for x := range d {
			for y := range n {
				v := new(big.Rat).Sub(at[x], at[y])
				d[x] = append(d[x], v.Abs(v))
			}
		}
		s, err := query.NewRationalSpace(ctx, d)
		if err != nil {
			t.Fatal(err)
		}
		ceil := func(v *big.Rat) int32 {
			return int32(-new(big.Int).Div(new(big.Int).Neg(v.Num()), v.Denom()).Int64())
		}
		seed := query.Seed{Dataset: rng.IntN(n), Layer: rng.IntN(3)}
		table, err := s.DistanceTransform(ctx, 1, []query.Seed{seed})
		if err != nil {
			t.Fatal(err)
		}
		pairs := int64(0)
		for x := range n {
			if want := ceil(d[x][seed.Dataset]) + int32(seed.Layer); table.Layer(x, 0) != want {
				t.Fatalf("%v from %v is in layer %d, want %d", at[x], at[seed.Dataset], table.Layer(x, 0), want)
			}
			var near []int32
			for y := range n {
				if x != y && d[x][y].Cmp(big.NewRat(1, 1)) <= 0 {
					near = append(near, int32(y))
				}
				if v, _ := d[x][y].Float64(); math.Abs(s.Distance(x, y)-v) > 1e-15*v || s.Distances(x)[y] != s.Distance(x, y) {
					t.Fatalf("d(%v, %v) = %v", at[x], at[y], s.Distance(x, y))
				}
			}
			if pairs += int64(len(near)); !slices.Equal(s.Neighbors(x), near) {
				t.Fatalf("neighbors of %v are %v, want %v", at[x], s.Neighbors(x), near)
			}
		}
		if s.Pairs() != pairs/2 || s.IsPath() {
			t.Fatalf("%d pairs, want %d", s.Pairs(), pairs/2)
		}
		// A little more than the path through another is not a metric.
		if n > 2 && d[0][2].Cmp(d[0][1]) > 0 && d[0][2].Cmp(d[1][2]) > 0 {
			d[0][2] = new(big.Rat).Add(d[0][2], new(big.Rat).SetFrac64(1, 1<<62))
			d[2][0] = d[0][2]
			if _, err := query.NewRationalSpace(ctx, d); !errors.Is(err, evidence.ErrParameter) {
				t.Fatalf("a distance 2⁻⁶² too long passes: %v", err)
			}
		}
	}
}

// The deepest layer is 2³⁰, in spaces of either kind; beyond, distances are refused,
// unless another seed is nearer.
func TestDeepestLayers(t *testing.T) {
	ctx := context.Background()
	far, err := query.NewMatrixSpace([][]float64{{0, query.MaxLayer}, {query.MaxLayer, 0}})
	if err != nil {
		t.Fatal(err)
	}
	apart, err := query.NewMatrixSpace([][]float64{{0, math.Inf(1)}, {math.Inf(1), 0}})
	if err != nil {
		t.Fatal(err)
	}
	const u = query.Unreached
	for _, c := range []struct {
		s     *query.Space
		seeds []query.Seed
		want  []int32
	}{
		{far, []query.Seed{{}}, []int32{0, query.MaxLayer}},
		{far, []query.Seed{{Layer: 1}}, nil},
		{far, []query.Seed{{Layer: 1}, {Dataset: 1, Layer: 5}}, []int32{1, 5}},
		{far, nil, []int32{u, u}},
		{apart, []query.Seed{{Layer: 7}}, []int32{7, u}},
		{line(t, 2), []query.Seed{{Layer: query.MaxLayer - 1}}, []int32{query.MaxLayer - 1, query.MaxLayer}},
		{line(t, 2), []query.Seed{{Layer: query.MaxLayer}}, nil},
		{line(t, 1), []query.Seed{{Layer: query.MaxLayer}}, []int32{query.MaxLayer}},
	} {
		got, err := c.s.DistanceTransform(ctx, 1, c.seeds)
		if c.want == nil {
			if !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("%v: %v, %v, want ErrParameter", c.seeds, got, err)
			}
		} else if err != nil || !slices.Equal(got.Cells(), c.want) {
			t.Errorf("%v: %v, %v, want %v", c.seeds, got, err, c.want)
		}
	}
	got, err := far.SensitivityAtDistance(ctx, []float64{1, 2})
	if err != nil || !slices.Equal(got[0], []query.SensitivityStep{{From: 0, Value: 1}, {From: query.MaxLayer, Value: 2}}) || len(got[1]) != 1 {
		t.Errorf("maxima %v, %v", got, err)
	}
	farther, err := query.NewMatrixSpace([][]float64{{0, query.MaxLayer + 1}, {query.MaxLayer + 1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := farther.SensitivityAtDistance(ctx, []float64{1, 2}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("maxima %v, %v, want ErrParameter", got, err)
	}
}

// Balls hold what is at most so far, ends included, by decimals and by rationals.
func TestBalls(t *testing.T) {
	q, err := query.NewNumeric("f", line(t, 4), []float64{0, 0.1, 0.3, 1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	third, err := query.New("f", line(t, 3), []query.Value{query.Number(0), query.RationalValue(big.NewRat(1, 3)), query.Number(math.Pi)}, nil, query.ValueMetric{})
	if err != nil {
		t.Fatal(err)
	}
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
