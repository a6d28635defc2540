package records

import (
	"math/big"
	"sync"

	"dpworkbench/internal/parameter"
)

// Dataset is the argument of a custom query's functions: numbers in ascending order, or a graph.
type Dataset struct {
	Records []float64
	Nodes   int
	Edges   [][2]int
}

// CustomQuery is a custom query given by functions. It has a value, and either a distance or two moves. Distance is the
// number of changes to the nearest dataset with value r, or −1 if there is none. Up and Down return how far t changes
// can move the value. A nil result means that the move is unbounded.
type CustomQuery struct {
	Value    func(x Dataset) (*big.Rat, error)
	Distance func(x Dataset, r *big.Rat) (int, error)
	Up, Down func(x Dataset, t int) (*big.Rat, error)
	Exact    bool // claims that the layers are distances, not only bounds
}

// NewCustomQuery returns a copy of o, or an error if a required function is missing.
func NewCustomQuery(o CustomQuery) (*CustomQuery, error) {
	moves := o.Up != nil || o.Down != nil
	switch {
	case o.Value == nil:
		return nil, parameter.Errorf("value is missing, want a function of a dataset")
	case o.Distance == nil && !moves:
		return nil, parameter.Errorf("distance, up and down are missing, want distance, or up and down")
	case o.Distance != nil && moves:
		return nil, parameter.Errorf("distance and up or down are given, want one of the two")
	case moves && (o.Up == nil || o.Down == nil):
		return nil, parameter.Errorf("only one of up and down is given, want both or neither")
	}
	return &o, nil
}

// firstError keeps the first error of a query's functions, for methods that cannot return it.
type firstError struct {
	mu  sync.Mutex
	err error
}

func (s *firstError) keep(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// Failed returns the first error of the query's functions.
func (q *Query) Failed() error {
	if q.failed == nil {
		return nil
	}
	q.failed.mu.Lock()
	defer q.failed.mu.Unlock()
	return q.failed.err
}

// OnRecords returns the query with range rng at a dataset of records.
func (o *CustomQuery) OnRecords(r *Records, rng Range) (*Query, error) {
	return o.on(r.dataset(), "custom query of "+r.String(), rng, nil, r.opts.Neighbors)
}

// OnGraph returns the query with range rng at a graph.
func (o *CustomQuery) OnGraph(g *Graph, rng Range) (*Query, error) {
	return o.on(g.listed(), "custom query of "+g.String(), rng, nil, g.neighbors)
}

// Bare returns the query without a dataset, which only Verify can use.
func (o *CustomQuery) Bare(neighbors Neighbors) *Query {
	return &Query{name: "own query", value: new(big.Rat), exact: o.Exact || o.Distance != nil, neighbors: neighbors, custom: o}
}

// on returns the query at a dataset. If values is not nil, it is the range.
func (o *CustomQuery) on(x Dataset, name string, rng Range, values []*big.Rat, neighbors Neighbors) (*Query, error) {
	if err := rng.check(); err != nil {
		return nil, err
	}
	v, err := o.Value(x)
	if err != nil {
		return nil, err
	}
	q := &Query{name: name, value: v, rng: rng, exact: o.Exact || o.Distance != nil, ground: "custom functions, which verify tests", neighbors: neighbors, custom: o, failed: new(firstError)}
	if values == nil {
		if err := q.inRange("value", v); err != nil {
			return nil, err
		}
	}
	if o.Distance == nil {
		q.moves = func(t int) (up, down *big.Rat) { return o.move(q, o.Up, x, t), o.move(q, o.Down, x, t) }
		if values == nil {
			return q, nil
		}
	}
	if values == nil {
		if values, err = rng.list(); err != nil {
			return nil, err
		}
	}
	l := &listed{values: values, level: make([]int32, len(values))}
	for i, r := range values {
		t := 0
		if o.Distance != nil {
			t, err = o.Distance(x, r)
		} else {
			t, err = q.layerAt(q.moves, new(big.Rat), r), q.Failed()
		}
		if err != nil {
			return nil, err
		}
		if t < -1 || t > 1<<30 {
			return nil, parameter.Bad("distance", t, "0…2^30, or -1 for a value that is never reached")
		}
		l.level[i] = int32(t)
	}
	q.listed, q.moves = l, nil
	return q, nil
}

// move calls the function of a move, and records an error if the result is negative.
func (o *CustomQuery) move(q *Query, f func(x Dataset, t int) (*big.Rat, error), x Dataset, t int) *big.Rat {
	v, err := f(x, t)
	if err == nil && v != nil && v.Sign() < 0 {
		err = parameter.Errorf("up or down returned %s for t = %d changes, want at least 0", text(v), t)
	}
	if err != nil {
		q.failed.keep(err)
		return nil
	}
	return v
}

// list lists the values of a range that check accepts.
func (g Range) list() ([]*big.Rat, error) {
	if g.Lo == nil || g.Hi == nil || g.Step == nil {
		return nil, parameter.Errorf("range is %s, want two ends and a step, so that its values can be listed", g)
	}
	n := new(big.Rat).Sub(g.Hi, g.Lo)
	n.Quo(n, g.Step)
	if n.Num().BitLen() > 20 {
		return nil, parameter.Errorf("range is %s, want at most 2^20 whole steps", g)
	}
	out := make([]*big.Rat, n.Num().Int64()+1)
	for i := range out {
		v := whole(i)
		out[i] = v.Add(v.Mul(v, g.Step), g.Lo)
	}
	return out, nil
}
