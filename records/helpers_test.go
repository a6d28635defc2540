package records_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/records"
)

// digits is the precision of reals, in bits. Reals use rationals and the series of e^x, and share no code with
// intervals.
const digits = 700

var ctx = context.Background()

func fresh() *big.Float { return new(big.Float).SetPrec(digits) }

func realOf(q *big.Rat) *big.Float { return fresh().SetRat(q) }

func plus(a ...*big.Float) *big.Float {
	sum := fresh()
	for _, v := range a {
		sum.Add(sum, v)
	}
	return sum
}

func minus(a, b *big.Float) *big.Float { return fresh().Sub(a, b) }

func times(a ...*big.Float) *big.Float {
	v := fresh().SetInt64(1)
	for _, b := range a {
		v.Mul(v, b)
	}
	return v
}

func over(a, b *big.Float) *big.Float { return fresh().Quo(a, b) }

// expOf returns e^x by the series at x/2⁶⁴ and 64 squarings, which lose 64 bits.
func expOf(x *big.Float) *big.Float {
	const prec = digits + 200
	r := new(big.Float).SetPrec(prec).Set(x)
	r.SetMantExp(r, -64)
	sum, term := new(big.Float).SetPrec(prec).SetInt64(1), new(big.Float).SetPrec(prec).SetInt64(1)
	for k := int64(1); k < 40; k++ { // omitted terms are below (2⁻⁵⁰)⁴⁰
		term.Mul(term, r).Quo(term, new(big.Float).SetInt64(k))
		sum.Add(sum, term)
	}
	for range 64 {
		sum.Mul(sum, sum)
	}
	return fresh().Set(sum)
}

// lnOf returns ln q for q > 1 by Newton's method on e^y = q.
func lnOf(q *big.Rat) *big.Float {
	v, _ := q.Float64()
	y := fresh().SetFloat64(math.Log(v))
	for range 5 { // the number of correct bits, 53 at first, doubles each time
		y = plus(y, over(realOf(q), expOf(y)), fresh().SetInt64(-1))
	}
	return y
}

// value returns ε as a real, from a float64, a fraction, or a multiple of a logarithm.
func value(eps evidence.Epsilon) *big.Float {
	if q, ok := eps.Rational(); ok {
		return realOf(q)
	}
	base, many := eps.Logarithm()
	return times(lnOf(base), realOf(many))
}

// bounds returns the ends of an interval.
func bounds(v interval.Interval) (lo, hi *big.Float) {
	hi = v.Neg().Lower().MidFloat(interval.Prec)
	return v.Lower().MidFloat(interval.Prec), hi.Neg(hi)
}

// atMost reports whether a ≤ b up to a relative error of 2^−bits.
func atMost(a, b *big.Float, bits int) bool {
	slack := fresh().SetMantExp(fresh().Abs(b), -bits)
	return a.Cmp(slack.Add(slack, b)) <= 0
}

// encloses fails unless the interval contains want and its width is at most 2^−bits, relative to want or absolute.
func encloses(t *testing.T, what string, v interval.Interval, want *big.Float, bits int) {
	t.Helper()
	lo, hi := bounds(v)
	wide := fresh().SetInt64(1)
	if size := fresh().Abs(want); size.Cmp(wide) > 0 {
		wide = size
	}
	if !atMost(lo, want, 400) || !atMost(want, hi, 400) || minus(hi, lo).Cmp(wide.SetMantExp(wide, -bits)) > 0 {
		t.Errorf("%s: from %.60g by %.5g, want %.60g, known to %d bits", what, lo, minus(hi, lo), want, bits)
	}
}

// containsTightly fails unless the number's bounds contain want, and are adjacent float64s or at most 2⁻⁵⁰·size apart.
func containsTightly(t *testing.T, what string, n evidence.Number, want *big.Float, size float64) {
	t.Helper()
	lo, hi := n.Bounds()
	if math.IsInf(lo, 0) || math.IsInf(hi, 0) || !atMost(fresh().SetFloat64(lo), want, 400) || !atMost(want, fresh().SetFloat64(hi), 400) ||
		hi > math.Nextafter(lo, math.Inf(1)) && hi-lo > 0x1p-50*size {
		t.Errorf("%s: [%v, %v], want %.30g", what, lo, hi, want)
	}
}

// atom is a value with a weight; segment is an interval of constant density.
type atom struct {
	at     *big.Rat
	weight *big.Float
}

type segment struct {
	lo, hi *big.Rat
	weight *big.Float // total weight
}

// truth is an independently computed law. It returns Pr[lo ≤ v ≤ hi] and E|v − c|.
type truth interface {
	between(lo, hi *big.Rat) *big.Float
	off(c *big.Rat) *big.Float
}

// reference is a law as a list of atoms and segments.
type reference struct {
	atoms    []atom
	segments []segment
}

func (r *reference) total() *big.Float {
	sum := fresh()
	for _, a := range r.atoms {
		sum.Add(sum, a.weight)
	}
	for _, p := range r.segments {
		sum.Add(sum, p.weight)
	}
	return sum
}

// between returns Pr[lo ≤ v ≤ hi].
func (r *reference) between(lo, hi *big.Rat) *big.Float {
	sum := fresh()
	for _, a := range r.atoms {
		if lo.Cmp(a.at) <= 0 && a.at.Cmp(hi) <= 0 {
			sum.Add(sum, a.weight)
		}
	}
	for _, p := range r.segments {
		from, to := p.lo, p.hi
		if from.Cmp(lo) < 0 {
			from = lo
		}
		if to.Cmp(hi) > 0 {
			to = hi
		}
		if from.Cmp(to) < 0 {
			share := new(big.Rat).Quo(new(big.Rat).Sub(to, from), new(big.Rat).Sub(p.hi, p.lo))
			sum.Add(sum, times(p.weight, realOf(share)))
		}
	}
	return over(sum, r.total())
}

