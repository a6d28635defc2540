package networks

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/privacy"
	"dpworkbench/xor"
)

// PygmalionOptions are the free choices of Pygmalion. The zero value follows the paper's public implementations.
type PygmalionOptions struct {
	// DegreeBound is a public bound D of the degrees: an edge is dropped unless it is among the first D of both its
	// ends. 0 means the largest degree of the graph itself.
	DegreeBound int
	// Partitions is the number of times that the range of degrees is halved. Every part has noise for its largest
	// degree. 0 halves until each part is a single degree.
	Partitions int
	// Whole keeps the range in one part, with noise for the largest degree everywhere.
	Whole bool
	// AllTuples adds noise to every tuple of degrees up to the bound, or up to N − 1 without one. Otherwise only tuples
	// that occur in the graph are released.
	AllTuples bool
	// Rough skips the smoothing, which is an isotonic regression of the noisy numbers in the order of the true ones.
	// AllTuples skips it too.
	Rough bool
}

// Pygmalion releases a graph made from a noisy dK-2 series. For degrees i ≤ j, the series holds the number of edges
// between nodes of degree i and nodes of degree j.
//
// An edge between nodes of degrees a and b moves a + b other edges to other tuples, so the series changes by at most 2a
// + 2b + 1 ≤ 4D + 1 (Lemma 1 of the paper). A part of the series whose largest degree is D has noise for sensitivity 4D
// + 1 at ε. The nodes of the generated graph are anonymous and are assigned to the original nodes at random.
//
// Source: Sala, Zhao, Wilson, Zheng, Zhao, "Sharing graphs using differentially private graph models", IMC 2011. Only
// its abstract, its description in the comparison and public implementations were available. How the range is divided,
// which tuples have noise and how the noisy series is smoothed are options.
type Pygmalion struct {
	eps evidence.Epsilon
	PygmalionOptions
}

// NewPygmalion returns the mechanism. It returns an error wrapping evidence.ErrParameter unless eps is positive and the
// bound and the partitions are not negative.
func NewPygmalion(eps evidence.Epsilon, opts PygmalionOptions) (*Pygmalion, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	if opts.DegreeBound < 0 {
		return nil, parameter.Bad("degree_bound", opts.DegreeBound, "at least 1, or 0 for none")
	}
	if opts.Partitions < 0 || opts.Partitions > 30 {
		return nil, parameter.Bad("partitions", opts.Partitions, "0 to 30")
	}
	return &Pygmalion{eps, opts}, nil
}

// Name implements Rival.
func (p *Pygmalion) Name() string {
	bound := "the largest degree measured"
	if p.DegreeBound > 0 {
		bound = fmt.Sprintf("degrees up to %d", p.DegreeBound)
	}
	tuples := "tuples that occur"
	if p.AllTuples {
		tuples = "all tuples"
	}
	return fmt.Sprintf("Pygmalion(eps=%s, %s, %s)", p.eps, bound, tuples)
}

// Guarantee implements Rival.
func (p *Pygmalion) Guarantee() Guarantee { return promise(p.eps, Edge, "Sala et al. 2011") }

// Truncated implements Rival.
func (p *Pygmalion) Truncated(g *xor.Bits) (int, error) { return above(g, p.DegreeBound) }

// above counts the nodes whose degree exceeds a bound, none if the bound is 0.
func above(g *xor.Bits, bound int) (int, error) {
	in, err := readGraph(g)
	if err != nil {
		return 0, err
	}
	count := 0
	for u := range in.near {
		if bound > 0 && in.degree(u) > bound {
			count++
		}
	}
	return count, nil
}

// cut returns the graph without the edges beyond a degree bound: an edge stays if each of its ends has it among its
// first edges, by the number of the other end. An additional edge displaces at most one edge from the list of each of
// its ends and nothing else. So neighbors differ in at most three edges after the cut. (It would not suffice to accept
// edges in turn while both ends have fewer than the bound: a refused edge would make place for another edge, and so
// on.)
func (g *graph) cut(bound int) *graph {
	if bound == 0 {
		return g
	}
	out := &graph{near: make([][]int, g.nodes())}
	for u, list := range g.near {
		for _, v := range list[:min(bound, len(list))] {
			if at, _ := slices.BinarySearch(g.near[v], u); at < bound {
				out.near[u] = append(out.near[u], v)
			}
		}
	}
	return out
}

// tuple is a pair of degrees, the smaller first.
type tuple struct{ i, j int }

// series returns the graph's dK-2 series: the number of edges by the degrees of their ends.
func (g *graph) series() map[tuple]int {
	out := map[tuple]int{}
	for u, list := range g.near {
		for _, v := range list {
			if v > u {
				out[tuple{min(g.degree(u), g.degree(v)), max(g.degree(u), g.degree(v))}]++
			}
		}
	}
	return out
}

