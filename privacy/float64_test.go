package privacy

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/privacy/internal/pld"
)

// mixtures are pairs whose divergences have closed forms.
func mixtures(t *testing.T) map[string]Pair {
	t.Helper()
	out := map[string]Pair{}
	for _, mu := range []float64{0.05, 1} {
		out[fmt.Sprintf("normal %g", mu)] = Normal(interval.Float(mu))
	}
	for _, e := range []float64{0.7} {
		eps, err := evidence.NewEpsilon("eps", e)
		if err != nil {
			t.Fatal(err)
		}
		out[fmt.Sprintf("Laplace %g", e)] = Laplace(eps)
	}
	for name, p := range maps.Clone(out) {
		for _, rate := range []*big.Rat{big.NewRat(1, 1000), big.NewRat(1, 3)} {
			for kind, of := range map[string]mixture{"removal": removal, "addition": addition, "replacement": replacement} {
				out[fmt.Sprintf("%s of %s at %s", kind, name, rate.RatString())] = subsamplePair(p, rate, of)
			}
		}
	}
	return out
}

func float64Of(t *testing.T, p Pair, times int) *pld.Account {
	t.Helper()
	f, err := p.float64Pair(t.Context())
	if err != nil || f == nil {
		t.Fatalf("no pair in float64: %v", err)
	}
	return &pld.Account{Parts: []pld.Part{{Upper: f.above, Lower: f.below, Times: times}}}
}

// One use, whose bounds must hold the closed form.
func TestFloat64DeltaEnclosesClosedForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for name, p := range mixtures(t) {
		_, most := p.LossRange().Bounds()
		for range 2 {
			at := min(most, 12) * rng.Float64()
			eps, err := evidence.NewEpsilon("eps", at)
			if err != nil {
				t.Fatal(err)
			}
			want, err := p.Delta(t.Context(), eps)
			if err != nil {
				t.Fatal(err)
			}
			least, size := want.Enclosure.Bounds()
			if size < 1e-60 { // asked of many uses
				continue
			}
			lo, hi, err := float64Of(t, p, 1).Delta(t.Context(), at, at, 1e-3)
			switch {
			case err != nil:
				t.Errorf("%s, ε = %g: %v", name, at, err)
			case lo > size || hi < least:
				t.Errorf("%s: δ(%g) in [%g, %g], is %g", name, at, lo, hi, size)
			case hi-lo > 0.05*size && !strings.HasSuffix(name, "1/1000"): // whose losses hardly differ
				t.Errorf("%s: δ(%g) in [%g, %g] is wide for %g", name, at, lo, hi, size)
			}
		}
	}
}

// Many uses of Gaussian noise are one of more, at any depth.
func TestFloat64DeltaOfGaussianUses(t *testing.T) {
	for _, c := range []struct {
		mu    float64
		times int
		eps   float64
	}{{0.01, 100_000, 27.1359}, {0.05, 1000, 8.3}, {0.05, 1000, 50}, {1, 3, 30}, {2, 40, 300}} {
		eps, _ := evidence.NewEpsilon("eps", c.eps)
		total := interval.Float(c.mu).Mul(interval.Int(int64(c.times)).Sqrt())
		want, err := Normal(total).Delta(t.Context(), eps)
		if err != nil {
			t.Fatal(err)
		}
		least, most := want.Enclosure.Bounds()
		lo, hi, err := float64Of(t, Normal(interval.Float(c.mu)), c.times).Delta(t.Context(), c.eps, c.eps, 1e-3)
		if err != nil || lo > most || hi < least || hi-lo > 2e-3*most {
			t.Errorf("%d uses at μ = %g: δ(%g) in [%g, %g], is %g: %v", c.times, c.mu, c.eps, lo, hi, most, err)
		}
	}
}

// The route over whole numbers shares nothing with this one but the formulas of the pairs.
func TestFloat64OverlapsWholeNumbers(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	pairs := mixtures(t)
	for _, name := range []string{"Laplace 0.7", "removal of normal 1 at 1/1000", "addition of normal 1 at 1/3", "replacement of Laplace 0.7 at 1/3"} {
		for range 2 {
			times := 2 + rng.IntN(30)
			delta := math.Pow(10, -2-10*rng.Float64())
			c := newComposition(0, []factor{{pairs[name], times}})
			s, err := c.sumsAt(t.Context(), workingPrecision(delta, float64(times)))
			if err != nil {
				t.Fatal(err)
			}
			exact := new(big.Rat)
			exact.SetFloat64(delta)
			least, most := s.epsilon(exact).Bounds()
			lo, hi, err := float64Of(t, pairs[name], times).Epsilon(t.Context(), delta, delta, 1e-4, math.Inf(-1))
			if err != nil || lo > most || hi < least || hi-lo > 1e-3*hi {
				t.Errorf("%d uses of %s: ε(%g) in [%g, %g], by whole numbers in [%g, %g]: %v", times, name, delta, lo, hi, least, most, err)
			}
		}
	}
}
