package mvg

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
	"dpworkbench/mvg/internal/definite"

	"gonum.org/v1/gonum/mat"
)

// Determinants are held by both ends, the lower first, and by more digits where asked for.
func TestDeterminantsInRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(141, 2))
	for range 40 {
		x, z := math.Exp(3*rng.NormFloat64()), math.Exp(3*rng.NormFloat64())
		y := math.Sqrt(x*z) * (1 - math.Exp(-12*rng.Float64()))
		c := ok(NewDense(mat.NewSymDense(2, []float64{x, y, y, z})))
		want := new(big.Rat).Sub(new(big.Rat).Mul(ratOf(x), ratOf(z)), new(big.Rat).Mul(ratOf(y), ratOf(y)))
		last := math.Inf(1)
		for _, bits := range []int{0, 100, 200} {
			lo, hi, err := c.det(bits, 300)
			if err != nil {
				t.Fatal(err)
			}
			least, _ := lo.Rat(nil)
			most, _ := hi.Rat(nil)
			if least.Cmp(want) > 0 || most.Cmp(want) < 0 || least.Cmp(most) >= 0 {
				t.Errorf("determinant from %v to %v, want %v", lo, hi, want)
			}
			width, _ := new(big.Rat).Quo(most.Sub(most, least), want).Float64()
			if bits > 0 && width > math.Ldexp(1, 8-bits) || width > last {
				t.Errorf("a determinant to %d bits is %v wide, %v before", bits, width, last)
			}
			last = width
		}
	}
}

// Products of variances are held by both ends, the lower first; and directions that are far from
// orthonormal are refused.
func TestDeterminantsOfDiagonals(t *testing.T) {
	c := ok(NewDirectional([]float64{0.1, 0.3, 7}, nil))
	want := new(big.Rat).Mul(ratOf(0.1), new(big.Rat).Mul(ratOf(0.3), ratOf(7)))
	lo, hi, err := c.det(0, 60)
	if err != nil {
		t.Fatal(err)
	}
	least, _ := lo.Rat(nil)
	most, _ := hi.Rat(nil)
	if least.Cmp(want) > 0 || most.Cmp(want) < 0 || least.Cmp(most) >= 0 {
		t.Errorf("determinant from %v to %v, want %v", lo, hi, want)
	}
	for _, stretch := range []float64{1.2, 1.3, 1.5, 2} { // ‖WᵀW − I‖ = stretch² − 1
		w := mat.NewDense(2, 2, []float64{stretch, 0, 0, 1})
		if f, err := newBasis(w, []float64{1, 1}); (err == nil) != (stretch*stretch-1 < 0.5) || err != nil && f != nil {
			t.Errorf("directions stretched by %v: error %v", stretch, err)
		}
	}
}

// Diagonal signals beside diagonal noise have the product of what each direction has, in rationals, and only where
// none of them is negative.
func TestDiagonalSignals(t *testing.T) {
	d := designOf(ok(NewDirectional([]float64{0.5, 3}, nil)), ok(NewDirectional([]float64{2, 7}, nil)))
	for _, c := range []struct {
		k     []float64
		known bool
	}{{[]float64{1, 0.25, 0, 5}, true}, {[]float64{0, 0, 0, 0}, true}, {[]float64{1, -0x1p-60, 2, 3}, false}, {[]float64{-1, 2, 2, 3}, false}} {
		k := mat.NewSymDense(4, nil)
		want := big.NewRat(1, 1)
		for i, v := range c.k {
			k.SetSym(i, i, v)
			noise := new(big.Rat).Mul(ratOf([]float64{0.5, 3}[i%2]), ratOf([]float64{2, 7}[i/2]))
			want.Mul(want, noise.Quo(ratOf(v), noise).Add(noise, big.NewRat(1, 1)))
		}
		got, known := d.diagonalPNR(k, true)
		if known != c.known {
			t.Errorf("%v: known: %t", c.k, known)
		}
		if !known {
			continue
		}
		lo, hi := got.above.Sub(interval.Rat(want.Sub(want, big.NewRat(1, 1)))).Bounds()
		if lo > 0 || hi < 0 || hi-lo > 1e-60 {
			t.Errorf("%v: %v more than 1, want %v", c.k, got.above, want)
		}
	}
}

