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

// PBCNOptions are the free choices of PBCN. The zero value is the comparison's description.
type PBCNOptions struct {
	// Clusters is the number of clusters of nodes. 0 means 10.
	Clusters int
	// NoisyClusters clusters the noisy degrees. Otherwise the true degrees are clustered, following the order of steps
	// in the comparison.
	NoisyClusters bool
	// OwnDegrees keeps every node's noisy degree. Otherwise a node gets the mean of its cluster.
	OwnDegrees bool
	// Sensitivity is the sensitivity for the noise of the degrees. 0 means 2, because an edge changes two degrees by 1.
	Sensitivity int
	// Decoys is the number of noise nodes. Each is joined to random nodes, as many as the mean degree.
	Decoys int
}

// PBCN releases a graph with noisy degrees. Nodes are clustered by degree (k-means), noise is added to the degrees,
// which are replaced by their cluster's mean, a graph is built by Havel's theorem, and noise nodes are added.
//
// Source: Huang, Zhang, Xiao, Wang, Gu, Wang, "Privacy-preserving approach PBCN in social network with differential
// privacy", IEEE TNSM 17(2), 2020. The text was not available. The code follows the description in "An XOR Mechanism"
// (Sections 2 and 8), and what that leaves open is an option.
type PBCN struct {
	eps evidence.Epsilon
	PBCNOptions
}

// NewPBCN returns the mechanism. It returns an error wrapping evidence.ErrParameter unless eps is positive and no
// option is negative.
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

// Truncated implements Rival. There is no bound.
func (p *PBCN) Truncated(g *xor.Bits) (int, error) { return above(g, 0) }

// measure returns every degree, and the clusters if they are those of the true degrees.
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

// clusters assigns nodes to clusters by degree.
func (p *PBCN) clusters(degrees []int) []int {
	points := lists.Of(len(degrees), func(u int) []int { return []int{degrees[u]} })
	return cluster(points, p.Clusters)
}

// Measured implements Rival, for edges. Without clusters of the true degrees, graphs of any size have the same result
// as graphs of two nodes. With such clusters, some neighbors with 6 nodes can be distinguished with certainty. So can
// some neighbors of every larger size, because an isolated node changes no cluster of other nodes.
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

// targets returns the degrees of the graph to be built, from the noisy ones.
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

// havel returns the edges of a graph with given degrees by the method of Havel (1955) and Hakimi (1962). It joins the
// node that lacks most edges to the other nodes that lack most, the smaller number first among equals. If too few other
// nodes lack an edge, the node keeps a smaller degree. So degrees that no graph has are reduced.
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

// coin returns true with probability p, rounded to 53 bits.
func coin(p float64, src rand.Source) bool { return float64(src.Uint64()>>11)*0x1p-53 < p }
