package networks

import (
	"context"
	"fmt"
	"math"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// released computes the largest ratio of the probabilities of an output at two graphs that differ in one edge. Graphs
// of one class have the same law. The methods graph and see add one output at a time.
type released struct {
	class   []int // the class of each graph, by code
	classes int
	pairs   [][2]int // classes with neighboring graphs, in both orders
	ratio   float64
	least   float64     // a lower bound of the probabilities of measurements
	law     [][]float64 // by class and outcome, up to mostLawNodes nodes
}

// lawError bounds the relative error of a probability of a released graph in float64. The probability of a list of
// reports is a product of at most 16 masses, each within 2⁻⁵⁰. The probability of a graph given the reports is a
// product of 6 more. Fewer than 2¹⁷ such products are added, all of them positive.
const lawError = 0x1p-34

// newReleased returns the computation for n nodes. Graphs with equal keys have one law.
func newReleased(n int, key func(code int, g *graph) string) *released {
	pairs := pairsOf(n)
	r := &released{class: make([]int, 1<<len(pairs)), ratio: 1, least: 1}
	names := map[string]int{}
	for code := range r.class {
		name := key(code, decoded(n, pairs, code))
		if _, ok := names[name]; !ok {
			names[name] = len(names)
		}
		r.class[code] = names[name]
	}
	r.classes = len(names)
	if n <= mostLawNodes {
		r.law = make([][]float64, r.classes)
		for c := range r.law {
			r.law[c] = make([]float64, 1<<len(pairs))
		}
	}
	seen := map[[2]int]bool{}
	for code, a := range r.class {
		for k := range pairs {
			if b := r.class[code^1<<k]; a != b && !seen[[2]int{a, b}] {
				seen[[2]int{a, b}] = true
				r.pairs = append(r.pairs, [2]int{a, b})
			}
		}
	}
	return r
}

// first returns the first graph of every class.
func (r *released) first() []int {
	out := make([]int, r.classes)
	for code, c := range slices.Backward(r.class) {
		out[c] = code
	}
	return out
}

// measures adds the probabilities of an entry for each true value to the lower bound.
func (r *released) measures(rows [][]float64) {
	least := 1.0
	for _, row := range rows {
		least = min(least, slices.Min(row))
	}
	r.least *= least
}

// graph adds the probabilities of one released graph at every class.
func (r *released) graph(code int, chance []float64) {
	for c, row := range r.law {
		row[code] = chance[c]
	}
	r.see(chance)
}

// see adds the probabilities of one outcome at every class.
func (r *released) see(chance []float64) {
	for _, p := range r.pairs {
		if a, b := chance[p[0]], chance[p[1]]; a > r.ratio*b {
			r.ratio = a / b // infinite if b is 0
		}
	}
}

// check requires probabilities within float64's range, each with a relative error of at most lawError. Only impossible
// outcomes may have probability 0.
func (r *released) check() error {
	if r.least < 1e-290 {
		return parameter.Errorf("some measurements have a probability of %.3g, want at least 1e-290: choose a smaller eps, or fewer nodes", r.least)
	}
	return nil
}

// epsilon returns the smallest ε.
func (r *released) epsilon(n int, source string) (evidence.Number, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	how := fmt.Sprintf("all graphs on %d nodes, everything that can come out", n)
	if math.IsInf(r.ratio, 1) {
		return evidence.Certified{Lo: r.ratio, Hi: r.ratio, Side: evidence.Up, Provenance: evidence.From(source).By(how)}, nil
	}
	within := interval.Between(1-4*lawError, 1+4*lawError)
	return evidence.EnclosedLoss(interval.Float(r.ratio).Mul(within).Log(), how, source), nil
}

// masses returns the probabilities of 0 … most for an entry in float64, each within 2⁻⁵⁰.
func (e entry) masses(eps evidence.Epsilon) []float64 {
	law := e.law(eps)
	return lists.Of(len(law), func(k int) float64 { return law[k].Enclosure.Mid() })
}

// fewNodes requires 2 to most nodes.
func fewNodes(n, most int) error {
	if n < 2 || n > most {
		return parameter.Bad("nodes", n, "2 to %d: all released graphs are enumerated", most)
	}
	return nil
}

// told lists all combinations of values of entries, where entry i has the values 0 … most[i].
func told(most []int) [][]int {
	out := [][]int{nil}
	for _, m := range most {
		var next [][]int
		for _, v := range out {
			for k := range m + 1 {
				next = append(next, append(slices.Clip(v), k))
			}
		}
		out = next
	}
	return out
}

// ReleasedEpsilon returns the smallest ε of the released graph itself over all graphs on n numbered nodes, 2 ≤ n ≤ 6,
// that differ in one edge, without decoys. It computes the probability of every output graph at all lists of degrees.
func (p *PBCN) ReleasedEpsilon(ctx context.Context, n int) (evidence.Number, error) {
	r, err := p.released(ctx, n)
	if err != nil {
		return nil, err
	}
	return r.epsilon(n, p.Name())
}

func (p *PBCN) released(ctx context.Context, n int) (*released, error) {
	if err := fewNodes(n, mostNodes); err != nil {
		return nil, err
	}
	if p.Decoys > 0 {
		return nil, parameter.Bad("decoys", p.Decoys, "0: the law is one of graphs with the same number of nodes")
	}
	pairs := pairsOf(n)
	r := newReleased(n, func(_ int, g *graph) string { return bytesOf(g.degrees()) })
	var masses [][]float64 // by degree
	for d := range n {
		masses = append(masses, entry{d, n - 1, 1, int64(p.Sensitivity)}.masses(p.eps))
	}
	for range n {
		r.measures(masses)
	}
	all := told(slices.Repeat([]int{n - 1}, n))
	// Equal clusters of true degrees map the same noisy degrees to the same graph.
	clustered := map[string]int{}
	var groups [][]int // the clusterings; nil for that of the noisy degrees
	var degrees [][]int
	of := make([]int, r.classes)
	for c, code := range r.first() {
		g := decoded(n, pairs, code)
		degrees = append(degrees, g.degrees())
		_, cut := p.measure(g)
		key := bytesOf(cut)
		if _, ok := clustered[key]; !ok {
			clustered[key] = len(groups)
			groups = append(groups, cut)
		}
		of[c] = clustered[key]
	}
	// The noisy degrees by outcome and clusters.
	lead := map[int][][]int32{}
	for k, cut := range groups {
		for i, values := range all {
			if i&0xfff == 0 {
				parallel.Report(ctx, int64(k), int64(2*len(groups)), "graphs that can come out")
			}
			edges, err := havel(ctx, p.targets(values, cut))
			if err != nil {
				return nil, err
			}
			code := codeOf(pairs, edges)
			if lead[code] == nil {
				lead[code] = make([][]int32, len(groups))
			}
			lead[code][k] = append(lead[code][k], int32(i))
		}
	}
	chance := make([]float64, r.classes)
	done := 0
	for code := range 1 << len(pairs) {
		ways, ok := lead[code]
		if !ok {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		parallel.Report(ctx, int64(len(lead)+done), int64(2*len(lead)), "chances")
		done++
		for c, d := range degrees {
			chance[c] = 0
			for _, i := range ways[of[c]] {
				product := 1.0
				for u, v := range all[i] {
					product *= masses[d[u]][v]
				}
				chance[c] += product
			}
		}
		r.graph(code, chance)
	}
	return r, nil
}

// ReleasedEpsilon returns the smallest ε of the released degrees themselves, from a histogram, over all graphs on n
// nodes, 2 ≤ n ≤ 6, that differ in one edge.
func (a *ApproxDeg) ReleasedEpsilon(ctx context.Context, n int) (evidence.Number, error) {
	if err := fewNodes(n, mostNodes); err != nil {
		return nil, err
	}
	if a.Sequence {
		return nil, parameter.Errorf("statistic = \"sequence\" adds unbounded noise before smoothing, so its law cannot be enumerated: use measured(nodes) or audit(…) of samples")
	}
	pairs := pairsOf(n)
	r := newReleased(n, func(_ int, g *graph) string { return fmt.Sprint(a.measure(g).entries) })
	var masses [][][]float64 // by class and entry
	for _, code := range r.first() {
		var rows [][]float64
		for _, e := range a.measure(decoded(n, pairs, code)).entries {
			rows = append(rows, e.masses(a.eps))
		}
		masses = append(masses, rows)
	}
	for d := range a.bound(n) + 1 {
		var rows [][]float64
		for _, m := range masses {
			rows = append(rows, m[d])
		}
		r.measures(rows)
	}
	at := map[string]int{}
	var chances [][]float64
	for _, histogram := range told(slices.Repeat([]int{n}, a.bound(n)+1)) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		key := bytesOf(spread(histogram, n))
		if _, ok := at[key]; !ok {
			at[key] = len(chances)
			chances = append(chances, make([]float64, r.classes))
		}
		sum := chances[at[key]]
		for c, rows := range masses {
			product := 1.0
			for d, v := range histogram {
				product *= rows[d][v]
			}
			sum[c] += product
		}
	}
	for _, chance := range chances {
		r.see(chance)
	}
	return r.epsilon(n, a.Name())
}
