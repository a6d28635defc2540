package evidence

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"

	"dpworkbench/interval"
)

// ErrUndecided is wrapped by the error of a comparison that the evidence does not decide.
var ErrUndecided = errors.New("not decided")

// Order is a set of possible results of a comparison.
type Order uint8

// The three results.
const (
	Less Order = 1 << iota
	Equal
	Greater
)

// Relate returns the possible results of comparing a with b; a single result is a decision. It compares exact numbers
// without rounding, however close they are, and claimed numbers by their float64 value. A certified number may be
// anywhere between its bounds. A comparison with an estimate has all three results. NaN is above all other numbers, as
// in scripts.
func Relate(a, b Number) Order {
	if a.Kind() == KindEstimated || b.Kind() == KindEstimated {
		return Less | Equal | Greater
	}
	low, high := ends(a)
	under, over := ends(b)
	below := compare(low, over)
	above := below
	if low != high || under != over {
		above = compare(high, under)
	}
	var ways Order
	if below < 0 {
		ways |= Less
	}
	if below <= 0 && above >= 0 {
		ways |= Equal
	}
	if above > 0 {
		ways |= Greater
	}
	return ways
}

// Decide reports whether comparing a with b gives one of the results in ways. Two certified numbers with the same
// bounds count as equal. It returns an error wrapping ErrUndecided if the evidence allows both answers, and for
// estimates.
func Decide(a Number, ways Order, b Number) (bool, error) {
	for _, n := range []Number{a, b} {
		if n.Kind() == KindEstimated {
			return false, fmt.Errorf("%w: an estimate cannot be ordered (%s)", ErrUndecided, between(n))
		}
	}
	if sameEnds(a, b) {
		return ways&Equal != 0, nil
	}
	may := Relate(a, b)
	if may&ways != 0 && may&^ways != 0 {
		return false, fmt.Errorf("%w: one is %s, the other %s", ErrUndecided, between(a), between(b))
	}
	return may&ways != 0, nil
}

// sameEnds reports whether both numbers are certified with the same bounds.
func sameEnds(a, b Number) bool {
	x, ok := a.(Certified)
	y, also := b.(Certified)
	return ok && also && x.Lo == y.Lo && x.Hi == y.Hi
}

// between formats the bounds of a number as scripts print them.
func between(n Number) string {
	lo, hi := n.Bounds()
	if e, ok := n.(Exact); ok && e.Value.IsInt() {
		return shortened(e.Value)
	}
	if !(lo < hi) { // a point, or NaN
		return FormatFloat(lo, -1)
	}
	return "in " + FormatBounds(lo, hi, -1)
}

// someNumber formats n as between does, in a form that fits after a verb or preposition: "a number in [1, 2]".
func someNumber(n Number) string {
	text := between(n)
	if strings.HasPrefix(text, "in ") {
		return "a number " + text
	}
	return text
}

// ends returns the bounds of a number without rounding. If they are equal, it returns the same pointer twice.
func ends(n Number) (lo, hi *real) {
	switch n.Kind() {
	case KindCertified:
		l, h := n.Bounds()
		lo = &real{float: l}
		if l == h {
			return lo, lo
		}
		return lo, &real{float: h}
	case KindExact:
		lo = exactly(n)
	default:
		lo = &real{float: n.Float()}
	}
	return lo, lo
}

