package mvg

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"dpworkbench/evidence"
)

// One record of a Gram matrix is replaced: Δ = k(xxᵀ − yyᵀ), ‖x‖, ‖y‖ ≤ c, with
// whitened norm k√tr(PDQD), D = xxᵀ − yyᵀ, P = Σ⁻¹, Q = Ψ⁻¹.
//
// tr(PDQD) = ‖P^{1/2}DQ^{1/2}‖² is convex in each of xxᵀ and yyᵀ over
// {X ⪰ 0, tr X ≤ c²}, whose extreme points are 0 and the xxᵀ with ‖x‖ = c. With
// ‖x‖ = ‖y‖ = c at an angle φ, D = c² sin φ (aaᵀ − bbᵀ) for orthonormal a, b, so
// sin φ = 1 is best:
//
//	tr(PDQD) = c⁴(aᵀPa·aᵀQa + bᵀPb·bᵀQb − 2 aᵀPb·aᵀQb).
//
// Turning (a, b) within its plane V makes aaᵀ − bbᵀ any reflection R of V, and
// tr(P_V R Q_V R) is largest, p₁(V)q₁(V) + p₂(V)q₂(V) for the eigenvalues of the
// compressions, where R carries the eigenvectors of Q_V to those of P_V. That is
// at least p₁(V)q₁(V) ≥ aᵀPa·aᵀQa, so y = 0 is never better (order ≥ 2).
//
// Closed forms follow where V is all there is (order 2), where Σ = Ψ (p₁² + p₂²)
// and where Ψ = I/q (q(p₁ + p₂)), for eigenvalues of a compression interlace and
// P's two top directions attain. Elsewhere the maximum over planes lies between a
// D found by ascent (replacement_ascent.go) and the least of upper ends: interlacing,
// p₁q₁ + p₂q₂; up to order largestRitz linear inequalities between Ritz values (ritz.go),
// which the ascent meets as a rule; and semidefinite programs, the second compound
// (compound.go) at small orders and, where a gap is left, moments of planes (lift.go,
// frame_cuts.go). A floor that P and Q share goes first (floor.go).

// meets is the relative distance at which two ends are taken as one, and closed the one
// at which there is no looking for a better upper end.
const (
	meets  = 1e-12
	closed = 1e-8
)

// smallOrder is the largest order at which the compound bound is the faster one.
const smallOrder = 6

// replaced bounds max tr(PDQD) over D = aaᵀ − bbᵀ with orthonormal a, b.
func replaced(ctx context.Context, sigma, psi Covariance) (bound, error) {
	d := sigma.Order()
	p, q := sigma.Precision(), psi.Precision()
	top, right := descendingPrecisions(sigma), descendingPrecisions(psi)
	scale := top[0] * right[0]
	if !(scale > 0x1p-900 && scale < 0x1p900) {
		return bound{}, fmt.Errorf("%w: largest precisions %.3g of Σ and %.3g of Ψ, want a product from 1e-270 to 1e270", evidence.ErrParameter, top[0], right[0])
	}
	p.ScaleSym(1/top[0], p)
	q.ScaleSym(1/right[0], q)
	// Against the exact inverses, P and Q err by at most this times their norms
	// (twice the drift of the directions, to first order, and d + 12 roundings of d
	// products an entry), which moves aᵀPa·aᵀQa + … by at most twice the sum, and makes
	// them indefinite by as much at most.
	off := 2 * (3*(sigma.drift+psi.drift) + 2*float64(d*(d+12))*unit)

	climb := &ascent{forms: newForms(p, q)}
	hi, err := climb.enclose(ctx, (top[0]*right[0]+top[1]*right[1])/scale) // interlacing
	if err != nil {
		return bound{}, err
	}
	lo := climb.best - off - 8*float64(4*d+20)*float64(d)*unit
	return bound{scale * math.Max(0, lo) * (1 - 8*unit), scale * (hi + off) * (1 + 8*unit)}, nil
}

// enclose climbs, and lowers an upper end, for P and Q of norm 1 at most.
func (s *ascent) enclose(ctx context.Context, hi float64) (float64, error) {
	d := s.p.SymmetricDim()
	out := &bound{hi: hi}
	open := func(gap float64) bool { return s.best < out.hi*(1-gap) }
	if basis, k := s.above(); k < d {
		inner, err := s.flat(ctx, basis, k)
		if err != nil {
			return 0, err
		}
		// A floor that is not quite shared costs what the lids are raised by.
		if out.hi = math.Min(hi, inner); !open(closed) {
			return out.hi, nil
		}
	}
	src := rand.New(rand.NewPCG(1, 2))
	for start := 0; start < 12 && open(meets); start++ {
		if err := s.from(ctx, leading(randomBasis(d, src))); err != nil {
			return 0, err
		}
	}
	var half []ritzCut
	ritz := func() (err error) {
		half, err = s.ritz(ctx, out)
		return err
	}
	frames := func() error { return s.framed(ctx, half, out) }
	lift := func(k, tangent int) func() error {
		if d <= max(wholeLift, k+1) {
			k = d
		}
		return func() error { return s.lifted(ctx, within{k, tangent}, out) }
	}
	blocks := func() error { return s.blocked(ctx, out) }
	compound := func(k int) func() error {
		return func() error {
			if k == someDirections && k >= wholeDirections(d) {
				return nil // the next one does
			}
			return s.compounded(ctx, k, out)
		}
	}
	lower := []func() error{ritz, compound(someDirections), blocks, lift(4, 0), compound(wholeDirections(d)), frames, lift(6, tangents), lift(8, tangents)}
	enough := closed
	switch {
	case d <= smallOrder:
		enough = meets
		lower = []func() error{compound(d), lift(d, 0)}
	case d > largestRitz:
		lower = nil
	case d > partLift:
		lower = []func() error{ritz, frames}
	}
	for _, next := range lower {
		if open(enough) {
			if err := next(); err != nil {
				return 0, err
			}
		}
	}
	return out.hi, nil
}

