package xor_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"
	"dpworkbench/privacy"
	"dpworkbench/xor"
)

// responses returns the law of n·p independent randomised responses at ε = ln 3 each. A bit is flipped with probability
// 1/4.
func responses(n, p int) *xor.NoiseLaw {
	probs := []*big.Rat{big.NewRat(1, 1)}
	for range n * p {
		var next []*big.Rat
		for _, flip := range []*big.Rat{big.NewRat(3, 4), big.NewRat(1, 4)} {
			for _, q := range probs {
				next = append(next, new(big.Rat).Mul(flip, q))
			}
		}
		probs = next
	}
	return must.Be(xor.NewNoiseLaw(n, p, probs))
}

// Randomised response on four bits, with ε = ln 3 for each bit. Neighbors differ in two bits.
func ExampleNoiseLaw_Under() {
	ctx := context.Background()
	curve, err := responses(2, 2).Under(xor.FlipBits(2))
	if err != nil {
		panic(err)
	}
	smallest, err := curve.Epsilon(ctx, evidence.Delta{})
	if err != nil {
		panic(err)
	}
	delta, err := curve.Delta(ctx, must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 1))))
	if err != nil {
		panic(err)
	}
	fmt.Println(evidence.Rational(smallest), evidence.Rational(delta))
	// Output: ln(9) 3/8
}

// The smallest ε and the profile of a law of arbitrary weights equal the sums over its states in float64.
func TestNoiseLawUnder(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(1, 2))
	weights, total := make([]float64, 16), new(big.Rat)
	for b := range weights {
		weights[b] = 0.1 + rng.Float64()
		total.Add(total, new(big.Rat).SetFloat64(weights[b]))
	}
	for name, law := range map[string]*xor.NoiseLaw{"weights": must.Be(xor.NewWeightedNoiseLaw(2, 2, weights)), "rationals": responses(2, 2)} {
		sum := new(big.Rat)
		for b, p := range law.Probabilities() {
			lo, hi := p.Bounds()
			q, given := law.Rational(b)
			if !given {
				q = new(big.Rat).Quo(new(big.Rat).SetFloat64(weights[b]), total)
			}
			if sum.Add(sum, q); given != (p.Kind() == evidence.KindExact) || new(big.Rat).SetFloat64(lo).Cmp(q) > 0 || new(big.Rat).SetFloat64(hi).Cmp(q) < 0 || hi-lo > 1e-16 {
				t.Errorf("%s: state %d has probability %v, want %v", name, b, p, q)
			}
		}
		if sum.Cmp(big.NewRat(1, 1)) != 0 {
			t.Errorf("%s: the probabilities have sum %v", name, sum)
		}
		for k, nb := range []xor.Neighbors{xor.FlipBits(2), xor.FlipRows(1), xor.FlipEdges(1)} {
			curve := must.Be(law.Under(nb))
			steps := must.Be(nb.Differences(2, 2))
			pure := 0.0
			for _, s := range steps {
				for b := range law.States() {
					pure = max(pure, math.Log(law.Prob(b)/law.Prob(b^s)))
				}
			}
			if got := must.Be(curve.Epsilon(ctx, evidence.Delta{})).Float(); math.Abs(got-pure) > 1e-12 {
				t.Errorf("%s, neighbors %d: smallest ε = %v, want %v", name, k, got, pure)
			}
			for _, v := range []float64{0, 0.1, 0.5, 3, 700} {
				want := 0.0
				for _, s := range steps {
					sum := 0.0
					for b := range law.States() {
						sum += max(0, law.Prob(b)-math.Exp(v)*law.Prob(b^s))
					}
					want = max(want, sum)
				}
				lo, hi := must.Be(curve.Delta(ctx, evidencetest.Epsilon(v))).Bounds()
				if lo > want+1e-12 || hi < want-1e-12 || hi-lo > 1e-14 {
					t.Errorf("%s, neighbors %d: δ(%v) in [%v, %v], want %v", name, k, v, lo, hi, want)
				}
			}
		}
	}
	still := must.Be(xor.NewNoiseLaw(1, 1, []*big.Rat{big.NewRat(1, 1), new(big.Rat)}))
	if pure := must.Be(must.Be(still.Under(xor.FlipBits(1))).Epsilon(ctx, evidence.Delta{})); !math.IsInf(pure.Float(), 1) {
		t.Errorf("without noise: ε = %v", pure)
	}
	if _, err := still.Under(xor.Neighbors{}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("no neighbors: %v", err)
	}
}

func TestNoiseLawDraws(t *testing.T) {
	const n, alpha = 1 << 18, 1e-9 // alpha is the false-positive rate over all states
	law := responses(2, 2)
	counts := make([]float64, law.States())
	for _, b := range must.Be(law.Noise(n, rand.NewPCG(1, 2))) {
		counts[b]++
	}
	radius := stattest.Radius(n, alpha/float64(len(counts)))
	for b, c := range counts {
		if math.Abs(c/n-law.Prob(b)) > radius {
			t.Errorf("state %d: %v, want %v ± %v", b, c/n, law.Prob(b), radius)
		}
	}
	if _, err := law.Noise(-1, rand.NewPCG(1, 2)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("-1 draws: %v", err)
	}
}

