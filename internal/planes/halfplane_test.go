package planes

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// Whatever α, β and the matrices handed over as M and N, the certified level is at
// least c·y of every plane: random ones and those that climb to be the best. A face's
// level is not more.
func TestCoversBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	draw := func(d int, size float64) *mat.SymDense {
		out := mat.NewSymDense(d, nil)
		for i := range d {
			for j := i; j < d; j++ {
				out.SetSym(i, j, size*rng.NormFloat64())
			}
		}
		return out
	}
	faces := 0
	for trial := range 40 {
		d := 3 + trial%8
		f := newForms(spectrum(d, rng.IntN(7), nil, rng), spectrum(d, rng.IntN(7), nil, rng))
		s := newHalfPlanes(f, firstTwo(symmetric.RandomBasis(d, rng)))
		c := [4]float64{1 + rng.Float64(), 1 + rng.Float64(), rng.Float64(), rng.Float64()}
		top := 0.0
		var best frame
		for range 20 {
			v := firstTwo(symmetric.RandomBasis(d, rng))
			w := s.climb(c, v)
			if s.values(w).dot(c) < s.values(v).dot(c)*(1-1e-12) {
				t.Errorf("order %d: a climb fell from %v to %v", d, s.values(v).dot(c), s.values(w).dot(c))
			}
			if now := s.values(w).dot(c); now > top {
				top, best = now, w
			}
		}
		level, escape, err := s.coverLevel(t.Context(), s.reflectionFormOf(c), best)
		if err != nil {
			t.Fatal(err)
		}
		if level < top*(1-1e-14) {
			t.Errorf("order %d: level %v, a plane has %v", d, level, top)
		}
		if escape == nil {
			faces++
			if level > top*(1+1e-6) { // a climb ends where it slows down
				t.Errorf("order %d: the face's level %v, its plane has %v", d, level, top)
			}
		}
		loose, err := s.reflectionFormOf(c).frankWolfe(t.Context(), nil, best.basis())
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []float64{0, 1e-9, 1e-3, 1} {
			at := cover{
				alpha: loose.alpha + size*rng.NormFloat64(), beta: loose.beta + size*rng.NormFloat64(),
				m: draw(d, size), n: draw(d, size),
			}
			at.m.AddSym(at.m, loose.m)
			at.n.AddSym(at.n, loose.n)
			if got := s.reflectionFormOf(c).certify(at); got < top {
				t.Errorf("order %d: a cover off by %g certified at %v, a plane has %v", d, size, got, top)
			}
		}
		if got := s.reflectionFormOf(c).certify(cover{m: mat.NewSymDense(d, nil), n: mat.NewSymDense(d, nil)}); got < top {
			t.Errorf("order %d: M = N = 0 certified at %v, a plane has %v", d, got, top)
		}
	}
	if faces < 25 {
		t.Errorf("a face was found in %d of 40 cases", faces)
	}
}

// The Ritz values of a plane against the eigenvalues of its compressions, and the
// aligned basis against p₁q₁ + p₂q₂.
func TestRitzValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(53, 54))
	for range 30 {
		d := 3 + rng.IntN(6)
		s := newHalfPlanes(newForms(drawn(d, 1, rng), drawn(d, 1, rng)), firstTwo(symmetric.RandomBasis(d, rng)))
		v := mat.DenseCopyOf(s.bestPlane.basis().Slice(0, d, 0, 2))
		var p, q mat.EigenSym
		if !p.Factorize(symmetric.Turn(s.p, v), false) || !q.Factorize(symmetric.Turn(s.q, v), false) {
			t.Fatal("no eigenvalues")
		}
		a, b := p.Values(nil), q.Values(nil)
		want := a[0]*b[0] + a[1]*b[1]
		if got := s.values(s.bestPlane).largest(); math.Abs(got-want) > 1e-13*want {
			t.Errorf("p₁q₁ + p₂q₂ = %v, want %v", got, want)
		}
		if got := s.value(s.reflectionBasis(s.bestPlane)); math.Abs(got-want) > 1e-13*want {
			t.Errorf("tr(PDQD) of the aligned basis is %v, want %v", got, want)
		}
	}
}

// The polygon's reach against the least of the half-planes over a fine grid of angles.
func TestPolygon(t *testing.T) {
	rng := rand.New(rand.NewPCG(55, 56))
	for range 50 {
		s := &halfPlanes{cuts: []halfPlane{{0, 1 + rng.Float64()}}}
		for range rng.IntN(8) {
			s.cuts = append(s.cuts, halfPlane{rng.Float64() * math.Pi / 4, 1 + rng.Float64()})
		}
		reach, angle := s.polygon()
		at := func(x float64) float64 {
			r := math.Inf(1)
			for _, c := range s.cuts {
				r = math.Min(r, c.radius/math.Cos(x-c.angle))
			}
			return r
		}
		grid := 0.0
		for i := range 20001 {
			grid = math.Max(grid, at(math.Pi/4*float64(i)/20000))
		}
		if reach < grid || reach > grid*(1+1e-4) || math.Abs(at(angle)-reach) > 1e-12*reach {
			t.Errorf("reach %v at %v, where the half-planes allow %v; the grid finds %v", reach, angle, at(angle), grid)
		}
	}
}

// What a climb of c·y returns is orthonormal, from frames that are nearly not a plane too.
func TestRitzClimbsAreOrthonormal(t *testing.T) {
	rng := rand.New(rand.NewPCG(105, 106))
	for range 200 {
		d := 3 + rng.IntN(4)
		spread := func() []float64 {
			v := make([]float64, d)
			for i := range v {
				v[i] = math.Pow(10, 10*rng.Float64())
			}
			return v
		}
		f := newForms(precision(spread(), symmetric.Eye(d)), precision(spread(), symmetric.RandomBasis(d, rng)))
		s := newHalfPlanes(f, firstTwo(symmetric.RandomBasis(d, rng)))
		c := [4]float64{rng.Float64(), rng.Float64(), rng.Float64(), rng.Float64()}
		v := s.climb(c, firstTwo(symmetric.RandomBasis(d, rng)))
		w := mat.NewDense(d, 2, nil)
		w.SetCol(0, v[0])
		w.SetCol(1, v[1])
		if got := orthonormalityError(w); got > 1e-13 {
			t.Fatalf("order %d: off by %v", d, got)
		}
	}
}
