package continuous

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
	"dpworkbench/internal/stattest"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// If the growth probability is only bounded, the family uses its upper bound. If that leaves no outcome with loss 0,
// it uses the smallest ε instead.
func TestFamilyOfBoundedGrowth(t *testing.T) {
	m := must.For(NewPurest(context.Background(), linearOf(t, rats(t, "0", "1")...), evidencetest.Epsilon(1)))(t)
	most := interval.Int(1).Quo(interval.Int(1).Add(rateOf(m.decay).z))
	for _, c := range []struct {
		hi    interval.Interval
		steps bool
	}{{interval.Float(0.3), true}, {most.Mul(interval.Float(1 - 0x1p-40)), true}, {most, false}, {interval.Float(0.9), false}} {
		f := m.family(evidence.RatOrInterval{Enclosure: interval.Hull(interval.Float(0.1), c.hi)})
		if !f.Bound || (f.Source == corollary5) != c.steps {
			t.Errorf("growth of up to %v: bound %v, source %q", c.hi, f.Bound, f.Source)
		}
		if !c.steps {
			continue
		}
		want := privacy.ThreePointPairs("", corollary5, m.decay, evidence.RatOrInterval{Enclosure: c.hi.Upper()})
		for _, e := range []float64{0, 0.5} {
			eps := evidence.Epsilon{}
			if e > 0 {
				eps = evidencetest.Epsilon(e)
			}
			delta := func(f *privacy.DominatingPairs) float64 {
				p := must.For(f.Pair(context.Background(), 0))(t)
				_, hi := must.For(p.Delta(context.Background(), eps))(t).Enclosure.Bounds()
				return hi
			}
			if got, want := delta(f), delta(want); got != want {
				t.Errorf("δ(%v) = %v, want %v", e, got, want)
			}
		}
	}
	exact := m.family(evidence.ExactRat(rat(t, "1/3")))
	if exact.Bound || exact.Source != corollary5 {
		t.Errorf("exact growth: bound %v, source %q", exact.Bound, exact.Source)
	}
	d := must.For(NewDiscreteGaussian(linearOf(t, rats(t, "1", "1")...), big.NewRat(2, 1)))(t)
	if lo, hi := must.For(d.Privacy().Epsilon(context.Background(), evidence.Delta{}))(t).Bounds(); !math.IsInf(lo, 1) || !math.IsInf(hi, 1) {
		t.Errorf("the discrete Gaussian has an ε in [%v, %v]", lo, hi)
	}
}

