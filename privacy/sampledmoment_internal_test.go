package privacy

import (
	"math"
	"math/big"
	"math/cmplx"
	"testing"

	"dpworkbench/interval"
)

// The integral matches the binomial sum at integer orders. A quadrature rule with a missing node would fail this test.
func TestIntegratedMomentIsBinomialSum(t *testing.T) {
	for _, alpha := range []int64{2, 5, 40, 300} {
		for _, mu := range []float64{0.1, 1, 9, 60} {
			p := newSubsampled(Normal(interval.Float(mu)).(*closedForm), big.NewRat(3, 100), removal)
			want := p.wholeMoment(alpha)
			got, ok := p.integratedMoment(interval.Int(alpha - 1))
			lo, hi := got.Bounds()
			if !ok || got.Less(want) || want.Less(got) || hi-lo > 1e-12*hi {
				t.Errorf("order %d, μ = %g: [%g, %g], %t, want %v", alpha, mu, lo, hi, ok, want)
			}
		}
	}
}

// largest returns a bound that is at least the modulus of the integrand everywhere in the rectangle, for every slope in
// the interval. At a point it equals the sum of the moduli of the terms.
func TestLargestBoundsTheIntegrand(t *testing.T) {
	t.Parallel()
	for _, how := range []mixture{removal, addition, replacement} {
		for _, normal := range []bool{true, false} {
			for _, c := range []struct{ slope, open, rate, from, to, height float64 }{
				{1, 0, 0.5, 0.25, 0.25, 0}, {2, 0.125, 0.125, -0.5, 0.75, 0}, {1, 0.25, 0.5, -1, 1, 1}, {2, 0.5, 0.0625, 0, 1, 0.5}, {4, 0.25, 0.75, 0.5, 1, 0.25},
				{3, 0, 0.03125, -1, 0, 2}, {3, 0.25, 0.9375, 0.5, 1, 2}, {1, 0.25, 0.25, -3, -2.5, 1}, {1, 0.5, 0.5, -1, 3, 4},
			} {
				for _, alpha := range []float64{1.5, 3} {
					m := &sampledMoment{kind: how, normal: normal, rate: interval.Float(c.rate), slope: interval.Between(c.slope, c.slope+c.open)}
					powers := map[mixture][]float64{removal: {alpha}, addition: {1 - alpha}, replacement: {alpha, 1 - alpha}}[how]
					for _, e := range powers {
						m.powers = append(m.powers, interval.Float(e))
					}
					m.start(0)
					most, ok := m.largest(interval.Float(c.from), interval.Float(c.to), interval.Float(c.height))
					if v := (c.slope + c.open) * c.height; !ok {
						if v < 2.5 {
							t.Errorf("%+v: not analytic", c)
						}
						continue
					}
					_, hi := most.Bounds()
					for _, slope := range []float64{c.slope, c.slope + c.open} {
						for k := range 81 {
							z := complex(c.from+(c.to-c.from)*float64(k%9)/8, c.height*float64(k/9-4)/4)
							s, g := complex(slope, 0), complex(c.rate, 0)
							a, w := 1-g+g*cmplx.Exp(s*z), cmplx.Exp(-s*(z+1)/2)*s/4
							if normal {
								w = cmplx.Exp(-(z+s/2)*(z+s/2)/2) / complex(math.Sqrt(2*math.Pi), 0)
							}
							size := 0.0 // sum of the absolute values of the terms
							for _, e := range powers {
								size += math.Pow(cmplx.Abs(a), e) * cmplx.Abs(w)
							}
							if how == replacement {
								size += cmplx.Abs(w * (a + 1))
							}
							point := c.from == c.to && c.open == 0
							if hi < cmplx.Abs(w)*math.Pow(cmplx.Abs(a), powers[0])*(1-1e-12) || point && math.Abs(hi-size) > 1e-12*size {
								t.Errorf("%+v, direction %d, normal %t, order %g: at most %g, below %g at %g with slope %g", c, how, normal, alpha, hi, size, z, slope)
							}
							if imag(z) == 0 && c.open == 0 { // on the real line with a known slope
								sum, want := m.at(interval.Float(real(z))), 0.0
								for _, e := range powers {
									want += math.Pow(real(a), e) * real(w)
								}
								if how == replacement {
									want -= real(w * (a + 1))
								}
								if math.Abs(sum.Mid()-want) > 1e-12*size {
									t.Errorf("%+v, direction %d, normal %t: %g at %g, want %g", c, how, normal, sum.Mid(), z, want)
								}
							}
						}
					}
				}
			}
		}
	}
}
