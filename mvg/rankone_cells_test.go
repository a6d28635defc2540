package mvg

import (
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
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
		d, err := r.Privacy(0.02).Delta(t.Context(), epsilonOf(c.eps))
		if err != nil {
			t.Fatal(err)
		}
		if lo, hi := d.Bounds(); c.delta < lo*(1-1e-9) || c.delta > hi*(1+1e-9) || hi-lo > 0.02 {
			t.Errorf("dimension %d, Δ = %v sd, ε = %v: δ in [%v, %v], want %v", c.dimension, c.shift, c.eps, lo, hi, c.delta)
		}
	}
}

// epsilonOf returns ε = v ≥ 0.
func epsilonOf(v float64) evidence.Epsilon {
	if v == 0 {
		return evidence.Epsilon{}
	}
	e, err := evidence.NewEpsilon("eps", v)
	if err != nil {
		panic(err)
	}
	return e
}

func TestRankOneRefusals(t *testing.T) {
	noise := func(dimension int, sensitivity, variance float64) RankOne {
		return RankOne{Dimension: dimension, Sensitivity: sensitivity, Variance: variance}
	}
	one := epsilonOf(1)
	for _, r := range []RankOne{{}, noise(1, 1, 1), noise(5, math.NaN(), 1), noise(5, 1, math.Inf(1)), noise(5, 1e200, 1e-100), noise(5, 1e-200, 1e10)} {
		if d, err := r.Privacy(0.1).Delta(t.Context(), one); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v: δ = %v, error %v", r, d, err)
		}
		if e, err := r.Privacy(0.1).Epsilon(t.Context(), evidence.Delta{}); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v: ε = %v, error %v", r, e, err)
		}
	}
	for _, tolerance := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if d, err := noise(5, 1, 1).Privacy(tolerance).Delta(t.Context(), one); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("tolerance %v: δ = %v, error %v", tolerance, d, err)
		}
	}
	for _, c := range []struct {
		sensitivity float64
		eps         evidence.Epsilon
		delta       float64
	}{
		{1e200, one, 0.1}, {1e-200, one, 0.1}, {1, epsilonOf(1e-320), 1e-300}, {1, evidence.Epsilon{}, 0.1},
		{math.NaN(), one, 0.1}, {1, one, 0},
	} {
		if r, err := NewRankOne(4, c.sensitivity, c.eps, evidencetest.Delta(c.delta)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("Δ = %v, ε = %v, δ = %v: %+v, error %v", c.sensitivity, c.eps, c.delta, r, err)
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
		d, err := RankOne{Dimension: c.dimension, Sensitivity: c.shift, Variance: 1}.Privacy(1).Delta(t.Context(), epsilonOf(c.eps))
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if lo, hi := d.Bounds(); !(lo >= 0 && lo <= hi && hi <= 1) {
			t.Errorf("%+v: δ in [%v, %v]", c, lo, hi)
		}
	}
}

// Where the loss passes ε at norms below the grid alone, δ is positive: at norm x it is −ln x
// or more, so that e⁻²¹ suffices for ε = 20.
func TestRankOneBelowTheGrid(t *testing.T) {
	d, err := RankOne{Dimension: 2, Sensitivity: 1, Variance: 1}.Privacy(1).Delta(t.Context(), epsilonOf(20))
	if err != nil {
		t.Fatal(err)
	}
	want := math.Erf(math.Exp(-21)/math.Sqrt2) * (1 - math.Exp(-1))
	if lo, hi := d.Bounds(); hi < want || lo > hi || hi > 1e-6 {
		t.Errorf("δ in [%v, %v], want at least %v", lo, hi, want)
	}
}
