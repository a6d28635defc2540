package mvg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// Overflow, underflow and division by zero are refused in every function.
func TestOverflowIsRefused(t *testing.T) {
	nan := mat.NewDense(2, 2, []float64{1, math.NaN(), 0, 1})
	corner := mat.NewDense(2, 2, []float64{1, 0, 0, math.NaN()})
	zero, eye := mat.NewDense(2, 2, nil), symmetric.Eye(2)
	flat := mat.NewDense(2, 2, []float64{1, 0, 1, 0})
	e := symmetric.Exactly
	line := func(v ...float64) []interval.Interval { return exactly(v) }
	of := func(s Sensitivity, objective Objective, mode Mode) *optimizer {
		return &optimizer{
			ctx: context.Background(), s: s, goal: Goal{objective, []float64{1, 2}}, recipe: Params{Mode: mode},
			basis: must.Be(newBasis(nil, []float64{1, 2})), mu: evidence.Certified{Lo: 1, Hi: 1}, n: 2, columns: 1,
		}
	}
	list := func(d ...*mat.Dense) Differences { return Differences{2, 2, d} }
	box := must.Be(NewBox(2, []float64{1, 2}))
	some := symmetric.RandomBasis(2, rand.NewPCG(7, 1))
	turned := of(box, LeastError, Unimodal)
	turned.basis = must.Be(newBasis(some, []float64{1, 2}))
	fill := must.Be(NewBall(2, 2, BallOptions{S2: 1, Gamma: 1}))
	pairsOf := func(d ...*mat.Dense) *pairs {
		s := &pairs{optimizer: of(list(d...), MostInformation, Bimodal), rows: []int{0, 1}, gains: []float64{1, 2}, list: d}
		for _, a := range d {
			s.exact = append(s.exact, e(a))
		}
		return s
	}
	sharesOf := func(mode Mode, diagonal bool) *shares {
		s := &shares{geodesic: &geodesic{mode: mode, diagonal: diagonal}, basis: must.Be(newBasis(nil, []float64{1, 2}))}
		s.factors(eye, eye)
		return s
	}
	certified := func(mode Mode, a, b, d *mat.Dense, y ...float64) error {
		_, err := (&geodesic{mode: mode}).certified(must.Be(newBasis(nil, []float64{1, 2})), []*mat.Dense{d, d}, a, b, y)
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
		"precisions for a list with NaN": func() error {
			return second(of(list(nan), LeastError, Unimodal).finish([]float64{1, 1}, interval.Int(1), true, ""))
		},
		"zero precisions for a ball":                 func() error { return second(of(fill, LeastError, Unimodal).over(line(0, 0))) },
		"zero precisions for a box":                  func() error { return second(of(box, LeastError, Unimodal).over(line(0, 0))) },
		"zero precisions for a rotated box":          func() error { return second(turned.over(line(0, 0))) },
		"a list with NaN":                            func() error { return second(of(list(nan), LeastError, Unimodal).over(line(1, 1))) },
		"a list with NaN, Ψ = Σ":                     func() error { return second(of(list(nan), LeastError, Equimodal).over(line(1, 1))) },
		"the sign maximum of a zero matrix":          func() error { return second(turned.signMaximum(e(zero))) },
		"the sign maximum with NaN on the diagonal":  func() error { return second(turned.signMaximum(e(corner))) },
		"the sign maximum with NaN off the diagonal": func() error { return second(turned.signMaximum(e(nan))) },
		"factors for a list with NaN":                func() error { return second(of(list(nan), LeastError, Unimodal).factored(e(eye), nil)) },
		"factors for a zero difference":              func() error { return second(of(list(zero), LeastError, Unimodal).factored(e(eye), nil)) },
		"zero factors for a box":                     func() error { return second(of(box, LeastError, Unimodal).factored(e(zero), nil)) },
		"a design for a list with NaN": func() error {
			return second(of(list(nan), LeastError, Unimodal).dense(e(eye), nil, interval.Int(1), true, 0, ""))
		},
		"the error of a singular P": func() error {
			return second(must.Be(of(list(eye), LeastError, Unimodal).factored(e(flat), nil)).value())
		},
		"a design of a singular P": func() error {
			return second(of(list(eye), LeastError, Unimodal).dense(e(flat), nil, interval.Int(1), true, 0, ""))
		},
		"the error of a singular Q": func() error {
			return second(must.Be(of(list(eye), LeastError, Bimodal).factored(e(eye), e(flat))).value())
		},
		"the information of a factor with NaN": func() error {
			at := must.Be(of(list(eye), MostInformation, Unimodal).factored(e(eye), nil))
			at.a = e(nan)
			return second(at.value())
		},
		"multipliers of sum 0": func() error {
			return second(of(fill, LeastError, Unimodal).dual([][]interval.Interval{line(1, 1)}, []float64{0}))
		},
		"multipliers of NaN": func() error {
			return second(of(fill, LeastError, Unimodal).dual([][]interval.Interval{line(1, 1), line(1, 1)}, []float64{math.NaN(), math.Inf(1)}))
		},
		"a direction with price 0": func() error {
			return second(of(fill, MostInformation, Unimodal).dual([][]interval.Interval{line(1, 0)}, []float64{1}))
		},
		"a surplus at price 0":           func() error { return second(surplus(line(1), line(0))) },
		"a plane from a matrix with NaN": func() error { return second(of(fill, LeastError, Unimodal).plane(nan)) },
		"a singular tangent":             func() error { _, _, err := tangent(e(zero), e(eye)); return err },
		"a tangent at a matrix with NaN": func() error { _, _, err := tangent(e(eye), e(nan)); return err },
		"the information limit at y = NaN": func() error {
			return second(of(fill, MostInformation, Unimodal).informedLimit([]*mat.Dense{eye}, []float64{math.NaN()}))
		},
		"the information limit at y = ∞": func() error {
			return second(of(fill, MostInformation, Unimodal).informedLimit([]*mat.Dense{eye}, []float64{math.Inf(1)}))
		},
		"the information limit at y < 0": func() error {
			return second(of(fill, MostInformation, Unimodal).informedLimit([]*mat.Dense{eye}, []float64{-1}))
		},
		"the information limit of singular differences": func() error {
			return second(of(fill, MostInformation, Unimodal).informedLimit([]*mat.Dense{mat.NewDense(2, 2, []float64{1, 1, 0, 0})}, []float64{1}))
		},
		"a share of NaN":                           func() error { return certified(Unimodal, eye, nil, eye, 1, math.NaN()) },
		"a share of ∞":                             func() error { return certified(Unimodal, eye, nil, eye, 1, math.Inf(1)) },
		"a negative share":                         func() error { return certified(Unimodal, eye, nil, eye, 1, -0.5) },
		"shares of sum 0":                          func() error { return certified(Unimodal, eye, nil, eye, 0, 0) },
		"shares for a difference with NaN":         func() error { return certified(Unimodal, eye, nil, nan, 1, 0) },
		"shares for a zero difference":             func() error { return certified(Unimodal, eye, nil, zero, 1, 0) },
		"the upper bound of a matrix with NaN":     func() error { s := sharesOf(Unimodal, false); s.rows = e(nan); return second(s.ceiling()) },
		"the upper bound with NaN on the diagonal": func() error { s := sharesOf(Unimodal, true); s.rows = e(corner); return second(s.ceiling()) },
		"the upper bound ∞":                        func() error { return second(upperEnd(math.Inf(1))) },
		"the upper bound 0":                        func() error { return second(upperEnd(0)) },
		"the upper bound NaN":                      func() error { return second(upperEnd(math.NaN())) },
		"the limit of pairs at y = NaN":            func() error { return second(pairsOf(eye).limit([]float64{math.NaN()})) },
		"the limit of pairs at y = ∞":              func() error { return second(pairsOf(eye).limit([]float64{math.Inf(1)})) },
		"the limit of pairs at y < 0":              func() error { return second(pairsOf(eye).limit([]float64{-1})) },
		"the limit of pairs with singular sums":    func() error { return second(pairsOf(eye).limit([]float64{1})) },
		"pairs with a zero difference":             func() error { _, _, err := pairsOf(zero).forColumns(eye); return err },
		"pairs beyond float64": func() error {
			_, _, err := pairsOf(eye).forColumns(mat.NewDense(2, 2, []float64{1e200, 0, 0, 1e200}))
			return err
		},
		"balanced columns for zero precisions": func() error { _, _, err := pairsOf(eye).balancedColumns([]float64{0, 0}); return err },
		"columns for zero precisions":          func() error { return second(pairsOf(eye).forRows([]float64{0, 0}, eye)) },
		"axes for zero precisions":             func() error { return second(pairsOf(eye).forAxes([]float64{0, 0}, eye, []*mat.Dense{zero})) },
		"axes beyond float64": func() error {
			return second(pairsOf(eye).forAxes([]float64{1, 1}, eye, []*mat.Dense{mat.NewDense(2, 2, []float64{1e200, 0, 0, 1e200})}))
		},
		"small shares of zero precisions":    func() error { return second(pairsOf(eye).withSmallShares([]float64{0, 0}, eye)) },
		"a design for zero precisions":       func() error { return second(pairsOf(eye).design([]float64{0, 0}, eye, interval.Int(1))) },
		"alternation with a zero difference": func() error { _, _, _, err := pairsOf(zero).byTurns(eye, 3, 1e-4); return err },
		"a search with a zero difference":    func() error { _, _, err := pairsOf(zero).search(nil); return err },
		"NaN":                                func() error { return second(finite(nan)) },
		"∞":                                  func() error { return second(finite(mat.NewDense(1, 1, []float64{math.Inf(1)}))) },
		"−∞":                                 func() error { return second(finite(mat.NewDense(1, 1, []float64{math.Inf(-1)}))) },
		"the balance of a zero difference":   func() error { return second(of(fill, MostInformation, Unimodal).balanced([]*mat.Dense{zero})) },
		"the trace of a matrix with NaN":     func() error { return second(trace(e(corner))) },
		"bounds out of order": func() error {
			return second(of(fill, LeastError, Unimodal).between(interval.Int(1), interval.Int(2), ""))
		},
		"bounds out of order, information": func() error {
			return second(of(fill, MostInformation, Unimodal).between(interval.Int(2), interval.Int(1), ""))
		},
		"an optimum of 0": func() error {
			return second(of(fill, LeastError, Unimodal).between(interval.Int(0), interval.Int(0), ""))
		},
		"a negative optimum": func() error {
			return second(of(fill, LeastError, Unimodal).between(interval.Int(1), interval.Int(-1), ""))
		},
		"an infinite optimum": func() error {
			return second(of(fill, LeastError, Unimodal).between(interval.TwoTo(1100), interval.Int(1), ""))
		},
		"members in directions of another matrix": func() error {
			s := pairsOf(eye)
			s.basis = must.Be(newBasis(some, []float64{1, 2}))
			return second(s.members(must.Be(NewDirectional([]float64{1, 1e3}, nil))))
		},
	} {
		err := parallel.Guard(f)
		if !errors.Is(err, errScale) || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: error %v, want %v", name, err, errScale)
		}
	}

	// These errors name the reason.
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"free directions of a ball":                {second(of(fill, LeastError, Unimodal).factored(e(eye), nil)), "the directions of Σ cannot be free for any 2×2 difference"},
		"a singular Σ":                             {second(inverted("Σ", e(zero))), "the best precision of Σ is not proven positive definite"},
		"a covariance of order 33":                 {checkAxes(33), "covariance of order 33, want at most 32"},
		"free error, 33 rows":                      {second(of33(LeastError).free(nil, nil)), "order 33"},
		"free information, 33 rows":                {second(of33(MostInformation).free(nil, nil)), "order 33"},
		"any Ψ, 33 columns":                        {second(of33columns().geodesic(&geodesic{mode: Bimodal}, nil, nil, true)), "order 33"},
		"planes that miss a direction":             {second(of(fill, LeastError, Unimodal).units([][]interval.Interval{line(1, 0)})), "all differences are zero in row direction 1"},
		"free pairs":                               {second(free(of(list(eye), MostInformation, Bimodal)).pairs(list(eye))), "the most information with any Ψ needs given directions, not free ones"},
		"pairs with a row of singular differences": {second(of(list(eye), MostInformation, Bimodal).pairs(list(eye))), "in row direction 0 all differences are zero in some direction of the columns"},
		"a scale that underflows":                  {second(of(fill, LeastError, Unimodal).scaled(func(float64) (Covariance, Covariance, error) { c := must.Be(NewIsotropic(2, 1e-9)); return c, c, nil })), "no scale of the covariances"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, c.err, c.want)
		}
	}
}

