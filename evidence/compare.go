package evidence

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/interval"
)

// ErrUndecided is wrapped by the error of a comparison that the evidence leaves
// open.
var ErrUndecided = errors.New("not decided")

// Order is a set of the ways in which one number may lie to another.
type Order uint8

// The three ways.
const (
	Less Order = 1 << iota
	Equal
	Greater
)

// Relate returns the ways in which a may lie to b, as far as their evidence tells,
// so that one way is a decision. Exact numbers count as what they are, rationals
// and logarithms of rationals, however near they lie to each other; claimed ones as
// the float64 that they say; certified ones as anything between their ends.
// Estimates may lie in every way. NaN lies above all, as in scripts.
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

// Decide reports whether a lies to b in one of the given ways. Two certified numbers
// between the same ends count as equal. It returns an error wrapping ErrUndecided where
// their evidence allows for both answers, and for estimates, which have none.
func Decide(a Number, ways Order, b Number) (bool, error) {
	for _, n := range []Number{a, b} {
		if n.Kind() == KindEstimated {
			return false, fmt.Errorf("%w: an estimate orders against nothing (%s)", ErrUndecided, between(n))
		}
	}
	if sameEnds(a, b) {
		return ways&Equal != 0, nil
	}
	may := Relate(a, b)
	if may&ways != 0 && may&^ways != 0 {
		return false, fmt.Errorf("%w: the one is %s, the other %s", ErrUndecided, between(a), between(b))
	}
	return may&ways != 0, nil
}

// sameEnds reports whether both numbers are certified between the same ends.
func sameEnds(a, b Number) bool {
	x, ok := a.(Certified)
	y, also := b.(Certified)
	return ok && also && x.Lo == y.Lo && x.Hi == y.Hi
}

// between names the ends of a number, as scripts print them.
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

// ends returns the numbers, one where it is a point, that a number lies between.
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

// compare orders two reals.
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

// FromInt returns the whole number n, exact, to compare with.
func FromInt(n *big.Int) Exact { return Exact{Value: new(big.Rat).SetInt(n)} }

// FromRat returns the rational number q, exact, to compare with and to give as an argument.
func FromRat(q *big.Rat) Exact { return Exact{Value: new(big.Rat).Set(q)} }

// FromFloat returns a float64 of which nothing is known, to compare with: it is claimed,
// by nobody.
func FromFloat(v float64) Claimed { return Claimed{Value: v} }

// IsZero reports whether a number is 0: what is exact without rounding, any other
// by the float64 that it reads as.
func IsZero(n Number) bool {
	if n.Kind() != KindExact {
		n = FromFloat(n.Float())
	}
	return Relate(n, FromFloat(0)) == Equal
}

// real is a number without rounding: scale, or scale · ln base where base is not
// nil; where scale is nil, a float64.
type real struct {
	scale, base *big.Rat
	float       float64
}

// exactly returns an exact number.
func exactly(n Number) *real {
	switch n := n.(type) {
	case Exact:
		return &real{scale: n.Value}
	case ExactLog:
		one := big.NewRat(1, 1)
		switch {
		case n.Argument.Sign() <= 0:
			return &real{float: math.NaN()} // nobody's logarithm
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
	// They differ, ln q being irrational for every rational q other than 1: enough
	// bits tell which is larger.
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

// sameLog reports whether two multiples of logarithms are one number.
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

// fixed returns whole numbers below and above x·2^bits.
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

// fixedLog returns ln q·2^bits for q > 1, and what it is off by at most. With
// q = 2ᵏ m, 1 ≤ m < 2, it is k ln 2 + ln m, ln m = 2 artanh((m − 1)/(m + 1)), and
// ln 2 = 2 artanh(1/3).
func fixedLog(q *big.Rat, bits uint) (log, off *big.Int) {
	k := max(q.Num().BitLen()-q.Denom().BitLen(), 0)
	den := new(big.Int).Lsh(q.Denom(), uint(k))
	if q.Num().Cmp(den) < 0 && k > 0 {
		k--
		den.Rsh(den, 1)
	}
	log, off = fixedArtanh(new(big.Int).Sub(q.Num(), den), new(big.Int).Add(q.Num(), den), bits)
	two, offTwo := fixedArtanh(big.NewInt(1), big.NewInt(3), bits)
	count := big.NewInt(int64(k))
	log.Add(log, two.Mul(two, count)).Lsh(log, 1)
	off.Add(off, offTwo.Mul(offTwo, count)).Lsh(off, 1)
	return log, off
}

// fixedArtanh returns artanh(a/b)·2^bits for 0 ≤ a/b ≤ 1/3 from its series
// Σ z^{2i+1}/(2i+1), and what it is off by at most. Every power is rounded down
// once more than the one before, and shrinks that by 1/9 or more, so that it is
// off by less than 2; so is every term, and the terms left out, the power
// before them being 0, are below 2 together.
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
