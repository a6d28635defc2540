package packing_test

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/packing"
	"dpworkbench/internal/parameter"
)

// row is the constraint Σ a_i x_i ≤ most.
type row struct {
	a    []*big.Rat
	most *big.Rat
}

// best returns the largest Σ x of a bounded linear program. It visits all vertices: solutions of n constraints as
// equations.
func best(rows []row, n int) *big.Rat {
	var most *big.Rat
	var choose func(from int, chosen []row)
	choose = func(from int, chosen []row) {
		if len(chosen) == n {
			x := solve(chosen, n)
			if x == nil {
				return
			}
			sum := new(big.Rat)
			for _, r := range rows {
				left := new(big.Rat)
				for i, a := range r.a {
					left.Add(left, new(big.Rat).Mul(a, x[i]))
				}
				if left.Cmp(r.most) > 0 {
					return
				}
			}
			for _, v := range x {
				sum.Add(sum, v)
			}
			if most == nil || sum.Cmp(most) > 0 {
				most = sum
			}
			return
		}
		for k := from; k < len(rows); k++ {
			choose(k+1, append(chosen[:len(chosen):len(chosen)], rows[k]))
		}
	}
	choose(0, nil)
	return most
}

// solve returns the solution of all constraints as equations, or nil if it is not unique.
func solve(rows []row, n int) []*big.Rat {
	m := make([][]*big.Rat, n)
	for i, r := range rows {
		for _, a := range r.a {
			m[i] = append(m[i], new(big.Rat).Set(a))
		}
		m[i] = append(m[i], new(big.Rat).Set(r.most))
	}
	for c := range n {
		at := c
		for at < n && m[at][c].Sign() == 0 {
			at++
		}
		if at == n {
			return nil
		}
		m[c], m[at] = m[at], m[c]
		for i := range n {
			if i == c || m[i][c].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Quo(m[i][c], m[c][c])
			for j := c; j <= n; j++ {
				m[i][j].Sub(m[i][j], new(big.Rat).Mul(f, m[c][j]))
			}
		}
	}
	x := make([]*big.Rat, n)
	for i := range n {
		x[i] = new(big.Rat).Quo(m[i][n], m[i][i])
	}
	return x
}

// program returns the constraints of a packing.
func program(sets []packing.Set, places int, bound *big.Rat) []row {
	n := len(sets)
	unit := func(i int, v int64) []*big.Rat {
		a := make([]*big.Rat, n)
		for j := range a {
			a[j] = new(big.Rat)
		}
		a[i].SetInt64(v)
		return a
	}
	var rows []row
	for i, s := range sets {
		rows = append(rows, row{unit(i, -1), new(big.Rat)}, row{unit(i, 1), big.NewRat(s.Times, 1)})
	}
	for v := range places {
		a := unit(0, 0)
		for i, s := range sets {
			for _, p := range s.Places {
				if int(p) == v {
					a[i].SetInt64(1)
				}
			}
		}
		rows = append(rows, row{a, bound})
	}
	return rows
}

// The largest packing of random sets, some equal or empty, matches the best vertex of the linear program.
func TestLargestOfSmallPrograms(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 31))
	for range 250 {
		places := 1 + rng.IntN(4)
		var sets []packing.Set
		for range 1 + rng.IntN(4) {
			s := packing.Set{Times: 1 + rng.Int64N(3)}
			for v := range places {
				if rng.IntN(2) == 0 {
					s.Places = append(s.Places, int32(v))
				}
			}
			sets = append(sets, s)
		}
		bound := big.NewRat(rng.Int64N(9), 1+rng.Int64N(3))
		before := make([]int64, len(sets))
		for i, s := range sets {
			before[i] = s.Times
		}
		got := must.For(packing.Largest(t.Context(), sets, places, bound))(t)
		if want := best(program(sets, places, bound), len(sets)); got.Cmp(want) != 0 {
			t.Fatalf("%v, at most %v at a place: %v, want %v", sets, bound, got, want)
		}
		for i, s := range sets {
			if s.Times != before[i] {
				t.Fatalf("the multiplicity of set %d changed to %d from %d", i, s.Times, before[i])
			}
		}
	}
}

// graph returns the neighbors of each node in ascending order.
func graph(nodes int, edges [][2]int) func(v int) []int32 {
	rows := make([][]int32, nodes)
	for v := range nodes {
		for w := range nodes {
			for _, e := range edges {
				if e == [2]int{v, w} || e == [2]int{w, v} {
					rows[v] = append(rows[v], int32(w))
				}
			}
		}
	}
	return func(v int) []int32 { return rows[v] }
}

