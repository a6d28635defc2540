package networks

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/privacy"
	"dpworkbench/xor"
)

// ApproxDegOptions are the free choices of ApproxDeg.
type ApproxDegOptions struct {
	// DegreeBound is the public bound D to which larger degrees are clipped. 0 means √N, rounded up.
	DegreeBound int
	// Sequence adds noise to the sorted degrees and smooths them (Hay et al. 2009). An edge changes the sorted degrees
	// by 2 in all. Otherwise the noise is added to the histogram of the degrees, which an edge changes by at most 4 in
	// all.
	Sequence bool
}

// ApproxDeg releases degrees, not a graph: the noisy histogram of the degrees up to a bound. Negative counts become 0,
// and the counts are scaled to the number of nodes.
//
// Source: footnote 8 of "An XOR Mechanism", which describes it as sensitivity control by a constraint and
// post-processing. The cited work was not available.
type ApproxDeg struct {
	eps evidence.Epsilon
	ApproxDegOptions
}

// NewApproxDeg returns the mechanism. It returns an error wrapping evidence.ErrParameter unless eps is positive and the
// bound is not negative.
func NewApproxDeg(eps evidence.Epsilon, opts ApproxDegOptions) (*ApproxDeg, error) {
	if err := eps.Positive("eps"); err != nil {
		return nil, err
	}
	if opts.DegreeBound < 0 {
		return nil, parameter.Bad("degree_bound", opts.DegreeBound, "at least 1, or 0 for √N")
	}
	return &ApproxDeg{eps, opts}, nil
}

// Name returns the mechanism's name with its options.
func (a *ApproxDeg) Name() string {
	what := "histogram"
	if a.Sequence {
		what = "sequence"
	}
	return fmt.Sprintf("ApproxDeg(eps=%s, %s)", a.eps, what)
}

// Guarantee returns the published claim.
func (a *ApproxDeg) Guarantee() Guarantee {
	return promise(a.eps, Edge, "An XOR Mechanism, footnote 8")
}

// bound returns the degree bound for n nodes.
func (a *ApproxDeg) bound(n int) int {
	if a.DegreeBound > 0 {
		return min(a.DegreeBound, n-1)
	}
	return min(int(math.Ceil(math.Sqrt(float64(n)))), n-1)
}

// Truncated returns the number of nodes whose degree exceeds the bound.
func (a *ApproxDeg) Truncated(g *xor.Bits) (int, error) {
	n, _ := g.Shape()
	return above(g, a.bound(n))
}

// measure returns the histogram of the degrees, or the sorted degrees.
func (a *ApproxDeg) measure(g *graph) measurement {
	n := g.nodes()
	bound := a.bound(n)
	degrees := g.degrees()
	for u, d := range degrees {
		degrees[u] = min(d, bound)
	}
	if a.Sequence {
		slices.Sort(degrees)
		out := make([]entry, n)
		for i, d := range degrees {
			out[i] = entry{d, bound, 1, 2}
		}
		return measurement{entries: out}
	}
	out := lists.Of(bound+1, func(int) entry { return entry{0, n, 1, 4} })
	for _, d := range degrees {
		out[d].value++
	}
	return measurement{entries: out}
}

// Measured returns the privacy of the noisy measurement over all graphs with n ≥ 2 nodes that differ in one edge.
// Beyond 6 nodes it is the upper bound from the sensitivity.
func (a *ApproxDeg) Measured(ctx context.Context, n int, of Relation) (*privacy.Account, error) {
	if of != Edge {
		return nil, parameter.Bad("neighbors", string(of), `"edge": the mechanism measures degrees of the whole graph`)
	}
	if n > mostNodes {
		f, err := privacy.ApproxDP(a.eps, new(big.Rat))
		if err != nil {
			return nil, err
		}
		f.Name, f.Bound = fmt.Sprintf("what %s measures of graphs with %d nodes", a.Name(), n), true
		return privacy.New(f), nil
	}
	return accountOf(ctx, a.Name(), a.eps, n, a.measure)
}

// Degrees draws as many degrees as there are nodes, ascending. It returns an error wrapping evidence.ErrParameter if g
// is not a simple graph.
func (a *ApproxDeg) Degrees(ctx context.Context, g *xor.Bits, src rand.Source) ([]int, error) {
	in, err := readGraph(g)
	if err != nil {
		return nil, err
	}
	m := a.measure(in)
	got, err := noisy(a.eps, m.entries, a.Sequence, src)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if a.Sequence {
		for i, d := range smooth(m.entries, got) { // the degrees are sorted, so their order is public
			got[i] = min(d, a.bound(in.nodes()))
		}
		return got, nil
	}
	return spread(got, in.nodes()), nil
}

// spread assigns n nodes to degrees in proportion to a histogram, or all to degree 0 if it is empty.
func spread(histogram []int, n int) []int {
	var total, sum float64
	for _, v := range histogram {
		total += float64(v)
	}
	out := make([]int, n)
	at := 0
	for d, v := range histogram {
		sum += float64(v)
		for ; total > 0 && at < int(float64(n)*sum/total+0.5); at++ {
			out[at] = d
		}
	}
	return out
}
