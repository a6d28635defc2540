package planes

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/symmetric"

	"gonum.org/v1/gonum/mat"
)

// Where tr(PDQD) is flat over many planes, climbs arrive all the same: from every one of
// 30 random planes within 1e-9 of what the program bounds.
func TestClimbsArriveWhereItIsFlat(t *testing.T) {
	rng := rand.New(rand.NewPCG(103, 104))
	for _, pair := range [][2]int{{3, 4}, {2, 3}} {
		for _, level := range []float64{1e4, 1e3} {
			sigma := precision([]float64{1, 1e6, 1e6, 1, 1}, symmetric.Eye(5))
			f := newForms(sigma, precision([]float64{1e9, level, level, 1, 1e9}, turnedPairs(5, [][2]int{pair}, []float64{30})))
			p := newLift(f.p, f.q, leadingDirections{k: 5})
			x, err := p.interior(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			top := p.bound(x.y)
			for range 30 {
				s := &ascent{forms: f}
				if err := s.climbFrom(t.Context(), firstTwo(symmetric.RandomBasis(5, rng))); err != nil {
					t.Fatal(err)
				}
				if s.best > top || s.best < top*(1-1e-9) {
					t.Errorf("pair %v, level %g: a climb ends at %v, want %v", pair, level, s.best, top)
				}
			}
		}
	}
}

// A step of Newton's method has for its gain what the value grew by, leaves the basis one, and moves nothing where it
// gains nothing: as near a maximum as roundings tell, and far from it.
func TestNewtonGainsWhatItSays(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 7))
	stays, moves := 0, 0
	for trial := range 12 {
		d := 3 + trial%3
		s := &ascent{forms: newForms(drawn(d, 1, rng), drawn(d, 1, rng))}
		if err := s.climbFrom(t.Context(), firstTwo(symmetric.RandomBasis(d, rng))); err != nil {
			t.Fatal(err)
		}
		for _, size := range []float64{0, 1e-9, 3e-9, 6e-9, 1e-8, 1.5e-8, 2e-8, 3e-8, 1e-7, 1e-4, 0.1, 1} {
			for range 4 {
				skew, turned := mat.NewDense(d, d, nil), new(mat.Dense)
				for i := range d {
					for j := range i {
						skew.Set(i, j, size*rng.NormFloat64())
						skew.Set(j, i, -skew.At(i, j))
					}
				}
				turned.Exp(skew)
				w := new(mat.Dense)
				w.Mul(s.bestBasis, turned)
				before := mat.DenseCopyOf(w)
				gain := s.newton(w)
				now, then := s.value(firstTwo(w)), s.value(firstTwo(before))
				if gain != now-then || gain < 0 || orthonormalityError(w) > orthonormalityError(before)+1e-13 {
					t.Errorf("order %d, %v off: a gain of %v from %v to %v", d, size, gain, then, now)
				}
				if gain > 0 {
					moves++
					continue
				}
				if stays++; !mat.Equal(w, before) || math.Signbit(gain) {
					t.Errorf("order %d, %v off: the basis moves with a gain of %v", d, size, gain)
				}
			}
		}
	}
	if stays < 20 || moves < 100 {
		t.Errorf("%d steps gain nothing, %d gain", stays, moves)
	}
}