func of33(objective Objective) *optimizer {
	return &optimizer{ctx: context.Background(), goal: Goal{objective, uniform(33, 1)}, basis: must.Be(newBasis(nil, uniform(33, 1))), n: 1}
}

func of33columns() *optimizer {
	return &optimizer{ctx: context.Background(), goal: Goal{LeastError, uniform(2, 1)}, basis: must.Be(newBasis(nil, uniform(2, 1))), n: 33}
}

func free(o *optimizer) *optimizer {
	o.recipe.FreeAxes = true
	return o
}

// A matrix without a decomposition, such as one of order 3 with NaN entries, is refused or skipped. A matrix that is
// not positive definite has no root, no step and no value.
func TestWithoutDecompositions(t *testing.T) {
	const n = 3
	nan, dense := mat.NewSymDense(n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range n {
			nan.SetSym(i, j, math.NaN())
			dense.Set(i, j, math.NaN())
		}
	}
	one := symmetric.Multiple(n, 1)
	g := &informed{signals: []*mat.Dense{symmetric.Eye(n)}, list: []*mat.SymDense{symmetric.Multiple(n, 0.1)}}
	none := &informed{signals: []*mat.Dense{dense}, list: g.list}
	if v, w := g.estimate([]float64{math.NaN()}), g.estimate([]float64{-1}); !math.IsInf(v, 1) || !math.IsInf(w, 1) {
		t.Errorf("estimates %v and %v of what is not positive", v, w)
	}
	if count := g.withheld(dense); count != 0 {
		t.Errorf("%d directions of no numbers are withheld", count)
	}
	for name, at := range map[string]func() (*mat.SymDense, float64){
		"P": func() (*mat.SymDense, float64) { return g.newton(t.Context(), dense, []float64{0.5}, 1) },
		"slacks": func() (*mat.SymDense, float64) {
			return g.newton(t.Context(), symmetric.Eye(n), []float64{math.NaN()}, 1)
		},
		"a signal": func() (*mat.SymDense, float64) { return none.newton(t.Context(), symmetric.Eye(n), []float64{0.5}, 1) },
	} {
		if x, decrement := at(); x != nil || decrement != 0 {
			t.Errorf("a step of %v, decrement %v, where %s is no number", x, decrement, name)
		}
	}
	if rootOfShift(symmetric.Multiple(n, -1), 1) != nil || rootOfShift(one, 1) == nil {
		t.Error("a root of 0, or none of 2I")
	}
	if v, w, err := spectral(nan); v != nil || w != nil || err == nil {
		t.Errorf("eigenvalues %v of no numbers, error %v", v, err)
	}
	if !mat.Equal(rootOf(nan), symmetric.Eye(n)) {
		t.Error("a matrix of NaN has a root")
	}
	if all := localMaxima(nan); len(all) != 1 || all[0][0] != 1 || all[0][1] != 1 || all[0][2] != 1 {
		t.Errorf("vertices %v for a matrix of NaN", all)
	}

	r := newRelaxation([]float64{1, 2}, []*mat.Dense{mat.NewDense(2, n, []float64{1, 0, 0, 0, 1, 0}), mat.NewDense(2, n, []float64{0, 1, 0, 0, 0, 1}), mat.NewDense(2, n, []float64{0, 0, 1, 1, 0, 0})})
	for _, y := range [][]float64{{1, 0, 0}, {0, 1, 0}, {math.NaN(), 1, 1}, {1, 1, math.Inf(1)}} {
		a, u := r.spectrum(0, y)
		next, decrement := r.step(y, 0.1)
		if a != nil || u != nil || next != nil || decrement != 0 || !math.IsInf(r.merit(y, 0.1), 1) || !math.IsInf(r.value(y), 1) {
			t.Errorf("multipliers %v: eigenvalues %v, step %v, merit %v, value %v", y, a, next, r.merit(y, 0.1), r.value(y))
		}
	}
	if next, _ := r.step([]float64{1, 1, 1}, math.NaN()); next != nil {
		t.Errorf("a step to %v for a barrier of NaN", next)
	}
	if next, _ := r.step([]float64{1, 1, 1}, 0.1); next == nil {
		t.Error("no step at valid multipliers")
	}

	s := &separable{terms: []term{func(float64) (a, b, c float64) { return 0, 0, math.NaN() }}, rows: [][]float64{{1}}}
	if q, slacks, decrement := s.step(1, []float64{0.5}, []float64{0.5}); q != nil || slacks != nil || decrement != 0 {
		t.Errorf("a step to %v for a second derivative of NaN", q)
	}

	p := &pairs{optimizer: &optimizer{ctx: t.Context()}, rows: []int{0}, gains: []float64{1}, list: []*mat.Dense{mat.NewDense(1, n, []float64{1, 1, 1})}}
	if c, err := p.forAxes([]float64{1}, dense, p.list); c != nil || !errors.Is(err, errScale) {
		t.Errorf("axes %v for a Q of NaN, error %v", c, err)
	}
	over := &pairs{optimizer: &optimizer{ctx: ctxtest.CancelAfter(t.Context(), 0)}, gains: p.gains}
	if c, err := over.forAxes([]float64{1}, symmetric.Eye(n), p.list); c != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("axes %v after cancellation, error %v", c, err)
	}

	zero := symmetric.Exactly(mat.NewDense(2, 2, nil))
	if m, err := inverted("Σ", zero); m != nil || err == nil || errors.Is(err, errScale) {
		t.Errorf("the inverse of 0 is %v, error %v", m, err)
	}
	o := &optimizer{ctx: t.Context(), goal: Goal{LeastError, uniform(2, 1)}, basis: must.Be(newBasis(nil, uniform(2, 1))), n: 2, columns: 1}
	o.mu = evidence.Certified{Lo: 1, Hi: 1}
	if c, err := o.balanced([]*mat.Dense{mat.NewDense(2, 2, nil)}); c != nil || !errors.Is(err, errScale) {
		t.Errorf("covariance %v for differences of 0, error %v", c, err)
	}
	for name, at := range map[string]*factored{
		"P": {o, zero, nil, exactly([]float64{1})[0]}, "Q": {o, identity(2), zero, exactly([]float64{1})[0]},
	} {
		if v, err := at.value(); !errors.Is(err, errScale) {
			t.Errorf("%s of 0 has the value %v, error %v", name, v, err)
		}
		if sigma, _, err := at.covariances(); sigma != nil || err == nil {
			t.Errorf("%s of 0 has the covariance %v", name, sigma)
		}
	}

	// The inverse of a singular basis is its transpose with wide entries. The Kronecker product of a nearly singular
	// covariance has no Cholesky factor.
	w := mat.NewDense(2, 2, []float64{1, 1, 1, 1})
	f := &basis{w: w, weights: exactly(uniform(2, 1)), least: 0.5, most: 2}
	if lo, hi := func() (float64, float64) { v, _ := f.inverse().At(0, 1); return v.Bounds() }(); !(lo < 1 && hi > 1 && hi-lo >= 2*1/0.5*2 && hi-lo < 9) {
		t.Errorf("entry (0, 1) of the inverse in [%v, %v]", lo, hi)
	}
	near := must.Be(NewDense(mat.NewSymDense(2, []float64{1, 1 - 1e-12, 1 - 1e-12, 1})))
	d := must.Be(NewDesign(t.Context(), must.Be(NewBall(2, 2, BallOptions{S2: 1, Gamma: 1})), near, near))
	if z, err := d.NoiseKronecker(rand.NewPCG(1, 1)); z != nil || !errors.Is(err, ErrNotPositiveDefinite) {
		t.Errorf("noise %v, error %v", z, err)
	}
}

