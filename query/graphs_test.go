package query_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/internal/parallel"
	"dpworkbench/query"
)

func mustGraphs(t testing.TB, n int) *query.Graphs {
	t.Helper()
	g := must.For(query.NewGraphs(context.Background(), n))(t)
	return g
}

func TestGraphsGolden(t *testing.T) {
	sizes := []int{1: 1, 2, 4, 11, 34, 156, 1044, 12346, 274668} // OEIS A000088
	pairs := []int64{4: 14, 74, 571, 6558, 125066, 4147388}
	for n := 1; n <= cases.Of(8, 9); n++ {
		g := mustGraphs(t, n)
		if g.Size() != sizes[n] || g.Space().Size() != sizes[n] || g.Nodes() != n {
			t.Errorf("n = %d: %d classes, want %d", n, g.Size(), sizes[n])
		}
		if n >= 4 && g.EdgePairs() != pairs[n] {
			t.Errorf("n = %d: %d neighboring pairs, want %d", n, g.EdgePairs(), pairs[n])
		}
		checkGraphs(t, g)
	}
}

// The largest universe takes minutes and runs on request. Its computation also stops promptly when cancelled.
func TestGraphsOnTenNodes(t *testing.T) {
	if os.Getenv("GRAPHS10") == "" {
		t.Skip("set GRAPHS10=1 to run it")
	}
	g := mustGraphs(t, 10)
	if g.Size() != 12005168 {
		t.Errorf("%d classes, want 12005168", g.Size())
	}
	checkGraphs(t, g)
	if want := int64(247179594); g.EdgePairs() != want { // computed by this test, with every row checked in both directions
		t.Errorf("%d neighboring pairs, want %d", g.EdgePairs(), want)
	}
	for _, fraction := range []int64{100, 10, 4, 2} {
		checkCancel(t, 10, fraction)
	}
}

// checkGraphs checks the invariants of a universe.
func checkGraphs(t *testing.T, g *query.Graphs) {
	t.Helper()
	n := g.Nodes()
	labellings := uint64(1)
	for k := 2; k <= n; k++ {
		labellings *= uint64(k)
	}
	// Every labelled graph is in exactly one class: the classes are distinct, and for each number of edges their sizes
	// add up to the number of labelled graphs.
	labelled := make([]uint64, n*(n-1)/2+1)
	for x := range g.Size() {
		edges := len(g.Edges(x))
		labelled[edges] += labellings / g.Automorphisms(x)
		if x > 0 {
			last := len(g.Edges(x - 1))
			if last > edges || last == edges && g.Graph6(x-1) >= g.Graph6(x) {
				t.Fatalf("n = %d: class %d out of order", n, x)
			}
		}
		if i, err := g.Index(g.Graph6(x)); i != x || err != nil {
			t.Fatalf("n = %d: Index(%q) = %d, %v, want %d", n, g.Graph6(x), i, err, x)
		}
	}
	for edges, have := range labelled {
		if want := new(big.Int).Binomial(int64(n*(n-1)/2), int64(edges)); have != want.Uint64() {
			t.Errorf("n = %d: classes cover %d labelled graphs with %d edges, want %v", n, have, edges, want)
		}
	}
	checkRows(t, g)
	if d := g.Space().Diameter(); d != float64(n*(n-1)/2) {
		t.Errorf("n = %d: diameter %g", n, d)
	}
}

// checkRows checks that rows ascend, connect adjacent levels and are symmetric.
func checkRows(t *testing.T, g *query.Graphs) {
	t.Helper()
	s := g.Space()
	for x := range g.Size() {
		edges := len(g.Edges(x))
		row := s.Neighbors(x)
		for k, y := range row {
			if k > 0 && row[k-1] >= y {
				t.Fatalf("class %d: row %v does not ascend", x, row)
			}
			if d := len(g.Edges(int(y))) - edges; d != 1 && d != -1 {
				t.Fatalf("classes %d and %d differ by %d edges", x, y, d)
			}
			if _, found := slices.BinarySearch(s.Neighbors(int(y)), int32(x)); !found {
				t.Fatalf("class %d has neighbor %d but not the reverse", x, y)
			}
		}
	}
}

// leastLabelling returns the least graph6 string of a graph over all labellings. It tries each labelling.
func leastLabelling(a query.Adjacency) (least string) {
	label := make([]int, 0, len(a))
	var place func()
	place = func() {
		if len(label) == len(a) {
			b := make(query.Adjacency, len(a))
			for _, e := range a.Edges() {
				b[label[e[0]]] |= 1 << label[e[1]]
				b[label[e[1]]] |= 1 << label[e[0]]
			}
			if s := formatGraph6(b); least == "" || s < least {
				least = s
			}
		}
		for v := range a {
			if !slices.Contains(label, v) {
				label = append(label, v)
				place()
				label = label[:len(label)-1]
			}
		}
	}
	place()
	return least
}

