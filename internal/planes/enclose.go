package planes

import (
	"context"
	"math"
	"math/rand/v2"

	"dpworkbench/internal/draw"
	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// unit is the rounding unit of float64.
const unit = symmetric.Unit

// The schedule: which bounds are tried at which order, and when it is enough.
const (
	meets  = 1e-12 // the relative distance at which two ends are taken as one
	closed = 1e-8  // and at which there is no looking for a better upper end;
	nearly = 1e-11 // at small orders, what rounding of the compound leaves

	climbs       = 12  // from random planes
	smallOrder   = 6   // the largest order at which the compound bound is the faster one
	largestOrder = 256 // the largest for which upper ends are sought: half-planes and cuts of frames

	// Of the compound's G, a number of directions within which entries are free that
	// suffices as a rule, and how many pairs may have entries between any two: 2346
	// unknowns, whose normal equations take a second a step.
	someDirections = 8
	wholePairs     = 68

	wholeLift = 7    // the largest order for which all entries of a lift are unknowns
	partLift  = 28   // and that for which there are any, of a compound too
	tangents  = 20   // how many directions a plane's two are joined to in a lift
	blockLift = 3000 // how many unknowns the lift of shared blocks may have
)

// An Enclosure is what is known of the maximum: it is at least Best − Rounding and at
// most Hi.
type Enclosure struct {
	Best     float64 // tr(PDQD) as computed at the best D found
	Rounding float64 // bounds its rounding error
	Hi       float64 // proven, rounding included
}

// Enclose encloses the largest p₁(V)q₁(V) + p₂(V)q₂(V) over planes V, the eigenvalues of
// the compressions of P and Q to V in descending order, which is the largest tr(PDQD) over
// D = aaᵀ − bbᵀ with orthonormal a, b. P and Q are d×d, d ≥ 3, positive semi-definite up to
// rounding, and scaled to norm 1, or a little less; known is an upper end that the caller
// knows, or +Inf.
//
// Best belongs to a plane, and Hi is proven, whatever the width between them: that they meet,
// within 1e-8 as a rule, is no theorem. Above order 256 Hi is known, unless a floor that P
// and Q share lowers the order. The proofs of the bounds stand beside them, and docs/mvg.md
// has how far they reach. The planes it draws are the same in every call.
//
// The only error is that of ctx.
func Enclose(ctx context.Context, p, q *mat.SymDense, known float64) (Enclosure, error) {
	s := &search{ascent: ascent{forms: newForms(p, q)}, hi: known}
	if err := s.enclose(ctx); err != nil {
		return Enclosure{}, err
	}
	d := p.SymmetricDim()
	return Enclosure{Best: s.best, Rounding: 8 * float64(4*d+20) * float64(d) * unit, Hi: s.hi}, nil
}

// search climbs, and lowers an upper end.
type search struct {
	ascent
	hi   float64
	half []halfPlane // those that were last found
}

// open tells whether the ends are further apart.
func (s *search) open(gap float64) bool { return s.best < s.hi*(1-gap) }

// enclose runs the schedule, for P and Q of norm 1 at most.
func (s *search) enclose(ctx context.Context) error {
	d := s.p.SymmetricDim()
	if basis, k := s.above(); k < d {
		inner, err := s.flat(ctx, basis, k)
		if err != nil {
			return err
		}
		// A floor that is not quite shared costs what the lids are raised by.
		if s.hi = math.Min(s.hi, inner); !s.open(closed) {
			return nil
		}
	}
	src := rand.New(draw.Source(1, 2))
	for start := 0; start < climbs && s.open(meets); start++ {
		if err := s.from(ctx, leading(symmetric.RandomBasis(d, src))); err != nil {
			return err
		}
	}
	lift := func(k, tangent int) func(context.Context) error {
		if d <= max(wholeLift, k+1) {
			k = d
		}
		return func(ctx context.Context) error { return s.lifted(ctx, within{k, tangent}) }
	}
	compound := func(k int) func(context.Context) error {
		return func(ctx context.Context) error {
			if k == someDirections && k >= wholeDirections(d) {
				return nil // the next one does
			}
			return s.compounded(ctx, k)
		}
	}
	lower := []func(context.Context) error{
		s.halfPlanes, compound(someDirections), s.blocked, lift(4, 0), compound(wholeDirections(d)),
		s.framed, lift(6, tangents), lift(8, tangents),
	}
	enough := closed
	switch {
	case d <= smallOrder:
		enough = nearly
		lower = []func(context.Context) error{compound(d), lift(d, 0)}
	case d > largestOrder:
		lower = nil
	case d > partLift:
		lower = []func(context.Context) error{s.halfPlanes, s.framed}
	}
	for _, next := range lower {
		if s.open(enough) {
			if err := next(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// flat encloses by the planes of the basis's first k directions (floor.go).
func (s *search) flat(ctx context.Context, basis *mat.Dense, k int) (hi float64, err error) {
	d := s.p.SymmetricDim()
	p, q := lid(s.p, basis, k), lid(s.q, basis, k)
	a, b := math.Max(1, symmetric.EigenCeiling(p)), math.Max(1, symmetric.EigenCeiling(q))
	p.ScaleSym(1/a, p)
	q.ScaleSym(1/b, q)
	inner := &search{ascent: ascent{forms: newForms(p, q)}, hi: math.Inf(1)}
	if err := inner.enclose(ctx); err != nil {
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
	return a*b*inner.hi + 8*(skew(basis)+8*float64(d*d)*unit), nil
}

// halfPlanes lowers the upper end by the inequalities between Ritz values, and climbs from
// a better plane should they meet one.
func (s *search) halfPlanes(ctx context.Context) error {
	for range 3 {
		r := newHalfPlanes(s.forms, leading(s.at))
		hi, err := r.upper(ctx)
		if err != nil {
			return err
		}
		s.hi, s.half = math.Min(s.hi, hi), r.cuts
		if !(r.best > s.best*(1+meets)) {
			break
		}
		if err := s.from(ctx, r.aligned(r.at)); err != nil {
			return err
		}
	}
	return nil
}

// framed lowers it by cuts of frames, and climbs from the last mixture of them.
func (s *search) framed(ctx context.Context) error {
	r := newFrameCuts(s.forms, s.best, s.rivals(), s.half)
	hi, err := r.upper(ctx)
	if err != nil {
		return err
	}
	s.hi = math.Min(s.hi, hi)
	if r.seen[0] == nil {
		return nil
	}
	return s.from(ctx, r.seen)
}

// compounded lowers the upper end by the second compound, of whose G the entries within
// k directions are free: those of the best plane and of its rivals. Where P and Q share
// axes a diagonal G does: the average over the reflections of the axes is no worse.
func (s *search) compounded(ctx context.Context, k int) error {
	basis := sharedAxes(s.p, s.q)
	if basis != nil {
		k = 0
	} else {
		basis = s.rivals()
	}
	return s.relaxed(ctx, basis, newCompound(symmetric.Turn(s.p, basis), symmetric.Turn(s.q, basis), k))
}

// lifted lowers it by a lift, likewise.
func (s *search) lifted(ctx context.Context, which pattern) error {
	basis := s.rivals()
	return s.relaxed(ctx, basis, newLift(symmetric.Turn(s.p, basis), symmetric.Turn(s.q, basis), which))
}

// blocked lowers it by the lift of the blocks that P and Q share, if they do.
func (s *search) blocked(ctx context.Context) error {
	basis, of := s.sharedBlocks()
	if basis == nil || of[len(of)-1] == 0 {
		return nil
	}
	p := newLift(symmetric.Turn(s.p, basis), symmetric.Turn(s.q, basis), blockwise(of))
	if len(p.unknowns) > blockLift {
		return nil
	}
	return s.relaxed(ctx, basis, p)
}

// relaxed lowers the upper end by a program set up in a basis, and climbs from what its
// moments point at.
func (s *search) relaxed(ctx context.Context, basis *mat.Dense, c *program) error {
	y, direction, err := c.solve(ctx)
	if err != nil {
		return err
	}
	// In a basis W the compressions err by ‖WᵀW − I‖ and the roundings of turn,
	// twice for P and twice for Q, relative to values of at most 2.
	s.hi = math.Min(s.hi, c.bound(y)+8*(skew(basis)+4*float64(c.d*c.d)*unit))
	if direction == nil || s.best >= s.hi*(1-meets) {
		return nil
	}
	var e mat.EigenSym
	if !e.Factorize(symmetric.Turn(direction, mat.DenseCopyOf(basis.T())), true) {
		return nil
	}
	var w mat.Dense
	e.VectorsTo(&w)
	n := c.d
	return s.from(ctx, frame{mat.Col(nil, n-1, &w), mat.Col(nil, 0, &w)})
}

// rivals returns a basis that starts with the best plane and goes on with the
// directions of other planes that were locally best, and of large precisions.
func (s *search) rivals() *mat.Dense {
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
		sum.AddSym(sum, symmetric.Symmetrized(&fourth))
	}
	rest := columns(s.at, 2, n)
	return spanned(columns(s.at, 0, 2), rotated(rest, symmetric.Negated(symmetric.Turn(sum, rest))))
}
