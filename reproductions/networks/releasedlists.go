package networks

import (
	"context"
	"fmt"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// mostListNodes is the largest number of nodes for which all reports of LDPGen are enumerated: 12⁵ per round.
const mostListNodes = 5

// tensor holds a number for each combination of values of some entries, the last entry fastest.
type tensor struct {
	sizes []int
	at    []float64
}

func newTensor(sizes []int) *tensor {
	n := 1
	for _, s := range sizes {
		n *= s
	}
	return &tensor{sizes, make([]float64, n)}
}

// index returns the index of a combination of values.
func (t *tensor) index(values []int) int {
	at := 0
	for i, v := range values {
		at = at*t.sizes[i] + v
	}
	return at
}

// expected replaces a function of the noisy values by its mean as a function of the true values. rows[k] holds the
// probabilities of the noisy values of an entry whose true value is k. Entries have as many true values as noisy ones.
func (t *tensor) expected(rows [][][]float64) {
	stride := len(t.at)
	for i, size := range t.sizes {
		stride /= size
		in := make([]float64, size)
		for first := 0; first < len(t.at); first += stride * size {
			for at := first; at < first+stride; at++ {
				for v := range in {
					in[v] = t.at[at+v*stride]
				}
				for k, row := range rows[i] {
					var sum float64
					for v, p := range row {
						sum += p * in[v]
					}
					t.at[at+k*stride] = sum
				}
			}
		}
	}
}

// round holds the reports of the nodes in a round with given groups.
type round struct {
	of     []int
	groups int
	sizes  []int         // the numbers of values of the reports
	rows   [][][]float64 // probabilities by report, true value and noisy value
}

func (l *LDPGen) round(of []int, groups, turn int) *round {
	r := &round{of: of, groups: groups}
	none := &graph{near: make([][]int, len(of))}
	for _, e := range reports(none, of, groups, l.rounds()[turn]) {
		var rows [][]float64
		for e.value = 0; e.value <= e.most; e.value++ {
			rows = append(rows, e.masses(l.eps))
		}
		r.rows, r.sizes = append(r.rows, rows), append(r.sizes, e.most+1)
	}
	return r
}

// place returns the index of a graph's true counts in a tensor of the reports.
func (r *round) place(t *tensor, g *graph) int {
	return t.index(slices.Concat(counts(g, r.of, r.groups)...))
}

// each visits all reports.
func (r *round) each(see func(at int, values []int)) {
	values := make([]int, len(r.sizes))
	var descend func(i, at int)
	descend = func(i, at int) {
		if i == len(values) {
			see(at, values)
			return
		}
		for v := range r.sizes[i] {
			values[i] = v
			descend(i+1, at*r.sizes[i]+v)
		}
	}
	descend(0, 0)
}

// ReleasedEpsilon returns the smallest ε of the released graph itself over all graphs on n numbered nodes, 2 ≤ n ≤ 5,
// that differ in one edge, by enumerating all reports of both rounds. Nodes are assigned to the initial groups by
// number, and each round has at most two groups.
//
// The probability of an output graph is a function of the reports of the second round. The mean over these reports,
// taken one report at a time, is a function of the true counts. Groups of equal sizes differ only by a renumbering of
// the nodes.
func (l *LDPGen) ReleasedEpsilon(ctx context.Context, n int) (evidence.Number, error) {
	r, err := l.released(ctx, n)
	if err != nil {
		return nil, err
	}
	return r.epsilon(n, l.Name())
}

func (l *LDPGen) released(ctx context.Context, n int) (*released, error) {
	if err := fewNodes(n, mostListNodes); err != nil {
		return nil, err
	}
	if l.Initial > 2 || l.Groups > 2 {
		return nil, parameter.Errorf("%d groups in the first round and %d in the second, want at most 2 in each to enumerate the law", l.Initial, l.Groups)
	}
	pairs := pairsOf(n)
	size := 1 << len(pairs)
	r := newReleased(n, func(code int, _ *graph) string { return fmt.Sprint(code) })
	order := lists.Of(n, func(i int) int { return i })
	// The first round: the possible groups, and their probabilities at every graph.
	first := l.round(deal(order, l.Initial), l.Initial, 0)
	for _, of := range []*round{first, l.round(order, n, 1)} { // groups of single nodes have the most entries
		for _, rows := range of.rows {
			r.measures(rows)
		}
	}
	come := map[string]*tensor{}
	var ways []string
	first.each(func(at int, values []int) {
		name := bytesOf(cluster(grouped(slices.Clone(values), l.Initial), l.Groups))
		if come[name] == nil {
			come[name] = newTensor(first.sizes)
			ways = append(ways, name)
		}
		come[name].at[at] = 1
	})
	drawn := map[string][][]float64{}  // probabilities of the second round, by output graph and true graph, for groups in order
	chances := make([][]float64, size) // by outcome and graph
	for code := range chances {
		chances[code] = make([]float64, size)
	}
	for k, name := range ways {
		come[name].expected(first.rows)
		parallel.Report(ctx, int64(k), int64(len(ways)), "groups of %d", len(ways))
		// List the nodes by group, those of the smaller group first.
		in := [][]int{nil, nil}
		for u := range n {
			in[name[u]] = append(in[name[u]], u)
		}
		if len(in[0]) > len(in[1]) && len(in[1]) > 0 {
			in[0], in[1] = in[1], in[0]
		}
		to := make([]int, n)
		for place, u := range slices.Concat(in...) {
			to[u] = place
		}
		cut := len(in[0])
		shape := bytesOf([]int{cut})
		if drawn[shape] == nil {
			law, err := l.drawn(ctx, pairs, cut)
			if err != nil {
				return nil, err
			}
			drawn[shape] = law
		}
		renamed := lists.Of(size, func(code int) int { return moved(pairs, to, code) })
		for code := range size {
			p := come[name].at[first.place(come[name], decoded(n, pairs, code))]
			for out := range size {
				chances[out][code] += p * drawn[shape][renamed[out]][renamed[code]]
			}
		}
	}
	for code, chance := range chances {
		r.graph(code, chance)
	}
	return r, nil
}

// drawn returns the probabilities of every output graph at every true graph in the second round, with the first cut
// nodes in one group and the others in the second.
func (l *LDPGen) drawn(ctx context.Context, pairs [][2]int, cut int) ([][]float64, error) {
	n := pairs[len(pairs)-1][1] + 1
	of, groups := make([]int, n), 1
	for u := cut; u < n; u++ {
		of[u], groups = 1, 2
	}
	second := l.round(of, groups, 1)
	size := 1 << len(pairs)
	var stay [][]int // permutations of codes from renumbering nodes within their groups
	for _, to := range permutations(n) {
		if slices.ContainsFunc(to[:cut], func(v int) bool { return v >= cut }) {
			continue
		}
		codes := lists.Of(size, func(code int) int { return moved(pairs, to, code) })
		stay = append(stay, codes)
	}
	places := make([]int, size)
	t := newTensor(second.sizes)
	for code := range places {
		places[code] = second.place(t, decoded(n, pairs, code))
	}
	// The probability of every edge, by report.
	edge := lists.Of(len(pairs), func(int) []float64 { return make([]float64, len(t.at)) })
	second.each(func(at int, values []int) {
		chance := chungLu(grouped(values, groups), of, groups)
		for k, e := range pairs {
			edge[k][at] = chance(e[0], e[1])
		}
	})
	out := make([][]float64, size)
	for code := range out {
		if out[code] != nil {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for at := range t.at {
			t.at[at] = 1
		}
		for k := range pairs {
			if code>>k&1 == 1 {
				for at, p := range edge[k] {
					t.at[at] *= p
				}
			} else {
				for at, p := range edge[k] {
					t.at[at] *= 1 - p
				}
			}
		}
		t.expected(second.rows)
		for _, to := range stay {
			if out[to[code]] != nil {
				continue
			}
			row := make([]float64, size)
			for x := range size {
				row[to[x]] = t.at[places[x]]
			}
			out[to[code]] = row
		}
	}
	return out, nil
}
