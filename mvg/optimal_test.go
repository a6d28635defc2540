package mvg_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// The bounds of an optimum agree to 1e-6, or the method mentions the gap. With very different widths in rotated axes,
// float64 cannot close the gap.
func TestOptimalMethodMentionsGap(t *testing.T) {
	eps := must.Be(evidence.NewEpsilon("eps", 0.3))
	rng := rand.New(rand.NewPCG(31, 37))
	said := 0
	for k := range 12 {
		widths, signal := make([]float64, 4), make([]float64, 4)
		for i := range widths {
			widths[i] = math.Exp(6 * rng.NormFloat64())
			signal[i] = 1e10 * math.Exp(4*rng.NormFloat64())
		}
		box := must.Be(mvg.NewBox(2, widths))
		goal := mvg.Goal{Objective: mvg.MostInformation, Weights: signal}
		if k%2 == 1 {
			goal = mvg.Goal{Objective: mvg.LeastError}
		}
		o, err := mvg.Optimal(ctx, box, goal, mvg.Params{Epsilon: eps, Delta: evidencetest.Delta(1e-5), Directions: rotation(4, uint64(k)), FreeAxes: true})
		if err != nil {
			continue // float64 cannot factor such a matrix
		}
		apart := o.Value.Hi-o.Value.Lo > 1e-6*o.Value.Hi
		if says := strings.Contains(o.Method, "apart"); says != apart || o.Method != o.Value.Method {
			t.Errorf("widths %v, signal %v: optimum in [%v, %v], method %q", widths, signal, o.Value.Lo, o.Value.Hi, o.Method)
		}
		if apart {
			said++
		}
	}
	if said == 0 {
		t.Error("no optimum has a gap, so the method's text is unchecked")
	}
}

// The information of a weak signal is proportional to the signal. So are both bounds of the optimum, however weak the
// signal.
func TestInformationOfWeakSignals(t *testing.T) {
	a := mat.NewDense(3, 3, []float64{1, 2.5, 0.3, -0.5, 1, 0.4, 0.3, 0.2, 1.5})
	b := mat.NewDense(3, 3, []float64{-1, 0.7, 2, 2, 0.1, 0.5, 0.4, 1.1, -0.6})
	c := mat.NewDense(3, 3, []float64{0.2, -1, 1, 0.8, 0.9, -1.3, 1.2, -0.3, 0.1})
	list := must.Be(mvg.NewDifferences([]*mat.Dense{a, b, c}))
	box := must.Be(mvg.NewBox(3, []float64{1, 2, 0.5}))
	gram := must.Be(mvg.NewGram(3, 1, query.Replace, 1))
	w := rotation(3, 5)
	for _, c := range []struct {
		name   string
		s      mvg.Sensitivity
		recipe mvg.Params
	}{
		{"list", list, mvg.Params{Directions: w}},
		{"list, free axes", list, mvg.Params{Directions: w, FreeAxes: true}},
		{"list, any Ψ", list, mvg.Params{Mode: mvg.Bimodal}},
		{"box in its axes", box, mvg.Params{}},
		{"box", box, mvg.Params{Directions: w}},
		{"box, free axes", box, mvg.Params{Directions: w, FreeAxes: true}},
		{"gram", gram, mvg.Params{Mode: mvg.Equimodal}},
		{"gram, any Ψ", gram, mvg.Params{Mode: mvg.Bimodal}},
	} {
		c.recipe.Epsilon, c.recipe.Delta = one, evidencetest.Delta(1e-5)
		ends := func(k float64) (lo, hi float64) {
			goal := mvg.Goal{Objective: mvg.MostInformation, Weights: []float64{k, 2 * k, 3 * k}}
			o := must.Be(mvg.Optimal(ctx, c.s, goal, c.recipe))
			return o.Value.Lo / k, o.Value.Hi / k
		}
		apart := 1e-6
		if c.recipe.Mode == mvg.Equimodal {
			apart = 1e-3 // the search stops at regions with a gap this small
		}
		lo, hi := ends(1e-8) // at 1e-8 the curvature is about 1e-8 of the value
		for _, k := range []float64{1e-12, 1e-16, 1e-20, 1e-25, 1e-30} {
			if l, h := ends(k); math.Abs(l-lo) > 1e-6*lo || math.Abs(h-hi) > apart*hi {
				t.Errorf("%s, a signal of %g: optimum per unit of signal in [%v, %v], at 1e-8 in [%v, %v]", c.name, k, l, h, lo, hi)
			}
		}
	}
}

