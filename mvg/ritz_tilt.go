package mvg

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Where no cover of ℓ attains a plane's value, a mixture of planes is what covers
// cannot tell from one. On a subspace Z the least cover is a small program, whose
// moments show the mixture; a tilt (tilt.go) on U, its leading directions, takes the
// excess; and the cover of the tilted ℓ on Z continues to all of space
// (ritz_continue.go). It does so without loss where Z has what a and b make of U.
const (
	firstZ      = 14 // the order of the first Z
	largestZ    = 24 // and of the last
	leadingTilt = 4  // the order of U
)

// tiltGap is the relative distance at which a tilted cover has attained a value.
const tiltGap = 1e-9

// tilted returns a level of ℓ by tilts, and the plane on which they leave ℓ largest: v,
// or another. That of the last ℓ may be enough.
func (s *ritz) tilted(ctx context.Context, l reflected, v frame, loose *mat.SymDense, enough float64) (level float64, seen frame, err error) {
	level, seen = math.Inf(1), v
	if s.mixed != nil {
		level, seen, err = l.tilt(ctx, s.mixed, leadingTilt)
		if err != nil || level <= enough || l.at(seen) > enough {
			return level, seen, err
		}
	}
	d := len(v[0])
	pool := s.spread(v, loose)
	z := columns(pool, 0, min(d, firstZ))
	k := 0
	for range 3 {
		mixed, third, err := l.mixture(ctx, z)
		if err != nil {
			return level, seen, err
		}
		if k = 0; third > 1e-7 {
			k = leadingTilt
		}
		leads, m := max(k, 2), min(d, largestZ)
		_, order := mixed.Dims()
		u := columns(mixed, 0, leads)
		var left, right mat.Dense
		left.Mul(l.a, u)
		right.Mul(l.b, u)
		z = columns(spanned(u, &left, &right, columns(mixed, leads, order), columns(pool, 2, d)), 0, m)
	}
	now, at, err := l.tilt(ctx, z, k)
	if err != nil {
		return level, seen, err
	}
	if k > 0 {
		s.mixed = z
	}
	if now < level {
		level, seen = now, at
	}
	return level, seen, nil
}

// spread returns a basis that starts with v and goes on with the directions of other
// planes met, and where S is large.
func (s *ritz) spread(v frame, loose *mat.SymDense) *mat.Dense {
	n := len(v[0])
	sum := mat.NewSymDense(n, nil)
	sum.ScaleSym(0.3/mat.Norm(loose, 2), loose)
	for _, w := range s.met {
		weight := math.Pow(s.values(w).largest()/s.best, 30)
		for _, x := range w {
			sum.SymRankOne(sum, weight, mat.NewVecDense(n, x))
		}
	}
	first := v.basis()
	rest := columns(first, 2, n)
	return spanned(columns(first, 0, 2), rotated(rest, negated(turn(sum, rest))))
}

// mixture returns a basis of the columns of z that starts with the leading directions
// of W, for the mixture of their planes that ℓ is largest on as covers see it, and W's
// third eigenvalue.
func (l reflected) mixture(ctx context.Context, z *mat.Dense) (basis *mat.Dense, third float64, err error) {
	p := newTilting(turn(l.h, z), turn(l.a, z), turn(l.b, z), 0)
	x, err := p.interior(ctx)
	if err != nil {
		return nil, 0, err
	}
	mean := p.mean(x)
	basis = rotated(z, mean)
	return basis, -turn(mean, rotated(eye(p.m), mean)).At(2, 2), nil
}

// mean returns −W, from W − S and W + S.
func (p *tilting) mean(x *point) *mat.SymDense {
	out := mat.NewSymDense(p.m, nil)
	combine(out, -0.5, symmetrized(x.moment[lowerS]), -0.5, symmetrized(x.moment[upperS]))
	return out
}

// tilt returns a level of ℓ with the tilt whose U is the first k columns of z, infinite
// where there is none, and the plane that it leaves ℓ largest on.
func (l reflected) tilt(ctx context.Context, z *mat.Dense, k int) (level float64, seen frame, err error) {
	p := newTilting(turn(l.h, z), turn(l.a, z), turn(l.b, z), k)
	x, err := p.interior(ctx)
	if err != nil {
		return math.Inf(1), seen, err
	}
	seen = leading(rotated(z, p.mean(x)))
	drift := skew(z)
	if n, _ := z.Dims(); p.m == n {
		size := mat.Norm(l.h, 2) + mat.Norm(l.a, 2) + mat.Norm(l.b, 2)
		return l.constant + p.base + p.bound(x.y) + 8*size*(drift+8*float64(n*n)*unit), seen, nil
	}
	if k > 0 {
		l = p.tilt(l, x.y, columns(z, 0, k), drift)
	}
	level = math.Inf(1)
	for _, least := range []float64{1e-11, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4} {
		if err := ctx.Err(); err != nil {
			return level, seen, err
		}
		if c, ok := p.continued(l, x, z, least); ok {
			level = math.Min(level, l.certify(c))
		}
	}
	return level, seen, nil
}

// at returns ℓ(V).
func (l reflected) at(v frame) float64 {
	av := newFrame(len(v[0]))
	h0, _, h1 := v.under(mat.DenseCopyOf(l.h), av)
	sum := l.constant + h0 + h1
	for _, m := range []*mat.SymDense{l.a, l.b} {
		a00, a01, a11 := v.under(mat.DenseCopyOf(m), av)
		sum += 2 * math.Hypot((a00-a11)/2, a01)
	}
	return sum
}

func columns(z *mat.Dense, from, to int) *mat.Dense {
	n, _ := z.Dims()
	if from == to {
		return &mat.Dense{}
	}
	return mat.DenseCopyOf(z.Slice(0, n, from, to))
}

// spanned returns an orthonormal basis of all of space of which, for every j, the first
// j vectors span the first j columns given, as far as they are independent.
func spanned(parts ...*mat.Dense) *mat.Dense {
	var n, m int
	for _, p := range parts {
		if r, c := p.Dims(); c > 0 {
			n, m = r, m+c
		}
	}
	all := mat.NewDense(n, min(n, m), nil)
	at := 0
	for _, p := range parts {
		_, c := p.Dims()
		for j := 0; j < c && at < n; j, at = j+1, at+1 {
			all.SetCol(at, mat.Col(nil, j, p))
		}
	}
	var qr mat.QR
	qr.Factorize(all)
	var w mat.Dense
	qr.QTo(&w)
	return &w
}

// rotated returns the columns of z turned to the eigenvectors of a, which is in their
// coordinates, by ascending eigenvalues.
func rotated(z *mat.Dense, a *mat.SymDense) *mat.Dense {
	var e mat.EigenSym
	if !e.Factorize(a, true) {
		return z
	}
	var w, out mat.Dense
	e.VectorsTo(&w)
	out.Mul(z, &w)
	return &out
}

// skew returns ‖ZᵀZ − I‖, rounding included.
func skew(z *mat.Dense) float64 {
	n, m := z.Dims()
	var g mat.Dense
	g.Mul(z.T(), z)
	for i := range m {
		g.Set(i, i, g.At(i, i)-1)
	}
	return mat.Norm(&g, 2) + 4*float64(n*m)*unit
}
