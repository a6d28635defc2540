package gaussian_test

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/internal/must"
	"dpworkbench/interval"

	"pgregory.net/rapid"
)

// golden holds σ(ε, δ) at Δ = 1 to 25 digits. It was computed with mpmath 1.3.0 at 400 digits, by bisection and
// Newton's method on Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ). ε and δ stand for their float64 values.
var golden = []struct {
	eps, delta float64
	sigma      string
}{
	{1.0, 1e-05, "3.730631634815941813869689"},
	{10.0, 1e-06, "0.5410868318183659822094944"},
	{0.001, 1e-09, "4122.629732026250490917332"},
	{1e-06, 1e-300, "36475988.48095309980179239"},
	{1e-06, 0.5, "0.7413006769311043885124265"},
	{1000.0, 1e-300, "0.04753766013224315526996243"},
	{1000.0, 0.5, "0.02234950966953074232855344"},
	{1e-06, 1e-06, "276029.903999201508096461"},
	{1.0, 0.5, "0.5070650314763313597305643"},
	{0.01, 0.01, "27.70088245561170896338214"},
	{1.6191168669277785e-05, 0.008063069157633893, "49.42766546097742501757393"},
	{7.481205264326619, 2.7646255913774444e-224, "4.265662940127318660766361"},
	{0.02876840498395757, 1.7970102213831156e-07, "129.6236994906787681073521"},
	{0.7317062329016808, 2.357768177594321e-64, "22.63966192973434388741996"},
	{6.994171560918146e-06, 2.144776292789107e-12, "623968.4887813658560765735"},
	{33.2572193821946, 4.965495360736179e-171, "0.851688230774183008209908"},
	{7.253051181989155, 1.0583267263412583e-12, "0.9971246655851566683596815"},
	{0.0101972894398862, 1.7311404019552959e-84, "1853.115119438090559059003"},
	{0.00011451437086286428, 0.11225725828574361, "3.540440890238567102150459"},
	{129.67227148565078, 1.4706591025519829e-291, "0.2938733048348808262728763"},
	{1.6943875393476812e-06, 2.133594125651473e-06, "137451.3424273842347120996"},
	{283.3625584139991, 1.7502415628311732e-186, "0.1175313546788272112215171"},
	{8.900093602930426e-05, 8.600877626589335e-08, "27486.33909630738883186183"},
	{1.8254380050915412e-06, 2.7464738312597946e-234, "17551564.83385671604872772"},
	{0.008729479367822705, 6.252376207225633e-07, "360.6039871673440297211492"},
	{0.00012524490057275905, 1.5430991584658457e-231, "255290.1420840544688043414"},
	{9.31170772743384e-05, 2.3591986687186983e-07, "23196.65708439562256344307"},
	{0.00040554077923688153, 2.75581316901842e-294, "89346.9323724802476552969"},
	{34.53041365325746, 3.198534443624784e-06, "0.1992574376508776760289893"},
	{0.6034610809977207, 5.1790347613918524e-245, "55.00283472023809017067705"},
	{856.822198379045, 0.01129210535938972, "0.025508910132863993443925"},
	{1.2246433773465426e-05, 5.074813664439522e-201, "2419007.123521054743884978"},
	{3.1142944245061517, 0.00020598319383595287, "1.130927569257884961789294"},
	{267.8954152619776, 3.1713693050220377e-174, "0.1202714417073882066879603"},
	{29.53392988229555, 6.852863342996922e-05, "0.2061234039582942761363721"},
	{0.0005374234324621325, 1.2360380925547677e-124, "43033.39543984856908565123"},
	{87.56105940732651, 0.007799159846098777, "0.09007966120526112481562178"},
	{0.0352820966418574, 3.2967551613907814e-124, "659.4062101077903873370302"},
	{2.045184399772527e-06, 6.880663050003209e-10, "1340832.784284134220575371"},
	{15.01890353913505, 1.4647464376435518e-176, "1.892854049430729320778356"},
}

