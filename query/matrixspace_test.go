package query_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/query"
)

// The diameter is computed once under concurrent use, and determines connectedness.
func TestDiameters(t *testing.T) {
	apart := must.For(query.NewPathSpace(3, [][2]int{{0, 1}}))(t)
	matrix := must.For(query.NewMatrixSpace([][]float64{{0, 1.5, 3}, {1.5, 0, 2.25}, {3, 2.25, 0}}))(t)
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

// For random metrics, distances, neighbors, layers and local sensitivities match rational arithmetic, also near
// integers.
func TestMatrixSpaceMatchesRationalSpace(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 60))
	ctx := context.Background()
	sliver := new(big.Rat).SetFrac64(1, 1<<61)
	for range 100 {
		n := 2 + rng.IntN(5)
		at := make([]*big.Rat, n) // points on a line, where |a − b| is a metric
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
		s := must.For(query.NewRationalSpace(ctx, d))(t)
		ceil := func(v *big.Rat) int32 {
			return int32(-new(big.Int).Div(new(big.Int).Neg(v.Num()), v.Denom()).Int64())
		}
		seed := query.Seed{Dataset: rng.IntN(n), Layer: rng.IntN(3)}
		table := must.For(s.DistanceTransform(ctx, 1, []query.Seed{seed}))(t)
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
		// A distance slightly larger than a path through a third point violates the triangle inequality.
		if n > 2 && d[0][2].Cmp(d[0][1]) > 0 && d[0][2].Cmp(d[1][2]) > 0 {
			d[0][2] = new(big.Rat).Add(d[0][2], new(big.Rat).SetFrac64(1, 1<<62))
			d[2][0] = d[0][2]
			if _, err := query.NewRationalSpace(ctx, d); !errors.Is(err, evidence.ErrParameter) {
				t.Fatalf("a distance 2⁻⁶² too long is accepted: %v", err)
			}
		}
	}
}

// Layers reach 2³⁰ in both kinds of spaces. Larger distances are rejected unless another seed is nearer.
func TestLayersUpToMaxLayer(t *testing.T) {
	ctx := context.Background()
	far := must.For(query.NewMatrixSpace([][]float64{{0, query.MaxLayer}, {query.MaxLayer, 0}}))(t)
	apart := must.For(query.NewMatrixSpace([][]float64{{0, math.Inf(1)}, {math.Inf(1), 0}}))(t)
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
	farther := must.For(query.NewMatrixSpace([][]float64{{0, query.MaxLayer + 1}, {query.MaxLayer + 1, 0}}))(t)
	if got, err := farther.SensitivityAtDistance(ctx, []float64{1, 2}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("maxima %v, %v, want ErrParameter", got, err)
	}
}

// The metric axioms are checked without tolerance, and layers use the exact distances.
func TestMatrixSpaceIsExact(t *testing.T) {
	over := math.Nextafter(3, 4)
	if _, err := query.NewMatrixSpace([][]float64{{0, 1, 2, over}, {1, 0, 1, 2}, {2, 1, 0, 1}, {over, 2, 1, 0}}); err == nil || !strings.Contains(err.Error(), "distances[0][3] = 3.0000000000000004 exceeds the path through") {
		t.Errorf("a distance one ulp above three steps of 1: %v", err)
	}
	if _, err := query.NewMatrixSpace([][]float64{{0, 0.1, 0.3}, {0.1, 0, 0.2}, {0.3, 0.2, 0}}); err != nil {
		t.Errorf("0.3 is 0.1 + 0.2 in decimals: %v", err)
	}
	third := big.NewRat(1, 3)
	two := new(big.Rat).Add(big.NewRat(2, 1), new(big.Rat).SetFrac64(1, 1<<62))
	s := must.For(query.NewRationalSpace(context.Background(), [][]*big.Rat{{new(big.Rat), third, two}, {third, new(big.Rat), two}, {two, two, new(big.Rat)}}))(t)
	layers, err := s.DistanceTransform(context.Background(), 1, []query.Seed{{}})
	if err != nil || !slices.Equal(layers.Cells(), []int32{0, 1, 3}) {
		t.Errorf("distances 1/3 and 2 + 2⁻⁶² give layers %v, %v, want 0, 1, 3", layers, err)
	}
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