// No function returns a result with an error, whenever the context is cancelled.
func TestNoResultWithAnError(t *testing.T) {
	for name, s := range map[string]Sensitivity{"no set": nil, "a set of nothing": Differences{}, "a ball of nothing": Ball{}} {
		if m, n, err := shapeOf(s); m != 0 || n != 0 || err == nil {
			t.Errorf("%s is of %d×%d, error %v", name, m, n, err)
		}
	}
	noise := RankOne{Dimension: 3, Sensitivity: 1, Variance: 1}
	eps := must.Be(evidence.NewEpsilon("eps", 1))
	whole := ctxtest.CancelAfter(t.Context(), math.MaxInt)
	if _, _, err := noise.integrate(whole, 0.1, eps, 20, 20); err != nil {
		t.Fatal(err)
	}
	for n := range whole.Polls() {
		if lo, hi, err := noise.integrate(ctxtest.CancelAfter(t.Context(), n), 0.1, eps, 20, 20); lo != 0 || hi != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled after %d polls: [%v, %v], error %v", n, lo, hi, err)
		}
	}
}

// A list's norm counts entries of exactly 1, and ends returns both bounds of each eigenvalue.
func TestUnitEntriesAndEigenvalueBounds(t *testing.T) {
	list := must.Be(NewDifferences([]*mat.Dense{mat.NewDense(2, 2, []float64{1, 0, 0, 1})}))
	if k := list.Frobenius(); !(k.Lo <= math.Sqrt2 && k.Hi >= math.Sqrt2 && k.Hi-k.Lo < 1e-15) {
		t.Errorf("Frobenius sensitivity in [%v, %v], want √2", k.Lo, k.Hi)
	}
	c := DrawCovariance(t, 3, 1, rand.New(rand.NewPCG(133, 1)))
	for i, v := range c.top(2) {
		at := c.ends(2)[i]
		if at[0].Cmp(at[1]) >= 0 || interval.Rat(at[0]).CmpLo(v) != 0 || interval.Rat(at[1]).CmpHi(v) != 0 {
			t.Errorf("eigenvalue %d from %v to %v, want %v", i, at[0], at[1], v)
		}
	}
}

