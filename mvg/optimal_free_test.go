package mvg_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// objective returns the goal's value at a design with these covariances, computed from their matrices.
func objective(sigma, psi mvg.Covariance, goal mvg.Goal, w *mat.Dense, mode mvg.Mode, gram bool) float64 {
	m := sigma.Order()
	weights := mat.NewDiagDense(m, nil)
	for i := range m {
		weights.SetDiag(i, 1)
		if goal.Weights != nil {
			weights.SetDiag(i, goal.Weights[i])
		}
	}
	var k mat.Dense
	k.Product(w, weights, w.T())
	if goal.Objective == mvg.LeastError {
		var left, right mat.Dense
		left.Mul(&k, sigma.Matrix())
		right.CloneFrom(psi.Matrix())
		if mode == mvg.Equimodal || gram && mode == mvg.Bimodal {
			right.Mul(&k, psi.Matrix())
		}
		return mat.Trace(&left) * mat.Trace(&right)
	}
	sum := 0.0
	columns := []float64{1}
	if mode == mvg.Bimodal {
		columns = columns[:0]
		for _, v := range psi.Variances() {
			columns = append(columns, 1/v)
		}
	}
	for _, q := range columns {
		var a mat.Dense
		a.Mul(&k, sigma.Precision())
		a.Scale(q, &a)
		for i := range m {
			a.Set(i, i, 1+a.At(i, i))
		}
		det, _ := mat.LogDet(&a)
		sum += det
	}
	return sum
}

// For every set, goal and mode, the optimum is private and its design attains its value. Random designs, near the
// optimum and far from it, are scaled onto the constraint and never beat the enclosure. Modes with an exact solution
// have a tight enclosure.
func TestOptimalBeatsRandomDesigns(t *testing.T) {
	const m, delta = 3, 1e-3
	mu := must.Be(gaussian.Mu(one, evidencetest.Delta(delta)))
	rng := rand.New(rand.NewPCG(51, 52))
	var list []*mat.Dense
	for range 6 {
		d := mat.NewDense(m, m, nil)
		for i := range m {
			for j := range m {
				d.Set(i, j, rng.NormFloat64())
			}
		}
		list = append(list, d)
	}
	w := rotation(m, 78)
	n := 0
	for _, s := range []mvg.Sensitivity{
		must.Be(mvg.NewBall(m, m, mvg.BallOptions{S2: 2, Gamma: 4, PSD: true})),
		must.Be(mvg.NewGram(m, 1, query.AddRemove, 1)),
		must.Be(mvg.NewGram(m, 1, query.Replace, 0.5)),
		must.Be(mvg.NewBox(m, []float64{0.5, 2, 1})),
		must.Be(mvg.NewDifferences(list)),
	} {
		_, isGram := s.(mvg.Gram)
		goals := []mvg.Goal{
			{Objective: mvg.LeastError, Weights: []float64{1, 0.1, 9}},
			{Objective: mvg.MostInformation, Weights: []float64{1, 30, 4}},
			{Objective: mvg.LeastError},
		}
		for _, goal := range goals[:cases.Of(2, 3)] {
			for mode := mvg.Unimodal; mode <= mvg.Bimodal; mode++ {
				for _, free := range []bool{false, true} {
					if n++; !cases.Every(5, n) {
						continue
					}
					name := fmt.Sprintf("%T %v mode %d free %v", s, goal, mode, free)
					r := mvg.Params{Epsilon: one, Delta: evidencetest.Delta(delta), Mode: mode, Directions: w, FreeAxes: free}
					best, err := mvg.Optimal(ctx, s, goal, r)
					open := goal.Objective == mvg.MostInformation && mode != mvg.Unimodal
					if _, isList := s.(mvg.Differences); isList && open && mode == mvg.Equimodal {
						if !errors.Is(err, evidence.ErrParameter) {
							t.Errorf("%s: error %v, want ErrParameter", name, err)
						}
						continue
					}
					if open && free && errors.Is(err, evidence.ErrParameter) {
						continue
					}
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					if gap := best.Value.Hi/best.Value.Lo - 1; gap > 1e-8 && !open {
						t.Errorf("%s: value in [%v, %v], want a tight enclosure", name, best.Value.Lo, best.Value.Hi)
					}
					if best.Design != nil {
						if k := best.Design.WhitenedSensitivity(); k.Hi > mu.Hi || k.Hi < mu.Lo*(1-1e-9) {
							t.Errorf("%s: whitened sensitivity %v, want just below μ = %v", name, k.Hi, mu.Lo)
						}
						reached := objective(best.Design.Sigma(), best.Design.Psi(), goal, w, mode, isGram)
						want := best.Value.Hi
						if goal.Objective == mvg.MostInformation {
							want = best.Value.Lo
						}
						if !near(reached, want, 1e-9) {
							t.Errorf("%s: the design reaches %v, the optimum says %v", name, reached, want)
						}
					}
					if !best.Everywhere {
						continue
					}
					for k := range 16 {
						sigma, psi := randomCovariance(t, m, rng), randomCovariance(t, m, rng)
						if best.Design != nil && k%2 == 0 {
							spread := math.Pow(10, -3*rng.Float64())
							sigma, psi = perturbed(t, best.Design.Sigma(), spread, rng), perturbed(t, best.Design.Psi(), spread, rng)
						}
						switch mode {
						case mvg.Unimodal:
							psi = must.Be(mvg.NewIsotropic(m, 1))
						case mvg.Equimodal:
							psi = sigma
						}
						d := must.Be(mvg.NewDesign(ctx, s, sigma, psi))
						scale := d.WhitenedSensitivity().Hi / mu.Lo
						if mode != mvg.Equimodal {
							scale *= scale
						}
						sigma = times(t, sigma, scale)
						if mode == mvg.Equimodal {
							psi = sigma
						}
						got := objective(sigma, psi, goal, w, mode, isGram)
						if goal.Objective == mvg.LeastError && got < best.Value.Lo*(1-1e-9) || goal.Objective == mvg.MostInformation && got > best.Value.Hi*(1+1e-9) {
							t.Fatalf("%s: a random design reaches %v, better than the optimum in [%v, %v]", name, got, best.Value.Lo, best.Value.Hi)
						}
					}
				}
			}
		}
	}
}

