package mvg

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// What is beyond the numbers of a computation, or leaves it nothing to divide by, is refused
// wherever it appears.
func TestBeyondNumbersIsRefused(t *testing.T) {
	nan := mat.NewDense(2, 2, []float64{1, math.NaN(), 0, 1})
	corner := mat.NewDense(2, 2, []float64{1, 0, 0, math.NaN()})
	zero, eye := mat.NewDense(2, 2, nil), symmetric.Eye(2)
	flat := mat.NewDense(2, 2, []float64{1, 0, 1, 0})
	e := symmetric.Exactly
	line := func(v ...float64) []interval.Interval { return exactly(v) }
	of := func(s Sensitivity, objective Objective, mode Mode) *optimizer {
		return &optimizer{
			ctx: context.Background(), s: s, goal: Goal{objective, []float64{1, 2}}, recipe: Recipe{Mode: mode},
			frame: ok(newFrame(nil, []float64{1, 2})), mu: evidence.Certified{Lo: 1, Hi: 1}, n: 2, columns: 1,
		}
	}
	list := func(d ...*mat.Dense) Differences { return Differences{2, 2, d} }
	box := ok(NewBox(2, []float64{1, 2}))
	some := symmetric.RandomBasis(2, rand.NewPCG(7, 1))
	turned := of(box, LeastError, Unimodal)
	turned.frame = ok(newFrame(some, []float64{1, 2}))
	fill := ok(NewBall(2, 2, BallOptions{S2: 1, Gamma: 1}))
	pairsOf := func(d ...*mat.Dense) *pairs {
		s := &pairs{optimizer: of(list(d...), MostInformation, Bimodal), rows: []int{0, 1}, gains: []float64{1, 2}, list: d}
		for _, a := range d {
			s.exact = append(s.exact, e(a))
		}
		return s
	}
	sharesOf := func(mode Mode, diagonal bool) *shares {
		s := &shares{geodesic: &geodesic{mode: mode, diagonal: diagonal}, frame: ok(newFrame(nil, []float64{1, 2}))}
		s.factors(eye, eye)
		return s
	}
	certified := func(mode Mode, a, b, d *mat.Dense, y ...float64) error {
		_, err := (&geodesic{mode: mode}).certified(ok(newFrame(nil, []float64{1, 2})), []*mat.Dense{d, d}, a, b, y)
		return err
	}
	second := func(_ any, err error) error { return err }
	for name, f := range map[string]func() error{
		"a negative precision": func() error {
			return second(of(fill, LeastError, Unimodal).finish([]float64{1, -1}, interval.Int(1), true, ""))
		},
		"an infinite precision": func() error {
			return second(of(fill, LeastError, Unimodal).finish([]float64{1, math.Inf(1)}, interval.Int(1), true, ""))
		},
		"precisions of a list that is NaN": func() error {
			return second(of(list(nan), LeastError, Unimodal).finish([]float64{1, 1}, interval.Int(1), true, ""))
		},
		"no precision of a ball":         func() error { return second(of(fill, LeastError, Unimodal).over(line(0, 0))) },
		"no precision of a box":          func() error { return second(of(box, LeastError, Unimodal).over(line(0, 0))) },
		"no precision of a turned box":   func() error { return second(turned.over(line(0, 0))) },
		"a list that is NaN":             func() error { return second(of(list(nan), LeastError, Unimodal).over(line(1, 1))) },
		"a list that is NaN, Ψ = Σ":      func() error { return second(of(list(nan), LeastError, Equimodal).over(line(1, 1))) },
		"a form of 0":                    func() error { return second(turned.signMaximum(e(zero))) },
		"a form unknown on its diagonal": func() error { return second(turned.signMaximum(e(corner))) },
		"a form unknown beside it":       func() error { return second(turned.signMaximum(e(nan))) },
		"factors for NaN":                func() error { return second(of(list(nan), LeastError, Unimodal).factored(e(eye), nil)) },
		"factors for 0":                  func() error { return second(of(list(zero), LeastError, Unimodal).factored(e(eye), nil)) },
		"factors of 0 for a box":         func() error { return second(of(box, LeastError, Unimodal).factored(e(zero), nil)) },
		"a design of factors for NaN": func() error {
			return second(of(list(nan), LeastError, Unimodal).dense(e(eye), nil, interval.Int(1), true, 0, ""))
		},
		"the error of a singular P": func() error {
			return second(ok(of(list(eye), LeastError, Unimodal).factored(e(flat), nil)).value())
		},
		"a design of a singular P": func() error {
			return second(of(list(eye), LeastError, Unimodal).dense(e(flat), nil, interval.Int(1), true, 0, ""))
		},
		"the error of a singular Q": func() error {
			return second(ok(of(list(eye), LeastError, Bimodal).factored(e(eye), e(flat))).value())
		},
		"the information of NaN": func() error {
			at := ok(of(list(eye), MostInformation, Unimodal).factored(e(eye), nil))
			at.a = e(nan)
			return second(at.value())
		},
		"no multipliers": func() error {
			return second(of(fill, LeastError, Unimodal).dual([][]interval.Interval{line(1, 1)}, []float64{0}))
		},
		"multipliers of NaN": func() error {
			return second(of(fill, LeastError, Unimodal).dual([][]interval.Interval{line(1, 1), line(1, 1)}, []float64{math.NaN(), math.Inf(1)}))
		},
		"a direction without a price": func() error {
			return second(of(fill, MostInformation, Unimodal).dual([][]interval.Interval{line(1, 0)}, []float64{1}))
		},
		"a price of 0":       func() error { return second(surplus(line(1), line(0))) },
		"a plane of NaN":     func() error { return second(of(fill, LeastError, Unimodal).plane(nan)) },
		"a singular tangent": func() error { _, _, err := tangent(e(zero), e(eye)); return err },
		"a tangent of NaN":   func() error { _, _, err := tangent(e(eye), e(nan)); return err },
		"an informed y of NaN": func() error {
			return second(of(fill, MostInformation, Unimodal).informedLimit([]*mat.Dense{eye}, []float64{math.NaN()}))
		},
		"an informed y of ∞": func() error {
			return second(of(fill, MostInformation, Unimodal).informedLimit([]*mat.Dense{eye}, []float64{math.Inf(1)}))
		},
		"an informed y < 0": func() error {
			return second(of(fill, MostInformation, Unimodal).informedLimit([]*mat.Dense{eye}, []float64{-1}))
		},
		"an informed bound of singular differences": func() error {
			return second(of(fill, MostInformation, Unimodal).informedLimit([]*mat.Dense{mat.NewDense(2, 2, []float64{1, 1, 0, 0})}, []float64{1}))
		},
		"shares of NaN":               func() error { return certified(Unimodal, eye, nil, eye, 1, math.NaN()) },
		"shares of ∞":                 func() error { return certified(Unimodal, eye, nil, eye, 1, math.Inf(1)) },
		"shares below 0":              func() error { return certified(Unimodal, eye, nil, eye, 1, -0.5) },
		"no shares":                   func() error { return certified(Unimodal, eye, nil, eye, 0, 0) },
		"shares of a NaN difference":  func() error { return certified(Unimodal, eye, nil, nan, 1, 0) },
		"shares of no difference":     func() error { return certified(Unimodal, eye, nil, zero, 1, 0) },
		"the ceiling of NaN":          func() error { s := sharesOf(Unimodal, false); s.rows = e(nan); return second(s.ceiling()) },
		"the ceiling of a NaN corner": func() error { s := sharesOf(Unimodal, true); s.rows = e(corner); return second(s.ceiling()) },
		"the end ∞":                   func() error { return second(upperEnd(math.Inf(1))) },
		"the end 0":                   func() error { return second(upperEnd(0)) },
		"the end NaN":                 func() error { return second(upperEnd(math.NaN())) },
		"pairs' y of NaN":             func() error { return second(pairsOf(eye).limit([]float64{math.NaN()})) },
		"pairs' y of ∞":               func() error { return second(pairsOf(eye).limit([]float64{math.Inf(1)})) },
		"pairs' y below 0":            func() error { return second(pairsOf(eye).limit([]float64{-1})) },
		"pairs' singular sums":        func() error { return second(pairsOf(eye).limit([]float64{1})) },
		"pairs without differences":   func() error { _, _, err := pairsOf(zero).forColumns(eye); return err },
		"pairs beyond float64": func() error {
			_, _, err := pairsOf(eye).forColumns(mat.NewDense(2, 2, []float64{1e200, 0, 0, 1e200}))
			return err
		},
		"pairs without precisions": func() error { _, _, err := pairsOf(eye).balancedColumns([]float64{0, 0}); return err },
		"rows without precisions":  func() error { return second(pairsOf(eye).forRows([]float64{0, 0}, eye)) },
		"axes without precisions":  func() error { return second(pairsOf(eye).forAxes([]float64{0, 0}, eye, []*mat.Dense{zero})) },
		"axes beyond float64": func() error {
			return second(pairsOf(eye).forAxes([]float64{1, 1}, eye, []*mat.Dense{mat.NewDense(2, 2, []float64{1e200, 0, 0, 1e200})}))
		},
		"some in all of no precisions": func() error { return second(pairsOf(eye).someInAll([]float64{0, 0}, eye)) },
		"a design without precisions":  func() error { return second(pairsOf(eye).design([]float64{0, 0}, eye, interval.Int(1))) },
		"turns without differences":    func() error { _, _, _, err := pairsOf(zero).byTurns(eye, 3, 1e-4); return err },
		"a search without differences": func() error { _, _, err := pairsOf(zero).search(nil); return err },
		"NaN":                          func() error { return second(finite(nan)) },
		"∞":                            func() error { return second(finite(mat.NewDense(1, 1, []float64{math.Inf(1)}))) },
		"−∞":                           func() error { return second(finite(mat.NewDense(1, 1, []float64{math.Inf(-1)}))) },
		"a balance of no differences":  func() error { return second(of(fill, MostInformation, Unimodal).balanced([]*mat.Dense{zero})) },
		"a trace of NaN":               func() error { return second(trace(e(corner))) },
		"ends out of order": func() error {
			return second(of(fill, LeastError, Unimodal).between(interval.Int(1), interval.Int(2), ""))
		},
		"ends out of order, information": func() error {
			return second(of(fill, MostInformation, Unimodal).between(interval.Int(2), interval.Int(1), ""))
		},
		"an optimum of 0": func() error {
			return second(of(fill, LeastError, Unimodal).between(interval.Int(0), interval.Int(0), ""))
		},
		"an optimum below 0": func() error {
			return second(of(fill, LeastError, Unimodal).between(interval.Int(1), interval.Int(-1), ""))
		},
		"an infinite optimum": func() error {
			return second(of(fill, LeastError, Unimodal).between(interval.TwoTo(1100), interval.Int(1), ""))
		},
		"members beside their matrix": func() error {
			s := pairsOf(eye)
			s.frame = ok(newFrame(some, []float64{1, 2}))
			return second(s.members(ok(NewDirectional([]float64{1, 1e3}, nil))))
		},
	} {
		err := parallel.Guard(f)
		if !errors.Is(err, errScale) || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: error %v, want %v", name, err, errScale)
		}
	}

	// Others say what they lack.
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"free directions of a ball":  {second(of(fill, LeastError, Unimodal).factored(e(eye), nil)), "no free directions for any 2×2 difference"},
		"a singular Σ":               {second(inverted("Σ", e(zero))), "the best precision of Σ is not proven positive definite"},
		"a covariance of order 33":   {checkAxes(33), "covariance of order 33, want at most 32"},
		"free error, 33 rows":        {second(of33(LeastError).free(nil, nil)), "order 33"},
		"free information, 33 rows":  {second(of33(MostInformation).free(nil, nil)), "order 33"},
		"any Ψ of 33 columns":        {second(of33columns().geodesic(&geodesic{mode: Bimodal}, nil, nil, true)), "order 33"},
		"planes that touch nothing":  {second(of(fill, LeastError, Unimodal).units([][]interval.Interval{line(1, 0)})), "no difference touches row direction 1"},
		"free pairs":                 {second(free(of(list(eye), MostInformation, Bimodal)).pairs(list(eye))), "information with any Ψ is for given directions"},
		"pairs with a row untouched": {second(of(list(eye), MostInformation, Bimodal).pairs(list(eye))), "no difference touches row direction 0 in some direction of the columns"},
		"no scale":                   {second(of(fill, LeastError, Unimodal).scaled(func(float64) (Covariance, Covariance, error) { c := ok(NewIsotropic(2, 1e-9)); return c, c, nil })), "no scale of the covariances"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, c.err, c.want)
		}
	}
}

func of33(objective Objective) *optimizer {
	return &optimizer{ctx: context.Background(), goal: Goal{objective, uniform(33, 1)}, frame: ok(newFrame(nil, uniform(33, 1))), n: 1}
}

func of33columns() *optimizer {
	return &optimizer{ctx: context.Background(), goal: Goal{LeastError, uniform(2, 1)}, frame: ok(newFrame(nil, uniform(2, 1))), n: 33}
}

func free(o *optimizer) *optimizer {
	o.recipe.FreeAxes = true
	return o
}