// A search returns the error of any function it calls unchanged, with no result.
func TestSearchesReturnErrorsUnchanged(t *testing.T) {
	mine := errors.New("mine")
	const n = 2
	o := &optimizer{ctx: t.Context(), s: must.Be(NewDifferences([]*mat.Dense{symmetric.Eye(n)})), goal: Goal{MostInformation, uniform(n, 1)}, basis: must.Be(newBasis(nil, uniform(n, 1))), n: n, columns: 1}
	o.mu = evidence.Certified{Lo: 1, Hi: 1}
	row := func(int) ([]interval.Interval, error) { return exactly(uniform(n, 1)), nil }
	worst := func([]float64) ([]interval.Interval, error) { return exactly(uniform(n, 1)), nil }
	one := symmetric.Eye(n)
	huge := mat.NewDense(n, n, []float64{math.Inf(1), 0, 0, 1})
	for name, c := range map[string]struct {
		do  func() (bool, error)
		err error
	}{
		"the plane of an axis": {func() (bool, error) {
			p, _, err := o.planes(oracle{worst, func(int) ([]interval.Interval, error) { return nil, mine }})
			return p == nil, err
		}, mine},
		"the most violated plane": {func() (bool, error) {
			p, _, err := o.planes(oracle{func([]float64) ([]interval.Interval, error) { return nil, mine }, row})
			return p == nil, err
		}, mine},
		"a cut": {func() (bool, error) {
			p, err := o.cut(oracle{worst, func(int) ([]interval.Interval, error) { return nil, mine }}, "")
			return p == nil, err
		}, mine},
		"the first share": {func() (bool, error) {
			p, _, err := (&shared{o.ctx, func(float64, bool, bool) (*knot, error) { return nil, mine }}).best()
			return p == nil, err
		}, mine},
		"a smaller share": {func() (bool, error) {
			p, _, err := (&shared{o.ctx, func(_ float64, a, _ bool) (*knot, error) {
				if a {
					return nil, mine
				}
				return &knot{share: 1, value: 1, surplus: 2}, nil
			}}).best()
			return p == nil, err
		}, mine},
		"a larger share": {func() (bool, error) {
			p, _, err := (&shared{o.ctx, func(_ float64, a, c bool) (*knot, error) {
				if c {
					return nil, mine
				}
				return &knot{share: 1, value: 1, surplus: 1}, nil
			}}).best()
			return p == nil, err
		}, mine},
		"a share other than 1": {func() (bool, error) {
			p, _, err := (&shared{o.ctx, func(s float64, a, c bool) (*knot, error) {
				if s != 1 && !a && !c {
					return nil, mine
				}
				return &knot{share: s, value: 1, surplus: 2}, nil
			}}).best()
			return p == nil, err
		}, mine},
		"shares without a bracket": {func() (bool, error) {
			p, _, err := (&shared{o.ctx, func(s float64, _, _ bool) (*knot, error) { return &knot{share: s, value: 1, surplus: 2}, nil }}).best()
			return p == nil, err
		}, errScale},
		"a share's proof": {func() (bool, error) {
			_, err := (&knot{prove: func() (proof, error) { return proof{}, mine }}).limit(1)
			return true, err
		}, mine},
		"a factor that overflows": {func() (bool, error) {
			p, err := o.dense(symmetric.Exactly(huge), nil, interval.Int(1), true, 0, "")
			return p == nil, err
		}, errScale},
	} {
		if nothing, err := c.do(); !errors.Is(err, c.err) || !nothing {
			t.Errorf("%s: nothing %v, error %v, want %v", name, nothing, err, c.err)
		}
	}
	s := &pairs{optimizer: o, rows: []int{0, 1}, gains: []float64{1, 1}, list: []*mat.Dense{one}}
	none := mat.NewDense(n, n, nil)
	if p, v, err := s.forColumns(none); p != nil || v != 0 || !errors.Is(err, errScale) {
		t.Errorf("rows for a Q of 0: %v, %v, error %v", p, v, err)
	}
	if q, err := s.forRows([]float64{0, 0}, one); q != nil || !errors.Is(err, errScale) {
		t.Errorf("columns for a P of 0: %v, error %v", q, err)
	}
	if q, err := s.design([]float64{0, 0}, one, interval.Int(1)); q != nil || !errors.Is(err, errScale) {
		t.Errorf("a design for a P of 0: %v, error %v", q, err)
	}
	nan := mat.NewDense(n, n, []float64{math.NaN(), 0, 0, 1})
	for name, c := range map[string]*mat.Dense{"no numbers": nan, "columns 1e200 apart": mat.NewDense(n, n, []float64{1e200, 0, 0, 1}), "no rows to spend on": one} {
		if q, err := s.design(uniform(n, 1), c, interval.Int(1)); q != nil || err == nil {
			t.Errorf("a design of %s: %v, error %v", name, q, err)
		}
	}
	if _, _, err := tangent(symmetric.Exactly(none), identity(n)); !errors.Is(err, errScale) {
		t.Errorf("a tangent beside 0: error %v", err)
	}
	tiny := mat.NewDense(n, n, []float64{1e-300, 0, 0, 1e-300})
	large := mat.NewDense(n, n, []float64{1e300, 0, 0, 1e300})
	if _, _, err := tangent(symmetric.Exactly(tiny), symmetric.Exactly(large)); !errors.Is(err, errScale) {
		t.Errorf("a tangent beyond numbers: error %v", err)
	}
}

