package networks

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"
	"dpworkbench/xor"
)

// smooth is isotonic regression, rounded to integers of at least 0. The reference is the max-min formula in rational
// arithmetic: the largest over j ≤ i of the least mean from j to k ≥ i.
func TestSmoothIsIsotonicRegression(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for range 300 {
		n := 1 + rng.IntN(7)
		entries, noise := make([]entry, n), make([]int, n)
		order := make([]int, n)
		for i := range entries {
			entries[i].value, noise[i], order[i] = rng.IntN(4), rng.IntN(15)-5, i
		}
		slices.SortStableFunc(order, func(a, b int) int { return entries[a].value - entries[b].value })
		want := make([]int, n)
		for i := range n {
			var best *big.Rat
			for j := 0; j <= i; j++ {
				var least *big.Rat
				for k := i; k < n; k++ {
					sum := int64(0)
					for _, at := range order[j : k+1] {
						sum += int64(noise[at])
					}
					if mean := big.NewRat(sum, int64(k-j+1)); least == nil || mean.Cmp(least) < 0 {
						least = mean
					}
				}
				if best == nil || least.Cmp(best) > 0 {
					best = least
				}
			}
			f, _ := best.Float64()
			want[order[i]] = max(0, int(math.Floor(f+0.5)))
		}
		if got := smooth(entries, slices.Clone(noise)); !slices.Equal(got, want) {
			t.Fatalf("%v in the order of %v: %v, want %v", noise, entries, got, want)
		}
	}
	if got := smooth(make([]entry, 2), []int{1 << 30, 0}); !slices.Equal(got, []int{1 << 29, 1 << 29}) {
		t.Errorf("numbers at the limits: %v", got)
	}
}

// dealt assigns nodes to the degrees of a series. nearest finds the degree that replaces a degree without nodes.
func TestDealtNodes(t *testing.T) {
	order := []int{4, 2, 0, 3, 1}
	for _, c := range []struct {
		at     []tuple
		counts []int
		n      int
		want   string
	}{
		{[]tuple{{1, 1}}, []int{1}, 4, "[[] [4 2]]"},
		{[]tuple{{1, 1}}, []int{0}, 4, "[]"},
		{nil, nil, 4, "[]"},
		{[]tuple{{1, 2}}, []int{2}, 5, "[[] [4 2] [0]]"},
		{[]tuple{{1, 2}}, []int{2}, 2, "[[] [4] [2]]"}, // too few nodes: 4/3 and 2/3
		{[]tuple{{3, 3}}, []int{1}, 5, "[[] [] [] [4]]"},
		{[]tuple{{4, 4}}, []int{1}, 5, "[[] [] [] [] [4]]"},            // half a node rounds up to one
		{[]tuple{{5, 5}}, []int{1}, 5, "[[] [] [] [] [] [4 2 0 3 1]]"}, // less than half a node rounds to none, so all nodes are used
		{[]tuple{{1, 3}, {3, 3}}, []int{3, 0}, 5, "[[] [4 2 0] [] [3]]"},
		{[]tuple{{1, 1}, {2, 2}}, []int{9, 2}, 5, "[[] [4 2 0 3 1] []]"}, // 18 and 2 nodes scale to 4.5 and 0.5 of five
	} {
		if got := fmt.Sprint(dealt(order[:c.n], c.at, c.counts)); got != c.want {
			t.Errorf("dealt(%v, %v) = %s, want %s", c.at, c.counts, got, c.want)
		}
	}
	group := [][]int{nil, nil, {1, 2}, nil, {3}}
	for d, want := range map[int]int{1: 1, 2: 1, 3: 1, 4: 3} {
		if got := nearest(group, d); got[0] != want {
			t.Errorf("degree %d: nearest is %v", d, got)
		}
	}
	if got := nearest([][]int{nil, nil, nil, {7}}, 1); got[0] != 7 {
		t.Errorf("only a larger degree: nearest is %v", got)
	}
	if a, b := between([]int{1, 2, 3}, []int{1, 2, 3}), between([]int{1, 2, 3}, []int{4, 5}); a != 3 || b != 6 {
		t.Errorf("between gives %d and %d pairs, want 3 and 6", a, b)
	}
}

