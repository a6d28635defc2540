package mvg

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/query"
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
			f := must.Be(newBasis(nil, weights))
			o := &optimizer{goal: Goal{MostInformation, weights}, recipe: Params{Mode: mode}, basis: f, columns: 1}
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
			// The best of many, found in float64, as an interval.
			best, point := -1.0, []interval.Interval(nil)
			for at := range weights {
				for k := range 101 {
					p, value := spread(at, 0.5+0.005*float64(k)), 0.0
					for i, w := range f.weights {
						value += math.Log1p(w.Mid() * p[i].Mid())
					}
					if value > best {
						best, point = value, p
					}
				}
			}
			best = o.value(f.weights, point).Mid()
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
	eps := must.Be(evidence.NewEpsilon("eps", 20))
	mu := must.Be(gaussian.Mu(eps, evidencetest.Delta(delta)))
	for _, replace := range []bool{false, true} {
		for mode, radius := range map[Mode]float64{Unimodal: mu.Hi * mu.Hi, Equimodal: mu.Hi} {
			for _, signal := range []float64{1e-30, 3.5, 1e30} {
				weights := []float64{0, signal, 0}
				g := must.Be(NewGram(len(weights), 1, map[bool]query.Relation{false: query.AddRemove, true: query.Replace}[replace], 1))
				o, err := Optimal(context.Background(), g, Goal{MostInformation, weights}, Params{Epsilon: eps, Delta: evidencetest.Delta(delta), Mode: mode})
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

// Closed forms for a record replaced, one weight above all others by any factor.
func TestOneWeightAboveAll(t *testing.T) {
	eps := must.Be(evidence.NewEpsilon("eps", 1))
	mu := must.Be(gaussian.Mu(eps, evidencetest.Delta(1e-5)))
	for _, low := range []float64{0.25, 1e-8, 1e-16, 1e-30, 1e-100} {
		for _, unit := range []float64{1, 1e-100, 1e100} {
			weights := []float64{low * unit, unit, low * unit}
			g := must.Be(NewGram(len(weights), 1, query.Replace, 1))
			a, b := unit, 2*low*unit
			for mode, want := range map[Mode]float64{
				Unimodal:  3 * math.Pow(math.Sqrt(a)+math.Sqrt(b), 2) / (mu.Hi * mu.Hi),
				Equimodal: math.Pow(math.Cbrt(a*a)+math.Cbrt(b*b), 3) / (mu.Hi * mu.Hi),
			} {
				o, err := Optimal(context.Background(), g, Goal{LeastError, weights}, Params{Epsilon: eps, Delta: evidencetest.Delta(1e-5), Mode: mode})
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
