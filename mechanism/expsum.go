package mechanism

import (
	"fmt"
	"iter"
	"math/big"
	"slices"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/interval"
)

// ExpSum is a sum Σ c_t e^{−tε} with rational coefficients and exponents. Noise that is rounded to a range has
// such probabilities. Two sums can be tested for equality by their terms. An ExpSum is immutable.
//
// The zero value is 0.
type ExpSum struct{ terms []expTerm } // by ascending t; no c is 0

type expTerm struct{ t, c *big.Rat }

// ExpTerm returns c·e^{−tε}.
func ExpTerm(c, t *big.Rat) ExpSum {
	if c.Sign() == 0 {
		return ExpSum{}
	}
	return ExpSum{[]expTerm{{t, c}}}
}

// Terms yields t and c of the terms, by ascending t.
func (s ExpSum) Terms() iter.Seq2[*big.Rat, *big.Rat] {
	return func(yield func(t, c *big.Rat) bool) {
		for _, v := range s.terms {
			if !yield(v.t, v.c) {
				return
			}
		}
	}
}

// String formats the sum, with z for e^{−ε}.
func (s ExpSum) String() string {
	var b strings.Builder
	for i, v := range s.terms {
		c := v.c
		switch {
		case i > 0 && c.Sign() < 0:
			b.WriteString(" − ")
			c = new(big.Rat).Neg(c)
		case i > 0:
			b.WriteString(" + ")
		}
		one := c.IsInt() && c.Num().IsInt64() && c.Num().Int64() == 1
		if !one || v.t.Sign() == 0 {
			b.WriteString(c.RatString())
			if v.t.Sign() != 0 {
				b.WriteString("·")
			}
		}
		switch {
		case v.t.Sign() == 0:
		case v.t.IsInt() && v.t.Num().IsInt64() && v.t.Num().Int64() == 1:
			b.WriteString("z")
		default:
			b.WriteString("z^" + v.t.RatString())
		}
	}
	if len(s.terms) == 0 {
		return "0"
	}
	return b.String()
}

// Add returns s + o.
func (s ExpSum) Add(o ExpSum) ExpSum {
	var out []expTerm
	a, b := s.terms, o.terms
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].t.Cmp(b[0].t) < 0:
			out, a = append(out, a[0]), a[1:]
		case len(a) == 0 || a[0].t.Cmp(b[0].t) > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			if c := new(big.Rat).Add(a[0].c, b[0].c); c.Sign() != 0 {
				out = append(out, expTerm{a[0].t, c})
			}
			a, b = a[1:], b[1:]
		}
	}
	return ExpSum{out}
}

// Neg returns −s.
func (s ExpSum) Neg() ExpSum {
	out := lists.Of(len(s.terms), func(i int) expTerm { return expTerm{s.terms[i].t, new(big.Rat).Neg(s.terms[i].c)} })
	return ExpSum{out}
}

// Sub returns s − o.
func (s ExpSum) Sub(o ExpSum) ExpSum { return s.Add(o.Neg()) }

// Shift returns s·e^{−tε}.
func (s ExpSum) Shift(t *big.Rat) ExpSum {
	out := lists.Of(len(s.terms), func(i int) expTerm { return expTerm{new(big.Rat).Add(s.terms[i].t, t), s.terms[i].c} })
	return ExpSum{out}
}

// Sign returns the sign of s at ε. It returns an error wrapping ErrUndecided if s is not 0 and its enclosure
// contains 0.
func (s ExpSum) Sign(eps evidence.Epsilon) (int, error) {
	if s.isZero(eps) {
		return 0, nil
	}
	at := s.scaled(eps) // relative to the largest power, which avoids underflow
	sign, _ := at.Sign()
	if sign == 0 {
		lo, hi := at.Bounds()
		return 0, fmt.Errorf("%w: the sign of a sum of %d exponentials; divided by its largest power, the sum lies in %s", ErrUndecided, len(s.terms), evidence.FormatBounds(lo, hi, 3))
	}
	return sign, nil
}

// Mul returns s·o.
func (s ExpSum) Mul(o ExpSum) ExpSum {
	out := make([]expTerm, 0, len(s.terms)*len(o.terms))
	for _, a := range s.terms {
		for _, b := range o.terms {
			out = append(out, expTerm{new(big.Rat).Add(a.t, b.t), new(big.Rat).Mul(a.c, b.c)})
		}
	}
	return ExpSum{out}.collectTerms()
}

