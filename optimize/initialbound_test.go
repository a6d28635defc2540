package optimize

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

func tablesOf(t *testing.T, q *query.Query, decay float64) *tables {
	t.Helper()
	return must.For(newTables(context.Background(), q, must.For(evidence.NewEpsilon("decay", decay))(t), must.For(mechanism.PriorWeights(q.Size(), nil))(t)))(t)
}

func onEdges(t *testing.T, edges [][2]int, values []float64) *query.Query {
	t.Helper()
	return must.For(query.NewNumeric("small", must.For(query.NewPathSpace(len(values), edges))(t), values, nil))(t)
}

// reach finds exactly the rows that fit. The reference enumerates all pairs of rows with layers that differ by at most
// 1, and then truncates them.
func TestReachFindsFittingRows(t *testing.T) {
	const deepest, size = 2, 3
	q := onEdges(t, [][2]int{{0, 1}, {1, 2}}, []float64{0, 3, 1})
	e := must.For(tablesOf(t, q, 1).relax(context.Background(), deepest))(t)
	fits := fittingRows(size, deepest)
	for _, i := range e.valid {
		p := e.passage()
		for k := range p.out {
			p.out[k] = never
		}
		p.out[i] = 7
		e.reach(p)
		for _, j := range e.valid {
			if got, want := p.out[j] == 7, fits[[2]int{int(i), int(j)}]; got != want {
				t.Errorf("rows %d and %d fit: %v, want %v", i, j, got, want)
			}
		}
	}
}

// The largest message exceeds the cost of every row, and the slack exceeds the rounding of all sums.
func TestMessagesExceedRowCosts(t *testing.T) {
	for _, values := range [][]float64{{0, 3, 1}, {0, 100, 1e6}, {0, 1e-3, 1e-6}} {
		e := must.For(tablesOf(t, onEdges(t, [][2]int{{0, 1}, {1, 2}}, values), 1).relax(t.Context(), 2))(t)
		most := 0.0
		for x := range values {
			for _, i := range e.valid {
				most = max(most, e.cost[e.q.ValueIndex(x)][i])
			}
		}
		if sums := 3 * (1 + 2 + 3.) * most * 0x1p-53; !(float64(e.most) > most) || !(e.slack > sums) || e.slack > 1e-9*(1+most) {
			t.Errorf("f of %v: rows cost up to %v, messages hold %v, slack %v", values, most, e.most, e.slack)
		}
	}
}

// The bound is below the best of all tables, and close to it with enough layers, on trees and other graphs.
func TestBranchAgainstExhaustiveSearch(t *testing.T) {
	ctx := context.Background()
	for i, c := range []struct {
		edges  [][2]int
		values []float64
		decay  float64
	}{
		{[][2]int{{0, 1}, {1, 2}}, []float64{0, 3, 1}, 0.5},
		{[][2]int{{0, 1}, {1, 2}, {0, 2}}, []float64{0, 3, 3}, 1},
		{[][2]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}, []float64{0, 0, 5, 5}, 0.7},
		{[][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}, {1, 3}}, []float64{2, 0, 5, 5, 1}, 1},
		{[][2]int{{0, 1}}, []float64{0, 7, 7}, 1}, // two components
	} {
		if i == 3 && !cases.All() { // takes half of the time
			continue
		}
		q := onEdges(t, c.edges, c.values)
		s := tablesOf(t, q, c.decay)
		best, _, err := s.exhaust(ctx, math.Inf(1), 4, 1<<26)
		if err != nil {
			t.Fatal(err)
		}
		value := s.evaluate(best)
		for _, layers := range []int{1, 3, 12} {
			out := must.For(s.branch(ctx, value, layers, 200))(t)
			if out.lower > value {
				t.Errorf("%v, %d layers: a table costs %.12g, below the bound %.12g", c.values, layers, value, out.lower)
			}
			if layers == 12 && out.lower < value*0.97 {
				t.Errorf("%v: bound %.12g is far from %.12g after %d boxes", c.values, out.lower, value, out.boxes)
			}
		}
		// For every upper bound on the cost, the lower bound is at most the smallest cost.
		if out := must.For(s.branch(ctx, 2*value+1, 8, 20))(t); out.lower > value {
			t.Errorf("%v: bound %.12g is above the smallest cost %.12g", c.values, out.lower, value)
		}
	}
}