// The class of a labelled graph is its least graph6 string over all labellings. Its neighbors are one edge away.
func TestGraphsAgainstAllLabelledGraphs(t *testing.T) {
	for n := 1; n <= 5; n++ {
		g := mustGraphs(t, n)
		size := n * (n - 1) / 2
		names, codes := map[string]int{}, map[string]int{}
		for x := range g.Size() {
			names[g.Graph6(x)] = x
		}
		class := make([]int, 1<<size)
		for code := range class {
			a, p := make(query.Adjacency, n), 0
			for j := range n {
				for i := range j {
					a[i] |= uint64(code>>p&1) << j
					a[j] |= uint64(code>>p&1) << i
					p++
				}
			}
			codes[formatGraph6(a)] = code
			x, ok := names[leastLabelling(a)]
			if !ok {
				t.Fatalf("n = %d: code %b has no class", n, code)
			}
			class[code] = x
		}
		joined := map[[2]int]bool{}
		for code := range class {
			for p := range size {
				joined[[2]int{class[code], class[code^1<<p]}] = true
			}
		}
		if int64(len(joined)) != 2*g.EdgePairs() {
			t.Errorf("n = %d: %d ordered neighboring pairs, want %d", n, 2*g.EdgePairs(), len(joined))
		}
		for x := range g.Size() {
			for _, y := range g.Space().Neighbors(x) {
				if !joined[[2]int{x, int(y)}] {
					t.Errorf("n = %d: %d and %d are not neighbors", n, x, y)
				}
			}
		}
		// The distance of two classes is the least symmetric difference of their edge sets over all labellings of one
		// of the graphs.
		for x := range g.Size() {
			least := make([]float64, g.Size())
			for y := range least {
				least[y] = math.Inf(1)
			}
			for code, y := range class {
				d := float64(bits.OnesCount(uint(codes[g.Graph6(x)] ^ code)))
				least[y] = min(least[y], d)
			}
			if got := g.Space().Distances(x); !slices.Equal(got, least) {
				t.Errorf("n = %d: distances from %d are %v, want %v", n, x, got, least)
			}
		}
	}
}

func TestIndexOfAnyLabelling(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{2, 7, 8} {
		g := mustGraphs(t, n)
		for range 2000 {
			x := rng.IntN(g.Size())
			label := rng.Perm(n)
			a := make(query.Adjacency, n)
			for _, e := range g.Edges(x) {
				i, j := label[e[0]], label[e[1]]
				a[i] |= 1 << j
				a[j] |= 1 << i
			}
			s := formatGraph6(a)
			if i, err := g.Index(s); i != x || err != nil {
				t.Fatalf("n = %d: Index(%q) = %d, %v, want %d", n, s, i, err, x)
			}
			if s < g.Graph6(x) {
				t.Fatalf("n = %d: %q is less than %q", n, s, g.Graph6(x))
			}
		}
	}
}

func TestNewGraphsRejectsBadParameters(t *testing.T) {
	ctx := context.Background()
	for n, want := range map[int]string{0: "1 to 10", -3: "-3", 11: "1018997864", 12: "1 to 10"} {
		if _, err := query.NewGraphs(ctx, n); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), want) {
			t.Errorf("n = %d: error %v, want one that says %q", n, err, want)
		}
	}
	g := mustGraphs(t, 7)
	for _, s := range []string{"", "F", "F?zP", "F?zPw?", "F?zPx", "E???", "F\n???", "~??"} {
		if i, err := g.Index(s); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("Index(%q) = %d, %v, want an error", s, i, err)
		}
	}
}

func TestGraphsProgress(t *testing.T) {
	for _, n := range []int{1, 4, 7} {
		last, whole := int64(0), int64(0)
		_, err := query.NewGraphs(parallel.WithProgress(t.Context(), func(done, total int64, _ string) {
			if done < last || done > total {
				t.Errorf("n = %d: progress went from %d to %d of %d", n, last, done, total)
			}
			last, whole = done, total
		}), n)
		if err != nil || last != whole || whole == 0 {
			t.Errorf("n = %d: progress ended at %d of %d, error %v", n, last, whole, err)
		}
	}
}

// checkCancel cancels NewGraphs after a fraction of the work, and checks that it does little more.
func checkCancel(t *testing.T, n int, fraction int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var at, last, whole int64
	_, err := query.NewGraphs(parallel.WithProgress(ctx, func(done, total int64, _ string) {
		last, whole = done, total
		if at == 0 && done > total/fraction {
			at = done
			cancel()
		}
	}), n)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled at 1/%d: error %v", fraction, err)
	}
	if last-at > whole/100 {
		t.Errorf("cancelled at 1/%d: %d of %d steps more", fraction, last-at, whole)
	}
}

// Classes and canonical forms agree with nauty: geng lists the graphs, and labelg labels both lists canonically.
func TestGraphsAgainstNauty(t *testing.T) {
	geng, err := exec.LookPath("nauty-geng")
	if err != nil {
		t.Skip("nauty-geng is not installed")
	}
	labelg, err := exec.LookPath("nauty-labelg")
	if err != nil {
		t.Skip("nauty-labelg is not installed")
	}
	canonical := func(graphs []string) []string {
		cmd := exec.Command(labelg, "-q")
		cmd.Stdin = strings.NewReader(strings.Join(graphs, "\n") + "\n")
		out := must.For(cmd.Output())(t)
		lines := strings.Fields(string(out))
		slices.Sort(lines)
		return lines
	}
	for n, arg := range []string{1: "1", "2", "3", "4", "5", "6", "7", "8"} {
		if n == 0 {
			continue
		}
		out := must.For(exec.Command(geng, "-q", arg).Output())(t)
		theirs := strings.Fields(string(out))
		g := mustGraphs(t, n)
		ours := make([]string, g.Size())
		seen := make([]bool, g.Size())
		for x := range ours {
			ours[x] = g.Graph6(x)
		}
		for _, s := range theirs {
			x, err := g.Index(s)
			if err != nil || seen[x] {
				t.Fatalf("n = %d: %q falls in class %d twice, or %v", n, s, x, err)
			}
			seen[x] = true
		}
		if !slices.Equal(canonical(ours), canonical(theirs)) {
			t.Errorf("n = %d: classes differ from nauty's", n)
		}
	}
}