// counting counts the words drawn.
type counting struct {
	*rand.PCG
	words int
}

func (c *counting) Uint64() uint64 { c.words++; return c.PCG.Uint64() }

// makeSeries draws at most as many edges as there are pairs. If all pairs are joined, it draws only the order of the
// nodes.
func TestSeriesDrawsNoMoreThanPairs(t *testing.T) {
	src := &counting{PCG: rand.NewPCG(2, 2)}
	g := must.For(makeSeries(t.Context(), 3, []tuple{{1, 1}}, []int{1000}, false, src))(t)
	if g.Ones() != 6 || src.words > 60 { // three edges take two or three draws of two words each; a fourth would take 20
		t.Errorf("%d edges from %d words", g.Ones()/2, src.words)
	}
	src = &counting{PCG: rand.NewPCG(2, 2)}
	g = must.For(makeSeries(t.Context(), 3, []tuple{{1, 1}}, []int{3}, true, src))(t)
	if g.Ones() != 6 || src.words != 3 { // the only words drawn are those for the order of the nodes
		t.Errorf("%d edges from %d words", g.Ones()/2, src.words)
	}
	if g = must.For(makeSeries(t.Context(), 1, []tuple{{1, 1}}, []int{3}, true, src))(t); g.Ones() != 0 {
		t.Errorf("one node has %d edges", g.Ones())
	}
	if g = must.For(makeSeries(t.Context(), 2, []tuple{{1, 1}}, []int{1}, false, src))(t); g.Ones() != 2 {
		t.Errorf("two nodes have %d edges", g.Ones()/2)
	}
}

// The statistics that ApproxDeg and Pygmalion compute from a graph have the expected entries.
func TestEntries(t *testing.T) {
	eps := evidencetest.LogEpsilon(2, 1)
	paw := must.For(readGraph(GraphOf(t, 5, [2]int{0, 1}, [2]int{0, 2}, [2]int{1, 2}, [2]int{2, 3})))(t) // degrees 2, 2, 3, 1, 0
	near := must.For(NewApproxDeg(eps, ApproxDegOptions{DegreeBound: 2}))(t)
	if got := fmt.Sprint(near.measure(paw)); got != "{ [{1 5 1 4} {1 5 1 4} {3 5 1 4}]}" {
		t.Errorf("histogram %s", got)
	}
	sequence := must.For(NewApproxDeg(eps, ApproxDegOptions{DegreeBound: 2, Sequence: true}))(t)
	if got := fmt.Sprint(sequence.measure(paw)); got != "{ [{0 2 1 2} {1 2 1 2} {2 2 1 2} {2 2 1 2} {2 2 1 2}]}" {
		t.Errorf("sequence %s", got)
	}
	free := must.For(NewApproxDeg(eps, ApproxDegOptions{}))(t)
	for n, want := range map[int]int{2: 1, 3: 2, 4: 2, 5: 3, 9: 3, 10: 4, 100: 10} {
		if got := free.bound(n); got != want {
			t.Errorf("%d nodes: bound %d, want %d", n, got, want)
		}
	}
	for n, want := range map[int]int{2: 1, 3: 2, 7: 2} {
		if got := near.bound(n); got != want {
			t.Errorf("a bound of 2 on %d nodes is %d, want %d", n, got, want)
		}
	}
	for _, c := range []struct {
		of   PygmalionOptions
		at   string
		want string
	}{
		{PygmalionOptions{}, "[{2 2} {1 3} {2 3}]", "{[{2 2} {1 3} {2 3}] [{1 10 1 9} {1 10 1 13} {2 10 1 13}]}"},
		{PygmalionOptions{Whole: true}, "[{2 2} {1 3} {2 3}]", "{[{2 2} {1 3} {2 3}] [{1 10 1 13} {1 10 1 13} {2 10 1 13}]}"},
		{PygmalionOptions{AllTuples: true, DegreeBound: 2}, "[{1 1} {1 2} {2 2}]", "{ [{0 10 1 5} {0 10 1 9} {1 10 1 9}]}"},
		{PygmalionOptions{DegreeBound: 9, Whole: true}, "[{2 2} {1 3} {2 3}]", "{[{2 2} {1 3} {2 3}] [{1 10 1 17} {1 10 1 17} {2 10 1 17}]}"},
		{PygmalionOptions{AllTuples: true, Partitions: 1}, "[{1 1} {1 2} {2 2} {1 3} {2 3} {3 3} {1 4} {2 4} {3 4} {4 4}]",
			"{ [{0 10 1 9} {0 10 1 9} {1 10 1 9} {1 10 1 13} {2 10 1 13} {0 10 1 13} {0 10 1 13} {0 10 1 13} {0 10 1 13} {0 10 1 13}]}"},
	} {
		at, m := must.For(NewPygmalion(eps, c.of))(t).tuples(paw)
		if fmt.Sprint(at) != c.at || fmt.Sprint(m) != c.want {
			t.Errorf("%+v: %v with %v, want %s with %s", c.of, at, m, c.at, c.want)
		}
	}
	pbcn := must.For(NewPBCN(eps, PBCNOptions{Clusters: 2, Sensitivity: 3}))(t)
	if m, of := pbcn.measure(paw); fmt.Sprint(m, of) != "{[0 0 0 0 1] [{2 4 1 3} {2 4 1 3} {3 4 1 3} {1 4 1 3} {0 4 1 3}]} [0 0 0 0 1]" {
		t.Errorf("PBCN: %v, %v", m, of)
	}
	for _, o := range []PBCNOptions{{NoisyClusters: true}, {OwnDegrees: true}, {NoisyClusters: true, OwnDegrees: true}} {
		if m, of := must.For(NewPBCN(eps, o))(t).measure(paw); m.open != "" || of != nil {
			t.Errorf("%+v: open part %q, clusters %v", o, m.open, of)
		}
	}
}

