package continuous_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
	"dpworkbench/internal/stattest"
)

// Releases in the plane have the expected frequencies in the layers of K and in the sectors of its edges. The K-norm of
// the noise is the sum of two exponential variables, with density ε²t·e^{−εt}. Sectors have probabilities proportional
// to their areas.
func TestPlaneReleases(t *testing.T) {
	const n, eps = 1 << 13, 0.7
	k := plane(t, evidencetest.Epsilon(eps), [2]int64{3, 1}, [2]int64{1, 2})
	out := must.For(k.Release(context.Background(), continuous.Point{new(big.Rat), new(big.Rat)}, n, nil, rand.NewPCG(41, 42)))(t)
	grid := k.DefaultGrid()
	counts := make([]int, 12)
	halves := make([]int, 2)
	for _, v := range out {
		p := continuous.Point{new(big.Rat).SetFloat64(v[0]), new(big.Rat).SetFloat64(v[1])}
		if !new(big.Rat).Quo(p[0], grid).IsInt() || !new(big.Rat).Quo(p[1], grid).IsInt() {
			t.Fatalf("%v is off the grid %v", v, grid)
		}
		counts[min(k.Layer(p).Int64(), int64(len(counts)-1))]++
		if v[0] > 0 {
			halves[0]++
		} else {
			halves[1]++
		}
	}
	law := func(rate float64) []float64 {
		below := func(x float64) float64 { return 1 - math.Exp(-rate*x)*(1+rate*x) }
		p := make([]float64, len(counts))
		for i := range p {
			p[i] = below(float64(i+1)) - below(float64(i))
		}
		p[len(p)-1] = 1 - below(float64(len(p)-1))
		return p
	}
	if _, _, tail := stattest.ChiSquare(counts, law(eps)); tail < 1e-9 {
		t.Errorf("the frequencies of layers have p-value %g: %v", tail, counts)
	}
	if _, _, tail := stattest.ChiSquare(counts, law(eps*1.1)); tail > 1e-9 {
		t.Errorf("the law of another ε passes with p-value %g", tail)
	}
	if _, _, tail := stattest.ChiSquare(halves, []float64{.5, .5}); tail < 1e-9 {
		t.Errorf("halves of the plane have p-value %g", tail)
	}
}

// In the attack on float64 noise (Mironov 2012), the set of possible outputs reveals the answer. Released outputs are
// multiples of the grid for all answers, and their lowest grid digits are uniform within float64. Simulated outputs
// are vulnerable.
func TestReleasesHideLowBits(t *testing.T) {
	n := cases.Of(1<<12, 1<<13)
	for name, m := range drawers(t) {
		if continuous.IsDiscrete(m) {
			continue
		}
		grid := continuous.DefaultGrid(m)
		law := make([]float64, 16)
		for i := range law {
			law[i] = 1.0 / 16
		}
		for _, answer := range cases.Of([]*big.Rat{big.NewRat(1, 3)}, []*big.Rat{new(big.Rat), big.NewRat(1, 1), big.NewRat(1, 3), big.NewRat(-1e6, 7)}) {
			out := must.For(continuous.Release(context.Background(), m, answer, n, nil, rand.NewPCG(51, 52)))(t)
			counts := make([]int, 16)
			for _, v := range out {
				k := new(big.Rat).Quo(new(big.Rat).SetFloat64(v), grid)
				if !k.IsInt() {
					t.Fatalf("%s at %v: %v is off the grid %v", name, answer, v, grid)
				}
				counts[new(big.Int).And(k.Num(), big.NewInt(15)).Int64()]++
			}
			if _, _, tail := stattest.ChiSquare(counts, law); tail < 1e-9 {
				t.Errorf("%s at %v: the low bits have p-value %g", name, answer, tail)
			}
		}
		draws := must.For(m.Noise(n, rand.NewPCG(51, 52)))(t)
		off := 0
		for _, v := range draws {
			if !new(big.Rat).Quo(new(big.Rat).SetFloat64(v), grid).IsInt() {
				off++
			}
		}
		if off < n/2 {
			t.Errorf("%s: %d of %d simulated draws are off the grid; the attack should see them", name, off, n)
		}
	}
}

