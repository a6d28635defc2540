package mvg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A capped filling never exceeds the budget, uses all of it up to rounding, and has the precisions that its price
// implies.
func TestCappedFillings(t *testing.T) {
	rng := rand.New(rand.NewPCG(302, 3))
	bound := 0
	for k := range 400 {
		gains, a := make([]float64, 1+rng.IntN(4)), []float64(nil)
		size := []float64{1, 1e150, 1e-150}[rng.IntN(3)]
		for i := range gains {
			gains[i] = size * math.Exp(5*rng.NormFloat64())
			a = append(a, math.Exp(3*rng.NormFloat64()))
		}
		budget, cap := math.Exp(5*rng.NormFloat64())/size, math.Exp(5*rng.NormFloat64())/size
		switch k % 4 {
		case 0:
			cap = math.Inf(1)
		case 1:
			budget = math.Inf(1)
		}
		q, price := fillCapped(gains, a, budget, cap)
		spent, full := 0.0, 0.0
		for i, v := range q {
			want := cap
			if price > 0 {
				want = math.Min(math.Max(0, 1/(a[i]*price)-1/gains[i]), cap)
			}
			if math.Abs(v-want) > 1e-14*(want+1/gains[i]) {
				t.Errorf("gains %v at %v, budget %v, cap %v: %v at price %v, want %v", gains, a, budget, cap, v, price, want)
			}
			spent += a[i] * v
			full += a[i] * cap
		}
		if spent > budget || price > 0 && spent < budget*(1-1e-12)-8*unit*float64(len(q))/price {
			t.Errorf("gains %v at %v, cap %v: the spent budget is %v of %v", gains, a, cap, spent, budget)
		}
		if (price == 0) != (full <= budget) {
			t.Errorf("gains %v at %v, budget %v, cap %v: price %v", gains, a, budget, cap, price)
		}
		if price > 0 {
			bound++
		}
	}
	if bound < 100 {
		t.Errorf("only %d budgets are binding", bound)
	}
}
