package networks

import (
	"context"
	"fmt"
	"math"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
)

// mostSeriesNodes is the largest number of nodes for which all noisy series are enumerated, which are 7⁶ for 4 nodes.
const mostSeriesNodes = 4

// ReleasedEpsilon returns the smallest ε of the released graph itself over all graphs on n ≥ 2 nodes that differ in one
// edge. With noise on all tuples, it enumerates all noisy series, with every way to draw edges and to assign the nodes,
// on up to 4 nodes. With noise only on the tuples that occur, ε is infinite, because a graph without edges never
// releases an edge, while a graph with one edge can.
func (p *Pygmalion) ReleasedEpsilon(ctx context.Context, n int) (evidence.Number, error) {
	if !p.AllTuples && n >= 2 {
		return evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up, Provenance: evidence.From(p.Name()).By("no edge and one edge: tuples that do not occur have no noise")}, nil
	}
	if err := fewNodes(n, mostSeriesNodes); err != nil {
		return nil, err
	}
	pairs := pairsOf(n)
	series := func(g *graph) ([]tuple, measurement) { return p.tuples(g.cut(p.DegreeBound)) }
	r := newReleased(n, func(_ int, g *graph) string {
		at, m := series(g)
		return fmt.Sprint(at, m.entries)
	})
	order := lists.Of(n, func(i int) int { return i })
	drawn := map[string][]float64{} // laws of the drawn graph, by the counts of the series
	laws := make([][]float64, r.classes)
	for c, code := range r.first() {
		at, m := series(decoded(n, pairs, code))
		var masses [][]float64
		var most []int
		for _, e := range m.entries {
			masses, most = append(masses, e.masses(p.eps)), append(most, e.most)
		}
		least := 1.0
		for _, row := range masses {
			least *= slices.Min(row)
		}
		r.least = min(r.least, least)
		laws[c] = make([]float64, 1<<len(pairs))
		for i, counts := range told(most) {
			if i&0xff == 0 {
				parallel.Report(ctx, int64(c), int64(r.classes), "")
				if err := ctx.Err(); err != nil {
					return nil, err
				}
			}
			product := 1.0
			for k, v := range counts {
				product *= masses[k][v]
			}
			key := bytesOf(counts)
			law, ok := drawn[key]
			if !ok {
				law = seriesLaw(pairs, order, at, counts, true)
				drawn[key] = law
			}
			for code, q := range law {
				if q > 0 {
					laws[c][code] += product * q
				}
			}
		}
	}
	dealt := permutations(n)
	moves := make([][]int, len(dealt)) // maps each code to the code after renaming nodes
	for i, to := range dealt {
		moves[i] = make([]int, 1<<len(pairs))
		for code := range moves[i] {
			moves[i][code] = moved(pairs, to, code)
		}
	}
	chance := make([]float64, r.classes)
	for code := range 1 << len(pairs) {
		for c, law := range laws {
			chance[c] = 0
			for _, to := range moves {
				chance[c] += law[to[code]] / float64(len(moves))
			}
		}
		r.see(chance)
	}
	return r.epsilon(n, p.Name())
}

// seriesLaw returns the law of makeSeries for nodes in a given order, by code.
func seriesLaw(pairs [][2]int, order []int, at []tuple, counts []int, full bool) []float64 {
	law := make([]float64, 1<<len(pairs))
	law[0] = 1
	group := dealt(order, at, counts)
	if group == nil {
		return law
	}
	number := func(u, v int) int { return slices.Index(pairs, [2]int{min(u, v), max(u, v)}) }
	for k, t := range at {
		if counts[k] == 0 {
			continue
		}
		a, b := nearest(group, t.i), nearest(group, t.j)
		var draws []int // pairs, −1 for a loop
		all := 0
		for _, u := range a {
			for _, v := range b {
				draws = append(draws, number(u, v))
				if u != v {
					all |= 1 << number(u, v)
				}
			}
		}
		next := make([]float64, len(law))
		if full && counts[k] >= between(a, b) {
			for code, q := range law {
				next[code|all] += q
			}
			law = next
			continue
		}
		for range min(counts[k], len(pairs)) {
			for code, q := range law {
				if q == 0 {
					continue
				}
				free := 0
				for _, e := range draws {
					if e >= 0 && code>>e&1 == 0 {
						free++
					}
				}
				none := math.Pow(float64(len(draws)-free)/float64(len(draws)), tries)
				if none > 0 {
					next[code] += q * none
				}
				for _, e := range draws {
					if e >= 0 && code>>e&1 == 0 {
						next[code|1<<e] += q * (1 - none) / float64(free)
					}
				}
			}
			law, next = next, law
			clear(next)
		}
	}
	return law
}

// permutations lists all orders of n numbers.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var out [][]int
	for _, p := range permutations(n - 1) {
		for i := range n {
			out = append(out, slices.Insert(slices.Clone(p), i, n-1))
		}
	}
	return out
}

// moved returns the code of a graph whose node u is renamed to[u].
func moved(pairs [][2]int, to []int, code int) int {
	out := 0
	for k, e := range pairs {
		if code>>k&1 == 1 {
			out |= 1 << slices.Index(pairs, [2]int{min(to[e[0]], to[e[1]]), max(to[e[0]], to[e[1]])})
		}
	}
	return out
}
