package planes

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/looks"
	"dpworkbench/internal/symmetric"
)

// What takes long returns what its context says to one of the functions that were at work
// when it ended: nothing else is begun.
func TestInterrupted(t *testing.T) {
	run := func(name string, do func(ctx context.Context) error) {
		t.Helper()
		looks.Interrupted(t, name, func(ctx context.Context) (any, error) { return nil, do(ctx) })
	}
	rng := rand.New(rand.NewPCG(107, 1))
	for _, d := range []int{3, 5} {
		p, q := drawn(d, 1, rng), drawn(d, 1, rng)
		at := firstTwo(symmetric.RandomBasis(d, rng))
		run(fmt.Sprintf("a climb of order %d", d), func(ctx context.Context) error {
			return (&ascent{forms: newForms(p, q)}).climbFrom(ctx, at)
		})
		run(fmt.Sprintf("an enclosure of order %d", d), func(ctx context.Context) error {
			_, err := Enclose(ctx, p, q, math.Inf(1))
			return err
		})
		started := func() *search {
			s := &search{ascent: ascent{forms: newForms(p, q)}, hi: math.Inf(1)}
			if err := s.climbFrom(t.Context(), at); err != nil {
				t.Fatal(err)
			}
			return s
		}
		for name, f := range map[string]func(s *search, ctx context.Context) error{
			"half-planes": (*search).lowerByHalfPlanes, "cuts of frames": (*search).lowerByFrameCuts,
			"the compound": func(s *search, ctx context.Context) error { return s.lowerByCompound(ctx, d) },
			"the lift":     func(s *search, ctx context.Context) error { return s.lowerByLift(ctx, leadingDirections{d, 0}) },
		} {
			run(fmt.Sprintf("%s of order %d", name, d), func(ctx context.Context) error { return f(started(), ctx) })
		}
	}
	// Cuts of frames end with a climb from the last mixture: what its context says is told.
	mixed := 0
	for range 3 {
		p, q := drawn(3, 1, rng), drawn(3, 1, rng)
		started := func() *search {
			s := &search{ascent: ascent{forms: newForms(p, q)}, hi: math.Inf(1)}
			if err := s.climbFrom(t.Context(), firstTwo(symmetric.Eye(3))); err != nil {
				t.Fatal(err)
			}
			if err := s.lowerByHalfPlanes(t.Context()); err != nil {
				t.Fatal(err)
			}
			s.best /= 2 // which no cut comes down to
			return s
		}
		s, whole := started(), looks.After(t.Context(), math.MaxInt)
		before := len(s.localBest)
		if err := s.lowerByFrameCuts(whole); err != nil {
			t.Fatal(err)
		}
		if len(s.localBest) == before {
			continue
		}
		mixed++
		if err := started().lowerByFrameCuts(looks.After(t.Context(), whole.Looks()-1)); !errors.Is(err, context.Canceled) {
			t.Errorf("ended at the last of %d looks: error %v", whole.Looks(), err)
		}
	}
	if mixed == 0 {
		t.Error("no cuts of frames mix any")
	}
	floor := precision([]float64{1, 2, 3, 100, 100, 100}, symmetric.Eye(6))
	other := precision([]float64{3, 1, 2, 100, 100, 100}, turnedPairs(6, [][2]int{{0, 1}, {1, 2}}, []float64{20, 40}))
	run("an enclosure above a floor", func(ctx context.Context) error {
		_, err := Enclose(ctx, floor, other, math.Inf(1))
		return err
	})
	// Blocks of two, of which the lift alone is the way.
	first := precision([]float64{1, 2, 5, 9}, symmetric.Eye(4))
	second := precision([]float64{2, 1, 7, 3}, turnedPairs(4, [][2]int{{0, 1}, {2, 3}}, []float64{20, 40}))
	run("shared blocks", func(ctx context.Context) error {
		s := &search{ascent: ascent{forms: newForms(first, second)}, hi: math.Inf(1)}
		if err := s.climbFrom(t.Context(), firstTwo(symmetric.Eye(4))); err != nil {
			return err
		}
		return s.lowerBySharedBlocks(ctx)
	})
	// A pair where no face holds, so that the general method is asked.
	loose := rand.New(rand.NewPCG(1057, 77))
	k, l := loose.IntN(7), loose.IntN(7)
	f := newForms(spectrum(9, k, nil, loose), spectrum(9, l, nil, loose))
	at := firstTwo(symmetric.RandomBasis(9, rng))
	run("a cover where no face holds", func(ctx context.Context) error {
		s := newHalfPlanes(f, at)
		_, escape, err := s.coverLevel(ctx, s.reflectionFormOf([4]float64{1, 0.7, 0.9, 0.5}), at)
		if err == nil && escape == nil {
			t.Error("a face holds; take another plane")
		}
		return err
	})
}

