package mvg

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/claims/check/checktest"
	"dpworkbench/interval"
)

// chiSquareTail agrees with tabulated tails of the chi-square law.
func TestChiSquareTail(t *testing.T) {
	for _, c := range []struct {
		k       int
		x, tail float64
	}{
		{1, 3.841458820694124, 0.05}, {2, 5.991464547107979, 0.05}, {5, 11.070497693516351, 0.05},
		{10, 18.307038053275146, 0.05}, {1, 10.827566170662733, 0.001}, {7, 24.321886347856854, 0.001},
		{1, 200, 2.0886e-45}, {3, 150, 2.63493e-32}, // erfc(10); erfc(√75) + √(300/π) e^{−75}
	} {
		lo, hi := chiSquareTail(c.k, interval.Float(c.x)).Bounds()
		if !(lo <= hi && hi-lo < 0.01*hi) || lo > c.tail*(1+1e-4) || hi < c.tail*(1-1e-4) {
			t.Errorf("k = %d, x = %v: tail in [%v, %v], want %v", c.k, c.x, lo, hi, c.tail)
		}
	}
}

// The characteristic polynomial of the companion matrix of (x − 1)²(x − 2) is that polynomial. The counts of its roots
// are right.
func TestPolynomials(t *testing.T) {
	p := characteristic(intMatrix{{0, 0, 2}, {1, 0, -5}, {0, 1, 4}}) // x³ − 4x² + 5x − 2
	for i, want := range []int64{-2, 5, -4, 1} {
		if p[i].Cmp(big.NewRat(want, 1)) != 0 {
			t.Errorf("coefficient %d is %v, want %d", i, p[i], want)
		}
	}
	if s := p.simple(); len(s) != 3 || s.notNegative() != 2 {
		t.Errorf("(x − 1)(x − 2) comes out as %v", s)
	}
	half := big.NewRat(3, 2)
	if a, b := p.above(half), p.below(half); a != 1 || b != 2 {
		t.Errorf("%d roots above 3/2 and %d below, want 1 and 2", a, b)
	}
	// A Jordan block is not diagonalisable, a rotation has no real eigenvalue, and the third matrix has the eigenvalue
	// −1.
	for name, a := range map[string]intMatrix{"Jordan block": {{1, 1}, {0, 1}}, "rotation": {{0, -1}, {1, 0}}, "negative": {{-1, 0}, {0, 1}}} {
		if ok, err := checktest.Holds(decomposition(func(a intMatrix) intMatrix { return a }, 0), a); ok || err != nil {
			t.Errorf("%s: %v, %v, want no decomposition", name, ok, err)
		}
	}
}

func TestSingularValues(t *testing.T) {
	sigma, err := singularValues(intMatrix{{3, 0}, {4, 5}}) // √45 and √5
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{math.Sqrt(45), math.Sqrt(5)} {
		if sigma[i].lo > want || sigma[i].hi < want || sigma[i].hi-sigma[i].lo > 1e-7 {
			t.Errorf("singular value %d in %v, want %v", i, sigma[i], want)
		}
	}
}

// eliminate returns determinants that are multiplicative, and inverses whose product with the matrix is the identity.
func TestEliminate(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		a, b := drawInts(rng, 3, 3, 5), drawInts(rng, 3, 3, 5)
		det, inverse := a.rationals().eliminate()
		if want := new(big.Rat).Mul(det, b.det()); want.Cmp(a.times(b).det()) != 0 {
			t.Fatalf("det(AB) is %v, want %v", a.times(b).det(), want)
		}
		if det.Sign() == 0 {
			continue
		}
		for i, row := range a.rationals().times(inverse) {
			for j, v := range row {
				if v.Cmp(big.NewRat(int64(max(0, 1-(i-j)*(i-j))), 1)) != 0 {
					t.Fatalf("A A⁻¹ = %v at (%d, %d)", v, i, j)
				}
			}
		}
	}
}

// The mutual information of a mixture is −E ln Σ_j w_j e^{−((V − v_j)² + 2(V − v_j)Z)/2} over the signal V and the
// noise Z. The expected value is a sum over a grid of Z with step 0.3/(1 + R), where R is the range of the values.
func TestInformation(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 60 {
		n := 2 + rng.IntN(4)
		values, weights, sum := make([]float64, n), make([]float64, n), 0.0
		wide := math.Exp(4 * rng.Float64())
		for k := range n {
			values[k], weights[k] = wide*rng.NormFloat64(), 0.05+rng.Float64()
			sum += weights[k]
		}
		want, h := 0.0, 0.3/(1+slices.Max(values)-slices.Min(values))
		for k := range n {
			weights[k] /= sum
		}
		for k, v := range values {
			for z := -9.0; z <= 9; z += h {
				likelihood := 0.0
				for j, u := range values {
					likelihood += weights[j] * math.Exp(-((v-u)*(v-u)+2*(v-u)*z)/2)
				}
				want -= weights[k] * h * math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) * math.Log(likelihood)
			}
		}
		scale := math.Exp(rng.NormFloat64())
		for k := range n {
			values[k] *= scale
		}
		if got := information(values, weights, scale*scale); math.Abs(got-want) > informationError {
			t.Errorf("values %v, weights %v, noise %v: %.12f nats, want %.12f", values, weights, scale, got, want)
		}
	}
}

// isKronecker recognizes a Kronecker product, and rejects it if one entry changes.
func TestIsKronecker(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		sigma, psi := outerProduct(drawInts(rng, 3, 3, 3)), outerProduct(drawInts(rng, 2, 2, 3))
		if sigma.det().Sign() == 0 || psi.det().Sign() == 0 {
			continue
		}
		k := columnsOutside(sigma, psi)
		if !isKronecker(k, 3, 2) {
			t.Errorf("%v is not recognized as the Kronecker product of %v and %v", k, psi, sigma)
		}
		if k[0][0]++; isKronecker(k, 3, 2) {
			t.Errorf("%v is accepted as a Kronecker product", k)
		}
	}
}
