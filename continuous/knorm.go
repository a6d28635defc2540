package continuous

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

const knormSource = "Hardt and Talwar 2010; Wu et al., (51)"

// Point is a point of the plane. On the line its second coordinate is 0.
type Point [2]*big.Rat

func (p Point) plus(q Point) Point {
	return Point{new(big.Rat).Add(p[0], q[0]), new(big.Rat).Add(p[1], q[1])}
}

func (p Point) times(t *big.Rat) Point {
	return Point{new(big.Rat).Mul(p[0], t), new(big.Rat).Mul(p[1], t)}
}

func (p Point) minus(q Point) Point { return p.plus(q.times(big.NewRat(-1, 1))) }

// cross returns p₀q₁ − p₁q₀.
func (p Point) cross(q Point) *big.Rat {
	v := new(big.Rat).Mul(p[0], q[1])
	return v.Sub(v, new(big.Rat).Mul(p[1], q[0]))
}

func (p Point) equal(q Point) bool { return p[0].Cmp(q[0]) == 0 && p[1].Cmp(q[1]) == 0 }

// String returns "(1/2, 0)".
func (p Point) String() string { return "(" + p[0].RatString() + ", " + p[1].RatString() + ")" }

// KNorm is the K-norm mechanism (Hardt and Talwar 2010) of a linear F: ℝⁿ → ℝᵈ,
// d = 1 or 2, on datasets with d̄(x, y) = ‖x − y‖₁: noise of density
// ε^d/(d! vol K) e^{−ε‖r‖_K}, K = F B₁ⁿ = conv{±F e_i}, a symmetric interval or
// polygon with rational corners.
type KNorm struct {
	eps       evidence.Epsilon
	dimension int
	columns   []Point // F e_i
	corners   []Point // of K, counterclockwise; on the line the two ends
}

// NewKNormLine returns the K-norm mechanism of F: ℝⁿ → ℝ with the given entries:
// Laplace noise, K = [−max|F_i|, max|F_i|]. It returns an error wrapping
// evidence.ErrParameter if F = 0 or ε > 700.
func NewKNormLine(entries []*big.Rat, eps evidence.Epsilon) (*KNorm, error) {
	if err := checkRate("eps", eps); err != nil {
		return nil, err
	}
	k := &KNorm{eps: eps, dimension: 1}
	reach := new(big.Rat)
	for i, v := range entries {
		if v == nil {
			return nil, parameter.Errorf("entries[%d] is missing, want a number", i)
		}
		k.columns = append(k.columns, Point{v, new(big.Rat)})
		if a := new(big.Rat).Abs(v); a.Cmp(reach) > 0 {
			reach = a
		}
	}
	if reach.Sign() == 0 {
		return nil, parameter.Errorf("columns has no number other than 0, want at least one")
	}
	end := Point{reach, new(big.Rat)}
	k.corners = []Point{end, end.times(big.NewRat(-1, 1))}
	return k, nil
}

// NewKNormPlane returns the K-norm mechanism of F: ℝⁿ → ℝ² with the given
// columns. It returns an error wrapping evidence.ErrParameter if they do not
// span the plane, or ε > 700.
func NewKNormPlane(columns []Point, eps evidence.Epsilon) (*KNorm, error) {
	if err := checkRate("eps", eps); err != nil {
		return nil, err
	}
	points := make([]Point, 0, 2*len(columns))
	for i, c := range columns {
		if c[0] == nil || c[1] == nil {
			return nil, parameter.Errorf("columns[%d] lacks a coordinate, want two numbers", i)
		}
		points = append(points, c, c.times(big.NewRat(-1, 1)))
	}
	corners := hull(points)
	if len(corners) < 4 {
		return nil, parameter.Errorf("the columns of F are collinear, want columns that span the plane")
	}
	return &KNorm{eps: eps, dimension: 2, columns: columns, corners: corners}, nil
}

// hull returns the corners of the convex hull, without points inside an edge. It lists them counterclockwise from the
// lowest of the leftmost corners (Andrew's monotone chain).
func hull(points []Point) []Point {
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b Point) int {
		if c := a[0].Cmp(b[0]); c != 0 {
			return c
		}
		return a[1].Cmp(b[1])
	})
	var out []Point
	chain := func(points []Point) {
		base := len(out)
		for _, p := range points {
			for n := len(out); n >= base+2 && out[n-1].minus(out[n-2]).cross(p.minus(out[n-1])).Sign() <= 0; n = len(out) {
				out = out[:n-1]
			}
			out = append(out, p)
		}
		out = out[:len(out)-1] // it also starts the other chain
	}
	if len(points) < 2 {
		return points
	}
	chain(points)
	slices.Reverse(points)
	chain(points)
	return out
}

// Name returns the mechanism's name.
func (k *KNorm) Name() string {
	return fmt.Sprintf("k-norm(eps=%v, K with corners %v)", k.eps, k.corners)
}

// Dimension returns d.
func (k *KNorm) Dimension() int { return k.dimension }

