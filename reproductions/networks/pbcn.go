package networks

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/privacy"
	"dpworkbench/xor"
)

// PBCNOptions are what PBCN leaves to choose. The zero value is as the comparison describes it.
type PBCNOptions struct {
	// Clusters is the number of clusters of nodes, 0 for 10.
	Clusters int
	// NoisyClusters makes the clusters of the noisy degrees; without it of the true ones, as
	// the order in which the comparison names the steps has it.
	NoisyClusters bool
	// OwnDegrees lets every node keep its own noisy degree; without it a node takes the mean of its
	// cluster.
	OwnDegrees bool
	// Sensitivity is what the noise of the degrees is for, 0 for 2: an edge changes two degrees
	// by 1.
	Sensitivity int
	// Decoys is how many noise nodes are added, each joined to as many random nodes as the
	// mean degree.
	Decoys int
}

// PBCN releases a graph whose degrees are noisy: nodes are clustered by degree (k-means),
// degrees get noise and become their cluster's mean, the graph is made by Havel's theorem, and noise nodes are
// added.
//
// Source: Huang, Zhang, Xiao, Wang, Gu, Wang, "Privacy-preserving approach PBCN in social network with differential
// privacy", IEEE TNSM 17(2), 2020. The text was not at hand: it is built as "An XOR Mechanism" describes it
// (Sections 2 and 8), and what that leaves open is an option.
type PBCN struct {
	eps evidence.Epsilon
	PBCNOptions
}

// NewPBCN returns the mechanism. It returns an error wrapping evidence.ErrParameter unless
// eps is positive and no option is negative.
func NewPBCN(eps evidence.Epsilon, opts PBCNOptions) (*PBCN, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	for name, v := range map[string]int{"clusters": opts.Clusters, "sensitivity": opts.Sensitivity, "decoys": opts.Decoys} {
		if v < 0 || v > 1<<15 {
			return nil, parameter.Bad(name, v, "0 to 32768")
		}
	}
	if opts.Clusters == 0 {
		opts.Clusters = 10
	}
	if opts.Sensitivity == 0 {
		opts.Sensitivity = 2
	}
	return &PBCN{eps, opts}, nil
}

// Name implements Rival.
func (p *PBCN) Name() string {
	of := "true"
	if p.NoisyClusters {
		of = "noisy"
	}
	return fmt.Sprintf("PBCN(eps=%s, %d clusters of the %s degrees)", p.eps, p.Clusters, of)
}

// Guarantee implements Rival.
func (p *PBCN) Guarantee() Guarantee { return promise(p.eps, Edge, "Huang et al. 2020") }

// Truncated implements Rival: there is no bound.
func (p *PBCN) Truncated(g *xor.Bits) (int, error) { return above(g, 0) }

// measure is every degree, and the clusters where those are of the true ones.
func (p *PBCN) measure(g *graph) (measurement, []int) {
	degrees := g.degrees()
	m := measurement{entries: make([]entry, len(degrees))}
	for u, d := range degrees {
		m.entries[u] = entry{d, g.nodes() - 1, 1, int64(p.Sensitivity)}
	}
	if p.NoisyClusters || p.OwnDegrees {
		return m, nil
	}
	of := p.clusters(degrees)
	m.open = fmt.Sprint(of)
	return m, of
}

// clusters deals nodes to clusters by degree.
func (p *PBCN) clusters(degrees []int) []int {
	points := lists.Of(len(degrees), func(u int) []int { return []int{degrees[u]} })
	return cluster(points, p.Clusters)
}

// Measured implements Rival, for edges. Without clusters of the true degrees graphs of any size have the
// same answer as those of two nodes; with them those beyond 6 nodes that of 6, since a node that
// nothing is joined to changes no cluster of others.
func (p *PBCN) Measured(ctx context.Context, n int, of Relation) (*privacy.Account, error) {
	if of != Edge {
		return nil, parameter.Bad("neighbors", string(of), `"edge": the mechanism measures degrees of the whole graph`)
	}
	if n > mostNodes {
		if !p.NoisyClusters && !p.OwnDegrees {
			return apart(fmt.Sprintf("what %s measures of graphs with %d nodes", p.Name(), n)), nil
		}
		return accountOf(ctx, p.Name(), p.eps, 2, func(g *graph) measurement { m, _ := p.measure(g); return m })
	}
	return accountOf(ctx, p.Name(), p.eps, n, func(g *graph) measurement { m, _ := p.measure(g); return m })
}

// targets are the degrees that the graph is made of, from noisy ones.
func (p *PBCN) targets(noisy, of []int) []int {
	if p.OwnDegrees {
		return slices.Clone(noisy)
	}
	if of == nil {
		of = p.clusters(noisy)
	}
	sum, size := make([]int, len(of)), make([]int, len(of))
	for u, c := range of {
		sum[c] += noisy[u]
		size[c]++
	}
	out := make([]int, len(of))
	for u, c := range of {
		out[u] = (2*sum[c] + size[c]) / (2 * size[c])
	}
	return out
}

// Release implements Rival.
func (p *PBCN) Release(ctx context.Context, g *xor.Bits, src rand.Source) (*xor.Bits, error) {
	in, err := readGraph(g)
	if err != nil {
		return nil, err
	}
	m, of := p.measure(in)
	degrees, err := noisy(p.eps, m.entries, false, src)
	if err != nil {
		return nil, err
	}
	n := in.nodes()
	edges, err := havel(ctx, p.targets(degrees, of))
	if err != nil {
		return nil, err
	}
	mean := 0
	if n > 0 {
		mean = min((2*len(edges)+n/2)/n, n)
	}
	for d := range p.Decoys {
		for _, v := range permutation(n, src)[:mean] {
			edges = append(edges, [2]int{v, n + d})
		}
	}
	return xor.Adjacency(n+p.Decoys, edges)
}

// havel makes the edges of a graph of given degrees, as Havel (1955) and Hakimi (1962) do: the
// node that lacks most edges is joined to those that lack most of the others, the smaller number first among
// equals. Where too few lack any, the node goes without the rest: degrees of no graph come out smaller.
func havel(ctx context.Context, degrees []int) ([][2]int, error) {
	lack := slices.Clone(degrees)
	order := lists.Of(len(lack), func(i int) int { return i })
	var edges [][2]int
	for len(order) > 1 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		slices.SortFunc(order, func(a, b int) int {
			if lack[a] != lack[b] {
				return lack[b] - lack[a]
			}
			return a - b
		})
		u := order[0]
		order = order[1:]
		if lack[u] == 0 {
			break
		}
		for _, v := range order[:min(lack[u], len(order))] {
			if lack[v] == 0 {
				break
			}
			lack[v]--
			edges = append(edges, [2]int{min(u, v), max(u, v)})
		}
	}
	return edges, nil
}

// coin reports true with chance p, in 53 digits.
func coin(p float64, src rand.Source) bool { return float64(src.Uint64()>>11)*0x1p-53 < p }
