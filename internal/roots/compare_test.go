package roots_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/internal/roots"
)

// Compare orders rational roots like the rational numbers, whatever other roots their polynomials have.
func TestCompare(t *testing.T) {
	src := rand.New(rand.NewPCG(31, 7))
	some := func() *big.Rat { return big.NewRat(1+src.Int64N(11), 12) }
	linear := func(q *big.Rat) roots.Polynomial { return roots.Polynomial{new(big.Int).Neg(q.Num()), q.Denom()} }
	square := func(q *big.Rat) roots.Polynomial { // z² = q², with one negative root
		r := new(big.Rat).Mul(q, q)
		return roots.Polynomial{new(big.Int).Neg(r.Num()), new(big.Int), r.Denom()}
	}
	third := roots.New(-1, 0, 0, 3) // z³ = 1/3: irrational
	same := 0
	for range 400 {
		x, y := some(), some()
		p := linear(x).Mul(square(some())).Mul(third)
		q := square(y).Mul(linear(some())).Mul(linear(y))
		if src.IntN(2) == 0 {
			q = q.Mul(third)
		}
		find := func(p roots.Polynomial, at *big.Rat) roots.Known {
			for _, r := range must.Be(p.Roots(context.Background())) {
				if r.IsPoint() && r.Lo.Cmp(at) == 0 || r.Lo.Cmp(at) < 0 && at.Cmp(r.Hi) < 0 {
					return roots.Known{p, r}
				}
			}
			t.Fatalf("no root of %v at %v", p, at)
			return roots.Known{}
		}
		got, a, b := roots.Compare(find(p, x), find(q, y))
		if want := x.Cmp(y); got != want {
			t.Fatalf("Compare(%v, %v) = %d, want %d", x, y, got, want)
		}
		if got != 0 && (a.Hi.Cmp(b.Lo) >= 0) == (b.Hi.Cmp(a.Lo) >= 0) {
			t.Fatalf("%v and %v overlap", a.Root, b.Root)
		}
		if got == 0 {
			same++
		}
	}
	if same < 10 {
		t.Errorf("%d of 400 pairs are equal, want at least 10", same)
	}
	// Two polynomials share the irrational root, and a third has a root very close to it.
	cube := func(p roots.Polynomial) roots.Known { return roots.Known{p, must.Be(p.Roots(context.Background()))[0]} }
	if got, _, _ := roots.Compare(cube(third), cube(third.Mul(roots.New(1, 1)))); got != 0 {
		t.Errorf("the shared root of two polynomials compares as %d", got)
	}
	near := roots.Polynomial{big.NewInt(-1_000_000_000_001), big.NewInt(0), big.NewInt(0), big.NewInt(3_000_000_000_000)}
	if got, _, _ := roots.Compare(cube(third), cube(near)); got != -1 {
		t.Errorf("a root compares with one that is 3e-13 above as %d", got)
	}
}
