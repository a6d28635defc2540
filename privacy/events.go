package privacy

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// Which pairs touch the hull of all events: in float64, those that have an event within a margin of it, or
// one so rare under Q that float64s do not tell.

// floatPoint is what an event has under Q and P.
type floatPoint struct{ q, p float64 }

// events returns the events {loss ≥ l} of a pair.
func (r *Rough) events() []floatPoint {
	order := make([]int, len(r.Loss))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(r.Loss[j], r.Loss[i]) })
	at := floatPoint{0, r.Sure}
	out := []floatPoint{at}
	for _, i := range order {
		at = floatPoint{at.q + max(r.P[i]*math.Exp(-r.Loss[i]), leastMass), at.p + r.P[i]}
		out = append(out, at)
	}
	return out
}

// touching returns the candidates of one use that may have an event on the hull of all.
func touching(ctx context.Context, all []*candidate) ([]*candidate, error) {
	var hull []floatPoint
	events := make([][]floatPoint, len(all))
	for i, c := range all {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		events[i] = c.rough[0].events()
		hull = roughHull(append(hull, events[i]...))
	}
	margin := 1e-10
	for _, c := range all {
		margin = max(margin, 64*c.rough[0].Error)
	}
	var out []*candidate
	for i, c := range all {
		for _, e := range events[i] {
			if !(e.p < roughHeight(hull, e.q)-margin) || e.q > 0 && e.q < 1e3*leastMass {
				out = append(out, c)
				break
			}
		}
	}
	return out, nil
}

// roughHull returns the corners of the upper concave hull of points.
func roughHull(points []floatPoint) []floatPoint {
	points = append(points, floatPoint{0, 0}, floatPoint{1, 1})
	slices.SortFunc(points, func(a, b floatPoint) int { return cmp.Or(cmp.Compare(a.q, b.q), cmp.Compare(b.p, a.p)) })
	out := points[:0:0]
	for _, x := range points {
		if n := len(out); n > 0 && x.p <= out[n-1].p {
			continue
		}
		for n := len(out); n > 1; n = len(out) {
			a, b := out[n-2], out[n-1]
			if (b.p-a.p)*(x.q-a.q) > (x.p-a.p)*(b.q-a.q) {
				break
			}
			out = out[:n-1]
		}
		out = append(out, x)
	}
	return out
}

// roughHeight returns the height of a hull at q.
func roughHeight(hull []floatPoint, q float64) float64 {
	i, _ := slices.BinarySearchFunc(hull, q, func(c floatPoint, q float64) int { return cmp.Compare(c.q, q) })
	switch {
	case i == len(hull):
		return hull[i-1].p
	case i == 0 || hull[i].q == q:
		return hull[i].p
	}
	a, b := hull[i-1], hull[i]
	return a.p + (b.p-a.p)*(q-a.q)/(b.q-a.q)
}
