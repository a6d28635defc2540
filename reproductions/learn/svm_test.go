package learn_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"
	"dpworkbench/reproductions/learn"
)

func svmOptions(c float64, hinge, intercept bool) learn.SVMOptions {
	return learn.SVMOptions{C: c, Hinge: hinge, Intercept: intercept, Gap: 1e-10, Passes: 100000}
}

// The results agree with scikit-learn's LinearSVC: testdata/svm.py.
func TestSVMPeers(t *testing.T) {
	var peers struct {
		Cases []struct {
			X, Test   [][]float64
			Y         []int
			TestY     []int `json:"test_y"`
			Classes   int
			Price     float64
			Hinge     bool
			Intercept bool
			Weights   [][]float64
			Objective float64
			Predicted []int
			Accuracy  float64
		}
	}
	if err := json.Unmarshal(must.For(os.ReadFile(filepath.Join("testdata", "svm.json")))(t), &peers); err != nil {
		t.Fatal(err)
	}
	if len(peers.Cases) < 8 {
		t.Fatal("too few cases")
	}
	for i, c := range peers.Cases {
		m := must.For(learn.FitSVM(context.Background(), c.X, c.Y, c.Classes, svmOptions(c.Price, c.Hinge, c.Intercept), rand.NewPCG(1, 2)))(t)
		if o := m.Objective(); !(c.Objective >= o.Lo*(1-1e-13) && c.Objective <= o.Hi*(1+1e-6)) {
			t.Errorf("case %d: objective %v, scikit-learn's %v", i, o, c.Objective)
		}
		// Both solutions are near the best weights. Ours is within the certified radius. The distance of scikit-learn's
		// follows from its excess over our dual bound.
		near := m.Radius() + math.Sqrt(2*math.Max(0, c.Objective-m.Objective().Lo)) + 1e-9
		for k, w := range m.Weights() {
			gap := 0.0
			for j, v := range w {
				gap += (v - c.Weights[k][j]) * (v - c.Weights[k][j])
			}
			if math.Sqrt(gap) > near {
				t.Errorf("case %d: weights %v, scikit-learn's %v", i, w, c.Weights[k])
			}
		}
		if got := must.For(m.Predict(c.Test))(t); !slices.Equal(got, c.Predicted) {
			t.Errorf("case %d: classes %v, scikit-learn's %v", i, got, c.Predicted)
		}
		best, found, err := m.Accuracy(c.Test, c.TestY)
		if err != nil || found != c.Accuracy || best.Lo > found || best.Hi < found {
			t.Errorf("case %d: accuracy %v in %v (%v), scikit-learn's %v", i, found, best, err, c.Accuracy)
		}
	}
}

// The enclosures of a fit that stopped early contain the results of a longer fit.
func TestSVMEarlyEnclosures(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	undecided := 0
	for trial := range 40 {
		x, y, classes := learn.DrawSamples(rng)
		o := svmOptions([]float64{0.1, 1, 10}[trial%3], trial%2 == 0, trial%4 < 2)
		o.Gap = 1e-12
		late := must.For(learn.FitSVM(context.Background(), x, y, classes, o, rand.NewPCG(1, 2)))(t)
		for _, passes := range []int{1, 3, 20} {
			o.Passes = passes
			early := must.For(learn.FitSVM(context.Background(), x, y, classes, o, rand.NewPCG(9, uint64(trial))))(t)
			if early.Passes() > passes {
				t.Errorf("%d passes, at most %d allowed", early.Passes(), passes)
			}
			a, b := early.Objective(), late.Objective()
			if a.Lo > b.Hi || a.Hi < b.Lo {
				t.Errorf("trial %d, %d passes: least objective %v, later %v", trial, passes, a, b)
			}
			for k, w := range early.Weights() {
				gap := 0.0
				for j, v := range late.Weights()[k] {
					gap += (v - w[j]) * (v - w[j])
				}
				if math.Sqrt(gap) > early.Radius()+late.Radius() {
					t.Errorf("trial %d, %d passes: weights are off by %v, radii %v and %v", trial, passes, math.Sqrt(gap), early.Radius(), late.Radius())
				}
			}
			best, _, err := early.Accuracy(x, y)
			last, _, err2 := late.Accuracy(x, y)
			if err != nil || err2 != nil || best.Lo > last.Hi || best.Hi < last.Lo {
				t.Errorf("trial %d, %d passes: accuracy %v, later %v (%v, %v)", trial, passes, best, last, err, err2)
			}
			if best.Lo < best.Hi {
				undecided++
			}
		}
	}
	if undecided == 0 {
		t.Error("every early fit decides every row, so no enclosure is wide")
	}
}

