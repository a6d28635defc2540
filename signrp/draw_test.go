package signrp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/stattest"
)

// Signs that are drawn exactly come up as often as the law's chances say, bit by bit, and
// not as often as those of a law at half the ε or twice the noise.
func TestDrawnSignsFollowTheirLaw(t *testing.T) {
	const n = 1 << 14
	ctx, u := context.Background(), []float64{0.3, -0.8, 0.1, 1, -0.45, 0.7}
	for _, kind := range []Kind{Rademacher, Gaussian} {
		w, err := NewProjection(kind, len(u), 4, ProjectionOptions{Sparsity: 1, Seed: 3})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range everyRelease(t, w, eps(t, 2), .25) {
			at, err := w.at(ctx, u, r.beta)
			if err != nil {
				t.Fatal(err)
			}
			l, err := r.law(ctx, at, norm(u))
			if err != nil {
				t.Fatal(err)
			}
			counts, src := make([]int, w.k), rand.NewPCG(21, 22)
			for range n {
				out, err := l.drawExactly(ctx, at, src)
				if err != nil {
					t.Fatal(err)
				}
				for j, s := range out {
					if s > 0 {
						counts[j]++
					}
				}
			}
			told := false
			for j, count := range counts {
				chance := func(by float64) float64 { // of a plus, at so much of the privacy
					switch {
					case l.fixed != nil && l.fixed[j]:
						return float64((1 + sign(at, j)) / 2)
					case l.normal:
						return math.Erfc(-l.z[j]*by/math.Sqrt2) / 2
					}
					return 1 / (1 + math.Exp(-float64(l.level[j])*l.eps.Value()*by))
				}
				if p := chance(1); p == 0 || p == 1 {
					if count != int(p)*n {
						t.Errorf("%s: a sign that is fixed came up %d times of %d", r.name, count, n)
					}
					continue
				}
				seen := []int{count, n - count}
				if _, _, tail := stattest.ChiSquare(seen, []float64{chance(1), 1 - chance(1)}); tail < 1e-9 {
					t.Errorf("%s, bit %d: a chance of %g", r.name, j, tail)
				}
				_, _, tail := stattest.ChiSquare(seen, []float64{chance(.5), 1 - chance(.5)})
				told = told || tail < 1e-9
			}
			if fixed := l.fixed != nil && !slices.Contains(l.fixed, false); !told && !fixed {
				t.Errorf("%s: a law at half the privacy passes on every bit", r.name)
			}
		}
	}
}

// strata is a source whose words lie in the midst of as many equal parts, one after the other.
type strata struct{ parts, at uint64 }

func (s *strata) Uint64() uint64 {
	s.at++
	return uint64((float64(s.at-1) + 0.5) / float64(s.parts) * 0x1p64)
}

