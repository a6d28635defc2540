package optimize

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"dpworkbench/internal/parallel"
)

// exhaust finds the best of all tables in which no value is more than deepest layers below its dataset's first one,
// including tables with values that are output nowhere. It returns nil if none is better than value by more than a
// relative 1e-9.
//
// A dataset's cost depends on its row of layers up to a shift. Rows of datasets at distance d differ by at most d
// everywhere. So datasets are eliminated one after the other: for all compatible rows of the datasets that share a
// condition with x, up to a common shift, the least cost of x's row is tabulated. The work is the number of rows to the
// power of the number of these datasets, which is three on the graphs of four nodes.
func (s *tables) exhaust(ctx context.Context, value float64, deepest int, most int64) (best []int32, visited int64, err error) {
	if s.size > 16 {
		return nil, visited, fmt.Errorf("%w: an exhaustive search over %d values, want at most 16", ErrNotReached, s.size)
	}
	total, all := 0.0, make([]int32, s.q.Size()*s.size)
	for _, members := range components(s.q.Space()) { // components need not use the same values
		limit, table := math.Inf(1), []int32(nil)
		for used := 1; used < 1<<s.size; used++ {
			parallel.Report(ctx, int64(used), 1<<s.size, "sets of values")
			e := &elimination{tables: s, ctx: ctx, deepest: deepest, most: most - visited, members: members}
			for r := range s.size {
				if used>>r&1 != 0 {
					e.values = append(e.values, r)
				}
			}
			found, err := e.run()
			visited += e.visited
			if err != nil {
				return nil, visited, err
			}
			if found < limit {
				limit = found
				if table, err = e.table(); err != nil {
					return nil, visited, err
				}
			}
		}
		total += limit
		for _, x := range members {
			copy(all[x*s.size:][:s.size], table[x*s.size:])
		}
	}
	if total < value*(1-1e-9) {
		best = all
	}
	return best, visited, nil
}

// row holds the layers of the values in use.
type row []int8

// elimination is a search over the tables that use a subset of the values.
type elimination struct {
	*tables
	ctx     context.Context
	deepest int
	most    int64
	visited int64
	values  []int
	members []int   // the datasets of a component
	pool    [][]int // for each dataset, in the order of elimination, the datasets it shares a condition with
	order   []int
	tabled  []map[string]float64 // least costs of eliminated datasets, by the rows of their pool
	scopes  [][]int

	costs []map[string]float64
}

func (e *elimination) run() (float64, error) {
	n := e.q.Size()
	e.costs = make([]map[string]float64, n)
	for x := range e.costs {
		e.costs[x] = make(map[string]float64)
	}
	adjacent := make([]map[int]bool, n)
	for x := range adjacent {
		adjacent[x] = make(map[int]bool)
		for _, y := range e.q.Space().Neighbors(x) {
			adjacent[x][int(y)] = true
		}
	}
	left := make([]bool, n)
	for _, x := range e.members {
		left[x] = true
	}
	e.tabled, e.scopes, e.pool, e.order = nil, nil, nil, nil
	used := []bool{}
	for range e.members {
		x := -1
		for y := range n { // eliminate the dataset with the smallest scope first
			if left[y] && (x < 0 || len(adjacent[y]) < len(adjacent[x])) {
				x = y
			}
		}
		scope := slices.Sorted(maps.Keys(adjacent[x]))
		var incident []int
		for k, s := range e.scopes {
			if !used[k] && slices.Contains(s, x) {
				incident = append(incident, k)
				used[k] = true
			}
		}
		table, err := e.eliminate(x, scope, incident)
		if err != nil {
			return 0, err
		}
		e.order, e.pool = append(e.order, x), append(e.pool, incident)
		e.tabled, e.scopes, used = append(e.tabled, table), append(e.scopes, scope), append(used, false)
		left[x] = false
		for _, y := range scope {
			delete(adjacent[y], x)
			for _, z := range scope {
				if z != y {
					adjacent[y][z] = true
				}
			}
		}
	}
	// The remaining tables have no datasets: they are constants.
	total := 0.0
	for k, t := range e.tabled {
		if !used[k] {
			total += t[""]
		}
	}
	return total, nil
}