func compare(x, y *real) int {
	if x.scale == nil && y.scale == nil {
		if a, b := math.IsNaN(x.float), math.IsNaN(y.float); a || b {
			return truth(a) - truth(b)
		}
		return cmp.Compare(x.float, y.float)
	}
	for side, z := range []*real{x, y} {
		if z.scale != nil {
			continue
		}
		if math.IsNaN(z.float) || math.IsInf(z.float, 0) {
			above := math.IsNaN(z.float) || z.float > 0
			return 1 - 2*truth(above == (side == 1))
		}
		z.scale = new(big.Rat).SetFloat64(z.float)
	}
	return x.cmp(y)
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// FromInt returns n as an exact number.
func FromInt(n *big.Int) Exact { return Exact{Value: new(big.Rat).SetInt(n)} }

// FromRat returns q as an exact number.
func FromRat(q *big.Rat) Exact { return Exact{Value: new(big.Rat).Set(q)} }

// FromFloat returns v as a claimed number without a source.
func FromFloat(v float64) Claimed { return Claimed{Value: v} }

// IsZero reports whether n is 0: an exact number without rounding, any other by its Float.
func IsZero(n Number) bool {
	if n.Kind() != KindExact {
		n = FromFloat(n.Float())
	}
	return Relate(n, FromFloat(0)) == Equal
}

// real is a number without rounding: float if scale is nil, scale if base is nil, and scale · ln base otherwise.
type real struct {
	scale, base *big.Rat
	float       float64
}

func exactly(n Number) *real {
	switch n := n.(type) {
	case Exact:
		return &real{scale: n.Value}
	case ExactLog:
		one := big.NewRat(1, 1)
		switch {
		case n.Argument.Sign() <= 0:
			return &real{float: math.NaN()}
		case n.Argument.Cmp(one) == 0:
			return &real{scale: new(big.Rat)}
		case n.Argument.Cmp(one) < 0:
			return &real{scale: big.NewRat(-1, 1), base: new(big.Rat).Inv(n.Argument)}
		}
		return &real{scale: one, base: n.Argument}
	case InputEpsilon:
		if !n.IsZero() {
			return &real{scale: n.scale, base: n.base}
		}
	case LogMultiple:
		x := exactly(InputEpsilon{Epsilon: n.Epsilon})
		if n.Negative {
			x.scale = new(big.Rat).Neg(x.scale)
		}
		return x
	}
	return &real{scale: new(big.Rat)}
}

func (x *real) cmp(y *real) int {
	if x.base == nil && y.base == nil {
		return x.scale.Cmp(y.scale)
	}
	if a, b := x.scale.Sign(), y.scale.Sign(); a != b {
		return cmp.Compare(a, b)
	}
	a, b := x.enclosure(), y.enclosure()
	switch {
	case a.Less(b):
		return -1
	case b.Less(a):
		return 1
	}
	if x.base != nil && y.base != nil && x.sameLog(y) {
		return 0
	}
	// x and y differ, since ln q is irrational for every rational q other than 1. So enough bits decide.
	for bits := uint(interval.Prec); ; bits += bits {
		low, high := x.fixed(bits)
		under, over := y.fixed(bits)
		switch {
		case high.Cmp(under) < 0:
			return -1
		case over.Cmp(low) < 0:
			return 1
		}
	}
}

// sameLog reports whether two multiples of logarithms are equal.
func (x *real) sameLog(y *real) bool {
	e, f := Epsilon{base: x.base, scale: x.scale}, Epsilon{base: y.base, scale: y.scale}
	v, ok := e.Quotient(f)
	return ok && v.Cmp(big.NewRat(1, 1)) == 0
}

func (x *real) enclosure() interval.Interval {
	v := interval.Rat(x.scale)
	if x.base != nil {
		v = v.Mul(interval.RationalLog(x.base))
	}
	return v
}

// fixed returns integers below and above x·2^bits.
func (x *real) fixed(bits uint) (low, high *big.Int) {
	one := big.NewInt(1)
	low = new(big.Int).Lsh(x.scale.Num(), bits)
	if x.base == nil {
		low.Div(low, x.scale.Denom()) // rounds down
		return low, new(big.Int).Add(low, one)
	}
	log, off := fixedLog(x.base, bits)
	ends := [2]*big.Int{new(big.Int).Sub(log, off), new(big.Int).Add(log, off)}
	if x.scale.Sign() < 0 {
		ends[0], ends[1] = ends[1], ends[0]
	}
	for _, v := range ends {
		v.Mul(v, x.scale.Num()).Div(v, x.scale.Denom())
	}
	return ends[0], ends[1].Add(ends[1], one)
}

// fixedLog returns ln q·2^bits for q > 1 and a bound on its error. With q = 2ᵏ m and 1 ≤ m < 2 it is k ln 2 + ln m,
// where ln m = 2 artanh((m − 1)/(m + 1)) and ln 2 = 2 artanh(1/3).
func fixedLog(q *big.Rat, bits uint) (log, off *big.Int) {
	k := max(q.Num().BitLen()-q.Denom().BitLen(), 0)
	den := new(big.Int).Lsh(q.Denom(), uint(k))
	if q.Num().Cmp(den) < 0 && k > 0 {
		k--
		den.Rsh(den, 1)
	}
	log, off = fixedArtanh(new(big.Int).Sub(q.Num(), den), new(big.Int).Add(q.Num(), den), bits)
	if k > 0 { // ln 2 takes minutes at the precision that a q just above 1 needs
		two, offTwo := fixedArtanh(big.NewInt(1), big.NewInt(3), bits)
		count := big.NewInt(int64(k))
		log.Add(log, two.Mul(two, count))
		off.Add(off, offTwo.Mul(offTwo, count))
	}
	return log.Lsh(log, 1), off.Lsh(off, 1)
}

// fixedArtanh returns artanh(a/b)·2^bits for 0 ≤ a/b ≤ 1/3 and a bound on its error. It sums Σ z^{2i+1}/(2i+1) until a
// power of z is 0. Each power is rounded down once more and multiplies the error of the previous power by at most 1/9,
// so powers and terms have errors below 2. The omitted terms sum to less than 2.
func fixedArtanh(a, b *big.Int, bits uint) (sum, off *big.Int) {
	power := new(big.Int).Lsh(a, bits)
	power.Quo(power, b)
	square, over := new(big.Int).Mul(a, a), new(big.Int).Mul(b, b)
	sum = new(big.Int)
	terms := int64(0)
	for power.Sign() > 0 {
		sum.Add(sum, new(big.Int).Quo(power, big.NewInt(2*terms+1)))
		power.Mul(power, square).Quo(power, over)
		terms++
	}
	return sum, big.NewInt(2*terms + 2)
}
