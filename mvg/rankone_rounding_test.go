package mvg

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/elementary"
)

// What the cells of rank-one noise allow for rounding is what their derivations ask for, in full
// and hardly more.
func TestRankOneAllowsForRounding(t *testing.T) {
	same := func(name string, got, want, share float64) {
		t.Helper()
		if math.Abs(got-want) > share*math.Abs(want) {
			t.Errorf("%s: %v is allowed, want %v", name, got, want)
		}
	}
	// Of dimension 3 the terms are powers of x, so that those up to 2⁻⁶⁰ of the sum are known.
	law := newCosines(3)
	for _, c := range []struct {
		x     float64
		terms float64
	}{{0.5, 60}, {0.25, 30}, {0.125, 20}} {
		lo, hi := law.series(c.x)
		same("a series", (hi-lo)/(hi+lo), 6*(c.terms+3)*unit+0x1p-58, 0.01)
		if sum := 1 / (1 - c.x); lo > sum || hi < sum {
			t.Errorf("Σ %vⁿ in [%v, %v]", c.x, lo, hi)
		}
	}
	for _, c := range []float64{-0.9, -0.5, -0.25} {
		lo, hi := law.below(c)
		under, over := law.series((1 + c) / 2)
		width := (over-under)/(over+under) + (law.hi-law.lo)/(law.hi+law.lo) + 4*unit
		same("a share", (hi-lo)/(hi+lo), width, 0.03)
	}
	if lo, hi := law.below(-1); lo != 0 || hi != 0 {
		t.Errorf("below −1: [%v, %v]", lo, hi)
	}
	if lo, hi := law.below(0); lo > 0.5 || hi != 0.5 {
		t.Errorf("below 0: [%v, %v]", lo, hi)
	}
	// Parts of a law that is uniform, to a few units of the shares below their ends.
	s := ok(newAngles(t.Context(), 3, 40))
	for j := range 20 {
		exact, below := (s.cuts[j+1]-s.cuts[j])/2, (1+s.cuts[j+1])/2
		if s.least[j] > exact || s.most[j] < exact || s.most[j]-s.least[j] > 4*6*70*unit*below*2 {
			t.Errorf("part %d: [%v, %v] of %v", j, s.least[j], s.most[j], exact)
		}
		if math.Abs(exact-1.0/40) > 1e-9 {
			t.Errorf("part %d has %v", j, exact)
		}
	}
	for _, dimension := range []int{2, 3, 40, 2000, 2001, 100000} {
		law, close := newCosines(dimension), 1e-9
		if dimension > 2000 {
			close = 0.02
		}
		for _, p := range []float64{1e-3, 0.1, 0.3, 0.499} {
			if lo, hi := law.below(cosineQuantile(dimension, p)); hi < p*(1-close) || lo > p*(1+close) {
				t.Errorf("dimension %d: [%v, %v] lie below the quantile of %v", dimension, lo, hi, p)
			}
		}
	}
	// The gain at a loss that is known: off either side by what the logarithm, the sums and the
	// exponential may be.
	rng := rand.New(rand.NewPCG(117, 1))
	for range 200 {
		l := &losses{half: 1 + 20*rng.Float64(), shift: 1, least: 0.25, most: 0.25}
		argument, second := 1+3*rng.Float64(), 0.5+rng.Float64()
		first := l.half * math.Log(argument)
		gain := -math.Expm1(0.25 - first - second)
		above, below := l.gain(argument, 8*unit, second), l.gain(argument, -8*unit, second)
		loss := 8*unit*l.half + 2*elementary.LogError*first + 4*unit*(first+second+0.25)
		want := 2 * (1 - gain) * (loss + 2*elementary.ExpError)
		if off := above - below; below > gain+4*unit || above < gain-4*unit || math.Abs(off-want) > 0.05*want+8*unit {
			t.Errorf("half %v, argument %v: gains in [%v, %v], want %v and %v apart", l.half, argument, below, above, gain, want)
		}
	}
	// And by what a²/2 − acx may be, eight units of a(a + x), which outweigh the rest for large x.
	for _, x := range []float64{1000, 1e5} {
		l := &losses{half: 1, shift: 1.5, least: 0.25, most: 0.25}
		least, most := l.gains(x, x, 0)
		gain := -math.Expm1(0.25 - 1.125 - math.Log1p(1.5/x*1.5/x))
		if want := 2 * (1 - gain) * 8 * unit * 1.5 * (1.5 + x); least > gain || most < gain || math.Abs(most-least-want) > 0.05*want {
			t.Errorf("at %v gains are in [%v, %v], want %v and %v apart", x, least, most, gain, want)
		}
	}
	// Two ends of ε are taken each for its side.
	wide := &losses{half: 1, shift: 1, least: 0.25, most: 0.5}
	if above, below := wide.gain(2, 8*unit, 1), wide.gain(2, -8*unit, 1); math.Abs(above+math.Expm1(0.25-math.Ln2-1)) > 1e-14 || math.Abs(below+math.Expm1(0.5-math.Ln2-1)) > 1e-14 {
		t.Errorf("gains in [%v, %v]", below, above)
	}
}
