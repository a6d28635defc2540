package mvg

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/interval"
)

// At any allowed point, optimal or not, pairLimit is above every allowed value.
func TestPairLimit(t *testing.T) {
	rng := rand.New(rand.NewPCG(71, 72))
	for _, mode := range []Mode{Unimodal, Equimodal} {
		for range 200 {
			weights := make([]float64, 2+rng.IntN(3))
			for i := range weights {
				weights[i] = math.Exp(2 * rng.NormFloat64())
			}
			f, err := newFrame(nil, weights)
			if err != nil {
				t.Fatal(err)
			}
			o := &optimizer{goal: Goal{MostInformation, weights}, recipe: Recipe{Mode: mode}, frame: f, columns: 1}
			// One precision above the others, which agree, or none.
			spread := func(at int, share float64) []interval.Interval {
				first, second := share, 1-share
				if mode == Equimodal {
					first, second = math.Sqrt(share), math.Sqrt(1-share)
				}
				p := make([]interval.Interval, len(weights))
				for i := range p {
					p[i] = interval.Float(second)
				}
				p[at] = interval.Float(first)
				return p
			}
			best := 0.0
			for at := range weights {
				for k := range 101 {
					best = math.Max(best, o.value(f.weights, spread(at, 0.5+0.005*float64(k))).Mid())
				}
			}
			q := spread(rng.IntN(len(weights)), 0.5+0.5*rng.Float64())
			if limit := o.pairLimit(q, interval.Int(1)).Mid(); limit < best {
				t.Errorf("mode %d, λ = %v: bound %v at %v, a point reaches %v", mode, weights, limit, q, best)
			}
		}
	}
}

// Where one direction alone has a signal it gets the whole budget, and the others, which
// cost nothing, are withheld.
func TestOneSignalAlone(t *testing.T) {
	const delta = 0.1
	eps, err := evidence.NewEpsilon("eps", 20)
	if err != nil {
		t.Fatal(err)
	}
	mu, err := gaussian.Mu(eps, delta)
	if err != nil {
		t.Fatal(err)
	}
	for _, replace := range []bool{false, true} {
		for mode, radius := range map[Mode]float64{Unimodal: mu.Hi * mu.Hi, Equimodal: mu.Hi} {
			for _, signal := range []float64{1e-30, 3.5, 1e30} {
				weights := []float64{0, signal, 0}
				g, err := NewGram(len(weights), 1, replace, 1)
				if err != nil {
					t.Fatal(err)
				}
				o, err := Optimal(context.Background(), g, eps, Goal{MostInformation, weights}, Recipe{Delta: delta, Mode: mode})
				if err != nil {
					t.Errorf("replace %v, mode %d, λ = %g: %v", replace, mode, signal, err)
					continue
				}
				want := math.Log1p(signal * radius)
				if off := 1e-12 * want; o.Value.Lo > want+off || o.Value.Hi < want-off || o.Value.Hi-o.Value.Lo > off || o.Precisions[0] != 0 {
					t.Errorf("replace %v, mode %d, λ = %g: optimum %v at %v, want %v", replace, mode, signal, o.Value, o.Precisions, want)
				}
			}
		}
	}
}
