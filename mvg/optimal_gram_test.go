package mvg

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
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