// within returns Pr[|v − f| ≤ e].
func within(r truth, f, e *big.Rat) *big.Float {
	return r.between(new(big.Rat).Sub(f, e), new(big.Rat).Add(f, e))
}

// off returns E|v − c|.
func (r *reference) off(c *big.Rat) *big.Float {
	sum := fresh()
	abs := func(q *big.Rat) *big.Float { return realOf(new(big.Rat).Abs(q)) }
	for _, a := range r.atoms {
		sum.Add(sum, times(a.weight, abs(new(big.Rat).Sub(a.at, c))))
	}
	for _, p := range r.segments {
		left, right := new(big.Rat).Sub(c, p.lo), new(big.Rat).Sub(p.hi, c)
		if left.Sign() > 0 && right.Sign() > 0 { // (left² + right²)/2 divided by the length
			squares := new(big.Rat).Add(new(big.Rat).Mul(left, left), new(big.Rat).Mul(right, right))
			squares.Quo(squares, new(big.Rat).Mul(rat(2, 1), new(big.Rat).Sub(p.hi, p.lo)))
			sum.Add(sum, times(p.weight, realOf(squares)))
			continue
		}
		sum.Add(sum, times(p.weight, abs(new(big.Rat).Mul(rat(1, 2), new(big.Rat).Sub(left, right)))))
	}
	return over(sum, r.total())
}

// compareLaw compares every result of a law with the reference: enclosures to the given bits, numbers as float64
// bounds.
func compareLaw(t *testing.T, what string, m records.Law, r truth, points []*big.Rat, bits int) {
	t.Helper()
	f := m.Query().Value()
	ctx := t.Context()
	fail := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}
	n, err := m.Distortion(ctx)
	fail(err)
	containsTightly(t, what+": the error", n, r.off(f), n.Float())
	size := n.Float()
	for i, a := range points { // test a sample of all pairs
		n, err := records.DistortionFrom(ctx, m, a)
		if err == nil || !isParameter(err, "known only") {
			fail(err)
			containsTightly(t, fmt.Sprintf("%s: the error against %v", what, a), n, r.off(a), max(size, n.Float()))
		}
		for j, b := range points[i:] {
			if j > 2 && (i+j)%3 > 0 {
				continue
			}
			p, err := m.Between(ctx, a, b)
			fail(err)
			if lo, hi := bounds(p); lo.Sign() < 0 || hi.Cmp(fresh().SetInt64(1)) > 0 {
				t.Errorf("%s: a probability from %g to %g", what, lo, hi)
			}
			encloses(t, fmt.Sprintf("%s: between %v and %v", what, a, b), p, r.between(a, b), bits)
			n, err := records.Probability(ctx, m, a, b)
			fail(err)
			if lo, hi := p.Bounds(); n.Kind() != evidence.KindExact {
				if low, high := n.Bounds(); low != lo || high != hi {
					t.Errorf("%s: between %v and %v: %v, want [%v, %v]", what, a, b, n, lo, hi)
				}
			}
		}
		e := new(big.Rat).Sub(a, f)
		p, err := m.Within(ctx, e)
		fail(err)
		encloses(t, fmt.Sprintf("%s: within %v", what, e), p, within(r, f, e), bits)
	}
	for _, p := range []*big.Rat{rat(1, 3), rat(999, 1000)} {
		n, err := records.ErrorQuantile(ctx, m, p)
		fail(err)
		quantile(t, fmt.Sprintf("%s: the %v-quantile of the error", what, p), n, r, f, p)
	}
}

// quantile fails unless the number contains the least e with Pr[|v − f| ≤ e] ≥ p.
func quantile(t *testing.T, what string, n evidence.Number, r truth, f, p *big.Rat) {
	t.Helper()
	if r, ok := r.(*reference); ok && len(r.segments) == 0 {
		var errors []*big.Rat
		for _, a := range r.atoms {
			e := new(big.Rat).Sub(a.at, f)
			errors = append(errors, e.Abs(e))
		}
		slices.SortFunc(errors, (*big.Rat).Cmp)
		errors = slices.CompactFunc(errors, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
		for i, e := range errors {
			have := within(r, f, e)
			if tied := atMost(have, realOf(p), 400) && atMost(realOf(p), have, 400); tied { // at a tie, an enclosure may extend to the next error
				lo, hi := n.Bounds()
				if new(big.Rat).SetFloat64(lo).Cmp(e) != 0 || new(big.Rat).SetFloat64(hi).Cmp(e) != 0 && new(big.Rat).SetFloat64(hi).Cmp(errors[i+1]) != 0 {
					t.Errorf("%s is %v, want %v or %v", what, n, e, errors[i+1])
				}
				return
			}
			if have.Cmp(realOf(p)) > 0 {
				if x, ok := n.(evidence.Exact); !ok || x.Value.Cmp(e) != 0 {
					t.Errorf("%s is %v, want %v exactly", what, n, e)
				}
				return
			}
		}
	}
	lo, hi := n.Bounds()
	below := new(big.Rat).SetFloat64(lo * (1 - 0x1p-40))
	if math.IsInf(hi, 0) || within(r, f, new(big.Rat).SetFloat64(hi)).Cmp(realOf(p)) < 0 || lo > 0 && within(r, f, below).Cmp(realOf(p)) > 0 ||
		hi-lo > 0x1p-50*max(hi, 1) {
		t.Errorf("%s: [%v, %v], the law's probabilities there are %.20g and %.20g", what, lo, hi, within(r, f, new(big.Rat).SetFloat64(lo)), within(r, f, new(big.Rat).SetFloat64(hi)))
	}
}
