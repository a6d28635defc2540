package continuous

import (
	"math/big"

	"dpworkbench/interval"
)

// triangleMoment encloses ∫‖u‖ du over the triangle between 0, p and q. At distance
// h from the line through p and q, with their places s < t along it, it is
//
//	h/6 (|q|t − |p|s) + h³/6 ln((|q| + t)/(|p| + s)).
//
// Both terms cancel if the triangle is far from equilateral. After a reflection t + s ≥ 0. With l = t − s,
//
//	|q|t − |p|s = (|q|² − |p|²)(t² + s² + h²)/(|q|t + |p|s)   where s > 0,
//	(|q| + t)/(|p| + s) = 1 + l(1 + (t + s)/(|p| + |q|))/(|p| + s),
//	|p| + s = h²/(|p| − s)                                    where s < 0,
//
// where every term is positive and t + s = (|q|² − |p|²)/l.
func triangleMoment(p, q Point) interval.Interval {
	dot := func(a, b Point) *big.Rat {
		v := new(big.Rat).Mul(a[0], b[0])
		return v.Add(v, new(big.Rat).Mul(a[1], b[1]))
	}
	edge := q.minus(p)
	height := interval.Rat(p.cross(q))
	if dot(q, q).Cmp(dot(p, p)) < 0 { // mirrored, s and t change places and signs
		p, q, edge = q, p, p.minus(q)
	}
	excess := new(big.Rat).Sub(dot(q, q), dot(p, p))
	at := dot(p, edge)
	root := func(v *big.Rat) interval.Interval { return interval.Rat(v).Sqrt() }
	near, far, length := root(dot(p, p)), root(dot(q, q)), root(dot(edge, edge))
	h := height.Quo(length)
	s, t := interval.Rat(at).Quo(length), interval.Rat(dot(q, edge)).Quo(length)

	var flat, open interval.Interval // |q|t − |p|s and |p| + s
	if at.Sign() <= 0 {
		flat = far.Mul(t).Add(near.Mul(s.Neg()))
		open = h.Mul(h).Quo(near.Sub(s))
	} else {
		squares := t.Mul(t).Add(s.Mul(s)).Add(h.Mul(h))
		flat = interval.Rat(excess).Mul(squares).Quo(far.Mul(t).Add(near.Mul(s)))
		open = near.Add(s)
	}
	lean := interval.Int(1).Add(interval.Rat(excess).Quo(length).Quo(near.Add(far)))
	bend := length.Mul(lean).Quo(open).Log1p().Mul(h).Mul(h)
	return flat.Add(bend).Mul(h).Quo(interval.Int(6))
}