func ExampleSigma() {
	eps, _ := evidence.NewEpsilon("eps", 1)
	s, _ := gaussian.Sigma(eps, evidencetest.Delta(1e-5), 1)
	fmt.Printf("%.14f %s\n", s.Float(), s.Kind())
	// Output: 3.73063163481594 certified
}

func TestSigmaGolden(t *testing.T) {
	for _, g := range golden {
		want, _ := new(big.Float).SetPrec(200).SetString(g.sigma)
		near, _ := want.Float64()
		s, err := gaussian.Sigma(evidencetest.Epsilon(g.eps), evidencetest.Delta(g.delta), 1)
		if err != nil {
			t.Errorf("σ(%g, %g): %v", g.eps, g.delta, err)
			continue
		}
		if big.NewFloat(s.Lo).Cmp(want) > 0 || big.NewFloat(s.Hi).Cmp(want) < 0 {
			t.Errorf("σ(%g, %g) in [%v, %v] misses %s", g.eps, g.delta, s.Lo, s.Hi, g.sigma)
		}
		if s.Hi-s.Lo > 3*(math.Nextafter(near, math.Inf(1))-near) {
			t.Errorf("σ(%g, %g) in [%v, %v] is wide", g.eps, g.delta, s.Lo, s.Hi)
		}
		mu, err := gaussian.FastMu(evidencetest.Epsilon(g.eps), evidencetest.Delta(g.delta))
		fast := 1 / mu
		if err != nil || math.Abs(fast-near) > gaussian.FastError*near {
			t.Errorf("fast σ(%g, %g) = %v, %v, want %s: off by %.2g", g.eps, g.delta, fast, err, g.sigma, fast/near-1)
		}
	}
}

// The float64 path stays within its stated error of the enclosures.
func TestFastErrorAgainstEnclosures(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 1))
	worst := 0.0
	for range 3000 {
		eps := math.Pow(10, -6+9*src.Float64())
		delta := math.Pow(10, -0.302-300*math.Pow(src.Float64(), 3))
		m := must.For(gaussian.Mu(evidencetest.Epsilon(eps), evidencetest.Delta(delta)))(t)
		fast := must.For(gaussian.FastMu(evidencetest.Epsilon(eps), evidencetest.Delta(delta)))(t)
		off := math.Abs(fast/m.Float() - 1)
		if worst = max(worst, off); off > gaussian.FastError {
			t.Errorf("μ(%g, %g) = %v, enclosed [%v, %v]: off by %.2g", eps, delta, fast, m.Lo, m.Hi, off)
		}
	}
	t.Logf("largest relative error %.2g", worst)
}

// DeltaAt and EpsilonAt invert Mu over the whole range.
func TestRoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps := math.Pow(10, rapid.Float64Range(-4, 3).Draw(t, "log eps"))
		delta := math.Pow(10, rapid.Float64Range(-300, -0.31).Draw(t, "log delta"))
		e, _ := evidence.NewEpsilon("eps", eps)
		m := must.Be(gaussian.Mu(e, evidencetest.Delta(delta)))
		d := gaussian.DeltaAt(evidencetest.Epsilon(eps), interval.Float(m.Lo))
		if !(d.Lo <= delta) {
			t.Fatalf("at the lower bound of μ(%g, %g), δ is at least %v", eps, delta, d.Lo)
		}
		if up := gaussian.DeltaAt(evidencetest.Epsilon(eps), interval.Float(m.Hi)); !(up.Hi >= delta) {
			t.Fatalf("at the upper bound of μ(%g, %g), δ is at most %v", eps, delta, up.Hi)
		}
		back := must.Be(gaussian.EpsilonAt(evidencetest.Delta(delta), interval.Between(m.Lo, m.Hi)))
		if !(back.Lo <= eps*(1+1e-9)) || !(back.Hi >= eps*(1-1e-9)) || back.Hi-back.Lo > 1e-8*eps {
			t.Fatalf("ε(δ(%g)) in [%v, %v] at δ = %g", eps, back.Lo, back.Hi, delta)
		}
	})
}

