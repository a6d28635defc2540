package mvg

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// What has no decomposition, as a matrix of order 3 that holds no numbers, is refused or
// passed over, and what is not positive definite has no root, no step and no value.
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
		t.Error("a root of no numbers")
	}
	if all := localMaxima(nan); len(all) != 1 || all[0][0] != 1 || all[0][1] != 1 || all[0][2] != 1 {
		t.Errorf("vertices %v for no numbers", all)
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
		t.Errorf("a step to %v for no barrier", next)
	}
	if next, _ := r.step([]float64{1, 1, 1}, 0.1); next == nil {
		t.Error("no step where there is one")
	}

	s := &separable{terms: []term{func(float64) (a, b, c float64) { return 0, 0, math.NaN() }}, rows: [][]float64{{1}}}
	if q, slacks, decrement := s.step(1, []float64{0.5}, []float64{0.5}); q != nil || slacks != nil || decrement != 0 {
		t.Errorf("a step to %v without a curvature", q)
	}

	p := &pairs{optimizer: &optimizer{ctx: t.Context()}, rows: []int{0}, gains: []float64{1}, list: []*mat.Dense{mat.NewDense(1, n, []float64{1, 1, 1})}}
	if c, err := p.forAxes([]float64{1}, dense, p.list); c != nil || !errors.Is(err, errScale) {
		t.Errorf("axes %v of no Q, error %v", c, err)
	}
	over := &pairs{optimizer: &optimizer{ctx: looks.After(t.Context(), 0)}, gains: p.gains}
	if c, err := over.forAxes([]float64{1}, symmetric.Eye(n), p.list); c != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("axes %v of a search that is over, error %v", c, err)
	}

	zero := symmetric.Exactly(mat.NewDense(2, 2, nil))
	if m, err := inverted("Σ", zero); m != nil || err == nil || errors.Is(err, errScale) {
		t.Errorf("the inverse of 0 is %v, error %v", m, err)
	}
	o := &optimizer{ctx: t.Context(), goal: Goal{LeastError, uniform(2, 1)}, frame: ok(newFrame(nil, uniform(2, 1))), n: 2, columns: 1}
	o.mu = evidence.Certified{Lo: 1, Hi: 1}
	if c, err := o.balanced([]*mat.Dense{mat.NewDense(2, 2, nil)}); c != nil || !errors.Is(err, errScale) {
		t.Errorf("differences of 0 are balanced by %v, error %v", c, err)
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

	// A basis that is none is its own inverse, widened; the noise of an all but singular product has
	// no Cholesky factor.
	w := mat.NewDense(2, 2, []float64{1, 1, 1, 1})
	f := &frame{w: w, weights: exactly(uniform(2, 1)), least: 0.5, most: 2}
	if lo, hi := func() (float64, float64) { v, _ := f.inverse().At(0, 1); return v.Bounds() }(); !(lo < 1 && hi > 1 && hi-lo >= 2*1/0.5*2 && hi-lo < 9) {
		t.Errorf("the inverse has an entry in [%v, %v]", lo, hi)
	}
	near := ok(NewDense(mat.NewSymDense(2, []float64{1, 1 - 1e-12, 1 - 1e-12, 1})))
	d := ok(NewDesign(t.Context(), ok(NewBall(2, 2, BallOptions{S2: 1, Gamma: 1})), near, near))
	if z, err := d.NoiseKronecker(rand.NewPCG(1, 1)); z != nil || !errors.Is(err, ErrNotPositiveDefinite) {
		t.Errorf("noise %v, error %v", z, err)
	}
}

// No number is beside an error, whichever way it is found.
func TestNoNumbersBesideErrors(t *testing.T) {
	for name, s := range map[string]Sensitivity{"no set": nil, "a set of nothing": Differences{}, "a ball of nothing": Ball{}} {
		if m, n, err := shapeOf(s); m != 0 || n != 0 || err == nil {
			t.Errorf("%s is of %d×%d, error %v", name, m, n, err)
		}
	}
	noise := RankOne{Dimension: 3, Sensitivity: 1, Variance: 1}
	eps := ok(evidence.NewEpsilon("eps", 1))
	whole := looks.After(t.Context(), math.MaxInt)
	if _, _, err := noise.integrate(whole, 0.1, eps, 20, 20); err != nil {
		t.Fatal(err)
	}
	for n := range whole.Looks() {
		if lo, hi, err := noise.integrate(looks.After(t.Context(), n), 0.1, eps, 20, 20); lo != 0 || hi != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("over after %d looks: [%v, %v], error %v", n, lo, hi, err)
		}
	}
}

// An entry of 1 is one like any other, and eigenvalues are stated between both of their ends.
func TestEntriesAndEndsCount(t *testing.T) {
	list := ok(NewDifferences([]*mat.Dense{mat.NewDense(2, 2, []float64{1, 0, 0, 1})}))
	if k := list.Frobenius(); !(k.Lo <= math.Sqrt2 && k.Hi >= math.Sqrt2 && k.Hi-k.Lo < 1e-15) {
		t.Errorf("√2 in [%v, %v]", k.Lo, k.Hi)
	}
	c := drawCovariance(t, 3, 1, rand.New(rand.NewPCG(133, 1)))
	for i, v := range c.top(2) {
		at := c.ends(2)[i]
		if at[0].Cmp(at[1]) >= 0 || interval.Rat(at[0]).CmpLo(v) != 0 || interval.Rat(at[1]).CmpHi(v) != 0 {
			t.Errorf("eigenvalue %d from %v to %v, want %v", i, at[0], at[1], v)
		}
	}
}

// A release starts with so many digits that at most one in 2¹⁰ entries or so is left undecided,
// and not many more than that takes.
func TestDigitsOfAJointRelease(t *testing.T) {
	for _, step := range []*big.Rat{big.NewRat(1, 1), big.NewRat(1, 3), big.NewRat(1, 1<<40)} {
		for _, exps := range [][2][]int{{{0}, {0}}, {{3, -2}, {1}}, {{0, 0, 0}, {0}}, {{0, 0, 0, 0}, {0, 0}}, {{5, 5, 5, 5, 5, 5, 5}, {-3, 2}}, {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 1, 1, 1, 1, 1, 1, 1}}} {
			n, sum := float64(len(exps[0])*len(exps[1])), 0.0
			for _, e := range exps[0] {
				for _, f := range exps[1] {
					sum += math.Ldexp(1, e+f)
				}
			}
			width, _ := step.Float64()
			share := 8 * math.Sqrt(n) * math.Ldexp(sum/width, -digits(step, exps[0], exps[1]))
			if share > 0x1p-10 || share < 0x1p-14 {
				t.Errorf("step %v, exponents %v: a share of 2^%.2f is left", step, exps, math.Log2(share))
			}
		}
	}
}
