package learn

import (
	"context"
	"math"
	"math/rand/v2"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
)

// RandomGraph draws a uniform graph with a given number of edges, the Erdős–Rényi graph G(n, m), in the form of
// [DescribeGraph]. It draws pairs and rejects repeated ones. If the edges are more than half of all pairs, it draws the
// missing ones instead. It returns an error wrapping parameter.Err unless 1 ≤ nodes ≤ 32768 and 0 ≤ edges ≤
// nodes(nodes−1)/2, and ctx's error.
func RandomGraph(ctx context.Context, nodes, edges int, src rand.Source) ([][]uint64, error) {
	rows, err := noEdges(nodes)
	if err != nil {
		return nil, err
	}
	pairs := nodes * (nodes - 1) / 2
	if edges < 0 || edges > pairs {
		return nil, parameter.Bad("edges", edges, "0 to %d, the pairs of %d nodes", pairs, nodes)
	}
	draws, full := edges, edges > pairs/2
	if full {
		draws = pairs - edges
	}
	rng := rand.New(src)
	for k := range draws {
		if k&0xffff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for {
			i, j := rng.IntN(nodes), rng.IntN(nodes)
			if i != j && rows[i][j/64]>>(j%64)&1 == 0 {
				join(rows, i, j)
				break
			}
		}
	}
	if full {
		others(rows)
	}
	return rows, nil
}

// RandomPairs draws a graph in which each pair is an edge independently with a probability, the Erdős–Rényi graph G(n,
// p). The gaps between edges are drawn from a geometric law. It returns an error wrapping parameter.Err unless 1 ≤
// nodes ≤ 32768 and the probability is in [0, 1], and ctx's error.
func RandomPairs(ctx context.Context, nodes int, probability float64, src rand.Source) ([][]uint64, error) {
	rows, err := noEdges(nodes)
	if err != nil {
		return nil, err
	}
	if err := parameter.Unit("probability", probability); err != nil {
		return nil, err
	}
	p, full := probability, probability > .5
	if full {
		p = 1 - probability
	}
	rng, rest := rand.New(src), math.Log1p(-p)
	for i, j, k := 1, -1, 0; p > 0; k++ {
		if k&0xffff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		skip := math.Floor(math.Log1p(-rng.Float64()) / rest)
		if skip > float64(nodes)*float64(nodes) {
			break
		}
		for j += 1 + int(skip); j >= i; i++ { // row i has the pairs (i, 0) … (i, i−1)
			j -= i
			if i == nodes-1 {
				i, j = nodes, 0
				break
			}
		}
		if i >= nodes {
			break
		}
		join(rows, i, j)
	}
	if full {
		others(rows)
	}
	return rows, nil
}

// noEdges returns the graph without edges.
func noEdges(nodes int) ([][]uint64, error) {
	if nodes < 1 || nodes > maxNodes {
		return nil, parameter.Bad("nodes", nodes, "1 to %d", maxNodes)
	}
	rows := lists.Of(nodes, func(int) []uint64 { return make([]uint64, (nodes+63)/64) })
	return rows, nil
}

func join(rows [][]uint64, i, j int) {
	rows[i][j/64] |= 1 << (j % 64)
	rows[j][i/64] |= 1 << (i % 64)
}

// others replaces a graph by its complement.
func others(rows [][]uint64) {
	n := len(rows)
	for i, row := range rows {
		for k := range row {
			row[k] = ^row[k]
		}
		if n%64 != 0 {
			row[len(row)-1] &= 1<<(n%64) - 1
		}
		row[i/64] &^= 1 << (i % 64)
	}
}
