package learn

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// Bigclam is a cluster affiliation model fitted to a graph. Nodes u ≠ v are joined with probability 1 − e^{−F_u·F_v},
// where the vector F_u ≥ 0 holds the affiliations of u.
type Bigclam struct {
	Nodes, Communities int
	Affiliations       []float64 // F, row by row
	LogLikelihood      float64   // the log-likelihood of the graph, with the background and the linear term
	Sweeps             int       // the number of passes over all nodes
	Converged          bool      // the last sweep gained at most the tolerance
	Threshold          float64   // √(−ln(1 − density)): two members of only one common community are joined as often as a random pair
}

// BigclamOptions are the options of a fit. Zero values mean the defaults.
type BigclamOptions struct {
	// Background is the probability of an edge between two nodes without a common community. The paper does not fix it.
	// The default is that of its authors' program, 1/N.
	Background float64
	Tolerance  float64 // default 1e-4: stop after a sweep whose relative gain of likelihood is smaller
	MostSweeps int     // default 100
	// Linear, if not nil, holds a vector for every node u. Its inner product with F_u is added to the likelihood, for
	// objective perturbation.
	Linear [][]float64
}

// FitBigclam fits BIGCLAM (Yang and Leskovec, WSDM 2013) with a number of communities to a graph in the form of
// [DescribeGraph], by block coordinate gradient ascent. A block is one node's affiliations. Its gradient Σ_{v∈N(u)}
// F_v/(e^{F_u·F_v} − 1) − Σ_{v∉N(u)} F_v costs only the node's degree, because the sum of all F is maintained. The step
// follows the gradient with each entry divided by its curvature. Its length comes from the curvature along it. It is
// projected on F ≥ 0, and shortened until the likelihood, which is concave in one node's affiliations, still rises at
// its end.
//
// The fit starts from the neighborhoods of least conductance, none of which contains another's centre (Gleich and
// Seshadhri, KDD 2012), of nodes with degree at least 5. If these are fewer than the communities, it adds neighborhoods
// of nodes drawn from src.
//
// It returns an error wrapping parameter.Err for a graph without edges, rows that are not a graph, communities outside
// 1 to the number of nodes, or options out of range, and ctx's error.
func FitBigclam(ctx context.Context, rows [][]uint64, communities int, opts BigclamOptions, src rand.Source) (*Bigclam, error) {
	g, err := newAdjacency(rows)
	if err != nil {
		return nil, err
	}
	n := len(rows)
	if len(g.to) == 0 {
		return nil, parameter.Errorf("the network has no edges, want at least one")
	}
	if communities < 1 || communities > n {
		return nil, parameter.Bad("communities", communities, "1 to %d, the number of nodes", n)
	}
	if err := memory.Need("the affiliations of all nodes", 20*float64(n)*float64(communities)); err != nil {
		return nil, err
	}
	if opts.Background == 0 {
		opts.Background = 1 / float64(n)
	}
	if !(opts.Background >= 1e-12 && opts.Background < 1) {
		return nil, parameter.Bad("background", opts.Background, "in [1e-12, 1)")
	}
	if opts.Tolerance == 0 {
		opts.Tolerance = 1e-4
	}
	if !(opts.Tolerance > 0 && opts.Tolerance < 1) {
		return nil, parameter.Bad("tolerance", opts.Tolerance, "in (0, 1)")
	}
	if opts.MostSweeps == 0 {
		opts.MostSweeps = 100
	}
	if opts.MostSweeps < 0 {
		return nil, parameter.Bad("sweeps", opts.MostSweeps, "at least 1")
	}
	if err := opts.checkLinear(n, communities); err != nil {
		return nil, err
	}
	seeds, err := seeds(ctx, rows, g, communities, src)
	if err != nil {
		return nil, err
	}
	m := newAffiliationFit(g, communities, -math.Log1p(-opts.Background), opts.Linear)
	for c, u := range seeds {
		m.put(u, c, 1)
		for _, v := range g.of(u) {
			m.put(int(v), c, 1)
		}
		m.sum[c] = float64(1 + len(g.of(u)))
	}
	density := float64(len(g.to)) / float64(n) / float64(n-1)
	out := &Bigclam{Nodes: n, Communities: communities, Threshold: math.Sqrt(-math.Log1p(-density))}
	out.LogLikelihood = m.likelihood()
	for out.Sweeps < opts.MostSweeps && !out.Converged {
		parallel.Report(ctx, int64(out.Sweeps), int64(opts.MostSweeps), "")
		for u := range n {
			if u&0x3f == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			m.step(u)
		}
		out.Sweeps++
		now := m.likelihood()
		out.Converged = now-out.LogLikelihood <= opts.Tolerance*math.Abs(out.LogLikelihood)
		out.LogLikelihood = now
	}
	out.Affiliations = m.row
	return out, nil
}

