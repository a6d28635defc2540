package learn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"
)

func svmOptions(c float64, hinge, intercept bool) SVMOptions {
	return SVMOptions{C: c, Hinge: hinge, Intercept: intercept, Gap: 1e-10, Passes: 100000}
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
		m := must.For(FitSVM(context.Background(), c.X, c.Y, c.Classes, svmOptions(c.Price, c.Hinge, c.Intercept), rand.NewPCG(1, 2)))(t)
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

// drawSamples draws samples of 2 to 4 classes, some with rows of zeros.
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

// The objective at the weights is at most the upper bound, and the dual objective at least the lower bound, computed in
// 300 bits. This holds after few passes and after many.
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
		// The upper bound is tight.
		if q, _ := primal.Float64(); hi > q*(1+1e-12) {
			t.Errorf("trial %d: objective %v, certified up to %v", trial, q, hi)
		}
		if q, _ := off.Float64(); math.Sqrt(q) > m.radius {
			t.Errorf("trial %d: the weights differ by %v from those of the dual variables, certified radius %v", trial, math.Sqrt(q), m.radius)
		}
	}
}

// The enclosures of a fit that stopped early contain the results of a longer fit.
func TestSVMEarlyEnclosures(t *testing.T) {
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
					o := SVMOptions{C: c, Hinge: hinge, Intercept: intercept, Gap: 1e-13, Passes: passes}
					m := must.For(FitSVM(t.Context(), [][]float64{{1}, {-1}}, []int{1, 0}, 2, o, rand.NewPCG(3, 1)))(t)
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

// svmOf returns an SVM of machines with the given weights and radii.
func svmOf(classes int, intercept bool, machines ...*machine) *SVM {
	return &SVM{classes: classes, intercept: intercept, machines: machines}
}

// A class is certain for a row if the score exceeds the change that the radius allows. It is possible if the change
// reaches 0, and impossible otherwise.
func TestJudge(t *testing.T) {
	const radius = 0.5
	m := svmOf(2, false, &machine{weights: []float64{3, 4}, radius: radius})
	for _, c := range []struct {
		row          []float64
		class        int
		always, ever bool
	}{
		{[]float64{0.6, 0.8}, 1, true, true}, // score 5, change ½
		{[]float64{0.6, 0.8}, 0, false, false},
		{[]float64{-0.6, -0.8}, 0, true, true},
		{[]float64{-0.6, -0.8}, 1, false, false},
		{[]float64{0.8, -0.6}, 1, false, true}, // score 0
		{[]float64{0.8, -0.6}, 0, false, true},
		{[]float64{0.8, -0.52}, 1, false, true}, // score 0.32, change 0.477
		{[]float64{0.8, -0.52}, 0, false, true}, // so the other class is possible
		{[]float64{0.8, -0.45}, 1, true, true},  // score 0.6, change 0.459
		{[]float64{0.8, -0.45}, 0, false, false},
		{[]float64{0.6, 0.8}, 2, false, false}, // there is no class 2
		{[]float64{0.6, 0.8}, -1, false, false},
	} {
		if always, ever := m.judge(c.row, c.class); always != c.always || ever != c.ever {
			t.Errorf("%v of class %d: %t, %t; want %t, %t", c.row, c.class, always, ever, c.always, c.ever)
		}
	}
	// The intercept counts as a feature with value 1: score 3 − 2, change ½√2.
	with := svmOf(2, true, &machine{weights: []float64{3, -2}, radius: radius})
	if value, off := with.score(0, []float64{1}); value != 1 || off < radius*math.Sqrt2 || off > radius*math.Sqrt2*(1+1e-13)+1e-14 {
		t.Errorf("score %v within %v, want 1 within ½√2", value, off)
	}
	if value, off := m.score(0, []float64{0.6, 0.8}); value != 5 || off < radius || off > radius*(1+1e-13)+1e-14 {
		t.Errorf("score %v within %v, want 5 within ½", value, off)
	}
	// With three machines the largest score wins, ties by index. The class is certain if its score leads all others by
	// both changes.
	three := svmOf(3, false, &machine{weights: []float64{1, 0}, radius: 0.1}, &machine{weights: []float64{0, 1}, radius: 0.2}, &machine{weights: []float64{0, 0}, radius: 0.05})
	for _, c := range []struct {
		row         []float64
		class       int
		judged      int
		always, may bool
	}{
		{[]float64{1, 0}, 0, 0, true, true}, {[]float64{1, 0}, 0, 1, false, false}, {[]float64{1, 0}, 0, 2, false, false},
		{[]float64{0.6, 0.6}, 0, 0, false, true}, {[]float64{0.6, 0.6}, 0, 1, false, true}, {[]float64{0.6, 0.6}, 0, 2, false, false},
		{[]float64{0.6, 0.9}, 1, 1, false, true}, {[]float64{0.6, 0.9}, 1, 0, false, true}, // leads by 0.3, change 0.324
		{[]float64{0.6, 1}, 1, 1, true, true}, {[]float64{0.6, 1}, 1, 0, false, false}, // leads by 0.4, change 0.35
		{[]float64{-1, -1}, 2, 2, true, true}, {[]float64{0, 0}, 0, 1, false, true}, {[]float64{0, 0}, 0, 3, false, false}, {[]float64{0, 0}, 0, -1, false, false},
	} {
		if got := three.class(c.row); got != c.class {
			t.Errorf("%v has class %d, want %d", c.row, got, c.class)
		}
		if always, may := three.judge(c.row, c.judged); always != c.always || may != c.may {
			t.Errorf("%v of class %d: %t, %t; want %t, %t", c.row, c.judged, always, may, c.always, c.may)
		}
	}
	for _, row := range [][]float64{{4, -3}, {-1, 0}} { // ties go to class 0
		if got := m.class(row); got != 0 {
			t.Errorf("%v has class %d", row, got)
		}
	}
}

// Objectives add up over the machines, bound by bound. Radius and passes are the largest. Accuracy is the fraction of
// rows that are certain, possible and correct.
func TestAccuracyAndObjective(t *testing.T) {
	objective := func(lo, hi float64) evidence.Certified {
		return evidence.Certified{Lo: lo, Hi: hi, Provenance: evidence.From("s").By("m")}
	}
	m := svmOf(3, false,
		&machine{weights: []float64{1, 0}, radius: 0.1, passes: 4, objective: objective(1, 2)},
		&machine{weights: []float64{0, 1}, radius: 0.2, passes: 9, objective: objective(10, 20)},
		&machine{weights: []float64{0, 0}, radius: 0.05, passes: 2, objective: objective(100, 200)})
	b := m.Objective()
	if !(b.Lo <= 111 && b.Lo > 111*(1-1e-14) && b.Hi >= 222 && b.Hi < 222*(1+1e-14)) || b.Method != "m" || b.Source != "s" {
		t.Errorf("objective %v, want [111, 222]", b)
	}
	if m.Radius() != 0.2 || m.Passes() != 9 || m.Features() != 2 || m.Classes() != 3 {
		t.Errorf("radius %v, %d passes, %d features", m.Radius(), m.Passes(), m.Features())
	}
	if svmOf(2, true, &machine{weights: []float64{1, 2, 3}}).Features() != 2 {
		t.Error("the intercept counts as a feature")
	}
	rows, y := [][]float64{{1, 0}, {0.6, 0.6}, {-1, -1}, {0.6, 0.9}, {1, 0}}, []int{0, 1, 2, 1, 2}
	best, right, err := m.Accuracy(rows, y)
	// Rows 0 and 2 are certain, rows 1 and 3 possible too. Rows 0, 2 and 3 are correct.
	if err != nil || right != 0.6 || !(best.Lo <= 0.4 && best.Lo > 0.4*(1-1e-15) && best.Hi >= 0.8 && best.Hi < 0.8*(1+1e-15)) || best.Method != "rows whose class no weights within the duality gap change; m" || best.Source != "s" {
		t.Errorf("accuracy %v with %v, %v", best, right, err)
	}
	best, right, err = m.Accuracy([][]float64{{1, 0}, {1, 0}, {-1, -1}}, []int{0, 1, 2})
	if err != nil || right != 2./3 || best.Lo != 2./3 || best.Hi != 2./3 {
		t.Errorf("with certain rows: %v with %v, %v", best, right, err)
	}
	two := svmOf(2, false, &machine{weights: []float64{1, 0}, radius: 0.1})
	best, right, err = two.Accuracy([][]float64{{1, 0}, {1, 0}, {-1, 0}}, []int{1, 2, -1}) // no row has an unknown class
	if err != nil || right != 1./3 || best.Lo != 1./3 || best.Hi != 1./3 {
		t.Errorf("with unknown labels: %v with %v, %v", best, right, err)
	}
	if got := must.For(m.Predict(rows))(t); fmt.Sprint(got) != "[0 0 2 1 0]" {
		t.Errorf("classes %v", got)
	}
}
