package learn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// Two samples at ±1: hinge ½w² + 2C max(0, 1 − w) is least at w = min(2C, 1), its square at w = 4C/(1 + 4C); with the intercept the same, as 0 is
// its best weight. Objective and radius hold these without a tolerance.
func TestMachinesOfTwoSamples(t *testing.T) {
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

// by returns machines of given weights and radii.
func by(classes int, intercept bool, machines ...*machine) *SVM {
	return &SVM{classes: classes, intercept: intercept, machines: machines}
}

// A row is sure where its score exceeds what the radius moves it, possible where that reaches 0, and neither beyond.
func TestJudgement(t *testing.T) {
	const radius = 0.5
	m := by(2, false, &machine{weights: []float64{3, 4}, radius: radius})
	for _, c := range []struct {
		row          []float64
		class        int
		always, ever bool
	}{
		{[]float64{0.6, 0.8}, 1, true, true}, // score 5, reach ½
		{[]float64{0.6, 0.8}, 0, false, false},
		{[]float64{-0.6, -0.8}, 0, true, true},
		{[]float64{-0.6, -0.8}, 1, false, false},
		{[]float64{0.8, -0.6}, 1, false, true}, // score 0
		{[]float64{0.8, -0.6}, 0, false, true},
		{[]float64{0.8, -0.52}, 1, false, true}, // 0.32 of a reach of 0.477
		{[]float64{0.8, -0.52}, 0, false, true}, // so that the other is possible
		{[]float64{0.8, -0.45}, 1, true, true},  // 0.6 of 0.459
		{[]float64{0.8, -0.45}, 0, false, false},
		{[]float64{0.6, 0.8}, 2, false, false}, // there is no class 2
		{[]float64{0.6, 0.8}, -1, false, false},
	} {
		if always, ever := m.judge(c.row, c.class); always != c.always || ever != c.ever {
			t.Errorf("%v of class %d: %t, %t; want %t, %t", c.row, c.class, always, ever, c.always, c.ever)
		}
	}
	// The intercept counts as a feature 1: score 3 − 2, reach ½√2.
	with := by(2, true, &machine{weights: []float64{3, -2}, radius: radius})
	if value, off := with.score(0, []float64{1}); value != 1 || off < radius*math.Sqrt2 || off > radius*math.Sqrt2*(1+1e-13)+1e-14 {
		t.Errorf("score %v within %v, want 1 within ½√2", value, off)
	}
	if value, off := m.score(0, []float64{0.6, 0.8}); value != 5 || off < radius || off > radius*(1+1e-13)+1e-14 {
		t.Errorf("score %v within %v, want 5 within ½", value, off)
	}
	// Three machines: the largest score, the first of equals; sure where it is ahead of all by both reaches.
	three := by(3, false, &machine{weights: []float64{1, 0}, radius: 0.1}, &machine{weights: []float64{0, 1}, radius: 0.2}, &machine{weights: []float64{0, 0}, radius: 0.05})
	for _, c := range []struct {
		row         []float64
		class       int
		judged      int
		always, may bool
	}{
		{[]float64{1, 0}, 0, 0, true, true}, {[]float64{1, 0}, 0, 1, false, false}, {[]float64{1, 0}, 0, 2, false, false},
		{[]float64{0.6, 0.6}, 0, 0, false, true}, {[]float64{0.6, 0.6}, 0, 1, false, true}, {[]float64{0.6, 0.6}, 0, 2, false, false},
		{[]float64{0.6, 0.9}, 1, 1, false, true}, {[]float64{0.6, 0.9}, 1, 0, false, true}, // 0.3 ahead of a reach of 0.324
		{[]float64{0.6, 1}, 1, 1, true, true}, {[]float64{0.6, 1}, 1, 0, false, false}, // 0.4 ahead of 0.35
		{[]float64{-1, -1}, 2, 2, true, true}, {[]float64{0, 0}, 0, 1, false, true}, {[]float64{0, 0}, 0, 3, false, false}, {[]float64{0, 0}, 0, -1, false, false},
	} {
		if got := three.class(c.row); got != c.class {
			t.Errorf("%v has class %d, want %d", c.row, got, c.class)
		}
		if always, may := three.judge(c.row, c.judged); always != c.always || may != c.may {
			t.Errorf("%v of class %d: %t, %t; want %t, %t", c.row, c.judged, always, may, c.always, c.may)
		}
	}
	for _, row := range [][]float64{{4, -3}, {-1, 0}} { // 0 is the first of two
		if got := m.class(row); got != 0 {
			t.Errorf("%v has class %d", row, got)
		}
	}
}

// Sums over the machines, each from its own end; the largest radius and number of passes; shares of rows that are sure, possible and right.
func TestMachinesTogether(t *testing.T) {
	objective := func(lo, hi float64) evidence.Certified {
		return evidence.Certified{Lo: lo, Hi: hi, Provenance: evidence.From("s").By("m")}
	}
	m := by(3, false,
		&machine{weights: []float64{1, 0}, radius: 0.1, passes: 4, objective: objective(1, 2)},
		&machine{weights: []float64{0, 1}, radius: 0.2, passes: 9, objective: objective(10, 20)},
		&machine{weights: []float64{0, 0}, radius: 0.05, passes: 2, objective: objective(100, 200)})
	b := m.Objective()
	if !(b.Lo <= 111 && b.Lo > 111*(1-1e-14) && b.Hi >= 222 && b.Hi < 222*(1+1e-14)) || b.Method != "m" || b.Source != "s" {
		t.Errorf("objective %v, want from 111 to 222", b)
	}
	if m.Radius() != 0.2 || m.Passes() != 9 || m.Features() != 2 || m.Classes() != 3 {
		t.Errorf("radius %v, %d passes, %d features", m.Radius(), m.Passes(), m.Features())
	}
	if by(2, true, &machine{weights: []float64{1, 2, 3}}).Features() != 2 {
		t.Error("the intercept is no feature")
	}
	rows, y := [][]float64{{1, 0}, {0.6, 0.6}, {-1, -1}, {0.6, 0.9}, {1, 0}}, []int{0, 1, 2, 1, 2}
	best, right, err := m.Accuracy(rows, y)
	// Sure: rows 0 and 2; possible: 1 and 3 too; right: 0, 2 and 3.
	if err != nil || right != 0.6 || !(best.Lo <= 0.4 && best.Lo > 0.4*(1-1e-15) && best.Hi >= 0.8 && best.Hi < 0.8*(1+1e-15)) || best.Method != "rows whose class no weights within the duality gap change; m" || best.Source != "s" {
		t.Errorf("accuracy %v with %v, %v", best, right, err)
	}
	best, right, err = m.Accuracy([][]float64{{1, 0}, {1, 0}, {-1, -1}}, []int{0, 1, 2})
	if err != nil || right != 2./3 || best.Lo != 2./3 || best.Hi != 2./3 {
		t.Errorf("where all is sure: %v with %v, %v", best, right, err)
	}
	two := by(2, false, &machine{weights: []float64{1, 0}, radius: 0.1})
	best, right, err = two.Accuracy([][]float64{{1, 0}, {1, 0}, {-1, 0}}, []int{1, 2, -1}) // of a class that there is not no row is
	if err != nil || right != 1./3 || best.Lo != 1./3 || best.Hi != 1./3 {
		t.Errorf("beside labels of no class: %v with %v, %v", best, right, err)
	}
	if got := must.For(m.Predict(rows))(t); fmt.Sprint(got) != "[0 0 2 1 0]" {
		t.Errorf("classes %v", got)
	}
}

// Lengths and inner products are bounded from above, and rows of unit length are that.
func TestLengths(t *testing.T) {
	for n := 0; n < 10; n++ {
		a, b := make([]float64, n), make([]float64, n)
		want := 0.0
		for i := range a {
			a[i], b[i] = float64(1+i), float64(i*i-3)
			want += a[i] * b[i]
		}
		if got := inner(a, b); got != want {
			t.Errorf("%v by %v is %v, want %v", a, b, got, want)
		}
		addTo(a, 2, b)
		for i, v := range a {
			if v != float64(1+i)+2*float64(i*i-3) {
				t.Errorf("entry %d becomes %v", i, v)
			}
		}
	}
	if l := length([]float64{3, 4}); l < 5 || l > 5*(1+1e-14) {
		t.Errorf("length %v", l)
	}
	if l := length([]float64{1e-170, 0}); l < 1e-170 || l > 1e-149 { // its square is below float64
		t.Errorf("length %v", l)
	}
	if r := roundings(10); r < 18*0x1p-53 || r > 18.001*0x1p-53 {
		t.Errorf("roundings %v", r)
	}
	out := must.For(unitRows([][]float64{{3, 4}, {0, 0}, {1e150, 0}, {-2, 0}}))(t)
	if fmt.Sprint(out) != "[[0.6 0.8] [0 0] [1 0] [-1 0]]" {
		t.Errorf("unit rows %v", out)
	}
	o := SVMOptions{C: 1, Unit: true, Gap: 1e-9, Passes: 300}
	m := must.For(FitSVM(t.Context(), [][]float64{{30, 40}, {-3, -4}}, []int{1, 0}, 2, o, rand.NewPCG(1, 1)))(t)
	if got := must.For(m.Predict([][]float64{{1e80, 0}, {0, -1e80}}))(t); got[0] != 1 || got[1] != 0 {
		t.Errorf("classes of long rows %v", got)
	}
	if w := m.Weights()[0]; math.Abs(w[0]/w[1]-0.75) > 1e-12 {
		t.Errorf("weights %v, want along (3, 4)", w)
	}
}

// Seeds decide the order of the samples: weights after one pass, to twelve digits.
func TestMachinesOfASeed(t *testing.T) {
	x, y := [][]float64{{1, 0.5}, {0.2, -1}, {-0.7, 0.3}, {0.4, 0.4}, {-1, -0.2}, {0.1, 0.9}}, []int{0, 1, 2, 0, 1, 2}
	for _, c := range []struct {
		o    SVMOptions
		want string
	}{
		{SVMOptions{C: 1, Gap: 1e-9, Passes: 1}, "[0.91748327811 0.612451041022 -0.495443446029 -1.33554930778 -0.706280811225 0.646945516351]"},
		{SVMOptions{C: 1, Gap: 1e-9, Passes: 2, Hinge: true, Intercept: true}, "[1.50425079045 0.488904537803 -0.360824271477 -0.520915820134 -1.21058311505 -0.10639995102 -0.581875844571 0.709062077714 -0.581875844571]"},
	} {
		var got []string
		for _, w := range must.For(FitSVM(t.Context(), x, y, 3, c.o, rand.NewPCG(6, 1)))(t).Weights() {
			for _, v := range w {
				got = append(got, fmt.Sprintf("%.12g", v))
			}
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%+v: %v, want %s", c.o, got, c.want)
		}
	}
}
