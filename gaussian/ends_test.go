package gaussian_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// ln3 is 2 Σ (½)^{2k+1}/(2k+1), to more digits than enclosures have.
func ln3() *big.Float {
	sum := new(big.Float).SetPrec(1200)
	term := new(big.Float).SetPrec(1200).SetInt64(1)
	for k := int64(0); k < 600; k++ {
		sum.Add(sum, new(big.Float).SetPrec(1200).Quo(term, new(big.Float).SetInt64(2*k+1)))
		term.Quo(term, big.NewFloat(4))
	}
	return sum
}

// Where 256 bits of an irrational ε leave a open, the enclosure of δ holds what 1200 bits
// of it give: Φ(−a), but for φ(a)/μ.
func TestDeltaOfLongIrrationals(t *testing.T) {
	three, err := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	if err != nil {
		t.Fatal(err)
	}
	unit, scale := three, big.NewFloat(1).SetPrec(1200)
	for range 7 {
		unit = unit.Times(1e18)
		scale.Mul(scale, big.NewFloat(1e18))
	}
	rng := rand.New(rand.NewPCG(91, 92))
	wider := 0
	for range 60 {
		k := rng.Int64N(1e6) + 1
		eps := unit.Times(k)
		exact := new(big.Float).SetPrec(1200).Mul(ln3(), scale)
		exact.Mul(exact, new(big.Float).SetInt64(k))
		// μ = −a + √(a² + 2ε) as two float64, whose quotient is rational.
		root := new(big.Float).SetPrec(1200).Mul(exact, big.NewFloat(2))
		root.Sqrt(root)
		wanted := 8*rng.Float64() - 4
		mu := interval.Big(root.SetPrec(interval.Prec)).Sub(interval.Float(wanted)).Lower()
		m := mu.MidFloat(interval.Prec)
		a := new(big.Float).SetPrec(1200).Quo(exact, m)
		a.Sub(a, new(big.Float).SetPrec(1200).Quo(m, big.NewFloat(2)))
		x, _ := a.Float64()
		want := math.Erfc(x/math.Sqrt2) / 2
		got := gaussian.DeltaAt(eps, mu)
		off := 1e-15 * (4 + x*x) * want
		if !(got.Lo <= want+off && got.Hi >= want-off && got.Hi-got.Lo < 1e-3*want) {
			t.Errorf("%v, a = %v: δ in [%v, %v], want %v", eps.Value(), x, got.Lo, got.Hi, want)
		}
		if got.Hi-got.Lo > 1e-13*want {
			wider++
		}
	}
	if wider < 30 {
		t.Errorf("%d of 60 are open, want most", wider)
	}
	huge := unit.Times(1e18).Times(1e18).Times(1e18)
	open := 0
	for k := range int64(40) {
		eps := huge.Times(k + 1)
		root := eps.Enclosure().Mul(interval.Int(2)).Sqrt()
		for _, mu := range []interval.Interval{root.Lower(), interval.Big(root.MidFloat(interval.Prec)), root.Upper()} {
			d := gaussian.DeltaAt(eps, mu) // ε/μ − μ/2 is known to about 1e14
			if !(d.Lo >= 0 && d.Hi <= 1 && d.Lo <= d.Hi && d.Loss) {
				t.Errorf("δ in [%v, %v]", d.Lo, d.Hi)
			}
			if d.Lo == 0 && d.Hi == 1 {
				open++
			}
		}
		if d := gaussian.DeltaAt(eps, root.Lower().Mul(interval.Float(1-0x1p-52)).Lower()); d.Hi != 5e-324 {
			t.Errorf("below √(2ε): δ in [%v, %v]", d.Lo, d.Hi)
		}
		if d := gaussian.DeltaAt(eps, root.Lower().Mul(interval.Float(1+0x1p-52)).Lower()); d.Lo != math.Nextafter(1, 0) {
			t.Errorf("above √(2ε): δ in [%v, %v]", d.Lo, d.Hi)
		}
	}
	if open == 0 {
		t.Error("a is known everywhere")
	}
}