// If the random digits never decide a release, it returns an error and no number. The cases fall on the boundary
// between two edges, on the edge of a triangle, and halfway between multiples of the grid.
func TestUndecidedDraws(t *testing.T) {
	const half, all = 1 << 63, math.MaxUint64
	zero := Point{new(big.Rat), new(big.Rat)}
	third := rat(t, "1/3")
	plane := must.For(NewKNormPlane([]Point{{third, new(big.Rat)}, {new(big.Rat), rat(t, "1")}}, evidencetest.Epsilon(1)))(t)
	line := must.For(NewKNormLine(rats(t, "1"), evidencetest.Epsilon(1)))(t)
	laplace := must.For(NewLaplace(linearOf(t, rats(t, "0", "1")...), evidencetest.Epsilon(1)))(t)
	one := big.NewRat(1, 1)
	segment, points := linearOf(t, rats(t, "0", "1")...), linearOf(t, rats(t, "1", "1")...)
	ln2 := must.For(evidence.LogEpsilon("eps", big.NewRat(2, 1)))(t)
	released := func(m Mechanism) func(src rand.Source) (any, error) {
		return func(src rand.Source) (any, error) {
			out, err := Release(context.Background(), m, new(big.Rat), 1, one, src)
			if out == nil {
				return nil, err
			}
			return out, err
		}
	}
	of := func(k *KNorm) func(src rand.Source) (any, error) {
		return func(src rand.Source) (any, error) {
			out, err := k.Release(context.Background(), zero, 1, one, src)
			if out == nil {
				return nil, err
			}
			return out, err
		}
	}
	below := []uint64{all, half, 5, all} // an exponential variable of 1 − 2⁻ᵏ
	first := &stattest.Spelled{Words: []uint64{half, all}, Tail: 7}
	if k, err := sampling.GeometricOver(sampling.Int(1), first); err != nil || k.Sign() != 0 {
		t.Fatal(k, err)
	}
	decided := []uint64{half, all}
	for len(decided) < first.Taken {
		decided = append(decided, first.Tail)
	}
	for name, c := range map[string]struct {
		do  func(src rand.Source) (any, error)
		src stattest.Spelled
	}{
		"between edges":        {of(plane), stattest.Spelled{Words: []uint64{half}, Tail: 0}},
		"on a triangle's edge": {of(plane), stattest.Spelled{Words: []uint64{0, half, half}, Tail: 0}},
		"halfway on the line":  {of(line), stattest.Spelled{Words: []uint64{half, all, 0}, Tail: 0}},
		"halfway of Laplace":   {released(laplace), stattest.Spelled{Words: []uint64{half, all, 0}, Tail: 0}},
		"between steps":        {released(must.For(NewStaircase(segment, ln2, rat(t, "1/2")))(t)), stattest.Spelled{Words: nil, Tail: all / 3}}, // ¼ and ½
		// These are undecided after a first decided number, after a later step, or after a step and a place in it.
		"just below a difference": {released(must.For(NewGeometric(points, evidencetest.Epsilon(1)))(t)), stattest.Spelled{Words: append(decided, below...), Tail: all}},
		"just below a later step": {released(must.For(NewStaircase(segment, evidencetest.Epsilon(1), rat(t, "1/2")))(t)), stattest.Spelled{Words: append([]uint64{all - 1, 5}, below...), Tail: all}},
		"just below a layer":      {released(must.For(NewGeometric(points, evidencetest.Epsilon(1)))(t)), stattest.Spelled{Words: []uint64{all, half, 5, all}, Tail: all}}, // 1 − 2⁻ᵏ
	} {
		src := c.src
		if v, err := c.do(&src); v != nil || !errors.Is(err, sampling.ErrUndecided) {
			t.Errorf("%s: %v, error %v", name, v, err)
		}
		if v, err := c.do(rand.NewPCG(1, 1)); v == nil || err != nil {
			t.Errorf("%s, with other digits: %v, error %v", name, v, err)
		}
	}
	for name, c := range map[string]struct {
		n    int
		grid *big.Rat
	}{"−1 draws": {-1, one}, "a grid of 0": {1, new(big.Rat)}, "a grid of −1": {1, big.NewRat(-1, 1)}} {
		if v, err := plane.Release(context.Background(), zero, c.n, c.grid, nil); v != nil || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s: %v, error %v", name, v, err)
		}
	}
	// If γ is known only by bounds, Release fails before drawing.
	bound := must.For(NewOptimalStaircase(segment, evidencetest.Epsilon(1), CostAbs))(t)
	bound.cost = "cube"
	if out, err := Release(context.Background(), bound, new(big.Rat), 1, one, nil); out != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("γ known only by bounds: %v, error %v", out, err)
	}
	// If the area of an edge cannot be distinguished from 0, Release returns ErrUndecided.
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 70000))
	flat := must.For(NewKNormPlane([]Point{{tiny, new(big.Rat)}, {new(big.Rat), rat(t, "1")}}, evidencetest.Epsilon(1)))(t)
	if v, err := flat.Release(context.Background(), zero, 1, one, nil); v != nil || !errors.Is(err, sampling.ErrUndecided) {
		t.Errorf("an edge with almost no area: %v, error %v", v, err)
	}
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
		_, err := plane.Release(ctx, zero, 257, one, rand.NewPCG(1, 1))
		return err
	})
}
