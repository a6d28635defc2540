package mvg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// spentInBox returns max vᵀPv·max P_jj over all vertices v of the box, for P = W diag(p) Wᵀ, by enumeration.
func spentInBox(h []float64, w *mat.Dense, p []float64) float64 {
	m := len(h)
	most, top := 0.0, 0.0
	for signs := range 1 << m {
		sum := 0.0
		for i, x := range p {
			along := 0.0
			for j := range m {
				v := 2 * h[j] * w.At(j, i)
				if signs>>j&1 == 1 {
					v = -v
				}
				along += v
			}
			sum += along * along * x
		}
		most = math.Max(most, sum)
	}
	for j := range m {
		entry := 0.0
		for i, x := range p {
			entry += w.At(j, i) * w.At(j, i) * x
		}
		top = math.Max(top, entry)
	}
	return most * top
}

func informationOf(signal, p []float64) float64 {
	sum := 0.0
	for i, l := range signal {
		sum += math.Log1p(l * p[i])
	}
	return sum
}

type boxCase struct {
	name      string
	h, signal []float64
	w         *mat.Dense // nil for the box's own axes
}

// boxCases returns boxes of the given orders. Their widths and signals vary little or by factors of a thousand, and the
// signals are weak or strong.
func boxCases(orders []int, rotated bool) []boxCase {
	var out []boxCase
	for _, m := range orders {
		for _, level := range []float64{1e-4, 0.3, 30, 3e4} {
			for _, spread := range []float64{0.2, 2} {
				rng := rand.New(rand.NewPCG(201, uint64(m)))
				c := boxCase{name: fmt.Sprintf("order %d, signal %v, spread %v", m, level, spread), h: make([]float64, m), signal: make([]float64, m)}
				for i := range m {
					c.h[i] = math.Exp(spread * rng.NormFloat64())
					c.signal[i] = level * float64(m) * math.Exp(spread*rng.NormFloat64())
				}
				if rotated {
					c.w = symmetric.RandomBasis(m, rng)
				}
				out = append(out, c)
			}
		}
	}
	return out
}

func (c boxCase) solve(t *testing.T) *Optimum {
	t.Helper()
	r := Params{Mode: Equimodal}
	if c.w != nil {
		r.Directions = c.w
	}
	return must.Be(solveAt(t.Context(), must.Be(NewBox(len(c.h), c.h)), Goal{MostInformation, c.signal}, r, 1, 1))
}

// The bound proved at one knot holds at every share: no feasible design has a larger value.
func TestKnotsBoundAllShares(t *testing.T) {
	rng := rand.New(rand.NewPCG(203, 1))
	for _, rotated := range []bool{false, true} {
		for _, c := range boxCases([]int{3}, rotated) {
			o := &optimizer{ctx: t.Context(), goal: Goal{MostInformation, c.signal}, recipe: Params{Mode: Equimodal}, n: 3, columns: 1, mu: evidence.Certified{Lo: 1, Hi: 1}}
			w := symmetric.Eye(3)
			b := must.Be(NewBox(3, c.h))
			var g *shared
			if rotated {
				w = c.w
				o.recipe.Directions = w
				o.basis = must.Be(newBasis(w, c.signal))
				g = o.vertexRows(b, o.boxOracle(b))
			} else {
				o.basis = must.Be(newBasis(nil, c.signal))
				g = o.axisRows(b)
			}
			k := must.Be(g.solve(math.Exp(rng.NormFloat64()), false, false))
			for range 100 {
				p := make([]float64, 3)
				for i := range p {
					p[i] = math.Exp(2 * rng.NormFloat64())
				}
				floats.Scale(1/math.Sqrt(spentInBox(c.h, w, p)), p)
				// The share is the largest entry of P, relative to that of isotropic noise.
				unit := 1 / math.Sqrt(spentInBox(c.h, w, []float64{1, 1, 1}))
				top := 0.0
				for j := range 3 {
					entry := 0.0
					for i, x := range p {
						entry += w.At(j, i) * w.At(j, i) * x
					}
					top = math.Max(top, entry)
				}
				limit := must.Be(k.limit(top / unit))
				if _, hi := limit.Bounds(); informationOf(c.signal, p) > hi*(1+1e-9) {
					t.Fatalf("%s: %v at share %v, at most %v", c.name, informationOf(c.signal, p), top/unit, hi)
				}
			}
		}
	}
}

// The enclosure of the optimum is tight for every box, and the optimum is over all directions unless they are given.
func TestBoxInformationIsTight(t *testing.T) {
	for _, c := range append(boxCases([]int{2, 3, 7, 60}, false), boxCases([]int{2, 3, 7}, true)...) {
		o := c.solve(t)
		if o.Value.Hi > o.Value.Lo*(1+2e-9) || strings.Contains(o.Method, "apart") || o.Everywhere != (c.w == nil) {
			t.Errorf("%s, rotated %v: [%v, %v], everywhere %v, %q", c.name, c.w != nil, o.Value.Lo, o.Value.Hi, o.Everywhere, o.Method)
		}
	}
}
