package mvg

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/interval"
)

// Of eigenvalues, weights and a budget that are known in part, level and optimum are enclosed for all
// that they may be, whichever floor is the lowest; and so are the residuals of any allocation.
func TestFillingsOfWideProblems(t *testing.T) {
	rng := rand.New(rand.NewPCG(302, 1))
	type problem struct{ l, w, b [][2]float64 }
	check := func(p problem, picks int) {
		enclosed := func(v [][2]float64) (out []interval.Interval) {
			for _, x := range v {
				out = append(out, interval.Between(x[0], x[1]))
			}
			return out
		}
		wide := fillLinear(enclosed(p.l), enclosed(p.w), enclosed(p.b)[0])
		other := &Waterfilling{Level: math.Exp(rng.NormFloat64())}
		for i := range p.l {
			other.Precisions = append(other.Precisions, float64(rng.IntN(2))*rng.ExpFloat64())
			if other.Precisions[i] > 0 {
				other.Active = append(other.Active, i)
			}
		}
		linear, squares := other.linearResidual(enclosed(p.l), enclosed(p.w), enclosed(p.b)[0]), other.squaresResidual(enclosed(p.l), enclosed(p.b)[0])
		for range picks {
			some := func(v [][2]float64) (out []interval.Interval) {
				for _, x := range v {
					out = append(out, interval.Float(x[rng.IntN(2)]))
				}
				return out
			}
			l, w, b := some(p.l), some(p.w), some(p.b)[0]
			thin := fillLinear(l, w, b)
			if thin.KnownLevel.Hi < wide.KnownLevel.Lo || thin.KnownLevel.Lo > wide.KnownLevel.Hi {
				t.Fatalf("%v: level %v, enclosed by [%v, %v]", p, thin.Level, wide.KnownLevel.Lo, wide.KnownLevel.Hi)
			}
			if thin.Value.Hi < wide.Value.Lo || thin.Value.Lo > wide.Value.Hi {
				t.Fatalf("%v: optimum %v, enclosed by [%v, %v]", p, thin.Value.Lo, wide.Value.Lo, wide.Value.Hi)
			}
			if v := other.linearResidual(l, w, b); v > linear*(1+1e-14) {
				t.Fatalf("%v: l1 residual %v, at most %v", p, v, linear)
			}
			if v := other.squaresResidual(l, b); v > squares*(1+1e-14) {
				t.Fatalf("%v: l2 residual %v, at most %v", p, v, squares)
			}
		}
	}
	check(problem{[][2]float64{{1, 1}, {1, 1}}, [][2]float64{{0.01, 10}, {5, 6}}, [][2]float64{{1, 1}}}, 20)
	for range 25 {
		var p problem
		draw := func() [2]float64 {
			_, ends := about(math.Exp(rng.NormFloat64()), []float64{0, 0.05, 0.5, 0.95}[rng.IntN(4)])
			return ends
		}
		for range 1 + rng.IntN(4) {
			p.l, p.w = append(p.l, draw()), append(p.w, draw())
		}
		p.b = [][2]float64{draw()}
		check(p, 8)
	}
}

// The level of an l2 budget is enclosed to 70 bits and more, by numbers that spend too much and too
// little for sure, and what the precisions are worth is between what they are at its ends.
func TestSquaresLevelIsBracketed(t *testing.T) {
	rng := rand.New(rand.NewPCG(302, 2))
	num := func() *big.Float { return new(big.Float).SetPrec(600) }
	for range 50 {
		l := make([]float64, 1+rng.IntN(4))
		for i := range l {
			if l[i] = math.Exp(30 * rng.NormFloat64()); i > 0 && rng.IntN(5) == 0 {
				l[i] = 0
			}
		}
		budget := math.Exp(20 * rng.NormFloat64())
		w := fillSquares(exactly(l), interval.Float(budget))
		// over is the sign of Σ p² − budget, p = λ/(ν + √(ν² + 2νλ²)).
		over := func(nu *big.Float) int {
			sum := num()
			for _, v := range l {
				if v == 0 {
					continue
				}
				x := num().SetFloat64(v)
				root := num().Mul(num().Mul(nu, num().SetInt64(2)), num().Mul(x, x))
				root.Add(root, num().Mul(nu, nu)).Sqrt(root)
				p := num().Quo(x, root.Add(root, nu))
				sum.Add(sum, num().Mul(p, p))
			}
			return sum.Cmp(num().SetFloat64(budget))
		}
		low, high := num().Set(w.level.Lower().MidFloat(256)), num().Set(w.level.Upper().MidFloat(256))
		if over(low) <= 0 || over(high) >= 0 {
			t.Errorf("λ = %v, budget %v: the level is not between %v and %v", l, budget, low, high)
		}
		if width, _ := num().Quo(num().Sub(high, low), high).Float64(); !(width > 0 && width < 0x1p-70) {
			t.Errorf("λ = %v, budget %v: the level is known to %v", l, budget, width)
		}
		if got := squaresLevel(exactly(l), budget).Mid(); math.Abs(got-w.Level) > 1e-12*w.Level {
			t.Errorf("λ = %v, budget %v: level %v, want %v", l, budget, got, w.Level)
		}
	}
}

// What a capped filling spends is within the budget, to the last bit, and short of it by rounding alone;
// its precisions are those of its price.
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
			t.Errorf("gains %v at %v, cap %v: %v of %v is spent", gains, a, cap, spent, budget)
		}
		if (price == 0) != (full <= budget) {
			t.Errorf("gains %v at %v, budget %v, cap %v: price %v", gains, a, budget, cap, price)
		}
		if price > 0 {
			bound++
		}
	}
	if bound < 100 {
		t.Errorf("%d budgets have a price", bound)
	}
}
