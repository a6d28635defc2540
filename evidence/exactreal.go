package evidence

import (
	"math/big"

	"dpworkbench/interval"
)

// number returns x as an exact number, and nil if that would exceed maxExactBits.
func (x *real) number(side Side, from Provenance) Number {
	switch {
	case x.base == nil:
		if bitsOf(x.scale) > maxExactBits {
			return nil
		}
		return Exact{Value: x.scale, Side: side, Provenance: from}
	case x.scale.Sign() == 0:
		return Exact{Value: new(big.Rat), Side: side, Provenance: from}
	case x.base.Cmp(new(big.Rat).SetFloat64(1+0x1p-52)) < 0:
		return nil // such a logarithm is certified instead
	}
	e := newLog(x.base, new(big.Rat).Abs(x.scale))
	negative := x.scale.Sign() < 0
	if e.scale.IsInt() && e.scale.Num().BitLen() < 32 && bitsOf(e.base)*int(e.scale.Num().Int64()) <= maxExactBits {
		q := interval.RationalPower(e.base, e.scale.Num())
		if negative {
			q.Inv(q)
		}
		return ExactLog{Argument: q, Side: side, Provenance: from}
	}
	switch {
	case bitsOf(e.scale) > maxExactBits || bitsOf(e.base) > maxExactBits:
		return nil
	case negative || side != Up:
		return LogMultiple{e, negative, side, from}
	}
	return InputEpsilon{e, from}
}

func bitsOf(q *big.Rat) int { return q.Num().BitLen() + q.Denom().BitLen() }

// times returns n·x for a rational n.
func (x *real) times(n *big.Rat) *real {
	return &real{scale: new(big.Rat).Mul(x.scale, n), base: x.base}
}

// plus returns x + y, and nil if it has no closed form.
func (x *real) plus(y *real) *real {
	switch {
	case x.scale.Sign() == 0:
		return y
	case y.scale.Sign() == 0:
		return x
	case x.base == nil && y.base == nil:
		return &real{scale: new(big.Rat).Add(x.scale, y.scale)}
	case x.base == nil || y.base == nil:
		return nil
	case x.base.Cmp(y.base) == 0:
		return &real{scale: new(big.Rat).Add(x.scale, y.scale), base: x.base}
	}
	// (m ln a + n ln b)/d = ln(aᵐ bⁿ)/d
	den := new(big.Int).Mul(x.scale.Denom(), new(big.Int).Quo(y.scale.Denom(), new(big.Int).GCD(nil, nil, x.scale.Denom(), y.scale.Denom())))
	product := big.NewRat(1, 1)
	for _, z := range []*real{x, y} {
		n := new(big.Rat).Mul(z.scale, new(big.Rat).SetInt(den)).Num()
		if n.BitLen() > 20 || bitsOf(z.base)*int(new(big.Int).Abs(n).Int64()) > maxExactBits {
			return nil
		}
		power := interval.RationalPower(z.base, new(big.Int).Abs(n))
		if n.Sign() < 0 {
			power.Inv(power)
		}
		product.Mul(product, power)
	}
	return logOf(product).times(new(big.Rat).SetFrac(big.NewInt(1), den))
}

// over returns x/y for y ≠ 0, and nil if it has no closed form.
func (x *real) over(y *real) *real {
	switch {
	case x.scale.Sign() == 0:
		return x
	case y.base == nil:
		return x.times(new(big.Rat).Inv(y.scale))
	case x.base == nil:
		return nil
	}
	v, ok := Epsilon{base: x.base, scale: new(big.Rat).Abs(x.scale)}.Quotient(Epsilon{base: y.base, scale: new(big.Rat).Abs(y.scale)})
	if !ok {
		return nil
	}
	if x.scale.Sign() != y.scale.Sign() {
		v.Neg(v)
	}
	return &real{scale: v}
}

// logOf returns ln q for q > 0.
func logOf(q *big.Rat) *real { return exactly(ExactLog{Argument: q}) }