// A design with an infinite entry has no value, on the row side or the column side.
func TestReachedByInfiniteCovariance(t *testing.T) {
	inf := func(n int) *Design {
		d := DesignOf(must.Be(NewDense(mat.NewSymDense(2, []float64{2, 1, 1, 2}))), must.Be(NewDense(mat.NewSymDense(2, []float64{2, 1, 1, 2}))))
		for _, c := range []Covariance{d.sigma, d.psi}[n : n+1] {
			c.dense.matrix = mat.NewSymDense(2, []float64{math.Inf(1), 1, 1, math.Inf(1)})
		}
		return d
	}
	o := &optimizer{ctx: t.Context(), goal: Goal{LeastError, uniform(2, 1)}, basis: must.Be(newBasis(symmetric.RandomBasis(2, rand.NewPCG(517, 1)), uniform(2, 1))), n: 2, columns: 1}
	for _, mode := range []Mode{Unimodal, Equimodal, Bimodal} {
		o.recipe.Mode = mode
		if _, err := o.reachedBy(inf(0)); !errors.Is(err, errScale) {
			t.Errorf("%v: an infinite Σ: error %v", mode, err)
		}
	}
	if _, err := o.reachedBy(inf(1)); !errors.Is(err, errScale) {
		t.Errorf("an infinite Ψ: error %v", err)
	}
	if _, err := o.betweenOf(inf(1), interval.Int(1), interval.Int(1), ""); !errors.Is(err, errScale) {
		t.Errorf("betweenOf with an infinite Ψ: error %v", err)
	}
	o.goal.Objective = MostInformation
	for n := range 2 {
		if _, err := (&pairs{optimizer: o}).reachedBy(inf(n)); !errors.Is(err, errScale) {
			t.Errorf("the information of pairs with infinite covariance %d: error %v", n, err)
		}
	}
	if _, err := o.reachedBy(inf(0)); !errors.Is(err, errScale) {
		t.Errorf("the information with an infinite Σ: error %v", err)
	}
}

