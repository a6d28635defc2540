package privacy

import (
	"context"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/interval"

	"pgregory.net/rapid"
)

// sumOver calls with every sum of k of the losses, and its chance.
func sumOver(p, losses []float64, k int, at, chance float64, with func(at, chance float64)) {
	if k == 0 {
		with(at, chance)
		return
	}
	for i := range p {
		sumOver(p, losses, k-1, at+losses[i], chance*p[i], with)
	}
}

// onGrids returns the law of the sum of k losses over and under them, on grids of 2^scale units and a number of rungs.
func onGrids(t interface {
	Context() context.Context
	Fatal(...any)
}, pair Pair, unit interval.Interval, scale, most int, prec uint, k int) *tailSums {
	law := func(under bool) *tailSums {
		l, err := pair.discretize(t.Context(), newGrid(unit, scale, most, under), prec)
		if err == nil {
			l, err = l.coarsenToLimit().selfConvolve(t.Context(), k)
		}
		if err != nil {
			t.Fatal(err)
		}
		return sumTails(l)
	}
	s := law(false)
	s.optimistic = law(true)
	return s
}

// However coarse the grids and the masses, what lies over and under holds the answers of the losses themselves.
func TestCoarseGrids(t *testing.T) {
	positive := 0
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.IntRange(1, 9), 3, 3).Draw(t, "p")
		q := rapid.SliceOfN(rapid.IntRange(1, 9), 3, 3).Draw(t, "q")
		k := rapid.IntRange(1, 6).Draw(t, "k")
		var atoms []Atom
		chances, losses := make([]float64, 3), make([]float64, 3)
		for i := range p {
			a := RationalAtom(big.NewRat(int64(p[i]), int64(p[0]+p[1]+p[2])), big.NewRat(int64(q[i]), int64(q[0]+q[1]+q[2])), i)
			atoms = append(atoms, a)
			chances[i], losses[i] = a.P.Enclosure.Mid(), math.Log(float64(p[i]*(q[0]+q[1]+q[2]))/float64(q[i]*(p[0]+p[1]+p[2])))
		}
		pair := NewDiscretePair(atoms, zero, zero, evidence.Epsilon{}, Hooks{})
		scale, most := rapid.IntRange(-11, 1).Draw(t, "scale"), rapid.SampledFrom([]int{4, 16, 100, 1 << 14}).Draw(t, "most")
		unit := interval.Float(rapid.SampledFrom([]float64{1, 0.7}).Draw(t, "unit"))
		s := onGrids(t, pair, unit, scale, most, uint(rapid.SampledFrom([]int{7, 12, 30, 100}).Draw(t, "bits")), k)
		eps := rapid.Float64Range(0, 4).Draw(t, "eps")
		want := 0.0
		sumOver(chances, losses, k, 0, 1, func(at, chance float64) { want += chance * max(-math.Expm1(eps-at), 0) })
		lo, hi := s.delta(interval.Float(eps)).Bounds()
		if lo > want+1e-13 || hi < want-1e-13 {
			t.Fatalf("δ(%g) in [%g, %g], is %.15g", eps, lo, hi, want)
		}
		if lo > 0 {
			positive++
		}
		// The least ε at δ, also where δ is just that of a rung.
		delta := rapid.Float64Range(1e-6, 0.9).Draw(t, "delta")
		if j := rapid.IntRange(-1, len(s.mass)-1).Draw(t, "rung"); j >= 0 {
			if _, d := s.hockeyStickFrom(j, s.lossAt(j)).Bounds(); d > 0 {
				delta = d
			}
		}
		lo, hi = s.epsilon(new(big.Rat).SetFloat64(delta)).Bounds()
		over, under := 0.0, 0.0
		sumOver(chances, losses, k, 0, 1, func(at, chance float64) {
			over += chance * max(-math.Expm1(hi-at), 0)
			under += chance * max(-math.Expm1(lo-at), 0)
		})
		if over > delta+1e-13 || lo > 0 && under < delta-1e-13 {
			t.Fatalf("ε(%g) in [%g, %g], where δ is %g and %g", delta, lo, hi, under, over)
		}
	})
	if positive < 10 {
		t.Errorf("%d lower ends say something", positive)
	}
}
