package privacy

import (
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

// However coarse the grid, its answers hold those of the losses themselves: what blur takes off, n
// splits of step h, is at least what they added.
func TestBlurOfCoarseGrids(t *testing.T) {
	positive := 0
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.IntRange(1, 9), 3, 3).Draw(t, "p")
		q := rapid.SliceOfN(rapid.IntRange(1, 9), 3, 3).Draw(t, "q")
		k := rapid.IntRange(1, 6).Draw(t, "k")
		step := math.Exp2(float64(rapid.IntRange(-11, 1).Draw(t, "log step")))
		var atoms []Atom
		chances, losses := make([]float64, 3), make([]float64, 3)
		for i := range p {
			a := RationalAtom(big.NewRat(int64(p[i]), int64(p[0]+p[1]+p[2])), big.NewRat(int64(q[i]), int64(q[0]+q[1]+q[2])), i)
			atoms = append(atoms, a)
			chances[i], losses[i] = a.P.Enclosure.Mid(), math.Log(float64(p[i]*(q[0]+q[1]+q[2]))/float64(q[i]*(p[0]+p[1]+p[2])))
		}
		l, err := NewLosses(atoms, zero, zero, evidence.Epsilon{}, Hooks{}).ladder(t.Context(), grid{step: interval.Float(step)}, 100)
		if err != nil {
			t.Fatal(err)
		}
		if l, err = l.power(t.Context(), k); err != nil {
			t.Fatal(err)
		}
		s := newSums(l)
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
		if j := rapid.IntRange(-1, len(l.mass)-1).Draw(t, "rung"); j >= 0 {
			if _, d := s.from(j, s.at(j)).Bounds(); d > 0 {
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

// The two steps of blur's proof, for products of factors of mean 1 with two values of ratio e^h, which
// vary most: E(1 − yM)⁺ − (1 − y)⁺ ≤ √(cosh(h/2)^{2n} − 1)/2, and beyond u at most τ.
func TestBlurInequality(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, h := rapid.IntRange(1, 8).Draw(t, "n"), rapid.Float64Range(1e-3, 3).Draw(t, "h")
		type state struct{ m, chance float64 }
		law := []state{{1, 1}}
		for range n {
			a := math.Exp(-h * rapid.Float64Range(0, 1).Draw(t, "share"))
			b := a * math.Exp(h)
			up := (1 - a) / (b - a)
			var next []state
			for _, s := range law {
				next = append(next, state{s.m * a, s.chance * (1 - up)}, state{s.m * b, s.chance * up})
			}
			law = next
		}
		nh2 := float64(n) * h * h
		gain := math.Sqrt(math.Expm1(2*float64(n)*math.Log(math.Cosh(h/2)))) / 2
		for x := -6.0; x <= 6; x += 0.25 {
			y, sum := math.Exp(x), -max(1-math.Exp(x), 0)
			for _, s := range law {
				sum += s.chance * max(1-y*s.m, 0)
			}
			bound := gain
			if out := math.Abs(x) - nh2/8; out > 0 {
				bound = min(bound, math.Exp(-2*out*out/nh2))
			}
			if sum > bound+1e-12 || sum < -1e-12 {
				t.Fatalf("at y = e^%g it is %g, bound %g", x, sum, bound)
			}
		}
	})
}
