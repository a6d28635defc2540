package signrp_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/signrp"
)

func ExampleGaussianPPlus() {
	u := make([]float64, 20)
	for i := range u {
		u[i] = 0.5
	}
	p, _ := signrp.GaussianPPlus(context.Background(), u, 0.9*norm(u))
	printed, _ := signrp.PublishedGaussian(0.9, 20)
	fmt.Printf("%.9f %s against %.4f %s\n", p.Float(), p.Kind(), printed.Value, printed.Kind())
	// Output: 0.945264769 certified against 0.9294 claimed
}

// spherePPlus returns P₊ for p = 3 as an area of the sphere. The complement of the event consists of a spherical
// polygon and its opposite. The polygon is |w_i| < (u·w)/β, bounded by at most six half-spaces. By Girard's theorem the
// area of an n-gon is the sum of its angles minus (n − 2)π.
func spherePPlus(u [3]float64, beta float64) float64 {
	var normals [][3]float64
	for i := range u {
		for _, sign := range []float64{1, -1} {
			n := [3]float64{u[0] / beta, u[1] / beta, u[2] / beta}
			n[i] += sign
			normals = append(normals, n)
		}
	}
	dot := func(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
	angles, corners := 0.0, 0
	for i, a := range normals {
		for j, b := range normals[:i] {
			d := [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
			for _, sign := range []float64{1, -1} {
				inside := true
				for k, n := range normals {
					if k != i && k != j && sign*dot(n, d) < 0 {
						inside = false
					}
				}
				if inside {
					angles += math.Pi - math.Atan2(math.Sqrt(dot(d, d)), dot(a, b))
					corners++
				}
			}
		}
	}
	if corners == 0 {
		return 1
	}
	return 1 - 2*(angles-float64(corners-2)*math.Pi)/(4*math.Pi)
}

// For three coordinates, two of which may be zero, every closed form of the density given the maximum agrees with areas
// of the sphere.
func TestGaussianPPlusAgainstTheSphere(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	for trial := range 120 {
		var u [3]float64
		for i := range u {
			u[i] = (2*rng.Float64() - 1) * math.Pow(10, -3*rng.Float64()*float64(trial%3))
		}
		if trial%4 == 1 {
			u[trial%3] = 0
		}
		if trial%8 == 1 {
			u[(trial+1)%3] = 0
		}
		beta := norm(u[:]) * []float64{0.01, 0.3, 0.8, 0.99, 1.4}[rng.IntN(5)] // not 1, where a single coordinate has a jump
		got := must.Be(signrp.GaussianPPlus(context.Background(), u[:], beta))
		lo, hi := got.Bounds()
		if want := spherePPlus(u, beta); lo > want+1e-13 || hi < want-1e-13 || hi-lo > 1e-9*want || got.Kind() != evidence.KindCertified {
			t.Errorf("u = %v, beta = %v: [%v, %v] %s, sphere %v", u, beta, lo, hi, got.Kind(), want)
		}
	}
}

// For four or more coordinates the expected values come from another formula: P₊ is the sum over i of Pr(|w_i| is the
// largest and |wᵀu| ≤ β|w_i|). It was evaluated by quadrature and a Fourier series of the distribution function, not of
// the density.
func TestGaussianPPlusGolden(t *testing.T) {
	for _, c := range []struct {
		p    int
		want float64
	}{{4, 0.82088224550}, {5, 0.84919434500}, {20, 0.94526476902}} {
		u := make([]float64, c.p)
		for i := range u {
			u[i] = 0.5
		}
		got := must.Be(signrp.GaussianPPlus(context.Background(), u, 0.9*norm(u)))
		if lo, hi := got.Bounds(); lo > c.want+2e-11 || hi < c.want-2e-11 || hi-lo > 1e-9 {
			t.Errorf("p = %d: [%v, %v], want %v", c.p, lo, hi, c.want)
		}
	}
}

// GaussianPPlus encloses P₊ for coordinates that underflow or hardly matter, and for equal coordinates.
func TestGaussianPPlusExtremes(t *testing.T) {
	ctx := context.Background()
	many := make([]float64, 100_000)
	for i := range many {
		many[i] = 1
	}
	sparse := make([]float64, 500)
	sparse[3], sparse[70] = 0.25, -1
	for _, c := range []struct {
		u    []float64
		beta float64
		want float64 // ± 1e-6·want; −1 means that only the order of the bounds is tested
	}{
		{[]float64{1, 1, 1, 1}, 4, 1},
		{[]float64{1, 1, 1, 1}, 4 * (1 + 1e-15), 1},
		{[]float64{0, 0, 0}, 0.1, 1},
		{[]float64{0, 1, 0}, 1, 1}, // the one event with a jump: w₁ may be the largest
		{[]float64{0, 1, 0}, math.Nextafter(1, 0), 2.0 / 3},
		{[]float64{1, 1, 1, 1}, 1e300, 1},
		{[]float64{1, 0.5, 0.2, 0.9}, 1e-300, -1},
		{[]float64{1, 1e-300, 5e-324}, 0.5, spherePPlus([3]float64{1, 0, 0}, 0.5)},
		{[]float64{1e-310, 1e-310, 1e-310, 1e-310, 1e-310}, 1e-310, -1},
		{[]float64{1, 1e-3, 1e-3, 1e-3, 1e-3}, 0.5, -1},
		{sparse, 0.7, -1},
		{many, 1, -1},
	} {
		got := must.Be(signrp.GaussianPPlus(ctx, c.u, c.beta))
		lo, hi := got.Bounds()
		if !(0 <= lo && lo <= hi && hi <= 1) || c.want >= 0 && (math.Abs(lo-c.want) > 1e-6 || math.Abs(hi-c.want) > 1e-6) {
			t.Errorf("p = %d, u₀ = %g, beta = %g: [%v, %v]", len(c.u), c.u[0], c.beta, lo, hi)
		}
		t.Logf("p = %d, u = %.3g…, beta = %g: [%v, %v]", len(c.u), c.u[:3], c.beta, lo, hi)
	}
}