// goldenEpsilon holds ε(δ, μ) to 25 digits, computed with mpmath 1.3.0. For μ below 1e9 it was computed by bisection at
// 700 digits on Theorem 8 itself, and for larger μ by Mills ratios at 60 digits.
var goldenEpsilon = []struct {
	delta, mu float64
	eps       string
}{
	{1e-05, 1.0, "4.377178095681224608553986"},
	{1e-05, 0.01, "0.02721941981457713592510883"},
	{1e-20, 0.1, "0.8818081113214620303777131"},
	{1e-300, 0.5, "18.59023429729775557997547"},
	{0.5, 2.0, "1.054264559885391906522338"},
	{0.999, 20.0, "137.1103638500193251575265"},
	{1e-05, 200.0, "20851.988679700928075542"},
	{1e-09, 3.0, "21.94558999096668390529517"},
	{1e-30, 1e-09, "9.268073833725844835599968e-9"},
	{1e-12, 1e-11, "9.023463475124940058623546e-12"},
	{1e-05, 1e9, "500000004264890792.9228246"},
	{0.999, 1e9, "499999996909767692.8321867"},
	{1e-300, 1e12, "500000000037047096299360.2"},
	{0.1, 1e15, "5.000000000000012815515655e+29"},
}

// isNarrow reports whether an enclosure is at most three ulps wide.
func isNarrow(c evidence.Certified) bool {
	return c.Hi-c.Lo <= 3*(math.Nextafter(c.Hi, math.Inf(1))-c.Hi)
}

// exactDelta returns the exact value of v as δ. evidencetest.Delta takes the shortest decimal that prints v instead.
func exactDelta(v float64) evidence.Delta {
	return must.Be(evidence.RationalDelta("delta", new(big.Rat).SetFloat64(v)))
}

func TestEpsilonGolden(t *testing.T) {
	for _, g := range goldenEpsilon {
		want, _ := new(big.Float).SetPrec(200).SetString(g.eps)
		e, err := gaussian.EpsilonAt(exactDelta(g.delta), interval.Float(g.mu))
		if err != nil || big.NewFloat(e.Lo).Cmp(want) > 0 || big.NewFloat(e.Hi).Cmp(want) < 0 || !isNarrow(e) {
			t.Errorf("ε(%g, %g) in [%v, %v], %v, want a tight enclosure of %s", g.delta, g.mu, e.Lo, e.Hi, err, g.eps)
		}
	}
	for _, g := range []struct {
		eps, delta float64
		sigma      string // to 25 digits, as in golden
	}{
		{1e-300, 1e-05, "39894.22803909883608273192"},
		{1e-20, 1e-100, "1868136917928780524334.621"},
		{1e-12, 1e-300, "36096113814991.81900237625"},
	} {
		want, _ := new(big.Float).SetPrec(200).SetString(g.sigma)
		s, err := gaussian.Sigma(evidencetest.Epsilon(g.eps), exactDelta(g.delta), 1)
		if err != nil || big.NewFloat(s.Lo).Cmp(want) > 0 || big.NewFloat(s.Hi).Cmp(want) < 0 || !isNarrow(s) {
			t.Errorf("σ(%g, %g) in [%v, %v], %v, want a tight enclosure of %s", g.eps, g.delta, s.Lo, s.Hi, err, g.sigma)
		}
	}
}

