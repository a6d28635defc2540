package planes

import (
	"context"
	"math"
	"slices"

	"dpworkbench/internal/golden"
	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// halfPlanes bound tr(P_V R Q_V R) over planes V and their reflections R from above
// by linear inequalities between the Ritz values, the eigenvalues p₁ ≥ p₂ and
// q₁ ≥ q₂ of the compressions P_V and Q_V.
//
// With means p̄, q̄ and half differences δp, δq the maximum over R is
//
//	p₁q₁ + p₂q₂ = 2(p̄q̄ + δpδq) = 2(A² + B²), A = √(p̄q̄), B = √(δpδq),
//
// so a plane is a point (A, B) of the cone 0 ≤ B ≤ A, and what is sought is twice
// the largest squared distance from the origin. For positive c a bound on
// c·y = c₁p̄ + c₂q̄ + c₃δp + c₄δq (see halfplane_cover.go) bounds 2√(c₁c₂)A + 2√(c₃c₄)B:
// a half-plane cos φ·A + sin φ·B ≤ radius. Its c is the one of the least bound,
// which is convex in ln t and ln r, t² = c₁/c₂ and r² = c₃/c₄. Half-planes are added
// where the polygon they cut out reaches farthest, first where the best plane known
// lies: there c·y touches it, and the polygon closes in on it quadratically.
type halfPlanes struct {
	forms
	axes      *mat.Dense // eigenvectors that P and Q share, if they do
	best      float64    // of the planes seen
	bestPlane frame      // its plane's orthonormal basis
	localBest []frame    // planes that were locally best for some c
	cuts      []halfPlane

	lastFace faceStart
}

type halfPlane struct{ angle, radius float64 }

func newHalfPlanes(f forms, at frame) *halfPlanes {
	s := &halfPlanes{forms: f, axes: sharedAxes(f.p, f.q), bestPlane: at}
	s.best = s.values(at).largest()
	return s
}

// ritzValues are (p̄, q̄, δp, δq).
type ritzValues [4]float64

// largest returns p₁q₁ + p₂q₂.
func (y ritzValues) largest() float64 { return 2 * (y[0]*y[1] + y[2]*y[3]) }

func (y ritzValues) dot(c [4]float64) float64 {
	return c[0]*y[0] + c[1]*y[1] + c[2]*y[2] + c[3]*y[3]
}

// mostHalfPlanes is the largest number of half-planes; each costs some 10 spectral
// decompositions and about as many climbs.
const mostHalfPlanes = 40

// halfPlaneGap is the relative distance at which the polygon has closed in.
const halfPlaneGap = 1e-10

// upper bounds p₁q₁ + p₂q₂ over planes from above, for P and Q of norm at most 1.
func (s *halfPlanes) upper(ctx context.Context) (float64, error) {
	y := s.values(s.bestPlane)
	angles := []float64{0, math.Pi / 4}
	if phi := math.Atan2(math.Sqrt(y[2]*y[3]), math.Sqrt(y[0]*y[1])); phi > 1e-7 {
		angles = append([]float64{phi}, angles...)
	}
	for _, phi := range angles {
		if err := s.cut(ctx, phi); err != nil {
			return 0, err
		}
	}
	reach, phi := s.polygon()
	for idle := 0; len(s.cuts) < mostHalfPlanes && 2*reach*reach > s.best*(1+halfPlaneGap); {
		if err := s.cut(ctx, phi); err != nil {
			return 0, err
		}
		before, target := reach, math.Sqrt(s.best/2)
		if reach, phi = s.polygon(); reach >= before*(1-1e-13) {
			break // the half-plane of this angle leaves the vertex
		}
		// Two vertices may be as far; with three half-planes that gain little, more will not.
		if idle++; before-reach > 0.05*(before-target) {
			idle = 0
		}
		if idle == 3 {
			break
		}
	}
	return 2 * reach * reach * (1 + 8*unit), nil
}

// polygon returns the largest distance of a point of the cone that the cuts allow,
// and its angle: between neighbouring nodes the least of the cuts' largest reaches.
func (s *halfPlanes) polygon() (reach, angle float64) {
	nodes := []float64{0, math.Pi / 4}
	for i, u := range s.cuts {
		nodes = append(nodes, u.angle)
		for _, v := range s.cuts[:i] {
			x := math.Atan2(v.radius*math.Cos(u.angle)-u.radius*math.Cos(v.angle), u.radius*math.Sin(v.angle)-v.radius*math.Sin(u.angle))
			if x < 0 {
				x += math.Pi
			}
			if x < math.Pi/4 {
				nodes = append(nodes, x)
			}
		}
	}
	slices.Sort(nodes)
	for k := range len(nodes) - 1 {
		least, where := math.Inf(1), 0.0
		for _, u := range s.cuts {
			from, to := math.Cos(nodes[k]-u.angle), math.Cos(nodes[k+1]-u.angle)
			if r := u.radius / math.Min(from, to); r < least {
				least, where = r, nodes[k]
				if to < from {
					where = nodes[k+1]
				}
			}
		}
		if least > reach {
			reach, angle = least, where
		}
	}
	return reach * (1 + 8*unit), angle
}

// cut adds the half-plane of the angle.
func (s *halfPlanes) cut(ctx context.Context, phi float64) error {
	if phi == 0 {
		return s.cutByTraces(ctx)
	}
	starts := []frame{s.bestPlane}
	if n := len(s.localBest); n > 0 {
		starts = append(starts, s.localBest[n-1])
	}
	least := math.Inf(1)
	for range 6 {
		c, v, err := s.bestWeights(ctx, phi, starts)
		if err != nil {
			return err
		}
		s.remember(v)
		l := s.reflectionFormOf(c)
		var others []cover
		if s.axes != nil {
			others = append(others, s.diagonalCover(c))
		}
		level, loose, err := s.coverLevel(ctx, l, v, others...)
		if err != nil {
			return err
		}
		value := s.values(v).dot(c)
		// The face of v does not hold: v may be locally best only.
		least = math.Min(least, level*(1+8*unit))
		if loose == nil || level <= math.Sqrt(s.best/2) { // within the circle no point is better
			break
		}
		var other *frame
		for _, w := range append([]frame{leadingEigenvectors(loose)}, s.localBest...) {
			w = s.climb(c, w)
			if s.values(w).dot(c) > value*(1+1e-12) {
				other, value = &w, s.values(w).dot(c)
			}
		}
		if other == nil {
			break
		}
		s.remember(*other)
		starts = append([]frame{*other}, starts...)
	}
	s.cuts = append(s.cuts, halfPlane{phi, least})
	return nil
}

// remember keeps a plane as a start for climbs, and as the best if it is.
func (s *halfPlanes) remember(v frame) {
	if f := s.values(v).largest(); f > s.best {
		s.best, s.bestPlane = f, v
	}
	s.localBest = append(s.localBest, v)
}

// cutByTraces adds the half-plane of angle 0: p̄ and q̄ are half the traces of the
// compressions, and tr(tP + Q/t)_V is largest on the two leading eigenvectors.
func (s *halfPlanes) cutByTraces(ctx context.Context) error {
	n := s.p.SymmetricDim()
	sum := mat.NewSymDense(n, nil)
	value := func(logT float64) float64 {
		symmetric.Combine(sum, math.Exp(logT), s.p, math.Exp(-logT), s.q)
		return symmetric.PairCeiling(sum)/4 + 4*unit*mat.Norm(sum, 2) // and an entry of the sum errs by 2 roundings
	}
	_, best := golden.Minimize(func(logT float64) float64 { // convex
		if ctx.Err() != nil {
			return 0
		}
		return value(logT)
	}, -8, 8, 36)
	if err := ctx.Err(); err != nil {
		return err
	}
	s.cuts = append(s.cuts, halfPlane{0, best * (1 + 8*unit)})
	return nil
}

// bestWeights minimises over ln t and ln r the largest c·y that climbs from the starts
// reach, whose slopes are c₁p̄ − c₂q̄ and c₃δp − c₄δq. Where the best plane changes with
// c the bound has an edge, which the gradient's method does not get along; with more
// than two starts a simplex goes on from where it ends.
func (s *halfPlanes) bestWeights(ctx context.Context, phi float64, starts []frame) (c [4]float64, v frame, err error) {
	at := func(x []float64) [4]float64 {
		t, r := math.Exp(x[0]), math.Exp(x[1])
		cos, sin := math.Cos(phi)/2, math.Sin(phi)/2
		return [4]float64{cos * t, cos / t, sin * r, sin / r}
	}
	edges := len(starts) > 2
	recent := slices.Clone(starts)
	var last []float64
	var y ritzValues
	climb := func(x []float64) {
		if slices.Equal(x, last) || ctx.Err() != nil {
			return
		}
		c, last = at(x), slices.Clone(x)
		top := math.Inf(-1)
		try := func(w frame) frame {
			w = s.climb(c, w)
			if value := s.values(w).dot(c); value > top {
				top, v = value, w
			}
			return w
		}
		for i := range recent {
			recent[i] = try(recent[i])
			if edges {
				try(starts[i])
			}
		}
		y = s.values(v)
	}
	problem := optimize.Problem{
		Func: func(x []float64) float64 {
			climb(x)
			return y.dot(c)
		},
		Grad: func(grad, x []float64) {
			climb(x)
			grad[0], grad[1] = c[0]*y[0]-c[1]*y[1], c[2]*y[2]-c[3]*y[3]
		},
	}
	y = s.values(starts[0])
	tiny := 1e-9
	from := []float64{math.Log(y[1]/y[0]) / 2, math.Log(math.Max(y[3], tiny)/math.Max(y[2], tiny)) / 2}
	best, least := from, math.Inf(1)
	minimize := func(settings *optimize.Settings, method optimize.Method) {
		if found, _ := optimize.Minimize(problem, best, settings, method); found != nil && found.F < least {
			best, least = found.X, found.F
		}
	}
	minimize(&optimize.Settings{GradientThreshold: 1e-9, MajorIterations: 30, FuncEvaluations: 60}, &optimize.BFGS{})
	if edges {
		minimize(&optimize.Settings{FuncEvaluations: 120}, &optimize.NelderMead{SimplexSize: 0.1})
	}
	climb(best)
	return c, v, ctx.Err()
}

func (s *halfPlanes) values(v frame) ritzValues {
	av := newFrame(len(v[0]))
	a, b, c := v.compress(s.rows[0], av)
	e, f, g := v.compress(s.rows[1], av)
	return ritzValues{(a + c) / 2, (e + g) / 2, math.Hypot((a-c)/2, b), math.Hypot((e-g)/2, f)}
}

// climb raises c·y from the plane V. With R_P and R_Q the reflections of which δp and
// δq are half the traces against P_V and Q_V, 2c·y is the inner product of V with
// PV(c₁ + c₃R_P) + QV(c₂ + c₄R_Q), convex in V once a multiple of V is added, so that
// the polar factor of that matrix is never lower.
func (s *halfPlanes) climb(c [4]float64, v frame) frame {
	start := v
	v = frame{slices.Clone(v[0]), slices.Clone(v[1])}
	n := len(v[0])
	pv, qv := newFrame(n), newFrame(n)
	shift := math.Max(0, c[2]-c[0]) + math.Max(0, c[3]-c[1])
	for range 2000 {
		p0, p1, p2 := v.compress(s.rows[0], pv)
		q0, q1, q2 := v.compress(s.rows[1], qv)
		pc, ps := cosineAndSine((p0-p2)/2, p1)
		qc, qs := cosineAndSine((q0-q2)/2, q1)
		var g00, g01, g11 float64
		for i := range n {
			a, b, e, f := pv[0][i], pv[1][i], qv[0][i], qv[1][i]
			x := c[0]*a + c[2]*(pc*a+ps*b) + c[1]*e + c[3]*(qc*e+qs*f) + shift*v[0][i]
			y := c[0]*b + c[2]*(ps*a-pc*b) + c[1]*f + c[3]*(qs*e-qc*f) + shift*v[1][i]
			pv[0][i], pv[1][i] = x, y
			g00, g01, g11 = g00+x*x, g01+x*y, g11+y*y
		}
		// The polar factor of G is G(GᵀG)^{−1/2}, √M = (M + √det M)/√(tr M + 2√det M).
		det := math.Sqrt(math.Max(0, g00*g11-g01*g01))
		if !(det > 1e-14*(g00+g11)) {
			break
		}
		k := math.Sqrt(g00+g11+2*det) * det
		h00, h01, h11 := (g11+det)/k, -g01/k, (g00+det)/k
		moved := 0.0
		for i := range n {
			x, y := pv[0][i]*h00+pv[1][i]*h01, pv[0][i]*h01+pv[1][i]*h11
			moved = math.Max(moved, math.Max(math.Abs(x-v[0][i]), math.Abs(y-v[1][i])))
			v[0][i], v[1][i] = x, y
		}
		if moved < 1e-10 {
			break
		}
	}
	// Where GᵀG was nearly singular its factor is not orthonormal.
	for range 2 {
		floats.Scale(1/floats.Norm(v[0], 2), v[0])
		floats.AddScaled(v[1], -floats.Dot(v[0], v[1]), v[0])
		if norm := floats.Norm(v[1], 2); norm > 1e-3 {
			floats.Scale(1/norm, v[1])
		} else {
			return start
		}
	}
	return v
}

// cosineAndSine returns the cosine and the sine of (a, b).
func cosineAndSine(a, b float64) (cos, sin float64) {
	if h := math.Hypot(a, b); h > 0 {
		return a / h, b / h
	}
	return 1, 0
}