// The largest fractional matching matches the best vertex of the program on small graphs, and the known value on
// symmetric ones.
func TestEdgesOfSmallGraphs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 37))
	for range 60 {
		nodes := 2 + rng.IntN(4)
		var edges [][2]int
		var sets []packing.Set
		for v := range nodes {
			for w := v + 1; w < nodes && len(edges) < 5; w++ {
				if rng.IntN(3) > 0 {
					edges = append(edges, [2]int{v, w})
					sets = append(sets, packing.Set{[]int32{int32(v), int32(w)}, 1})
				}
			}
		}
		if len(edges) == 0 {
			continue
		}
		bound := big.NewRat(rng.Int64N(9), 1+rng.Int64N(4))
		got := must.For(packing.Edges(t.Context(), nodes, graph(nodes, edges), bound))(t)
		if want := best(program(sets, nodes, bound), len(sets)); got.Cmp(want) != 0 {
			t.Fatalf("%v, at most %v at a node: %v, want %v", edges, bound, got, want)
		}
	}
	complete := func(n int) (edges [][2]int) {
		for v := range n {
			for w := v + 1; w < n; w++ {
				edges = append(edges, [2]int{v, w})
			}
		}
		return edges
	}
	cycle := func(n int) (edges [][2]int) {
		for v := range n {
			edges = append(edges, [2]int{min(v, (v+1)%n), max(v, (v+1)%n)})
		}
		return edges
	}
	var star [][2]int
	for v := range 9 {
		star = append(star, [2]int{0, v + 1})
	}
	for _, c := range []struct {
		nodes int
		edges [][2]int
		bound *big.Rat
		want  *big.Rat
	}{
		{7, complete(7), big.NewRat(5, 2), big.NewRat(35, 4)}, {7, complete(7), big.NewRat(6, 1), big.NewRat(21, 1)}, {7, complete(7), big.NewRat(7, 1), big.NewRat(21, 1)},
		{7, complete(7), big.NewRat(53, 9), big.NewRat(371, 18)}, {9, cycle(9), big.NewRat(1, 1), big.NewRat(9, 2)}, {9, cycle(9), big.NewRat(3, 2), big.NewRat(27, 4)}, {9, cycle(9), big.NewRat(2, 1), big.NewRat(9, 1)},
		{10, star, big.NewRat(7, 2), big.NewRat(7, 2)}, {10, star, big.NewRat(9, 1), big.NewRat(9, 1)}, {10, star, new(big.Rat), new(big.Rat)}, {3, nil, big.NewRat(1, 2), new(big.Rat)},
		{30, complete(30), big.NewRat(1<<20-1, 1<<20), new(big.Rat).Mul(big.NewRat(15, 1), big.NewRat(1<<20-1, 1<<20))},
	} {
		if got := must.For(packing.Edges(t.Context(), c.nodes, graph(c.nodes, c.edges), c.bound))(t); got.Cmp(c.want) != 0 {
			t.Errorf("%d edges of %d nodes, at most %v at each: %v, want %v", len(c.edges), c.nodes, c.bound, got, c.want)
		}
	}
}

// Fractions with long denominators and programs that are too large are rejected. A program of exactly the largest
// size is accepted.
func TestLimits(t *testing.T) {
	over, end := context.WithCancel(t.Context())
	end()
	triangle := graph(3, [][2]int{{0, 1}, {0, 2}, {1, 2}})
	for bound, fails := range map[*big.Rat]string{
		big.NewRat(1, 1<<20): "", big.NewRat(1, 1<<20+1): "bound = 1/1048577, want a fraction with a numerator and a denominator of at most 2^20",
		big.NewRat(1, 1<<21-1): "bound = 1/2097151, want a fraction with a numerator and a denominator of at most 2^20",
		new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 64)): "bound = 1/18446744073709551616, want a fraction with a numerator and a denominator of at most 2^20",
	} {
		v, err := packing.Edges(t.Context(), 3, triangle, bound)
		if fails == "" && (err != nil || v.Cmp(new(big.Rat).Mul(bound, big.NewRat(3, 2))) != 0) || fails != "" && (v != nil || !errors.Is(err, parameter.Err) || err.Error() != fails) {
			t.Errorf("bound %v: %v, %v", bound, v, err)
		}
	}
	// full(2) gives 256·512 entries: 255 places over the bound, 257 distinct sets.
	full := func(more int) (sets []packing.Set) {
		for v := range 255 {
			sets = append(sets, packing.Set{[]int32{int32(v)}, 5})
		}
		for v := range more {
			sets = append(sets, packing.Set{[]int32{int32(v), int32(v + 1)}, 5})
		}
		return sets
	}
	if v, err := packing.Largest(over, full(2), 255, big.NewRat(9, 2)); v != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("at the limit: %v, %v", v, err)
	}
	const says = "bound = 9/2 gives a linear program with 131328 entries, for 258 distinct copies and the 255 edges or nodes with more copies than that, want at most 131072 entries: raise bound"
	if v, err := packing.Largest(over, full(3), 255, big.NewRat(9, 2)); v != nil || !errors.Is(err, parameter.Err) || err.Error() != says {
		t.Errorf("above the limit: %v, %v", v, err)
	}
	// If no place is overfull, every set counts whole, and the context is not polled.
	if v, err := packing.Largest(over, full(3), 255, big.NewRat(15, 1)); err != nil || v.Cmp(big.NewRat(5*258, 1)) != 0 {
		t.Errorf("no overfull place: %v, %v", v, err)
	}
}

// Largest and Edges poll their context repeatedly.
func TestContextPolls(t *testing.T) {
	ctxtest.StopsPromptly(t, "Edges", func(ctx context.Context) (any, error) {
		v, err := packing.Edges(ctx, 5, graph(5, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {0, 4}, {0, 2}}), big.NewRat(3, 2))
		if v == nil {
			return nil, err
		}
		return v, err
	})
	ctxtest.StopsPromptly(t, "Largest", func(ctx context.Context) (any, error) {
		v, err := packing.Largest(ctx, []packing.Set{{[]int32{0, 1}, 2}, {[]int32{1, 2}, 2}, {[]int32{0, 2}, 2}}, 3, big.NewRat(1, 1))
		if v == nil {
			return nil, err
		}
		return v, err
	})
}
