package xor_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

func ExampleNewOptimalNoise() {
	eps, _ := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	law, _ := xor.NewOptimalNoise(context.Background(), 2, 1, eps, xor.FlipBits(1))
	p, _ := law.Rational(0)
	fmt.Println(law.MeanFlips().(evidence.Exact).Value, p) // two randomised responses
	fmt.Println(law.Probs())
	// Output:
	// 1/2 9/16
	// [0.5625 0.1875 0.1875 0.0625]
}

// oneRow is the least mean number of flipped bits of one row of p bits: any two
// states are neighbors, so an extreme law gives weight w to a set of states and 1
// to the others, and the best set is a ball {|b| ≤ t}.
func oneRow(p int, w *big.Rat) *big.Rat {
	var best *big.Rat
	for t := range p {
		mass, flips := new(big.Rat), new(big.Rat)
		choose := int64(1)
		for k := range p + 1 {
			weight := new(big.Rat).SetInt64(choose)
			if k <= t {
				weight.Mul(weight, w)
			}
			mass.Add(mass, weight)
			flips.Add(flips, weight.Mul(weight, big.NewRat(int64(k), 1)))
			choose = choose * int64(p-k) / int64(k+1)
		}
		if flips.Quo(flips, mass); best == nil || flips.Cmp(best) < 0 {
			best = flips
		}
	}
	return best
}

func TestOptimalNoiseInClosedForm(t *testing.T) {
	scale := func(n int64, q *big.Rat) *big.Rat { return new(big.Rat).Mul(big.NewRat(n, 1), q) }
	for _, w := range []*big.Rat{big.NewRat(3, 2), big.NewRat(3, 1), big.NewRat(20, 1)} {
		eps, err := evidence.LogEpsilon("eps", w)
		if err != nil {
			t.Fatal(err)
		}
		response := new(big.Rat).Inv(new(big.Rat).Add(w, big.NewRat(1, 1))) // randomised response flips with 1/(1 + e^ε)
		for _, c := range []struct {
			n, p     int
			relation string
			want     *big.Rat
		}{
			{5, 2, "bits", scale(10, response)}, // a product of randomised responses
			{1, 3, "bits", scale(3, response)},
			{3, 3, "edge", scale(6, response)}, // one for each of three mirrored pairs
			// A row's marginal law obeys the same constraints, so that no joint law
			// beats the product of the best ones.
			{1, 6, "row", oneRow(6, w)},
			{4, 2, "row", scale(4, oneRow(2, w))},
			{2, 4, "row", scale(2, oneRow(4, w))},
			{6, 1, "row", scale(6, response)},
		} {
			law, err := xor.NewOptimalNoise(context.Background(), c.n, c.p, eps, neighbors(c.relation, 1))
			if err != nil {
				t.Fatal(err)
			}
			if got := law.MeanFlips().(evidence.Exact).Value; got.Cmp(c.want) != 0 {
				t.Errorf("e^ε = %v, %d × %d, %s: %v, want %v", w, c.n, c.p, c.relation, got, c.want)
			}
		}
	}
	// k-ary randomised response, where it is optimal: weight e^ε on no flip.
	eps := must.Be(evidence.LogEpsilon("eps", big.NewRat(20, 1)))
	law, err := xor.NewOptimalNoise(context.Background(), 1, 3, eps, xor.FlipRows(1))
	if err != nil {
		t.Fatal(err)
	}
	for b := range law.States() {
		want := big.NewRat(1, 27)
		if b == 0 {
			want = big.NewRat(20, 27)
		}
		if p, _ := law.Rational(b); p.Cmp(want) != 0 {
			t.Errorf("8-ary randomised response: p(%d) = %v, want %v", b, p, want)
		}
	}
}

// The law is private over every pair of neighbors, its mean is what it says,
// and no permutation of rows or columns changes it where that is a symmetry.
func TestNoiseLawIsPrivate(t *testing.T) {
	for _, c := range []struct {
		n, p, k  int
		relation string
	}{{3, 2, 2, "bits"}, {2, 3, 1, "row"}, {3, 2, 2, "row"}, {3, 3, 2, "edge"}} {
		for _, eps := range []evidence.Epsilon{must.Be(evidence.LogEpsilon("eps", big.NewRat(7, 2))), must.Be(evidence.NewEpsilon("eps", 0.6))} {
			law, err := xor.NewOptimalNoise(context.Background(), c.n, c.p, eps, neighbors(c.relation, c.k))
			if err != nil {
				t.Fatal(err)
			}
			w := math.Exp(eps.Value())
			sum, mean := 0.0, 0.0
			for b := range law.States() {
				sum += law.Prob(b)
				mean += law.Prob(b) * float64(bits.OnesCount(uint(b)))
				for s := 1; s < law.States(); s++ {
					if related(c.n, c.p, c.k, s, c.relation) && law.Prob(b) > w*law.Prob(b^s)*(1+1e-12) {
						t.Fatalf("%+v, ε = %s: p(%d)/p(%d) = %v, want at most %v", c, eps, b, b^s, law.Prob(b)/law.Prob(b^s), w)
					}
				}
			}
			lo, hi := law.MeanFlips().Bounds()
			if math.Abs(sum-1) > 1e-12 || mean < lo-1e-12 || mean > hi+1e-12 || hi-lo > 1e-6*hi {
				t.Errorf("%+v, ε = %s: mass %v, mean %v, optimum [%v, %v]", c, eps, sum, mean, lo, hi)
			}
		}
	}
}

// neighbors returns the relation of that name, k times at once.
func neighbors(relation string, k int) xor.Neighbors {
	switch relation {
	case "bits":
		return xor.FlipBits(k)
	case "row":
		return xor.FlipRows(k)
	case "edge":
		return xor.FlipEdges(k)
	}
	return xor.Neighbors{}
}

// related decides whether a difference s is one of neighbors, from its shape.
func related(n, p, k, s int, relation string) bool {
	rows, pairs, whole := 0, 0, true
	for i := range n {
		if s>>(i*p)&(1<<p-1) != 0 {
			rows++
		}
		for j := range p {
			if s>>(i*p+j)&1 == 1 && relation == "edge" {
				whole = whole && i != j && s>>(j*p+i)&1 == 1
				pairs++
			}
		}
	}
	switch relation {
	case "row":
		return rows <= k
	case "edge":
		return whole && pairs <= 2*k
	}
	return bits.OnesCount(uint(s)) <= k
}

func TestNoiseBadInput(t *testing.T) {
	for _, c := range []struct {
		n, p, k  int
		relation string
	}{{0, 1, 1, "bits"}, {11, 1, 1, "bits"}, {4, 3, 1, "bits"}, {2, 2, 0, "bits"}, {2, 3, 1, "edge"}, {2, 2, 1, "column"}} {
		if _, err := xor.NewOptimalNoise(context.Background(), c.n, c.p, must.Be(evidence.NewEpsilon("eps", 1)), neighbors(c.relation, c.k)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v: %v, want ErrParameter", c, err)
		}
	}
}