// A failed step returns its own error. No later step runs without its result.
func TestStepsReturnTheirOwnError(t *testing.T) {
	one, eye := interval.Int(1), symmetric.Eye(2)
	e := symmetric.Exactly
	w := symmetric.RandomBasis(2, rand.NewPCG(4, 1))
	list := func(d ...*mat.Dense) Differences { m, n := d[0].Dims(); return Differences{m, n, d} }
	of := func(s Sensitivity, objective Objective, mode Mode) *optimizer {
		o := optimizerOf(s, objective, mode, nil, 1, 2)
		o.ctx = t.Context()
		return o
	}
	turned := func(s Sensitivity, objective Objective, mode Mode) *optimizer {
		o := of(s, objective, mode)
		o.basis = must.Be(newBasis(w, []float64{1, 2}))
		return o
	}
	pairsOf := func(o *optimizer, d *mat.Dense) *pairs {
		rows := make([]int, len(o.goal.Weights))
		for i := range rows {
			rows[i] = i
		}
		return &pairs{optimizer: o, rows: rows, gains: o.goal.Weights, list: []*mat.Dense{d}, exact: []*symmetric.Enclosure{e(d)}}
	}
	wrong := mat.NewDense(1, 1, []float64{1}) // directions of another order
	nan := math.NaN()
	noNumbers := mat.NewDense(3, 3, []float64{nan, nan, nan, nan, nan, nan, nan, nan, nan})
	some := mat.NewDense(2, 2, []float64{1, nan, 0, 1})
	beyond := []float64{math.Inf(1), math.Inf(-1), nan}
	box := must.Be(NewBox(2, []float64{1, 2}))
	unit := must.Be(NewIsotropic(2, 1))
	second := func(_ any, err error) error { return err }
	third := func(_, _ any, err error) error { return err }
	line := func(v ...float64) []interval.Interval { return exactly(v) }
	row := func(v ...float64) oracle {
		return oracle{func([]float64) ([]interval.Interval, error) { return line(v...), nil }, func(int) ([]interval.Interval, error) { return line(v...), nil }}
	}
	ball := must.Be(NewBall(2, 2, BallOptions{S2: 1, Gamma: 1}))
	eps := must.Be(evidence.NewEpsilon("eps", 1))
	steep := must.Be(evidence.NewEpsilon("eps", 1e21))

	// The error is exactly errScale, without wrapping.
	for name, do := range map[string]func() (nothing bool, err error){
		"a precision beyond float64": func() (bool, error) {
			out, err := of(list(diagonalOf(1e-155, 1e-155)), LeastError, Unimodal).dense(e(eye), nil, one, true, 0, "")
			return out == nil, err
		},
		"the spectrum of a matrix with a precision beyond float64": func() (bool, error) {
			for _, v := range beyond {
				if a, b, err := spectral(mat.NewSymDense(2, []float64{v, 0, 0, 1})); a != nil || b != nil || err != errScale {
					return false, err
				}
			}
			return true, errScale
		},
		"a tangent of a factor beyond float64": func() (bool, error) {
			return true, third(tangent(e(diagonalOf(1e-300, 1e-300)), e(diagonalOf(1e300, 1e300))))
		},
		"an information limit without differences": func() (bool, error) { return true, second(of(ball, MostInformation, Unimodal).informedLimit(nil, nil)) },
		"information beyond float64, free axes": func() (bool, error) {
			out, err := of(list(diagonalOf(1e-100, 1e-100)), MostInformation, Unimodal).solveFree(1e200, 1e200)
			return out == nil, err
		},
		"information below float64, free axes": func() (bool, error) {
			out, err := of(list(diagonalOf(1e100, 1e100)), MostInformation, Unimodal).solveFree(1e-200, 1e-200)
			return out == nil, err
		},
		"a geodesic without a starting point": func() (bool, error) {
			out, err := of(list(eye), LeastError, Unimodal).geodesic(&geodesic{mode: Unimodal}, []*mat.Dense{diagonalOf(1, 0)}, nil, true)
			return out == nil, err
		},
		"the certificate of a list with NaN": func() (bool, error) {
			out, err := turned(list(eye), LeastError, Unimodal).geodesic(&geodesic{mode: Unimodal}, []*mat.Dense{some, eye}, nil, true)
			return out == nil, err
		},
		"an upper bound beyond float64": func() (bool, error) {
			return true, second((&geodesic{mode: Unimodal}).certified(must.Be(newBasis(nil, []float64{1, 2})), []*mat.Dense{eye}, diagonalOf(1e120, 1e120), nil, []float64{1}))
		},
		"an upper bound for columns beyond float64": func() (bool, error) {
			return true, second((&geodesic{mode: Bimodal}).certified(must.Be(newBasis(nil, []float64{1, 2})), []*mat.Dense{eye}, eye, diagonalOf(1e120, 1e120), []float64{1}))
		},
		"a box with P = 0, Ψ = Σ": func() (bool, error) {
			return true, second(of(box, LeastError, Equimodal).overVertices(box, e(mat.NewDense(2, 2, nil))))
		},
		"a sign maximum beyond float64": func() (bool, error) {
			q := symmetric.Eye(maxVertexBits + 2)
			q.Scale(1e-300, q)
			q.Set(0, 1, 1e300)
			q.Set(1, 0, 1e300)
			return true, second(of(box, LeastError, Unimodal).signMaximum(e(q)))
		},
		"a list with NaN": func() (bool, error) {
			l := list(some, eye)
			return true, second(of(l, LeastError, Unimodal).overList(l, line(1, 1)))
		},
		"a price that underflows, own axes": func() (bool, error) {
			o := optimizerOf(box, MostInformation, Equimodal, nil, 1e308, 1e308)
			k, err := o.axisRows(box).solve(1e299, true, false)
			if err != nil {
				return false, fmt.Errorf("no share: %w", err)
			}
			return true, second(k.prove())
		},
		"a price that underflows, rotated": func() (bool, error) {
			o := optimizerOf(box, MostInformation, Equimodal, eye, 5e-324, 5e-324).withContext(t)
			k, err := o.vertexRows(box, o.boxOracle(box)).solve(1e306, true, false)
			if err != nil {
				return false, fmt.Errorf("no share: %w", err)
			}
			return true, second(k.prove())
		},
		"vertices without a plane": func() (bool, error) {
			k, err := turned(box, MostInformation, Equimodal).vertexRows(box, row(0, 0)).solve(1, false, false)
			return k == nil, err
		},
		"a factor of NaN": func() (bool, error) {
			p, v, err := pairsOf(optimizerOf(ball, MostInformation, Bimodal, nil, 1, 2, 3), symmetric.Eye(3)).forColumns(noNumbers)
			return p == nil && v == 0, err
		},
		"pairs beyond float64": func() (bool, error) {
			l := list(diagonalOf(1e150, 1e150))
			o := of(l, MostInformation, Bimodal)
			o.mu = evidence.Certified{Lo: 1e-200, Hi: 1e-200}
			out, err := o.pairs(l)
			return out == nil, err
		},
		"information that overflows": func() (bool, error) {
			d := DesignOf(must.Be(NewIsotropic(2, 3e-300)), unit)
			return true, second(pairsOf(optimizerOf(ball, MostInformation, Bimodal, nil, 1e308, 1e308), eye).reachedBy(d))
		},
		"a design in other directions": func() (bool, error) {
			s := pairsOf(turned(list(eye), MostInformation, Bimodal), eye)
			out, err := s.design([]float64{1, 1e-3}, eye, one)
			return out == nil, err
		},
	} {
		var nothing bool
		err := parallel.Guard(func() (err error) { nothing, err = do(); return err })
		if err != errScale || !nothing {
			t.Errorf("%s: nothing %v, error %v, want %v", name, nothing, err, errScale)
		}
	}

	// These errors name the reason.
	skew := mat.NewDense(2, 2, []float64{1, 1, 0, 1})
	zero := evidence.Epsilon{}
	withDirections := func(o *optimizer) *optimizer { o.recipe.Directions = wrong; return o }
	for name, c := range map[string]struct {
		do   func() (nothing bool, err error)
		want string
	}{
		"a singular P": {func() (bool, error) {
			out, err := of(list(eye), MostInformation, Unimodal).dense(e(diagonalOf(1, 0)), nil, one, true, 0, "")
			return out == nil, err
		}, "the best precision of Σ is not proven positive definite"},
		"an ill-conditioned P": {func() (bool, error) {
			out, err := of(list(eye), LeastError, Unimodal).dense(e(product(w, diagonalOf(1, 1e-12))), nil, one, true, 0, "")
			return out == nil, err
		}, "mvg: the best Σ in float64: not positive definite"},
		"an ill-conditioned Q": {func() (bool, error) {
			at := &factored{of(list(eye), LeastError, Bimodal), e(eye), e(product(symmetric.RandomBasis(3, rand.NewPCG(4, 2)), diagonalOf(1, 1e-6, 1e-12))), one}
			sigma, _, err := at.covariances()
			return sigma == nil, err
		}, "mvg: the best Ψ in float64: not positive definite"},
		"variances beyond float64": {func() (bool, error) {
			out, err := of(list(diagonalOf(1e160, 1e160)), LeastError, Unimodal).finish([]float64{1, 1}, one, true, "")
			return out == nil, err
		}, "variances[0] = +Inf"},
		"variances beyond float64, Ψ = Σ": {func() (bool, error) {
			out, err := withDirections(of(list(eye), LeastError, Equimodal)).finish([]float64{1, 1}, one, true, "")
			return out == nil, err
		}, "directions are 1×1"},
		"no design at a scale": {func() (bool, error) {
			d, err := of(list(eye), LeastError, Unimodal).scaled(func(float64) (Covariance, Covariance, error) {
				return unit, unit, errors.New("none at this scale")
			})
			return d == nil, err
		}, "none at this scale"},
		"pairs in directions of another order": {func() (bool, error) {
			out, err := pairsOf(withDirections(of(list(eye), MostInformation, Bimodal)), eye).design([]float64{1, 1}, eye, one)
			return out == nil, err
		}, "directions are 1×1"},
		"planes that miss a direction": {func() (bool, error) {
			p, _, err := of(list(eye), LeastError, Unimodal).planes(row(1, 0))
			return p == nil, err
		}, "all differences are zero in row direction 1"},
		"rows with zero differences in a direction": {func() (bool, error) {
			out, err := of(list(mat.NewDense(2, 2, []float64{1, 2, 1, 2})), LeastError, Unimodal).solve()
			return out == nil, err
		}, "all differences are zero in some direction of the rows, which"},
		"rows and columns with zero differences in a direction": {func() (bool, error) {
			l := list(diagonalOf(1, 0))
			return true, of(l, LeastError, Equimodal).spanned(l)
		}, "all differences are zero in some direction of the rows and columns, which"},
		"columns with zero differences in a direction": {func() (bool, error) {
			l := list(mat.NewDense(1, 2, []float64{1, 1}))
			return true, optimizerOf(l, LeastError, Bimodal, nil, 1).spanned(l)
		}, "all differences are zero in some direction of the columns, which"},
		"weights beyond 1e100": {func() (bool, error) {
			g := must.Be(NewGram(2, 1, query.Replace, 1))
			out, err := optimizerOf(g, MostInformation, Bimodal, nil, 1, 1e200).withContext(t).gramInformation(g, one)
			return out == nil, err
		}, "weights[1] = 1e+200"},
		"skew directions": {func() (bool, error) {
			out, err := Optimal(t.Context(), ball, Goal{}, Params{Epsilon: eps, Delta: evidencetest.Delta(0.1), Directions: skew})
			return out == nil, err
		}, "directions are not orthonormal: ‖WᵀW − I‖ = 1.73, want at most 1e-8"},
		"an optimum at ε = 1e21": {func() (bool, error) {
			out, err := Optimal(t.Context(), ball, Goal{}, Params{Epsilon: steep, Delta: evidencetest.Delta(0.1)})
			return out == nil, err
		}, "eps = 1e+21, want"},
		"a tight design at ε = 1e21": {func() (bool, error) {
			d, err := NewTight(t.Context(), ball, Params{Epsilon: steep, Delta: evidencetest.Delta(0.1)})
			return d == nil, err
		}, "eps = 1e+21, want"},
		"parameters without ε": {func() (bool, error) { return true, second(Params{Delta: evidencetest.Delta(0.1)}.check(2, 2)) }, "eps = 0"},
		"parameters without δ": {func() (bool, error) { return true, second(Params{Epsilon: eps}.check(2, 2)) }, "delta = 0"},
		"a claim by Theorem 9": {func() (bool, error) {
			c, err := NewClaim(t.Context(), ball, 9, ZetaRoot, Params{Epsilon: eps, Delta: evidencetest.Delta(0.1)})
			return c == nil, err
		}, "Theorem 9, want 2 or 3"},
		"rank one without ε": {func() (bool, error) {
			r, err := NewRankOne(3, 1, zero, evidencetest.Delta(0.1))
			return r == RankOne{}, err
		}, "eps = 0"},
		"rank one without δ": {func() (bool, error) { r, err := NewRankOne(3, 1, eps, evidence.Delta{}); return r == RankOne{}, err }, "delta = 0"},
		"rank one with sensitivity 0": {func() (bool, error) {
			r, err := NewRankOne(3, 0, eps, evidencetest.Delta(0.1))
			return r == RankOne{}, err
		}, "sensitivity = 0"},
		"a dominating diagonal of NaN": {func() (bool, error) {
			p, err := Box{halfWidths: []float64{nan, 1}}.dominated(must.Be(NewDense(mat.NewSymDense(2, []float64{2, 1, 1, 2}))))
			return p == nil, err
		}, "the diagonal matrix that bounds the sensitivity box is not finite"},
		"noise below float64": {func() (bool, error) {
			tiny, k := must.Be(NewIsotropic(2, 1e-320)), symmetric.Multiple(4, 1)
			k.SetSym(0, 1, 0.5)
			v, err := (&Design{sensitivity: Ball{m: 2, n: 2}, sigma: tiny, psi: tiny}).PNR(k)
			return v == evidence.Certified{}, err
		}, "eigenvalues of the signal covariance did not converge"},
		"an indefinite signal": {func() (bool, error) {
			v, err := DesignOf(unit, unit).PNR(mat.NewSymDense(2, []float64{1e20, 1, 1, -1e9}))
			return v == evidence.Certified{}, err
		}, "with the noise added it is not proven positive definite: entry (1, 1) is -1e+09"},
	} {
		var nothing bool
		err := parallel.Guard(func() (err error) { nothing, err = c.do(); return err })
		if !ErrorContains(err, c.want) || !nothing {
			t.Errorf("%s: nothing %v, error %v, want %q", name, nothing, err, c.want)
		}
	}
}

