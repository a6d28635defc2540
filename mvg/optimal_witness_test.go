package mvg_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

func optimum(t *testing.T, s mvg.Sensitivity, eps, delta float64, goal mvg.Goal, r mvg.Recipe) *mvg.Optimum {
	t.Helper()
	e := epsilon(eps)
	r.Epsilon, r.Delta = e, evidencetest.Delta(delta)
	return must[*mvg.Optimum](t)(mvg.Optimal(ctx, s, goal, r))
}

func listOf(t *testing.T, m, n int, entries ...[]float64) mvg.Differences {
	t.Helper()
	var list []*mat.Dense
	for _, e := range entries {
		list = append(list, mat.NewDense(m, n, e))
	}
	return must[mvg.Differences](t)(mvg.NewDifferences(list))
}

// A design with correlated columns, private at ε = .9117, has more information than any
// with independent ones: the bound is on every Ψ.
func TestInformationOfAnyPsi(t *testing.T) {
	s := listOf(t, 2, 2, []float64{1, 1, 1, 0}, []float64{0, 1, 1, 1})
	goal := mvg.Goal{Objective: mvg.MostInformation, Weights: []float64{1, 1}}
	o := optimum(t, s, 1, 1e-5, goal, mvg.Recipe{Mode: mvg.Bimodal})
	sigma := must[mvg.Covariance](t)(mvg.NewDirectional([]float64{2645, 13222}, nil))
	psi := must[mvg.Covariance](t)(mvg.NewDense(mat.NewDense(2, 2, []float64{1, 1.73, 1.73, 3})))
	d := must[*mvg.Design](t)(mvg.NewDesign(ctx, s, sigma, psi))
	if e := must[evidence.Number](t)(d.Privacy().Epsilon(ctx, evidencetest.Delta(1e-5))); e.Float() > 1 {
		t.Fatalf("the witness needs ε = %v", e)
	}
	if v := objective(d.Sigma(), d.Psi(), goal, mat.NewDense(2, 2, []float64{1, 0, 0, 1}), mvg.Bimodal, false); v > o.Value.Hi || v < 0.23 {
		t.Errorf("a private design reaches %v, the optimum is in [%v, %v]", v, o.Value.Lo, o.Value.Hi)
	}
	if o.Value.Lo < 0.3 {
		t.Errorf("the design reaches %v, want what correlated columns allow", o.Value.Lo)
	}
}

// Random lists and random correlated Ψ, scaled onto the constraint, do not pass the bound.
func TestInformationOfRandomPsi(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	for k := range 12 {
		m, n := 1+rng.IntN(3), 1+rng.IntN(3)
		var list []*mat.Dense
		for range m*n + 1 {
			d := mat.NewDense(m, n, nil)
			d.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, d)
			list = append(list, d)
		}
		s := must[mvg.Differences](t)(mvg.NewDifferences(list))
		goal := mvg.Goal{Objective: mvg.MostInformation}
		for range m {
			goal.Weights = append(goal.Weights, math.Exp(2*rng.NormFloat64()))
		}
		o := optimum(t, s, 1, 1e-3, goal, mvg.Recipe{Mode: mvg.Bimodal})
		mu := must[evidence.Certified](t)(gaussian.Mu(one, evidencetest.Delta(1e-3)))
		for range 60 {
			v := make([]float64, m)
			for i := range v {
				v[i] = math.Exp(2 * rng.NormFloat64())
			}
			sigma := must[mvg.Covariance](t)(mvg.NewDirectional(v, nil))
			psi := shaken(t, randomCovariance(t, n, rng), 0.3, rng)
			d := must[*mvg.Design](t)(mvg.NewDesign(ctx, s, sigma, psi))
			over := d.WhitenedSensitivity().Hi / mu.Lo
			eye := mat.NewDense(m, m, nil)
			for i := range m {
				eye.Set(i, i, 1)
			}
			if got := objective(times(t, sigma, over*over), psi, goal, eye, mvg.Bimodal, false); got > o.Value.Hi*(1+1e-9) {
				t.Fatalf("list %d: a design reaches %v, past [%v, %v]", k, got, o.Value.Lo, o.Value.Hi)
			}
		}
	}
}

// Where no difference sees some direction of a row's columns, information has no bound.
func TestInformationWithoutBound(t *testing.T) {
	s := listOf(t, 2, 2, []float64{1, 1, 1, 0}, []float64{1, 1, 0, 1})
	goal := mvg.Goal{Objective: mvg.MostInformation, Weights: []float64{1, 1}}
	if o, err := mvg.Optimal(ctx, s, goal, mvg.Recipe{Epsilon: one, Delta: evidencetest.Delta(1e-5), Mode: mvg.Bimodal}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("optimum %+v, error %v", o, err)
	}
}

