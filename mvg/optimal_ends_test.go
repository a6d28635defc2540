package mvg

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mvg/internal/symmetric"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// solveAt is Optimal where μ is between two numbers, at one δ or another.
func solveAt(ctx context.Context, s Sensitivity, goal Goal, r Recipe, lo, hi float64) (*Optimum, error) {
	_, n := s.Shape()
	f, err := newFrame(r.Directions, goal.Weights)
	if err != nil {
		return nil, err
	}
	o := &optimizer{ctx: ctx, s: s, goal: goal, recipe: r, frame: f, mu: evidence.Certified{Lo: lo, Hi: hi}, n: float64(n), columns: 1}
	return o.solve()
}

func ok[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// setsOf returns a set of each kind for 2×2 queries.
func setsOf(rng *rand.Rand) map[string]Sensitivity {
	var list []*mat.Dense
	for range 4 {
		list = append(list, normalMatrix(2, 2, rng))
	}
	return map[string]Sensitivity{
		"ball":             ok(NewBall(2, 2, BallOptions{S2: 2, Gamma: 4, PSD: true})),
		"gram, added":      ok(NewGram(2, 1.5, query.AddRemove, 0.5)),
		"gram, replaced":   ok(NewGram(2, 1.5, query.Replace, 0.5)),
		"gram, one record": ok(NewGram(1, 1.5, query.Replace, 0.5)),
		"box":              ok(NewBox(2, []float64{0.5, 2})),
		"list":             ok(NewDifferences(list)),
	}
}

// routes calls f for every set, goal, mode and kind of directions that have an optimum.
func routes(f func(name string, s Sensitivity, goal Goal, r Recipe)) {
	w := symmetric.RandomBasis(2, rand.NewPCG(4, 1))
	for name, s := range setsOf(rand.New(rand.NewPCG(4, 2))) {
		m, _ := s.Shape()
		for _, goal := range []Goal{{LeastError, []float64{1, 3}[:m]}, {MostInformation, []float64{30, 20}[:m]}} {
			for mode := Unimodal; mode <= Bimodal; mode++ {
				for _, axes := range []string{"standard", "given", "free"} {
					r := Recipe{Mode: mode, FreeAxes: axes == "free"}
					if axes != "standard" && m == 2 {
						r.Directions = w
					}
					if _, ok := s.(Differences); goal.Objective == MostInformation && (ok && mode == Equimodal || r.FreeAxes && (ok && mode != Unimodal || name == "box" && mode == Equimodal)) {
						continue // refused
					}
					f(fmt.Sprintf("%s, objective %d, mode %d, %s axes", name, goal.Objective, mode, axes), s, goal, r)
				}
			}
		}
	}
}

// Of a μ known to be between 1 and 2, designs keep to 1, and the bound on all others is that
// for 2.
func TestOptimaKeepToTheEndsOfMu(t *testing.T) {
	routes(func(name string, s Sensitivity, goal Goal, r Recipe) {
		find := func(lo, hi float64) *Optimum {
			o, err := solveAt(t.Context(), s, goal, r, lo, hi)
			if err != nil {
				t.Fatalf("%s, μ in [%v, %v]: %v", name, lo, hi, err)
			}
			return o
		}
		low, high, wide := find(1, 1), find(2, 2), find(1, 2)
		reached, bound := [2]float64{low.Value.Hi, wide.Value.Hi}, [2]float64{high.Value.Lo, wide.Value.Lo}
		if goal.Objective == MostInformation {
			reached, bound = [2]float64{low.Value.Lo, wide.Value.Lo}, [2]float64{high.Value.Hi, wide.Value.Hi}
		}
		if math.Abs(bound[1]/bound[0]-1) > 1e-6 {
			t.Errorf("%s: bound %v, want %v", name, bound[1], bound[0])
		}
		// Precisions in proportion to the best for 2 have nearly as much information at 1.
		if slack := math.Abs(reached[1]/reached[0] - 1); slack > 1e-8 && goal.Objective == LeastError || slack > 0.05 {
			t.Errorf("%s: a design reaches %v, want %v", name, reached[1], reached[0])
		}
		if wide.Design == nil {
			return
		}
		if norm := wide.Design.norm.hi; norm > 1 || norm < 1-1e-9 {
			t.Errorf("%s: whitened sensitivity %v, want just below 1", name, norm)
		}
	})
}