// The enclosures are narrow over the whole accepted range, limits included.
func TestNarrowThroughoutTheRange(t *testing.T) {
	deltas := []float64{1e-307, 1e-300, 1e-100, 1e-20, 1e-11, 1e-5, 0.1, 0.5, 0.999, 1 - 1e-10}
	for _, delta := range deltas {
		for _, mu := range []float64{1e-300, 1e-100, 1e-20, 1e-10, 0.9e-9, 1.1e-9, 1e-5, 0.01, 1, 99, 101, 1e5, 1e9, 1e50, 1e150} {
			if e, err := gaussian.EpsilonAt(exactDelta(delta), interval.Float(mu)); err != nil || !(e.Lo >= 0) || !isNarrow(e) {
				t.Errorf("ε(%g, %g) in [%v, %v], %v", delta, mu, e.Lo, e.Hi, err)
			}
		}
		for _, eps := range []float64{1e-300, 1e-100, 1e-15, 1e-10, 1e-6, 1, 1e3, 1e9, 1e15, 1e20} {
			if s, err := gaussian.Sigma(evidencetest.Epsilon(eps), exactDelta(delta), 1); err != nil || !(s.Lo > 0) || !isNarrow(s) {
				t.Errorf("σ(%g, %g) in [%v, %v], %v", eps, delta, s.Lo, s.Hi, err)
			}
		}
	}
	for _, eps := range []float64{1e-300, 1e-15, 1, 1e20, 1e300} {
		for _, sigma := range []float64{1e-300, 1e-100, 1e-10, 1e-3, 1, 1e3, 1e10, 1e100, 1e300} {
			if d, err := gaussian.Delta(evidencetest.Epsilon(eps), sigma, 1); err != nil || !(d.Lo >= 0 && d.Lo <= d.Hi && d.Hi <= 1) || !isNarrow(d) {
				t.Errorf("δ(%g, %g) in [%v, %v], %v", eps, sigma, d.Lo, d.Hi, err)
			}
		}
	}
}

// If μ = Δ/σ is huge, δ(ε, μ) is Φ(−a) up to φ(a)/μ. Here a = ε/μ − μ/2 in rational arithmetic, a difference of numbers
// of size μ that agree in all but their last digits. ε is the float64 nearest to μ(a + μ/2) for a wanted a. Above μ =
// 1e16, adjacent ε differ by several standard deviations.
func TestHugeSensitivities(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 1))
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	for range 2000 {
		sensitivity := math.Pow(10, 200*rng.Float64()-100)
		sigma := sensitivity / math.Pow(10, 6+140*rng.Float64())
		mu := new(big.Rat).Quo(rat(sensitivity), rat(sigma))
		wanted := 45*rng.Float64() - 9
		value, _ := new(big.Rat).Mul(mu, new(big.Rat).Add(rat(wanted), new(big.Rat).Quo(mu, rat(2)))).Float64()
		eps := must.For(evidence.NewEpsilon("eps", value))(t)
		a, _ := new(big.Rat).Sub(new(big.Rat).Quo(rat(value), mu), new(big.Rat).Quo(mu, rat(2))).Float64()
		got := must.For(gaussian.Delta(eps, sigma, sensitivity))(t)
		m, _ := mu.Float64()
		want := math.Erfc(a/math.Sqrt2) / 2
		// erfc magnifies the rounding error of a/√2 by a².
		off := want*(1e-15*(4+a*a)) + math.Exp(-a*a/2)/m + 2*math.SmallestNonzeroFloat64
		if got.Lo > want+off || got.Hi < want-off {
			t.Errorf("Δ = %g, σ = %g, ε = %g: δ in [%v, %v], want %v ± %v", sensitivity, sigma, value, got.Lo, got.Hi, want, off)
		}
		if got.Hi-got.Lo > 4*0x1p-52*got.Hi+2*math.SmallestNonzeroFloat64 {
			t.Errorf("Δ = %g, σ = %g, ε = %g: δ in [%v, %v] is wide", sensitivity, sigma, value, got.Lo, got.Hi)
		}
	}
}

