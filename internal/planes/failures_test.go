package planes

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/looks"
	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// undecomposable is a matrix of order 3 or more that has no eigenvalues.
func undecomposable(n int, v float64) *mat.SymDense {
	a := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			a.SetSym(i, j, v)
		}
	}
	return a
}

// What has no decomposition is passed over: a search goes on from where it is, and what
// bounds from above is infinite, never a number.
func TestWithoutDecompositions(t *testing.T) {
	rng := rand.New(rand.NewPCG(113, 1))
	nan, inf := undecomposable(4, math.NaN()), undecomposable(4, math.Inf(1))
	basis := symmetric.RandomBasis(4, rng)
	at := firstTwo(basis)
	f := newForms(drawn(4, 1, rng), drawn(4, 1, rng))
	none := newForms(nan, nan)
	same := func(name string, got, want frame) {
		t.Helper()
		for k := range want {
			for i, v := range want[k] {
				if got[k][i] != v {
					t.Errorf("%s: %v, want %v", name, got, want)
				}
			}
		}
	}
	_, next := none.extremeEigenvectors(at)
	same("an ascent", next, at)
	same("leading eigenvectors", leadingEigenvectors(nan), firstTwo(symmetric.Eye(4)))
	if rotatedToEigenvectors(basis, nan) != basis {
		t.Error("a basis is turned to no eigenvectors")
	}
	moves := [][2]int{{0, 1}, {0, 2}, {1, 2}, {0, 3}}
	if (&ascent{forms: f}).offSaddle(basis, moves, nan) != nil {
		t.Error("a way off a saddle that has no curvature")
	}
	for _, f := range []forms{newForms(nan, f.q), newForms(f.p, nan)} {
		if b, k := f.directionsAboveFloor(); b != nil || k != 4 {
			t.Errorf("%d directions above no floor, in %v", k, b)
		}
	}
	if b, of := none.sharedBlocks(); b != nil || of[3] != 0 {
		t.Errorf("blocks %v in %v", of, b)
	}
	if sharedAxes(nan, nan) != nil || weightOf(nan) != nil {
		t.Error("axes, or a weight, of no numbers")
	}
	for _, v := range eigenvalues(inf) {
		if !math.IsInf(v, 1) {
			t.Errorf("an eigenvalue of %v", v)
		}
	}
	if part := positivePart(inf); !math.IsInf(part.At(0, 0), 1) || !math.IsInf(part.At(3, 3), 1) || part.At(0, 1) != 0 {
		t.Errorf("a positive part of %v", mat.Formatted(part))
	}
	k := weightOf(symmetric.Multiple(4, 1))
	if alpha, _ := k.leastDominating(t.Context(), inf); !math.IsInf(alpha, 0) && !math.IsNaN(alpha) {
		t.Errorf("α = %v dominates infinity", alpha)
	}

	// A face of which the complement has no numbers, of order 5, so that its S has three.
	big := newForms(drawn(5, 1, rng), drawn(5, 1, rng))
	s := newHalfPlanes(big, firstTwo(symmetric.RandomBasis(5, rng)))
	face := newFace(s.reflectionFormOf([4]float64{1, 0.8, 0.6, 0.7}), s.bestPlane)
	if v := face.excess([]float64{0, 0}); math.IsInf(v, 0) {
		t.Fatalf("excess %v", v)
	}
	for i := 2; i < 5; i++ {
		for j := i; j < 5; j++ {
			face.rest.SetSym(i, j, math.NaN())
		}
	}
	if v := face.excess([]float64{0, 0}); !math.IsInf(v, 1) {
		t.Errorf("excess %v without eigenvalues", v)
	}

	// A mixture of no numbers refines nothing, an N of none adds no u, a moment of none has no top.
	cuts := newFrameCuts(f, 1, basis, nil)
	before := cuts.basis
	if changed, pure := cuts.refine(nan, mat.NewSymDense(8, nil), 1); changed || pure || cuts.basis != before {
		t.Errorf("a mixture of no numbers: changed %v, pure %v", changed, pure)
	}
	p := newFrameProgram(f.p, f.q, unit3([3]float64{1, 1, 1}), 4, 0)
	y := make([]float64, len(p.unknowns))
	for i := range y {
		y[i] = p.unknowns[i].start
	}
	for r := p.firstUnknown["N"]; r < len(y); r++ {
		y[r] = math.NaN()
	}
	at4 := p.certificateAt(y, basis)
	if at4.alpha[0] != 16 || at4.alpha[1] != 16 || mat.Norm(at4.u, 2) != 0 {
		t.Errorf("α = %v, u = %v of an N of no numbers", at4.alpha, at4.u)
	}
	if c, _ := f.certify(at4); !(c.level > 0) {
		t.Errorf("level %v", c.level)
	}
	program := newCompound(f.p, f.q, 4)
	n := 4*5/2 - 1
	if program.topMoment(&point{moment: []*mat.Dense{mat.DenseCopyOf(undecomposable(n, math.NaN()))}}) != nil {
		t.Error("a moment of no numbers has a direction")
	}
}

// Whoever is told once that it is over gives that error up, from every depth, and asks no more.
func TestBlinks(t *testing.T) {
	rng := rand.New(rand.NewPCG(113, 2))
	floor := precision([]float64{1, 2, 3, 100, 100, 100}, symmetric.Eye(6))
	other := precision([]float64{3, 1, 2, 100, 100, 100}, turnedPairs(6, [][2]int{{0, 1}, {1, 2}}, []float64{20, 40}))
	f := newForms(floor, other)
	basis, k := f.directionsAboveFloor()
	at := firstTwo(symmetric.RandomBasis(4, rng))
	p, q := drawn(4, 1, rng), drawn(4, 1, rng)
	for name, do := range map[string]func(ctx context.Context) error{
		"above a floor": func(ctx context.Context) error {
			s := &search{ascent: ascent{forms: f}, hi: math.Inf(1)}
			_, err := s.encloseAboveFloor(ctx, basis, k)
			return err
		},
		"a climb": func(ctx context.Context) error { return (&ascent{forms: newForms(p, q)}).climbFrom(ctx, at) },
		"an enclosure": func(ctx context.Context) error {
			_, err := Enclose(ctx, p, q, math.Inf(1))
			return err
		},
	} {
		whole := looks.After(t.Context(), math.MaxInt)
		if err := do(whole); err != nil {
			t.Fatal(name, err)
		}
		last := whole.Looks() // it ends with a climb
		for _, n := range []int{0, 1, 5, last - 3, last - 2, last - 1} {
			if err := do(looks.Blink(t.Context(), n)); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, over at look %d of %d alone: error %v", name, n, last, err)
			}
		}
	}
}
