package matrices

import (
	"context"
	"fmt"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// meanOfDecreasing returns the mean of a decreasing f over χ²_r.
func meanOfDecreasing(r int, f func(x float64) interval.Interval) expected {
	return expected{
		law:    newChiSquare(r),
		value:  f,
		within: func(a, b point, _, _ interval.Interval) (least, most interval.Interval) { return b.value, a.value },
		beyond: func(last point) (least, most interval.Interval) { return interval.Int(0), last.value },
	}
}

// If f is only known to lie in an interval, its mean is enclosed accordingly, also beyond the last point.
func TestSumOfIntervalFunction(t *testing.T) {
	for _, r := range []int{1, 5, 300} {
		e := meanOfDecreasing(r, func(float64) interval.Interval { return interval.Between(0.25, 0.5) })
		for what, beyond := range map[string]func(point) (least, most interval.Interval){
			"the same beyond the last point": func(p point) (least, most interval.Interval) { return p.value, p.value },
			"[0, 1] beyond the last point":   func(point) (least, most interval.Interval) { return interval.Int(0), interval.Int(1) },
		} {
			e.beyond = beyond
			questions := 0
			got, err := e.sum(context.Background(), func(lo, hi float64) bool { questions++; return questions == 4 })
			if err != nil || questions != 4 {
				t.Fatalf("asked %d times whether the bounds suffice, error %v, want 4 times", questions, err)
			}
			lo, hi := got.Bounds()
			if !(lo <= 0.25 && lo > 0.25-1e-9 && hi >= 0.5 && hi < 0.5+1e-9) {
				t.Errorf("r = %d, %s: [%v, %v], want [¼, ½]", r, what, lo, hi)
			}
		}
	}
	// The part beyond the last point counts. Here f is 0 up to that point and in [½, 1] after it.
	far := meanOfDecreasing(1, func(float64) interval.Interval { return interval.Int(0) })
	far.beyond = func(point) (least, most interval.Interval) { return interval.Float(0.5), interval.Int(1) }
	got := must.Be(far.sum(context.Background(), func(lo, hi float64) bool { return true }))
	above := far.law.at(interval.Float(13 * 13)).above // √1 + 12 squared
	half, _ := above.Mul(interval.Float(0.5)).Bounds()
	_, whole := above.Bounds()
	if lo, hi := got.Bounds(); lo != half || hi != whole {
		t.Errorf("beyond the last point [%v, %v], want [%v, %v]", lo, hi, half, whole)
	}
}

// Probabilities of χ² on both sides of r contain the 30 digits of mpmath's incomplete gamma function, without
// tolerance.
func TestChiSquareProbabilities(t *testing.T) {
	for _, c := range []struct {
		r                  int
		x                  float64
		below, above, step string
	}{
		{1, 0.25, "0.382924922548026207275409221217", "0.617075077451973792724590778783", "0.352065326764299477774680441597"},
		{1, 9, "0.997300203936739810946696370465", "0.00269979606326018905330362953519", "0.0265910904716280430536141161767"},
		{2, 3, "0.776869839851570171066719529236", "0.223130160148429828933280470764", "0.334695240222644743399920706146"},
		{3, 0.5, "0.0811085883453241406358846764797", "0.918891411654675859364115323520", "0.0732318815779537328411436629020"},
		{3, 40, "0.999999989344909665744139184951", "1.06550903342558608150487234430e-8", "1.38681699670783657573111829804e-7"},
		{10, 4, "0.0526530173437111567420035351926", "0.947346982656288843257996464807", "0.0360894088630967178383998653260"},
		{10, 60, "0.999999996375699047938511973770", "3.62430095206148802622995097844e-9", "1.89491865119013535749545602523e-8"},
		{101, 70, "0.00803823771596877590306020893520", "0.991961762284031224096939791065", "0.00275000727518166642325686786836"},
		{101, 180, "0.999997755965437778925499169879", "2.24403456222107450083012117378e-6", "1.84904646638971950380054094660e-6"},
		{1000, 1300, "0.999999999611026350051314752323", "3.88973649948685247676986488009e-10", "1.19910316469589905653203849426e-10"},
		{1000, 999.5, "0.501486556903869525587401871331", "0.498513443096130474412598128669", "0.0178371526408628165482886678178"},
		{7, 7, "0.571120142446945280532913202910", "0.428879857553054719467086797090", "0.208239549616343928672235043448"},
		{7, 7.5, "0.621263093951787063322678169039", "0.378736906048212936677321830961", "0.206471863334299197670782429945"},
	} {
		got := newChiSquare(c.r).at(interval.Float(c.x))
		CheckEnclosure(t, fmt.Sprintf("Pr[χ²_%d ≤ %v]", c.r, c.x), got.below, c.below, 3e-13)
		CheckEnclosure(t, fmt.Sprintf("Pr[χ²_%d > %v]", c.r, c.x), got.above, c.above, 3e-13)
		CheckEnclosure(t, fmt.Sprintf("step of χ²_%d at %v", c.r, c.x), got.step, c.step, 1e-15)
	}
}

// For an interval argument, the probabilities enclose those of its points. If it starts at 0, the bounds are exactly
// those at its upper bound and at 0.
func TestChiSquareOfIntervals(t *testing.T) {
	for _, r := range []int{1, 2, 3, 4, 7, 30} {
		c := newChiSquare(r)
		for _, x := range [][2]float64{{0.5, 0.75}, {0.5, 0.5}, {float64(r) - 0.25, float64(r)}, {float64(r) - 0.25, float64(r) + 0.25}, {float64(r), float64(r) + 3}, {2 * float64(r), 5 * float64(r)}} {
			all := c.at(interval.Between(x[0], x[1]))
			for _, p := range []float64{x[0], (x[0] + x[1]) / 2, x[1]} {
				one, what := c.at(interval.Float(p)), fmt.Sprintf("r = %d, %v in %v", r, p, x)
				for name, a := range map[string][2]interval.Interval{"below": {all.below, one.below}, "above": {all.above, one.above}, "step": {all.step, one.step}} {
					lo, hi := a[0].Bounds() // both bounds have a relative error of about 1e-13
					if v := a[1].Mid(); lo > v*(1+2e-13) || hi < v*(1-2e-13) {
						t.Errorf("%s: %s in [%v, %v], want %v there", what, name, lo, hi, v)
					}
				}
			}
			for _, a := range []interval.Interval{all.below, all.above} {
				if lo, hi := a.Bounds(); lo < 0 || hi > 1 {
					t.Errorf("r = %d, %v: probabilities %v outside [0, 1]", r, x, a)
				}
			}
		}
		for _, hi := range []float64{0.5, float64(r), float64(r) + 1, 5 * float64(r)} {
			for _, lo := range []float64{0, -1} {
				all, end := c.at(interval.Between(lo, hi)), c.at(interval.Float(hi))
				zero, one := interval.Int(0), interval.Int(1)
				step := end.step
				if hi > float64(r) {
					step = c.at(interval.Float(float64(r))).step
				}
				if all.below.CmpLo(zero) != 0 || all.below.CmpHi(end.below) != 0 || all.above.CmpHi(one) != 0 || all.above.CmpLo(end.above) != 0 || all.step.CmpLo(zero) != 0 || all.step.CmpHi(step) != 0 {
					t.Errorf("r = %d, from %v to %v: %v, want the bounds of 0 and of %v", r, lo, hi, all, end)
				}
			}
		}
		for _, x := range []float64{0, -3} {
			none := c.at(interval.Float(x))
			for k, a := range []interval.Interval{none.below, none.above, none.step} {
				if lo, hi := a.Bounds(); lo != hi || lo != float64(k%2) {
					t.Errorf("r = %d at %v: %v, want 0, 1 and 0", r, x, none)
				}
			}
		}
	}
}

// A cell's probability and E[S; cell] have a small relative error in both tails. The expected values are from mpmath,
// 30 digits.
func TestChiSquareCells(t *testing.T) {
	for _, c := range []struct {
		r              int
		a, b           float64
		chance, moment string
	}{
		{3, 0.5, 0.75, "0.0575063312501341739658383973763", "0.0360330012592819550731847652135"},
		{3, 35, 36, "4.69412002736784693313432848505e-8", "1.66451928693963624748548208967e-6"},
		{3, 0, 1, "0.198748043098799197574804705393", "0.112302680258110893128753730308"},
		{40, 90, 95, "7.96787717433063780704085529481e-6", "0.000732315257088874677198329689422"},
		{40, 5, 6, "7.96637871298007104261835786909e-11", "4.55143715147897261774774617047e-10"},
		{40, 38, 42, "0.176344617127166254295169562525", "7.04800005475161575249118318866"},
		{1, 20, 21, "3.15138271929011626820284166265e-6", "6.44662537813288039918473797946e-5"},
	} {
		law := newChiSquare(c.r)
		chance, moment := law.between(law.at(interval.Float(c.a)), law.at(interval.Float(c.b)))
		what := fmt.Sprintf("χ²_%d from %v to %v", c.r, c.a, c.b)
		CheckEnclosure(t, what+": chance", chance, c.chance, 1e-11)
		CheckEnclosure(t, what+": moment", moment, c.moment, 1e-11)
	}
	law := newChiSquare(3) // a cell that may be empty has lower bound 0
	wide := law.at(interval.Between(1, 2))
	if chance, _ := law.between(wide, wide); chance.CmpLo(interval.Int(0)) != 0 || chance.CmpHi(interval.Int(0)) <= 0 {
		t.Errorf("from [1, 2] to itself: chance %v, want a lower bound of 0", chance)
	}
}

// clamp clips both bounds of a probability to [0, 1].
func TestClamp(t *testing.T) {
	for _, c := range [][4]float64{
		{-2, -1, 0, 0}, {-1, 0, 0, 0}, {-1, 0.5, 0, 0.5}, {-1, 3, 0, 1}, {0, 0.5, 0, 0.5}, {0.25, 0.5, 0.25, 0.5},
		{0.5, 1, 0.5, 1}, {0.5, 2, 0.5, 1}, {1, 2, 1, 1}, {2, 3, 1, 1}, {0, 1, 0, 1},
	} {
		if lo, hi := clamp(interval.Between(c[0], c[1])).Bounds(); lo != c[2] || hi != c[3] {
			t.Errorf("[%v, %v] becomes [%v, %v], want [%v, %v]", c[0], c[1], lo, hi, c[2], c[3])
		}
		if lo, hi := positivePart(interval.Between(c[0], c[1])).Bounds(); lo != max(0, c[0]) || hi != max(0, c[1]) {
			t.Errorf("the positive part of [%v, %v] is [%v, %v]", c[0], c[1], lo, hi)
		}
	}
}

// Near 0 the argument may be smaller than any float64. There and down to 0, the law is enclosed by monotonicity, and
// its step by its maximum at r.
func TestChiSquareNearZero(t *testing.T) {
	for _, r := range []int{1, 2, 3, 8} {
		c := newChiSquare(r)
		tiny := interval.Int(-2000).Exp()
		for what, x := range map[string]interval.Interval{"tiny": tiny, "down to 0": interval.Between(0, 1), "beyond r": interval.Between(-1, 30)} {
			_, hi := x.Bounds()
			got, end := c.at(x), c.at(interval.Float(hi))
			if got.below.CmpHi(end.below) < 0 || got.above.CmpLo(end.above) > 0 || got.below.CmpLo(interval.Int(0)) > 0 {
				t.Errorf("r = %d, %s: %v and %v, want bounds from those at 0 to %v and %v", r, what, got.below, got.above, end.below, end.above)
			}
			for _, at := range []float64{1e-3, 1, float64(r), 30} {
				if at <= hi && got.step.CmpHi(c.at(interval.Float(at)).step) < 0 {
					t.Errorf("r = %d, %s: step %v does not contain that at %v", r, what, got.step, at)
				}
			}
		}
	}
}
