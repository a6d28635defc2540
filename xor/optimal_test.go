package xor_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"
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

// oneRow returns the least mean number of flips in one row of p bits. Any two states are neighbors, so an extreme law
// has weight w on a set of states and 1 on the others. The best set is a ball {|b| ≤ t}.
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
		eps := must.Be(evidence.LogEpsilon("eps", w))
		response := new(big.Rat).Inv(new(big.Rat).Add(w, big.NewRat(1, 1))) // randomised response flips with 1/(1 + e^ε)
		for _, c := range []struct {
			n, p     int
			relation string
			want     *big.Rat
		}{
			{5, 2, "bits", scale(10, response)}, // a product of randomised responses
			{1, 3, "bits", scale(3, response)},
			{3, 3, "edge", scale(6, response)}, // one response for each of three mirrored pairs of bits
			// A row's marginal law obeys the same constraints. So no joint law beats the product of the best ones.
			{1, 6, "row", oneRow(6, w)},
			{4, 2, "row", scale(4, oneRow(2, w))},
			{2, 4, "row", scale(2, oneRow(4, w))},
			{6, 1, "row", scale(6, response)},
		} {
			law := must.Be(xor.NewOptimalNoise(context.Background(), c.n, c.p, eps, neighbors(c.relation, 1)))
			if got := law.MeanFlips().(evidence.Exact).Value; got.Cmp(c.want) != 0 {
				t.Errorf("e^ε = %v, %d × %d, %s: %v, want %v", w, c.n, c.p, c.relation, got, c.want)
			}
		}
	}
	// k-ary randomised response with weight e^ε on no flip, in a case where it is optimal.
	eps := must.Be(evidence.LogEpsilon("eps", big.NewRat(20, 1)))
	law := must.Be(xor.NewOptimalNoise(context.Background(), 1, 3, eps, xor.FlipRows(1)))
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

