package learn_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"
	"dpworkbench/reproductions/learn"
)

// Exponent, distance and likelihood agree with mpmath at 40 digits. The exponent is the root of the likelihood's
// derivative with Hurwitz's ζ, and sums are taken term by term.
func TestPowerLaw(t *testing.T) {
	for _, c := range []struct {
		opts                   learn.PowerLawOptions
		least                  int
		exponent, distance, ll float64
	}{
		{learn.PowerLawOptions{}, 2, 2.161474127148294, 0.09998306779303366, -72.25904796214806},
		{learn.PowerLawOptions{Min: 1}, 1, 1.5663222218266277, 0.3902932964994786, -97.71095004546594},
		{learn.PowerLawOptions{Min: 3}, 3, 2.445233250004158, 0.10578242551611958, -50.086011627409285},
		{learn.PowerLawOptions{Min: 5}, 5, 2.7026063772333146, 0.15910909764589912, -25.73812285129408},
		{learn.PowerLawOptions{Min: 1, Max: 6}, 1, 0.07921681920126879, 0.14709793806481547, -51.92703341001449},
	} {
		fit := must.Be(learn.FitPowerLaw(t.Context(), degreesOf(t, learn.Karate), c.opts))
		if fit.Min != c.least || math.Abs(fit.Exponent-c.exponent) > 1e-10 || math.Abs(fit.Distance-c.distance) > 1e-10 || math.Abs(fit.LogLikelihood-c.ll) > 1e-9 {
			t.Errorf("%+v: %+v, want %+v", c.opts, fit, c)
		}
	}
	// Degrees that are nearly equal give a large exponent.
	if fit, err := learn.FitPowerLaw(t.Context(), []int{1000, 1001, 1001, 1000, 1000}, learn.PowerLawOptions{}); err != nil || !(fit.Exponent > 100 && fit.Exponent < 1e5) {
		t.Errorf("fit %+v, error %v, want a large exponent", fit, err)
	}
	for what, c := range map[string]struct {
		values []int
		opts   learn.PowerLawOptions
	}{
		"none": {}, "one": {[]int{3}, learn.PowerLawOptions{}}, "equals": {[]int{4, 4, 4, 0}, learn.PowerLawOptions{}}, "zeros": {[]int{0, 0}, learn.PowerLawOptions{}},
		"a negative one": {[]int{1, -2, 3}, learn.PowerLawOptions{}}, "all below x_min": {[]int{1, 2, 3}, learn.PowerLawOptions{Min: 5}}, "one above x_min": {[]int{1, 2, 5}, learn.PowerLawOptions{Min: 5}},
		"a negative x_min": {[]int{1, 2}, learn.PowerLawOptions{Min: -1}}, "x_max below x_min": {[]int{1, 2}, learn.PowerLawOptions{Min: 2, Max: 2}}, "a huge one": {[]int{1, 1 << 40}, learn.PowerLawOptions{}},
	} {
		if _, err := learn.FitPowerLaw(t.Context(), c.values, c.opts); !errors.Is(err, parameter.Err) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Fits of the club's degrees and their standard errors agree with mpmath. The fit reports the requested range.
func TestFitsOfTails(t *testing.T) {
	degrees := degreesOf(t, learn.Karate)
	for _, c := range []struct {
		opts                learn.PowerLawOptions
		min, tail           int
		exponent, deviation float64
	}{
		{learn.PowerLawOptions{}, 2, 33, 2.16147412714829385, 0.206138847598981782},
		{learn.PowerLawOptions{Min: 1}, 1, 34, 1.56632222182662772, 0.0993888346833739533},
		{learn.PowerLawOptions{Min: 3}, 3, 22, 2.445233250004158, 0.311940930536375589},
		{learn.PowerLawOptions{Min: 5}, 5, 10, 2.70260637723331449, 0.541484685048661645},
		{learn.PowerLawOptions{Min: 1, Max: 6}, 1, 29, 0.0792168192012687817, 0.302315530033591237},
		{learn.PowerLawOptions{Min: 2, Max: 9}, 2, 29, 1.81902836926482836, 0.390863102689759471},
	} {
		fit := must.For(learn.FitPowerLaw(t.Context(), degrees, c.opts))(t)
		if fit.Min != c.min || fit.Max != c.opts.Max || fit.Tail != c.tail || fit.Count != 34 || math.Abs(fit.Exponent-c.exponent) > 2e-13*max(1, c.exponent) || math.Abs(fit.StandardError/c.deviation-1) > 1e-11 {
			t.Errorf("%+v: %+v, want %+v", c.opts, fit, c)
		}
	}
	// With a values of 1 and b values of 2, and Max = 2, the fit has 2^−s = b/a. s may be positive or negative.
	for _, c := range [][2]int{{3, 1}, {1, 3}, {1, 40}, {2, 2}, {1, 1000}} {
		var values []int
		for range c[0] {
			values = append(values, 1)
		}
		for range c[1] {
			values = append(values, 2, 0)
		}
		fit := must.For(learn.FitPowerLaw(t.Context(), values, learn.PowerLawOptions{Min: 1, Max: 2}))(t)
		a, b := float64(c[0]), float64(c[1])
		n := a + b
		ll := a*math.Log(a/n) + b*math.Log(b/n)
		if math.Abs(fit.Exponent-math.Log2(a/b)) > 1e-11+0x1p-52*n*n*n/(a*b) || // the mean has n roundings, and its derivative is the variance
			fit.Distance > 1e-11 || fit.Tail != c[0]+c[1] || fit.Count != fit.Tail || math.Abs(fit.LogLikelihood-ll) > 1e-11*n || math.Abs(fit.StandardError*math.Sqrt(a*b/n)*math.Ln2-1) > 1e-9 {
			t.Errorf("%v: %+v, want exponent %v", c, fit, math.Log2(a/b))
		}
	}
	// In the range 3 to 4, (3/4)^s = b/a. Values outside are ignored.
	fit := must.For(learn.FitPowerLaw(t.Context(), []int{1, 2, 3, 3, 3, 4, 5, 9}, learn.PowerLawOptions{Min: 3, Max: 4}))(t)
	if math.Abs(fit.Exponent-math.Log(3)/math.Log(4./3)) > 1e-10 || fit.Tail != 4 || fit.Count != 8 || math.Abs(fit.LogLikelihood-3*math.Log(.75)-math.Log(.25)) > 1e-11 {
		t.Errorf("range 3 to 4: %+v", fit)
	}
	// The distance is also taken at degrees that do not occur, such as 2 here.
	fit = must.For(learn.FitPowerLaw(t.Context(), []int{1, 3}, learn.PowerLawOptions{Min: 1, Max: 3}))(t)
	at1 := 1 / (1 + math.Pow(2, -fit.Exponent) + math.Pow(3, -fit.Exponent))
	at2 := at1 * (1 + math.Pow(2, -fit.Exponent))
	if want := max(math.Abs(at1-.5), math.Abs(at2-.5)); math.Abs(fit.Distance-want) > 1e-12 || want < 0.1 {
		t.Errorf("distance %v, want %v", fit.Distance, want)
	}
	// A given minimum below all values is kept.
	if fit = must.For(learn.FitPowerLaw(t.Context(), []int{5, 6, 9}, learn.PowerLawOptions{Min: 4}))(t); fit.Min != 4 || fit.Tail != 3 {
		t.Errorf("minimum 4: %+v", fit)
	}
	// Of equally good minima the first is chosen.
	if fit = must.For(learn.FitPowerLaw(t.Context(), []int{1, 2, 4, 8}, learn.PowerLawOptions{Max: 8}))(t); fit.Min > 4 {
		t.Errorf("several minima fit equally well: %+v, want the smallest", fit)
	}
}

// The laws and divergences of degrees agree with values computed by counting.
func TestDegreeLaws(t *testing.T) {
	law := must.For(learn.DegreeLaw([]int{0, 2, 2, 1}))(t)
	for k, want := range []float64{.25, .25, .5, 0} {
		if law[k] != want {
			t.Errorf("p(%d) = %v, want %v", k, law[k], want)
		}
	}
	// The divergence is ½ ln(½/(¾·¼ + ¼·¼)) + ¼ ln(¼/(¾·½ + 1/16)) + ¼ ln(¼/(¾·¼ + 1/16)). The second graph has degrees
	// 0, 0, 1, 3.
	got := must.For(learn.DegreeDivergence([]int{0, 2, 2, 1}, []int{0, 0, 1, 3}, learn.DivergenceOptions{Mix: 0.25}))(t)
	want := .25*math.Log(.25/(.75*.5+1./16)) + .25*math.Log(.25/(.75*.25+1./16)) + .5*math.Log(.5/(1./16))
	if math.Abs(got-want) > 1e-15 {
		t.Errorf("divergence %v, want %v", got, want)
	}
	// The common degrees are 0 and 1. With the laws (¼, ¼, ½) and (½, ¼) the divergence is ¼ ln ½ + ¼ ln 1.
	// Renormalised laws are (½, ½) and (⅔, ⅓).
	for _, c := range []struct {
		renormalised bool
		want         float64
	}{{false, .25 * math.Log(.5)}, {true, .5*math.Log(.75) + .5*math.Log(1.5)}} {
		got := must.For(learn.DegreeDivergence([]int{0, 2, 2, 1}, []int{0, 0, 1, 3}, learn.DivergenceOptions{Common: true, Renormalised: c.renormalised}))(t)
		if math.Abs(got-c.want) > 1e-15 {
			t.Errorf("renormalised %v: divergence %v, want %v", c.renormalised, got, c.want)
		}
	}
	if a, b, n, err := learn.CommonDegrees([]int{0, 2, 2, 1}, []int{0, 0, 1, 3}); a != .5 || b != .75 || n != 2 || err != nil {
		t.Errorf("common degrees have masses %v and %v, on %d degrees, error %v", a, b, n, err)
	}
	if got := must.For(learn.DegreeDivergence([]int{2, 2, 2}, []int{1, 1, 0}, learn.DivergenceOptions{Common: true}))(t); got != 0 {
		t.Errorf("a complete graph scores %v, want 0", got)
	}
	for _, c := range []struct {
		degrees []int
		want    []float64
	}{
		{[]int{0, 0, 0}, []float64{1, 0, 0}}, {[]int{2, 2, 2}, []float64{0, 0, 1}}, {[]int{0}, []float64{1}},
		{[]int{1, 1, 0, 0}, []float64{125. / 216, 75. / 216, 15. / 216, 1. / 216}}, // Binomial(3, 1/6)
	} {
		for k, v := range must.For(learn.RandomLaw(c.degrees))(t) {
			if math.Abs(v-c.want[k]) > 1e-14 {
				t.Errorf("%v: p(%d) = %v, want %v", c.degrees, k, v, c.want[k])
			}
		}
	}
	if d := must.For(learn.RandomDivergence([]int{1, 1}))(t); d != 0 {
		t.Errorf("an edge: %v", d)
	}
}

// Likelihood and mean logarithm at the fitted exponent s agree with a direct sum of many terms, for a wide range of
// exponents and minima.
func TestFitsAgainstDirectSums(t *testing.T) {
	direct := func(q, s float64) (logSum, mean float64) {
		const far = 1 << 22
		var sum, first float64
		for k := q; k < far; k++ {
			x := math.Log(k / q)
			w := math.Exp(-s * x)
			sum, first = sum+w, first+w*x
		}
		// The terms from far on are their integral and half the first, up to 1e-13 of the sum.
		x := math.Log(far / q)
		w := math.Exp(-s * x)
		sum, first = sum+w*(far/(s-1)+.5), first+w*(far*(x/(s-1)+1/((s-1)*(s-1)))+x/2)
		return math.Log(sum), first / sum
	}
	for _, c := range []struct{ q, s float64 }{{1, 1.5}, {1, 3}, {7, 2.2}, {1000, 40}, {1000, 3000}, {30, 1.09}, {100, 12.5}} {
		// Copies of q and of v, with about the mean logarithm of the law with exponent s.
		_, mean := direct(c.q, c.s)
		v := math.Ceil(c.q * math.Exp(1.1*mean))
		copies := math.Round(1000 * mean / math.Log(v/c.q))
		values := append(slices.Repeat([]int{int(v)}, int(copies)), slices.Repeat([]int{int(c.q)}, 1000-int(copies))...)
		fit := must.Be(learn.FitPowerLaw(t.Context(), values, learn.PowerLawOptions{Min: int(c.q)}))
		logSum, mean := direct(c.q, fit.Exponent)
		want := copies / 1000 * math.Log(v/c.q)
		if math.Abs(fit.LogLikelihood/1000+fit.Exponent*want+logSum) > 1e-10 || math.Abs(want-mean) > 1e-10*mean || math.Abs(fit.Exponent/c.s-1) > .1 {
			t.Errorf("s = %g, minimum %g: %+v, want the mean %v, found %v", c.s, c.q, fit, want, mean)
		}
	}
}