// flat encloses by the planes of the basis's first k directions (floor.go).
func (s *ascent) flat(ctx context.Context, basis *mat.Dense, k int) (hi float64, err error) {
	d := s.p.SymmetricDim()
	p, q := lid(s.p, basis, k), lid(s.q, basis, k)
	a, b := math.Max(1, eigenCeiling(p)), math.Max(1, eigenCeiling(q))
	p.ScaleSym(1/a, p)
	q.ScaleSym(1/b, q)
	inner := &ascent{forms: newForms(p, q)}
	if hi, err = inner.enclose(ctx, math.Inf(1)); err != nil {
		return 0, err
	}
	if inner.at != nil {
		v := newFrame(d)
		for i := range v {
			mat.NewVecDense(d, v[i]).MulVec(basis.Slice(0, d, 0, k), inner.at.ColView(i))
		}
		if err := s.from(ctx, v); err != nil {
			return 0, err
		}
	}
	drift, err := orthonormal(basis, d)
	if err != nil {
		return 0, err
	}
	return a*b*hi + 8*(drift+8*float64(d*d)*unit), nil
}

// ritz lowers the upper end by the inequalities between Ritz values, and climbs from
// a better plane should they meet one.
func (s *ascent) ritz(ctx context.Context, out *bound) (half []ritzCut, err error) {
	for range 3 {
		r := newRitz(s.forms, leading(s.at))
		hi, err := r.upper(ctx)
		if err != nil {
			return nil, err
		}
		out.hi, half = math.Min(out.hi, hi), r.cuts
		if !(r.best > s.best*(1+meets)) {
			break
		}
		if err := s.from(ctx, r.aligned(r.at)); err != nil {
			return nil, err
		}
	}
	return half, nil
}

// framed lowers it by cuts of frames, and climbs from the last mixture of them.
func (s *ascent) framed(ctx context.Context, half []ritzCut, out *bound) error {
	r := newFrameCuts(s.forms, s.best, s.rivals(), half)
	hi, err := r.upper(ctx)
	if err != nil {
		return err
	}
	out.hi = math.Min(out.hi, hi)
	if r.seen[0] == nil {
		return nil
	}
	return s.from(ctx, r.seen)
}

// compounded lowers the upper end by the second compound, of whose G the entries within
// k directions are free: those of the best plane and of its rivals. Where P and Q share
// axes a diagonal G does: the average over the reflections of the axes is no worse.
func (s *ascent) compounded(ctx context.Context, k int, out *bound) error {
	basis := sharedAxes(s.p, s.q)
	if basis != nil {
		k = 0
	} else {
		basis = s.rivals()
	}
	return s.relaxed(ctx, basis, newCompound(turn(s.p, basis), turn(s.q, basis), k), out)
}

// lifted lowers it by a lift, likewise.
func (s *ascent) lifted(ctx context.Context, which pattern, out *bound) error {
	basis := s.rivals()
	return s.relaxed(ctx, basis, newLift(turn(s.p, basis), turn(s.q, basis), which), out)
}

// blocked lowers it by the lift of the blocks that P and Q share, if they do.
func (s *ascent) blocked(ctx context.Context, out *bound) error {
	basis, of := s.sharedBlocks()
	if basis == nil || of[len(of)-1] == 0 {
		return nil
	}
	p := newLift(turn(s.p, basis), turn(s.q, basis), blockwise(of))
	if len(p.unknowns) > blockLift {
		return nil
	}
	return s.relaxed(ctx, basis, p, out)
}

// relaxed lowers the upper end by a program set up in a basis, and climbs from what its
// moments point at.
func (s *ascent) relaxed(ctx context.Context, basis *mat.Dense, c *program, out *bound) error {
	y, direction, err := c.solve(ctx)
	if err != nil {
		return err
	}
	// In a basis W the compressions err by ‖WᵀW − I‖ and the roundings of turn,
	// twice for P and twice for Q, relative to values of at most 2.
	drift, err := orthonormal(basis, c.d)
	if err != nil {
		return err
	}
	out.hi = math.Min(out.hi, c.bound(y)+8*(drift+4*float64(c.d*c.d)*unit))
	if direction == nil || s.best >= out.hi*(1-meets) {
		return nil
	}
	var e mat.EigenSym
	if !e.Factorize(turn(direction, mat.DenseCopyOf(basis.T())), true) {
		return nil
	}
	var w mat.Dense
	e.VectorsTo(&w)
	n := c.d
	return s.from(ctx, frame{mat.Col(nil, n-1, &w), mat.Col(nil, 0, &w)})
}

// rivals returns a basis that starts with the best plane and goes on with the
// directions of other planes that were locally best, and of large precisions.
func (s *ascent) rivals() *mat.Dense {
	n, _ := s.at.Dims()
	sum := mat.NewSymDense(n, nil)
	for _, v := range s.met {
		weight := math.Pow(s.value(v)/s.best, 60)
		for _, x := range v {
			sum.SymRankOne(sum, weight, mat.NewVecDense(n, x))
		}
	}
	for _, m := range s.rows {
		var square, fourth mat.Dense
		square.Mul(m, m)
		fourth.Mul(&square, &square)
		sum.AddSym(sum, symmetrized(&fourth))
	}
	rest := columns(s.at, 2, n)
	return spanned(columns(s.at, 0, 2), rotated(rest, negated(turn(sum, rest))))
}
