package mechanism_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/audit/audittest"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
	"dpworkbench/internal/stattest"
	"dpworkbench/mechanism"
)

// gridSource is a source that pairs every first word of a draw with every second word on a grid. Samplers then return each
// value with its exact frequency up to boundary effects.
type gridSource struct{ first, second, at uint64 }

func (g *gridSource) Uint64() uint64 {
	at := g.at
	g.at++
	if g.second == 0 {
		return uint64((float64(at) + 0.5) / float64(g.first) * 0x1p64)
	}
	i, j := at/2/g.second, at/2%g.second
	if at%2 == 0 {
		return uint64((float64(i) + 0.5) / float64(g.first) * 0x1p64)
	}
	return uint64((float64(j)+0.5)/float64(g.second)*0x1p64)&^3 | j&3 // samplers read the leading or the trailing digits
}

// With a grid as the source, frequencies match probabilities up to one grid step.
func TestReleaseOnGridOfSources(t *testing.T) {
	ctx, q := context.Background(), pathQuery(t, 5)
	all := map[string]mechanism.Mechanism{}
	for _, name := range names {
		all[name] = build(t, name, q, eps(t, 0.9))
		all[name+" at ln 3"] = build(t, name, q, ln(t, 3, 1))
	}
	table := must.For(mechanism.NewFinite(ctx, q, slices.Repeat([][]*big.Rat{{big.NewRat(1, 3), big.NewRat(1, 6), big.NewRat(0, 1), big.NewRat(5, 12), big.NewRat(1, 12)}}, q.Size()), nil))(t)
	all["table"] = table
	for name, m := range all {
		for x := range 3 {
			g := &gridSource{first: 1 << 16}
			n, off := 1<<16, 1.001/(1<<16)
			if _, layered := m.(*mechanism.Layered); layered { // layered mechanisms draw a layer, then a value in it
				g = &gridSource{first: 2048, second: 60}
				n, off = 2048*60, 1.001/2048
			}
			out, err := mechanism.Release(ctx, m, x, n, g)
			if err != nil {
				t.Fatal(name, err)
			}
			law := must.For(mechanism.Law(m, x))(t)
			counts := make([]int, len(law))
			for _, r := range out {
				counts[r]++
			}
			for r, p := range law {
				if got := float64(counts[r]) / float64(n); math.Abs(got-p) > off {
					t.Errorf("%s at %d: frequency of value %d = %g, want %g", name, x, r, got, p)
				}
			}
		}
	}
}

// Releases have the mechanism's law for rational and other e^ε, and an audit does not refute the smallest ε.
func TestReleaseKeepsLaw(t *testing.T) {
	ctx, q := context.Background(), pathQuery(t, 5)
	n := stattest.Draws(t, 1<<16)
	all := map[string]mechanism.Mechanism{}
	for _, name := range names {
		all[name] = build(t, name, q, eps(t, 0.9))
		all[name+" at ln 3"] = build(t, name, q, ln(t, 3, 1))
	}
	table := must.For(mechanism.NewFinite(ctx, q, slices.Repeat([][]*big.Rat{{big.NewRat(1, 3), big.NewRat(1, 6), big.NewRat(0, 1), big.NewRat(5, 12), big.NewRat(1, 12)}}, q.Size()), nil))(t)
	all["table"] = table
	for name, m := range all {
		var draws audittest.Draws
		for i, x := range []int{1, 2} {
			out, err := mechanism.Release(ctx, m, x, n, rand.NewPCG(uint64(x), 61))
			if err != nil {
				t.Fatal(name, err)
			}
			law := must.For(mechanism.Law(m, x))(t)
			counts := make([]int, len(law))
			for _, r := range out {
				counts[r]++
				draws[i] = append(draws[i], float64(r))
				if law[r] == 0 {
					t.Fatalf("%s gives value %d, which is impossible", name, r)
				}
			}
			stattest.Follows(t, name, counts, law)
		}
		e := must.For(mechanism.Privacy(m).Epsilon(ctx, evidence.Delta{}))(t)
		_, hi := e.Bounds()
		audittest.Hold(t, name, max(hi, 1e-6), 0, draws, audittest.Draws{})
	}
}

