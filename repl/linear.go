package repl

import (
	"fmt"
	"math/big"
	"sync"

	"dpworkbench/layers"
	"dpworkbench/query"

	"go.starlark.net/starlark"
)

// intervals reads a list of intervals and points.
func (c *call) intervals(name string) [][2]*big.Rat {
	vs := c.list(name)
	out := make([][2]*big.Rat, len(vs))
	for i, v := range vs {
		where := fmt.Sprintf("%s[%d]", name, i)
		if p, ok := toRational(v); ok {
			out[i] = [2]*big.Rat{p, p}
			continue
		}
		pair, ok := elements(v)
		if !ok || len(pair) != 2 {
			c.fail(where, v, `an interval (lo, hi) or a number, each a finite number or a fraction like "7/2"`+inexact(v))
		}
		for k, end := range pair {
			where := fmt.Sprintf("%s[%d]", where, k)
			if out[i][k], ok = toRational(end); !ok {
				c.fail(where, end, `a finite number or a fraction like "7/2"`+inexact(end))
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

func (q *linearQuery) layers(c *call, radius *big.Rat) (*layers.LineLayers, error) {
	key := radius.RatString()
	q.mu.Lock()
	l, ok := q.known[key]
	q.mu.Unlock()
	if ok {
		return l, nil
	}
	l, err := layers.NewLineLayers(c.ctx, q.Linear, radius)
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
func (c *call) linear(name string) *linearQuery {
	q, _ := unwrap(c.value(name), linearClass)
	return q
}

var linearClass = &class[*linearQuery]{
	name: "linear_query", help: "A linear query on the reals, by its neighboring set.", example: lineSetup + "print(lq)",
	show: func(q *linearQuery) string {
		text := []rune(q.NeighboringSet().String())
		if len(text) > 60 {
			text = append(text[:57], '…')
		}
		return "<linear query, V = " + string(text) + ">"
	},
	attrs: []attr[*linearQuery]{{
		name: "sensitivity", help: "Δf, the largest number in V_f (Wu et al., Definition 12). Exact.", example: lineSetup + "print(lq.sensitivity)",
		get: func(c *call, q *linearQuery) (starlark.Value, error) {
			return known(q.Sensitivity()), nil
		},
	}, {
		name: "volume", help: "The Lebesgue measure of V_f ∩ [0, ∞), which is how the paper counts Vol(V_f). Exact.", example: lineSetup + "print(lq.volume)",
		get: func(c *call, q *linearQuery) (starlark.Value, error) {
			return known(q.Volume()), nil
		},
	}, {
		name: "neighboring_set", help: "V_f, symmetric and with 0: a list of closed intervals (lo, hi), a point having lo = hi.", example: lineSetup + "print(lq.neighboring_set)",
		get: func(c *call, q *linearQuery) (starlark.Value, error) { return segmentList(q.NeighboringSet()), nil },
	}, {
		name: "distortions", params: "radii, decays", help: "The distortion of delta_neighborhood at every radius and decay: a list of rows of floats, one row per decay. Layers are built once a radius, on all cores.", example: lineSetup + "print(lq.distortions([0, 10, 20], [3, 4]))",
		run: func(c *call, q *linearQuery) (starlark.Value, error) {
			rows, err := layers.LineGrid(c.ctx, q.Linear, c.rationals("radii"), c.epsilons("decays"))
			if err != nil {
				return nil, err
			}
			return listOf(rows, func(row []float64) starlark.Value { return floatList(row) }), nil
		},
	}, {
		name: "best_radius", params: "decays, largest, steps=100", help: "The radius from 0 to largest that minimises the distortion of delta_neighborhood at each decay, by a search on the exact curve: a grid of so many steps, then ten halvings around its best point. A list of pairs (radius, distortion).", example: "lq = linear_query([(0, 1), (20, 21)])\nprint(lq.best_radius([2, 4], 10, steps=20))",
		run: func(c *call, q *linearQuery) (starlark.Value, error) {
			best, err := layers.BestRadii(c.ctx, q.Linear, c.epsilons("decays"), c.rational("largest"), c.int("steps", 1, 1<<16))
			if err != nil {
				return nil, err
			}
			return listOf(best, func(b layers.BestRadius) starlark.Value {
				r, _ := b.Radius.Float64()
				return starlark.Tuple{starlark.Float(r), starlark.Float(b.Distortion)}
			}), nil
		},
	}},
}

// segmentList returns the ends of a set's components as floats.
func segmentList(s query.LineSet) starlark.Value {
	return listOf(s.Segments(), func(p query.Segment) starlark.Value {
		lo, _ := p.Lo.Float64()
		hi, _ := p.Hi.Float64()
		return starlark.Tuple{starlark.Float(lo), starlark.Float(hi)}
	})
}
