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
	sameEnds            = 1e-12 // the relative distance at which two ends are taken as one
	enoughGap           = 1e-8  // and at which there is no looking for a better upper end;
	enoughGapSmallOrder = 1e-11 // at small orders, what rounding of the compound leaves

	randomClimbs = 12  // from random planes
	smallOrder   = 6   // the largest order at which the compound bound is the faster one
	largestOrder = 256 // the largest for which upper ends are sought: half-planes and cuts of frames

	// Of the compound's G, a number of directions within which entries are free that
	// suffices as a rule, and how many pairs may have entries between any two: 2346
	// unknowns, whose normal equations take a second a step.
	fewFreeDirections = 8
	mostFreePairs     = 68

	largestFullLift   = 7    // the largest order for which all entries of a lift are unknowns
	largestLift       = 28   // and that for which there are any, of a compound too
	tangentDirections = 20   // how many directions a plane's two are joined to in a lift
	mostBlockUnknowns = 3000 // how many unknowns the lift of shared blocks may have
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
	hi             float64
	lastHalfPlanes []halfPlane // those of the last lowerByHalfPlanes
}

// apart tells whether the ends are further apart than a gap, relative to the upper one.
func (s *search) apart(gap float64) bool { return s.best < s.hi*(1-gap) }

// enclose runs the schedule, for P and Q of norm 1 at most.
func (s *search) enclose(ctx context.Context) error {
	d := s.p.SymmetricDim()
	if basis, k := s.directionsAboveFloor(); k < d {
		inner, err := s.encloseAboveFloor(ctx, basis, k)
		if err != nil {
			return err
		}
		// A floor that is not quite shared costs what the upper bounds P̂ and Q̂ are raised by.
		if s.hi = math.Min(s.hi, inner); !s.apart(enoughGap) {
			return nil
		}
	}
	src := rand.New(draw.Source(1, 2))
	for start := 0; start < randomClimbs && s.apart(sameEnds); start++ {
		if err := s.climbFrom(ctx, firstTwo(symmetric.RandomBasis(d, src))); err != nil {
			return err
		}
	}
	lift := func(k, tangent int) func(context.Context) error {
		if d <= max(largestFullLift, k+1) {
			k = d
		}
		return func(ctx context.Context) error { return s.lowerByLift(ctx, leadingDirections{k, tangent}) }
	}
	compound := func(k int) func(context.Context) error {
		return func(ctx context.Context) error {
			if k == fewFreeDirections && k >= mostFreeDirections(d) {
				return nil // the next one does
			}
			return s.lowerByCompound(ctx, k)
		}
	}
	lower := []func(context.Context) error{
		s.lowerByHalfPlanes, compound(fewFreeDirections), s.lowerBySharedBlocks, lift(4, 0), compound(mostFreeDirections(d)),
		s.lowerByFrameCuts, lift(6, tangentDirections), lift(8, tangentDirections),
	}
	enough := enoughGap
	switch {
	case d <= smallOrder:
		enough = enoughGapSmallOrder
		lower = []func(context.Context) error{compound(d), lift(d, 0)}
	case d > largestOrder:
		lower = nil
	case d > largestLift:
		lower = []func(context.Context) error{s.lowerByHalfPlanes, s.lowerByFrameCuts}
	}
	for _, next := range lower {
		if s.apart(enough) {
			if err := next(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// encloseAboveFloor encloses by the planes of the basis's first k directions (floor.go).
func (s *search) encloseAboveFloor(ctx context.Context, basis *mat.Dense, k int) (hi float64, err error) {
	d := s.p.SymmetricDim()
	p, q := upperBoundOn(s.p, basis, k), upperBoundOn(s.q, basis, k)
	a, b := math.Max(1, symmetric.EigenCeiling(p)), math.Max(1, symmetric.EigenCeiling(q))
	p.ScaleSym(1/a, p)
	q.ScaleSym(1/b, q)
	inner := &search{ascent: ascent{forms: newForms(p, q)}, hi: math.Inf(1)}
	if err := inner.enclose(ctx); err != nil {
		return 0, err
	}
	if inner.bestBasis != nil {
		v := newFrame(d)
		for i := range v {
			mat.NewVecDense(d, v[i]).MulVec(basis.Slice(0, d, 0, k), inner.bestBasis.ColView(i))
		}
		if err := s.climbFrom(ctx, v); err != nil {
			return 0, err
		}
	}
	return a*b*inner.hi + 8*(orthonormalityError(basis)+8*float64(d*d)*unit), nil
}

// lowerByHalfPlanes lowers the upper end by the inequalities between Ritz values, and climbs from
// a better plane should they meet one.
func (s *search) lowerByHalfPlanes(ctx context.Context) error {
	for range 3 {
		r := newHalfPlanes(s.forms, firstTwo(s.bestBasis))
		hi, err := r.upper(ctx)
		if err != nil {
			return err
		}
		s.hi, s.lastHalfPlanes = math.Min(s.hi, hi), r.cuts
		if !(r.best > s.best*(1+sameEnds)) {
			break
		}
		if err := s.climbFrom(ctx, r.reflectionBasis(r.bestPlane)); err != nil {
			return err
		}
	}
	return nil
}

// lowerByFrameCuts lowers it by cuts of frames, and climbs from the last mixture of them.
func (s *search) lowerByFrameCuts(ctx context.Context) error {
	r := newFrameCuts(s.forms, s.best, s.localBestBasis(), s.lastHalfPlanes)
	hi, err := r.upper(ctx)
	if err != nil {
		return err
	}
	s.hi = math.Min(s.hi, hi)
	if r.lastMixture[0] == nil {
		return nil
	}
	return s.climbFrom(ctx, r.lastMixture)
}

// lowerByCompound lowers the upper end by the second compound, of whose G the entries within
// k directions are free: those of the best plane and of others that are locally best. Where P and Q share
// axes a diagonal G does: the average over the reflections of the axes is no worse.
func (s *search) lowerByCompound(ctx context.Context, k int) error {
	basis := sharedAxes(s.p, s.q)
	if basis != nil {
		k = 0
	} else {
		basis = s.localBestBasis()
	}
	return s.lowerByProgram(ctx, basis, newCompound(symmetric.Turn(s.p, basis), symmetric.Turn(s.q, basis), k))
}

// lowerByLift lowers it by a lift, likewise.
func (s *search) lowerByLift(ctx context.Context, which pattern) error {
	basis := s.localBestBasis()
	return s.lowerByProgram(ctx, basis, newLift(symmetric.Turn(s.p, basis), symmetric.Turn(s.q, basis), which))
}

// lowerBySharedBlocks lowers it by the lift of the blocks that P and Q share, if they do.
func (s *search) lowerBySharedBlocks(ctx context.Context) error {
	basis, of := s.sharedBlocks()
	if of[len(of)-1] == 0 {
		return nil
	}
	p := newLift(symmetric.Turn(s.p, basis), symmetric.Turn(s.q, basis), sharedBlocksOnly(of))
	if len(p.unknowns) > mostBlockUnknowns {
		return nil
	}
	return s.lowerByProgram(ctx, basis, p)
}

// lowerByProgram lowers the upper end by a program set up in a basis, and climbs from what its
// moments point at.
func (s *search) lowerByProgram(ctx context.Context, basis *mat.Dense, c *program) error {
	y, direction, err := c.solve(ctx)
	if err != nil {
		return err
	}
	// In a basis W the compressions err by ‖WᵀW − I‖ and the roundings of turn,
	// twice for P and twice for Q, relative to values of at most 2.
	s.hi = math.Min(s.hi, c.bound(y)+8*(orthonormalityError(basis)+4*float64(c.d*c.d)*unit))
	if direction == nil || s.best >= s.hi*(1-sameEnds) {
		return nil
	}
	var e mat.EigenSym
	if !e.Factorize(symmetric.Turn(direction, mat.DenseCopyOf(basis.T())), true) {
		return nil
	}
	var w mat.Dense
	e.VectorsTo(&w)
	n := c.d
	return s.climbFrom(ctx, frame{mat.Col(nil, n-1, &w), mat.Col(nil, 0, &w)})
}

// localBestBasis returns a basis that starts with the best plane and goes on with the
// directions of other planes that were locally best, and of large precisions.
func (s *search) localBestBasis() *mat.Dense {
	n, _ := s.bestBasis.Dims()
	sum := mat.NewSymDense(n, nil)
	for _, v := range s.localBest {
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
	rest := columns(s.bestBasis, 2, n)
	return completedBasis(columns(s.bestBasis, 0, 2), rotatedToEigenvectors(rest, symmetric.Negated(symmetric.Turn(sum, rest))))
}