// Members returns, for each community, the nodes whose affiliation exceeds a threshold. It omits communities without
// such nodes.
func (b *Bigclam) Members(threshold float64) [][]int {
	var out [][]int
	for c := range b.Communities {
		var set []int
		for u := range b.Nodes {
			if b.Affiliations[u*b.Communities+c] > threshold {
				set = append(set, u)
			}
		}
		if set != nil {
			out = append(out, set)
		}
	}
	return out
}

// adjacency is a graph as lists of neighbors.
type adjacency struct {
	first []int // the list of u is to[first[u]:first[u+1]]
	to    []int32
	most  int // the length of the longest list
}

func newAdjacency(rows [][]uint64) (*adjacency, error) {
	degrees, err := Degrees(rows)
	if err != nil {
		return nil, err
	}
	g := &adjacency{first: make([]int, len(rows)+1)}
	for u, d := range degrees {
		g.first[u+1] = g.first[u] + d
		g.most = max(g.most, d)
	}
	g.to = make([]int32, 0, g.first[len(rows)])
	for _, row := range rows {
		for k, w := range row {
			for ; w != 0; w &= w - 1 {
				g.to = append(g.to, int32(64*k+bits.TrailingZeros64(w)))
			}
		}
	}
	return g, nil
}

func (g *adjacency) of(u int) []int32 { return g.to[g.first[u]:g.first[u+1]] }

// conductances returns the conductance of the closed neighborhood of every node: the number of edges that leave it,
// divided by the smaller of the degree sums inside and outside. The conductance is 1 if the degree sum inside or
// outside is 0.
func conductances(ctx context.Context, rows [][]uint64, g *adjacency) ([]float64, error) {
	out := make([]float64, len(rows))
	err := parallel.Chunks(ctx, len(rows), 64, func(first, last int) error {
		for u := first; u < last; u++ {
			inside, volume := 2*len(g.of(u)), len(g.of(u)) // edge ends inside
			for _, v := range g.of(u) {
				volume += len(g.of(int(v)))
				for k, w := range rows[u] {
					inside += bits.OnesCount64(w & rows[v][k])
				}
			}
			out[u] = 1
			if least := min(volume, len(g.to)-volume); least > 0 {
				out[u] = float64(volume-inside) / float64(least)
			} else if volume > 0 && volume == inside {
				out[u] = 0 // the neighborhood is a connected component
			}
		}
		return ctx.Err()
	})
	return out, err
}

// fewest is the smallest degree of a node whose neighborhood may start a community.
const fewest = 5

// seeds returns the nodes whose neighborhoods start the communities.
func seeds(ctx context.Context, rows [][]uint64, g *adjacency, communities int, src rand.Source) ([]int, error) {
	phi, err := conductances(ctx, rows, g)
	if err != nil {
		return nil, err
	}
	order := lists.Of(len(rows), func(u int) int { return u })
	slices.SortStableFunc(order, func(u, v int) int {
		switch {
		case phi[u] < phi[v]:
			return -1
		case phi[u] > phi[v]:
			return 1
		}
		return 0
	})
	var out []int
	taken := make([]bool, len(rows))
	for _, u := range order {
		if len(out) == communities {
			return out, nil
		}
		if taken[u] || len(g.of(u)) < fewest {
			continue
		}
		out = append(out, u)
		for _, v := range g.of(u) {
			taken[v] = true
		}
	}
	left := slices.DeleteFunc(order, func(u int) bool { return slices.Contains(out, u) })
	slices.Sort(left)
	rng := rand.New(src)
	rng.Shuffle(len(left), func(i, j int) { left[i], left[j] = left[j], left[i] })
	return append(out, left[:communities-len(out)]...), nil
}

// checkLinear requires a vector of finite numbers for every node.
func (o BigclamOptions) checkLinear(nodes, communities int) error {
	if o.Linear == nil {
		return nil
	}
	if len(o.Linear) != nodes {
		return parameter.Errorf("the linear term has %d rows, want %d, one for each node", len(o.Linear), nodes)
	}
	for u, row := range o.Linear {
		if len(row) != communities {
			return parameter.Errorf("row %d of the linear term has %d entries, want %d, one for each community", u, len(row), communities)
		}
		for c, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return parameter.Errorf("entry (%d, %d) of the linear term is %v, want a finite number", u, c, v)
			}
		}
	}
	return nil
}