// The best Σ of free directions spends the whole of ε, whatever directions the search starts
// from: with equal weights it is the box's own optimum n(Σ2h)²/μ².
func TestFreeAxesSpendAll(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 84))
	check := func(h []float64, w *mat.Dense, eps, delta float64) {
		t.Helper()
		s := must[mvg.Box](t)(mvg.NewBox(1, h))
		o := optimum(t, s, eps, delta, mvg.Goal{}, mvg.Recipe{Directions: w, FreeAxes: true})
		mu := must[evidence.Certified](t)(gaussian.Mu(epsilon(eps), evidencetest.Delta(delta)))
		sum := 0.0
		for _, v := range h {
			sum += 2 * v
		}
		want := sum * sum / (mu.Lo * mu.Lo)
		if !near(o.Value.Hi, want, 1e-8) || !near(o.Value.Lo, want, 1e-8) {
			t.Errorf("h = %v, ε = %v: error in [%v, %v], want %v", h, eps, o.Value.Lo, o.Value.Hi, want)
		}
		if k := o.Design.WhitenedSensitivity(); k.Hi > mu.Hi || k.Hi < mu.Lo*(1-1e-9) {
			t.Errorf("h = %v, ε = %v: whitened sensitivity %v, μ = %v", h, eps, k.Hi, mu.Lo)
		}
	}
	check([]float64{2, 0.2}, mat.NewDense(2, 2, []float64{.6, -.8, .8, .6}), 20, 1e-5)
	for range 10 {
		m := 2 + rng.IntN(2)
		h := make([]float64, m)
		for i := range h {
			h[i] = math.Exp(rng.NormFloat64())
		}
		check(h, rotation(m, rng.Uint64()), math.Exp(6*rng.Float64()-1), math.Pow(10, -1-7*rng.Float64()))
	}
}

// Rows, columns and weights in other units change nothing: with rows times d and weights
// over d², and columns times e for a single column, the optimum is as before.
func TestOptimumInOtherUnits(t *testing.T) {
	rng := rand.New(rand.NewPCG(85, 86))
	for _, power := range []int{3, 20, 60} {
		for mode := mvg.Unimodal; mode <= mvg.Bimodal; mode++ {
			const m = 2
			units := []float64{math.Ldexp(1, power), math.Ldexp(1, -power)}
			var list, scaled []*mat.Dense
			for range 4 {
				d := mat.NewDense(m, m, nil)
				d.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, d)
				e := mat.DenseCopyOf(d)
				e.Apply(func(i, j int, v float64) float64 {
					if v *= units[i]; mode == mvg.Equimodal {
						v *= units[j]
					}
					return v
				}, e)
				list, scaled = append(list, d), append(scaled, e)
			}
			name := fmt.Sprintf("mode %d, units of 2^±%d", mode, power)
			r := mvg.Recipe{Mode: mode, FreeAxes: true}
			a := optimum(t, must[mvg.Differences](t)(mvg.NewDifferences(list)), 1, 1e-5, mvg.Goal{Weights: []float64{1, 3}}, r)
			w := []float64{1 / (units[0] * units[0]), 3 / (units[1] * units[1])}
			b := optimum(t, must[mvg.Differences](t)(mvg.NewDifferences(scaled)), 1, 1e-5, mvg.Goal{Weights: w}, r)
			if !near(a.Value.Lo, b.Value.Lo, 1e-8) || !near(a.Value.Hi, b.Value.Hi, 1e-8) {
				t.Errorf("%s: [%v, %v], before [%v, %v]", name, b.Value.Lo, b.Value.Hi, a.Value.Lo, a.Value.Hi)
			}
		}
	}
}

// A difference of 0 in a list asks for nothing.
func TestOptimumWithZeroDifference(t *testing.T) {
	with := listOf(t, 2, 1, []float64{0, 0}, []float64{1, 2}, []float64{2, -1})
	without := listOf(t, 2, 1, []float64{1, 2}, []float64{2, -1})
	for mode := mvg.Unimodal; mode <= mvg.Bimodal; mode += 2 {
		r := mvg.Recipe{Mode: mode, FreeAxes: true}
		a, b := optimum(t, with, 1, 1e-5, mvg.Goal{}, r), optimum(t, without, 1, 1e-5, mvg.Goal{}, r)
		if !near(a.Value.Hi, b.Value.Hi, 1e-9) || !near(a.Value.Lo, b.Value.Lo, 1e-9) {
			t.Errorf("mode %d: [%v, %v] with a zero, [%v, %v] without", mode, a.Value.Lo, a.Value.Hi, b.Value.Lo, b.Value.Hi)
		}
	}
}