// An ill-conditioned Ψ is refused with that reason if float64 cannot represent it. Otherwise the pairs have a design.
func TestIllConditionedPairs(t *testing.T) {
	refused := 0
	for seed := range uint64(12) {
		d := symmetric.Eye(3)
		o := optimizerOf(must.Be(NewDifferences([]*mat.Dense{d})), MostInformation, Bimodal, nil, 1, 2, 3).withContext(t)
		s := &pairs{optimizer: o, rows: []int{0, 1, 2}, gains: o.goal.Weights, list: []*mat.Dense{d}, exact: []*symmetric.Enclosure{symmetric.Exactly(d)}}
		c := product(symmetric.RandomBasis(3, rand.NewPCG(61, seed)), diagonalOf(1e11, 1e5, 1e-2))
		out, err := s.design([]float64{1, 1, 1}, c, interval.Int(1000))
		if ErrorContains(err, "mvg: the best Ψ: not positive definite") && out == nil {
			refused++
		} else if err != nil || out == nil {
			t.Errorf("seed %d: %v, error %v", seed, out, err)
		}
	}
	if refused == 0 {
		t.Error("no seed is refused")
	}
}

// The bound over all shares fails if the proof of any knot fails.
func TestSharesFailWithAnyKnot(t *testing.T) {
	mine := errors.New("mine")
	for at := range 4 {
		made := func(k int, share float64) *knot {
			return &knot{share: share, value: 1, surplus: 1, prove: func() (proof, error) {
				if k == at {
					return proof{}, mine
				}
				return proof{interval.Int(1), interval.Int(1), interval.Int(1)}, nil
			}}
		}
		if v, err := certifiedShares(made(0, 0.5), made(1, 2), []*knot{made(2, 0.5), made(3, 2)}); err != mine || v != (interval.Interval{}) {
			t.Errorf("knot %d fails: %v, error %v", at, v, err)
		}
	}
}

// A panic in a worker goroutine reaches the caller.
func TestFillRowsPropagatesPanic(t *testing.T) {
	err := parallel.Guard(func() error {
		fillRows(make([]float64, 4), 2, 2, func(i int) float64 { panic("mine") }, nil, rand.NewPCG(1, 1))
		return nil
	})
	if !ErrorContains(err, "mine") {
		t.Errorf("error %v", err)
	}
}

var errOracle = errors.New("no answer")

