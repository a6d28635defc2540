package query

import (
	"context"
	"math/bits"
	"slices"
	"strings"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/nearest"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// subgraph is a pattern, with a function that counts its copies in a graph. Copies need not be induced subgraphs.
type subgraph struct {
	name  string
	count func(adj *[16]uint16, nodes int) int
}

// subgraphs lists the patterns of Karwa, Raskhodnikova, Smith and Yaroslavtsev (VLDB 2011) and Zhang et al.
// (SIGMOD 2015), and edges and 4-cycles.
var subgraphs = [...]subgraph{
	{"edge", func(adj *[16]uint16, nodes int) int { return countStars(adj, nodes, 1) / 2 }},
	{"triangle", countTriangles},
	{"2-star", func(adj *[16]uint16, nodes int) int { return countStars(adj, nodes, 2) }},
	{"3-star", func(adj *[16]uint16, nodes int) int { return countStars(adj, nodes, 3) }},
	{"4-cycle", countFourCycles},
	{"4-clique", countFourCliques},
}

// Patterns returns the pattern names that Counts accepts.
func (g *Graphs) Patterns() []string {
	return lists.Of(len(subgraphs), func(k int) string { return subgraphs[k].name })
}

// Counts returns the number of copies of a pattern in each class, not necessarily induced. It returns an error
// wrapping evidence.ErrParameter unless pattern is one of Patterns.
func (g *Graphs) Counts(pattern string) ([]int, error) {
	at := slices.IndexFunc(subgraphs[:], func(p subgraph) bool { return p.name == pattern })
	if at < 0 {
		names := g.Patterns()
		return nil, parameter.Errorf("subgraph %q, want one of %s%s", truncate(pattern), strings.Join(names, ", "), nearest.Hint(pattern, names))
	}
	count := subgraphs[at].count
	codes, nodes := g.universe.codes, g.universe.nodes
	counts := make([]int, len(codes))
	// It takes at most a second, so it needs no context.
	err := parallel.Chunks(context.Background(), len(codes), chunkSize(len(codes)), func(from, to int) error {
		for x := from; x < to; x++ {
			adj := decode(nodes, codes[x])
			counts[x] = count(&adj, nodes)
		}
		return nil
	})
	return counts, err
}

// countStars returns Σ C(degree, leaves).
func countStars(adj *[16]uint16, nodes, leaves int) int {
	stars := 0
	for _, near := range adj[:nodes] {
		stars += choose(bits.OnesCount16(near), leaves)
	}
	return stars
}

// choose returns C(n, k) for small n and k.
func choose(n, k int) int {
	c := 1
	for i := range k {
		c = c * (n - i) / (i + 1) // 0 from i = n on
	}
	return c
}

// countTriangles returns the number of triangles. It counts each at its two largest nodes.
func countTriangles(adj *[16]uint16, nodes int) int {
	triangles := 0
	for v, near := range adj[:nodes] {
		below := near & (1<<v - 1)
		for r := below; r != 0; r &= r - 1 {
			w := bits.TrailingZeros16(r) & 15
			triangles += bits.OnesCount16(below & adj[w] & (1<<w - 1))
		}
	}
	return triangles
}

// countFourCycles returns the number of 4-cycles. It counts each once for each of its two diagonals: if v and w are
// opposite nodes, the other two nodes are common neighbors of v and w.
func countFourCycles(adj *[16]uint16, nodes int) int {
	twice := 0
	for v, near := range adj[:nodes] {
		for _, other := range adj[:v] {
			k := bits.OnesCount16(near & other)
			twice += k * (k - 1) / 2
		}
	}
	return twice / 2
}

// countFourCliques returns the number of 4-cliques. It counts each at its three largest nodes.
func countFourCliques(adj *[16]uint16, nodes int) int {
	cliques := 0
	for v, near := range adj[:nodes] {
		below := near & (1<<v - 1)
		for r := below; r != 0; r &= r - 1 {
			w := bits.TrailingZeros16(r) & 15
			common := below & adj[w] & (1<<w - 1)
			for q := common; q != 0; q &= q - 1 {
				u := bits.TrailingZeros16(q) & 15
				cliques += bits.OnesCount16(common & adj[u] & (1<<u - 1))
			}
		}
	}
	return cliques
}

// graphCounts returns the number of unlabeled graphs on n ≤ 10 nodes with 0, 1, …, C(n,2) edges.
//
// By Pólya's theorem it is the average over all permutations of the nodes of ∏ (1 + x^k), where k runs over the
// cycle lengths of the permutation on pairs. A node cycle of length a gives ⌊(a−1)/2⌋ cycles of length a and, if a
// is even, one of length a/2. Two node cycles of lengths a and b give gcd(a, b) cycles of length lcm(a, b).
// Source: Harary and Palmer, Graphical Enumeration (1973), (4.1.9).
func graphCounts(n int) []int {
	total := make([]int, n*(n-1)/2+1)
	permutations := int(factorial(n))
	var cycles []int
	var visit func(rest, largest, weight int)
	visit = func(rest, largest, weight int) {
		if rest == 0 {
			for k, x := range pairCycleProduct(cycles, len(total)) {
				total[k] += permutations / weight * x
			}
			return
		}
		for a := min(rest, largest); a >= 1; a-- {
			repeat := 1 // the multiplicity of a so far
			for _, b := range cycles {
				if a == b {
					repeat++
				}
			}
			cycles = append(cycles, a)
			visit(rest-a, a, weight*a*repeat)
			cycles = cycles[:len(cycles)-1]
		}
	}
	visit(n, n, 1)
	for k := range total {
		total[k] /= permutations
	}
	return total
}

// pairCycleProduct returns the coefficients of ∏ (1 + x^k) over the cycles on pairs of a permutation with the
// given cycles on nodes.
func pairCycleProduct(cycles []int, size int) []int {
	product := make([]int, size)
	product[0] = 1
	times := func(k, repeat int) {
		for range repeat {
			for i := size - 1; i >= k; i-- {
				product[i] += product[i-k]
			}
		}
	}
	for i, a := range cycles {
		times(a, (a-1)/2)
		if a%2 == 0 {
			times(a/2, 1)
		}
		for _, b := range cycles[:i] {
			g := gcd(a, b)
			times(a/g*b, g)
		}
	}
	return product
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
