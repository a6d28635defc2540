package query_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/query"
)

func TestSensitivityAtDistance(t *testing.T) {
	out := must.For(line(t, 4).SensitivityAtDistance(context.Background(), []float64{1, 0, 0, 5}))(t)
	want := [][]query.SensitivityStep{{{0, 1}, {3, 5}}, {{0, 0}, {1, 1}, {2, 5}}, {{0, 0}, {1, 5}}, {{0, 5}}}
	for x := range want {
		if !slices.Equal(out[x], want[x]) {
			t.Errorf("sensitivity steps of %d: %v, want %v", x, out[x], want[x])
		}
	}
}

// On random spaces, SensitivityAtDistance returns the maximum over the ball of each radius.
func TestSensitivityAtDistanceMatchesBalls(t *testing.T) {
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
		s := must.For(query.NewMatrixSpace(d))(t)
		f := make([]float64, n)
		for x := range f {
			f[x] = float64(rng.IntN(5))
		}
		out := must.For(s.SensitivityAtDistance(context.Background(), f))(t)
		for x := range n {
			for i, rise := range out[x] {
				if i > 0 && (rise.From <= out[x][i-1].From || rise.Value <= out[x][i-1].Value) || i == 0 && rise.From != 0 {
					t.Fatalf("invalid steps %v of dataset %d", out[x], x)
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
