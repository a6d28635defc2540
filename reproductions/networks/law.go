package networks

import (
	"context"
	"math/bits"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// mostLawNodes is the largest number of nodes of which the law of the released graph is
// written down: 64 graphs, each with 64 chances.
const mostLawNodes = 4

// labelled is the query whose datasets and values are all graphs on n numbered nodes, neighbors
// differing in one edge: values by their edges, as far apart as pairs that differ.
func labelled(n int) (*query.Query, error) {
	if n < 2 || n > mostLawNodes {
		return nil, parameter.Bad("nodes", n, "2 to %d", mostLawNodes)
	}
	pairs := pairsOf(n)
	size := 1 << len(pairs)
	values := make([]query.Value, size)
	far := make([][]float64, size)
	var edges [][2]int
	for code := range size {
		values[code] = query.Name(edgeText(pairs, code))
		far[code] = make([]float64, size)
		for other := range far[code] {
			far[code][other] = float64(bits.OnesCount(uint(code ^ other)))
		}
		for k := range pairs {
			if code>>k&1 == 0 {
				edges = append(edges, [2]int{code, code | 1<<k})
			}
		}
	}
	space, err := query.NewPathSpace(size, edges)
	if err != nil {
		return nil, err
	}
	return query.New("the graph", space, values, nil, query.ValueMetric{Matrix: far})
}

// codeOf is the code of a graph by its edges.
func codeOf(pairs [][2]int, edges [][2]int) int {
	code := 0
	for _, e := range edges {
		for k, f := range pairs {
			if e == f {
				code |= 1 << k
			}
		}
	}
	return code
}

// Law returns the law of the released graph at every graph on n numbered nodes, 2 ≤ n ≤ 4, without decoys: by
// visiting all noisy degrees. Certified: in float64, with its rounding.
func (p *PBCN) Law(ctx context.Context, n int) (mechanism.Mechanism, error) {
	return lawOf(ctx, p, n, p.released)
}

// Law returns the law of the released graph at every graph on n numbered nodes, 2 ≤ n ≤ 4: by visiting all
// reports of both rounds, nodes dealt to the initial groups by number. At most two groups in each round. Certified: in float64, with
// its rounding.
func (l *LDPGen) Law(ctx context.Context, n int) (mechanism.Mechanism, error) {
	return lawOf(ctx, l, n, l.released)
}

func lawOf(ctx context.Context, of Rival, n int, visit func(ctx context.Context, n int) (*released, error)) (mechanism.Mechanism, error) {
	q, err := labelled(n)
	if err != nil {
		return nil, err
	}
	r, err := visit(ctx, n)
	if err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	rows := make([][]interval.Interval, len(r.class))
	for code, c := range r.class {
		for _, p := range r.law[c] {
			rows[code] = append(rows[code], interval.Float(p).Mul(interval.Between(1-lawError, 1+lawError)))
		}
	}
	return mechanism.NewEnclosedTable(mechanism.Info{Name: of.Name(), Query: q, Claimed: of.Guarantee().Epsilon}, rows, nil, nil)
}

// bytesOf is a key of small numbers.
func bytesOf(values []int) string {
	out := make([]byte, len(values))
	for i, v := range values {
		out[i] = byte(v)
	}
	return string(out)
}
