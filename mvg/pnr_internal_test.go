package mvg

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/definite"
)

// The enclosure of the power-to-noise ratio is the quotient of the enclosures of the determinants, rounded outward and
// no wider.
func TestQuotientsOfDeterminants(t *testing.T) {
	rng := rand.New(rand.NewPCG(131, 1))
	dense := func(n int) Covariance { return DrawCovariance(t, n, 1, rng) }
	rational := func(v *big.Float) *big.Rat { r, _ := v.Rat(nil); return r }
	for trial := range 12 {
		m, n := 1+trial%3, 1+rng.IntN(2)
		sigma, psi := dense(m), dense(n)
		if trial%4 == 1 {
			sigma = must.Be(NewIsotropic(m, 3))
		}
		if trial%4 == 2 {
			psi = must.Be(NewIsotropic(n, 0.3))
		}
		d := must.Be(NewDesign(t.Context(), must.Be(NewBall(m, n, BallOptions{S2: 1, Gamma: 1})), sigma, psi))
		for _, both := range []bool{false, true} {
			order, terms := m, []definite.Term{definite.Entries(sigma.Matrix())}
			if both {
				order = m * n
				high, low := definite.Kronecker(psi.Matrix(), sigma.Matrix())
				terms = []definite.Term{high, low}
			}
			signal := dense(order)
			sum := must.Be(definite.New(order, append(terms, definite.Entries(signal.Matrix()))...))
			f := must.Be(sum.Precise(56))
			for _, bits := range []int{0, 60} {
				got := must.Be(d.quotient(f, both, bits))
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
					room := wide.Upper().Sub(wide.Lower()).Mul(interval.Float(0x1p-60)).Add(interval.Float(0x1p-240)) // allows for rounding at 256 bits
					if c.got.CmpLo(wide) > 0 || c.got.CmpHi(wide) < 0 || c.got.CmpLo(wide.Lower().Sub(room)) < 0 || c.got.CmpHi(wide.Upper().Add(room)) > 0 {
						t.Errorf("%s of order %d, both %v: %v, want %v", name, order, both, c.got, wide)
					}
				}
			}
		}
	}
	// Determinants that would need too many bits are refused, for either covariance.
	one := must.Be(NewIsotropic(2, 1))
	var none ratio
	for name, c := range map[string][2]Covariance{"Σ": {dense(2), one}, "Ψ": {one, dense(2)}} {
		d := must.Be(NewDesign(t.Context(), must.Be(NewBall(2, 2, BallOptions{S2: 1, Gamma: 1})), c[0], c[1]))
		f := must.Be(must.Be(definite.New(4, definite.Entries(dense(4).Matrix()))).Factor())
		if r, err := d.quotient(f, true, 1<<14); !errors.Is(err, definite.ErrNotProven) || r != none {
			t.Errorf("%s: %v, error %v", name, r, err)
		}
	}
}
