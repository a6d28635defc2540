package evidence

import (
	"math"
	"math/big"
	"slices"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Add returns a + b. A safe side that the operands share is the safe side of the result.
func Add(a, b Number) (Number, error) { return Sum(a, b) }

// Sum returns the sum of ns, and 0 if there are none. A safe side that the operands share is the safe side of the
// result.
func Sum(ns ...Number) (Number, error) {
	if len(ns) == 0 {
		return FromInt(new(big.Int)), nil
	}
	o := &operation{name: "the sum", side: commonSide(ns...),
		float: func(v []float64) (sum float64) {
			for _, x := range v {
				sum += x
			}
			return sum
		},
		exact: func(x []*real) *real {
			sum := x[0]
			for _, y := range x[1:] {
				if sum = sum.plus(y); sum == nil || bitsOf(sum.scale) > 2*maxExactBits {
					return nil
				}
			}
			return sum
		},
		enclose: func(x []interval.Interval) interval.Interval {
			sum := x[0]
			for _, y := range x[1:] {
				sum = sum.Add(y)
			}
			return sum
		}}
	n, err := o.apply(ns...)
	if c, ok := n.(Claimed); ok && len(ns) == 2 {
		if e, f := epsilonOf(ns[0]), epsilonOf(ns[1]); !e.IsZero() && !f.IsZero() {
			c.Epsilon, _ = e.Add(f)
			return c, err
		}
	}
	return n, err
}

// epsilonOf returns the exact ε that n holds, and 0 if it holds none.
func epsilonOf(n Number) Epsilon {
	switch n := n.(type) {
	case Claimed:
		return n.Epsilon
	case InputEpsilon:
		return n.Epsilon
	}
	return Epsilon{}
}

// Sub returns a − b, without a safe side, since the difference of two upper bounds is no bound. It returns an error if
// both are claims.
func Sub(a, b Number) (Number, error) {
	if a.Kind() == KindClaimed && b.Kind() == KindClaimed {
		return nil, parameter.Errorf("a claimed number minus a claimed number: each is a bound on one side, so the difference is no bound; use .value for the difference of the printed numbers")
	}
	o := &operation{name: "the difference", falls: func(i int) bool { return i == 1 },
		float:   func(v []float64) float64 { return v[0] - v[1] },
		exact:   func(x []*real) *real { return x[0].plus(x[1].times(big.NewRat(-1, 1))) },
		enclose: func(x []interval.Interval) interval.Interval { return x[0].Sub(x[1]) }}
	return o.apply(a, b)
}

// Neg returns −n, without a safe side.
func Neg(n Number) (Number, error) {
	o := &operation{name: "the negative", falls: func(int) bool { return true },
		float:   func(v []float64) float64 { return -v[0] },
		exact:   func(x []*real) *real { return x[0].times(big.NewRat(-1, 1)) },
		enclose: func(x []interval.Interval) interval.Interval { return x[0].Neg() }}
	return o.apply(n)
}

// Mul returns a·b. A safe side that the operands share is the safe side of the result if neither operand can be
// negative. Mul returns an error for a claim times a number that may have either sign.
func Mul(a, b Number) (Number, error) {
	for _, ab := range [][2]Number{{a, b}, {b, a}} {
		if lo, hi := ab[1].Bounds(); ab[0].Kind() == KindClaimed && lo < 0 && hi > 0 {
			return nil, parameter.Errorf("a claimed number times %s: a claim is a bound on one side, so its product with a number of unknown sign is no bound; use .value for the product of the printed number", someNumber(ab[1]))
		}
	}
	o := &operation{name: "the product", falls: func(i int) bool { return negative([]Number{b, a}[i]) },
		float: func(v []float64) float64 { return v[0] * v[1] },
		exact: func(x []*real) *real {
			switch {
			case x[0].base == nil:
				return x[1].times(x[0].scale)
			case x[1].base == nil:
				return x[0].times(x[1].scale)
			}
			return nil
		},
		enclose: func(x []interval.Interval) interval.Interval { return x[0].Mul(x[1]) }}
	if nonnegative(a, b) {
		o.side = commonSide(a, b)
	}
	n, err := o.apply(a, b)
	if c, ok := n.(Claimed); ok {
		for _, ab := range [][2]Number{{a, b}, {b, a}} {
			if q, ok := ab[1].(Exact); ok && q.Value.Num().IsInt64() && q.Value.Denom().IsInt64() {
				c.Epsilon = epsilonOf(ab[0]).Ratio(q.Value.Num().Int64(), q.Value.Denom().Int64())
			}
		}
		return c, err
	}
	return n, err
}

// Quo returns a/b. The result keeps a safe side of a if b is a positive constant and a ≥ 0. Quo returns an error if b
// may be 0 or is a claim.
func Quo(a, b Number) (Number, error) {
	lo, hi := b.Bounds()
	switch {
	case b.Kind() == KindClaimed:
		return nil, parameter.Errorf("division by a claimed number: it is a bound on one side, so the quotient is no bound; use .value for the quotient of the printed numbers")
	case lo <= 0 && hi >= 0:
		return nil, parameter.Errorf("division by %s, want a number that is certainly not 0", someNumber(b))
	}
	o := &operation{name: "the quotient", falls: func(int) bool { return negative(b) }, // only a can be a claim
		float:   func(v []float64) float64 { return v[0] / v[1] },
		exact:   func(x []*real) *real { return x[0].over(x[1]) },
		enclose: func(x []interval.Interval) interval.Interval { return x[0].Quo(x[1]) }}
	if isConstant(b) && lo > 0 && nonnegative(a) {
		o.side = SideOf(a)
	}
	n, err := o.apply(a, b)
	if err != nil {
		return nil, err
	}
	if c, ok := n.(Claimed); ok {
		if q, ok := b.(Exact); ok && q.Value.Num().IsInt64() && q.Value.Denom().IsInt64() {
			c.Epsilon = epsilonOf(a).Ratio(q.Value.Denom().Int64(), q.Value.Num().Int64())
		}
		return c, nil
	}
	return n, nil
}

// maxExponent is the largest exponent of Pow.
const maxExponent = 1 << 20

// Pow returns nᵏ. The result keeps a safe side of n if n ≥ 0 and k > 0. Pow returns an error if k < 0 and n may be 0.
func Pow(n Number, k int) (Number, error) {
	if k < -maxExponent || k > maxExponent {
		return nil, parameter.Bad("exponent", k, "a whole number from %d to %d", -maxExponent, maxExponent)
	}
	if lo, hi := n.Bounds(); k < 0 && lo <= 0 && hi >= 0 {
		return nil, parameter.Errorf("the power %d of %s, want a number that is certainly not 0", k, someNumber(n))
	}
	o := &operation{name: "the power", falls: func(int) bool { return (k < 0) != (k%2 == 0 && negative(n)) },
		float: func(v []float64) float64 { return math.Pow(v[0], float64(k)) },
		exact: func(x []*real) *real {
			switch q := x[0].scale; {
			case k == 1:
				return x[0]
			case x[0].base != nil || q.Sign() != 0 && bitsOf(q)*max(k, -k) > maxExactBits:
				return nil
			case k < 0:
				return &real{scale: interval.RationalPower(new(big.Rat).Inv(q), big.NewInt(int64(-k)))}
			default:
				return &real{scale: interval.RationalPower(q, big.NewInt(int64(k)))}
			}
		},
		enclose: func(x []interval.Interval) interval.Interval { return powerOf(x[0], k) }}
	if k > 0 && nonnegative(n) {
		o.side = SideOf(n)
	}
	return o.apply(n)
}

// powerOf encloses xᵏ for k ≠ 0. For even k it takes the power of |x|, which is narrower.
func powerOf(x interval.Interval, k int) interval.Interval {
	if k%2 == 0 {
		x = magnitude(x)
	}
	return x.Pow(k)
}

// magnitude encloses |x|.
func magnitude(x interval.Interval) interval.Interval {
	switch lo, hi := x.Bounds(); {
	case lo >= 0:
		return x
	case hi <= 0:
		return x.Neg()
	}
	return interval.Hull(interval.Int(0), interval.Max(x, x.Neg()).Upper())
}

// Log returns ln n, exactly if n is an exact rational. It returns an error if n may be 0 or negative.
func Log(n Number) (Number, error) {
	if lo, _ := n.Bounds(); !(lo > 0) {
		return nil, parameter.Errorf("the logarithm of %s, want a number that is certainly positive", someNumber(n))
	}
	o := &operation{name: "the logarithm",
		float: func(v []float64) float64 { return math.Log(v[0]) },
		exact: func(x []*real) *real {
			if x[0].base != nil {
				return nil
			}
			return logOf(x[0].scale)
		},
		enclose: func(x []interval.Interval) interval.Interval { return x[0].Log() }}
	return o.apply(n)
}

// Exp returns eⁿ, exactly if it is rational.
func Exp(n Number) (Number, error) {
	o := &operation{name: "the exponential",
		float: func(v []float64) float64 { return math.Exp(v[0]) },
		exact: func(x []*real) *real {
			switch {
			case x[0].scale.Sign() == 0:
				return &real{scale: big.NewRat(1, 1)}
			case x[0].base == nil:
				return nil
			}
			e := newLog(x[0].base, new(big.Rat).Abs(x[0].scale))
			if !e.scale.IsInt() || e.scale.Num().BitLen() > 20 || bitsOf(e.base)*int(e.scale.Num().Int64()) > maxExactBits {
				return nil
			}
			q := interval.RationalPower(e.base, e.scale.Num())
			if x[0].scale.Sign() < 0 {
				q.Inv(q)
			}
			return &real{scale: q}
		},
		enclose: func(x []interval.Interval) interval.Interval { return x[0].Exp() }}
	return o.apply(n)
}

// Sqrt returns √n, exactly if it is rational. It returns an error if n may be negative, and for an enclosure with the
// lower bound 0.
func Sqrt(n Number) (Number, error) {
	if lo, hi := n.Bounds(); lo < 0 || lo == 0 && hi > 0 {
		return nil, parameter.Errorf("the square root of %s, want a number that is certainly positive, or 0", someNumber(n))
	}
	o := &operation{name: "the square root",
		float: func(v []float64) float64 { return math.Sqrt(v[0]) },
		exact: func(x []*real) *real {
			if x[0].scale.Sign() == 0 {
				return x[0]
			}
			if x[0].base == nil {
				if root, ok := ratRoot(x[0].scale, 2); ok {
					return &real{scale: root}
				}
			}
			return nil
		},
		enclose: func(x []interval.Interval) interval.Interval { return x[0].Sqrt() }}
	return o.apply(n)
}

// Abs returns |n|. The result keeps a safe side of n if n ≥ 0.
func Abs(n Number) (Number, error) {
	if err := Check(n); err != nil {
		return nil, err
	}
	if nonnegative(n) {
		return n, nil
	}
	o := &operation{name: "the absolute value", falls: func(int) bool { return negative(n) },
		float: func(v []float64) float64 { return math.Abs(v[0]) },
		exact: func(x []*real) *real {
			if x[0].scale.Sign() < 0 {
				return x[0].times(big.NewRat(-1, 1))
			}
			return x[0]
		},
		enclose: func(x []interval.Interval) interval.Interval { return magnitude(x[0]) }}
	return o.apply(n)
}

// Min returns the least of ns, and an error if there are none. A safe side that the operands share is the safe side of
// the result.
func Min(ns ...Number) (Number, error) { return extreme("the minimum", -1, ns) }

// Max returns the largest of ns, and an error if there are none. A safe side that the operands share is the safe side
// of the result.
func Max(ns ...Number) (Number, error) { return extreme("the maximum", 1, ns) }

func extreme(name string, sign int, ns []Number) (Number, error) {
	if len(ns) == 0 {
		return nil, parameter.Errorf("%s of an empty list, want at least one number", name)
	}
	if len(ns) == 1 {
		return AsNumber(ns[0], Check(ns[0]))
	}
	float, enclose := math.Max, interval.Max
	if sign < 0 {
		float, enclose = math.Min, interval.Min
	}
	o := &operation{name: name, side: commonSide(ns...),
		float: func(v []float64) float64 {
			out := v[0]
			for _, x := range v[1:] {
				out = float(out, x)
			}
			return out
		},
		exact: func(x []*real) *real {
			return slices.MaxFunc(x, func(a, b *real) int { return sign * a.cmp(b) })
		},
		enclose: func(x []interval.Interval) interval.Interval {
			out := x[0]
			for _, y := range x[1:] {
				out = enclose(out, y)
			}
			return out
		}}
	return o.apply(ns...)
}