// What takes many factorizations looks before each of them, and ends with what it has.
func TestLooksBeforeFactorizations(t *testing.T) {
	rng := rand.New(rand.NewPCG(107, 2))
	a := randomSymmetric(5, rng)
	for n := range 6 {
		c := looks.After(t.Context(), n)
		if v := stepLength(c, symmetric.Multiple(2, 1), symmetric.Multiple(2, -1e12)); v != 0 || c.Looks() != n+1 {
			t.Errorf("ended after %d looks: a step of %v, %d looks", n, v, c.Looks())
		}
		c = looks.After(t.Context(), n)
		k := weightOf(symmetric.Multiple(5, 2))
		alpha, m := k.leastDominating(c, a)
		if c.Looks() != n+1 {
			t.Errorf("ended after %d looks: %d looks for what dominates", n, c.Looks())
		}
		rest := minus(m, a)
		for i := range 5 {
			rest.SetSym(i, i, rest.At(i, i)+alpha)
		}
		if low, _ := extremes(t, rest); low < -1e-12 {
			t.Errorf("ended after %d looks: M − A + α has the eigenvalue %v", n, low)
		}
	}
}

// Where half-planes meet a better plane than is known they climb from it; and searches that are
// ended at once have begun nothing.
func TestHalfPlanesClimbFromBetterPlanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(107, 3))
	f := newForms(drawn(5, 1, rng), drawn(5, 1, rng))
	started := func() *search {
		s := &search{ascent: ascent{forms: f}, hi: math.Inf(1)}
		s.bestBasis = symmetric.RandomBasis(5, rand.NewPCG(7, 7))
		s.best = f.value(firstTwo(s.bestBasis)) / 2
		return s
	}
	best := &ascent{forms: f}
	for range 8 {
		if err := best.climbFrom(t.Context(), firstTwo(symmetric.RandomBasis(5, rng))); err != nil {
			t.Fatal(err)
		}
	}
	s := started()
	whole := looks.After(t.Context(), math.MaxInt)
	if err := s.lowerByHalfPlanes(whole); err != nil || math.Abs(s.best-best.best) > 1e-9 || s.hi < s.best {
		t.Errorf("the best is %v, want %v; up to %v, error %v", s.best, best.best, s.hi, err)
	}
	for n := 0; n < whole.Looks(); n += 1 + n/6 {
		if err := started().lowerByHalfPlanes(looks.After(t.Context(), n)); !errors.Is(err, context.Canceled) {
			t.Errorf("ended after %d of %d looks: error %v", n, whole.Looks(), err)
		}
	}
	// The looks of the first half-planes, after which it climbs.
	first := looks.After(t.Context(), math.MaxInt)
	if _, err := newHalfPlanes(f, firstTwo(started().bestBasis)).upper(first); err != nil {
		t.Fatal(err)
	}
	for n := range 3 {
		s := started()
		if err := s.lowerByHalfPlanes(looks.After(t.Context(), first.Looks()+n)); !errors.Is(err, context.Canceled) || s.best != started().best {
			t.Errorf("ended as it climbs, after %d of %d looks: error %v", first.Looks()+n, whole.Looks(), err)
		}
	}
	h := newHalfPlanes(f, firstTwo(symmetric.RandomBasis(5, rng)))
	ended := looks.After(t.Context(), 0)
	if _, v, err := h.bestWeights(ended, 0.3, []frame{h.bestPlane, h.bestPlane, h.bestPlane}); v[0] != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("weights of %v, error %v", v, err)
	}
	searched := 0
	for range 20 {
		face := newFace(h.reflectionFormOf([4]float64{1, 0.8, 0.6, 0.7}), firstTwo(symmetric.RandomBasis(5, rng)))
		if face.excess([]float64{0, 0}) <= 0 {
			continue
		}
		c := looks.After(t.Context(), 0)
		if _, _, err := face.search(c, [2]float64{0, 0}, 3); !errors.Is(err, context.Canceled) || c.Looks() < 3 {
			t.Errorf("a search ended at once: %d looks, error %v", c.Looks(), err)
		}
		searched++
	}
	if searched == 0 {
		t.Error("no face has an excess")
	}
}