// The law is private for every pair of neighbors and has the reported mean. It does not change under permutations of
// rows or columns that preserve the neighbor relation.
func TestNoiseLawIsPrivate(t *testing.T) {
	for _, c := range []struct {
		n, p, k  int
		relation string
	}{{3, 2, 2, "bits"}, {2, 3, 1, "row"}, {3, 2, 2, "row"}, {3, 3, 2, "edge"}} {
		for _, eps := range []evidence.Epsilon{must.Be(evidence.LogEpsilon("eps", big.NewRat(7, 2))), must.Be(evidence.NewEpsilon("eps", 0.6))} {
			law := must.Be(xor.NewOptimalNoise(context.Background(), c.n, c.p, eps, neighbors(c.relation, c.k)))
			w := math.Exp(eps.Value())
			sum, mean := 0.0, 0.0
			for b := range law.States() {
				sum += law.Prob(b)
				mean += law.Prob(b) * float64(bits.OnesCount(uint(b)))
				for s := 1; s < law.States(); s++ {
					if areNeighbors(c.n, c.p, c.k, s, c.relation) && law.Prob(b) > w*law.Prob(b^s)*(1+1e-12) {
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

// neighbors returns the named relation, with k differences at once.
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

// areNeighbors reports whether two matrices that differ in the bits of s are neighbors.
func areNeighbors(n, p, k, s int, relation string) bool {
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

// Without neighbors the optimal noise flips nothing. NewOptimalNoise returns an error for ε out of range.
func TestOptimalNoiseWithoutNeighbors(t *testing.T) {
	law := must.Be(xor.NewOptimalNoise(context.Background(), 1, 1, must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 1))), xor.FlipEdges(1)))
	if got, ok := law.MeanFlips().(evidence.Exact); !ok || got.Value.Sign() != 0 || law.Prob(0) != 1 {
		t.Errorf("no neighbors: %v flips", law.MeanFlips())
	}
	for _, v := range []float64{1e-300, 1e9, 1e308} {
		if _, err := xor.NewOptimalNoise(context.Background(), 2, 2, must.Be(evidence.NewEpsilon("eps", v)), xor.FlipBits(1)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("ε = %g gives %v", v, err)
		}
	}
}

// The law is private at its ε and at no smaller one. Its profile is the sum over its states.
func TestOptimalNoiseUnder(t *testing.T) {
	ctx := context.Background()
	for _, relation := range []string{"bits", "row", "edge"} {
		for _, eps := range []evidence.Epsilon{must.Be(evidence.LogEpsilon("eps", big.NewRat(7, 2))), must.Be(evidence.NewEpsilon("eps", 0.6))} {
			nb := neighbors(relation, 1)
			law := must.Be(xor.NewOptimalNoise(ctx, 2, 2, eps, nb))
			curve := must.Be(law.Under(nb))
			pure := must.Be(curve.Epsilon(ctx, evidence.Delta{}))
			if lo, hi := pure.Bounds(); lo > eps.Value()*(1+1e-9) || hi < eps.Value()*(1-1e-3) {
				t.Errorf("%s, ε = %v: smallest %v", relation, eps, pure)
			}
			for _, v := range []float64{0, 0.1, 0.5, 3} {
				at := evidence.Epsilon{}
				if v > 0 {
					at = must.Be(evidence.NewEpsilon("eps", v))
				}
				got := must.Be(curve.Delta(ctx, at))
				want := 0.0
				for s := 1; s < law.States(); s++ {
					if !areNeighbors(2, 2, 1, s, relation) {
						continue
					}
					sum := 0.0
					for b := range law.States() {
						sum += math.Max(0, law.Prob(b)-math.Exp(v)*law.Prob(b^s))
					}
					want = math.Max(want, sum)
				}
				if lo, hi := got.Bounds(); lo > want+1e-12 || hi < want-1e-12 || hi-lo > 1e-14 {
					t.Errorf("%s, ε = %v: δ(%v) = %v, want %v", relation, eps, v, got, want)
				}
			}
			at := must.Be(curve.Epsilon(ctx, evidencetest.Delta(0.01)))
			if at.Float() <= 0 || at.Float() >= pure.Float() {
				t.Errorf("%s, ε = %v: ε at 0.01 is %v", relation, eps, at)
			}
		}
	}
}

// The flip rate is the mean number of flips divided by the number of bits. It is exact, or the narrowest interval that
// contains the quotients of the mean's bounds.
func TestFlipRateIsTheMeanOverTheBits(t *testing.T) {
	for _, c := range []struct{ n, p int }{{1, 1}, {1, 3}, {3, 1}, {2, 3}, {7, 1}} {
		for _, eps := range []evidence.Epsilon{must.Be(evidence.LogEpsilon("eps", big.NewRat(7, 2))), must.Be(evidence.NewEpsilon("eps", 0.6))} {
			law := must.Be(xor.NewOptimalNoise(context.Background(), c.n, c.p, eps, xor.FlipBits(1)))
			bits := big.NewRat(int64(c.n*c.p), 1)
			rate := law.FlipRate()
			if mean, ok := law.MeanFlips().(evidence.Exact); ok {
				if got := rate.(evidence.Exact).Value; got.Cmp(new(big.Rat).Quo(mean.Value, bits)) != 0 {
					t.Errorf("%+v: rate %v of %v flips", c, got, mean.Value)
				}
				// If neighbors differ in one bit, independent bits are optimal.
				if want := big.NewRat(2, 9); rate.(evidence.Exact).Value.Cmp(want) != 0 {
					t.Errorf("%+v: rate %v, want that of randomised response, %v", c, rate, want)
				}
				continue
			}
			lo, hi := law.MeanFlips().Bounds()
			least, most := rate.Bounds()
			back := func(v float64) *big.Rat { return new(big.Rat).Mul(new(big.Rat).SetFloat64(v), bits) }
			if back(least).Cmp(new(big.Rat).SetFloat64(lo)) > 0 || back(most).Cmp(new(big.Rat).SetFloat64(hi)) < 0 {
				t.Errorf("%+v: rate in [%v, %v] of flips in [%v, %v] is rounded inwards", c, least, most, lo, hi)
			}
			if most-least > (hi-lo)/float64(c.n*c.p)+1e-15 {
				t.Errorf("%+v: rate in [%v, %v] of flips in [%v, %v]", c, least, most, lo, hi)
			}
		}
	}
}

// The bounds of a flip rate round outward, at any ε and number of bits.
func TestFlipRateRoundsOutward(t *testing.T) {
	for _, bits := range []int{1, 3, 5, 6, 7} {
		for _, eps := range []float64{0.3, 0.6, 0.9, 1.3, 2} {
			law := must.Be(xor.NewOptimalNoise(context.Background(), bits, 1, must.Be(evidence.NewEpsilon("eps", eps)), xor.FlipBits(1)))
			lo, hi := law.MeanFlips().Bounds()
			least, most := law.FlipRate().Bounds()
			back := func(v float64) *big.Rat {
				return new(big.Rat).Mul(new(big.Rat).SetFloat64(v), big.NewRat(int64(bits), 1))
			}
			if back(least).Cmp(new(big.Rat).SetFloat64(lo)) >= 0 || back(most).Cmp(new(big.Rat).SetFloat64(hi)) <= 0 || most-least > (hi-lo)/float64(bits)+1e-15 {
				t.Errorf("%d bits, ε = %g: rate in [%v, %v] of flips in [%v, %v]", bits, eps, least, most, lo, hi)
			}
			want := 1 / (1 + math.Exp(eps)) // randomised response
			if least > want || most < want || law.MeanFlips().Origin() == "" {
				t.Errorf("%d bits, ε = %g: rate in [%v, %v], want %v", bits, eps, least, most, want)
			}
		}
	}
}

// Releases with an optimal law follow its rational probabilities, at a false-positive rate of 1e-6. The test detects a
// weight that is 1% off. Release rejects an optimum with irrational probabilities, and gives the reason.
func TestOptimalNoiseRelease(t *testing.T) {
	const draws, rate, by = 3_000_000, 1e-6, .01
	ctx := context.Background()
	law := must.Be(xor.NewOptimalNoise(ctx, 2, 1, must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 1))), xor.FlipBits(1)))
	query := must.Be(xor.ParseBits([][]float64{{0}, {1}}))
	counts, src := make([]int, 4), rand.NewPCG(26, 21)
	for range draws {
		out := must.Be(law.Release(query, src))
		counts[out.Row(0)[0]|(out.Row(1)[0]^1)<<1]++
	}
	want := []float64{9. / 16, 3. / 16, 3. / 16, 1. / 16}
	stattest.Tells(t, "a weight 1% off", counts, want, stattest.Heavier(want, 0, by), rate)
	if _, err := law.Release(query, nil); err != nil {
		t.Errorf("the system's generator gives %v", err)
	}

	rounded := must.Be(xor.NewOptimalNoise(ctx, 2, 1, must.Be(evidence.NewEpsilon("eps", 1)), xor.FlipBits(1)))
	if _, err := rounded.Release(query, nil); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "want rational probabilities") {
		t.Errorf("an irrational e^ε gives %v", err)
	}

	// Without neighbors nothing is flipped, and every release returns the query's value.
	still := must.Be(xor.NewOptimalNoise(ctx, 1, 1, must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 1))), xor.FlipEdges(1)))
	one := must.Be(xor.ParseBits([][]float64{{1}}))
	for range 100 {
		if out, err := still.Release(one, nil); err != nil || out.Ones() != 1 {
			t.Errorf("no neighbors: %v, %v", out, err)
		}
	}
}
