package pld_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/privacy/internal/pld"
)

// divergence returns Σ (p − tq)⁺ of a list, including the infinity mass.
func divergence(l *pld.List, t float64) float64 {
	sum := l.Infinity
	for i, x := range l.Loss {
		sum += math.Exp(l.Log[i]) * max(1-t*math.Exp(-x), 0)
	}
	return sum
}

// The subsampled list bounds the subsampled pair at every order t ≥ 0, even if its masses under P or under Q sum to
// more than 1. The lists are bounds above and below two laws with five outputs.
func TestSampledListsBoundAtEveryOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 52))
	for round := range 200 {
		p, q := make([]float64, 5), make([]float64, 5)
		sumP, sumQ := 0.0, 0.0
		for i := range p {
			p[i], q[i] = rng.ExpFloat64(), rng.ExpFloat64()
			sumP, sumQ = sumP+p[i], sumQ+q[i]
		}
		lists := func(p, q []float64, infinity float64) (above, below *pld.List) {
			above, below = &pld.List{Infinity: infinity}, &pld.List{Infinity: infinity}
			for i := range p {
				loss, log := math.Log(p[i]/q[i]), math.Log(p[i])
				above.Loss, above.Log = append(above.Loss, loss+.05*rng.Float64()), append(above.Log, log)
				below.Loss, below.Log = append(below.Loss, loss-.05*rng.Float64()), append(below.Log, log) // q increases
			}
			return above, below
		}
		const onlyP, onlyQ = .1, .01
		for i := range p {
			p[i] *= (1 - onlyP) / sumP
			q[i] *= (1 - onlyQ) / sumQ
		}
		rate := rng.Float64()
		for _, of := range []pld.Neighbor{pld.Removal, pld.Addition, pld.Replacement} {
			above, below := lists(p, q, onlyP)
			if of == pld.Addition {
				above, below = lists(q, p, onlyQ)
			}
			up, down := above.Sampled(rate, of, true), below.Sampled(rate, of, false)
			for order := range 60 {
				at := float64(order) / 20
				want := 0.0
				add := func(x, y float64) { want += max(x-at*y, 0) }
				mixed := func(x, y float64) float64 { return rate*x + (1-rate)*y }
				for i, x := range append(p, onlyP, 0) {
					y := append(q, 0, onlyQ)[i]
					switch {
					case of == pld.Addition || of == pld.Replacement && at < 1:
						if of == pld.Addition {
							x, y = y, x
						}
						add(x, mixed(y, x))
					default:
						add(mixed(x, y), y)
					}
				}
				if least, most := divergence(down, at), divergence(up, at); !(least <= want+1e-12 && want <= most+1e-12) {
					t.Fatalf("round %d, pair %d, rate %g, order %g: [%g, %g], want %g", round, of, rate, at, least, most, want)
				}
			}
		}
	}
}