// collectTerms sorts the terms and adds those with equal exponents.
func (s ExpSum) collectTerms() ExpSum {
	out := slices.Clone(s.terms)
	slices.SortFunc(out, func(a, b expTerm) int { return a.t.Cmp(b.t) })
	kept := out[:0]
	for _, v := range out {
		if n := len(kept); n > 0 && kept[n-1].t.Cmp(v.t) == 0 {
			kept[n-1].c = new(big.Rat).Add(kept[n-1].c, v.c)
			continue
		}
		kept = append(kept, v)
	}
	return ExpSum{slices.DeleteFunc(kept, func(v expTerm) bool { return v.c.Sign() == 0 })}
}

// isZero reports whether the sum is certainly 0 at ε. If ε ≠ 0 is rational, the powers e^{−tε} are linearly
// independent over the rational numbers (Lindemann and Weierstrass). If e^ε = cˢ, where c is not a power of a
// rational number, then e^{−tε} = c^{−⌊st⌋}·c^{−frac(st)}, and powers with different fractional parts are linearly
// independent. It returns false if a power of c exceeds maxPowerBits bits.
func (s ExpSum) isZero(eps evidence.Epsilon) bool {
	if len(s.terms) == 0 {
		return true
	}
	c, root, ok := eps.Root()
	if !ok {
		return false
	}
	first := interval.RationalFloor(new(big.Rat).Mul(root, s.terms[0].t)) // the smallest exponent
	byFraction := make(map[string]*big.Rat)
	for _, v := range s.terms {
		t := new(big.Rat).Mul(root, v.t)
		down := interval.RationalFloor(t)
		t.Sub(t, new(big.Rat).SetInt(down))
		if down.Sub(down, first); !powerFits(c, down) {
			return false
		}
		p := new(big.Rat).Mul(v.c, interval.RationalPower(c, down.Neg(down)))
		if sum, ok := byFraction[t.RatString()]; ok {
			p.Add(p, sum)
		}
		byFraction[t.RatString()] = p
	}
	for _, sum := range byFraction {
		if sum.Sign() != 0 {
			return false
		}
	}
	return true
}

// powerFits reports whether cᵏ has at most maxPowerBits bits.
func powerFits(c *big.Rat, k *big.Int) bool {
	bits := big.NewInt(int64(max(c.Num().BitLen(), c.Denom().BitLen())))
	return bits.Mul(bits, k).CmpAbs(big.NewInt(maxPowerBits)) <= 0
}

// Enclose returns an enclosure of s at ε. Its relative width is small unless terms with close exponents cancel to
// second order.
func (s ExpSum) Enclose(eps evidence.Epsilon) interval.Interval {
	return s.evaluate(eps, nil).Enclosure
}

// EncloseLog returns an enclosure of ln s at ε for a positive s. For a sum without terms it returns the whole
// line.
func (s ExpSum) EncloseLog(eps evidence.Epsilon) interval.Interval {
	if len(s.terms) == 0 {
		return interval.Whole()
	}
	return s.scaled(eps).Log().Sub(eps.Enclosure().Mul(interval.Rat(s.terms[0].t)))
}

// evaluate returns s at ε. It caches e^{−tε} in powers by t unless powers is nil.
func (s ExpSum) evaluate(eps evidence.Epsilon, powers map[string]evidence.RatOrInterval) evidence.RatOrInterval {
	total := evidence.ExactRat(new(big.Rat))
	for _, v := range slices.Backward(s.terms) { // small terms first
		key := v.t.RatString()
		p, ok := powers[key]
		if !ok {
			p = eps.DecayAt(v.t, maxPowerBits)
			if powers != nil {
				powers[key] = p
			}
		}
		total = total.Add(p.Mul(evidence.ExactRat(v.c)))
	}
	if total.Rational == nil && !total.Enclosure.Narrow(narrowBits) {
		down := eps.Enclosure().Mul(interval.Rat(s.terms[0].t)).Neg().Exp()
		total.Enclosure = s.scaled(eps).Mul(down)
	}
	return total
}

// narrowBits is the number of common leading bits from which an enclosure counts as narrow.
const narrowBits = 100