func randomCovariance(t *testing.T, m int, rng *rand.Rand) mvg.Covariance {
	t.Helper()
	v := make([]float64, m)
	for i := range v {
		v[i] = math.Exp(rng.NormFloat64())
	}
	return must.Be(mvg.NewDirectional(v, rotation(m, rng.Uint64())))
}

// perturbed returns a random covariance near c.
func perturbed(t *testing.T, c mvg.Covariance, spread float64, rng *rand.Rand) mvg.Covariance {
	t.Helper()
	m := c.Order()
	e := mat.NewDense(m, m, nil)
	for i := range m {
		for j := range m {
			e.Set(i, j, spread*rng.NormFloat64())
		}
		e.Set(i, i, 1+e.At(i, i))
	}
	var out mat.Dense
	out.Product(e, c.Matrix(), e.T())
	return must.Be(mvg.NewDense(&out))
}

func times(t *testing.T, c mvg.Covariance, k float64) mvg.Covariance {
	t.Helper()
	v := c.Variances()
	for i := range v {
		v[i] *= k
	}
	if d := c.Directions(); d != nil {
		return must.Be(mvg.NewDirectional(v, d))
	}
	return must.Be(mvg.NewDirectional(v, nil))
}

// For one difference diag(a) and any Σ, Ψ, Hölder's inequality gives (Σ1/p)(Σ1/q)(Σ a²pq) ≥ (Σ a^{2/3})³, with equality
// for some p, q. The list of a box's vertices has the box's closed form from any initial directions.
func TestOptimalFreeAxesByHand(t *testing.T) {
	mu := must.Be(gaussian.FastMu(one, evidencetest.Delta(1e-3)))
	d := must.Be(mvg.NewDifferences([]*mat.Dense{mat.NewDense(3, 3, []float64{8, 0, 0, 0, 1, 0, 0, 0, 27})}))
	o := must.Be(mvg.Optimal(ctx, d, mvg.Goal{}, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(1e-3), Mode: mvg.Bimodal}))
	if want := math.Pow(4+1+9, 3) / (mu * mu); !near(o.Value.Lo, want, 1e-10) || !near(o.Value.Hi, want, 1e-10) || !o.Everywhere {
		t.Errorf("error in [%v, %v], want %v", o.Value.Lo, o.Value.Hi, want)
	}

	var vertices []*mat.Dense
	for bits := range 4 {
		v := mat.NewDense(3, 1, []float64{1, 4, 2})
		for i := range 2 {
			if bits>>i&1 == 1 {
				v.Set(i, 0, -v.At(i, 0))
			}
		}
		vertices = append(vertices, v)
	}
	list := must.Be(mvg.NewDifferences(vertices))
	box := must.Be(mvg.NewBox(1, []float64{0.5, 2, 1}))
	for _, s := range []mvg.Sensitivity{list, box} {
		r := mvg.Params{Epsilon: one, Delta: evidencetest.Delta(1e-3), FreeAxes: true, Directions: rotation(3, 79)}
		o := must.Be(mvg.Optimal(ctx, s, mvg.Goal{}, r))
		if want := 49 / (mu * mu); !near(o.Value.Lo, want, 1e-10) || !near(o.Value.Hi, want, 1e-10) {
			t.Errorf("%s: error in [%v, %v], want %v", s.Describe(), o.Value.Lo, o.Value.Hi, want)
		}
	}
	// Information water-fills λ_i/(2h_i)² if the signal is diagonal in the box's axes.
	goal := mvg.Goal{Objective: mvg.MostInformation, Weights: []float64{9, 30, 4}}
	a := must.Be(mvg.Optimal(ctx, box, goal, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(1e-3)}))
	b := must.Be(mvg.Optimal(ctx, list, goal, mvg.Params{Epsilon: one, Delta: evidencetest.Delta(1e-3), FreeAxes: true}))
	if !near(a.Value.Lo, b.Value.Lo, 1e-8) || b.Value.Hi < a.Value.Lo {
		t.Errorf("information of a box [%v, %v], of its vertices [%v, %v]", a.Value.Lo, a.Value.Hi, b.Value.Lo, b.Value.Hi)
	}
}

