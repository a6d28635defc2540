package mvg_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/mvg"
	"dpworkbench/query"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Random precisions scaled onto the exact privacy constraint never beat the
// enclosure, and the design itself is private and reaches the value.
func TestOptimalAgainstRandomDesigns(t *testing.T) {
	const delta = 1e-3
	mu := must[evidence.Certified](t)(gaussian.Mu(one, evidencetest.Delta(delta)))
	w := rotation(3, 77)
	box := must[mvg.Box](t)(mvg.NewBox(5, []float64{0.5, 2, 1}))
	list := must[mvg.Differences](t)(mvg.NewDifferences([]*mat.Dense{
		outer([]float64{1, 0, 0.2}, []float64{1, 0}), outer([]float64{0, 2, 1}, []float64{0.3, 1}), outer([]float64{1, 1, 1}, []float64{1, 1})}))
	for _, c := range []struct {
		name string
		s    mvg.Sensitivity
		mode mvg.Mode
		w    *mat.Dense
	}{
		{"ball", must[mvg.Ball](t)(mvg.NewBall(3, 5, mvg.BallOptions{S2: 2, Gamma: 4})), mvg.Unimodal, w},
		{"ball, both modes", must[mvg.Ball](t)(mvg.NewBall(3, 3, mvg.BallOptions{S2: 2, Gamma: 4, PSD: true})), mvg.Equimodal, nil},
		{"box in its axes", box, mvg.Unimodal, nil},
		{"box, other directions", box, mvg.Unimodal, w},
		{"list", list, mvg.Unimodal, w},
		{"gram, record added", must[mvg.Gram](t)(mvg.NewGram(3, 1, query.AddRemove, 1)), mvg.Equimodal, w},
		{"gram, record replaced", must[mvg.Gram](t)(mvg.NewGram(3, 1, query.Replace, 1)), mvg.Equimodal, w},
		{"gram, record replaced, one mode", must[mvg.Gram](t)(mvg.NewGram(3, 1, query.Replace, 1)), mvg.Unimodal, nil},
	} {
		for _, goal := range []mvg.Goal{
			{Objective: mvg.LeastError},
			{Objective: mvg.LeastError, Weights: []float64{1, 0.1, 9}},
			{Objective: mvg.MostInformation, Weights: []float64{1, 30, 4}},
		} {
			r := mvg.Recipe{Epsilon: one, Delta: evidencetest.Delta(delta), Mode: c.mode}
			if c.w != nil {
				r.Directions = c.w
			}
			best := must[*mvg.Optimum](t)(mvg.Optimal(ctx, c.s, goal, r))
			if gap := best.Value.Hi - best.Value.Lo; gap > 1e-8*best.Value.Hi {
				t.Errorf("%s, %v: value in [%v, %v]", c.name, goal, best.Value.Lo, best.Value.Hi)
			}
			if best.Design != nil {
				if k := best.Design.WhitenedSensitivity(); k.Hi > mu.Hi || k.Hi < mu.Lo*(1-1e-9) {
					t.Errorf("%s, %v: whitened sensitivity %v, want just below μ = %v", c.name, goal, k.Hi, mu.Lo)
				}
			}
			src := rand.New(rand.NewPCG(5, 5))
			weights := goal.Weights
			if weights == nil {
				weights = []float64{1, 1, 1}
			}
			for range 300 {
				theta := make([]float64, 3)
				for i := range theta { // around the optimum, and far from it
					theta[i] = best.Precisions[i]*best.Precisions[i]*math.Exp(0.1*src.NormFloat64()) + 1e-12
					if src.IntN(4) == 0 {
						theta[i] *= math.Exp(2 * src.NormFloat64())
					}
				}
				floats.Scale(1/floats.Sum(theta), theta)
				r.Theta = theta
				d := must[*mvg.Design](t)(mvg.NewTight(ctx, c.s, r))
				value := 0.0
				for i, v := range d.Sigma().Variances() {
					if goal.Objective == mvg.LeastError {
						value += weights[i] * v
					} else {
						value += math.Log1p(weights[i] / v)
					}
				}
				if goal.Objective == mvg.LeastError {
					_, n := c.s.Shape()
					if value *= float64(n); c.mode == mvg.Equimodal {
						value = value / float64(n) * value / float64(n)
					}
					if value < best.Value.Lo*(1-1e-9) {
						t.Fatalf("%s, %v: error %v at θ = %v is below the optimum [%v, %v]", c.name, goal, value, theta, best.Value.Lo, best.Value.Hi)
					}
				} else if value > best.Value.Hi*(1+1e-9) {
					t.Fatalf("%s, %v: information %v at θ = %v is above the optimum [%v, %v]", c.name, goal, value, theta, best.Value.Lo, best.Value.Hi)
				}
			}
		}
	}
}

// The box's closed form against Lagrange's condition by hand: d = (1, 4, 2),
// w = 1: Σd = 7, p_i = μ²/(7 d_i), error n·49/μ².
func TestBoxOptimumByHand(t *testing.T) {
	box := must[mvg.Box](t)(mvg.NewBox(5, []float64{0.5, 2, 1}))
	o := must[*mvg.Optimum](t)(mvg.Optimal(ctx, box, mvg.Goal{}, mvg.Recipe{Epsilon: one, Delta: evidencetest.Delta(1e-3)}))
	mu := must[float64](t)(gaussian.FastMu(one, evidencetest.Delta(1e-3)))
	if want := 5 * 49 / (mu * mu); !near(o.Value.Hi, want, 1e-12) || !o.Everywhere {
		t.Errorf("error %v, want %v", o.Value.Hi, want)
	}
	for i, d := range []float64{1, 4, 2} {
		if want := mu * mu / (7 * d); !near(o.Precisions[i], want, 1e-12) {
			t.Errorf("p_%d = %v, want %v", i, o.Precisions[i], want)
		}
	}
}
