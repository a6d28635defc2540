package repl

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/records"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

func newOwnQuery(c *script.Call) (any, error) {
	o := records.CustomQuery{Exact: c.Bool("exact")}
	value := c.Kept("value")
	o.Value = func(x records.Dataset) (*big.Rat, error) {
		v, err := value(datasetValue(x))
		if err != nil {
			return nil, err
		}
		return numberOf(v, "value")
	}
	if c.Given("distance") {
		f := c.Kept("distance")
		o.Distance = func(x records.Dataset, r *big.Rat) (int, error) {
			v, err := f(datasetValue(x), rationalValue(r))
			if err != nil {
				return 0, err
			}
			if v == starlark.None {
				return -1, nil
			}
			t, ok := script.ToInt(v)
			if !ok || t < 0 {
				return 0, fmt.Errorf("distance(x, %s) = %s, want a whole number of at least 0, or None", r.RatString(), script.Brief(v))
			}
			return t, nil
		}
	}
	for name, to := range map[string]*func(x records.Dataset, t int) (*big.Rat, error){"up": &o.Up, "down": &o.Down} {
		if !c.Given(name) {
			continue
		}
		f := c.Kept(name)
		*to = func(x records.Dataset, t int) (*big.Rat, error) {
			v, err := f(datasetValue(x), starlark.MakeInt(t))
			if err != nil {
				return nil, err
			}
			if inf, ok := v.(starlark.Float); ok && math.IsInf(float64(inf), 1) {
				return nil, nil
			}
			return numberOf(v, name)
		}
	}
	own := must(records.NewCustomQuery(o))
	if !c.Given("on") {
		if c.Given("range") {
			c.Stop("range is given without on, want both or neither")
		}
		neighbors := "replace"
		if c.Given("neighbors") {
			neighbors = c.Text("neighbors")
		}
		return own.Bare(records.Neighbors(neighbors)), nil
	}
	if c.Given("neighbors") {
		c.Stop("on and neighbors are both given, want one of them: the dataset on determines the neighbors")
	}
	rng := records.Range{}
	if c.Given("range") {
		ends := c.Rationals("range")
		if len(ends) < 2 || len(ends) > 3 || ends[0].Cmp(ends[1]) >= 0 || len(ends) == 3 && ends[2].Sign() <= 0 {
			c.Fail("range", c.Value("range"), "[lo, hi] or [lo, hi, step] with lo below hi and a positive step")
		}
		if rng.Lo, rng.Hi = ends[0], ends[1]; len(ends) == 3 {
			rng.Step = ends[2]
		}
	}
	switch x := c.Arg("on").(type) {
	case *records.Graph:
		if !c.Given("range") {
			c.Stop("range is missing, want [lo, hi, step] for a query of your own on a graph")
		}
		return own.OnGraph(x, rng)
	case *recordData:
		if x.numbers == nil {
			c.Stop("on holds categories, want numbers or a graph")
		}
		if o := x.numbers.Options(); !c.Given("range") {
			rng = records.Range{Lo: o.Lo, Hi: o.Hi, Step: o.Grid}
		}
		return own.OnRecords(x.numbers, rng)
	}
	panic("repl: on is neither")
}

// numberOf reads the result of a script's function.
func numberOf(v starlark.Value, name string) (*big.Rat, error) {
	q, ok := script.ToRational(v)
	if !ok {
		return nil, fmt.Errorf("%s(x) = %s, want a finite number", name, script.Brief(v))
	}
	return q, nil
}

// rationalValue returns a rational number as a script value: an int, or the nearest float.
func rationalValue(q *big.Rat) starlark.Value {
	if q.IsInt() {
		return starlark.MakeBigInt(q.Num())
	}
	f, _ := q.Float64()
	return starlark.Float(f)
}

// datasetValue returns a dataset as a script value: a list of numbers, or the pair (nodes, edges).
func datasetValue(x records.Dataset) starlark.Value {
	if x.Nodes == 0 {
		return script.List(x.Records, scriptNumber)
	}
	edges := make([]starlark.Value, len(x.Edges))
	for i, e := range x.Edges {
		edges[i] = starlark.Tuple{starlark.MakeInt(e[0]), starlark.MakeInt(e[1])}
	}
	return starlark.Tuple{starlark.MakeInt(x.Nodes), starlark.NewList(edges)}
}
