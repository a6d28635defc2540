package signrp_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
	"dpworkbench/internal/stattest"
	"dpworkbench/privacy"
	"dpworkbench/signrp"
)

// Exactly drawn signs have the frequencies of their law, bit by bit. The test rejects a law with half the ε or twice
// the noise.
func TestDrawnSignsFollowTheirLaw(t *testing.T) {
	n := cases.Of(1<<12, 1<<14)
	ctx, u := context.Background(), []float64{0.3, -0.8, 0.1, 1, -0.45, 0.7}
	for _, kind := range []signrp.Kind{signrp.Rademacher, signrp.Gaussian} {
		w := must.Be(signrp.NewProjection(kind, len(u), 4, signrp.ProjectionOptions{Sparsity: 1, Seed: 3}))
		for _, r := range signrp.EveryRelease(t, w, evidencetest.Epsilon(2), .25) {
			law := slowLaw(t, r, u)
			counts, src := make([]int, w.K()), rand.NewPCG(21, 22)
			for range n {
				for j, s := range must.Be(r.Draw(ctx, u, nil, src)).Signs {
					if s > 0 {
						counts[j]++
					}
				}
			}
			told, fixed := false, true
			for j, count := range counts {
				chance := func(by float64) float64 { // Pr[+], with ε or 1/σ scaled by this factor
					if strings.HasSuffix(r.Name(), "-G") {
						return math.Erfc(math.Erfcinv(2*law[j].plus)*by) / 2
					}
					return 1 / (1 + math.Pow(law[j].minus/law[j].plus, by))
				}
				if p := chance(1); p == 0 || p == 1 {
					if count != int(p)*n {
						t.Errorf("%s: a fixed sign was + in %d of %d draws", r.Name(), count, n)
					}
					continue
				}
				fixed = false
				seen := []int{count, n - count}
				if _, _, tail := stattest.ChiSquare(seen, []float64{chance(1), 1 - chance(1)}); tail < 1e-9 {
					t.Errorf("%s, bit %d: tail probability %g", r.Name(), j, tail)
				}
				_, _, tail := stattest.ChiSquare(seen, []float64{chance(.5), 1 - chance(.5)})
				told = told || tail < 1e-9
			}
			if !told && !fixed {
				t.Errorf("%s: the test accepts a law with half the ε on every bit", r.Name())
			}
		}
	}
}

// strata is a source whose words are the midpoints of equal intervals, in order.
type strata struct{ parts, at uint64 }

func (s *strata) Uint64() uint64 {
	s.at++
	return uint64((float64(s.at-1) + 0.5) / float64(s.parts) * 0x1p64)
}

// If the source's words run through a grid of 1024 points instead of being random, the frequency of a plus differs from
// its probability by at most one point.
func TestDrawnSignsOnAGrid(t *testing.T) {
	const parts = 1024
	ctx := context.Background()
	for _, u := range [][]float64{{0.3, -0.8, 0.1}, {0, 0, 0}, {1, 1, -1}} {
		for _, w := range []*signrp.Projection{must.Be(signrp.NewProjection(signrp.Rademacher, 3, 1, signrp.ProjectionOptions{Sparsity: 1, Seed: 3})), must.Be(signrp.NewProjection(signrp.Gaussian, 3, 1, signrp.ProjectionOptions{Sparsity: 1, Seed: 4}))} {
			for _, r := range signrp.EveryRelease(t, w, evidencetest.Epsilon(2), .25) {
				if strings.HasSuffix(r.Name(), "-G") {
					continue
				}
				src, plus := &strata{parts: parts}, 0
				for range parts {
					plus += int(must.Be(r.Draw(ctx, u, nil, src)).Signs[0]+1) / 2
				}
				want := slowLaw(t, r, u)[0].plus
				if got := float64(plus) / parts; math.Abs(got-want) > 1.001/parts {
					t.Errorf("%s of %v: frequency of plus %g, want %g", r.Name(), u, got, want)
				}
			}
		}
	}
}