// δ of an interval of μ is that of its two ends, rising, and ε likewise.
func TestIntervalsOfMu(t *testing.T) {
	for _, c := range []struct{ lo, hi float64 }{{0.5, 2}, {1e-12, 1}, {3, 200}, {0, 1}, {-3, 1}, {-1e-3, 1}, {-1e-6, 0.5}} {
		mu := interval.Between(c.lo, c.hi)
		for _, eps := range []float64{0, 0.3, 2} {
			got := gaussian.DeltaAt(at(eps), mu)
			least, most := gaussian.DeltaAt(at(eps), interval.Float(max(c.lo, 0))), gaussian.DeltaAt(at(eps), interval.Float(c.hi))
			if got.Lo != least.Lo || got.Hi != most.Hi || !got.Loss || got.Float() != got.Hi {
				t.Errorf("ε = %g, μ from %g to %g: δ in [%v, %v], want %v to %v", eps, c.lo, c.hi, got.Lo, got.Hi, least.Lo, most.Hi)
			}
		}
		for _, delta := range []float64{0, 1e-9, 0.1} {
			got, err := gaussian.EpsilonAt(delta, mu)
			if err != nil {
				t.Fatal(err)
			}
			least, _ := gaussian.EpsilonAt(delta, interval.Float(max(c.lo, 0)))
			most, _ := gaussian.EpsilonAt(delta, interval.Float(c.hi))
			if !(got.Lo <= least.Hi && got.Lo >= least.Lo*(1-1e-15) && got.Hi >= most.Lo && got.Hi <= most.Hi*(1+1e-15)) || !got.Loss || got.Float() != got.Hi {
				t.Errorf("δ = %g, μ from %g to %g: ε in [%v, %v], want %v to %v", delta, c.lo, c.hi, got.Lo, got.Hi, least.Lo, most.Hi)
			}
		}
	}
}

// An ε far below μ, where δ is next to the total variation distance, is known to more than
// the digits of μ.
func TestLittleEpsilons(t *testing.T) {
	for _, mu := range []float64{0.1, 1, 3} {
		total := gaussian.DeltaAt(evidence.Epsilon{}, interval.Float(mu))
		delta := total.Lo
		for k := range 6 {
			e, err := gaussian.EpsilonAt(delta, interval.Float(mu))
			if err != nil || e.Hi > 1e-14 || e.Hi-e.Lo > 1e-19*mu+1e-15*e.Hi {
				t.Errorf("μ = %g, %d steps below: ε in [%v, %v], %v", mu, k, e.Lo, e.Hi, err)
			}
			delta = math.Nextafter(delta, 0)
		}
	}
}

// Losses are read at their upper ends; μ is none. All say how they were found.
func TestWhatIsALoss(t *testing.T) {
	one := epsilon(t, 1)
	numbers := map[string]evidence.Certified{}
	add := func(name string, c evidence.Certified, err error) {
		if err != nil {
			t.Fatal(err)
		}
		numbers[name] = c
	}
	for name, sigma := range map[string]float64{"δ": 1, "δ of much noise": 1e6, "δ of little noise": 1e-6} {
		d, err := gaussian.Delta(one, sigma, 1)
		add(name, d, err)
	}
	s, err := gaussian.Sigma(one, 1e-5, 1)
	add("σ", s, err)
	for name, delta := range map[string]float64{"ε": 1e-5, "ε at 0": 0, "no ε": 0.9} {
		e, err := gaussian.Epsilon(delta, 1, 1)
		add(name, e, err)
	}
	mu, err := gaussian.Mu(one, 1e-5)
	add("μ", mu, err)
	for name, c := range numbers {
		if c.Loss != (name != "μ") || c.Method == "" || !strings.Contains(c.Source, "Theorem 8") || !strings.Contains(c.Method, "Mills") {
			t.Errorf("%s: %+v", name, c)
		}
	}
	d, err := gaussian.Delta(one, 1e-6, 1)
	if err != nil || d.Lo != math.Nextafter(1, 0) || d.Hi != 1 {
		t.Errorf("δ of almost no noise in [%v, %v], %v", d.Lo, d.Hi, err)
	}
	if d, err := gaussian.Delta(one, 1e6, 1); err != nil || d.Lo != 0 || d.Hi != 5e-324 {
		t.Errorf("δ of much noise in [%v, %v], %v", d.Lo, d.Hi, err)
	}
	for _, c := range []struct{ lo, hi, least, most float64 }{{0, 0, 0, 0}, {0, 1, 0, math.Inf(1)}, {-1, 0, 0, 0}, {1, 2, math.Inf(1), math.Inf(1)}} {
		e, err := gaussian.EpsilonAt(0, interval.Between(c.lo, c.hi))
		if err != nil || e.Lo != c.least || e.Hi != c.most {
			t.Errorf("μ from %g to %g: ε(0) in [%v, %v], %v", c.lo, c.hi, e.Lo, e.Hi, err)
		}
	}
}