// The bound on ε for all tuples agrees with trying all degrees a ≤ b of an edge's endpoints. It also bounds the loss on
// all small graphs.
func TestLargestAgainstBruteForce(t *testing.T) {
	eps := evidencetest.LogEpsilon(2, 1)
	for _, o := range []PygmalionOptions{{AllTuples: true}, {AllTuples: true, Partitions: 1}, {AllTuples: true, Whole: true}, {AllTuples: true, Partitions: 2}} {
		p := must.For(NewPygmalion(eps, o))(t)
		for n := 2; n <= 12; n++ {
			rate := func(d int) float64 { return 1 / float64(4*p.top(d, n-1)+1) }
			moved := func(d int) float64 { // each of a node's d edges moves from a tuple with d to one with d + 1
				if d == 0 {
					return 0
				}
				return float64(d) * (rate(d) + rate(d+1))
			}
			want := 0.0
			for b := 0; b < n-1; b++ {
				for a := 0; a <= b; a++ {
					want = max(want, moved(a)+moved(b)+rate(b+1))
				}
			}
			got, _ := p.largest(n).Float64()
			if got < want-1e-15 || got > want+0x1p-36 {
				t.Errorf("%+v, %d nodes: %v, want %v", o, n, got, want)
			}
		}
		for bound := 1; bound <= 6; bound++ {
			o.DegreeBound = bound
			p := must.For(NewPygmalion(eps, o))(t)
			rate := func(d int) float64 { return 1 / float64(4*p.top(d, bound)+1) }
			most := 0.0
			for b := 1; b <= bound; b++ { // one edge is removed, and the node's other edges move from b to b − 1
				most = max(most, rate(b)+float64(b-1)*rate(b)+float64(b-1)*rate(max(1, b-1)))
			}
			if got, _ := p.largestCut().Float64(); math.Abs(got-2*most-rate(1)) > 1e-14 {
				t.Errorf("%+v: %v, want %v", o, got, 2*most+rate(1))
			}
		}
	}
	for _, q := range []*big.Rat{big.NewRat(1, 3), big.NewRat(5, 1), new(big.Rat), big.NewRat(7, 9)} {
		up := new(big.Rat).Sub(roundUp(q), q)
		if up.Sign() <= 0 || up.Cmp(big.NewRat(1, 1<<40)) > 0 || roundUp(q).Denom().BitLen() > 41 {
			t.Errorf("%v is rounded up by %v", q, up)
		}
	}
}

