package continuous

import (
	"context"
	"math/big"
	"slices"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// A basic mechanism has A_i = ∪ {R_0^y : d̄(x, y) ≤ i} (Wu et al., Corollary 1). For the K-norm mechanism
// A_i = F(x) + (i+1)K° and R_0^y = F(y) + K°, where K° is the interior of K. If D = ℝⁿ, the F(y) fill F(x) + iK, and
// iK + K° = (i+1)K° since K is convex: Proposition 6. If D is a lattice, the sets F(y) + K° need not cover (i+1)K°.

// CheckBasic checks Proposition 6 for D = ℝⁿ by exact Minkowski sums: iK + K = (i+1)K for i = 1 … upTo. It returns
// true, or the first i that violates it. It also returns the context's error.
func (k *KNorm) CheckBasic(ctx context.Context, upTo int) (i int, ok bool, err error) {
	for i := 1; i <= upTo; i++ {
		if err := ctx.Err(); err != nil {
			return i, false, err
		}
		scaled := make([]Point, len(k.corners))
		want := make([]Point, len(k.corners))
		for c, p := range k.corners {
			scaled[c] = p.times(big.NewRat(int64(i), 1))
			want[c] = p.times(big.NewRat(int64(i+1), 1))
		}
		if !slices.EqualFunc(minkowski(scaled, k.corners), hull(want), Point.equal) {
			return i, false, nil
		}
	}
	return 0, true, nil
}

// minkowski returns the corners of the sum of two convex polygons. All corners are listed counterclockwise from the
// lowest of the leftmost ones. The edges of the sum are those of both polygons, sorted by direction. Intervals are
// polygons with two corners.
func minkowski(a, b []Point) []Point {
	edge := func(c []Point, i int) Point { return c[(i+1)%len(c)].minus(c[i]) }
	at := a[0].plus(b[0])
	var out []Point
	for i, j := 0, 0; i < len(a) || j < len(b); {
		out = append(out, at)
		order := 0
		switch {
		case i == len(a):
			order = 1
		case j == len(b):
			order = -1
		default:
			order = turn(edge(a, i), edge(b, j))
		}
		if order <= 0 {
			at = at.plus(edge(a, i))
			i++
		}
		if order >= 0 {
			at = at.plus(edge(b, j))
			j++
		}
	}
	return hull(out)
}

// turn compares directions by their angle, counterclockwise. The order begins just after straight down, and straight
// down comes last.
func turn(a, b Point) int {
	half := func(v Point) int {
		if v[0].Sign() > 0 || v[0].Sign() == 0 && v[1].Sign() > 0 {
			return 0
		}
		return 1
	}
	if c := half(a) - half(b); c != 0 {
		return c
	}
	return -a.cross(b).Sign()
}

// LatticeGap is a point R that proves that the K-norm mechanism is not basic on D = ℤⁿ. The point lies in layer i of x
// = 0, but in no R_0^y with d̄(0, y) ≤ i.
type LatticeGap struct {
	R     Point
	Layer int
	Norm  *big.Rat // ‖r‖_K, in [Layer, Layer + 1)
	Cases int      // pairs of a point and a dataset compared
}

// maxGapSteps and maxImages bound a search for a gap: the size of a layer in steps of 1/m, and the number of values
// F(y) of a layer's datasets.
const (
	maxGapSteps = 1 << 31
	maxImages   = 1 << 17
)

// FindLatticeGap searches layers 1 … layer for a gap. It visits the points whose coordinates are multiples of 1/m, for
// m = 1 … finest. It returns false if it finds no gap. It returns an error wrapping evidence.ErrParameter if layer or
// finest is below 1 or the search is too large, and the context's error.
func (k *KNorm) FindLatticeGap(ctx context.Context, layer, finest int) (LatticeGap, bool, error) {
	if layer < 1 || finest < 1 {
		return LatticeGap{}, false, parameter.Errorf("layer = %d and finest = %d, want both at least 1", layer, finest)
	}
	reach := new(big.Rat)
	for _, p := range k.corners {
		for _, v := range p {
			if a := new(big.Rat).Abs(v); a.Cmp(reach) > 0 {
				reach = a
			}
		}
	}
	cases := 0
	for i := 1; i <= layer; i++ {
		centres, err := k.images(ctx, i)
		if err != nil {
			return LatticeGap{}, false, err
		}
		level := big.NewInt(int64(i))
		for m := int64(1); m <= int64(finest); m++ {
			steps := interval.RationalFloor(new(big.Rat).Mul(reach, big.NewRat(m*int64(i+1), 1)))
			if !steps.IsInt64() || steps.Int64() > maxGapSteps {
				return LatticeGap{}, false, parameter.Errorf("layer %d extends over %v steps of 1/%d, want at most 2^31", i, steps, m)
			}
			n := steps.Int64()
			rows := n
			if k.dimension == 1 {
				rows = 0
			}
			for b := int64(0); b <= rows; b++ { // K is symmetric
				for a := -n; a <= n; a++ {
					if a&1023 == 0 {
						if err := ctx.Err(); err != nil {
							return LatticeGap{}, false, err
						}
					}
					r := Point{big.NewRat(a, m), big.NewRat(b, m)}
					norm := k.Norm(r)
					if interval.RationalFloor(norm).Cmp(level) != 0 {
						continue
					}
					if err := ctx.Err(); err != nil {
						return LatticeGap{}, false, err
					}
					cases += len(centres)
					if !slices.ContainsFunc(centres, func(c Point) bool { return k.Norm(r.minus(c)).Cmp(big.NewRat(1, 1)) < 0 }) {
						return LatticeGap{r, i, norm, cases}, true, nil
					}
				}
			}
		}
	}
	return LatticeGap{Cases: cases}, false, nil
}

// images returns F(y) for the y ∈ ℤⁿ with ‖y‖₁ ≤ i, without repeats.
func (k *KNorm) images(ctx context.Context, i int) ([]Point, error) {
	origin := Point{new(big.Rat), new(big.Rat)}
	seen := map[string]bool{origin.String(): true}
	out := []Point{origin}
	from := 0 // index of the first value with ‖y‖₁ as in the last round
	for range i {
		last := out[from:]
		from = len(out)
		for _, p := range last {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for _, c := range k.columns {
				for _, v := range [2]Point{p.plus(c), p.minus(c)} {
					key := v.String()
					if seen[key] {
						continue
					}
					if len(out) == maxImages {
						return nil, parameter.Errorf("layer = %d of %d columns has more than 2^17 values, want a smaller layer or fewer columns", i, len(k.columns))
					}
					seen[key] = true
					out = append(out, v)
				}
			}
		}
	}
	return out, nil
}

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
	if dot(q, q).Cmp(dot(p, p)) < 0 { // a reflection exchanges s and t and their signs
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
