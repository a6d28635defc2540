package interval

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A function that rises has at the ends of an interval what it has at these points: its lower end below, its upper end above, to the last bit.
func TestRisingFunctionsAtTheEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 1))
	for what, f := range map[string]func(Interval) Interval{"Exp": Interval.Exp, "Log": Interval.Log, "Expm1": Interval.Expm1, "Log1p": Interval.Log1p, "Sqrt": Interval.Sqrt} {
		for range 60 {
			x := math.Ldexp(0.5+rng.Float64(), rng.IntN(60)-50)
			y := x * (1 + rng.Float64())
			if what == "Expm1" || what == "Exp" || what == "Log1p" {
				if rng.IntN(3) == 0 {
					x, y = -min(y, 0.9), -min(x, 0.5)
				}
			}
			got, low, high := f(Between(x, y)), f(Float(x)), f(Float(y))
			if x < y && (got.lo.Cmp(low.lo) != 0 || got.hi.Cmp(high.hi) != 0) {
				t.Errorf("%s of [%v, %v] is %v, at the ends %v and %v", what, x, y, got, low, high)
			}
			if point := f(Between(x, x)); point.lo.Cmp(low.lo) != 0 || point.hi.Cmp(low.hi) != 0 || !(point.lo.Cmp(point.hi) < 0) && what != "Sqrt" {
				t.Errorf("%s at %v is %v and %v", what, x, point, low)
			}
		}
	}
	for _, hi := range []float64{1, 3} { // no lower end where 0 is within, and all numbers where nothing is positive
		if v := Between(0, hi).Log(); !v.lo.IsInf() || v.hi.Cmp(Float(hi).Log().hi) != 0 {
			t.Errorf("Log of [0, %v] is %v", hi, v)
		}
		if v := Between(-hi, hi).Log(); !v.lo.IsInf() || v.hi.Cmp(Float(hi).Log().hi) != 0 {
			t.Errorf("Log of [%v, %v] is %v", -hi, hi, v)
		}
		if v := Between(-hi, 0).Log(); !v.lo.IsInf() || !v.hi.IsInf() {
			t.Errorf("Log of [%v, 0] is %v", -hi, v)
		}
	}
}