// On the graphs of four nodes the least cost of all initial values, however deep, is known to 0.1 %. With few layers
// the certified optimum is the better bound.
func TestLeastInitialOnGraphs(t *testing.T) {
	ctx := context.Background()
	q := must.For(must.For(query.NewGraphs(ctx, 4))(t).Count("triangle"))(t)
	decay := must.For(evidence.NewEpsilon("decay", 1))(t)
	found := must.For(SearchInitial(ctx, q, decay, InitialOptions{Rounds: 20, Layers: 8, Boxes: 20}))(t)
	lo, hi := found.Least.Bounds()
	if _, top := found.Value.Bounds(); !(hi == top && lo < hi && lo > 0.999*hi) || found.Boxes < 1 {
		t.Errorf("least %v, value %v after %d boxes", found.Least, found.Value, found.Boxes)
	}
	few := must.For(SearchInitial(ctx, q, decay, InitialOptions{Layers: 1}))(t)
	best := must.For(few.optimal(ctx))(t).Optimum()
	want, _ := best.Bounds()
	if lo, _ := few.Least.Bounds(); lo < want {
		t.Errorf("least %v is below the optimum %v", few.Least, best)
	}
	for _, o := range []InitialOptions{{Layers: -1}, {Layers: 16}, {Boxes: -1}} {
		if _, err := SearchInitial(ctx, q, decay, o); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	large := must.For(must.For(query.NewGraphs(ctx, 6))(t).Count("triangle"))(t)
	if _, err := tablesOf(t, large, 1).relax(ctx, 6); !errors.Is(err, ErrNotReached) {
		t.Errorf("too much memory: %v", err)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if _, err := tablesOf(t, q, 1).branch(stopped, 1, 3, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a stopped context: %v", err)
	}
}

// truncatedIndex returns the index of a row after truncating its layers between the first one and deepest.
func truncatedIndex(row []int, deepest int) (index int) {
	low, stride := slices.Min(row), 1
	for _, l := range row {
		index += stride * min(l-low, deepest)
		stride *= deepest + 1
	}
	return index
}

// fittingRows returns the possible pairs of rows of neighbors, from all layers of size values that differ by at most 1.
func fittingRows(size, deepest int) map[[2]int]bool {
	fits := make(map[[2]int]bool)
	a, b := make([]int, size), make([]int, size)
	var fill func(r int)
	fill = func(r int) {
		if r == size {
			fits[[2]int{truncatedIndex(a, deepest), truncatedIndex(b, deepest)}] = true
			return
		}
		for l := range 2*deepest + 2 {
			for move := -1; move < 2; move++ {
				a[r], b[r] = l, l+move
				fill(r + 1)
			}
		}
	}
	fill(0)
	return fits
}

// leastOfRow returns the least cost of a row. Each value in the last layer may count fully or not at all.
func leastOfRow(row []int, deepest int, distance []float64, decay float64) float64 {
	best := math.Inf(1)
	for parts := range 1 << len(row) {
		sum, mass := 0.0, 0.0
		for r, l := range row {
			if l < deepest || parts>>r&1 != 0 {
				w := math.Exp(-decay * float64(l))
				sum, mass = sum+w*distance[r], mass+w
			}
		}
		if mass > 0 {
			best = min(best, sum/mass)
		}
	}
	return best
}

// The bound of a box holds for every choice of rows in it. The two halves partition the box, and splitting stops at one
// row for each dataset. A row is dropped only if every choice with it costs more than the known value. The reference
// enumerates all choices of rows that fit.
func TestBranchAndBoundBoxes(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 12))
	ended, dropped, kept := 0, 0, 0
	for trial := range 12 {
		n, decay := 2+trial%3, 0.3+r.Float64()
		values, edges := []float64{0, 1, 3}[:2+trial%2], [][2]int(nil)
		deepest := 4 - len(values)
		for x := 1; x < n; x++ {
			edges = append(edges, [2]int{r.IntN(x), x})
		}
		if n == 4 {
			edges = append(edges, [2]int{0, 3}, [2]int{1, 3})
		}
		of := make([]float64, n)
		for x := range of {
			of[x] = values[r.IntN(len(values))]
		}
		q := must.For(query.NewNumeric("small", must.For(query.NewPathSpace(n, edges))(t), of, values))(t)
		e := must.For(tablesOf(t, q, decay).relax(t.Context(), deepest))(t)
		fits, row := fittingRows(len(values), deepest), make([]int, len(values))
		cost := make([]map[int32]float64, n)
		for x := range cost {
			cost[x] = make(map[int32]float64)
			distance := make([]float64, len(values))
			for k, v := range values {
				distance[k] = math.Abs(v - of[x])
			}
			for _, i := range e.valid {
				e.layers(int(i), row)
				want := leastOfRow(row, deepest, distance, decay)
				if got := e.cost[q.ValueIndex(x)][i]; math.Abs(got-want) > 1e-13*(1+want) {
					t.Errorf("trial %d: row %v of dataset %d costs %v, want %v", trial, row, x, got, want)
				}
				cost[x][i] = want / float64(n)
			}
		}
		// least returns the least cost of the choices in a box whose row for dataset x is number at. If x = n, any row
		// may be chosen.
		least := func(b *box, x int, at int32) float64 {
			best, chosen := math.Inf(1), make([]int32, n)
			var choose func(y int, sum float64)
			choose = func(y int, sum float64) {
				if y == n {
					best = min(best, sum)
					return
				}
				for _, i := range e.valid {
					good := !b.gone[y].has(i) && (y != x || i == at) && sum+cost[y][i] < best
					for z := 0; z < y && good; z++ {
						good = e.far[y][z] != 1 || fits[[2]int{int(chosen[z]), int(i)}]
					}
					if chosen[y] = i; good {
						choose(y+1, sum+cost[y][i])
					}
				}
			}
			choose(0, 0)
			return best
		}
		root := &box{gone: make([]rowset, n)}
		for x := range root.gone {
			root.gone[x] = make(rowset, e.states/64+1)
		}
		copied := func(b *box) (gone []rowset) {
			for _, rows := range b.gone {
				gone = append(gone, slices.Clone(rows))
			}
			return gone
		}
		all := least(root, n, 0)
		for _, upper := range []float64{1.02 * all, 1.5*all + 0.01} {
			for x := range root.gone {
				root.gone[x] = make(rowset, e.states/64+1)
			}
			root.bound = 0
			open, given := []*box{root}, map[*box][]rowset{root: copied(root)}
			for steps := 0; len(open) > 0 && steps < 25; steps++ {
				b := open[0]
				open = open[1:]
				before := &box{gone: given[b]}
				if !slices.EqualFunc(before.gone, b.gone, slices.Equal[rowset]) {
					t.Fatalf("trial %d: the rows of a box changed with those of another", trial)
				}
				truth := least(before, n, 0)
				if err := e.tighten(t.Context(), b, upper, upper); err != nil {
					t.Fatal(err)
				}
				if b.bound > truth+1e-12 {
					t.Fatalf("trial %d: a box with bound %v has a choice of cost %v", trial, b.bound, truth)
				}
				if b.bound >= upper {
					continue
				}
				left := 0
				for x := range n {
					for _, i := range e.valid {
						if !b.gone[x].has(i) {
							left++
							if cost[x][i] > upper*(1+1e-8)+1e-9 {
								t.Errorf("trial %d: row %d of dataset %d costs %v, more than %v, but is kept", trial, i, x, cost[x][i], upper)
							}
							kept++
						} else if !before.gone[x].has(i) {
							dropped++
							if v := least(before, x, i); v < upper {
								t.Errorf("trial %d: row %d of dataset %d is in a choice of cost %v, less than %v, but was dropped", trial, i, x, v, upper)
							}
						}
					}
				}
				if (left == n) != (b.split[1] < 0) {
					t.Fatalf("trial %d: %d rows of %d datasets are left, split %v", trial, left, n, b.split)
				}
				if left == n {
					ended++
					continue
				}
				halves, shares := e.halves(b), [2]int{}
				for x := range n {
					for _, i := range e.valid {
						e.layers(int(i), row)
						for k, h := range halves {
							if x == b.split[0] && !h.gone[x].has(i) {
								shares[k]++
							}
						}
						first, second := !halves[0].gone[x].has(i), !halves[1].gone[x].has(i)
						if here := !b.gone[x].has(i); x != b.split[0] && (first != here || second != here) || x == b.split[0] && (first != (here && row[b.split[1]] <= b.split[2]) || second != (here && !first)) {
							t.Fatalf("trial %d: row %d of dataset %d: in the box %v, in its halves %v and %v, split %v", trial, i, x, here, first, second, b.split)
						}
					}
				}
				if shares[0] == 0 || shares[1] == 0 {
					t.Errorf("trial %d: halves with %v rows, split %v", trial, shares, b.split)
				}
				if len(halves) != 2 || halves[0].bound != b.bound || halves[1].bound != b.bound {
					t.Errorf("trial %d: halves %v of bound %v", trial, halves, b.bound)
				}
				open = append(open, halves...)
				for _, h := range halves {
					given[h] = copied(h)
				}
			}
		}
	}
	t.Logf("%d boxes of one row each, %d rows dropped, %d kept", ended, dropped, kept)
	if ended == 0 || dropped < 20 || kept < 20 {
		t.Errorf("only %d boxes of one row each, %d rows dropped, %d kept", ended, dropped, kept)
	}
}
