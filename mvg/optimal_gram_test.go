package mvg_test

import (
	"context"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"
	"dpworkbench/query"
)

// If only one direction has a signal, it gets the whole budget. The other directions are withheld.
func TestOptimalWithOneSignal(t *testing.T) {
	const delta = 0.1
	eps := must.Be(evidence.NewEpsilon("eps", 20))
	mu := must.Be(gaussian.Mu(eps, evidencetest.Delta(delta)))
	for _, replace := range []bool{false, true} {
		for mode, radius := range map[mvg.Mode]float64{mvg.Unimodal: mu.Hi * mu.Hi, mvg.Equimodal: mu.Hi} {
			for _, signal := range []float64{1e-30, 3.5, 1e30} {
				weights := []float64{0, signal, 0}
				g := must.Be(mvg.NewGram(len(weights), 1, map[bool]query.Relation{false: query.AddRemove, true: query.Replace}[replace], 1))
				o, err := mvg.Optimal(context.Background(), g, mvg.Goal{mvg.MostInformation, weights}, mvg.Params{Epsilon: eps, Delta: evidencetest.Delta(delta), Mode: mode})
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

// The optimum has its closed form for one replaced record, with one weight larger than the others by any factor.
func TestOptimalWithOneLargeWeight(t *testing.T) {
	eps := must.Be(evidence.NewEpsilon("eps", 1))
	mu := must.Be(gaussian.Mu(eps, evidencetest.Delta(1e-5)))
	for _, low := range []float64{0.25, 1e-8, 1e-16, 1e-30, 1e-100} {
		for _, unit := range []float64{1, 1e-100, 1e100} {
			weights := []float64{low * unit, unit, low * unit}
			g := must.Be(mvg.NewGram(len(weights), 1, query.Replace, 1))
			a, b := unit, 2*low*unit
			for mode, want := range map[mvg.Mode]float64{
				mvg.Unimodal:  3 * math.Pow(math.Sqrt(a)+math.Sqrt(b), 2) / (mu.Hi * mu.Hi),
				mvg.Equimodal: math.Pow(math.Cbrt(a*a)+math.Cbrt(b*b), 3) / (mu.Hi * mu.Hi),
			} {
				o, err := mvg.Optimal(context.Background(), g, mvg.Goal{mvg.LeastError, weights}, mvg.Params{Epsilon: eps, Delta: evidencetest.Delta(1e-5), Mode: mode})
				if err != nil {
					t.Errorf("mode %d, weights %v: %v", mode, weights, err)
					continue
				}
				if off := 1e-11 * want; o.Value.Lo < want-off || o.Value.Hi > want+off {
					t.Errorf("mode %d, weights %v: optimum in [%v, %v], want %v", mode, weights, o.Value.Lo, o.Value.Hi, want)
				}
			}
		}
	}
}