func optimum(t *testing.T, s mvg.Sensitivity, eps, delta float64, goal mvg.Goal, r mvg.Params) *mvg.Optimum {
	t.Helper()
	e := evidencetest.Epsilon(eps)
	r.Epsilon, r.Delta = e, evidencetest.Delta(delta)
	return must.Be(mvg.Optimal(ctx, s, goal, r))
}

func listOf(t *testing.T, m, n int, entries ...[]float64) mvg.Differences {
	t.Helper()
	var list []*mat.Dense
	for _, e := range entries {
		list = append(list, mat.NewDense(m, n, e))
	}
	return must.Be(mvg.NewDifferences(list))
}

// A design with correlated columns, private at ε = .9117, has more information than any design with independent
// columns. The bound holds for every Ψ.
func TestInformationOfAnyPsi(t *testing.T) {
	s := listOf(t, 2, 2, []float64{1, 1, 1, 0}, []float64{0, 1, 1, 1})
	goal := mvg.Goal{Objective: mvg.MostInformation, Weights: []float64{1, 1}}
	o := optimum(t, s, 1, 1e-5, goal, mvg.Params{Mode: mvg.Bimodal})
	sigma := must.Be(mvg.NewDirectional([]float64{2645, 13222}, nil))
	psi := must.Be(mvg.NewDense(mat.NewDense(2, 2, []float64{1, 1.73, 1.73, 3})))
	d := must.Be(mvg.NewDesign(ctx, s, sigma, psi))
	if e := must.Be(d.Privacy().Epsilon(ctx, evidencetest.Delta(1e-5))); e.Float() > 1 {
		t.Fatalf("the witness needs ε = %v", e)
	}
	if v := objective(d.Sigma(), d.Psi(), goal, mat.NewDense(2, 2, []float64{1, 0, 0, 1}), mvg.Bimodal, false); v > o.Value.Hi || v < 0.23 {
		t.Errorf("a private design reaches %v, the optimum is in [%v, %v]", v, o.Value.Lo, o.Value.Hi)
	}
	if o.Value.Lo < 0.3 {
		t.Errorf("the design reaches %v, want at least 0.3, which needs correlated columns", o.Value.Lo)
	}
}

// If some direction of a row's columns is orthogonal to all differences, the information is unbounded.
func TestInformationWithoutBound(t *testing.T) {
	s := listOf(t, 2, 2, []float64{1, 1, 1, 0}, []float64{1, 1, 0, 1})
	goal := mvg.Goal{Objective: mvg.MostInformation, Weights: []float64{1, 1}}
	if o, err := mvg.Optimal(ctx, s, goal, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(1e-5), Mode: mvg.Bimodal}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("optimum %+v, error %v", o, err)
	}
}

// The optimum does not depend on units. It stays the same if a row is multiplied by d and its weight divided by d², or
// if a single column is multiplied by e.
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
			r := mvg.Params{Mode: mode, FreeAxes: true}
			a := optimum(t, must.Be(mvg.NewDifferences(list)), 1, 1e-5, mvg.Goal{Weights: []float64{1, 3}}, r)
			w := []float64{1 / (units[0] * units[0]), 3 / (units[1] * units[1])}
			b := optimum(t, must.Be(mvg.NewDifferences(scaled)), 1, 1e-5, mvg.Goal{Weights: w}, r)
			if !near(a.Value.Lo, b.Value.Lo, 1e-8) || !near(a.Value.Hi, b.Value.Hi, 1e-8) {
				t.Errorf("%s: [%v, %v], before [%v, %v]", name, b.Value.Lo, b.Value.Hi, a.Value.Lo, a.Value.Hi)
			}
		}
	}
}

