package learn

import (
	"slices"

	"dpworkbench/internal/parameter"
)

// maxNodes is the largest number of nodes of a graph stored as a matrix, which then takes 128 MiB.
const maxNodes = 1 << 15

// Renumber makes a simple undirected graph of pairs of node numbers. It drops loops and repeated edges, writes the
// smaller node of an edge first, and renumbers nodes 0, 1, … in ascending order. A node with a loop alone is kept. If
// largest is true, it keeps only the largest connected component, the first of equals. names[i] is the old number of
// node i. It returns an error wrapping parameter.Err if there are no nodes or more than 32768.
func Renumber(edges [][2]int, largest bool) (names []int, out [][2]int, err error) {
	for _, e := range edges {
		names = append(names, e[0], e[1])
	}
	slices.Sort(names)
	names = slices.Compact(names)
	place := make(map[int]int, len(names))
	parent := make([]int, len(names))
	for i, v := range names {
		place[v], parent[i] = i, i
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for _, e := range edges {
		parent[find(place[e[0]])] = find(place[e[1]])
	}
	if largest && len(names) > 0 {
		size := make([]int, len(names))
		for i := range names {
			size[find(i)]++
		}
		best := find(0)
		for i := range names {
			if size[find(i)] > size[best] {
				best = find(i)
			}
		}
		kept := names[:0:0]
		for i, v := range names {
			if find(i) == best {
				kept = append(kept, v)
			}
		}
		names = kept
		clear(place)
		for i, v := range names {
			place[v] = i
		}
	}
	if len(names) == 0 || len(names) > maxNodes {
		return nil, nil, parameter.Errorf("edges name %d nodes, want 1 to %d", len(names), maxNodes)
	}
	for _, e := range edges {
		i, ok := place[e[0]]
		j, also := place[e[1]]
		if ok && also && i != j {
			out = append(out, [2]int{min(i, j), max(i, j)})
		}
	}
	slices.SortFunc(out, func(a, b [2]int) int {
		if a[0] != b[0] {
			return a[0] - b[0]
		}
		return a[1] - b[1]
	})
	return names, slices.Compact(out), nil
}

// CheckSimple returns an error wrapping parameter.Err that names the first pair that is a loop or repeats an edge in
// either direction.
func CheckSimple(edges [][2]int) error {
	seen := make(map[[2]int]int, len(edges))
	for k, e := range edges {
		if e[0] == e[1] {
			return parameter.Errorf("edges[%d] = (%d, %d) is a loop, want two different nodes", k, e[0], e[1])
		}
		e = [2]int{min(e[0], e[1]), max(e[0], e[1])}
		if first, ok := seen[e]; ok {
			return parameter.Errorf("edges[%d] = (%d, %d) repeats edges[%d], want each edge once", k, edges[k][0], edges[k][1], first)
		}
		seen[e] = k
	}
	return nil
}
