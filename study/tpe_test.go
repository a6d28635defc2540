package study

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
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
}

// The good are the first of the points in the order of their losses, equals in the order of their trials.
func TestGoodPointsComeFirst(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		n := 1 + r.IntN(40)
		losses, us := make([]float64, n), make([]float64, n)
		order := make([]int, n)
		for i := range n {
			losses[i], us[i], order[i] = float64(r.IntN(8)), float64(i), i
		}
		before := slices.Clone(losses)
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(before[a], before[b]) })
		k := toFront(1+r.IntN(n), losses, us)
		for i, u := range us[:k] {
			if int(u) != order[i] {
				t.Fatalf("of losses %v the first %d are %v, want %v", before, k, us[:k], order[:k])
			}
		}
		slices.Sort(us)
		for i, u := range us {
			if int(u) != i {
				t.Fatalf("the points of losses %v are now %v", before, us)
			}
		}
	}
}

// The density is the mean of the laws' densities, cut to [0, 1], in the definition's words: what is left out of the sum
// and what is taken for 1 changes no bit that counts.
func TestParzenByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, n := range []int{0, 1, 5, 40, 300} {
		us := make([]float64, n)
		for i := range us {
			us[i] = math.Pow(r.Float64(), float64(1+i%3))
		}
		p := newParzen(us)
		for range 200 {
			u := r.Float64()
			want := 0.0
			for i, mu := range p.mu {
				sigma := p.sigma[i]
				inside := (math.Erfc((mu-1)/sigma/math.Sqrt2) - math.Erfc(mu/sigma/math.Sqrt2)) / 2
				want += math.Exp(-(u-mu)*(u-mu)/2/sigma/sigma) / (sigma * math.Sqrt(2*math.Pi) * inside) / float64(len(p.mu))
			}
			if got := p.logMass(u, u); math.Abs(got-math.Log(want)) > 1e-12 {
				t.Errorf("%d points: log density %g at %g, want %g", n, got, u, math.Log(want))
			}
		}
	}
	for _, z := range []float64{9, 9.5, 20, 1e3} {
		if phi(z)-phi(-z) != 1 {
			t.Errorf("within %g deviations lies %g", z, phi(z)-phi(-z))
		}
	}
}
