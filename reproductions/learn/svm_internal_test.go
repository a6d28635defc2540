package learn

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// The objective at the weights is at most the upper bound, and the dual objective at least the lower bound, computed in
// 300 bits. This holds after few passes and after many.
func TestSVMBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	float := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	for trial := range 60 {
		x, y, _ := DrawSamples(rng)
		o := SVMOptions{C: math.Pow(10, float64(rng.IntN(5)-2)), Hinge: trial%2 == 0, Gap: 1e-10, Passes: 100000}
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
	// The machines are certain of rows 0 and 2. For rows 1 and 3 the class is only possible. The prediction is right
	// for rows 0, 2 and 3.
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

// DrawSamples draws samples of 2 to 4 classes, some with rows of zeros.
func DrawSamples(rng *rand.Rand) (x [][]float64, y []int, classes int) {
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
