package records

import (
	"context"
	"errors"
	"fmt"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/query"
)

// universe holds all small datasets and their metric.
type universe struct {
	space *query.Space
	data  []Dataset
	cap   int // the largest number of records under addition and removal; 0 otherwise
	far   int // largest number of changes between two datasets
	scope string
}

// show returns dataset x as text.
func (u *universe) show(x int) string { return u.data[x].String() }

// String lists the numbers, or the edges.
func (d Dataset) String() string {
	if d.Nodes > 0 {
		return fmt.Sprintf("%d nodes with edges %v", d.Nodes, d.Edges)
	}
	return fmt.Sprint(d.Records)
}

// universeOf returns the small universe that o describes, for the query q.
func universeOf(ctx context.Context, q *Query, o VerifyOptions) (*universe, error) {
	graph := q.again.graph != nil || q.custom != nil && (q.neighbors == Edge || q.neighbors == Node)
	if graph {
		return graphUniverse(ctx, q.neighbors, o.Nodes)
	}
	if q.again.records == nil && q.custom == nil {
		return nil, parameter.Errorf("%s cannot be built at another dataset", q.name)
	}
	if len(o.Values) < 2 {
		return nil, parameter.Errorf("values = %v, want at least two numbers", o.Values)
	}
	if o.Records < 1 {
		return nil, parameter.Bad("records", o.Records, "at least 1")
	}
	relation := query.Replace
	if q.neighbors == AddRemove {
		relation = query.AddRemove
	}
	h, err := query.NewHistograms(ctx, len(o.Values), o.Records, relation)
	if err != nil {
		return nil, err
	}
	u := &universe{space: h.Space(), far: o.Records}
	what := fmt.Sprintf("all %d datasets of %d records", h.Size(), o.Records)
	first := 0
	if q.neighbors == AddRemove {
		u.cap, u.far, first = o.Records, 2*o.Records, 1
		var edges [][2]int
		for x := range h.Size() {
			for _, y := range h.Space().Neighbors(x) {
				if x >= 1 && int(y) > x {
					edges = append(edges, [2]int{x - 1, int(y) - 1})
				}
			}
		}
		u.space, _ = query.NewPathSpace(h.Size()-1, edges) // the space without the empty dataset
		what = fmt.Sprintf("all %d datasets of 1 to %d records", h.Size()-1, o.Records)
	}
	for x := first; x < h.Size(); x++ {
		var d Dataset
		for i, c := range h.Dataset(x) {
			for range c {
				d.Records = append(d.Records, o.Values[i])
			}
		}
		u.data = append(u.data, d)
	}
	u.scope = fmt.Sprintf("tested on %s from %d values under %s", what, len(o.Values), q.neighbors)
	return u, nil
}

// graphUniverse returns the universe of all graphs with the given number of nodes.
func graphUniverse(ctx context.Context, neighbors Neighbors, nodes int) (*universe, error) {
	most := 8
	if neighbors == Node {
		most = 6
	}
	if nodes < 2 || nodes > most {
		return nil, parameter.Bad("nodes", nodes, "2…%d", most)
	}
	all, err := query.NewGraphs(ctx, nodes)
	if err != nil {
		return nil, err
	}
	u := &universe{space: all.Space(), far: nodes * (nodes - 1) / 2}
	u.data = lists.Of(all.Size(), func(i int) Dataset { return Dataset{Nodes: nodes, Edges: all.Edges(i)} })
	if neighbors == Node {
		u.far = nodes - 1
		if u.space, err = rewired(ctx, all); err != nil {
			return nil, err
		}
	}
	u.scope = fmt.Sprintf("tested on all %d graphs of %d nodes, up to names, under one %s", all.Size(), nodes, neighbors)
	return u, nil
}

// rewired returns the space of graphs in which neighbors differ in the edges of one node.
func rewired(ctx context.Context, all *query.Graphs) (*query.Space, error) {
	n := all.Nodes()
	var edges [][2]int
	for i := range all.Size() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var rows [8]uint
		for _, e := range all.Edges(i) {
			rows[e[0]] |= 1 << e[1]
			rows[e[1]] |= 1 << e[0]
		}
		for v := range n {
			for to := range uint(1) << n {
				if to>>v&1 != 0 {
					continue
				}
				other := rows
				for w := range n {
					if w == v {
						other[w] = to
					} else {
						other[w] = other[w]&^(1<<v) | to>>w&1<<v
					}
				}
				j, err := all.Index(graph6(other[:n]))
				if err != nil {
					return nil, errors.Join(errors.New("records: no isomorphism class of the universe contains a graph"), err)
				}
				if j > i {
					edges = append(edges, [2]int{i, j})
				}
			}
		}
	}
	return query.NewPathSpace(all.Size(), edges)
}

// graph6 formats a graph of at most 8 nodes, given the rows of its matrix, in the graph6 format.
func graph6(rows []uint) string {
	out := []byte{byte(len(rows) + 63)}
	bits, have := 0, 0
	for j := 1; j < len(rows); j++ {
		for i := range j {
			bits = bits<<1 | int(rows[j]>>i&1)
			if have++; have == 6 {
				out = append(out, byte(bits+63))
				bits, have = 0, 0
			}
		}
	}
	if have > 0 {
		out = append(out, byte(bits<<(6-have)+63))
	}
	return string(out)
}
