package planes

import (
	"container/heap"
	"context"
	"math"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// frameCuts bounds p₁q₁ + p₂q₂ = A² + B² + C² over planes by cuts of their points (A, B, C)
// (frame_program.go), all in B² + C² ≤ A², B ≥ 0, C ≥ 0. What the cuts leave is covered by
// sectors; the next cut is for the direction in which it reaches farthest. Half-planes of
// halfplane.go, which bound A and √(B² + C²), count from the start.
type frameCuts struct {
	forms
	target     float64 // the norm of points that are no matter
	halfPlanes []halfPlane
	cuts       []frameCut
	sectors    sectors

	basis       *mat.Dense // a basis of Z
	orderOfN    int        // as in frameProgram
	orderOfU    int
	lastMixture frame // the leading directions of the last mixture
}

const (
	mostFrameCuts = 90
	mostSectors   = 1 << 17
	wholeFrames   = 40 // the largest order of which Z is all of space, and that of the last Z
	firstFrames   = 24 // the order of the first Z above
	firstInner    = 8  // that of the first N
	largestInner  = 30 // and of the last
	firstMixed    = 8  // directions of a mixture that come first in Z
	frameTilt     = 4  // the order of U
	frameRounds   = 8  // programs a cut
)

// frameGap is the relative distance at which the cuts have closed in.
const frameGap = 4e-9

func newFrameCuts(f forms, best float64, basis *mat.Dense, half []halfPlane) *frameCuts {
	n := f.p.SymmetricDim()
	if n > wholeFrames {
		basis = columns(basis, 0, firstFrames)
	}
	s := &frameCuts{forms: f, target: math.Sqrt(best * (1 + frameGap)), halfPlanes: half, basis: basis, orderOfN: firstInner}
	corner := unit3([3]float64{1, 1, 1})
	for _, edge := range [][3]float64{{1, 1, 0}, {1, 0, 1}} {
		t := sector{corners: [3][3]float64{{1, 0, 0}, unit3(edge), corner}}
		t.bound = s.bound(t)
		s.sectors = append(s.sectors, t)
	}
	heap.Init(&s.sectors)
	return s
}

// bound returns the least bound of a cut on the sector, raised by what rounding of the
// corners, 1e-16 or two, leaves between neighbouring sectors: 100 times as much at most for
// the cuts that count (reach).
func (s *frameCuts) bound(t sector) float64 {
	least := math.Inf(1)
	try := func(c frameCut) {
		most := 0.0
		for _, v := range t.corners {
			most = math.Max(most, c.reach(v))
		}
		least = math.Min(least, most)
	}
	for _, c := range s.cuts {
		try(c)
	}
	// √(B² + C²) is at least its part along the center's.
	center := t.center()
	b, c := cosineAndSine(center[1], center[2])
	for _, h := range s.halfPlanes {
		sin, cos := math.Sincos(h.angle)
		try(frameCut{[3]float64{cos, sin * b, sin * c}, math.Sqrt2 * h.radius})
	}
	return least * (1 + 1e-13)
}

// farthest returns the sector that reaches farthest, small enough to tell the direction,
// or one whose bound is no matter.
func (s *frameCuts) farthest(ctx context.Context) (sector, error) {
	for ctx.Err() == nil {
		t := s.sectors[0]
		if now := s.bound(t); now < t.bound {
			s.sectors[0].bound = now
			heap.Fix(&s.sectors, 0)
			continue
		}
		c := t.center()
		at := s.bound(sector{corners: [3][3]float64{c, c, c}})
		if t.bound <= s.target || t.bound-at <= math.Max(1e-11, 0.03*(at-s.target)) || len(s.sectors) >= mostSectors {
			return t, nil
		}
		a, b := t.halves() // with its bound, until they are looked at
		s.sectors[0] = a
		heap.Fix(&s.sectors, 0)
		heap.Push(&s.sectors, b)
	}
	return sector{}, ctx.Err()
}

// upper bounds p₁q₁ + p₂q₂ from above. With three cuts that gain little, tilts begin;
// with three more it ends, as it does where the region is so round that sectors run out.
func (s *frameCuts) upper(ctx context.Context) (float64, error) {
	for idle := 0; ; {
		t, err := s.farthest(ctx)
		if err != nil {
			return 0, err
		}
		if idle == 3 && s.orderOfU == 0 {
			s.orderOfU, idle = frameTilt, 0
		}
		if t.bound <= s.target || len(s.cuts) == mostFrameCuts || len(s.sectors) >= mostSectors || idle == 3 {
			return t.bound * t.bound * (1 + 8*unit), nil
		}
		k := t.center()
		c := s.cut(ctx, k)
		s.cuts = append(s.cuts, c)
		if idle++; t.bound-c.reach(k) > 0.05*(t.bound-s.target) {
			idle = 0
		}
	}
}

// cut returns the cut of the least level it finds for the normal k before ctx ends.
func (s *frameCuts) cut(ctx context.Context, k [3]float64) frameCut {
	var best frameCut // of normal 0, which reaches any distance
	tilt := 0
	for range frameRounds {
		_, m := s.basis.Dims()
		p := newFrameProgram(symmetric.Turn(s.p, s.basis), symmetric.Turn(s.q, s.basis), k, min(m, s.orderOfN), min(m-1, tilt))
		x, err := p.interior(ctx)
		if err != nil {
			return best
		}
		cut, over := s.certify(p.certificateAt(x.y, s.basis))
		if cut.reach(k) < best.reach(k) {
			best = cut
		}
		changed, pure := s.refine(p.mixture(x), over, cut.level)
		switch {
		case best.reach(k) <= s.target:
			return best
		case changed:
		case tilt == s.orderOfU || pure:
			return best
		default:
			tilt = s.orderOfU
		}
	}
	return best
}

// refine puts the mixture's leading directions first in Z, and adds those in which the
// certificate lacks something. Where W has an eigenvalue above 1, N gets more directions.
func (s *frameCuts) refine(mixture, over *mat.SymDense, level float64) (changed, pure bool) {
	n := s.p.SymmetricDim()
	_, m := s.basis.Dims()
	var e mat.EigenSym
	if !e.Factorize(mixture, true) {
		return false, false
	}
	values := e.Values(nil)
	var w, lead mat.Dense
	e.VectorsTo(&w)
	lead.Mul(s.basis, w.Slice(0, m, 0, min(m, firstMixed)))
	s.lastMixture = firstTwo(&lead)
	pure = -values[2] < 1e-7
	if m < min(n, wholeFrames) && e.Factorize(over, true) {
		if v := e.Values(nil); v[2*n-1] > 1e-10*level {
			w.Reset()
			e.VectorsTo(&w)
			lack := mat.NewDense(n, 4, nil)
			for j := range 2 {
				column := mat.Col(nil, 2*n-1-j, &w)
				lack.SetCol(2*j, column[:n])
				lack.SetCol(2*j+1, column[n:])
			}
			// Behind all of Z, of which the leading directions are part, there would be no room.
			s.basis = columns(completedBasis(&lead, lack, s.basis), 0, min(n, m+4))
			return true, pure
		}
	}
	s.basis = columns(completedBasis(&lead, s.basis), 0, m)
	if values[0] < -1-1e-8 && s.orderOfN < min(m, largestInner) {
		s.orderOfN += 2
		return true, pure
	}
	return false, pure
}