// Every function rejects a parameter just outside either limit of its range. The error has the parameter's name, value
// and range.
func TestRefusedParameters(t *testing.T) {
	one := evidencetest.Epsilon(1)
	small, large := math.Nextafter(1e-307, 0), math.Nextafter(1e153, math.Inf(1))
	d := must.For(gaussian.NewDiscrete(big.NewRat(4, 1)))(t)
	million := must.For(gaussian.NewDiscrete(big.NewRat(1e12, 1)))(t)
	for _, c := range []struct {
		do   func() (any, error)
		want string // the error; empty if there is none
	}{
		{func() (any, error) { return gaussian.Delta(one, 0, 1) }, "sigma = 0, want a positive finite number"},
		{func() (any, error) { return gaussian.Delta(one, 1, -1) }, "sensitivity = -1, want a positive finite number"},
		{func() (any, error) { return gaussian.Epsilon(evidencetest.Delta(0.1), math.Inf(1), 1) }, "sigma = +Inf, want a positive finite number"},
		{func() (any, error) { return gaussian.Epsilon(evidencetest.Delta(0.1), 1, math.NaN()) }, "sensitivity = NaN, want a positive finite number"},
		{func() (any, error) { return gaussian.Epsilon(evidence.Delta{}, 0, 1) }, "sigma = 0, want a positive finite number"},
		{func() (any, error) { return gaussian.Epsilon(evidencetest.Delta(small), 1, 1) }, fmt.Sprintf("delta = %v, want a number from 1e-307 to below 1", small)},
		{func() (any, error) { return gaussian.Epsilon(evidencetest.Delta(0.1), 1, large) }, "sigma = 1, want at least the sensitivity 1.0000000000000002e+153 divided by 1e+153"},
		{func() (any, error) { return gaussian.Epsilon(evidencetest.Delta(0.1), 1, 1e153) }, ""},
		{func() (any, error) { return gaussian.Epsilon(evidencetest.Delta(1e-307), 1, 1) }, ""},
		{func() (any, error) { return gaussian.EpsilonAt(evidencetest.Delta(small), interval.Int(1)) }, fmt.Sprintf("delta = %v, want a number from 1e-307 to below 1", small)},
		{func() (any, error) { return gaussian.EpsilonAt(evidencetest.Delta(0.1), interval.Float(2e153)) }, "mu = 2e+153 (the sensitivity divided by the standard deviation of the noise), want at most 1e+153"},
		{func() (any, error) { return gaussian.EpsilonAt(evidencetest.Delta(0.1), interval.Between(0, 2e153)) }, "mu = 2e+153 (the sensitivity divided by the standard deviation of the noise), want at most 1e+153"},
		{func() (any, error) { return gaussian.EpsilonAt(evidencetest.Delta(0.1), interval.Float(1e153)) }, ""},
		{func() (any, error) { return gaussian.Mu(one, evidencetest.Delta(small)) }, fmt.Sprintf("delta = %v, want a number from 1e-307 to below 1", small)},
		{func() (any, error) { return gaussian.Mu(evidencetest.Epsilon(1.1e20), evidencetest.Delta(0.1)) }, "eps = 1.1e+20, want a number between 1e-300 and 1e+20"},
		{func() (any, error) { return gaussian.Mu(evidencetest.Epsilon(0.9e-300), evidencetest.Delta(0.1)) }, "eps = 9e-301, want a number between 1e-300 and 1e+20"},
		{func() (any, error) { return gaussian.Mu(evidencetest.Epsilon(1e20), evidencetest.Delta(0.1)) }, ""},
		{func() (any, error) { return gaussian.Mu(evidencetest.Epsilon(1e-300), evidencetest.Delta(0.1)) }, ""},
		{func() (any, error) { return gaussian.Mu(one, evidencetest.Delta(1e-307)) }, ""},
		{func() (any, error) { return gaussian.Sigma(one, evidencetest.Delta(0.1), 0) }, "sensitivity = 0, want a positive finite number"},
		{func() (any, error) { return gaussian.Sigma(one, evidence.Delta{}, 1) }, "delta = 0, want 0 < delta < 1"},
		{func() (any, error) { return gaussian.FastMu(evidencetest.Epsilon(1e21), evidencetest.Delta(0.1)) }, "eps = 1e+21, want a number between 1e-300 and 1e+20"},
		{func() (any, error) { return gaussian.NewDiscrete(big.NewRat(1, 1<<20)) }, ""},
		{func() (any, error) {
			return gaussian.NewDiscrete(new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 100)))
		}, ""},
		{func() (any, error) { return gaussian.NewDiscrete(big.NewRat(1, 1<<20+1)) }, "sigma² = 1/1048577, want 2^-20…2^100, in squared steps"},
		{func() (any, error) { return d.Masses(0, 1<<20+1) }, "n = 1048577, want 0…2^20"},
		{func() (any, error) { return d.Masses(0, -1) }, "n = -1, want 0…2^20"},
		{func() (any, error) { return d.Masses(1<<60+1, 1) }, "from = 1152921504606846977, want -2^60…2^60"},
		{func() (any, error) { return d.Masses(-1<<60-1, 1) }, "from = -1152921504606846977, want -2^60…2^60"},
		{func() (any, error) { return d.Masses(1<<60, 1) }, ""},
		{func() (any, error) { return d.Masses(-1<<60, 0) }, ""},
		{func() (any, error) { return d.Delta(one, 0) }, "shift = 0, want 1…1000·sigma"},
		{func() (any, error) { return d.Delta(one, 2001) }, "shift = 2001, want 1…1000·sigma"},
		{func() (any, error) { return d.Delta(one, 2000) }, ""},
		{func() (any, error) { return million.Delta(one, 1e9+1) }, "shift = 1000000001, want 1…1000·sigma"},
	} {
		v, err := c.do()
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%v, want no error", err)
		case c.want != "" && (!errors.Is(err, evidence.ErrParameter) || err.Error() != c.want || !reflect.ValueOf(v).IsZero()):
			t.Errorf("%v, error %v, want %q", v, err, c.want)
		}
	}
}