// What is accepted ends where it says, and each parameter that is not is named.
func TestEndsOfParameters(t *testing.T) {
	one := epsilon(t, 1)
	sigma := func(eps, delta, sensitivity float64) error {
		_, err := gaussian.Sigma(epsilon(t, eps), delta, sensitivity)
		return err
	}
	of := func(delta, sigma, sensitivity float64) error {
		_, err := gaussian.Epsilon(delta, sigma, sensitivity)
		return err
	}
	from := func(delta, mu float64) error {
		_, err := gaussian.EpsilonAt(delta, interval.Float(mu))
		return err
	}
	up := func(v float64) float64 { return math.Nextafter(v, math.Inf(1)) }
	_, deltaSigma := gaussian.Delta(one, -1, 1)
	_, deltaSensitivity := gaussian.Delta(one, 1, -1)
	_, muZero := gaussian.Mu(evidence.Epsilon{}, 0.1)
	_, fastZero := gaussian.FastMu(evidence.Epsilon{}, 0.1)
	for _, c := range []struct {
		err  error
		want string
	}{
		{sigma(1e-300, 1e-307, 1), ""}, {sigma(1e20, 1-0x1p-53, 1), ""},
		{sigma(math.Nextafter(1e-300, 0), 0.1, 1), "want a number between 1e-300 and 1e+20"}, {sigma(up(1e20), 0.1, 1), "want a number between 1e-300 and 1e+20"},
		{sigma(1, math.Nextafter(1e-307, 0), 1), "want a number from 1e-307 to below 1"}, {sigma(1, 1, 1), "delta = 1"}, {sigma(1, 0, 1), "delta = 0"},
		{sigma(1, 0.1, 0), "sensitivity = 0"}, {deltaSigma, "sigma = -1"}, {deltaSensitivity, "sensitivity = -1"},
		{of(1e-307, 1, 1), ""}, {of(1e-5, 1, 1e153), ""}, {of(1e-5, 1, up(1e153)), "sigma = 1, want at least the sensitivity 1.0000000000000002e+153 over 1e+153"},
		{of(0.1, 0, 1), "sigma = 0"}, {of(0.1, 1, math.NaN()), "sensitivity = NaN"}, {of(1, 1, 1), "delta = 1"}, {of(1e-308, 1, 1), "delta = 1e-308"},
		{from(1e-307, 1), ""}, {from(1e-5, 1e153), ""}, {from(1e-5, up(1e153)), "mu = 1e+153, the sensitivity in standard deviations of the noise, want at most 1e+153"},
		{from(1, 1), "delta = 1"}, {from(-1, 1), "delta = -1"}, {from(1e-308, 1), "delta = 1e-308"},
		{muZero, "eps = 0"}, {fastZero, "eps = 0"},
	} {
		if c.want == "" && c.err != nil || c.want != "" && (!errors.Is(c.err, evidence.ErrParameter) || !strings.Contains(c.err.Error(), c.want)) {
			t.Errorf("error %v, want %q", c.err, c.want)
		}
	}
}
