package program

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// evaluated returns the value of a at a point.
func (f *field) evaluated(a fraction, at [most]*big.Rat) *big.Rat {
	v := a.num.evaluated(at)
	if a.under != nil {
		v.Quo(v, new(big.Rat).SetInt(a.under))
	}
	for _, t := range a.below {
		for range t.times {
			v.Quo(v, f.factors[t.number].evaluated(at))
		}
	}
	return v
}

// wantFraction fails unless a is well formed and has the values.
func wantFraction(t *testing.T, f *field, what string, a fraction, want func(at [most]*big.Rat) *big.Rat) {
	t.Helper()
	wantCanonical(t, a.num)
	for i, b := range a.below {
		if b.times < 1 || i > 0 && a.below[i-1].number >= b.number {
			t.Fatalf("%s has the denominator factors %v", what, a.below)
		}
	}
	if a.under != nil && a.under.Sign() <= 0 {
		t.Fatalf("%s is over %v", what, a.under)
	}
	for _, at := range points {
		if got, v := f.evaluated(a, at), want(at); got.Cmp(v) != 0 {
			t.Fatalf("%s is %v, want %v at %v", what, got, v, at)
		}
	}
}

// sumOfPowers returns 1 + z^e + z^{2e}, which is positive everywhere.
func sumOfPowers(e exponent) laurent {
	return whole(big.NewInt(1)).add(power(e)).add(power(e.times(2)))
}

// randomFraction returns a fraction with factors 1 − z^e and other factors in the denominator.
func randomFraction(src *rand.Rand, f *field, units int) fraction {
	a := fraction{num: randomLaurent(src, units, src.IntN(4))}
	if a.isZero() {
		return fraction{}
	}
	for range src.IntN(3) {
		var e exponent
		e[src.IntN(units)] = 1 + src.Int64N(2)
		if src.IntN(2) == 0 {
			a = f.overOneMinus(a, e, false)
		} else {
			a = f.quo(a, fraction{num: sumOfPowers(e)})
		}
	}
	if src.IntN(2) == 0 {
		a = f.scale(a, big.NewRat(1, 1+src.Int64N(12)))
	}
	return a
}

// Field operations match the operations on values.
func TestFieldArithmetic(t *testing.T) {
	src := rand.New(rand.NewPCG(5, 1))
	f := newField()
	for round := range 400 {
		units := 1 + round%2
		a, b := randomFraction(src, f, units), randomFraction(src, f, units)
		if src.IntN(6) == 0 {
			b = a.neg()
		}
		e := randomExponent(src, units)
		q := big.NewRat(src.Int64N(9)-4, 1+src.Int64N(4))
		value := func(a fraction) func(at [most]*big.Rat) *big.Rat {
			return func(at [most]*big.Rat) *big.Rat { return f.evaluated(a, at) }
		}
		two := func(do func(z, x, y *big.Rat) *big.Rat) func(at [most]*big.Rat) *big.Rat {
			return func(at [most]*big.Rat) *big.Rat { return do(new(big.Rat), f.evaluated(a, at), f.evaluated(b, at)) }
		}
		wantFraction(t, f, "a + b", f.add(a, b), two((*big.Rat).Add))
		wantFraction(t, f, "a − b", f.sub(a, b), two((*big.Rat).Sub))
		wantFraction(t, f, "a·b", f.mul(a, b), two((*big.Rat).Mul))
		wantFraction(t, f, "reduced", f.reduced(a), value(a))
		wantFraction(t, f, "a·z^e", a.shift(e), func(at [most]*big.Rat) *big.Rat {
			return new(big.Rat).Mul(f.evaluated(a, at), power(e).evaluated(at))
		})
		wantFraction(t, f, "a·q", f.scale(a, q), func(at [most]*big.Rat) *big.Rat { return new(big.Rat).Mul(f.evaluated(a, at), q) })
		wantFraction(t, f, "q", f.rational(q), func([most]*big.Rat) *big.Rat { return q })
		// A positive numerator: a sum of powers, with the denominator of b.
		positive := fraction{sumOfPowers(e).scale(big.NewInt(6)), b.under, b.below}
		wantFraction(t, f, "a/b", f.quo(a, positive), func(at [most]*big.Rat) *big.Rat {
			return new(big.Rat).Quo(f.evaluated(a, at), f.evaluated(positive, at))
		})
		if !e.isZero() {
			grows := e[0] < 0 || e[0] == 0 && e[1] < 0
			over := f.overOneMinus(a, e, grows)
			wantFraction(t, f, "a/(1 − z^e)", over, func(at [most]*big.Rat) *big.Rat {
				return new(big.Rat).Quo(f.evaluated(a, at), oneMinus(e).evaluated(at))
			})
			// If z^e > 1, the factor is rewritten so that the denominator stays positive.
			for _, b := range over.below {
				if step := f.steps[b.number]; step[0] < 0 || step[0] == 0 && step[1] < 0 {
					t.Fatalf("1 − z^%v is in a denominator", step)
				}
			}
		}
		if a.isZero() != (f.evaluated(a, points[0]).Sign() == 0) {
			t.Fatalf("isZero is wrong for %v", a)
		}
		terms := []fraction{a, b, a.shift(e), b.neg(), a, randomFraction(src, f, units), b}[:src.IntN(8)]
		wantFraction(t, f, "a total", f.total(slices.Clone(terms)), func(at [most]*big.Rat) *big.Rat {
			sum := new(big.Rat)
			for _, c := range terms {
				sum.Add(sum, f.evaluated(c, at))
			}
			return sum
		})
	}
}
