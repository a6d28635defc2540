package study

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
)

// The mixture is a density on [0, 1]: its mass is 1, by parts and by quadrature,
// and its draws have that law.
func TestParzenIsADensity(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, us := range [][]float64{{}, {0}, {1}, {0.5, 0.5}, {0.1, 0.11, 0.9}, {0, 0.2, 0.2, 0.7, 1}} {
		p := newParzen(us)
		if mass := math.Exp(p.logMass(0, 1)); math.Abs(mass-1) > 1e-12 {
			t.Errorf("%v: the mass of [0, 1] is %g", us, mass)
		}
		const cells, draws = 50, 200_000
		counts := make([]float64, cells)
		for range draws {
			counts[min(int(p.draw(r)*cells), cells-1)]++
		}
		sum, quadrature := 0.0, 0.0
		for k := range cells {
			lo, hi := float64(k)/cells, float64(k+1)/cells
			mass := math.Exp(p.logMass(lo, hi))
			sum += mass
			const fine = 200
			for i := range fine {
				x := lo + (float64(i)+0.5)/fine/cells
				quadrature += math.Exp(p.logMass(x, x)) / fine / cells
			}
			// Hoeffding 1963, Theorem 1: false-positive rate 1e-9 in all.
			if radius := math.Sqrt(math.Log(2*cells*6/1e-9) / 2 / draws); math.Abs(counts[k]/draws-mass) > radius {
				t.Errorf("%v: cell %d holds %g of the draws, want %g ± %g", us, k, counts[k]/draws, mass, radius)
			}
		}
		if math.Abs(sum-1) > 1e-12 || math.Abs(quadrature-1) > 1e-4 {
			t.Errorf("%v: cells add up to %g, the density to %g", us, sum, quadrature)
		}
	}
}

// Every value of a discrete range has the same share of the coordinates, both
// ends included, and coordinates come back.
func TestCoordinates(t *testing.T) {
	for name, d := range map[string]any{
		"int":    must.Be(intRange("n", -3, 3)),
		"choice": must.Be(choices("c", []string{"a", "b", "c", "d", "e", "f", "g"})),
	} {
		counts := make(map[float64]int)
		const n = 7000
		for i := range n {
			v := fromUnit(d, (float64(i)+0.5)/n)
			counts[v]++
			if fromUnit(d, toUnit(d, v)) != v {
				t.Errorf("%s: %g does not come back", name, v)
			}
		}
		if len(counts) != 7 {
			t.Errorf("%s: %d values, want 7", name, len(counts))
		}
		for v, k := range counts {
			if k != n/7 {
				t.Errorf("%s: %g has %d of %d coordinates", name, v, k, n)
			}
		}
		if a, b := fromUnit(d, 0), fromUnit(d, 1); b-a != 6 {
			t.Errorf("%s: the ends are %g and %g", name, a, b)
		}
	}
	for _, d := range []any{must.Be(floatRange("x", -2, 5, false)), must.Be(floatRange("x", 1e-9, 1e9, true))} {
		for i := range 101 {
			u := float64(i) / 100
			if back := toUnit(d, fromUnit(d, u)); math.Abs(back-u) > 1e-12 {
				t.Errorf("%v: %g comes back as %g", d, u, back)
			}
		}
	}
}