func TestNoiseLawRefusesInvalidWeights(t *testing.T) {
	for name, probs := range map[string][]*big.Rat{
		"three states": {big.NewRat(1, 3), big.NewRat(1, 3), big.NewRat(1, 3)}, "a negative one": {big.NewRat(2, 1), big.NewRat(-1, 1)},
		"a sum of 1/2": {big.NewRat(1, 2), new(big.Rat)}, "a missing one": {big.NewRat(1, 1), nil},
	} {
		if _, err := xor.NewNoiseLaw(1, 1, probs); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, weights := range map[string][]float64{
		"three states": {1, 1, 1}, "a negative one": {2, -1}, "no number": {math.NaN(), 1}, "nothing": {0, 0}, "too much": {math.MaxFloat64, math.MaxFloat64},
	} {
		if _, err := xor.NewWeightedNoiseLaw(1, 1, weights); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, shape := range [][2]int{{0, 1}, {17, 1}, {5, 4}, {1 << 40, 1 << 40}} {
		if _, err := xor.NewWeightedNoiseLaw(shape[0], shape[1], []float64{1}); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%v: %v", shape, err)
		}
	}
}

// Noise that only one of two neighbors can produce has no finite ε: both bounds are infinite.
func TestNoiseLawWithGapsHasNoEpsilon(t *testing.T) {
	l := must.Be(xor.NewNoiseLaw(1, 2, []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 4), big.NewRat(1, 4), new(big.Rat)}))
	pure := must.Be(must.Be(l.Under(xor.FlipBits(1))).Epsilon(t.Context(), evidence.Delta{}))
	if c, ok := pure.(evidence.Certified); !ok || !math.IsInf(c.Lo, 1) || !math.IsInf(c.Hi, 1) {
		t.Errorf("the smallest ε is %v", pure)
	}
}

// δ is right at ε near and above the logarithm of the largest ratio of probabilities, 300 ln 2.
func TestNoiseLawAtLargeEpsilon(t *testing.T) {
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 300))
	l := must.Be(xor.NewNoiseLaw(1, 1, []*big.Rat{new(big.Rat).Sub(big.NewRat(1, 1), tiny), tiny}))
	curve := must.Be(l.Under(xor.FlipBits(1)))
	for _, eps := range []float64{139, 150, 207.9, 208, 300} { // 300 ln 2 = 207.94
		lo, hi := must.Be(curve.Delta(t.Context(), evidencetest.Epsilon(eps))).Bounds()
		want := math.Max(0, 1-math.Exp(eps-300*math.Ln2))
		if lo > want+1e-9 || hi < want-1e-9 || hi > 1 {
			t.Errorf("δ(%v) in [%v, %v], want %v", eps, lo, hi, want)
		}
	}
}

// Compositions of an explicit law agree with the sum over all products in rational arithmetic, for every pattern.
func TestNoiseLawPairsAgainstProducts(t *testing.T) {
	ctx, rng := context.Background(), rand.New(rand.NewPCG(23, 1))
	for trial := range cases.Of(4, 12) {
		n, p := 1+rng.IntN(2), 1+rng.IntN(2)
		probs, sum := make([]*big.Rat, 1<<(n*p)), int64(0)
		for b := range probs {
			w := rng.Int64N(4) + int64(trial%2) // every other law has zeros
			probs[b], sum = big.NewRat(w, 1), sum+w
		}
		if sum == 0 {
			continue
		}
		for b := range probs {
			probs[b].Quo(probs[b], big.NewRat(sum, 1))
		}
		law := must.Be(xor.NewNoiseLaw(n, p, probs))
		for name, nb := range map[string]xor.Neighbors{"bit": xor.FlipBits(1), "bits": xor.FlipBits(2), "row": xor.FlipRows(1)} {
			f := must.Be(law.PairsUnder(nb))
			steps := must.Be(nb.Differences(n, p))
			for k := 1; k <= 3; k++ {
				for _, w := range []*big.Rat{big.NewRat(1, 1), big.NewRat(3, 2), big.NewRat(7, 1)} {
					e := evidence.Epsilon{}
					if w.Num().Int64() > 1 {
						e = must.Be(evidence.LogEpsilon("eps", w))
					}
					want := new(big.Rat)
					for _, s := range steps {
						if d := productDelta(probs, s, k, w); d.Cmp(want) > 0 {
							want = d
						}
					}
					got := must.Be(usesOf(t, f, k).Delta(ctx, e))
					if r := evidence.Rational(got); r != want.RatString() {
						t.Errorf("trial %d, %s, %d uses: δ(%v) = %v, want %s", trial, name, k, e, got, want.RatString())
					}
				}
			}
			single, curve := privacy.New(f), must.Be(law.Under(nb))
			for _, delta := range []float64{0, 0.1} {
				if got, want := fmt.Sprint(must.Be(single.Epsilon(ctx, evidencetest.Delta(delta)))), fmt.Sprint(must.Be(curve.Epsilon(ctx, evidencetest.Delta(delta)))); got != want {
					t.Errorf("one use: ε(%g) = %s, want %s", delta, got, want)
				}
			}
		}
	}
}