// With a tiny ε, unbounded noise reaches the largest integers that are smoothed, and bounded noise reaches the limits
// of its range. With a large ε the value is unchanged.
func TestNoisyLimits(t *testing.T) {
	tiny := must.For(evidence.NewEpsilon("eps", 1e-12))(t)
	list := slices.Repeat([]entry{{3, 5, 1, 1}}, 64)
	seen := map[int]int{}
	for _, v := range must.For(noisy(tiny, list, true, rand.NewPCG(1, 1)))(t) {
		seen[v]++
	}
	if seen[farthest]+seen[-farthest] != 64 || seen[farthest] < 8 || seen[-farthest] < 8 {
		t.Errorf("unbounded noise for ε = 1e-12: %v", seen)
	}
	clear(seen)
	for _, v := range must.For(noisy(tiny, list, false, rand.NewPCG(1, 1)))(t) {
		seen[v]++
	}
	if seen[0]+seen[5] != 64 || seen[0] < 8 || seen[5] < 8 {
		t.Errorf("noise for ε = 1e-12: %v", seen)
	}
	much := must.For(evidence.NewEpsilon("eps", 1e4))(t)
	for _, free := range []bool{false, true} {
		for v := range 6 {
			if got := must.For(noisy(much, []entry{{v, 5, 1, 1}}, free, rand.NewPCG(1, 1)))(t); got[0] != v {
				t.Errorf("ε = 1e4: %d becomes %d", v, got[0])
			}
		}
	}
	// Entries with different rates get independent noise: none at a rate of 10⁴, much at 10⁻¹².
	mixed := must.For(noisy(must.For(evidence.NewEpsilon("eps", 1))(t), []entry{{2, 9, 10000, 1}, {2, 9, 1, 1 << 40}, {2, 9, 10000, 1}, {2, 9, 1, 1 << 40}}, true, rand.NewPCG(3, 1)))(t)
	if mixed[0] != 2 || mixed[2] != 2 || max(mixed[1], -mixed[1]) < 1000 || max(mixed[3], -mixed[3]) < 1000 {
		t.Errorf("two rates: %v", mixed)
	}
}

// The two graphs of a change differ in one edge, and the change is the difference of their statistics. Each kind of
// change is listed once.
func TestChangesAgainstNeighbors(t *testing.T) {
	const n = 4
	p := must.For(NewPygmalion(evidencetest.LogEpsilon(4, 1), PygmalionOptions{AllTuples: true}))(t)
	measure := func(g *graph) measurement { _, m := p.tuples(g); return m }
	named := func(text string) (*graph, map[string]bool) {
		edges, all := [][2]int{}, map[string]bool{}
		for edge := range strings.FieldsSeq(text) {
			var u, v int
			if _, err := fmt.Sscanf(edge, "%d-%d", &u, &v); err == nil {
				edges, all[edge] = append(edges, [2]int{u, v}), true
			}
		}
		return must.For(readGraph(GraphOf(t, n, edges...)))(t), all
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
			t.Errorf("%q and %q: they differ in %d edges and by %v, want one edge and %v", c.x, c.y, apart, parts, told)
		}
		kinds[fmt.Sprint(told)] = true
	}
	pairs := pairsOf(n) // the changes of all neighbors are listed
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
				t.Fatalf("the change %v is not listed", parts)
			}
		}
	}
	ctxtest.EachPoll(t, 2, func(ctx context.Context) error {
		a, err := p.Measured(ctx, n, Edge)
		if err != nil {
			return err
		}
		_, err = a.Delta(ctx, evidencetest.LogEpsilon(2, 1))
		return err
	})
}

