package program

import (
	"math/big"
	"math/rand/v2"
	"testing"
)

// points are values of the units for comparing rational functions. Different functions with small coefficients differ
// at one of them, since a root p/q in lowest terms needs a coefficient divisible by p.
var points = [][most]*big.Rat{
	{big.NewRat(101, 103), big.NewRat(107, 109), big.NewRat(113, 127), big.NewRat(131, 137)},
	{big.NewRat(23, 29), big.NewRat(59, 61), big.NewRat(37, 41), big.NewRat(43, 47)},
}

// ratPower returns q^k by repeated multiplication.
func ratPower(q *big.Rat, k int64) *big.Rat {
	out := big.NewRat(1, 1)
	if k < 0 {
		return new(big.Rat).Inv(ratPower(q, -k))
	}
	for range k {
		out.Mul(out, q)
	}
	return out
}

// evaluated returns the value of p at a point.
func (p laurent) evaluated(at [most]*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, m := range p {
		v := new(big.Rat).SetInt(m.c)
		for i, k := range m.e {
			v.Mul(v, ratPower(at[i], k))
		}
		sum.Add(sum, v)
	}
	return sum
}

// wantCanonical fails if terms are unsorted or 0.
func wantCanonical(t *testing.T, p laurent) {
	t.Helper()
	for i, m := range p {
		if m.c.Sign() == 0 {
			t.Fatalf("%v has a term without a coefficient", p)
		}
		for j := 0; i > 0 && j < most; j++ {
			if a, b := p[i-1].e[j], m.e[j]; a < b {
				break
			} else if a > b || j == most-1 {
				t.Fatalf("%v is out of order", p)
			}
		}
	}
}

// wantLaurent fails unless p is canonical and has the given values.
func wantLaurent(t *testing.T, what string, p laurent, want func(at [most]*big.Rat) *big.Rat) {
	t.Helper()
	wantCanonical(t, p)
	for _, at := range points {
		if got, v := p.evaluated(at), want(at); got.Cmp(v) != 0 {
			t.Fatalf("%s is %v, want %v at %v", what, got, v, at)
		}
	}
}

func randomExponent(src *rand.Rand, units int) exponent {
	var e exponent
	for i := range units {
		e[i] = src.Int64N(7) - 3
	}
	return e
}

// randomLaurent returns a polynomial of at most the given number of terms. Some coefficients overflow int64.
func randomLaurent(src *rand.Rand, units, terms int) laurent {
	var p laurent
	seen := make(map[exponent]bool)
	for range terms {
		e := randomExponent(src, units)
		c := big.NewInt(src.Int64N(9) - 4)
		if src.IntN(8) == 0 {
			c.Lsh(c, 70)
		}
		if seen[e] || c.Sign() == 0 {
			continue
		}
		seen[e] = true
		at := len(p)
		for at > 0 && before(e, p[at-1].e) {
			at--
		}
		p = append(p[:at:at], append(laurent{{e, c}}, p[at:]...)...)
	}
	return p
}

// before reports whether e comes before f.
func before(e, f exponent) bool {
	for i := range e {
		if e[i] != f[i] {
			return e[i] < f[i]
		}
	}
	return false
}

