package interval

import "math"

// DoubleDouble is the unevaluated sum of two float64s, Hi + Lo.
//
// Add, Mul and Quo take and return numbers with |Lo| ≤ ulp(Hi)/2. Where nothing underflows, Joldes, Muller and Popescu
// (ACM Trans. Math. Softw. 44(2), 2017, Theorems 3.1, 5.1 and 6.1) bound their relative errors by at most 15u² + 56u³,
// where u = 2⁻⁵³. Sums of numbers of one sign have 3u², products 5u², and quotients the most. Accumulate is cheaper and
// less accurate.
type DoubleDouble struct{ Hi, Lo float64 }

// DoubleError is 2⁻¹⁰², which exceeds the relative error of Add, Mul and Quo.
const DoubleError = 0x1p-102

// TwoSum returns a + b rounded and the rounding error (Knuth). Their sum is exactly a + b unless it overflows.
func TwoSum(a, b float64) (sum, rest float64) {
	sum = a + b
	t := sum - a
	return sum, (a - (sum - t)) + (b - t)
}

// fastTwoSum is TwoSum where |a| ≥ |b|.
func fastTwoSum(a, b float64) DoubleDouble {
	s := a + b
	return DoubleDouble{s, b - (s - a)}
}

// Add returns x + y.
func (x DoubleDouble) Add(y DoubleDouble) DoubleDouble {
	high, highRest := TwoSum(x.Hi, y.Hi)
	low, lowRest := TwoSum(x.Lo, y.Lo)
	v := fastTwoSum(high, highRest+low)
	return fastTwoSum(v.Hi, lowRest+v.Lo)
}

// Mul returns x·y.
func (x DoubleDouble) Mul(y DoubleDouble) DoubleDouble {
	p := x.Hi * y.Hi
	e := math.FMA(x.Hi, y.Hi, -p)
	e = math.FMA(x.Hi, y.Lo, e)
	e = math.FMA(x.Lo, y.Hi, e)
	return fastTwoSum(p, e)
}

// Quo returns x/y.
func (x DoubleDouble) Quo(y DoubleDouble) DoubleDouble {
	q := x.Hi / y.Hi
	r := y.Mul(DoubleDouble{q, 0})
	rest := (x.Hi - r.Hi) + (x.Lo - r.Lo)
	return fastTwoSum(q, rest/y.Hi)
}

// Scale returns 2ᵏx.
func (x DoubleDouble) Scale(k int) DoubleDouble {
	return DoubleDouble{math.Ldexp(x.Hi, k), math.Ldexp(x.Lo, k)}
}

// Float returns x rounded to float64.
func (x DoubleDouble) Float() float64 { return x.Hi + x.Lo }

// Accumulate adds v to a sum of many terms. After n positive terms its error is below 2nu² of the sum.
func (x *DoubleDouble) Accumulate(v float64) {
	s, rest := TwoSum(x.Hi, v)
	x.Hi, x.Lo = s, x.Lo+rest
}

// AccumulateSum adds y, which is itself a sum made by Accumulate.
func (x *DoubleDouble) AccumulateSum(y DoubleDouble) {
	x.Accumulate(y.Hi)
	x.Lo += y.Lo
}

// AddProducts returns x + Σ a_i b_i, where b is no shorter than a. After N products in total, the result rounded by Float
// differs from the exact sum by at most
//
//	u|a·b| + γ_N²|a|·|b|,   γ_N = Nu/(1 − Nu),
//
// where no product underflows (Ogita, Rump and Oishi, SIAM J. Sci. Comput. 26(6), 2005, Proposition 5.5). A product that
// underflows adds an error below 2⁻¹⁰⁷⁰.
func (x DoubleDouble) AddProducts(a, b []float64) DoubleDouble {
	s, c := x.Hi, x.Lo
	b = b[:min(len(a), len(b))]
	a = a[:len(b)]
	for i, v := range a {
		p := float64(v * b[i])
		e := math.FMA(v, b[i], -p)
		t, rest := TwoSum(s, p)
		s, c = t, c+(rest+e)
	}
	return DoubleDouble{s, c}
}
