package mvg

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"dpworkbench/evidence"
)

// spectra are kinds of variances: spread, graded, flat, half of them large, decaying,
// and a few small ones before a floor.
var spectra = []func(d, i int, rng *rand.Rand) float64{
	func(_, _ int, rng *rand.Rand) float64 { return math.Exp(2 * rng.NormFloat64()) },
	func(_, i int, _ *rand.Rand) float64 { return 1 / float64(i+1) },
	func(_, _ int, rng *rand.Rand) float64 { return 1 / (1 + rng.Float64()) },
	func(d, i int, rng *rand.Rand) float64 {
		if i < d/2 {
			return 1 / (1 + rng.Float64())
		}
		return 1000
	},
	func(_, i int, _ *rand.Rand) float64 { return math.Pow(float64(i+1), 1.5) },
	func(_, i int, _ *rand.Rand) float64 {
		if i < 3 {
			return 1
		}
		return 20
	},
	func(_, i int, _ *rand.Rand) float64 {
		if i < 3 {
			return 1 / (1 - 0.2*float64(i))
		}
		return 100
	},
}

func spectrumCovariance(t testing.TB, d, kind int, axes *mat.Dense, rng *rand.Rand) Covariance {
	t.Helper()
	v := make([]float64, d)
	for i := range v {
		v[i] = spectra[kind](d, i, rng)
	}
	if axes == nil {
		axes = randomBasis(d, rng)
	}
	c, err := Directional(v, axes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func unitForms(sigma, psi Covariance) forms {
	p, q := sigma.Precision(), psi.Precision()
	p.ScaleSym(1/descendingPrecisions(sigma)[0], p)
	q.ScaleSym(1/descendingPrecisions(psi)[0], q)
	return newForms(p, q)
}

// Whatever α, β and the matrices handed over as M and N, the certified level is at
// least c·y of every plane: random ones and those that climb to be the best. A face's
// level is not more.
func TestCoversBound(t *testing.T) {
	rng := rand.New(rand.NewPCG(51, 52))
	symmetric := func(d int, size float64) *mat.SymDense {
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
		f := unitForms(spectrumCovariance(t, d, rng.IntN(7), nil, rng), spectrumCovariance(t, d, rng.IntN(7), nil, rng))
		s := newRitz(f, leading(randomBasis(d, rng)))
		c := [4]float64{1 + rng.Float64(), 1 + rng.Float64(), rng.Float64(), rng.Float64()}
		top := 0.0
		var best frame
		for range 20 {
			v := leading(randomBasis(d, rng))
			w := s.climb(c, v)
			if s.values(w).dot(c) < s.values(v).dot(c)*(1-1e-12) {
				t.Errorf("order %d: a climb fell from %v to %v", d, s.values(v).dot(c), s.values(w).dot(c))
			}
			if now := s.values(w).dot(c); now > top {
				top, best = now, w
			}
		}
		level, escape, err := s.level(t.Context(), s.weighted(c), best)
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
		loose, err := s.weighted(c).loosen(t.Context(), nil, best.basis())
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []float64{0, 1e-9, 1e-3, 1} {
			at := cover{
				alpha: loose.alpha + size*rng.NormFloat64(), beta: loose.beta + size*rng.NormFloat64(),
				m: symmetric(d, size), n: symmetric(d, size),
			}
			at.m.AddSym(at.m, loose.m)
			at.n.AddSym(at.n, loose.n)
			if got := s.weighted(c).certify(at); got < top {
				t.Errorf("order %d: a cover off by %g certified at %v, a plane has %v", d, size, got, top)
			}
		}
		if got := s.weighted(c).certify(cover{m: mat.NewSymDense(d, nil), n: mat.NewSymDense(d, nil)}); got < top {
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
		s := newRitz(unitForms(drawCovariance(t, d, 1, rng), drawCovariance(t, d, 1, rng)), leading(randomBasis(d, rng)))
		v := mat.DenseCopyOf(s.at.basis().Slice(0, d, 0, 2))
		var p, q mat.EigenSym
		if !p.Factorize(turn(s.p, v), false) || !q.Factorize(turn(s.q, v), false) {
			t.Fatal("no eigenvalues")
		}
		a, b := p.Values(nil), q.Values(nil)
		want := a[0]*b[0] + a[1]*b[1]
		if got := s.values(s.at).largest(); math.Abs(got-want) > 1e-13*want {
			t.Errorf("p₁q₁ + p₂q₂ = %v, want %v", got, want)
		}
		if got := s.value(s.aligned(s.at)); math.Abs(got-want) > 1e-13*want {
			t.Errorf("tr(PDQD) of the aligned basis is %v, want %v", got, want)
		}
	}
}

// The polygon's reach against the least of the half-planes over a fine grid of angles.
func TestPolygon(t *testing.T) {
	rng := rand.New(rand.NewPCG(55, 56))
	for range 50 {
		s := &ritz{cuts: []ritzCut{{0, 1 + rng.Float64()}}}
		for range rng.IntN(8) {
			s.cuts = append(s.cuts, ritzCut{rng.Float64() * math.Pi / 4, 1 + rng.Float64()})
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

// The ends meet at high order, also where P and Q share their axes, which makes the
// best planes many, and where no face holds (the compound then closes the gap).
func TestReplacementAtHighOrder(t *testing.T) {
	for _, c := range []struct {
		d, left, right int
		shared         bool
		seed           uint64
		width          float64
	}{
		{d: 12, left: 0, right: 1, seed: 57, width: 1e-9},
		{d: 12, left: 3, right: 0, seed: 9, width: 1e-8},
		{d: 21, left: 0, right: 0, seed: 58, width: 1e-9},
		{d: 21, left: 1, right: 2, seed: 59, width: 1e-9},
		{d: 21, left: 5, right: 4, seed: 66, width: 1e-9},
		{d: 21, left: 1, right: 5, shared: true, seed: 61, width: 1e-8},
		{d: 40, left: 0, right: 0, seed: 62, width: 1e-9},
		{d: 60, left: 6, right: 4, seed: 63, width: 1e-9},
	} {
		rng := rand.New(rand.NewPCG(c.seed, 77))
		var axes *mat.Dense
		if c.shared {
			axes = randomBasis(c.d, rng)
		}
		sigma := spectrumCovariance(t, c.d, c.left, axes, rng)
		if c.shared { // the same axes, in another order
			turned := mat.NewDense(c.d, c.d, nil)
			for j, k := range rng.Perm(c.d) {
				turned.SetCol(j, mat.Col(nil, k, axes))
			}
			axes = turned
		}
		got, err := replaced(t.Context(), sigma, spectrumCovariance(t, c.d, c.right, axes, rng))
		if err != nil || !(got.lo > 0) || got.hi-got.lo > c.width*got.hi {
			t.Errorf("order %d, spectra %d and %d: [%v, %v], relative width %g, error %v", c.d, c.left, c.right, got.lo, got.hi, (got.hi-got.lo)/got.hi, err)
		}
	}
}

// Pairs where covers leave a gap: the compound closes it at small order, cuts of frames at
// large.
func TestWhereNoFaceHolds(t *testing.T) {
	for _, c := range []struct {
		d    int
		seed uint64
	}{{9, 1057}, {40, 18}} {
		rng := rand.New(rand.NewPCG(c.seed, 77))
		k, l := rng.IntN(7), rng.IntN(7)
		sigma := spectrumCovariance(t, c.d, k, nil, rng)
		psi := spectrumCovariance(t, c.d, l, nil, rng)
		f := unitForms(sigma, psi)
		climb := &ascent{forms: f}
		for range 12 {
			if err := climb.from(t.Context(), leading(randomBasis(c.d, rng))); err != nil {
				t.Fatal(err)
			}
		}
		out := bound{0, math.Inf(1)}
		if _, err := climb.ritz(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		if gap := out.hi/climb.best - 1; gap < 1e-4 {
			t.Errorf("order %d, seed %d: the half-planes leave %g; take another pair", c.d, c.seed, gap)
		}
		got, err := replaced(t.Context(), sigma, psi)
		if err != nil {
			t.Fatal(err)
		}
		if got.hi-got.lo > 1e-8*got.hi {
			t.Errorf("order %d, seed %d: [%v, %v], relative width %g", c.d, c.seed, got.lo, got.hi, (got.hi-got.lo)/got.hi)
		}
	}
}

// A whitening of high order stops within a second, whether a record is added or replaced.
func TestGramOfHighOrderStops(t *testing.T) {
	for _, replace := range []bool{false, true} {
		rng := rand.New(rand.NewPCG(65, 66))
		sigma, psi := spectrumCovariance(t, 150, 1, nil, rng), spectrumCovariance(t, 150, 2, nil, rng)
		ctx, cancel := context.WithCancel(t.Context())
		var asked time.Time
		stop := func() { asked = time.Now(); cancel() }
		if replace {
			time.AfterFunc(500*time.Millisecond, stop)
		} else {
			stop()
		}
		g, err := NewGram(150, 1, replace, 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.whitened(ctx, sigma, psi); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want %v", err, context.Canceled)
		} else if late := time.Since(asked); late > time.Second {
			t.Errorf("stopped after %v", late)
		}
	}
}

// Diagonal covariances whose decomposition without vectors panics in gonum 0.17.
func TestReplacementOfDiagonals(t *testing.T) {
	for _, seed := range []uint64{18, 31, 51} {
		rng := rand.New(rand.NewPCG(seed, 4))
		d := 5 + rng.IntN(20)
		v, w := make([]float64, d), make([]float64, d)
		for i := range d {
			v[i], w[i] = 0.4+1.7*rng.Float64(), 0.4+1.7*rng.Float64()
		}
		sigma, err := Directional(v, nil)
		if err != nil {
			t.Fatal(err)
		}
		psi, err := Directional(w, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := replaced(t.Context(), sigma, psi); err != nil || got.hi-got.lo > 1e-8*got.hi {
			t.Errorf("order %d: [%v, %v], %v", d, got.lo, got.hi, err)
		}
	}
	tiny := mat.NewSymDense(3, []float64{1, 0, 0, 0, 1e-200, 1e-201, 0, 1e-201, 1e-200})
	if got := eigenCeiling(tiny); got < 1 || got > 1+1e-13 {
		t.Errorf("largest eigenvalue at most %v, want 1", got)
	}
}

// Precisions whose product is no number are refused.
func TestReplacementRefusesExtremeScales(t *testing.T) {
	for _, size := range []float64{1e-200, 1e200} {
		c, err := Directional([]float64{size, 2 * size, 3 * size}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := replaced(t.Context(), c, c); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("variances of %g: [%v, %v], %v", size, got.lo, got.hi, err)
		}
	}
}