// Flipped signs come up as often as their chance says for certain, but for one of a thousand parts at its end, where words run through all parts
// instead of being random.
func TestDrawnSignsOnAGrid(t *testing.T) {
	const parts = 1024
	ctx := context.Background()
	for _, u := range [][]float64{{0.3, -0.8, 0.1}, {0, 0, 0}, {1, 1, -1}} {
		for _, w := range []*Projection{must(NewProjection(Rademacher, 3, 1, ProjectionOptions{Sparsity: 1, Seed: 3})), must(NewProjection(Gaussian, 3, 1, ProjectionOptions{Sparsity: 1, Seed: 4}))} {
			for _, r := range everyRelease(t, w, eps(t, 2), .25) {
				at, err := w.at(ctx, u, r.beta)
				if err != nil {
					t.Fatal(err)
				}
				l, err := r.law(ctx, at, norm(u))
				if err != nil {
					t.Fatal(err)
				}
				if l.normal {
					continue
				}
				src, plus := &strata{parts: parts}, 0
				for range parts {
					out, err := l.drawExactly(ctx, at, src)
					if err != nil {
						t.Fatal(err)
					}
					plus += int(out[0]+1) / 2
				}
				want := 1 / (1 + math.Exp(-float64(l.level[0])*l.eps.Value()))
				if l.fixed != nil && l.fixed[0] {
					want = float64((1 + sign(at, 0)) / 2)
				}
				if got := float64(plus) / parts; math.Abs(got-want) > 1.001/parts {
					t.Errorf("%s of %v: a plus with %g, want %g", r.name, u, got, want)
				}
			}
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Numbers that are drawn exactly are normal about x, on the grid, and the grid's steps say
// nothing of x; noise that is larger by a twentieth is told.
func TestDrawnNumbersAreNormal(t *testing.T) {
	const n = 1 << 15
	ctx, u := context.Background(), []float64{0.3, -0.8, 0.1, 1}
	gaussian, err := NewProjection(Gaussian, 4, 3, ProjectionOptions{Sparsity: 1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	bins, err := NewOPORP(ctx, 4, 2, 5)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := NewRaw(4, eps(t, 1), evidencetest.Delta(1e-5), RPOptions{Beta: 1})
	if err != nil {
		t.Fatal(err)
	}
	releases := []*Release{raw}
	for _, w := range []*Projection{gaussian, bins} {
		r, err := NewRP(ctx, w, eps(t, 1), evidencetest.Delta(1e-5), RPOptions{Beta: 1})
		if err != nil {
			t.Fatal(err)
		}
		releases = append(releases, r)
	}
	for _, r := range releases {
		mean := u
		if r.w != nil {
			if mean, err = r.w.Apply(ctx, u); err != nil {
				t.Fatal(err)
			}
		}
		src := rand.NewPCG(31, 32)
		var z []float64
		low := make([]int, 16)
		for range n {
			out, err := r.Draw(ctx, u, nil, src)
			if err != nil {
				t.Fatal(err)
			}
			for j, v := range out.Numbers {
				z = append(z, (v-mean[j])/r.sigma.Hi)
				k := new(big.Rat).SetFloat64(v)
				if k.Quo(k, r.Grid()); !k.IsInt() {
					t.Fatalf("%s: %v is off the grid %v", r.name, v, r.Grid())
				}
				low[k.Num().Bit(0)|k.Num().Bit(1)<<1|k.Num().Bit(2)<<2|k.Num().Bit(3)<<3]++
			}
		}
		law := make([]float64, len(low))
		for i := range law {
			law[i] = 1.0 / float64(len(law))
		}
		if _, _, tail := stattest.ChiSquare(low, law); tail < 1e-9 {
			t.Errorf("%s: low bits have a chance of %g", r.name, tail)
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
			t.Errorf("%s: off by %g, want at most %g", r.name, d, radius)
		}
		if d := distance(1.1); d <= radius {
			t.Errorf("%s: noise that is larger by a tenth passes", r.name)
		}
	}
}

// What does not suit is refused, and the context's end is told.
func TestDrawRefuses(t *testing.T) {
	ctx := context.Background()
	raw, err := NewRaw(2, eps(t, 1), evidencetest.Delta(1e-5), RPOptions{Beta: 1})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		u    []float64
		grid *big.Rat
	}{
		"short":   {u: []float64{1}},
		"large":   {u: []float64{1, 2}},
		"NaN":     {u: []float64{1, math.NaN()}},
		"no grid": {[]float64{1, 1}, new(big.Rat)},
		"below":   {[]float64{1, 1}, big.NewRat(-1, 2)},
	} {
		if _, err := raw.Draw(ctx, c.u, c.grid, nil); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
	}
	w, err := NewProjection(Rademacher, 2, 2, ProjectionOptions{Sparsity: 1, Seed: 3})
	if err != nil {
		t.Fatal(err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	for _, r := range append(everyRelease(t, w, eps(t, 1), 1), raw) {
		if _, err := r.Draw(over, []float64{1, 0}, nil, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", r.name, err)
		}
		if !r.Signs() {
			continue
		}
		if _, err := r.Draw(ctx, []float64{1, 0}, big.NewRat(1, 2), nil); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s on a grid: %v, want ErrParameter", r.name, err)
		}
		out, err := r.Draw(ctx, []float64{1, 0}, nil, nil)
		if err != nil || len(out.Signs) != 2 {
			t.Errorf("%s: %s, %v", r.name, fmt.Sprint(out), err)
		}
	}
}

// Noise beyond all float64s has no grid, and its release is an error.
func TestDrawBeyondFloats(t *testing.T) {
	r, err := NewRaw(4, eps(t, 1), evidencetest.Delta(1e-5), RPOptions{Beta: 1e308})
	if err != nil {
		t.Fatal(err)
	}
	if g := r.Grid(); g != nil {
		t.Errorf("a grid of %v", g)
	}
	for _, grid := range []*big.Rat{nil, big.NewRat(1, 2)} {
		if _, err := r.Draw(context.Background(), make([]float64, 4), grid, nil); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("on a grid of %v: %v, want ErrParameter", grid, err)
		}
	}
}