func TestSVMRefuses(t *testing.T) {
	ctx, good := context.Background(), svmOptions(1, false, true)
	x, y := [][]float64{{0}, {1}}, []int{0, 1}
	for what, f := range map[string]func() (*learn.SVM, error){
		"no samples":       func() (*learn.SVM, error) { return learn.FitSVM(ctx, nil, nil, 2, good, rand.NewPCG(1, 1)) },
		"a label too many": func() (*learn.SVM, error) { return learn.FitSVM(ctx, x, []int{0, 1, 0}, 2, good, rand.NewPCG(1, 1)) },
		"one class":        func() (*learn.SVM, error) { return learn.FitSVM(ctx, x, []int{0, 0}, 1, good, rand.NewPCG(1, 1)) },
		"an empty class":   func() (*learn.SVM, error) { return learn.FitSVM(ctx, x, y, 3, good, rand.NewPCG(1, 1)) },
		"class -1":         func() (*learn.SVM, error) { return learn.FitSVM(ctx, x, []int{-1, 1}, 2, good, rand.NewPCG(1, 1)) },
		"C = 0": func() (*learn.SVM, error) {
			return learn.FitSVM(ctx, x, y, 2, learn.SVMOptions{Gap: 1, Passes: 1}, rand.NewPCG(1, 1))
		},
		"no gap": func() (*learn.SVM, error) {
			return learn.FitSVM(ctx, x, y, 2, learn.SVMOptions{C: 1, Passes: 1}, rand.NewPCG(1, 1))
		},
		"no pass": func() (*learn.SVM, error) {
			return learn.FitSVM(ctx, x, y, 2, learn.SVMOptions{C: 1, Gap: 1}, rand.NewPCG(1, 1))
		},
		"NaN": func() (*learn.SVM, error) {
			return learn.FitSVM(ctx, [][]float64{{0}, {math.NaN()}}, y, 2, good, rand.NewPCG(1, 1))
		},
		"numbers too large": func() (*learn.SVM, error) {
			return learn.FitSVM(ctx, [][]float64{{0}, {1e200}}, y, 2, good, rand.NewPCG(1, 1))
		},
	} {
		if _, err := f(); !errors.Is(err, parameter.Err) {
			t.Errorf("%s gives %v", what, err)
		}
	}
	m := must.For(learn.FitSVM(ctx, x, y, 2, good, rand.NewPCG(1, 1)))(t)
	for what, rows := range map[string][][]float64{"no row": nil, "two features": {{1, 2}}, "infinity": {{math.Inf(1)}}, "a long row": {{1e200}}} {
		if _, err := m.Predict(rows); !errors.Is(err, parameter.Err) {
			t.Errorf("%s gives %v", what, err)
		}
		if _, _, err := m.Accuracy(rows, make([]int, len(rows))); !errors.Is(err, parameter.Err) {
			t.Errorf("%s gives %v", what, err)
		}
	}
	if _, _, err := m.Accuracy(x, []int{1}); !errors.Is(err, parameter.Err) {
		t.Errorf("a label too few gives %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := learn.FitSVM(ended, x, y, 2, good, rand.NewPCG(1, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
}

// Two samples at ±1 have closed forms. The hinge ½w² + 2C max(0, 1 − w) is minimal at w = min(2C, 1), the squared hinge
// at w = 4C/(1 + 4C). An intercept changes nothing, as its best weight is 0. Objective and radius enclose these values
// without tolerance.
func TestSVMOfTwoSamples(t *testing.T) {
	for _, c := range []float64{0.125, 0.25, 0.5, 1, 8} {
		for _, hinge := range []bool{true, false} {
			for _, intercept := range []bool{true, false} {
				w := 4 * c / (1 + 4*c)
				least := w*w/2 + 2*c*(1-w)*(1-w)
				if hinge {
					w = min(2*c, 1)
					least = w*w/2 + 2*c*(1-w)
				}
				for _, passes := range []int{1, 2, 500} {
					o := learn.SVMOptions{C: c, Hinge: hinge, Intercept: intercept, Gap: 1e-13, Passes: passes}
					m := must.For(learn.FitSVM(t.Context(), [][]float64{{1}, {-1}}, []int{1, 0}, 2, o, rand.NewPCG(3, 1)))(t)
					b := m.Objective()
					if b.Lo > least*(1+0x1p-52) || b.Hi < least*(1-0x1p-52) || b.Lo < 0 {
						t.Errorf("%+v: least objective %v, want %v", o, b, least)
					}
					weights, features := m.Weights(), 1
					off := math.Abs(weights[0][0] - w)
					if intercept {
						features = 2
						off = math.Hypot(off, weights[0][1])
					}
					if off > m.Radius() || passes == 500 && (off > 1e-6 || b.Hi-b.Lo > 1e-12*b.Hi) {
						t.Errorf("%+v: weights %v within %v, want %v", o, weights, m.Radius(), w)
					}
					if m.Passes() > passes || m.Passes() < 1 || m.Features() != 1 || m.Classes() != 2 || len(weights) != 1 || len(weights[0]) != features {
						t.Errorf("%+v: %d passes, %d features, %d classes, weights %v", o, m.Passes(), m.Features(), m.Classes(), weights)
					}
				}
			}
		}
	}
}
