package networks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"
	"dpworkbench/xor"
)

// word is a source that gives one word for ever.
type word uint64

func (w word) Uint64() uint64 { return uint64(w) }

// A coin shows heads with its chance, to Hoeffding's radius at a false-positive rate of 1e-9, and a half is decided by the first bit.
func TestCoin(t *testing.T) {
	const n = 1 << 14
	src := rand.NewPCG(22, 10)
	for _, p := range []float64{0, 0.125, 0.5, 0.75, 1} {
		heads := 0
		for range n {
			if coin(p, src) {
				heads++
			}
		}
		if gap := math.Abs(float64(heads)/n - p); gap > stattest.Radius(n, 1e-9/5) || (p == 0 || p == 1) && gap > 0 {
			t.Errorf("chance %g: %d heads of %d", p, heads, n)
		}
	}
	for w, below := range map[word]bool{0: true, 1<<63 - 1: true, 1 << 63: false, math.MaxUint64: false} {
		if coin(0.5, w) != below {
			t.Errorf("a half at %x: %t", uint64(w), !below)
		}
	}
}

// ε times a number is that where it has few digits, and else no less, by less than 2⁻³⁸ of it.
func TestScaledIsNoLess(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 11))
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	for k := range 400 {
		size := uint(1 + rng.IntN(40))
		if k%2 == 1 {
			size = uint(41 + rng.IntN(30))
		}
		draw := func() *big.Int {
			v := new(big.Int).SetUint64(rng.Uint64() >> 1)
			v.Lsh(v, 30).Rsh(v, 93-size)
			return v.SetBit(v, int(size)-1, 1)
		}
		times := new(big.Rat).SetFrac(draw(), draw())
		got := scaled(eps, times)
		lo, hi := got.Enclosure().Bounds()
		want, _ := times.Float64()
		switch rounded := new(big.Rat).SetFloat64(hi).Cmp(times) >= 0; {
		case !rounded || hi > want*(1+0x1p-38)+0x1p-39:
			t.Fatalf("ε·%v = %v, want no less than %v", times, got, want)
		case size <= 40 && (lo > want*(1+1e-15) || hi > want*(1+1e-15)):
			t.Fatalf("ε·%v = %v, want %v", times, got, want)
		}
	}
}

// The two graphs that a change names differ in one edge, and what is measured of them is the change: of every kind that there is, each once.
func TestChangesAreNamed(t *testing.T) {
	const n = 4
	p := must.For(NewPygmalion(ln(t, 4, 1), PygmalionOptions{AllTuples: true}))(t)
	measure := func(g *graph) measurement { _, m := p.tuples(g); return m }
	named := func(text string) (*graph, map[string]bool) {
		edges, all := [][2]int{}, map[string]bool{}
		for edge := range strings.FieldsSeq(text) {
			var u, v int
			if _, err := fmt.Sscanf(edge, "%d-%d", &u, &v); err == nil {
				edges, all[edge] = append(edges, [2]int{u, v}), true
			}
		}
		return must.For(readGraph(graphOf(t, n, edges...)))(t), all
	}
	list := must.For(changes(t.Context(), n, measure))(t)
	kinds := map[string]bool{}
	for _, c := range list {
		x, ex := named(c.x)
		y, ey := named(c.y)
		apart := 0
		for e := range ex {
			if !ey[e] {
				apart++
			}
		}
		for e := range ey {
			if !ex[e] {
				apart++
			}
		}
		var parts []string
		mx, my := measure(x), measure(y)
		for i, e := range mx.entries {
			if f := my.entries[i]; e != f {
				parts = append(parts, e.key()+">"+f.key())
			}
		}
		var told []string
		for i, e := range c.before {
			told = append(told, e.key()+">"+c.after[i].key())
		}
		slices.Sort(parts)
		slices.Sort(told)
		if apart != 1 || !slices.Equal(parts, told) || kinds[fmt.Sprint(told)] {
			t.Errorf("%q and %q: %d edges apart, %v, want %v", c.x, c.y, apart, parts, told)
		}
		kinds[fmt.Sprint(told)] = true
	}
	pairs := pairsOf(n) // every neighbor's change is there
	for code := range 1 << len(pairs) {
		for k := range pairs {
			mx, my := measure(decoded(n, pairs, code)), measure(decoded(n, pairs, code^1<<k))
			var parts []string
			for i, e := range mx.entries {
				if f := my.entries[i]; e != f {
					parts = append(parts, e.key()+">"+f.key())
				}
			}
			slices.Sort(parts)
			if !kinds[fmt.Sprint(parts)] {
				t.Fatalf("no change is %v", parts)
			}
		}
	}
	looks.Each(t, 2, func(ctx context.Context) error {
		a, err := p.Measured(ctx, n, Edge)
		if err != nil {
			return err
		}
		_, err = a.Delta(ctx, ln(t, 2, 1))
		return err
	})
}

