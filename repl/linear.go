package repl

import (
	"fmt"
	"math/big"
	"sync"

	"dpworkbench/layers"
	"dpworkbench/query"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// intervals reads a list of intervals and points.
func intervals(c *script.Call, name string) [][2]*big.Rat {
	vs := c.List(name)
	out := make([][2]*big.Rat, len(vs))
	for i, v := range vs {
		where := fmt.Sprintf("%s[%d]", name, i)
		if p, ok := script.ToRational(v); ok {
			out[i] = [2]*big.Rat{p, p}
			continue
		}
		pair, ok := script.Elements(v)
		if !ok || len(pair) != 2 {
			c.Fail(where, v, `an interval (lo, hi) or a number, each a finite number or a fraction like "7/2"`+script.Inexact(v))
		}
		for k, end := range pair {
			where := fmt.Sprintf("%s[%d]", where, k)
			if out[i][k], ok = script.ToRational(end); !ok {
				c.Fail(where, end, `a finite number or a fraction like "7/2"`+script.Inexact(end))
			}
		}
	}
	return out
}

// linearQuery is a linear query with the layers that were built for it: they do
// not depend on the decay, so that a sweep over it builds them once.
type linearQuery struct {
	*query.Linear
	mu    sync.Mutex
	known map[string]*layers.LineLayers // by radius
}

// maxKnownLayers bounds the radii whose layers are remembered.
const maxKnownLayers = 128

func (q *linearQuery) layers(c *script.Call, radius *big.Rat) (*layers.LineLayers, error) {
	key := radius.RatString()
	q.mu.Lock()
	l, ok := q.known[key]
	q.mu.Unlock()
	if ok {
		return l, nil
	}
	l, err := layers.NewLineLayers(c.Context, q.Linear, radius)
	if err != nil {
		return nil, err
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.known) >= maxKnownLayers {
		q.known = nil
	}
	if q.known == nil {
		q.known = make(map[string]*layers.LineLayers)
	}
	q.known[key] = l
	return l, nil
}

// linear returns the linear query of a parameter, nil where it is none.
func linear(c *script.Call, name string) *linearQuery {
	q, _ := script.Unwrap(c.Value(name), linearClass)
	return q
}

var linearClass = &script.Class[*linearQuery]{
	Name: "linear_query", Help: "A linear query on the reals, by its neighboring set.", Example: lineSetup + "print(lq)",
	Show: func(q *linearQuery) string {
		text := []rune(q.NeighboringSet().String())
		if len(text) > 60 {
			text = append(text[:57], '…')
		}
		return "<linear query, V = " + string(text) + ">"
	},
	Attrs: []script.Attr[*linearQuery]{{
		Name: "sensitivity", Help: "Δf, the largest number in V_f (Wu et al., Definition 12). Exact.", Example: lineSetup + "print(lq.sensitivity)",
		Get: func(c *script.Call, q *linearQuery) (any, error) {
			return script.Known(q.Sensitivity()), nil
		},
	}, {
		Name: "volume", Help: "The Lebesgue measure of V_f ∩ [0, ∞), which is how the paper counts Vol(V_f). Exact.", Example: lineSetup + "print(lq.volume)",
		Get: func(c *script.Call, q *linearQuery) (any, error) {
			return script.Known(q.Volume()), nil
		},
	}, {
		Name: "neighboring_set", Help: "V_f, symmetric and with 0: a list of closed intervals (lo, hi), a point having lo = hi.", Example: lineSetup + "print(lq.neighboring_set)",
		Get: func(c *script.Call, q *linearQuery) (any, error) {
			return segmentList(q.NeighboringSet()), nil
		},
	}, {
		Name: "distortions", Params: "radii, decays", Help: "The distortion of delta_neighborhood at every radius and decay: a list of rows of floats, one row per decay. Layers are built once a radius, on all cores.", Example: lineSetup + "print(lq.distortions([0, 10, 20], [3, 4]))",
		Run: func(c *script.Call, q *linearQuery) (any, error) {
			rows, err := layers.LineGrid(c.Context, q.Linear, c.Rationals("radii"), c.Epsilons("decays"))
			if err != nil {
				return nil, err
			}
			return script.List(rows, func(row []float64) starlark.Value { return script.Floats(row) }), nil
		},
	}, {
		Name: "best_radius", Params: "decays, largest, steps=100", Help: "The radius from 0 to largest that minimises the distortion of delta_neighborhood at each decay, by a search on the exact curve: a grid of so many steps, then ten halvings around its best point. A list of pairs (radius, distortion).", Example: "lq = linear_query([(0, 1), (20, 21)])\nprint(lq.best_radius([2, 4], 10, steps=20))",
		Run: func(c *script.Call, q *linearQuery) (any, error) {
			best, err := layers.BestRadii(c.Context, q.Linear, c.Epsilons("decays"), c.Rational("largest"), c.Int("steps", 1, 1<<16))
			if err != nil {
				return nil, err
			}
			return script.List(best, func(b layers.BestRadius) starlark.Value {
				r, _ := b.Radius.Float64()
				return starlark.Tuple{starlark.Float(r), starlark.Float(b.Distortion)}
			}), nil
		},
	}},
}

// segmentList returns the ends of a set's components as floats.
func segmentList(s query.LineSet) starlark.Value {
	return script.List(s.Segments(), func(p query.Segment) starlark.Value {
		lo, _ := p.Lo.Float64()
		hi, _ := p.Hi.Float64()
		return starlark.Tuple{starlark.Float(lo), starlark.Float(hi)}
	})
}
