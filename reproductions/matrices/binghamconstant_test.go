package matrices

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"
)

// With two eigenvalues of any multiplicities the constant is Kummer's function ₁F₁(m/2; q/2; κ), which also gives
// moment and acceptance. The intervals must contain the 28 digits from mpmath without tolerance.
func TestBinghamConstants(t *testing.T) {
	for _, c := range []struct {
		q, m                               int // the order, and the multiplicity of the larger eigenvalue
		kappa, least                       float64
		constant, moment, acceptance, root string
	}{
		{2, 1, .5, 0, "0.2655643853133810641262465178", "0.2810083754794811786541410907", "0.9853266661472037664896326019", "1.618033988749894848204586834"},
		{2, 1, 40, -3, "34.58961042824427429080055255", "36.49341015779614251799445078", "0.6661277830272002437906537189", "1.012498047485113248180156358"},
		{3, 1, 7.5, 1, "5.877398781865639054183642007", "7.385749854467152455134496607", "0.6103611417618901718959395301", "1.141428428542849997999399811"},
		{3, 2, 100, -100, "-2.423367330629290906363509900", "-0.5000000000000000000000000000", "0.7993211766672176937358657253", "2.009949756230601749262040606"},
		{5, 2, 12.25, .5, "9.276374323701833209408451215", "11.25023150497009081013455473", "0.6828446788628865821548622538", "2.252603884157803864085893128"},
		{8, 3, 1000, 0, "984.6419016299142776474702989", "997.5012537634956135815138331", "0.5933694334066313846909141086", "3.007507479298175469202584777"},
		{2, 1, 5000, 0, "4995.169088471371350468415786", "4999.499949979987489589256797", "0.6578104078113746025525616231", "1.000099999999000000019999999"},
		{4, 1, .0009765625, 2, "2.000244170429747706871125310", "2.000244200236920732860230491", "0.9999999850939879460670509192", "3.998535335107592733138119225"},
	} {
		v := make([]float64, c.q)
		for i := range v {
			if v[i] = c.least; i < c.m {
				v[i] += c.kappa
			}
		}
		b, what := must.Be(NewBingham(mat.NewDiagDense(len(v), v))), fmt.Sprintf("%d of %d at %v", c.m, c.q, c.kappa)
		// k terms have an error of about k² units. The number of terms is 3κ, or a few for small κ.
		share := 1e-11 + 1e-14*c.kappa*c.kappa
		for name, n := range map[string]struct {
			got  evidence.Certified
			want string
			most float64
		}{
			"constant":   {must.For(b.LogConstant(t.Context()))(t), c.constant, share},
			"moment":     {must.For(b.Moment(t.Context()))(t), c.moment, share * (4 + c.kappa)},
			"acceptance": {must.For(b.Acceptance(t.Context()))(t), c.acceptance, share * (1 + c.kappa)},
		} {
			CheckDecimal(t, what+": "+name, n.got.Lo, n.got.Hi, n.want, n.most)
			if n.got.Method != "positive terms, summed with their rounding" || n.got.Source != constantSource {
				t.Errorf("%s: %+v", what, n.got)
			}
		}
		q := Rational(t, c.root)
		if want, _ := q.Float64(); math.Abs(b.b-want) > 4e-16*want {
			t.Errorf("%s: envelope %v, want %v", what, b.b, want)
		}
	}
	// If all eigenvalues are equal, the law is uniform, its constant is e^a, and every proposal is accepted.
	for q := 1; q <= 4; q++ {
		v := make([]float64, q)
		for i := range v {
			v[i] = 2.5
		}
		b := must.Be(NewBingham(mat.NewDiagDense(len(v), v)))
		for what, n := range map[string]evidence.Certified{"constant": must.For(b.LogConstant(t.Context()))(t), "moment": must.For(b.Moment(t.Context()))(t)} {
			if n.Lo != 2.5 || n.Hi != 2.5 {
				t.Errorf("%d equal eigenvalues: %s %v, want 2.5", q, what, n)
			}
		}
		if a := must.For(b.Acceptance(t.Context()))(t); a.Hi != 1 || a.Lo < 1-1e-15 || math.Abs(b.b-float64(q)) > 1e-15*float64(q) || b.Order() != q {
			t.Errorf("%d equal eigenvalues: acceptance %v, envelope %v, order %d", q, a, b.b, b.Order())
		}
	}
}

// A series that overflows is refused, and no result comes with the error. The same order with smaller eigenvalues is not.
func TestConstantOverflowIsRefused(t *testing.T) {
	wide := Bingham{values: append(slices.Repeat([]float64{100}, 4095), 0)} // the 300th coefficient is about 10³⁸⁸
	s, err := wide.LogConstant(t.Context())
	if want := "a is 4096×4096 with eigenvalues 100 apart: the series of the normalizing constant overflows float64"; err == nil || err.Error() != want || !errors.Is(err, parameter.Err) || s.Hi != 0 {
		t.Errorf("log constant %v, error %v, want %s", s, err, want)
	}
	few := Bingham{values: append(slices.Repeat([]float64{1}, 4095), 0)} // E e^{1 − v₁²} is near e^{1 − 1/4096}
	if s, err = few.LogConstant(t.Context()); err != nil || math.Abs(s.Lo-1+1./4096) > 1e-6 || s.Lo > s.Hi {
		t.Errorf("log constant %v, error %v, want 1 − 1/4096", s, err)
	}
}