// Exactly drawn numbers are on the grid and normal around x. Their low bits reveal nothing about x. The test rejects
// noise that is 10 % larger.
func TestDrawnNumbersAreNormal(t *testing.T) {
	n := cases.Of(1<<13, 1<<15)
	ctx, u := context.Background(), []float64{0.3, -0.8, 0.1, 1}
	gaussian := must.Be(signrp.NewProjection(signrp.Gaussian, 4, 3, signrp.ProjectionOptions{Sparsity: 1, Seed: 3}))
	bins := must.Be(signrp.NewOPORP(ctx, 4, 2, 5))
	raw := must.Be(signrp.NewRaw(4, evidencetest.Epsilon(1), evidencetest.Delta(1e-5), signrp.RPOptions{Beta: 1}))
	releases := []*signrp.Release{raw}
	for _, w := range []*signrp.Projection{gaussian, bins} {
		releases = append(releases, must.Be(signrp.NewRP(ctx, w, evidencetest.Epsilon(1), evidencetest.Delta(1e-5), signrp.RPOptions{Beta: 1})))
	}
	for _, r := range releases {
		mean := u
		if r.Projection() != nil {
			mean = must.Be(r.Projection().Apply(ctx, u))
		}
		src := rand.NewPCG(31, 32)
		var z []float64
		low := make([]int, 16)
		for range n {
			out := must.Be(r.Draw(ctx, u, nil, src))
			for j, v := range out.Numbers {
				z = append(z, (v-mean[j])/sigmaOf(r))
				k := new(big.Rat).SetFloat64(v)
				if k.Quo(k, r.Grid()); !k.IsInt() {
					t.Fatalf("%s: %v is off the grid %v", r.Name(), v, r.Grid())
				}
				low[k.Num().Bit(0)|k.Num().Bit(1)<<1|k.Num().Bit(2)<<2|k.Num().Bit(3)<<3]++
			}
		}
		law := make([]float64, len(low))
		for i := range law {
			law[i] = 1.0 / float64(len(law))
		}
		if _, _, tail := stattest.ChiSquare(low, law); tail < 1e-9 {
			t.Errorf("%s: the low bits have tail probability %g", r.Name(), tail)
		}
		slices.Sort(z)
		radius := math.Sqrt(math.Log(2e9) / (2 * float64(len(z))))
		distance := func(scale float64) (worst float64) {
			for i, v := range z {
				p := math.Erfc(-v/scale/math.Sqrt2) / 2
				worst = max(worst, math.Abs(p-(float64(i)+.5)/float64(len(z))))
			}
			return worst
		}
		if d := distance(1); d > radius {
			t.Errorf("%s: off by %g, want at most %g", r.Name(), d, radius)
		}
		if d := distance(1.1); d <= radius {
			t.Errorf("%s: the test accepts noise that is 10 %% larger", r.Name())
		}
	}
}

// Noise that overflows float64 has no grid, and its release fails.
func TestDrawBeyondFloats(t *testing.T) {
	r := must.Be(signrp.NewRaw(4, evidencetest.Epsilon(1), evidencetest.Delta(1e-5), signrp.RPOptions{Beta: 1e308}))
	if g := r.Grid(); g != nil {
		t.Errorf("grid %v for infinite noise", g)
	}
	for _, grid := range []*big.Rat{nil, big.NewRat(1, 2)} {
		if _, err := r.Draw(context.Background(), make([]float64, 4), grid, nil); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("on a grid of %v: %v, want ErrParameter", grid, err)
		}
	}
}

// numberText formats a number for comparison: its bounds and kind, or its error.
func numberText(n evidence.Number, err error) string {
	if err != nil {
		return err.Error()
	}
	if n == nil {
		return "nothing"
	}
	lo, hi := n.Bounds()
	return fmt.Sprintf("%.12g…%.12g %v", lo, hi, n.Kind())
}

