package privacy

import (
	"math"
	"math/big"
	"math/cmplx"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// The log-moment of order α is (α − 1) times the Rényi divergence. The expected values are mpmath quadratures of the
// definition with 50 digits, written without cancellation. The first number is σ of normal noise or ε of Laplace
// noise.
func TestLogMomentOfSampledRecords(t *testing.T) {
	for _, c := range []struct {
		noise string
		scale float64
		rate  string
		how   mixture
		alpha float64
		want  string
	}{
		{"normal", 0.8, "0.01", removal, 1.5, "0.0001366553500201942775"},
		{"normal", 1, "0.001", removal, 1.25, "2.6794290648528960729e-7"},
		{"normal", 0.3, "0.2", removal, 4.5, "80.257529394046548547"},
		{"normal", 5, "0.5", removal, 5.5, "0.13020952627208128691"},
		{"normal", 0.8, "1.0e-5", removal, 3.0, "1.131316223137537517285874e-9"},
		{"normal", 10.0, "1.0e-9", addition, 1.25, "1.570338606865630158842609e-21"},
		{"normal", 2.5, "1.0e-9", replacement, 2.0, "2.277854550610866764702274e-19"},
		{"normal", 2.5, "1.0e-9", removal, 7.5, "4.229327484694898184765141e-18"},
		{"normal", 0.5, "1.0e-9", addition, 1.25, "8.374691891317677704813257e-18"},
		{"normal", 1.0, "0.01", replacement, 1.25, "0.00004376805297195792093331737"},
		{"normal", 0.5, "1.0e-9", removal, 7.5, "1.306462174345660526427491e-15"},
		{"Laplace", 1.0, "1.0e-9", addition, 50.0, "1.050192048873650257917758e-15"},
		{"normal", 2.5, "1.0e-9", replacement, 1.5, "8.54195456479075036686802e-20"},
		{"normal", 10.0, "0.5", removal, 7.5, "0.0620208788652295682363675"},
		{"normal", 0.3, "0.1", addition, 7.5, "0.6143181687170939691073154"},
		{"normal", 1.0, "1.0e-9", replacement, 1.5, "1.096720227269515120494761e-18"},
	} {
		rate, _ := new(big.Rat).SetString(c.rate)
		base := Normal(interval.Int(1).Quo(interval.Rat(interval.Decimal(c.scale))))
		if c.noise == "Laplace" {
			base = Laplace(must.For(evidence.NewEpsilon("eps", c.scale))(t))
		}
		order := interval.Decimal(c.alpha)
		got := newSubsampled(base.(*closedForm), rate, c.how).LogMoment(interval.Rat(order.Sub(order, one)))
		exact, _ := new(big.Rat).SetString(c.want)
		want, _ := exact.Float64()
		if lo, hi := got.Bounds(); lo > want*(1+1e-15) || hi < want*(1-1e-15) || hi-lo > 1e-12*hi {
			t.Errorf("%s noise of %g, rate %s, direction %d, order %g: [%g, %g], want %s", c.noise, c.scale, c.rate, c.how, c.alpha, lo, hi, c.want)
		}
	}
}

// Mean losses match mpmath's quadrature of the densities with 30 digits.
func TestMeanLossOfSampledRecords(t *testing.T) {
	half := Normal(interval.Rat(big.NewRat(1, 2))).(*closedForm)
	laplace := Laplace(must.For(evidence.NewEpsilon("eps", 1.))(t)).(*closedForm)
	for _, c := range []struct {
		base *closedForm
		rate *big.Rat
		how  mixture
		want float64
	}{
		{half, big.NewRat(1, 100), removal, 0.000014157704831094273929},
		{half, big.NewRat(1, 100), addition, 0.0000141147168079339840316},
		{half, big.NewRat(99, 100), removal, 0.122514157704831094273929},
		{half, big.NewRat(99, 100), addition, 0.122186872552905108187953},
		{laplace, big.NewRat(1, 100), removal, 0.000042719572982800607163},
		{laplace, big.NewRat(1, 100), addition, 0.0000425756485161880123891},
	} {
		lo, hi := newSubsampled(c.base, c.rate, c.how).Mean().Bounds()
		if !(lo <= c.want && c.want <= hi && hi-lo < 1e-8*hi) {
			t.Errorf("%v at rate %v, direction %d: [%g, %g], want %g", c.base, c.rate, c.how, lo, hi, c.want)
		}
	}
	// Without replacement the positive and the negative loss have the same form. The mean lies between the divergences
	// of orders just below and just above 1.
	if lo, hi := newSubsampled(half, big.NewRat(1, 100), replacement).Mean().Bounds(); !(lo > 1.95388388e-5 && hi < 1.9538839e-5 && hi-lo < 1e-8*hi) {
		t.Errorf("without replacement: [%g, %g]", lo, hi)
	}
}

// The integral matches the binomial sum at integer orders. A quadrature rule with a missing node fails.
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

// The bound in a panel's error is at least the modulus of the integrand everywhere in its rectangle, for every slope
// in the interval. At a point it equals the integrand.
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
							size := 0.0 // over the terms, each of which is bounded
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