// At δ = 0 the smallest ε is infinite, unless the sensitivity is 0. This holds for each bound of an interval
// separately.
func TestPureEpsilon(t *testing.T) {
	for _, c := range []struct {
		mu     interval.Interval
		lo, hi float64
	}{
		{interval.Int(0), 0, 0}, {interval.Float(1e-300), math.Inf(1), math.Inf(1)},
		{interval.Between(0, 1), 0, math.Inf(1)}, {interval.Between(-1, 0), 0, 0}, {interval.Between(-1, 1), 0, math.Inf(1)},
	} {
		if got, err := gaussian.EpsilonAt(evidence.Delta{}, c.mu); err != nil || got.Lo != c.lo || got.Hi != c.hi || got.Side != evidence.Up {
			t.Errorf("μ in %v: ε in [%v, %v], side %v, %v, want [%v, %v]", c.mu, got.Lo, got.Hi, got.Side, err, c.lo, c.hi)
		}
	}
	if got, err := gaussian.Epsilon(evidence.Delta{}, 2, 1); err != nil || !math.IsInf(got.Lo, 1) || !math.IsInf(got.Hi, 1) || got.Float() != got.Hi {
		t.Errorf("δ = 0: %v, %v, want infinity", got, err)
	}
}

// EpsilonAt returns ordered bounds or an error for every interval of μ.
func TestAnyIntervalOfMu(t *testing.T) {
	ends := []float64{math.Inf(-1), -1, 0, 5e-324, 1e-200, 1e-9, 1, 40, 1e10, 1e153, 1e300, math.Inf(1), math.NaN()}
	inOrder := func(what string, c evidence.Certified) {
		if !(c.Lo <= c.Hi) {
			t.Errorf("%s is in [%v, %v]", what, c.Lo, c.Hi)
		}
	}
	for _, lo := range ends {
		for _, hi := range ends {
			mu := interval.Float(hi)
			if lo < hi {
				mu = interval.Between(lo, hi)
			}
			for _, eps := range []float64{0, 1e-300, 1, 700, 1e20, 1e300} {
				inOrder("δ", gaussian.DeltaAt(evidencetest.Epsilon(eps), mu))
			}
			for _, delta := range []float64{0, 1e-307, 1e-5, 0.5, 1 - 1e-16} {
				if e, err := gaussian.EpsilonAt(evidencetest.Delta(delta), mu); err == nil {
					inOrder("ε", e)
				}
			}
		}
	}
}