// What cannot be optimised is one error, from Go too.
func TestOptimalRefusesBadInput(t *testing.T) {
	list := listOf(t, 2, 2, []float64{1, 0, 0, 2}, []float64{0, 1, 1, 0})
	nan := mat.NewDense(2, 2, []float64{math.NaN(), 0, 0, 1})
	for name, c := range map[string]struct {
		s    mvg.Sensitivity
		goal mvg.Goal
		r    mvg.Recipe
	}{
		"no set":             {nil, mvg.Goal{}, mvg.Recipe{Epsilon: one, Delta: evidencetest.Delta(0.1)}},
		"an empty set":       {mvg.Differences{}, mvg.Goal{}, mvg.Recipe{Epsilon: one, Delta: evidencetest.Delta(0.1)}},
		"an empty box":       {mvg.Box{}, mvg.Goal{}, mvg.Recipe{Epsilon: one, Delta: evidencetest.Delta(0.1)}},
		"another objective":  {list, mvg.Goal{Objective: 7}, mvg.Recipe{Epsilon: one, Delta: evidencetest.Delta(0.1)}},
		"another mode":       {list, mvg.Goal{}, mvg.Recipe{Epsilon: one, Delta: evidencetest.Delta(0.1), Mode: 9}},
		"directions of NaN":  {list, mvg.Goal{}, mvg.Recipe{Epsilon: one, Delta: evidencetest.Delta(0.1), Directions: nan}},
		"one direction":      {list, mvg.Goal{}, mvg.Recipe{Epsilon: one, Delta: evidencetest.Delta(0.1), Directions: mat.NewDense(2, 1, []float64{1, 0})}},
		"a weight of NaN":    {list, mvg.Goal{Weights: []float64{1, math.NaN()}}, mvg.Recipe{Epsilon: one, Delta: evidencetest.Delta(0.1)}},
		"an infinite weight": {list, mvg.Goal{Weights: []float64{1, math.Inf(1)}}, mvg.Recipe{Epsilon: one, Delta: evidencetest.Delta(0.1)}},
		"one weight":         {list, mvg.Goal{Weights: []float64{1}}, mvg.Recipe{Epsilon: one, Delta: evidencetest.Delta(0.1)}},
		"no epsilon":         {list, mvg.Goal{}, mvg.Recipe{Delta: evidencetest.Delta(0.1)}},
	} {
		if o, err := mvg.Optimal(ctx, c.s, c.goal, c.r); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %+v, error %v", name, o, err)
		}
	}
}

// At the ends of float64 there is an optimum or an error, and no NaN.
func TestOptimalAtTheEnds(t *testing.T) {
	for _, size := range []float64{1e-300, 1e-160, 1e-100, 1e100, 1e160, 1e300} {
		for _, eps := range []float64{1e-9, 1, 1e9} {
			e := epsilon(eps)
			list := listOf(t, 2, 2, []float64{size, 0, 0, 1}, []float64{0, 1, size, 0})
			box := must[mvg.Box](t)(mvg.NewBox(2, []float64{size, 1}))
			for _, s := range []mvg.Sensitivity{list, box} {
				for mode := mvg.Unimodal; mode <= mvg.Bimodal; mode++ {
					for _, goal := range []mvg.Goal{{}, {Weights: []float64{1 / size, 1}}, {Objective: mvg.MostInformation, Weights: []float64{size, 1}}} {
						for _, free := range []bool{false, true} {
							o, err := mvg.Optimal(ctx, s, goal, mvg.Recipe{Epsilon: e, Delta: evidencetest.Delta(1e-5), Mode: mode, FreeAxes: free})
							if err == nil && !(o.Value.Lo >= 0 && o.Value.Lo <= o.Value.Hi && o.Value.Hi > 0 && !math.IsInf(o.Value.Hi, 1)) {
								t.Errorf("%s, size %v, ε = %v, mode %d, %v: value in [%v, %v]", s.Describe(), size, eps, mode, goal, o.Value.Lo, o.Value.Hi)
							}
						}
					}
				}
			}
		}
	}
}