// The power-to-noise ratio of factors is from their least determinant over the largest of the
// noise to their largest over the least, each rounded outward, and no more.
func TestQuotientsOfDeterminants(t *testing.T) {
	rng := rand.New(rand.NewPCG(131, 1))
	dense := func(n int) Covariance { return drawCovariance(t, n, 1, rng) }
	rational := func(v *big.Float) *big.Rat { r, _ := v.Rat(nil); return r }
	for trial := range 12 {
		m, n := 1+trial%3, 1+rng.IntN(2)
		sigma, psi := dense(m), dense(n)
		if trial%4 == 1 {
			sigma = ok(NewIsotropic(m, 3))
		}
		if trial%4 == 2 {
			psi = ok(NewIsotropic(n, 0.3))
		}
		d := ok(NewDesign(t.Context(), ok(NewBall(m, n, BallOptions{S2: 1, Gamma: 1})), sigma, psi))
		for _, both := range []bool{false, true} {
			order, terms := m, []definite.Term{definite.Entries(sigma.Matrix())}
			if both {
				order = m * n
				high, low := definite.Kronecker(psi.Matrix(), sigma.Matrix())
				terms = []definite.Term{high, low}
			}
			signal := dense(order)
			sum := ok(definite.New(order, append(terms, definite.Entries(signal.Matrix()))...))
			f := ok(sum.Precise(56))
			for _, bits := range []int{0, 60} {
				got := ok(d.quotient(f, both, bits))
				lo, hi := f.Det(uint(256 + bits))
				least, most := rational(lo), rational(hi)
				divide := func(c Covariance, times int) {
					under, over, err := c.det(bits, uint(256+bits))
					if err != nil {
						t.Fatal(err)
					}
					for range times {
						least.Quo(least, rational(over))
						most.Quo(most, rational(under))
					}
				}
				if divide(sigma, 1); both {
					for range n - 1 {
						divide(sigma, 1)
					}
					divide(psi, m)
				}
				one := big.NewRat(1, 1)
				for name, c := range map[string]struct {
					got         interval.Interval
					least, most *big.Rat
				}{"ratio": {got.ratio, least, most}, "what is above 1": {got.above, new(big.Rat).Sub(least, one), new(big.Rat).Sub(most, one)}} {
					wide := interval.Hull(interval.Rat(c.least), interval.Rat(c.most))
					room := wide.Upper().Sub(wide.Lower()).Mul(interval.Float(0x1p-60)).Add(interval.Float(0x1p-240)) // roundings of 256 bits
					if c.got.CmpLo(wide) > 0 || c.got.CmpHi(wide) < 0 || c.got.CmpLo(wide.Lower().Sub(room)) < 0 || c.got.CmpHi(wide.Upper().Add(room)) > 0 {
						t.Errorf("%s of order %d, both %v: %v, want %v", name, order, both, c.got, wide)
					}
				}
			}
		}
	}
	// Of numbers that would be too long there is none, whichever covariance asks for them.
	one := ok(NewIsotropic(2, 1))
	var none ratio
	for name, c := range map[string][2]Covariance{"Σ": {dense(2), one}, "Ψ": {one, dense(2)}} {
		d := ok(NewDesign(t.Context(), ok(NewBall(2, 2, BallOptions{S2: 1, Gamma: 1})), c[0], c[1]))
		f := ok(ok(definite.New(4, definite.Entries(dense(4).Matrix()))).Factor())
		if r, err := d.quotient(f, true, 1<<14); !errors.Is(err, definite.ErrNotProven) || r != none {
			t.Errorf("%s: %v, error %v", name, r, err)
		}
	}
}

// A signal may leave the ratio at 1 to the last digit: then the numbers become as long as they may,
// and what is known is returned.
func TestRatiosOfOne(t *testing.T) {
	const y = 0x1p-31 // det(I + K) = 1 + y² − y² for K = [y², y; y, 0]
	k := mat.NewSymDense(2, []float64{y * y, y, y, 0})
	d := ok(NewDesign(t.Context(), ok(NewBall(2, 2, BallOptions{S2: 1, Gamma: 1})), ok(NewDense(mat.NewSymDense(2, []float64{1, 0, 0, 1}))), ok(NewIsotropic(2, 1))))
	if got := ok(d.LogPNR(k)); got.Lo > 0 || got.Hi < 0 || got.Hi-got.Lo > 1e-300 {
		t.Errorf("ln PNR in [%v, %v], want 0", got.Lo, got.Hi)
	}
}