// Of the true series the degrees get the nodes that have them: over many seeds every node of a path is joined to some other, and never are there more edges
// or others than the series has.
func TestSeriesGiveDegreesTheirNodes(t *testing.T) {
	for name, c := range map[string]struct {
		n     int
		edges [][2]int
	}{
		"a path": {4, [][2]int{{0, 1}, {1, 2}, {2, 3}}}, "a star": {5, [][2]int{{0, 1}, {0, 2}, {0, 3}, {0, 4}}},
		"a cycle and an edge": {7, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}, {5, 6}}},
	} {
		series := must.For(readGraph(graphOf(t, c.n, c.edges...)))(t).series()
		var at []tuple
		var counts []int
		for tuple, count := range series {
			at, counts = append(at, tuple), append(counts, count)
		}
		whole := 0
		for seed := range uint64(300) {
			out := must.For(makeSeries(t.Context(), c.n, at, counts, false, rand.NewPCG(seed, 1)))(t)
			g := must.For(readGraph(out))(t)
			if out.Ones()/2 > len(c.edges) {
				t.Fatalf("%s: %d edges, want at most %d", name, out.Ones()/2, len(c.edges))
			}
			if !slices.Contains(g.degrees(), 0) {
				whole++
			}
		}
		if whole == 0 {
			t.Errorf("%s: some node is always left alone", name)
		}
	}
}

// DPCD finds the communities that are there where its noise is small, the same for a seed, and where it is large other ones; it stops.
func TestCommunitiesWithNoise(t *testing.T) {
	var edges [][2]int
	for _, first := range []int{0, 7} {
		for u := first; u < first+7; u++ {
			for v := u + 1; v < first+7; v++ {
				edges = append(edges, [2]int{u, v})
			}
		}
	}
	g := graphOf(t, 14, edges...)
	cliques := "[[0 1 2 3 4 5 6] [7 8 9 10 11 12 13]]"
	draw := func(ctx context.Context, eps float64, seed uint64) (string, error) {
		d := must.For(NewDPCD(must.For(evidence.NewEpsilon("eps", eps))(t), 2, DPCDOptions{}))(t)
		sets, err := d.Communities(ctx, g, rand.NewPCG(seed, 1))
		return fmt.Sprint(sets), err
	}
	others := map[string]bool{}
	for seed := range uint64(6) {
		if got := must.For(draw(t.Context(), 1e6, seed))(t); got != cliques {
			t.Errorf("with little noise %s", got)
		}
		a, b := must.For(draw(t.Context(), 0.01, seed))(t), must.For(draw(t.Context(), 0.01, seed))(t)
		if a != b {
			t.Errorf("seed %d gives %s and %s", seed, a, b)
		}
		others[a] = true
	}
	if len(others) < 2 || others[cliques] && len(others) == 1 {
		t.Errorf("noise for ε = 0.01 changes nothing: %v", others)
	}
	looks.Each(t, 1, func(ctx context.Context) error {
		_, err := draw(ctx, 1e6, 1)
		return err
	})
	if _, err := new(DPCD).Communities(t.Context(), (*xor.Bits)(nil), nil); !errors.Is(err, evidence.ErrParameter) {
		t.Error(err)
	}
}