// One record of a Gram matrix is replaced. The noise of rows and columns differs. The smallest ε lies between a local
// search and the interlacing bound.
func ExampleNewDesign() {
	set, _ := mvg.NewGram(3, 1, query.Replace, 1)
	sigma, _ := mvg.NewDirectional([]float64{1, 2, 5}, nil)
	psi, _ := mvg.NewDense(mat.NewDense(3, 3, []float64{3, 0.5, 0, 0.5, 1, 0, 0, 0, 0.7}))
	d, err := mvg.NewDesign(context.Background(), set, sigma, psi)
	if err != nil {
		fmt.Println(err)
		return
	}
	eps, err := d.Privacy().Epsilon(ctx, evidencetest.Delta(1e-5))
	lo, hi := eps.Bounds()
	fmt.Printf("%.6f %.6f %v\n", lo, hi, err)
	// Output: 5.552679 6.564142 <nil>
}

// With any Σ and any Ψ for two differences, the design's value agrees with the bound on all designs.
func ExampleOptimal() {
	set, _ := mvg.NewDifferences([]*mat.Dense{
		mat.NewDense(2, 2, []float64{8, 0, 0, 1}),
		mat.NewDense(2, 2, []float64{0, 3, 4, 0}),
	})
	eps, _ := evidence.NewEpsilon("eps", 1)
	o, err := mvg.Optimal(context.Background(), set, mvg.Goal{}, mvg.Params{Epsilon: eps, Delta: evidencetest.Delta(1e-5), Mode: mvg.Bimodal})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.6f %v %v\n", o.Value.Hi, o.Value.Hi-o.Value.Lo < 1e-6, o.Everywhere)
	// Output: 1811.044241 true true
}