// The draws and the privacy of every release from a seed never change, to 12 digits. Other tests check that they are
// right.
func TestStreams(t *testing.T) {
	ctx := context.Background()
	want := map[signrp.Kind]string{
		signrp.OPORP:      "26e2eb17 81906ce3",
		signrp.Sparse:     "07a8871c fb034535",
		signrp.Uniform:    "2318c5e3 93521661",
		signrp.Gaussian:   "ecb3c10d e425758a",
		signrp.Rademacher: "d1e880e1 4618f52b",
	}
	for _, w := range signrp.AllKinds(t, 5, 4, 22) {
		rng := rand.New(rand.NewPCG(22, 71))
		drawn, judged := fnv.New32a(), fnv.New32a()
		for _, r := range signrp.AllReleases(t, w) {
			u, v := signrp.RandomVector(rng, 5), signrp.RandomVector(rng, 5)
			copy(v, u)
			v[3] = math.Max(-1, u[3]-.25)
			src := rand.NewPCG(22, 72)
			for range 5 {
				out := must.Be(r.Sample(ctx, u, src))
				fmt.Fprintf(drawn, "%.9f %v", out.Numbers, out.Signs)
			}
			fmt.Fprint(drawn, src.Uint64())
			for _, c := range []privacy.Profile{r.Pair(u, v), r.Neighbors(u), r.Ball(u), r.Public()} {
				fmt.Fprintln(judged, r.Name(), numberText(c.Epsilon(ctx, evidence.Delta{})), numberText(c.Epsilon(ctx, evidencetest.Delta(.01))), numberText(c.Delta(ctx, evidencetest.Epsilon(.5))))
			}
			if r.Projection() != nil {
				worst, err := r.Neighbors(u).Worst(ctx)
				fmt.Fprintln(judged, numberText(worst.Epsilon, err), worst.Coordinate, worst.To)
			}
			fmt.Fprintln(judged, r.Label(), r.K(), r.P(), r.Delta(), r.Beta(), r.Signs(), r.Individual(), r.DataDependent(), r.HasSigma(), r.ClaimedEpsilon())
			sigma, err := r.Sigma()
			fmt.Fprintln(judged, numberText(sigma, err))
		}
		if got := fmt.Sprintf("%08x %08x", drawn.Sum32(), judged.Sum32()); got != want[w.Kind()] {
			t.Errorf("%s: %q, want %q", w.Kind(), got, want[w.Kind()])
		}
	}
}

// script is a source of the given words, followed by zeros.
type script []uint64

func (s *script) Uint64() (word uint64) {
	if len(*s) > 0 {
		word, *s = (*s)[0], (*s)[1:]
	}
	return word
}

// normalOf returns words that make a positive standard normal number below 1. Its fraction begins with first.
func normalOf(first uint64) *script {
	return &script{0, 1, first, ^uint64(0), 1}
}

// A draw returns an error if all its digits leave the grid cell or the sign undecided. This has probability 2^−65536,
// and the draw does not guess a value.
func TestDrawsThatAreNotDecided(t *testing.T) {
	ctx := t.Context()
	raw := must.Be(signrp.NewRaw(1, evidencetest.Epsilon(1), evidencetest.Delta(1e-3), signrp.RPOptions{Beta: 1}))
	sigma := new(big.Rat).SetFloat64(sigmaOf(raw))
	if out, err := raw.Draw(ctx, []float64{0}, sigma, normalOf(1<<63)); out.Numbers != nil || !errors.Is(err, sampling.ErrUndecided) {
		t.Errorf("σ/2 on a grid of σ: %v, %v", out, err)
	}
	for first, want := range map[uint64]float64{1<<63 - 1: 0, 1<<63 + 1: sigmaOf(raw)} {
		if out, err := raw.Draw(ctx, []float64{0}, sigma, normalOf(first)); err != nil || out.Numbers[0] != want {
			t.Errorf("next to σ/2 on a grid of σ: %v, %v, want %v", out, err, want)
		}
	}
	w := projectionWith([][]float64{{1}, {1}})
	noisy := must.Be(signrp.NewSignRP(ctx, w, evidencetest.Epsilon(1), signrp.SignOptions{Noise: signrp.GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: 1}))
	if out, err := noisy.Draw(ctx, []float64{0.5, -0.5}, nil, normalOf(0)); out.Signs != nil || !errors.Is(err, sampling.ErrUndecided) {
		t.Errorf("the sign with noise 0 around 0: %v, %v", out, err)
	}
	if out, err := noisy.Draw(ctx, []float64{0.5, -0.5}, nil, normalOf(1)); err != nil || out.Signs[0] != 1 {
		t.Errorf("the sign with positive noise: %v, %v", out, err)
	}

	// A sign is kept with probability 1/(1 + e^{−1}). The source returns exactly the digits of this probability.
	flips := must.Be(signrp.NewSignRP(ctx, w, evidencetest.Epsilon(1), signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1}))
	chance := sampling.Logistic(big.NewRat(1, 1))
	digits, _ := chance(sampling.MostBits + 128)
	var words script
	for at := sampling.MostBits + 64; at >= 0; at -= 64 {
		words = append(words, new(big.Int).Rsh(digits, uint(at)).Uint64())
	}
	var src rand.Source = &words
	if out, err := flips.Draw(ctx, []float64{0.5, 0.5}, nil, src); out.Signs != nil || !errors.Is(err, sampling.ErrUndecided) {
		t.Errorf("a uniform number that equals its threshold: %v, %v", out, err)
	}
}
