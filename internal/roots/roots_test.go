package roots_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/internal/roots"
)

// zero is a root num/den with its multiplicity. Polynomials are products of (den·z − num)^times.
type zero struct {
	num, den int64
	times    int
}

func build(zeros []zero, extra roots.Polynomial) roots.Polynomial {
	p := extra
	for _, z := range zeros {
		for range z.times {
			p = p.Mul(roots.New(-z.num, z.den))
		}
	}
	return p
}

// TestNegativeOfKnownRoots builds polynomials from roots, some multiple, outside (0, 1) or not real. It compares the
// roots and negative spans with the known signs.
func TestNegativeOfKnownRoots(t *testing.T) {
	src := rand.New(rand.NewPCG(3, 5))
	width := big.NewRat(1, 1<<20)
	seen := 0
	for range 400 {
		var zeros []zero
		for range src.IntN(5) {
			den := 1 + src.Int64N(40)
			zeros = append(zeros, zero{src.Int64N(2*den+1) - den/2, den, 1 + src.IntN(3)})
		}
		extra := roots.New(int64(1 + src.IntN(3)))
		if src.IntN(2) == 0 {
			extra = roots.New(1+src.Int64N(5), src.Int64N(3)-1, 1+src.Int64N(5)) // no real roots
		}
		if src.IntN(2) == 0 {
			extra = extra.Mul(roots.New(-1))
		}
		p := build(zeros, extra)
		var inside []*big.Rat
		for _, z := range zeros {
			if q := big.NewRat(z.num, z.den); q.Sign() > 0 && q.Cmp(big.NewRat(1, 1)) < 0 {
				inside = append(inside, q)
			}
		}
		slices.SortFunc(inside, (*big.Rat).Cmp)
		inside = slices.CompactFunc(inside, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
		found, err := p.Roots(context.Background())
		if err != nil || len(found) != len(inside) {
			t.Fatalf("roots of %v: %d, %v, want %v", p, len(found), err, inside)
		}
		for i, r := range found {
			if r.Lo.Cmp(inside[i]) > 0 || r.Hi.Cmp(inside[i]) < 0 {
				t.Errorf("root %d of %v in [%v, %v], want %v", i, p, r.Lo, r.Hi, inside[i])
			}
		}
		spans, err := p.Negative(context.Background(), width)
		if err != nil {
			t.Fatal(err)
		}
		ends := slices.Concat([]*big.Rat{new(big.Rat)}, inside, []*big.Rat{big.NewRat(1, 1)})
		var want [][2]*big.Rat
		for i := 1; i < len(ends); i++ {
			m := new(big.Rat).Add(ends[i-1], ends[i])
			if value(p, m.Mul(m, big.NewRat(1, 2))).Sign() < 0 {
				want = append(want, [2]*big.Rat{ends[i-1], ends[i]})
			}
		}
		if len(spans) != len(want) {
			t.Fatalf("%v is negative on %d spans, want %v", p, len(spans), want)
		}
		for i, s := range spans {
			seen++
			for j, end := range []roots.Root{s.From, s.To} {
				w := want[i][j]
				if end.Lo.Cmp(w) > 0 || end.Hi.Cmp(w) < 0 || new(big.Rat).Sub(end.Hi, end.Lo).Cmp(width) > 0 {
					t.Errorf("%v: end %d of span %d in [%v, %v], want %v", p, j, i, end.Lo, end.Hi, w)
				}
			}
		}
	}
	if seen < 200 {
		t.Errorf("%d negative spans, want a few hundred", seen)
	}
}

// value returns p(q) by Horner's rule in rational arithmetic, while Sign uses integers.
func value(p roots.Polynomial, q *big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, c := range slices.Backward(p) {
		sum.Mul(sum, q).Add(sum, new(big.Rat).SetInt(c))
	}
	return sum
}

// TestDoubleRoots: a square is negative nowhere, and minus a square everywhere but at its roots.
func TestDoubleRoots(t *testing.T) {
	for _, p := range []roots.Polynomial{roots.New(-1, 3), roots.New(1, -5, 5), roots.New(-1, 7, 0, 4)} {
		square := p.Mul(p)
		if s, err := square.Negative(context.Background(), big.NewRat(1, 100)); len(s) > 0 || err != nil {
			t.Errorf("the square of %v is negative on %v, %v", p, s, err)
		}
		at, _ := p.Roots(context.Background())
		if s, err := square.Mul(roots.New(-1)).Negative(context.Background(), big.NewRat(1, 100)); len(s) != len(at)+1 || err != nil {
			t.Errorf("minus the square of %v is negative on %d spans, %v, want %d", p, len(s), err, len(at)+1)
		}
	}
}

// TestCloseRoots has two roots 2^-100 apart, which only bisection can separate.
func TestCloseRoots(t *testing.T) {
	a, b := new(big.Int).Lsh(big.NewInt(1), 99), new(big.Int).Lsh(big.NewInt(1), 100)
	p := roots.Polynomial{new(big.Int).Neg(a), b}.Mul(roots.Polynomial{new(big.Int).Neg(new(big.Int).Add(a, big.NewInt(1))), b})
	s, err := p.Negative(context.Background(), big.NewRat(1, 100))
	if err != nil || len(s) != 1 || p.Sign(s[0].Middle()) >= 0 {
		t.Errorf("negative on %v, %v, want one span of width 2^-100", s, err)
	}
}

func TestStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := roots.New(-1, 3).Negative(ctx, big.NewRat(1, 100)); err == nil {
		t.Error("no error after the context has ended")
	}
}

func TestConstantPolynomials(t *testing.T) {
	for _, p := range []roots.Polynomial{nil, roots.New(0), roots.New(4), roots.New(0, 0, 3)} {
		if s, err := p.Negative(context.Background(), big.NewRat(1, 100)); len(s) > 0 || err != nil {
			t.Errorf("%v is negative on %v, %v", p, s, err)
		}
	}
	if s, _ := roots.New(-4).Negative(context.Background(), big.NewRat(1, 100)); len(s) != 1 {
		t.Errorf("−4 is negative on %v, want (0, 1)", s)
	}
}
