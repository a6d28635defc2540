package learn

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"
)

func svmOptions(c float64, hinge, intercept bool) SVMOptions {
	return SVMOptions{C: c, Hinge: hinge, Intercept: intercept, Gap: 1e-10, Passes: 100000}
}

// What scikit-learn's LinearSVC gives: testdata/svm.py.
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
		m := must.For(FitSVM(context.Background(), c.X, c.Y, c.Classes, svmOptions(c.Price, c.Hinge, c.Intercept), rand.NewPCG(1, 2)))(t)
		if o := m.Objective(); !(c.Objective >= o.Lo*(1-1e-13) && c.Objective <= o.Hi*(1+1e-6)) {
			t.Errorf("case %d: objective %v, scikit-learn's %v", i, o, c.Objective)
		}
		// Both are near the best weights: ours for certain, scikit-learn's as its excess over the
		// dual's lower end says.
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

// drawSamples draws samples of 2 to 4 classes, some of rows of zeros.
func drawSamples(rng *rand.Rand) (x [][]float64, y []int, classes int) {
	n, d := 4+rng.IntN(12), 1+rng.IntN(7)
	classes = 2 + rng.IntN(3)
	scale := math.Pow(10, float64(rng.IntN(5)-2))
	for i := range n {
		row := make([]float64, d)
		for j := range row {
			if rng.IntN(5) > 0 {
				row[j] = scale * rng.NormFloat64()
			}
		}
		x, y = append(x, row), append(y, i%classes)
	}
	return x, y, classes
}

// In 300 bits the objective at the weights is at most the upper end, and the dual at the
// variables at least the lower, after few passes and after many.
func TestSVMBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	float := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	for trial := range 60 {
		x, y, _ := drawSamples(rng)
		o := svmOptions(math.Pow(10, float64(rng.IntN(5)-2)), trial%2 == 0, false)
		p := &samples{d: len(x[0])}
		signs, alpha := make([]float64, len(x)), make([]float64, len(x))
		for i, row := range x {
			p.rows, p.squares = append(p.rows, row...), append(p.squares, inner(row, row))
			signs[i] = float64(2*(y[i]%2) - 1)
			alpha[i] = o.C * rng.Float64() * float64(rng.IntN(2))
		}
		m := must.For(p.certify(signs, alpha, o))(t)
		w := make([]*big.Float, p.d)
		for j := range w {
			w[j] = float(0)
			for i, a := range alpha {
				term := float(a * signs[i])
				w[j].Add(w[j], term.Mul(term, float(x[i][j])))
			}
		}
		dual, primal, off := float(0), float(0), float(0)
		for j := range w {
			square := float(0).Mul(w[j], w[j])
			dual.Sub(dual, square.Quo(square, float(2)))
			v := float(m.weights[j])
			square = float(0).Mul(v, v)
			primal.Add(primal, square.Quo(square, float(2)))
			gap := float(0).Sub(v, w[j])
			off.Add(off, gap.Mul(gap, gap))
		}
		for i, a := range alpha {
			dual.Add(dual, float(a))
			if !o.Hinge {
				square := float(0).Mul(float(a), float(a))
				dual.Sub(dual, square.Quo(square, float(0).Mul(float(4), float(o.C))))
			}
			loss := float(1)
			for j, v := range m.weights {
				term := float(v * signs[i])
				loss.Sub(loss, term.Mul(term, float(x[i][j])))
			}
			if loss.Sign() > 0 {
				if !o.Hinge {
					loss.Mul(loss, loss)
				}
				primal.Add(primal, loss.Mul(loss, float(o.C)))
			}
		}
		lo, hi := m.objective.Lo, m.objective.Hi
		if primal.Cmp(float(hi)) > 0 || dual.Sign() > 0 && dual.Cmp(float(lo)) < 0 || dual.Sign() < 0 && lo != 0 {
			t.Errorf("trial %d: objective %v, dual %v, certified [%v, %v]", trial, primal, dual, lo, hi)
		}
		// And not by much.
		if q, _ := primal.Float64(); hi > q*(1+1e-12) {
			t.Errorf("trial %d: objective %v, certified up to %v", trial, q, hi)
		}
		if q, _ := off.Float64(); math.Sqrt(q) > m.radius {
			t.Errorf("trial %d: weights are %v from those of the dual variables, certified radius %v", trial, math.Sqrt(q), m.radius)
		}
	}
}