// Unseeded releases differ and seeded ones repeat. Bad parameters and ended contexts are errors.
func TestReleaseFromSystemSource(t *testing.T) {
	ctx, m := context.Background(), build(t, "ladder", pathQuery(t, 6), eps(t, 0.1))
	a := must.For(mechanism.Release(ctx, m, 3, 200, nil))(t)
	b, err := mechanism.Release(ctx, m, 3, 200, nil)
	if err != nil || slices.Equal(a, b) {
		t.Errorf("two releases of 200 values are equal: %v", err)
	}
	for _, x := range []int{-1, 6} {
		if _, err := mechanism.Release(ctx, m, x, 1, nil); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("dataset %d: %v", x, err)
		}
	}
	if _, err := mechanism.Release(ctx, m, 0, -1, nil); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("−1 draws: %v", err)
	}
	over, cancel := context.WithCancel(ctx)
	cancel()
	for _, name := range names {
		if _, err := mechanism.Release(over, build(t, name, pathQuery(t, 6), eps(t, 0.1)), 3, 9, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, interrupted: %v", name, err)
		}
	}
	unknown := opaque{m}
	if _, err := mechanism.Release(ctx, unknown, 3, 1, nil); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "no exact sampler") {
		t.Errorf("probabilities without rational values: %v", err)
	}
}

// Draws that stay undecided and laws that sum to 0 are errors, for tables and layers.
func TestReleaseErrors(t *testing.T) {
	for n, ok := range map[int]bool{-1: false, 0: true, 1 << 28: true, 1<<28 + 1: false} {
		if err := mechanism.CheckDraws(n); (err == nil) != ok {
			t.Errorf("%d draws: %v", n, err)
		}
	}
	ctx, q := t.Context(), pathQuery(t, 2)
	third, rest := big.NewRat(1, 3), big.NewRat(2, 3)
	table := must.For(mechanism.NewFinite(ctx, q, [][]*big.Rat{{third, rest}, {rest, third}}, nil))(t)
	levels := mechanism.NewLayered("layers", must.For(mechanism.NewLayerTable(ctx, q, []int32{1, 0, 0, 1}))(t), ln(t, 2, 1), evidence.Claimed{})
	for name, c := range map[string]struct {
		m   mechanism.Mechanism
		src constantSource
	}{"table at threshold 1/3": {table, 0x5555555555555555}, "layers at threshold 2/3": {levels, 0xaaaaaaaaaaaaaaaa}, "all weights zero": {empty{table}, 0}} {
		if out, err := mechanism.Release(ctx, c.m, 0, 1, c.src); out != nil || !errors.Is(err, sampling.ErrUndecided) {
			t.Errorf("%s: %v, %v", name, out, err)
		}
	}
}

// constantSource is a source that repeats one word.
type constantSource uint64

func (s constantSource) Uint64() uint64 { return uint64(s) }

// empty gives every value probability 0.
type empty struct{ mechanism.Mechanism }

func (empty) Rational(int, int) (*big.Rat, bool) { return new(big.Rat), true }

// opaque hides all rational probabilities.
type opaque struct{ mechanism.Mechanism }

func (opaque) Rational(int, int) (*big.Rat, bool) { return nil, false }

// Frequencies are within Hoeffding's radius of the law, with a false-positive rate of 1e-9 over all values. The law
// of another dataset fails the same test.
func TestSampleKeepsLaw(t *testing.T) {
	const n = 1 << 18
	q := randomQuery(t, rand.New(rand.NewPCG(7, 8)), 1)
	m := build(t, "ladder", q, eps(t, 1))
	size := len(q.Range())
	radius := math.Sqrt(math.Log(2*float64(size)/1e-9) / (2 * n))
	gap := func(drawn, law int) float64 {
		freq := make([]float64, size)
		draws := must.For(mechanism.Sample(m, drawn, n, rand.NewPCG(9, 10)))(t)
		for _, r := range draws {
			freq[r] += 1.0 / n
		}
		worst := 0.0
		for r := range freq {
			worst = max(worst, math.Abs(freq[r]-math.Exp(m.LogProb(law, r))))
		}
		return worst
	}
	if g := gap(0, 0); g > radius {
		t.Errorf("frequencies are off by %.2g, want ≤ %.2g", g, radius)
	}
	if g := gap(0, 1); g <= radius {
		t.Errorf("the law of another dataset passes: off by %.2g, radius %.2g", g, radius)
	}
	for _, bad := range [][2]int{{-1, 1}, {q.Size(), 1}, {0, -1}} {
		if _, err := mechanism.Sample(m, bad[0], bad[1], rand.NewPCG(9, 10)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%d draws at dataset %d: %v, want ErrParameter", bad[1], bad[0], err)
		}
	}
}
