package mvg

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/mvg/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// The bounds on the eigenvalues of A = WᵀW hold in rational arithmetic, where λI − A and A − λI have no negative minor,
// and so do the enclosures of the charges. All are wide by a few roundings only.
func TestBasisBoundsAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(95, 1))
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	for k := range 200 {
		w, weights := symmetric.RandomBasis(2, rng), []float64{math.Exp(rng.NormFloat64()), math.Exp(rng.NormFloat64())}
		if k%2 == 0 { // not orthogonal, but within the accepted tolerance
			w.Set(0, 1, w.At(0, 1)+1e-9*rng.NormFloat64())
		}
		f := must.Be(newBasis(w, weights))
		var gram [2][2]*big.Rat
		for i := range 2 {
			for j := range 2 {
				gram[i][j] = new(big.Rat)
				for r := range 2 {
					gram[i][j].Add(gram[i][j], new(big.Rat).Mul(rat(w.At(r, i)), rat(w.At(r, j))))
				}
			}
		}
		for j := range 2 {
			want := new(big.Rat)
			for i := range 2 {
				want.Add(want, new(big.Rat).Mul(rat(weights[i]), new(big.Rat).Mul(gram[i][j], gram[i][j])))
			}
			if lo, hi := f.charges[j].Bounds(); rat(lo).Cmp(want) > 0 || rat(hi).Cmp(want) < 0 || hi-lo > 0x1p-51*hi {
				t.Errorf("charge %d in [%v, %v], which misses the value or is wide", j, lo, hi)
			}
		}
		below := func(x float64) bool { // all eigenvalues are at most x
			a, b := new(big.Rat).Sub(rat(x), gram[0][0]), new(big.Rat).Sub(rat(x), gram[1][1])
			det := new(big.Rat).Sub(new(big.Rat).Mul(a, b), new(big.Rat).Mul(gram[0][1], gram[1][0]))
			return a.Sign() >= 0 && b.Sign() >= 0 && det.Sign() >= 0
		}
		above := func(x float64) bool {
			a, b := new(big.Rat).Sub(gram[0][0], rat(x)), new(big.Rat).Sub(gram[1][1], rat(x))
			det := new(big.Rat).Sub(new(big.Rat).Mul(a, b), new(big.Rat).Mul(gram[0][1], gram[1][0]))
			return a.Sign() >= 0 && b.Sign() >= 0 && det.Sign() >= 0
		}
		const close = 0x1p-50
		if !below(f.most) || !above(f.least) || below(f.most-close) || above(f.least+close) {
			t.Errorf("W = %v: bounds on the eigenvalues of WᵀW are %v and %v", mat.Formatted(w), f.least, f.most)
		}
		// Above order 64, newBasis uses one bound for all the eigenvalues.
		if k > 2 {
			continue
		}
		many := symmetric.RandomBasis(enclosedOrder+1, rng)
		g := must.Be(newBasis(many, uniform(enclosedOrder+1, 2)))
		if !(g.least < 1 && g.most > 1 && g.most-g.least < 1e-10) {
			t.Errorf("order 65: eigenvalues from %v to %v, want tight bounds around 1", g.least, g.most)
		}
		for j, c := range g.charges {
			if lo, hi := c.Bounds(); lo > 2 || hi < 2 || hi-lo > 1e-10 {
				t.Errorf("order 65: charge %d in [%v, %v], want tight bounds around 2", j, lo, hi)
			}
		}
	}
}

// The enclosure of W⁻¹ contains gonum's inverse entry by entry, in orders up to enclosedOrder and above.
func TestBasisInverseContainsInverse(t *testing.T) {
	rng := rand.New(rand.NewPCG(98, 2))
	for _, m := range []int{2, 5, enclosedOrder + 6} {
		w := symmetric.RandomBasis(m, rng)
		for i := range m {
			w.Set(i, 0, w.At(i, 0)*(1+3e-9)) // column 0 has a norm above 1
			w.Set(i, 1, w.At(i, 1)*(1-1e-9))
		}
		f := must.Be(newBasis(w, uniform(m, 1)))
		var want mat.Dense
		if err := want.Inverse(w); err != nil {
			t.Fatal(err)
		}
		inverse, close := f.inverse(), 1e-12
		if m > enclosedOrder {
			close = 1e-7
		}
		for i := range m {
			for j := range m {
				v, known := inverse.At(i, j)
				lo, hi := v.Bounds()
				if x := want.At(i, j); !known || x < lo-1e-13 || x > hi+1e-13 || hi-lo > close {
					t.Fatalf("order %d: entry (%d, %d) of W⁻¹ in [%v, %v], want %v", m, i, j, lo, hi, x)
				}
			}
		}
	}
}
