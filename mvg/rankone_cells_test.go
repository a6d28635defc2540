package mvg

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
)

// The law of the cosine against closed forms: of dimension 2 the arc sine's, and of odd
// dimensions polynomials, in rational arithmetic: (1 − c²)^{k} integrated term by term.
func TestCosines(t *testing.T) {
	law := newCosines(2)
	for _, c := range []float64{-0.999999, -0.7, -0.2, -1e-9, 0} {
		lo, hi := law.below(c)
		want := math.Atan2(math.Sqrt((1-c)*(1+c)), -c) / math.Pi
		if want < lo*(1-1e-14) || want > hi*(1+1e-14) || hi-lo > 1e-12*hi {
			t.Errorf("dimension 2: Pr[c ≤ %v] in [%v, %v], want %v", c, lo, hi, want)
		}
	}
	for _, dimension := range []int{3, 5, 9, 61, 401} {
		k := (dimension - 3) / 2
		integral := func(c *big.Rat) *big.Rat { // of (1 − x²)^k from 0
			sum, power, binomial := new(big.Rat), new(big.Rat).Set(c), big.NewInt(1)
			square := new(big.Rat).Mul(c, c)
			for j := range int64(k + 1) {
				term := new(big.Rat).Mul(power, new(big.Rat).SetFrac(binomial, big.NewInt(2*j+1)))
				if sum.Add(sum, term); j < int64(k) {
					binomial = new(big.Int).Div(new(big.Int).Mul(binomial, big.NewInt(int64(k)-j)), big.NewInt(j+1))
					power = power.Mul(power, square)
					power.Neg(power)
				}
			}
			return sum
		}
		whole := integral(big.NewRat(1, 1))
		law := newCosines(dimension)
		for _, c := range []float64{-1, -0.75, -0.5, -0.125, -1. / 1024} {
			lo, hi := law.below(c)
			want := integral(new(big.Rat).SetFloat64(c))
			want.Quo(want, whole).Add(want, big.NewRat(1, 1)).Quo(want, big.NewRat(2, 1))
			if want.Cmp(new(big.Rat).SetFloat64(lo)) < 0 || want.Cmp(new(big.Rat).SetFloat64(hi)) > 0 {
				f, _ := want.Float64()
				t.Errorf("dimension %d: Pr[c ≤ %v] in [%v, %v], want %v", dimension, c, lo, hi, f)
			}
			if hi-lo > 1e-12*hi+1e-320 {
				t.Errorf("dimension %d: Pr[c ≤ %v] in [%v, %v] is wide", dimension, c, lo, hi)
			}
		}
	}
}

func TestHalfNormal(t *testing.T) {
	for _, c := range [][2]float64{{1e-9, 1.9e-9}, {0.01, 0.0101}, {0.3, 0.6}, {1, 1.04}, {2, 3}, {4, 4.2}, {5, 9}, {8.9, 9}} {
		want := math.Erfc(c[0]/math.Sqrt2) - math.Erfc(c[1]/math.Sqrt2)
		slack := 1e-14 + 4e-16*math.Erfc(c[0]/math.Sqrt2)/want
		if c[1] < 0.7 {
			want = math.Erf(c[1]/math.Sqrt2) - math.Erf(c[0]/math.Sqrt2)
		}
		if got := halfNormal(c[0], c[1]); math.Abs(got/want-1) > halfNormalError+slack {
			t.Errorf("Pr[%v ≤ |N| ≤ %v] = %v, want %v", c[0], c[1], got, want)
		}
	}
}

// δ by Gauss–Legendre quadrature in NumPy, 20 × 20 points an angle and 6400 radii.
func TestRankOneAgainstQuadrature(t *testing.T) {
	for _, c := range []struct {
		dimension         int
		shift, eps, delta float64
	}{
		{2, 0.5, 1, 0.10309937787090213},
		{3, 0.5, 1, 0.23823040464456535},
		{3, 0.001, 1, 0.00038568654622204957},
		{4, 0.1, 1, 0.05744909724697589},
		{5, 0.3, 0.5, 0.3152988905361523},
		{7, 3, 4, 0.9687635215890646},
		{10, 0.7, 1, 0.7020709775718326},
		{30, 0.2, 2, 0.35277284345198784},
		{100, 0.05, 1, 0.2309766586257684},
		{1000, 0.3, 0.1, 0.9969958121475224},
	} {
		r := RankOne{Dimension: c.dimension, Sensitivity: c.shift, Variance: 1}
		d, err := r.DeltaAt(t.Context(), c.eps, 0.02)
		if err != nil {
			t.Fatal(err)
		}
		if c.delta < d.Lo*(1-1e-9) || c.delta > d.Hi*(1+1e-9) || d.Hi-d.Lo > 0.02 {
			t.Errorf("dimension %d, Δ = %v sd, ε = %v: δ in [%v, %v], want %v", c.dimension, c.shift, c.eps, d.Lo, d.Hi, c.delta)
		}
	}
}

func TestRankOneRefusals(t *testing.T) {
	for _, r := range []RankOne{{}, {Dimension: 1, Sensitivity: 1, Variance: 1}, {5, math.NaN(), 1}, {5, 1, math.Inf(1)}, {5, 1e200, 1e-100}, {5, 1e-200, 1e10}} {
		if d, err := r.DeltaAt(t.Context(), 1, 0.1); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v: δ = %v, error %v", r, d, err)
		}
	}
	r := RankOne{5, 1, 1}
	for _, c := range [][2]float64{{-1, 0.1}, {math.NaN(), 0.1}, {1, 0}, {1, math.NaN()}} {
		if d, err := r.DeltaAt(t.Context(), c[0], c[1]); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("ε = %v, tolerance %v: δ = %v, error %v", c[0], c[1], d, err)
		}
	}
	for _, c := range [][3]float64{{1e200, 1, 0.1}, {1e-200, 1, 0.1}, {1, 1e-320, 1e-300}, {1, math.NaN(), 0.1}, {1, 1, math.NaN()}} {
		if r, err := NewRankOne(4, c[0], c[1], c[2]); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("Δ = %v, ε = %v, δ = %v: %+v, error %v", c[0], c[1], c[2], r, err)
		}
	}
}

// High dimensions, extreme ε and shifts end, with probabilities in order.
func TestRankOneExtremes(t *testing.T) {
	for _, c := range []struct {
		dimension int
		shift     float64
		eps       float64
	}{{2, 1e-100, 0}, {2, 1e100, 1}, {3, 1, 1e308}, {3, 1e-9, 1e-300}, {100000, 1, 1}, {1 << 31, 1e-6, 1}, {40, 50, 10}} {
		d, err := RankOne{Dimension: c.dimension, Sensitivity: c.shift, Variance: 1}.DeltaAt(t.Context(), c.eps, 1)
		if err != nil || !(d.Lo >= 0 && d.Lo <= d.Hi && d.Hi <= 1) {
			t.Errorf("%+v: δ in [%v, %v], %v", c, d.Lo, d.Hi, err)
		}
	}
}
