package workload

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"

	"gonum.org/v1/gonum/mat"
)

func TestQuadratureIntegratesPoles(t *testing.T) {
	for _, width := range []float64{1, 10, 1e5} {
		nodes := quadrature(.3, .3*width, nodesFor(.3, .3*width, 1e-12))
		for _, s := range []float64{.3, .3 * math.Sqrt(width), .3 * width} {
			got := 0.0
			for _, e := range nodes {
				got += e.w / (s*s + e.t*e.t)
			}
			if want := math.Pi / (2 * s); math.Abs(got/want-1) > 1e-11 {
				t.Errorf("width %g, s = %g: %d nodes give %v, want %v", width, s, len(nodes), got, want)
			}
		}
	}
}

func positive(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.Exp(2*rng.NormFloat64()) / float64(n)
	}
	return x
}

// The slope and the curvature match the first and second difference quotients of f, a sum of singular values.
func TestLocalDualIsTheDerivative(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 58))
	for _, o := range []Objective{Max, Mean} {
		w := mat.NewDense(5, 4, nil)
		w.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, w)
		d := denseDual(w, o, false)
		x, along := positive(rng, d.size()), positive(rng, d.size())
		f := func(step float64) float64 {
			y := make([]float64, len(x))
			for i := range y {
				y[i] = x[i] * (1 + step*along[i])
			}
			p, q := d.split(y)
			var s mat.SVD
			s.Factorize(scaled(w, p, q), mat.SVDNone)
			return sum(s.Values(nil))
		}
		p, q := d.split(x)
		l, err := d.at(context.Background(), p, q)
		if err != nil {
			t.Fatal(err)
		}
		if l.curvature, err = l.bend(context.Background()); err != nil {
			t.Fatal(err)
		}
		v := mat.NewVecDense(len(along), along)
		const h = 1e-3
		first, second := (f(h)-f(-h))/(2*h), (f(h)-2*f(0)+f(-h))/(h*h)
		if got := mat.Dot(v, mat.NewVecDense(len(x), l.slope)); math.Abs(got-first) > 1e-5 {
			t.Errorf("%v: slope %v, want %v", o, got, first)
		}
		if got := -mat.Inner(v, l.curvature, v); math.Abs(got-second) > 1e-4 {
			t.Errorf("%v: curvature %v, want %v", o, got, second)
		}
	}
}

// The banded dual equals the dense one.
func TestBandedDualEqualsDense(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 58))
	const n = 40
	momentum, sums, scaledUnit := make([]float64, n), make([]float64, n), make([]float64, n)
	momentum[0], sums[0], scaledUnit[0] = 1, 2, 3
	for i := 1; i < n; i++ {
		momentum[i], sums[i] = 1+.9*momentum[i-1], 2
	}
	for k, first := range [][]float64{momentum, sums, scaledUnit} {
		name := []string{"momentum", "sums", "unit"}[k]
		w := must.For(NewToeplitz(name, first))(t)
		kept, _ := w.Dense()
		inverse, ok := inverseBands(first)
		if !ok {
			t.Fatalf("%s: no banded inverse", name)
		}
		for _, o := range []Objective{Max, Mean} {
			b := &bandInverse{kept, inverse}
			fast, slow := b.dual(o), denseDual(kept, o, o == Max)
			p, q := fast.split(positive(rng, n))
			got, err := fast.at(context.Background(), p, q)
			if err != nil {
				t.Fatal(err)
			}
			want, err := slow.at(context.Background(), p, q)
			if err != nil {
				t.Fatal(err)
			}
			if want.curvature, err = want.bend(context.Background()); err != nil {
				t.Fatal(err)
			}
			if math.Abs(got.f/want.f-1) > 1e-9 {
				t.Errorf("%s, %v: f = %v, want %v", name, o, got.f, want.f)
			}
			for i, v := range want.slope {
				if math.Abs(got.slope[i]-v) > 1e-9*want.f {
					t.Errorf("%s, %v: slope %d is %v, want %v", name, o, i, got.slope[i], v)
				}
			}
			if !mat.EqualApprox(got.curvature, want.curvature, 1e-3*want.f) {
				t.Errorf("%s, %v: curvatures differ", name, o)
			}
			f, ok, err := b.factor(context.Background(), p, q)
			if err != nil || !ok {
				t.Fatalf("%s, %v: no factorisation: %v", name, o, err)
			}
			if s := spectralAbove(f.q); !(s < 1+1e-9) {
				t.Errorf("%s, %v: ‖Q‖ ≤ %v", name, o, s)
			}
		}
	}
	harmonic := make([]float64, n)
	for i := range harmonic {
		harmonic[i] = 1 / float64(i+1)
	}
	if _, ok := inverseBands(harmonic); ok {
		t.Error("the inverse of a harmonic sequence is banded")
	}
}

// Steps without curvature narrow the gap to the target.
func TestSettleNarrowsTheGap(t *testing.T) {
	harmonic := make([]float64, 300)
	for i := range harmonic {
		harmonic[i] = 1 / float64(i+1)
	}
	w, _ := (&Toeplitz{"harmonic", harmonic}).Dense()
	for _, o := range []Objective{Max, Mean} {
		d := toeplitzDual(w, o)
		gap := func(x []float64) float64 {
			p, q := d.split(x)
			l := must.For(d.at(t.Context(), p, q))(t)
			lo, hi := d.ends(x, l)
			return hi/lo - 1
		}
		start, err := toeplitzStart(t.Context(), harmonic, o)
		if err != nil {
			t.Fatal(err)
		}
		x, err := d.settle(t.Context(), start, 1e-3)
		if before, after := gap(start), gap(x); err != nil || !(before > 1e-3 && after <= 1e-3) {
			t.Errorf("%v: a gap of %v became %v, %v", o, before, after, err)
		}
	}
}