// Searches return the error of every function they call, at every call.
func TestSearchesReturnOracleErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(119, 1))
	w := symmetric.RandomBasis(2, rng)
	box := must.Be(NewBox(2, []float64{0.5, 2}))
	of := func(objective Objective, mode Mode) *optimizer {
		return &optimizer{
			ctx: t.Context(), s: box, goal: Goal{objective, []float64{1, 3}}, recipe: Params{Mode: mode, Directions: w},
			basis: must.Be(newBasis(w, []float64{1, 3})), mu: evidence.Certified{Lo: 1, Hi: 1}, n: 2, columns: 1,
		}
	}
	asked, fails := 0, 0
	question := func() error {
		if asked++; asked == fails {
			return errOracle
		}
		return nil
	}
	oracleOf := func(o *optimizer) oracle {
		find := o.boxOracle(box)
		return oracle{
			worst: func(p []float64) ([]interval.Interval, error) {
				if err := question(); err != nil {
					return nil, err
				}
				return find.worst(p)
			},
			touching: func(i int) ([]interval.Interval, error) {
				if err := question(); err != nil {
					return nil, err
				}
				return find.touching(i)
			},
		}
	}
	more := func(find separationOracle) separationOracle {
		return func(p, q *mat.SymDense) ([]*mat.Dense, error) {
			if err := question(); err != nil {
				return nil, err
			}
			return find(p, q)
		}
	}
	column := func(o *optimizer) separationOracle {
		return func(p, _ *mat.SymDense) ([]*mat.Dense, error) {
			found, err := box.worstSigns(o.ctx, p)
			var out []*mat.Dense
			for _, s := range found {
				out = append(out, box.column(s))
			}
			return out, err
		}
	}
	for name, f := range map[string]func() (any, error){
		"planes for the error": func() (any, error) {
			o := of(LeastError, Unimodal)
			p, _, err := o.planes(oracleOf(o))
			return p == nil, err
		},
		"planes for information": func() (any, error) {
			o := of(MostInformation, Unimodal)
			v, err := o.cut(oracleOf(o), planesMethod)
			return v == nil, err
		},
		"any Σ for information": func() (any, error) {
			o := of(MostInformation, Unimodal)
			v, err := o.free([]*mat.Dense{box.column([]float64{1, 1}), box.column([]float64{1, -1})}, more(column(o)))
			return v == nil, err
		},
		"any Σ for the error": func() (any, error) {
			o := of(LeastError, Unimodal)
			v, err := o.free([]*mat.Dense{box.column([]float64{1, 1}), box.column([]float64{1, -1})}, more(column(o)))
			return v == nil, err
		},
		"Ψ = Σ for the error": func() (any, error) {
			o := of(LeastError, Equimodal)
			v, err := o.geodesic(&geodesic{mode: Equimodal, diagonal: true}, []*mat.Dense{box.vertex([]float64{1, 1}, 0), box.vertex([]float64{1, -1}, 1)}, more(o.worstEntry(box)), false)
			return v == nil, err
		},
		"Ψ = Σ for information in a box": func() (any, error) {
			o := of(MostInformation, Equimodal)
			p, _, err := o.vertexRows(box, oracleOf(o)).best()
			return p == nil, err
		},
	} {
		asked, fails = 0, 0
		if none, err := f(); err != nil || none == true || asked == 0 {
			t.Errorf("%s: %d oracle calls, error %v", name, asked, err)
			continue
		}
		whole := asked
		for n := 1; n <= whole; n += 1 + n/8 {
			asked, fails = 0, n
			if none, err := f(); !errors.Is(err, errOracle) || none != true {
				t.Errorf("%s: oracle call %d of %d fails: error %v", name, n, whole, err)
			}
		}
	}
}

// Parameters out of range are refused with their names. An indefinite matrix is not a covariance.
func TestOutOfRangeParametersAreNamed(t *testing.T) {
	ball := must.Be(NewBall(2, 2, BallOptions{S2: 1, Gamma: 1}))
	for _, c := range []struct {
		eps, delta float64
		want       string
	}{{1e21, 0.1, "eps = 1e+21"}, {1, 1e-308, "delta = 1e-308"}} {
		r := Params{Epsilon: evidencetest.Epsilon(c.eps), Delta: evidencetest.Delta(c.delta)}
		if d, err := NewTight(t.Context(), ball, r); d != nil || !errors.Is(err, evidence.ErrParameter) || !ErrorContains(err, c.want) {
			t.Errorf("ε = %g, δ = %g: design %v, error %v", c.eps, c.delta, d, err)
		}
		if o, err := Optimal(t.Context(), ball, Goal{}, r); o != nil || !errors.Is(err, evidence.ErrParameter) || !ErrorContains(err, c.want) {
			t.Errorf("ε = %g, δ = %g: optimum %v, error %v", c.eps, c.delta, o, err)
		}
	}
	wide := must.Be(NewBox(2, []float64{1e308, 1e308}))
	if c, err := NewClaim(t.Context(), wide, Theorem2, ZetaRoot, Params{Epsilon: evidencetest.Epsilon(1), Delta: evidencetest.Delta(0.1)}); c != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a box of half-width 1e308: claim %v, error %v", c, err)
	}
	var c Covariance
	if err := c.set(mat.NewSymDense(2, []float64{1, 2, 2, -1})); err == nil || c.dense != nil {
		t.Errorf("an entry of −1: error %v", err)
	}
	if err := c.set(mat.NewSymDense(2, []float64{1, 2, 2, 1})); err == nil || c.dense != nil {
		t.Errorf("an eigenvalue of −1: error %v", err)
	}
	little := symmetric.Diagonal([]interval.Interval{interval.TwoTo(-3000), interval.TwoTo(-3000)})
	if v, eta, err := tangent(little, identity(2)); !errors.Is(err, errScale) || eta != 0 {
		t.Errorf("the tangent at 2^−3000·I: %v, %v, error %v", v, eta, err)
	}
	for n := 1; n < 4; n++ {
		one := unitNoise(n)
		if !sameCovariance(one, must.Be(NewIsotropic(n, 1))) || one.Order() != n || one.Trace() != float64(n) {
			t.Errorf("I of order %d: %v", n, one)
		}
	}
}

// A set that no search handles has no optimum. The inverse of a subnormal number overflows.
func TestSolveRejectsUnknownSet(t *testing.T) {
	o := &optimizer{ctx: t.Context(), s: set{must.Be(NewBall(2, 2, BallOptions{S2: 1, Gamma: 1}))}}
	if v, err := o.solve(); v != nil || !errors.Is(err, evidence.ErrParameter) || !ErrorContains(err, "no optimum for") {
		t.Errorf("optimum %v of an unknown set, error %v", v, err)
	}
	small := symmetric.Exactly(mat.NewDense(1, 1, []float64{1e-320}))
	if m, err := inverted("Σ", small); m != nil || !errors.Is(err, errScale) {
		t.Errorf("the inverse of 1e-320 is %v, error %v", m, err)
	}
}
