package evidence

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Arithmetic on evidence. Exact operands give an exact result if it is rational or a rational multiple of the logarithm of a rational.
// Otherwise the enclosures of the operands are combined with outward rounding, and the result is certified. Dependence between
// operands is ignored: e − e encloses 0. An estimated operand makes the result estimated, and a claimed one makes it claimed.

// operation is a function of numbers.
type operation struct {
	name    string
	float   func(v []float64) float64
	exact   func(x []*real) *real // nil if the result has no closed form
	enclose func(x []interval.Interval) interval.Interval
	side    Side
}

// maxExactBits bounds the size of rationals in exact results.
const maxExactBits = 1 << 14

// Given returns a float64 as an operand. It is exact if v equals its shortest decimal, such as 0.5, and an enclosure of both elsewhere.
func Given(v float64) Number {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return Certified{Lo: v, Hi: v}
	}
	if q := new(big.Rat).SetFloat64(v); q.Cmp(interval.Decimal(v)) == 0 {
		return Exact{Value: q}
	}
	lo, hi := interval.Readings(v).Bounds()
	return Certified{Lo: lo, Hi: hi}
}

// isConstant reports whether n has no safe side and needs none: it is exact, or a number that was given.
func isConstant(n Number) bool {
	return SideOf(n) == Neither && (n.Kind() == KindExact || n.Kind() == KindCertified && n.Citation().Source == "")
}

// commonSide returns the safe side that all operands but constants share, and Neither if there is none.
func commonSide(ns ...Number) Side {
	side, found := Neither, false
	for _, n := range ns {
		switch s := SideOf(n); {
		case isConstant(n):
		case found && s != side:
			return Neither
		default:
			side, found = s, true
		}
	}
	return side
}

// nonnegative reports whether no operand can be negative.
func nonnegative(ns ...Number) bool {
	return !slices.ContainsFunc(ns, func(n Number) bool { lo, _ := n.Bounds(); return !(lo >= 0) })
}

// apply evaluates an operation on valid numbers. It returns an error wrapping ErrParameter if the result is NaN or −∞.
func (o *operation) apply(ns ...Number) (Number, error) {
	kind := KindExact
	for _, n := range ns {
		if err := Check(n); err != nil {
			return nil, err
		}
		if k := n.Kind(); slices.Index(kinds, k) < slices.Index(kinds, kind) {
			kind = k
		}
	}
	from := o.provenance(ns)
	values := make([]float64, len(ns))
	for i, n := range ns {
		values[i] = n.Float()
	}
	if kind == KindClaimed {
		v := o.float(values)
		if math.IsNaN(v) || math.IsInf(v, -1) {
			return nil, o.undefined(ns)
		}
		return Claimed{Value: v, Provenance: from.By("floating-point arithmetic on claims")}, nil
	}
	if kind == KindExact && o.exact != nil {
		if x := o.exact(each(ns, exactly)); x != nil {
			if n := x.number(o.side, from.By("exact arithmetic")); n != nil {
				return n, nil
			}
		}
	}
	lo, hi, err := o.bounds(ns)
	if err != nil {
		return nil, err
	}
	from = from.By("interval arithmetic")
	if kind != KindEstimated {
		return Certified{Lo: lo, Hi: hi, Side: o.side, Provenance: from}, nil
	}
	parts, draws, failure := estimates(ns), 0, 0.0
	for _, p := range parts {
		draws += p.draws
		failure += p.failure
	}
	if len(parts) > 1 {
		from.Caveat = joined([]string{from.Caveat, fmt.Sprintf("the intervals of %d estimates hold together with this confidence", len(parts))})
	}
	v := min(max(o.float(values), lo), hi)
	return Estimated{Value: v, Lo: lo, Hi: hi, Confidence: 1 - min(failure, 1), Side: o.side, Draws: draws, Provenance: from, parts: &parts}, nil
}

// kinds are the kinds of evidence, the weakest first.
var kinds = []Kind{KindClaimed, KindEstimated, KindCertified, KindExact}

