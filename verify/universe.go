package verify

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/query"
)

// universe recomputes the metric, the neighbors and the sensitivities of a query.
func (r *Report) universe(ctx context.Context, q *query.Query) ([][]float64, error) {
	s := q.Space()
	n := s.Size()
	d, err := distances(ctx, s)
	if err != nil {
		return nil, err
	}
	metric, near, local := r.part("distances"), r.part("neighbors"), r.part("sensitivity")
	largest := 0.0
	for x := range n {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		listed := make(map[int]bool)
		for _, y := range s.Neighbors(x) {
			listed[int(y)] = true
		}
		most := 0.0
		for y := range n {
			metric.is(s.Distance(x, y) == d[x][y], ".query  # datasets %d and %d are %g apart, not %g", x, y, d[x][y], s.Distance(x, y))
			is := d[x][y] > 0 && d[x][y] <= 1
			near.is(listed[y] == is, ".query  # datasets %d and %d: neighbors %v, distance %g", x, y, listed[y], d[x][y])
			if is {
				most = max(most, valueDistance(q, q.ValueIndex(x), q.ValueIndex(y)))
			}
		}
		local.number(q.LocalSensitivity(x), most, ".query.local_sensitivity(%d)", x)
		largest = max(largest, most)
	}
	local.number(q.Sensitivity(), largest, ".query.sensitivity")
	return d, nil
}

// valueDistance returns |a − b| for numbers, and the query's distance for other values.
func valueDistance(q *query.Query, i, j int) float64 {
	a, okA := number(q, i)
	b, okB := number(q, j)
	if q.Metric().IsAbsolute() && okA && okB {
		f, _ := a.Sub(a, b).Float64()
		return math.Abs(f)
	}
	f, _ := q.Metric().Rational(i, j).Float64()
	return f
}

func number(q *query.Query, i int) (*big.Rat, bool) {
	return new(big.Rat).SetString(q.Range()[i].String())
}

// distances returns d̄. For graphs it is the least number of edge changes over all numberings of the nodes. For
// histograms it is the number of records to change, and for a path metric the length of a shortest path. Otherwise it
// is the given distance.
func distances(ctx context.Context, s *query.Space) ([][]float64, error) {
	n := s.Size()
	d := make([][]float64, n)
	graphs, counts := adjacencies(s), histograms(s)
	replace := n > 1 // all datasets have the same number of records
	for x := range counts {
		a, _ := s.Records(x)
		b, _ := s.Records(0)
		replace = replace && a == b
	}
	for x := range d {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		d[x] = make([]float64, n)
		for y := range d[x] {
			switch {
			case graphs != nil:
				d[x][y] = edits(graphs[x], graphs[y])
			case counts != nil:
				for t := range counts[x] {
					d[x][y] += math.Abs(float64(counts[x][t] - counts[y][t]))
				}
				if replace {
					d[x][y] /= 2
				}
			case s.IsPath():
				d[x][y] = math.Inf(1)
				if s.Distance(x, y) <= 1 {
					d[x][y] = s.Distance(x, y)
				}
			default:
				d[x][y] = s.Distance(x, y)
			}
		}
	}
	if graphs == nil && counts == nil && s.IsPath() {
		for k := range n { // Floyd and Warshall
			for x := range n {
				for y := range n {
					d[x][y] = min(d[x][y], d[x][k]+d[k][y])
				}
			}
		}
	}
	return d, nil
}

// histograms returns the counts of every dataset, or nil if the datasets are not histograms.
func histograms(s *query.Space) (out [][]int) {
	for x := range s.Size() {
		c, ok := s.Dataset(x).Name.([]int)
		if _, records := s.Records(x); !ok || !records {
			return nil
		}
		out = append(out, c)
	}
	return out
}

// adjacencies returns the adjacency matrices of all graphs on n ≤ 6 nodes up to isomorphism, decoded from graph6, or
// nil if the datasets are not these graphs.
func adjacencies(s *query.Space) (out [][][]bool) {
	classes := map[int]int{1: 1, 2: 2, 3: 4, 4: 11, 5: 34, 6: 156} // OEIS A000088
	for x := range s.Size() {
		text, ok := s.Dataset(x).Name.(string)
		if !ok || len(text) < 1 {
			return nil
		}
		n := int(text[0]) - 63
		if n < 1 || n > 6 || classes[n] != s.Size() || len(text) != 1+(n*(n-1)/2+5)/6 {
			return nil
		}
		g := make([][]bool, n)
		for i := range g {
			g[i] = make([]bool, n)
		}
		for j, bit := 1, 0; j < n; j++ {
			for i := range j {
				g[i][j] = (text[1+bit/6]-63)>>(5-bit%6)&1 == 1
				g[j][i] = g[i][j]
				bit++
			}
		}
		out = append(out, g)
	}
	return out
}

// edits returns the least number of edges in which two graphs differ, over all permutations of the nodes.
func edits(g, h [][]bool) float64 {
	best := len(g) * len(g)
	at := make([]int, 0, len(g))
	var place func(differ int)
	place = func(differ int) {
		if len(at) == len(g) {
			best = min(best, differ)
			return
		}
		for v := range g {
			used, more := false, 0
			for i, w := range at {
				used = used || v == w
				if g[i][len(at)] != h[w][v] {
					more++
				}
			}
			if !used {
				at = append(at, v)
				place(differ + more)
				at = at[:len(at)-1]
			}
		}
	}
	place(0)
	return float64(best)
}

// Neighbors returns all ordered pairs of neighbors.
func Neighbors(s *query.Space) (out [][2]int) {
	for x := range s.Size() {
		for y := range s.Size() {
			if d := s.Distance(x, y); d > 0 && d <= 1 {
				out = append(out, [2]int{x, y})
			}
		}
	}
	return out
}