// top returns the largest degree of the part of 1 … most that contains d, or d itself if every part is a single degree.
// Degrees beyond the range belong to the last part.
func (p *Pygmalion) top(d, most int) int {
	switch {
	case p.Whole:
		return most
	case p.Partitions == 0:
		return d
	}
	lo, hi := 1, most
	for cuts := 0; lo < hi && cuts < p.Partitions; cuts++ {
		if mid := (lo + hi) / 2; d <= mid {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return hi
}

// ranges returns the largest degree in tuples, and the end of the range that is divided.
func (p *Pygmalion) ranges(g *graph) (most, cut int) {
	most = g.nodes() - 1
	if p.DegreeBound > 0 {
		most = min(most, p.DegreeBound)
		return most, most
	}
	return most, g.most()
}

// tuples returns the tuples with noise, in order, and their entries.
func (p *Pygmalion) tuples(g *graph) ([]tuple, measurement) {
	n := g.nodes()
	most, cut := p.ranges(g)
	series := g.series()
	var at []tuple
	open := ""
	if p.AllTuples {
		for j := 1; j <= most; j++ {
			for i := 1; i <= j; i++ {
				at = append(at, tuple{i, j})
			}
		}
	} else {
		for t := range series {
			at = append(at, t)
		}
		slices.SortFunc(at, func(a, b tuple) int {
			if a.j != b.j {
				return a.j - b.j
			}
			return a.i - b.i
		})
		open = fmt.Sprint(at)
	}
	out := measurement{open: open, entries: make([]entry, len(at))}
	for k, t := range at {
		out.entries[k] = entry{series[t], n * (n - 1) / 2, 1, int64(4*p.top(t.j, cut) + 1)}
	}
	return at, out
}

// mostMeasured is the largest number of nodes that Measured accepts.
const mostMeasured = 1 << 15

// Measured implements Rival, for edges. Beyond 6 nodes it returns a result only if tuples distinguish graphs with
// certainty, or an upper bound if all tuples have noise for public degrees.
func (p *Pygmalion) Measured(ctx context.Context, n int, of Relation) (*privacy.Account, error) {
	if of != Edge {
		return nil, parameter.Bad("neighbors", string(of), `"edge": the mechanism measures a series of the whole graph`)
	}
	if n > mostMeasured {
		return nil, parameter.Bad("nodes", n, "2 to %d", mostMeasured)
	}
	alone := p.Partitions == 0 && !p.Whole && p.DegreeBound == 0
	if n > mostNodes && p.AllTuples && (alone || p.DegreeBound > 0) {
		most := p.largest(n)
		if p.DegreeBound > 0 && p.DegreeBound < n-1 {
			most = p.largestCut()
		}
		return bounded(fmt.Sprintf("what %s measures of graphs with %d nodes", p.Name(), n), p.eps, most)
	}
	if n > mostNodes && !p.AllTuples {
		return apart(fmt.Sprintf("what %s measures of graphs with %d nodes", p.Name(), n)), nil
	}
	return accountOf(ctx, p.Name(), p.eps, n, func(g *graph) measurement {
		_, m := p.tuples(g.cut(p.DegreeBound))
		return m
	})
}

// apart returns the privacy of a mechanism that distinguishes two graphs with certainty.
func apart(name string) *privacy.Account {
	return privacy.New(&privacy.DominatingPairs{
		Name: name, Source: "two graphs that differ in one edge have different tuples", Size: 1,
		Pair: func(context.Context, int) (privacy.Pair, error) {
			return change{apart: true}.pair(evidence.Epsilon{}), nil
		},
	})
}

// largest bounds the smallest ε, in units of ε. Consider an edge between nodes of degrees a ≤ b < n − 1. It moves
// each edge of these nodes from one tuple to another. The larger degree of the first tuple is at least the node's
// degree, and that of the second at least one more. The new edge itself adds one more change.
func (p *Pygmalion) largest(n int) *big.Rat {
	rate := func(d int) *big.Rat { return big.NewRat(1, int64(4*p.top(d, n-1)+1)) }
	best, side := new(big.Rat), new(big.Rat)
	for b := 0; b < n-1; b++ { // the best a is the largest so far, because top increases with the degree
		moved := new(big.Rat)
		if b > 0 {
			moved.Add(rate(b), rate(b+1))
			moved.Mul(moved, big.NewRat(int64(b), 1))
		}
		moved = roundUp(moved)
		if moved.Cmp(side) > 0 {
			side = moved
		}
		total := new(big.Rat).Add(moved, side)
		if total.Add(total, rate(b+1)); total.Cmp(best) > 0 {
			best = total
		}
	}
	return best
}

// largestCut returns the same bound as largest, for graphs that are cut. A node whose degree decreases from b to b − 1
// moves its edges: the larger degree of their tuples is at least b before and at least b − 1 after. One edge leaves the
// series. An increasing degree does the reverse. An additional edge is cut itself, or it displaces as many edges as
// keep degrees from rising. So two nodes change their degree by 1, or one node by −2, and one edge remains to be
// counted.
func (p *Pygmalion) largestCut() *big.Rat {
	rate := func(d int) *big.Rat { return big.NewRat(1, int64(4*p.top(d, p.DegreeBound)+1)) }
	most := new(big.Rat)
	for b := 1; b <= p.DegreeBound; b++ {
		moved := rate(b)
		if b > 1 {
			moved.Add(moved, rate(b-1))
			moved.Mul(moved, big.NewRat(int64(b-1), 1))
			moved.Add(moved, rate(b))
		}
		if moved.Cmp(most) > 0 {
			most = moved
		}
	}
	most.Mul(most, big.NewRat(2, 1))
	return most.Add(most, rate(1))
}
