package records_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/records"
)

// atom is a value with a weight, flat a part of the line where a law is even.
type atom struct {
	at     *big.Rat
	weight *big.Float
}

type flat struct {
	lo, hi *big.Rat
	weight *big.Float // of all of it
}

// truth is a law by a route of its own: Pr[lo ≤ v ≤ hi], and E|v − c|.
type truth interface {
	between(lo, hi *big.Rat) *big.Float
	off(c *big.Rat) *big.Float
}

// reference is a law as a list.
type reference struct {
	atoms []atom
	flats []flat
}

func (r *reference) total() *big.Float {
	sum := fresh()
	for _, a := range r.atoms {
		sum.Add(sum, a.weight)
	}
	for _, p := range r.flats {
		sum.Add(sum, p.weight)
	}
	return sum
}

// between is Pr[lo ≤ v ≤ hi].
func (r *reference) between(lo, hi *big.Rat) *big.Float {
	sum := fresh()
	for _, a := range r.atoms {
		if lo.Cmp(a.at) <= 0 && a.at.Cmp(hi) <= 0 {
			sum.Add(sum, a.weight)
		}
	}
	for _, p := range r.flats {
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

// within is Pr[|v − f| ≤ e].
func within(r truth, f, e *big.Rat) *big.Float {
	return r.between(new(big.Rat).Sub(f, e), new(big.Rat).Add(f, e))
}

// off is E|v − c|.
func (r *reference) off(c *big.Rat) *big.Float {
	sum := fresh()
	abs := func(q *big.Rat) *big.Float { return realOf(new(big.Rat).Abs(q)) }
	for _, a := range r.atoms {
		sum.Add(sum, times(a.weight, abs(new(big.Rat).Sub(a.at, c))))
	}
	for _, p := range r.flats {
		left, right := new(big.Rat).Sub(c, p.lo), new(big.Rat).Sub(p.hi, c)
		if left.Sign() > 0 && right.Sign() > 0 { // (left² + right²)/2 over the length
			squares := new(big.Rat).Add(new(big.Rat).Mul(left, left), new(big.Rat).Mul(right, right))
			squares.Quo(squares, new(big.Rat).Mul(rat(2, 1), new(big.Rat).Sub(p.hi, p.lo)))
			sum.Add(sum, times(p.weight, realOf(squares)))
			continue
		}
		sum.Add(sum, times(p.weight, abs(new(big.Rat).Mul(rat(1, 2), new(big.Rat).Sub(left, right)))))
	}
	return over(sum, r.total())
}

// judge holds all that a law says to the list: to so many bits, and between float64s.
func judge(t *testing.T, what string, m records.Law, r truth, points []*big.Rat, bits int) {
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
	tells(t, what+": the error", n, r.off(f), n.Float())
	size := n.Float()
	for i, a := range points { // some of all pairs
		n, err := records.DistortionFrom(ctx, m, a)
		if err == nil || !isParameter(err, "not known") {
			fail(err)
			tells(t, fmt.Sprintf("%s: the error against %v", what, a), n, r.off(a), max(size, n.Float()))
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

// quantile fails unless evidence holds the least e with Pr[|v − f| ≤ e] ≥ p.
func quantile(t *testing.T, what string, n evidence.Number, r truth, f, p *big.Rat) {
	t.Helper()
	if r, ok := r.(*reference); ok && len(r.flats) == 0 {
		var errors []*big.Rat
		for _, a := range r.atoms {
			e := new(big.Rat).Sub(a.at, f)
			errors = append(errors, e.Abs(e))
		}
		slices.SortFunc(errors, (*big.Rat).Cmp)
		errors = slices.CompactFunc(errors, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
		for i, e := range errors {
			have := within(r, f, e)
			if tied := atMost(have, realOf(p), 400) && atMost(realOf(p), have, 400); tied { // to enclosures it may be the next
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
		t.Errorf("%s: [%v, %v], where the law has %.20g and %.20g", what, lo, hi, within(r, f, new(big.Rat).SetFloat64(lo)), within(r, f, new(big.Rat).SetFloat64(hi)))
	}
}