// Release accepts every valid grid. It rejects invalid grids and mechanisms without a sampler.
func TestReleaseGrids(t *testing.T) {
	ctx := context.Background()
	for name, m := range drawers(t) {
		for _, text := range []string{"1/3", "100", "1e-40"} {
			grid := fractionOf(t, text)
			out := must.For(continuous.Release(ctx, m, big.NewRat(7, 2), 50, grid, nil))(t)
			for _, v := range out {
				k := new(big.Rat).Quo(new(big.Rat).SetFloat64(v), grid)
				f, _ := k.Float64()
				nearest, _ := new(big.Rat).Mul(new(big.Rat).SetInt64(int64(math.Round(f))), grid).Float64()
				if text != "1e-40" && nearest != v {
					t.Errorf("%s: %v is not a multiple of %s", name, v, text)
				}
			}
		}
		for _, bad := range []*big.Rat{new(big.Rat), big.NewRat(-1, 2)} {
			if _, err := continuous.Release(ctx, m, new(big.Rat), 1, bad, nil); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("%s on a grid of %v: %v, want ErrParameter", name, bad, err)
			}
		}
		if _, err := continuous.Release(ctx, m, new(big.Rat), -1, nil, nil); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, want ErrParameter", name, err)
		}
		over, cancel := context.WithCancel(ctx)
		cancel()
		if _, err := continuous.Release(over, m, new(big.Rat), 10, nil, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", name, err)
		}
		if _, err := continuous.Release(ctx, withoutSampler{m}, new(big.Rat), 1, nil, nil); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s without a sampler: %v, want ErrParameter", name, err)
		}
	}
}

// withoutSampler is a mechanism without a sampler.
type withoutSampler struct{ continuous.Mechanism }

