package privacy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// The lattice of a discrete Gaussian omits at most 2^-bits of P and of Q, and is no wider than needed. Its truncated
// range reaches as far to either side of the mean.
func TestDiscreteGaussianReach(t *testing.T) {
	for _, c := range []struct {
		square *big.Rat
		n      int64
	}{{big.NewRat(9, 4), 2}, {big.NewRat(1, 3), 1}, {big.NewRat(400, 1), 7}} {
		p := must.Be(DiscreteGaussian(c.square, c.n)).(*discreteGaussian)
		square, _ := c.square.Float64()
		sigma := math.Sqrt(square)
		for _, bits := range []uint{10, 64, 200} {
			m := p.reach(bits)
			if float64(m) < sigma*math.Sqrt(2*math.Ln2*float64(bits)) || float64(m) > sigma*math.Sqrt(2*math.Ln2*float64(bits))+3 {
				t.Errorf("σ² = %v: the reach for %d bits is %d", c.square, bits, m)
			}
			_, beyond := p.law.Tail(big.NewInt(m)).Bounds()
			if beyond > math.Ldexp(1, -int(bits)) {
				t.Errorf("σ² = %v: the tail beyond %[3]d is %[2]g", c.square, beyond, m)
			}
			lo, hi := p.truncatedRange(bits)
			unit, half := float64(c.n)/square, float64(c.n*c.n)/2/square
			if math.Abs(hi-half-unit*float64(m)) > 1e-12*hi || math.Abs(lo-half+unit*float64(m)) > 1e-12*hi {
				t.Errorf("σ² = %v: losses in [%g, %g]", c.square, lo, hi)
			}
		}
		lat := p.lattice()
		if lat.minIndex != c.n-p.reach(64) || lat.maxIndex != c.n+p.reach(64) || math.Abs(lat.offset.Mid()+float64(c.n*c.n)/2/square) > 1e-15 || lat.unit != p.unit {
			t.Errorf("%+v", lat)
		}
		if lo, hi := p.LossRange().Bounds(); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) || p.InfinityMass().Rational.Sign() != 0 {
			t.Errorf("losses in [%g, %g]", lo, hi)
		}
		r := p.screen()
		if !math.IsInf(r.maxFiniteLoss(), 1) || r.Error > 1e-14 || r.InfinityMass != 0 || math.Abs(r.logMomentFunc(3)-12*float64(c.n*c.n)/2/square) > 1e-12*r.logMomentFunc(3) {
			t.Errorf("%+v", r)
		}
		l := must.For(p.losses(t.Context(), 40))(t)
		if first, last := l.atoms[0].Steps, l.atoms[len(l.atoms)-1].Steps; first != -p.reach(40) || last != p.reach(40)+c.n || len(l.atoms) != int(2*p.reach(40)+1+c.n) || l.untruncated != p {
			t.Errorf("atoms from step %d to %d", first, last)
		}
		lo, hi := l.infinityMass.Enclosure.Bounds()
		_, tail := p.law.Tail(big.NewInt(p.reach(40) + 1)).Bounds()
		if lo != 0 || hi < 2*tail || hi > 2.001*tail || l.qOnlyMass != l.infinityMass {
			t.Errorf("the omitted mass of P is in [%g, %g], and each tail has %g", lo, hi, tail)
		}
		sum := l.infinityMass.Enclosure
		for _, a := range l.atoms {
			sum = sum.Add(a.P.Enclosure)
		}
		if lo, hi := sum.Bounds(); lo > 1 || hi < 1 || hi-lo > 1e-11 {
			t.Errorf("the masses of P sum to [%g, %g]", lo, hi)
		}
	}
	// A list of the maximum length is allowed. For a list with one more step the error says how many steps there would
	// be.
	p := must.Be(DiscreteGaussian(big.NewRat(1<<40, 1), 5)).(*discreteGaussian)
	_, err := p.losses(t.Context(), 52)
	if !errors.Is(err, evidence.ErrParameter) || err.Error() != fmt.Sprintf("the privacy loss distribution of the discrete Gaussian to 52 bits has %d lattice points, want at most 262144; renyi and zcdp have no such limit", 2*p.reach(52)+5) {
		t.Errorf("%v", err)
	}
	if l, err := p.discretize(t.Context(), grid{}, 52); l != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("%v, %v", l, err)
	}
}

// A family with maxPairs ordered pairs is accepted, and one with more pairs is rejected. Pairs with equal keys are
// computed once.
func TestClassesOfManyPairs(t *testing.T) {
	over, end := context.WithCancel(t.Context())
	end()
	for size, refused := range map[int]bool{maxPairs: false, maxPairs + 1: true} {
		_, err := (&DominatingPairs{Name: "many", Size: size}).classes(over)
		if want := "many has 33554433 ordered pairs of neighbors, want at most 33554432 to compute its privacy loss distributions"; refused && (!errors.Is(err, evidence.ErrParameter) || err.Error() != want) || !refused && !errors.Is(err, context.Canceled) {
			t.Errorf("%d pairs: %v", size, err)
		}
	}
	pmfs := []*DiscretePair{lawsOf(t, 4, []int64{1, 3}, []int64{2, 2}), lawsOf(t, 4, []int64{3, 1}, []int64{2, 2})}
	answers := map[int]int{}
	f := &DominatingPairs{Name: "keyed", Size: 6, Key: func(i int) string { return string(rune('a' + i%2)) },
		Pair: func(_ context.Context, i int) (Pair, error) { answers[i]++; return pmfs[i%2], nil }}
	c := must.For(f.classes(t.Context()))(t)
	if len(c.first) != 2 || c.first[0] != 0 || c.first[1] != 1 || len(c.screens) != 2 || answers[0] != 1 || answers[1] != 1 || len(answers) != 2 {
		t.Errorf("classes %v of %v, pairs computed %v", c.first, c.of, answers)
	}
	for i, id := range c.of {
		if id != int32(i%2) {
			t.Errorf("pair %d has class %d", i, id)
		}
	}
	g := &DominatingPairs{Name: "rough", Size: 2, Screen: func(i int) *Screen { return &Screen{Loss: []float64{1}, P: []float64{0, 1}[i : i+1]} }}
	if c := must.For(g.classes(t.Context()))(t); c.screens[0].P[0] != minScreenMass || c.screens[1].P[0] != 1 || len(c.first) != 2 {
		t.Errorf("masses of %g and %g", c.screens[0].P[0], c.screens[1].P[0])
	}
	pair := PairAndReverse("pair", "", pmfs[0])
	for i := range 2 {
		p := must.For(pair.Pair(t.Context(), i))(t).(*DiscretePair)
		if got := p.atoms[0].P.Rational; got.Cmp([]*big.Rat{big.NewRat(1, 4), big.NewRat(1, 2)}[i]) != 0 {
			t.Errorf("pair %d begins with %v", i, got)
		}
	}
	if pair.Size != 2 {
		t.Errorf("%d pairs", pair.Size)
	}
}
