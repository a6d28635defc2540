package matrices

import (
	"context"
	"math"
	"testing"

	"dpworkbench/internal/looks"
	"dpworkbench/interval"
)

// falling is the mean of f over χ²_r, f falling.
func falling(r int, f func(x float64) interval.Interval) expected {
	return expected{
		law:    newChiSquare(r),
		value:  f,
		within: func(a, b point, _, _ interval.Interval) (least, most interval.Interval) { return b.value, a.value },
		beyond: func(last point) (least, most interval.Interval) { return interval.Int(0), last.value },
	}
}

// E e^{−aS} is (1 + 2a)^{−r/2}, held between the ends as near as is asked, wherever cells are cut.
func TestSumOfCells(t *testing.T) {
	for _, c := range []struct {
		r    int
		a    float64
		want string
	}{
		{1, 0.5, "0.70710678118654752440084436210485"},
		{2, 1.5, "0.25"},
		{6, 0.5, "0.125"},
		{40, 0.0078125, "0.73338554675403791619214179180063"},   // (1 + 1/64)^−20
		{400, 0.00390625, "0.21088800078228809383379559431170"}, // (1 + 1/128)^−200
	} {
		e := falling(c.r, func(x float64) interval.Interval { return interval.Float(-c.a * x).Exp() })
		for _, share := range []float64{0.5, 0.1, 1e-2} {
			asked := 0
			var last float64
			got, err := e.sum(context.Background(), func(lo, hi float64) bool {
				asked++
				last = hi - lo
				return near(share)(lo, hi)
			})
			if err != nil {
				t.Fatal(err)
			}
			contains(t, "E e^{−aS}", got, c.want, share*1.5)
			if lo, hi := got.Bounds(); hi-lo != last || hi-lo > share*hi || asked < 1 || asked > 17 {
				t.Errorf("r = %d: [%v, %v] after %d questions, the last one of width %v", c.r, lo, hi, asked, last)
			}
		}
	}
}

// Of a function that is known between two ends everywhere the mean lies between the same, and beyond the last point too.
func TestSumKeepsBothEnds(t *testing.T) {
	for _, r := range []int{1, 5, 300} {
		e := falling(r, func(float64) interval.Interval { return interval.Between(0.25, 0.5) })
		for what, beyond := range map[string]func(point) (least, most interval.Interval){
			"the same beyond": func(p point) (least, most interval.Interval) { return p.value, p.value },
			"anything beyond": func(point) (least, most interval.Interval) { return interval.Int(0), interval.Int(1) },
		} {
			e.beyond = beyond
			questions := 0
			got, err := e.sum(context.Background(), func(lo, hi float64) bool { questions++; return questions == 4 })
			if err != nil || questions != 4 {
				t.Fatalf("%d questions, %v", questions, err)
			}
			lo, hi := got.Bounds()
			if !(lo <= 0.25 && lo > 0.25-1e-9 && hi >= 0.5 && hi < 0.5+1e-9) {
				t.Errorf("r = %d, %s: [%v, %v], want [¼, ½]", r, what, lo, hi)
			}
		}
	}
	// Nothing is known beyond the last point, and it counts: a law that lies there.
	far := falling(1, func(float64) interval.Interval { return interval.Int(0) })
	far.beyond = func(point) (least, most interval.Interval) { return interval.Float(0.5), interval.Int(1) }
	got, err := far.sum(context.Background(), func(lo, hi float64) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	above := far.law.at(interval.Float(13 * 13)).above // √1 + 12 squared
	half, _ := above.Mul(interval.Float(0.5)).Bounds()
	_, whole := above.Bounds()
	if lo, hi := got.Bounds(); lo != half || hi != whole {
		t.Errorf("beyond the last point [%v, %v], want [%v, %v]", lo, hi, half, whole)
	}
}

// Cells are halved, those that leave most open first, at most sixteen times.
func TestSumEnds(t *testing.T) {
	step := func(x float64) interval.Interval { // all is open where x comes by 5
		if x < 5 {
			return interval.Int(1)
		}
		return interval.Int(0)
	}
	never := func(lo, hi float64) bool { return false }
	points := 0
	e := falling(4, func(x float64) interval.Interval { points++; return step(x) })
	got, err := e.sum(context.Background(), never)
	if err != nil {
		t.Fatal(err)
	}
	contains(t, "Pr[χ²_4 < 5]", got, "0.712702504816354", 1e-4) // 1 − 3.5 e^−2.5
	if points != 17+16 {                                        // those of sixteen steps, and one a round: only one cell leaves anything open
		t.Errorf("%d points, want those of sixteen steps and one a round", points)
	}
	looks.Each(t, 1, func(ctx context.Context) error { _, err := e.sum(ctx, near(1e-3)); return err })
	for n := range 4 { // a look in each round
		c := looks.After(context.Background(), n)
		if _, err := e.sum(c, never); err == nil || c.Late() != 1 {
			t.Errorf("ended after %d rounds: %v, %d looks too many", n, err, c.Late())
		}
	}
}

// A cell's ends are the least and the most that its chance times its values can be, and its gap is between them.
func TestCellEnds(t *testing.T) {
	e := falling(2, func(x float64) interval.Interval { return interval.Between(math.Exp(-x), 1.5*math.Exp(-x)) })
	a, b := e.point(1), e.point(2)
	c := e.cell(a, b)
	p := math.Exp(-0.5) - math.Exp(-1)
	lo, _ := c.lo.Bounds()
	_, hi := c.hi.Bounds()
	if least, most := p*math.Exp(-2), p*1.5*math.Exp(-1); math.Abs(lo-least) > 1e-12 || math.Abs(hi-most) > 1e-12 || math.Abs(c.gap-(most-least)) > 1e-12 || c.a.x != 1 || c.b.x != 2 {
		t.Errorf("%v from %v to %v with gap %v, want from %v to %v", c, lo, hi, c.gap, least, most)
	}
}

func TestNear(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		want   bool
	}{{0.9, 1, true}, {0.875, 1, true}, {0.874, 1, false}, {0, 1e-27, true}, {0, 1.1e-27, false}, {1e-27, 1.1e-27, true}, {0.5, 0.5, true}} {
		if got := near(0.125)(c.lo, c.hi); got != c.want {
			t.Errorf("[%v, %v] near: %t", c.lo, c.hi, got)
		}
	}
}