// A zero difference in a list does not change the optimum.
func TestOptimumWithZeroDifference(t *testing.T) {
	with := listOf(t, 2, 1, []float64{0, 0}, []float64{1, 2}, []float64{2, -1})
	without := listOf(t, 2, 1, []float64{1, 2}, []float64{2, -1})
	for mode := mvg.Unimodal; mode <= mvg.Bimodal; mode += 2 {
		r := mvg.Params{Mode: mode, FreeAxes: true}
		a, b := optimum(t, with, 1, 1e-5, mvg.Goal{}, r), optimum(t, without, 1, 1e-5, mvg.Goal{}, r)
		if !near(a.Value.Hi, b.Value.Hi, 1e-9) || !near(a.Value.Lo, b.Value.Lo, 1e-9) {
			t.Errorf("mode %d: [%v, %v] with a zero, [%v, %v] without", mode, a.Value.Lo, a.Value.Hi, b.Value.Lo, b.Value.Hi)
		}
	}
}

// Optimal rejects invalid problems with ErrParameter.
func TestOptimalRefusesBadInput(t *testing.T) {
	list := listOf(t, 2, 2, []float64{1, 0, 0, 2}, []float64{0, 1, 1, 0})
	nan := mat.NewDense(2, 2, []float64{math.NaN(), 0, 0, 1})
	for name, c := range map[string]struct {
		s    mvg.Sensitivity
		goal mvg.Goal
		r    mvg.Params
	}{
		"no set":             {nil, mvg.Goal{}, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(0.1)}},
		"an empty set":       {mvg.Differences{}, mvg.Goal{}, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(0.1)}},
		"an empty box":       {mvg.Box{}, mvg.Goal{}, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(0.1)}},
		"another objective":  {list, mvg.Goal{Objective: 7}, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(0.1)}},
		"another mode":       {list, mvg.Goal{}, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(0.1), Mode: 9}},
		"directions of NaN":  {list, mvg.Goal{}, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(0.1), Directions: nan}},
		"one direction":      {list, mvg.Goal{}, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(0.1), Directions: mat.NewDense(2, 1, []float64{1, 0})}},
		"a weight of NaN":    {list, mvg.Goal{Weights: []float64{1, math.NaN()}}, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(0.1)}},
		"an infinite weight": {list, mvg.Goal{Weights: []float64{1, math.Inf(1)}}, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(0.1)}},
		"one weight":         {list, mvg.Goal{Weights: []float64{1}}, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(0.1)}},
		"no epsilon":         {list, mvg.Goal{}, mvg.Params{Delta: evidencetest.Delta(0.1)}},
	} {
		if o, err := mvg.Optimal(ctx, c.s, c.goal, c.r); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %+v, error %v", name, o, err)
		}
	}
}

// At extreme scales and parameters Optimal returns a valid enclosure or an error, never NaN.
func TestOptimalAtExtremeScales(t *testing.T) {
	n := 0
	for _, size := range []float64{1e-300, 1e-160, 1e-100, 1e100, 1e160, 1e300} {
		for _, eps := range []float64{1e-9, 1, 1e9} {
			e := evidencetest.Epsilon(eps)
			list := listOf(t, 2, 2, []float64{size, 0, 0, 1}, []float64{0, 1, size, 0})
			box := must.Be(mvg.NewBox(2, []float64{size, 1}))
			for _, s := range []mvg.Sensitivity{list, box} {
				for mode := mvg.Unimodal; mode <= mvg.Bimodal; mode++ {
					for _, goal := range []mvg.Goal{{}, {Weights: []float64{1 / size, 1}}, {Objective: mvg.MostInformation, Weights: []float64{size, 1}}} {
						for _, free := range []bool{false, true} {
							if n++; !cases.Every(5, n) {
								continue
							}
							o, err := mvg.Optimal(ctx, s, goal, mvg.Params{Epsilon: e, Delta: evidencetest.Delta(1e-5), Mode: mode, FreeAxes: free})
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