// The enclosures of a fit that stopped early hold the answers of one that did not.
func TestSVMEarly(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	undecided := 0
	for trial := range 40 {
		x, y, classes := drawSamples(rng)
		o := svmOptions([]float64{0.1, 1, 10}[trial%3], trial%2 == 0, trial%4 < 2)
		o.Gap = 1e-12
		late := must.For(FitSVM(context.Background(), x, y, classes, o, rand.NewPCG(1, 2)))(t)
		for _, passes := range []int{1, 3, 20} {
			o.Passes = passes
			early := must.For(FitSVM(context.Background(), x, y, classes, o, rand.NewPCG(9, uint64(trial))))(t)
			if early.Passes() > passes {
				t.Errorf("%d passes of %d", early.Passes(), passes)
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
		t.Error("every early fit decides every row: the enclosures were not tested")
	}
}

// One order, one fit: whatever the number of processors.
func TestSVMReplays(t *testing.T) {
	x, y, classes := drawSamples(rand.New(rand.NewPCG(7, 8)))
	o := svmOptions(1, false, true)
	a := must.For(FitSVM(context.Background(), x, y, classes, o, rand.NewPCG(1, 2)))(t)
	b := must.For(FitSVM(context.Background(), x, y, classes, o, rand.NewPCG(1, 2)))(t)
	for k, w := range a.Weights() {
		if !slices.Equal(w, b.Weights()[k]) {
			t.Errorf("weights %v and %v", w, b.Weights()[k])
		}
	}
	a.Weights()[0][0] = 99 // a copy
	if a.Weights()[0][0] == 99 {
		t.Error("weights can be changed")
	}
}

func TestSVMRefuses(t *testing.T) {
	ctx, good := context.Background(), svmOptions(1, false, true)
	x, y := [][]float64{{0}, {1}}, []int{0, 1}
	for what, f := range map[string]func() (*SVM, error){
		"no samples":       func() (*SVM, error) { return FitSVM(ctx, nil, nil, 2, good, rand.NewPCG(1, 1)) },
		"a label too many": func() (*SVM, error) { return FitSVM(ctx, x, []int{0, 1, 0}, 2, good, rand.NewPCG(1, 1)) },
		"one class":        func() (*SVM, error) { return FitSVM(ctx, x, []int{0, 0}, 1, good, rand.NewPCG(1, 1)) },
		"an empty class":   func() (*SVM, error) { return FitSVM(ctx, x, y, 3, good, rand.NewPCG(1, 1)) },
		"class -1":         func() (*SVM, error) { return FitSVM(ctx, x, []int{-1, 1}, 2, good, rand.NewPCG(1, 1)) },
		"C = 0":            func() (*SVM, error) { return FitSVM(ctx, x, y, 2, SVMOptions{Gap: 1, Passes: 1}, rand.NewPCG(1, 1)) },
		"no gap":           func() (*SVM, error) { return FitSVM(ctx, x, y, 2, SVMOptions{C: 1, Passes: 1}, rand.NewPCG(1, 1)) },
		"no pass":          func() (*SVM, error) { return FitSVM(ctx, x, y, 2, SVMOptions{C: 1, Gap: 1}, rand.NewPCG(1, 1)) },
		"NaN": func() (*SVM, error) {
			return FitSVM(ctx, [][]float64{{0}, {math.NaN()}}, y, 2, good, rand.NewPCG(1, 1))
		},
		"numbers too large": func() (*SVM, error) { return FitSVM(ctx, [][]float64{{0}, {1e200}}, y, 2, good, rand.NewPCG(1, 1)) },
	} {
		if _, err := f(); !errors.Is(err, parameter.Err) {
			t.Errorf("%s gives %v", what, err)
		}
	}
	m := must.For(FitSVM(ctx, x, y, 2, good, rand.NewPCG(1, 1)))(t)
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
	if _, err := FitSVM(ended, x, y, 2, good, rand.NewPCG(1, 1)); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
}