// If the random digits never decide a release, it returns an error and no number. The cases fall on the boundary
// between two edges, on the edge of a triangle, and halfway between multiples of the grid.
func TestUndecidedDraws(t *testing.T) {
	const half, all = 1 << 63, math.MaxUint64
	zero := continuous.Point{new(big.Rat), new(big.Rat)}
	third := fractionOf(t, "1/3")
	plane := must.For(continuous.NewKNormPlane([]continuous.Point{{third, new(big.Rat)}, {new(big.Rat), fractionOf(t, "1")}}, evidencetest.Epsilon(1)))(t)
	line := must.For(continuous.NewKNormLine([]*big.Rat{big.NewRat(1, 1)}, evidencetest.Epsilon(1)))(t)
	laplace := must.For(continuous.NewLaplace(queryOf(t, "0", "1"), evidencetest.Epsilon(1)))(t)
	one := big.NewRat(1, 1)
	segment, points := queryOf(t, "0", "1"), queryOf(t, "1", "1")
	ln2 := must.For(evidence.LogEpsilon("eps", big.NewRat(2, 1)))(t)
	released := func(m continuous.Mechanism) func(src rand.Source) (any, error) {
		return func(src rand.Source) (any, error) {
			out, err := continuous.Release(context.Background(), m, new(big.Rat), 1, one, src)
			if out == nil {
				return nil, err
			}
			return out, err
		}
	}
	of := func(k *continuous.KNorm) func(src rand.Source) (any, error) {
		return func(src rand.Source) (any, error) {
			out, err := k.Release(context.Background(), zero, 1, one, src)
			if out == nil {
				return nil, err
			}
			return out, err
		}
	}
	below := []uint64{all, half, 5, all} // words for an exponential variable of 1 − 2⁻ᵏ
	first := &stattest.Spelled{Words: []uint64{half, all}, Tail: 7}
	if k, err := sampling.GeometricOver(sampling.Int(1), first); err != nil || k.Sign() != 0 {
		t.Fatal(k, err)
	}
	decided := []uint64{half, all}
	for len(decided) < first.Taken {
		decided = append(decided, first.Tail)
	}
	for name, c := range map[string]struct {
		do  func(src rand.Source) (any, error)
		src stattest.Spelled
	}{
		"between edges":        {of(plane), stattest.Spelled{Words: []uint64{half}, Tail: 0}},
		"on a triangle's edge": {of(plane), stattest.Spelled{Words: []uint64{0, half, half}, Tail: 0}},
		"halfway on the line":  {of(line), stattest.Spelled{Words: []uint64{half, all, 0}, Tail: 0}},
		"halfway of Laplace":   {released(laplace), stattest.Spelled{Words: []uint64{half, all, 0}, Tail: 0}},
		"between steps":        {released(must.For(continuous.NewStaircase(segment, ln2, fractionOf(t, "1/2")))(t)), stattest.Spelled{Words: nil, Tail: all / 3}}, // ¼ and ½
		// The following draws are undecided only after a decided number, after a later step, or after a step and a
		// place in it.
		"just below a difference": {released(must.For(continuous.NewGeometric(points, evidencetest.Epsilon(1)))(t)), stattest.Spelled{Words: append(decided, below...), Tail: all}},
		"just below a later step": {released(must.For(continuous.NewStaircase(segment, evidencetest.Epsilon(1), fractionOf(t, "1/2")))(t)), stattest.Spelled{Words: append([]uint64{all - 1, 5}, below...), Tail: all}},
		"just below a layer":      {released(must.For(continuous.NewGeometric(points, evidencetest.Epsilon(1)))(t)), stattest.Spelled{Words: []uint64{all, half, 5, all}, Tail: all}}, // 1 − 2⁻ᵏ
	} {
		src := c.src
		if v, err := c.do(&src); v != nil || !errors.Is(err, sampling.ErrUndecided) {
			t.Errorf("%s: %v, error %v", name, v, err)
		}
		if v, err := c.do(rand.NewPCG(1, 1)); v == nil || err != nil {
			t.Errorf("%s, with other digits: %v, error %v", name, v, err)
		}
	}
	for name, c := range map[string]struct {
		n    int
		grid *big.Rat
	}{"−1 draws": {-1, one}, "a grid of 0": {1, new(big.Rat)}, "a grid of −1": {1, big.NewRat(-1, 1)}} {
		if v, err := plane.Release(context.Background(), zero, c.n, c.grid, nil); v != nil || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, error %v", name, v, err)
		}
	}
	// If the area of an edge cannot be distinguished from 0, Release returns ErrUndecided.
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 70000))
	flat := must.For(continuous.NewKNormPlane([]continuous.Point{{tiny, new(big.Rat)}, {new(big.Rat), fractionOf(t, "1")}}, evidencetest.Epsilon(1)))(t)
	if v, err := flat.Release(context.Background(), zero, 1, one, nil); v != nil || !errors.Is(err, sampling.ErrUndecided) {
		t.Errorf("an edge with almost no area: %v, error %v", v, err)
	}
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
		_, err := plane.Release(ctx, zero, 257, one, rand.NewPCG(1, 1))
		return err
	})
}

// With a grid, a discrete release is the multiple nearest to answer plus noise. Without one, it is answer plus noise.
func TestDiscreteReleasesOnGrids(t *testing.T) {
	q := queryOf(t, "1", "1", "3", "3")
	m := must.For(continuous.NewGeometric(q, evidencetest.Epsilon(0.4)))(t)
	answer := big.NewRat(22, 7)
	plain := must.For(continuous.Release(context.Background(), m, answer, 200, nil, rand.NewPCG(3, 4)))(t)
	for _, grid := range []*big.Rat{big.NewRat(3, 1), big.NewRat(1, 4), big.NewRat(7, 2), big.NewRat(1, 1)} {
		got := must.For(continuous.Release(context.Background(), m, answer, 200, grid, rand.NewPCG(3, 4)))(t)
		for i, v := range got {
			ideal := new(big.Rat).Add(answer, big.NewRat(int64(math.Round(plain[i]-22./7)), 1))
			if off, _ := ideal.Float64(); off != plain[i] {
				t.Fatalf("draw %d is %v, want %v and a whole number", i, plain[i], answer)
			}
			at := new(big.Rat).SetFloat64(v)
			if !new(big.Rat).Quo(at, grid).IsInt() {
				t.Fatalf("%v is off the grid %v", v, grid)
			}
			off := at.Sub(at, ideal)
			if off.Abs(off).Mul(off, big.NewRat(2, 1)).Cmp(grid) > 0 {
				t.Fatalf("%v is released on the grid %v as %v", ideal, grid, v)
			}
		}
	}
}
