package privacy

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// These tests check that a wide interval, or a number with few bits, counts as the worst value it contains.

// fewBits returns a privacy loss distribution with integer masses of prec bits.
func fewBits(base interval.Interval, step float64, first int64, prec uint, masses ...int64) *lossPMF {
	l := &lossPMF{grid: grid{step: interval.Float(step)}, base: base, first: first, prec: prec, infinityMass: new(big.Int)}
	for _, m := range masses {
		l.mass = append(l.mass, big.NewInt(m))
	}
	return l
}

// normalTail returns the x at which the normal tail probability is p.
func normalTail(p float64) float64 { return math.Sqrt2 * math.Erfcinv(2*p) }

// The bounds on μ enclose the μ of every law that rounds to the given masses, and hold for every base in the interval.
func TestGDPOfRoundedMasses(t *testing.T) {
	const prec = 36
	for i, c := range []struct {
		base   [2]float64
		step   float64
		first  int64
		shares []float64 // masses of P
	}{
		{[2]float64{0.2, 0.2}, 0.3, -2, []float64{0.25, 0.25, 0.25, 0.25}},
		{[2]float64{0.1, 0.1}, 0.7, -1, []float64{0.5, 0.3, 0.2}},
		{[2]float64{0.05, 0.05}, 1.3, -1, []float64{0.45, 0.3, 0.25}},
		{[2]float64{0, 0.01}, 0.7, -1, []float64{0.5, 0.3, 0.2}},
		{[2]float64{-0.05, 0.05}, 0.74, -3, []float64{0.09, 0, 0, 0.65, 0, 0, 0.14, 0.12}},
		{[2]float64{-0.05, 0.05}, 0.74, -3, []float64{0.05, 0, 0, 0.75, 0, 0, 0.08, 0.12}},
	} {
		var masses []int64
		left, far := int64(1)<<prec, 0.0
		for j, v := range c.shares {
			m := int64(v * (1 << prec))
			if j == len(c.shares)-1 {
				m = left
			}
			masses, left = append(masses, m), left-m
			far = max(far, math.Abs(c.step*float64(c.first+int64(j)))+1)
		}
		reached, bound := newTailSums(fewBits(interval.Between(c.base[0], c.base[1]), c.step, c.first, prec, masses...)).gdp(far)
		lo, _ := reached.Bounds()
		_, hi := bound.Bounds()
		for _, base := range c.base {
			want, p, q := 0.0, 0.0, 0.0
			for j := len(masses) - 1; j > 0; j-- {
				m := math.Ldexp(float64(masses[j]), -prec)
				p, q = p+m, q+m*math.Exp(-base-c.step*float64(c.first+int64(j)))
				want = max(want, normalTail(q)-normalTail(p))
			}
			if lo > want+1e-14 || hi < want-1e-14 || c.base[0] == c.base[1] && lo < want-1e-6 {
				t.Errorf("case %d: μ for the base %g is %.15g, not in [%.15g, %.15g]", i, base, want, lo, hi)
			}
		}
	}
}

// The screen of an interval mass takes the upper end. The relative error covers the lower end, and is 1 if the lower
// end is 0.
func TestScreenOfIntervalMasses(t *testing.T) {
	for _, c := range []struct{ lo, hi, off float64 }{{0.25, 0.5, 0.5}, {0, 0.5, 1}, {0.375, 0.5, 0.25}, {0.5, 0.5, 0x1p-50}} {
		l := NewDiscretePair([]Atom{{P: amount(c.lo, c.hi), Q: amount(0.5, 0.5), Offset: interval.Int(0)}}, zero, zero, evidence.Epsilon{}, Hooks{})
		r := l.screen()
		if len(r.P) != 1 || r.P[0] != c.hi || r.Error != c.off {
			t.Errorf("a mass in [%g, %g] has the screen %+v", c.lo, c.hi, r)
		}
		if got := r.logMoment(2); got < math.Log(c.hi) {
			t.Errorf("a mass in [%g, %g] has the log-moment %g", c.lo, c.hi, got)
		}
	}
}

// The ε from rounded masses encloses the ε of every law that rounds to them.
func TestEpsilonOfRoundedMasses(t *testing.T) {
	for _, masses := range [][]int64{{100, 3}, {40, 1, 0, 7}, {3, 200, 5, 2}, {1, 1, 1, 1, 1}} {
		for _, step := range []float64{math.Ln2, 0.3} {
			s := newTailSums(fewBits(interval.Int(0), step, 1, 8, masses...))
			for k := int64(1); k < 2560; k += 1 + k/8 {
				want, delta := 0.0, float64(k)/2560
				for j := range masses {
					a, c := 0.0, 0.0
					for i, m := range masses[j:] {
						a, c = a+float64(m)/256, c+float64(m)/256*math.Exp(-step*float64(i))
					}
					if a > delta {
						want = max(want, step*float64(j+1)+math.Log((a-delta)/c))
					}
				}
				if lo, hi := s.invertFinite(big.NewRat(k, 2560)).Bounds(); lo > want+1e-12 || hi < want-1e-12 || hi > want+2 {
					t.Errorf("buckets %v with step %g: ε at δ = %g is in [%g, %g], want %g", masses, step, delta, lo, hi, want)
				}
			}
		}
	}
}

// Masses close to 0 or to 1 keep their precision. Masses close to 1 are computed from the complement.
func TestGDPOfTinyMasses(t *testing.T) {
	tiny := func(bits uint) *big.Rat { return new(big.Rat).SetFrac(one.Num(), new(big.Int).Lsh(one.Num(), bits)) }
	const at400, at500 = 23.37462131732673, 26.16824984111858 // where the normal tail is 2^-400 and 2^-500
	for _, least := range []float64{-1, -600} {
		if mu := (&Screen{Loss: []float64{least, 1}, P: []float64{1e-300, 1}}).gdp(); !math.IsInf(mu, 1) {
			t.Errorf("with a mass that may underflow and the loss %g, μ is at most %g, want +Inf", least, mu)
		}
	}
	half := big.NewRat(1, 2)
	for _, c := range []struct {
		p, q *big.Rat // masses of the output with the smaller and the larger loss
		want float64
	}{{tiny(500), tiny(400), at500 - at400}, {tiny(500), half, at500}, {tiny(400), tiny(500), at500 - at400}, {half, tiny(500), at500}} {
		l := must.For(NewRationalPair([]*big.Rat{c.p, new(big.Rat).Sub(one, c.p)}, []*big.Rat{c.q, new(big.Rat).Sub(one, c.q)}))(t)
		lo, hi := l.gdp().Bounds()
		if rough := l.screen().gdp(); math.Abs(lo-c.want) > 1e-9 || math.Abs(hi-c.want) > 1e-9 || rough < hi || rough > hi*(1+1e-8)+1e-8 {
			t.Errorf("2^-%d and 2^-%d: μ in [%g, %g], the screen's bound is %g, want %g", c.p.Denom().BitLen()-1, c.q.Denom().BitLen()-1, lo, hi, rough, c.want)
		}
	}
}