// This inverts TestHugeSensitivities: the values of a at the bounds of a certified ε lie on both sides of the wanted a.
func TestSmallestEpsilonOfHugeSensitivities(t *testing.T) {
	rng := rand.New(rand.NewPCG(62, 1))
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	for range 1000 {
		sensitivity := math.Pow(10, 100*rng.Float64()-50)
		sigma := sensitivity / math.Pow(10, 9+140*rng.Float64())
		wanted := 35*rng.Float64() - 5
		delta := math.Erfc(wanted/math.Sqrt2) / 2 // of a = wanted, to 1e-12
		got, err := gaussian.Epsilon(evidencetest.Delta(delta), sigma, sensitivity)
		if err != nil {
			t.Fatalf("δ = %g, σ = %g, Δ = %g: %v", delta, sigma, sensitivity, err)
		}
		mu := new(big.Rat).Quo(rat(sensitivity), rat(sigma))
		at := func(eps float64) float64 {
			a, _ := new(big.Rat).Sub(new(big.Rat).Quo(rat(eps), mu), new(big.Rat).Quo(mu, rat(2))).Float64()
			return a
		}
		const off = 1e-6 // dδ/da ≥ 1e-5·δ, and φ(a)/μ
		if at(got.Lo) > wanted+off || at(got.Hi) < wanted-off {
			t.Errorf("δ = %g, μ = %v: ε in [%v, %v], a from %v to %v, want %v", delta, mu.FloatString(3), got.Lo, got.Hi, at(got.Lo), at(got.Hi), wanted)
		}
		if got.Hi-got.Lo > 4*0x1p-52*got.Hi {
			t.Errorf("δ = %g, Δ/σ = %g: ε in [%v, %v] is wide", delta, sensitivity/sigma, got.Lo, got.Hi)
		}
	}
}

// SigmaAt accepts an interval for the sensitivity. The test uses the published δ for ε = 1 and σ = Δ, so the result
// must be Δ.
func TestSigmaAtInterval(t *testing.T) {
	q, _ := new(big.Rat).SetString("0.126936737506643946") // Balle and Wang (2018), Theorem 8, σ = Δ = ε = 1
	delta := must.Be(evidence.RationalDelta("delta", q))
	one, third := must.Be(evidence.NewEpsilon("eps", 1)), interval.Rat(big.NewRat(1, 3))
	sigma := must.Be(gaussian.SigmaAt(one, delta, third))
	if lo, hi := third.Bounds(); sigma.Lo > lo || sigma.Hi < hi || sigma.Hi-sigma.Lo > 4e-16 || sigma.Side != evidence.Up {
		t.Errorf("σ = %v for sensitivity 1/3", sigma)
	}
	if wide := must.Be(gaussian.SigmaAt(one, delta, interval.Hull(third, interval.Int(2)))); wide.Lo > sigma.Hi || wide.Hi < 2 || wide.Hi > 2+1e-15 {
		t.Errorf("σ = %v for sensitivities from 1/3 to 2", wide)
	}
	if _, err := gaussian.SigmaAt(evidence.Epsilon{}, delta, third); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("ε = 0 gives error %v", err)
	}
}
