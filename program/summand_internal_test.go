package program

import (
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// third is a point whose first unit is 1/3, where infinite sums converge fast: after sixty terms, a remainder of order
// 3⁻⁶⁰ is left.
var third = [most]*big.Rat{big.NewRat(1, 3), big.NewRat(1, 5), big.NewRat(1, 7), big.NewRat(1, 11)}

// number returns g(k) at the point third, and fails if two pieces contain k.
func number(t *testing.T, f *field, g piecewise, k int64) *big.Rat {
	t.Helper()
	sum, held := new(big.Rat), 0
	for _, p := range g {
		if k < p.lo || k > p.hi {
			continue
		}
		held++
		for _, u := range p.terms {
			v := f.evaluated(u.c, third)
			v.Mul(v, ratPower(big.NewRat(k, 1), int64(u.d)))
			for i, e := range u.e {
				v.Mul(v, ratPower(third[i], e*k))
			}
			sum.Add(sum, v)
		}
	}
	if held > 1 {
		t.Fatalf("%d pieces contain %d", held, k)
	}
	return sum
}

// wantPieces fails if pieces are empty, unsorted or overlap, or if a piece repeats a power.
func wantPieces(t *testing.T, what string, g piecewise) {
	t.Helper()
	for i, p := range g {
		if p.lo > p.hi || i > 0 && g[i-1].hi >= p.lo {
			t.Fatalf("%s has the pieces %v", what, g)
		}
		for j, u := range p.terms {
			if u.c.isZero() || slices.ContainsFunc(p.terms[:j], func(v term) bool { return u.d == v.d && u.e == v.e }) {
				t.Fatalf("%s has the terms %v", what, p.terms)
			}
		}
		if len(p.terms) == 0 {
			t.Fatalf("%s has a piece without terms", what)
		}
	}
}

func randomTerms(src *rand.Rand, f *field, sign int64) []term {
	var out []term
	for range 1 + src.IntN(3) {
		var e exponent
		if sign != 0 {
			e[0] = sign * (1 + src.Int64N(2))
		} else {
			e[0] = src.Int64N(3) - 1
		}
		out = f.plus(out, term{f.scale(f.one(), big.NewRat(src.Int64N(7)+1, 1+src.Int64N(3))), src.IntN(3), e})
	}
	return out
}

// randomPieces returns a function with up to four bounded pieces on −7 … 10. If ends is set, it may also have infinite
// pieces on both sides, whose terms decrease.
func randomPieces(src *rand.Rand, f *field, ends bool) piecewise {
	var g piecewise
	if ends && src.IntN(2) == 0 {
		g = append(g, piece{below, -8, randomTerms(src, f, -1)})
	}
	for lo := int64(-7) + src.Int64N(4); lo <= 6 && len(g) < 4; {
		hi := lo + src.Int64N(5)
		g = append(g, piece{lo, hi, randomTerms(src, f, 0)})
		lo = hi + 1 + src.Int64N(3)
	}
	if ends && src.IntN(2) == 0 {
		from := int64(11)
		if len(g) > 0 && src.IntN(2) == 0 {
			from = g[len(g)-1].hi + 1
		}
		g = append(g, piece{from, above, randomTerms(src, f, 1)})
	}
	return g
}

// Sums, products, multiples, restrictions and shifts of piecewise functions have the right values.
func TestPiecewiseArithmetic(t *testing.T) {
	src := rand.New(rand.NewPCG(6, 1))
	f := newField()
	for range 150 {
		a, b := randomPieces(src, f, true), randomPieces(src, f, true)
		c := randomFraction(src, f, 1)
		for c.isZero() {
			c = randomFraction(src, f, 1)
		}
		s, by := 1-2*src.Int64N(2), src.Int64N(7)-3
		lo, hi := src.Int64N(20)-12, src.Int64N(20)-8
		if src.IntN(4) == 0 {
			lo = below
		}
		if src.IntN(4) == 0 {
			hi = above
		}
		sum, product, times, moved, cut := f.sumOf(a, b), f.product(a, b), f.timesOf(a, c), f.moved(a, s, by), a.within(lo, hi)
		gone := f.sumOf(a, f.timesOf(a, f.one().neg()))
		if len(gone) != 0 {
			t.Fatalf("%v minus itself is %v", a, gone)
		}
		for what, g := range map[string]piecewise{"a sum": sum, "a product": product, "a multiple": times, "a move": moved, "a cut": cut} {
			wantPieces(t, what, g)
		}
		if n := len(a); n > 0 {
			first, last := moved[0].lo == below, moved[n-1].hi == above
			if s < 0 {
				first, last = last, first
			}
			if first != (a[0].lo == below) || last != (a[n-1].hi == above) {
				t.Fatalf("%v shifted by %d·k + %d has the range %d … %d", a, s, by, moved[0].lo, moved[n-1].hi)
			}
		}
		for k := int64(-15); k <= 15; k++ {
			x, y := number(t, f, a, k), number(t, f, b, k)
			inside := new(big.Rat)
			if lo <= k && k <= hi {
				inside = x
			}
			for what, c := range map[string][2]*big.Rat{
				"a sum":      {number(t, f, sum, k), new(big.Rat).Add(x, y)},
				"a product":  {number(t, f, product, k), new(big.Rat).Mul(x, y)},
				"a multiple": {number(t, f, times, k), new(big.Rat).Mul(x, f.evaluated(c, third))},
				"a move":     {number(t, f, moved, k), number(t, f, a, s*k+by)},
				"a cut":      {number(t, f, cut, k), inside},
				"a value":    {f.evaluated(f.value(a, k), third), x},
			} {
				if c[0].Cmp(c[1]) != 0 {
					t.Fatalf("%s of %v and %v at %d: %v, want %v (s = %d, by = %d, cut to %d … %d)", what, a, b, k, c[0], c[1], s, by, lo, hi)
				}
			}
		}
	}
}

// Running sums and totals have the right values: exactly on bounded pieces, and up to the terms beyond sixty on
// infinite ones. There a term is at most 7·200·k²·3^{−|k|}, so six such tails sum to less than 1e-20.
func TestPiecewiseSums(t *testing.T) {
	src := rand.New(rand.NewPCG(6, 2))
	r := newRates()
	r.units, r.denom = nil, []int64{1}
	small := big.NewRat(1, 1_000_000_000_000)
	for round := range 120 {
		ends := round%2 == 0
		g := randomPieces(src, r.field, ends)
		up := r.summed(g)
		wantPieces(t, "a running sum", up)
		sum := new(big.Rat)
		for k := int64(-60); k <= 60; k++ {
			sum.Add(sum, number(t, r.field, g, k))
			if k < -14 || k > 14 && k < 60 {
				continue
			}
			off := new(big.Rat).Sub(number(t, r.field, up, k), sum)
			if off.Abs(off); !ends && off.Sign() != 0 || off.Cmp(small) > 0 {
				t.Fatalf("the sum of %v up to %d is off by %v", g, k, off.FloatString(20))
			}
		}
		total := r.field.evaluated(r.total(g), third)
		off := total.Sub(total, sum)
		if off.Abs(off); !ends && off.Sign() != 0 || off.Cmp(small) > 0 {
			t.Fatalf("the total of %v is off by %v", g, off.FloatString(20))
		}
	}
	if up := r.summed(nil); len(up) != 0 || !r.total(nil).isZero() {
		t.Errorf("the running sum of no pieces is %v", up)
	}
}