// eliminate tabulates the least cost of x and of the tables that depend on it.
func (e *elimination) eliminate(x int, scope, incident []int) (map[string]float64, error) {
	out := make(map[string]float64)
	chosen := make(map[int]row, len(scope)+1)
	var place func(k int) error
	place = func(k int) error {
		if k == len(scope) {
			var err error
			out[e.key(scope, chosen)], _, err = e.bestRow(x, scope, incident, chosen)
			return err
		}
		y := scope[k]
		return e.eachRow(y, scope[:k], chosen, func(r row) error {
			chosen[y] = r
			return place(k + 1)
		})
	}
	err := place(0)
	return out, err
}

// bestRow returns the row of x with the least cost, given the rows of scope.
func (e *elimination) bestRow(x int, scope, incident []int, chosen map[int]row) (best float64, at row, err error) {
	best = math.Inf(1)
	err = e.eachRow(x, scope, chosen, func(r row) error {
		if e.visited++; e.visited > e.most {
			return fmt.Errorf("%w: the exhaustive search would visit more than most = %d rows", ErrNotReached, e.most)
		}
		if e.visited%65536 == 0 && e.ctx.Err() != nil {
			return e.ctx.Err()
		}
		cost := e.costOf(x, r)
		if !(cost < best) {
			return nil
		}
		chosen[x] = r
		for _, k := range incident {
			v, ok := e.tabled[k][e.key(e.scopes[k], chosen)]
			if !ok {
				return nil
			}
			if cost += v; !(cost < best) {
				return nil
			}
		}
		best, at = cost, slices.Clone(r)
		return nil
	})
	delete(chosen, x)
	return best, at, err
}

// eachRow visits all rows of x compatible with the chosen ones, with no value more than deepest below the first. If
// none is chosen, they begin at layer 0. The row is reused.
func (e *elimination) eachRow(x int, among []int, chosen map[int]row, f func(r row) error) error {
	m := len(e.values)
	lo, hi := slices.Repeat(row{-100}, m), slices.Repeat(row{100}, m)
	free := true
	for _, y := range among {
		d := e.far[x][y]
		if d < 0 {
			continue
		}
		free = false
		for i, l := range chosen[y] {
			lo[i] = max(lo[i], int8(max(int(l)-d, -100)))
			hi[i] = min(hi[i], int8(min(int(l)+d, 100)))
		}
	}
	if free {
		lo, hi = make(row, m), slices.Repeat(row{int8(e.deepest)}, m)
	}
	r := make(row, m)
	var fill func(i int, low, high int8) error
	fill = func(i int, low, high int8) error {
		if i == m {
			if free && low != 0 {
				return nil
			}
			return f(r)
		}
		for l := lo[i]; l <= hi[i]; l++ {
			a, b := min(low, l), max(high, l)
			if int(b)-int(a) > e.deepest {
				continue
			}
			r[i] = l
			if err := fill(i+1, a, b); err != nil {
				return err
			}
		}
		return nil
	}
	return fill(0, 127, -128)
}

// key identifies rows up to a common shift.
func (e *elimination) key(scope []int, chosen map[int]row) string {
	if len(scope) == 0 {
		return ""
	}
	top := chosen[scope[0]][0]
	b := make([]byte, 0, 48)
	for _, y := range scope {
		for _, l := range chosen[y] {
			b = append(b, byte(l-top))
		}
	}
	return string(b)
}

// costOf returns the cost of a row at x, cached.
func (e *elimination) costOf(x int, r row) float64 {
	var buffer [16]byte
	for i, l := range r {
		buffer[i] = byte(l - r[0])
	}
	k := string(buffer[:len(r)])
	if v, ok := e.costs[x][k]; ok {
		return v
	}
	full := slices.Repeat([]int32{none}, e.size)
	for i, v := range e.values {
		full[v] = int32(r[i])
	}
	v := e.prior[x] * e.at(x, full)
	e.costs[x][k] = v
	return v
}

// table reconstructs the optimal rows after run, the last eliminated first. It visits only rows that run has
// visited.
func (e *elimination) table() ([]int32, error) {
	e.most = math.MaxInt64
	chosen := make(map[int]row)
	for k := len(e.order) - 1; k >= 0; k-- {
		x := e.order[k]
		_, at, err := e.bestRow(x, e.scopes[k], e.pool[k], chosen)
		if err != nil {
			return nil, err
		}
		chosen[x] = at
	}
	out := slices.Repeat([]int32{none}, e.q.Size()*e.size)
	least := int8(127)
	for _, r := range chosen {
		least = min(least, slices.Min(r))
	}
	for x, r := range chosen {
		for i, v := range e.values {
			out[x*e.size+v] = int32(r[i]) - int32(least)
		}
	}
	return out, nil
}