// Sums, products, shifts and multiples of Laurent polynomials have the right values and sorted terms.
func TestLaurentArithmetic(t *testing.T) {
	src := rand.New(rand.NewPCG(4, 1))
	for round := range 400 {
		units := 1 + round%most
		p, q := randomLaurent(src, units, src.IntN(6)), randomLaurent(src, units, src.IntN(6))
		e := randomExponent(src, units)
		c := big.NewInt([]int64{1, -1, 2, -2, 5, -7}[src.IntN(6)])
		if src.IntN(6) == 0 { // larger or smaller by 2⁶⁴
			c.Add(c, new(big.Int).Lsh(big.NewInt(int64(c.Sign())), 64))
		}
		kept := [2]string{p.key(), q.key()}
		wantLaurent(t, "a sum", p.plus(q, e, c), func(at [most]*big.Rat) *big.Rat {
			v := new(big.Rat).Mul(power(e).evaluated(at), new(big.Rat).SetInt(c))
			return v.Add(v.Mul(v, q.evaluated(at)), p.evaluated(at))
		})
		wantLaurent(t, "p + q", p.add(q), func(at [most]*big.Rat) *big.Rat { return new(big.Rat).Add(p.evaluated(at), q.evaluated(at)) })
		wantLaurent(t, "p − q", p.sub(q), func(at [most]*big.Rat) *big.Rat { return new(big.Rat).Sub(p.evaluated(at), q.evaluated(at)) })
		wantLaurent(t, "−p", p.neg(), func(at [most]*big.Rat) *big.Rat { return new(big.Rat).Neg(p.evaluated(at)) })
		wantLaurent(t, "p·q", p.mul(q), func(at [most]*big.Rat) *big.Rat { return new(big.Rat).Mul(p.evaluated(at), q.evaluated(at)) })
		wantLaurent(t, "c·p", p.scale(c), func(at [most]*big.Rat) *big.Rat {
			return new(big.Rat).Mul(p.evaluated(at), new(big.Rat).SetInt(c))
		})
		wantLaurent(t, "p shifted", p.shift(e), func(at [most]*big.Rat) *big.Rat {
			return new(big.Rat).Mul(p.evaluated(at), power(e).evaluated(at))
		})
		wantLaurent(t, "1 − z^e", oneMinus(e), func(at [most]*big.Rat) *big.Rat {
			return new(big.Rat).Sub(big.NewRat(1, 1), power(e).evaluated(at))
		})
		if len(p.sub(p)) != 0 || len(p.scale(new(big.Int))) != 0 || len(whole(new(big.Int))) != 0 {
			t.Fatalf("%v − itself, or times 0, or whole(0) has terms", p)
		}
		if p.key() != kept[0] || q.key() != kept[1] {
			t.Fatal("an operand was changed")
		}
	}
	// (1 + z + z²)(1 − z + z²) = 1 + z² + z⁴, where two of five powers cancel
	up, down := laurent{{exponent{}, intOne}, {exponent{1}, intOne}, {exponent{2}, intOne}}, laurent{{exponent{}, intOne}, {exponent{1}, big.NewInt(-1)}, {exponent{2}, intOne}}
	if p := up.mul(down); len(p) != 3 || p[1].e != (exponent{2}) || p[2].e != (exponent{4}) {
		t.Errorf("(1 + z + z²)(1 − z + z²) = %v", p)
	}
}

// quotient succeeds exactly if 1 − z^e divides the polynomial.
func TestQuotients(t *testing.T) {
	src := rand.New(rand.NewPCG(4, 4))
	some := 0
	for range 600 {
		e := randomExponent(src, 2)
		if e.isZero() {
			continue
		}
		p := randomLaurent(src, 2, 1+src.IntN(5))
		if len(p) == 0 {
			continue
		}
		product := p.mul(oneMinus(e))
		q, ok := product.quotient(e)
		if !ok || q.key() != p.key() {
			t.Fatalf("(%v)·(1 − z^%v) over 1 − z^%v is %v, %v", p, e, e, q, ok)
		}
		wantCanonical(t, q)
		// 1 − z^e divides exactly if the coefficients sum to 0 along each coset of e.
		off := product.add(randomLaurent(src, 2, 1+src.IntN(2)))
		q, ok = off.quotient(e)
		if divides := cosetsVanish(off, e); ok != divides {
			t.Fatalf("%v is divided by 1 − z^%v: %v, want %v", off, e, ok, divides)
		}
		if ok {
			some++
			wantLaurent(t, "a quotient", q.mul(oneMinus(e)), off.evaluated)
		}
	}
	if some == 0 {
		t.Error("no random sum was divisible")
	}
	if q, ok := (laurent)(nil).quotient(exponent{1}); !ok || len(q) != 0 {
		t.Errorf("0 over 1 − z is %v, %v", q, ok)
	}
	if _, ok := power(exponent{2}).quotient(exponent{1}); ok {
		t.Error("z² is divided by 1 − z")
	}
	// The quotient 1 − z^n over 1 − z has n terms; the limit is 1000 plus four per term of the dividend.
	for n, want := range map[int64]bool{1008: true, 1009: false} {
		if q, ok := oneMinus(exponent{n}).quotient(exponent{1}); ok != want || ok && len(q) != int(n) {
			t.Errorf("1 − z^%d over 1 − z: %v with %d terms, want %v", n, ok, len(q), want)
		}
	}
}

// cosetsVanish reports whether the coefficients sum to 0 over all exponents that differ by multiples of e.
func cosetsVanish(p laurent, e exponent) bool {
	left := append(laurent(nil), p...)
	for len(left) > 0 {
		first, sum := left[0].e, new(big.Int)
		var rest laurent
		for _, m := range left {
			in := false
			for k := int64(-40); k <= 40; k++ {
				in = in || m.e == first.add(e.times(k))
			}
			if in {
				sum.Add(sum, m.c)
			} else {
				rest = append(rest, m)
			}
		}
		if sum.Sign() != 0 {
			return false
		}
		left = rest
	}
	return true
}