// bounds encloses the result of an operation. Operands at infinity are evaluated at the bounds of the others, where every
// operation is monotone; sums and products of infinities have no rounding.
func (o *operation) bounds(ns []Number) (lo, hi float64, err error) {
	xs, infinite := make([]interval.Interval, len(ns)), false
	for i, n := range ns {
		l, h := n.Bounds()
		xs[i] = enclosureOf(n)
		infinite = infinite || l == h && math.IsInf(l, 0)
	}
	if !infinite {
		lo, hi = o.enclose(xs).Bounds()
		return lo, hi, nil
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	corner := make([]float64, len(ns))
	for bits := range 1 << min(len(ns), 2) {
		for i, n := range ns {
			l, h := n.Bounds()
			if corner[i] = l; bits>>min(i, 1)&1 == 1 {
				corner[i] = h
			}
		}
		v := o.float(corner)
		if math.IsNaN(v) {
			return 0, 0, o.undefined(ns)
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	if math.IsInf(hi, -1) {
		return 0, 0, o.undefined(ns)
	}
	return lo, hi, nil
}

// enclosureOf returns an interval that contains n, as narrow as intervals are if n is exact.
func enclosureOf(n Number) interval.Interval {
	if n.Kind() == KindExact {
		return exactly(n).enclosure()
	}
	return interval.Between(n.Bounds())
}

func (o *operation) undefined(ns []Number) error {
	return parameter.Errorf("%s of %s has no value", o.name, strings.Join(each(ns, between), " and "))
}

func each[T, U any](xs []T, f func(T) U) []U {
	out := make([]U, len(xs))
	for i, x := range xs {
		out[i] = f(x)
	}
	return out
}

// provenance names the sources of the operands, and carries their caveats.
func (o *operation) provenance(ns []Number) Provenance {
	var sources, caveats []string
	for _, n := range ns {
		c := n.Citation()
		sources, caveats = append(sources, c.Source), append(caveats, c.Caveat)
	}
	return Provenance{Source: joined(sources), Caveat: joined(caveats)}
}

// joined joins distinct texts, of which it names the first three.
func joined(texts []string) string {
	var out []string
	for _, text := range texts {
		if text != "" && !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	if n := len(out) - 3; n > 0 {
		out = append(out[:3], fmt.Sprintf("and %d more", n))
	}
	return strings.Join(out, "; ")
}

// number returns an exact number, and nil if it is larger than exact results may be.
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
		return nil // no ε is so close to 1
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

// logOf returns ln q of q > 0.
func logOf(q *big.Rat) *real { return exactly(ExactLog{Argument: q}) }

// Add returns a + b. A safe side that the operands share remains.
func Add(a, b Number) (Number, error) { return Sum(a, b) }

// Sum returns the sum of ns, which is 0 without any. A safe side that the operands share remains.
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

// epsilonOf returns a positive number as an ε without rounding, and 0 if it is not known as one.
func epsilonOf(n Number) Epsilon {
	switch n := n.(type) {
	case Claimed:
		return n.Epsilon
	case InputEpsilon:
		return n.Epsilon
	}
	return Epsilon{}
}

// Sub returns a − b. It has no safe side: a difference of upper bounds bounds nothing. The difference of two claims is refused.
func Sub(a, b Number) (Number, error) {
	if a.Kind() == KindClaimed && b.Kind() == KindClaimed {
		return nil, parameter.Errorf("a claim minus a claim: both bound from one side, so their difference bounds nothing; use .value for the difference of the printed numbers")
	}
	o := &operation{name: "the difference",
		float:   func(v []float64) float64 { return v[0] - v[1] },
		exact:   func(x []*real) *real { return x[0].plus(x[1].times(big.NewRat(-1, 1))) },
		enclose: func(x []interval.Interval) interval.Interval { return x[0].Sub(x[1]) }}
	return o.apply(a, b)
}

// Neg returns −n, without a safe side.
func Neg(n Number) (Number, error) {
	o := &operation{name: "the negative",
		float:   func(v []float64) float64 { return -v[0] },
		exact:   func(x []*real) *real { return x[0].times(big.NewRat(-1, 1)) },
		enclose: func(x []interval.Interval) interval.Interval { return x[0].Neg() }}
	return o.apply(n)
}

// Mul returns a·b. A safe side that the operands share remains if neither can be negative.
func Mul(a, b Number) (Number, error) {
	o := &operation{name: "the product",
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

// Quo returns a/b. If b is a positive constant a safe side of a ≥ 0 remains. It refuses a b that may be 0, and a claim b.
func Quo(a, b Number) (Number, error) {
	lo, hi := b.Bounds()
	switch {
	case b.Kind() == KindClaimed:
		return nil, parameter.Errorf("division by a claim: it bounds from one side, so the quotient bounds nothing; use .value for the quotient of the printed numbers")
	case lo <= 0 && hi >= 0:
		return nil, parameter.Errorf("division by %s, want a number that is certainly not 0", between(b))
	}
	o := &operation{name: "the quotient",
		float:   func(v []float64) float64 { return v[0] / v[1] },
		exact:   func(x []*real) *real { return x[0].over(x[1]) },
		enclose: func(x []interval.Interval) interval.Interval { return x[0].Quo(x[1]) }}
	if isConstant(b) && lo > 0 && nonnegative(a) {
		o.side = SideOf(a)
	}
	n, err := o.apply(a, b)
	if c, ok := n.(Claimed); ok {
		if q, ok := b.(Exact); ok && q.Value.Num().IsInt64() && q.Value.Denom().IsInt64() {
			c.Epsilon = epsilonOf(a).Ratio(q.Value.Denom().Int64(), q.Value.Num().Int64())
		}
		return c, err
	}
	return n, err
}

// maxExponent is the largest exponent of Pow.
const maxExponent = 1 << 20

// Pow returns nᵏ. A safe side of n ≥ 0 remains if k > 0. It refuses k < 0 for an n that may be 0.
func Pow(n Number, k int) (Number, error) {
	if k < -maxExponent || k > maxExponent {
		return nil, parameter.Bad("exponent", k, "a whole number from %d to %d", -maxExponent, maxExponent)
	}
	if lo, hi := n.Bounds(); k < 0 && lo <= 0 && hi >= 0 {
		return nil, parameter.Errorf("the power %d of %s, want a number that is certainly not 0", k, between(n))
	}
	o := &operation{name: "the power",
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

// powerOf encloses xᵏ for k ≠ 0, of an even k as the power of |x|.
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

// Log returns ln n, of an exact rational exactly. It refuses an n that may be 0 or negative.
func Log(n Number) (Number, error) {
	if lo, _ := n.Bounds(); !(lo > 0) {
		return nil, parameter.Errorf("the logarithm of %s, want a number that is certainly positive", between(n))
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

// Sqrt returns √n, exactly if it is rational. It refuses an enclosure that reaches 0, and a negative n.
func Sqrt(n Number) (Number, error) {
	if lo, hi := n.Bounds(); lo < 0 || lo == 0 && hi > 0 {
		return nil, parameter.Errorf("the square root of %s, want a number that is certainly positive, or 0", between(n))
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

// Abs returns |n|. A safe side of n ≥ 0 remains.
func Abs(n Number) (Number, error) {
	if nonnegative(n) {
		return n, Check(n)
	}
	o := &operation{name: "the absolute value",
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

// Min returns the least of ns, of which there is at least one. A safe side that the operands share remains.
func Min(ns ...Number) (Number, error) { return extreme("the minimum", -1, ns) }

// Max returns the largest of ns, of which there is at least one. A safe side that the operands share remains.
func Max(ns ...Number) (Number, error) { return extreme("the maximum", 1, ns) }

func extreme(name string, sign int, ns []Number) (Number, error) {
	if len(ns) == 0 {
		return nil, parameter.Errorf("%s of no number, want at least one", name)
	}
	if len(ns) == 1 {
		return ns[0], Check(ns[0])
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
