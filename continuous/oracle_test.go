package continuous

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
)

// The oracle of these tests shares no code with the ring: it keeps one flag for
// every grid point and every open unit between two, grows A_i one layer at a
// time over all of V, and stops where z^i is negligible.

// gridOracle holds the layer of every point (even index) and every open unit
// (odd index) of a whole-number grid, out to reach units either side, −1 where
// none of the layers holds it.
type gridOracle struct {
	layer []int
	reach int
}

// newGridOracle enumerates layers 0 … last. V and the radius are whole, V is
// symmetrised here.
func newGridOracle(v [][2]int, radius, last int) gridOracle {
	var parts [][2]int
	far := 0
	for _, p := range v {
		parts = append(parts, p, [2]int{-p[1], -p[0]})
		far = max(far, p[1], -p[0])
	}
	o := gridOracle{reach: radius + last*far}
	o.layer = make([]int, 4*o.reach+1)
	for i := range o.layer {
		o.layer[i] = -1
		if d := i - 2*o.reach; -2*radius <= d && d <= 2*radius {
			o.layer[i] = 0
		}
	}
	front := []int{}
	for i, l := range o.layer {
		if l == 0 {
			front = append(front, i)
		}
	}
	for layer := 1; layer <= last; layer++ {
		var next []int
		for _, i := range front {
			for _, p := range parts {
				// A point moves over [a, b], an open unit over (a, b+1): in
				// half steps both run from i+2a to i+2b.
				for j := i + 2*p[0]; j <= i+2*p[1]; j++ {
					if o.layer[j] < 0 {
						o.layer[j] = layer
						next = append(next, j)
					}
				}
			}
		}
		front = next
	}
	return o
}

// set returns layer i as a union, scaled by 1/scale.
func (o gridOracle) set(layer int, scale int64) Set {
	var out []Segment
	at := func(i int) *big.Rat { return big.NewRat(int64(i/2-o.reach), scale) }
	for i, l := range o.layer {
		if l != layer {
			continue
		}
		if i%2 == 0 {
			out = append(out, Closed(at(i), at(i)))
			continue
		}
		out = append(out, Segment{Lo: at(i - 1), Hi: at(i + 1), OpenLo: true, OpenHi: true})
	}
	return NewSet(out...)
}

// sums returns Σ z^L and Σ z^L |r| over units (midpoints: |r| is linear there)
// or, counting, over points, in grid units.
func (o gridOracle) sums(z float64, counting bool) (weight, moment float64) {
	for i, l := range o.layer {
		if l < 0 || (i%2 == 0) != counting {
			continue
		}
		w := math.Pow(z, float64(l))
		weight += w
		moment += w * math.Abs(float64(i-2*o.reach)) / 2
	}
	return weight, moment
}

// randomSet draws up to three intervals or points in [0, span], some of them
// overlapping, and a radius.
func randomSet(r *rand.Rand, span int, points bool) (v [][2]int, radius int) {
	for range 1 + r.IntN(3) {
		lo := r.IntN(span + 1)
		hi := lo
		if !points && r.IntN(3) > 0 {
			hi = min(span, lo+r.IntN(1+span/3))
		}
		v = append(v, [2]int{lo, hi})
	}
	if slices.Max(flatten(v)) == 0 {
		v = append(v, [2]int{span, span})
	}
	if r.IntN(2) == 0 {
		radius = r.IntN(span)
	}
	return v, radius
}

func flatten(v [][2]int) (out []int) {
	for _, p := range v {
		out = append(out, p[0], p[1])
	}
	return out
}

// scaledQuery returns the linear query with V the given whole numbers over scale.
func scaledQuery(v [][2]int, scale int64) (*Linear, error) {
	var ends [][2]*big.Rat
	for _, p := range v {
		ends = append(ends, [2]*big.Rat{big.NewRat(int64(p[0]), scale), big.NewRat(int64(p[1]), scale)})
	}
	return NewLinear(ends)
}

// growSet returns R_0 … R_last by Minkowski sums of rational sets.
func growSet(q *Linear, radius *big.Rat, last int) []Set {
	a := NewSet(Closed(new(big.Rat).Neg(radius), radius))
	out := []Set{a}
	for range last {
		next := a.Sum(q.NeighboringSet())
		out = append(out, next.Difference(a))
		a = next
	}
	return out
}