// Corners returns the corners of K counterclockwise. On the line these are the two ends.
func (k *KNorm) Corners() []Point { return slices.Clone(k.corners) }

// Norm returns ‖r‖_K = min{t : r ∈ tK}.
func (k *KNorm) Norm(r Point) *big.Rat {
	if k.dimension == 1 {
		v := new(big.Rat).Quo(r[0], k.corners[0][0])
		return v.Abs(v)
	}
	most := new(big.Rat)
	for i, p := range k.corners { // p and q lie on their edge's line, at norm 1
		q := k.corners[(i+1)%len(k.corners)]
		edge := q.minus(p)
		v := r.cross(edge)
		if v.Quo(v, p.cross(edge)); v.Cmp(most) > 0 {
			most = v
		}
	}
	return most
}

// Layer returns the layer ⌊‖r‖_K⌋ of Definition 13.
func (k *KNorm) Layer(r Point) *big.Int { return interval.RationalFloor(k.Norm(r)) }

// Volume returns vol K, a length or an area.
func (k *KNorm) Volume() *big.Rat {
	if k.dimension == 1 {
		return new(big.Rat).Mul(big.NewRat(2, 1), k.corners[0][0])
	}
	sum := new(big.Rat)
	for i, p := range k.corners {
		sum.Add(sum, p.cross(k.corners[(i+1)%len(k.corners)]))
	}
	return sum.Mul(sum, big.NewRat(1, 2))
}

// Density returns the density at a distance r from F(x).
func (k *KNorm) Density(r Point) evidence.Number {
	rate := k.eps.Enclosure()
	height := rate
	if k.dimension == 2 {
		height = rate.Mul(rate).Quo(interval.Int(2))
	}
	height = height.Quo(interval.Rat(k.Volume()))
	return evidence.RatOrInterval{Enclosure: height.Mul(decay(k.eps, k.Norm(r), big.NewRat(1, 1)).Enclosure)}.Number(closedForm, knormSource)
}

// Distortion returns E‖noise‖₂. The noise is a Gamma(d+1) radius of mean (d+1)/ε
// times a uniform point of K, whose mean Euclidean norm is a sum over the
// triangles between 0 and the edges.
func (k *KNorm) Distortion() evidence.Number {
	mean := interval.Rat(k.corners[0][0]).Quo(interval.Int(2)) // of |u| for a uniform point u of the interval
	if k.dimension == 2 {
		sum := interval.Int(0)
		for i, p := range k.corners {
			sum = sum.Add(triangleMoment(p, k.corners[(i+1)%len(k.corners)]))
		}
		mean = sum.Quo(interval.Rat(k.Volume()))
	}
	return evidence.RatOrInterval{Enclosure: mean.Mul(k.radius())}.Number(closedForm, knormSource)
}

// radius encloses (d+1)/ε, the factor between the mean of the noise's norm and that of a uniform point of K.
func (k *KNorm) radius() interval.Interval {
	return interval.Int(int64(k.dimension) + 1).Quo(k.eps.Enclosure())
}

// Noise draws n independent values of the noise. It returns an error wrapping
// evidence.ErrParameter if n < 0 or the noise overflows float64.
func (k *KNorm) Noise(n int, src rand.Source) ([][2]float64, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	rng := rand.New(src)
	corners, areas := make([][2]float64, len(k.corners)), make(draw.Law, len(k.corners))
	sum := new(big.Rat)
	for i, p := range k.corners {
		corners[i][0], _ = p[0].Float64()
		corners[i][1], _ = p[1].Float64()
		if k.dimension == 2 { // shares of the volume, 2 in all
			sum.Add(sum, p.cross(k.corners[(i+1)%len(k.corners)]))
			share := new(big.Rat).Quo(sum, k.Volume())
			areas[i], _ = share.Float64()
		}
	}
	out := make([][2]float64, n)
	for i := range out {
		radius := 0.0
		for range k.dimension + 1 {
			radius -= math.Log1p(-rng.Float64()) / k.eps.Value()
		}
		if k.dimension == 1 {
			out[i][0] = radius * (2*rng.Float64() - 1) * corners[0][0]
		} else {
			edge := areas.Draw(rng)
			p, q := corners[edge], corners[(edge+1)%len(corners)]
			u, v := rng.Float64(), rng.Float64()
			if u+v > 1 {
				u, v = 1-u, 1-v
			}
			out[i] = [2]float64{radius * (u*p[0] + v*q[0]), radius * (u*p[1] + v*q[1])}
		}
		if _, err := finite(out[i][:], evidence.RatOrInterval{Enclosure: k.radius()}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Privacy returns the privacy for the neighboring set K. A shift v ∈ K changes the norm by at most ‖v‖_K ≤ 1. A shift
// from 0 to a corner changes it by 1.
func (k *KNorm) Privacy() privacy.Profile {
	return known(shiftedLoss(k.eps, 0, "‖r‖_K moves by at most 1 under K, and by 1 from 0 to a corner", knormSource), nil)
}