// The permutation of a seed never changes.
func TestPermutationOfASeed(t *testing.T) {
	if got := fmt.Sprint(permutation(9, rand.NewPCG(9, 3))); got != "[0 7 6 8 3 5 1 4 2]" {
		t.Errorf("order %s", got)
	}
}

// The dK-2 series agrees with counts by hand for small graphs.
func TestSeries(t *testing.T) {
	for name, c := range map[string]struct {
		g    *xor.Bits
		want map[tuple]int
	}{
		"no edges": {GraphOf(t, 3), map[tuple]int{}},
		"an edge":  {GraphOf(t, 3, [2]int{0, 2}), map[tuple]int{{1, 1}: 1}},
		"a path":   {GraphOf(t, 4, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}), map[tuple]int{{1, 2}: 2, {2, 2}: 1}},
		"a star":   {GraphOf(t, 4, [2]int{0, 1}, [2]int{0, 2}, [2]int{0, 3}), map[tuple]int{{1, 3}: 3}},
		"a cycle":  {GraphOf(t, 4, [2]int{0, 1}, [2]int{1, 2}, [2]int{2, 3}, [2]int{0, 3}), map[tuple]int{{2, 2}: 4}},
		"a paw":    {GraphOf(t, 4, [2]int{0, 1}, [2]int{0, 2}, [2]int{1, 2}, [2]int{2, 3}), map[tuple]int{{2, 2}: 1, {2, 3}: 2, {1, 3}: 1}},
	} {
		if got := must.For(readGraph(c.g))(t).series(); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	for n := 3; n <= 6; n++ { // a complete graph without one edge attains the sensitivity
		pairs := pairsOf(n)
		before, after := decoded(n, pairs, 1<<len(pairs)-2), decoded(n, pairs, 1<<len(pairs)-1)
		sum := 0
		for j := 1; j < n; j++ {
			for i := 1; i <= j; i++ {
				d := after.series()[tuple{i, j}] - before.series()[tuple{i, j}]
				sum += max(d, -d)
			}
		}
		if want := 4*(n-2) + 1; sum != want {
			t.Errorf("%d nodes: the series changes by %d, want %d", n, sum, want)
		}
	}
}

// The law of an entry sums to 1 and agrees with draws, at a false-positive rate of 1e-9 in all.
func TestEntryLaw(t *testing.T) {
	const n, alpha = 1 << 16, 1e-9
	entries := []entry{{0, 4, 1, 1}, {2, 4, 1, 2}, {4, 4, 1, 5}, {1, 1, 2, 1}, {0, 0, 1, 1}}
	eps := evidencetest.LogEpsilon(3, 1)
	src := rand.NewPCG(1, 2)
	counts := make([][]int, len(entries))
	for i, e := range entries {
		counts[i] = make([]int, e.most+1)
	}
	for k, v := range must.For(noisy(eps, slices.Repeat(entries, n), false, src))(t) {
		counts[k%len(entries)][v]++
	}
	for i, e := range entries {
		law := e.law(eps)
		sum := evidence.ExactRat(new(big.Rat))
		p := make([]float64, len(law))
		for k, a := range law {
			sum, p[k] = sum.Add(a), a.Enclosure.Mid()
		}
		if lo, hi := sum.Enclosure.Bounds(); !(lo <= 1 && 1 <= hi && hi-lo < 1e-12) {
			t.Errorf("%+v: the law sums to [%g, %g]", e, lo, hi)
		}
		if e.most == 0 {
			continue
		}
		if _, _, tail := stattest.ChiSquare(counts[i], p); tail < alpha/float64(len(entries)) {
			t.Errorf("%+v: counts %v have tail %g", e, counts[i], tail)
		}
		if slices.Reverse(p); e.value != 2 { // a mutant: the law reversed
			if _, _, tail := stattest.ChiSquare(counts[i], p); tail > alpha {
				t.Errorf("%+v: the test accepts the reversed law, with tail %g", e, tail)
			}
		}
	}
}
