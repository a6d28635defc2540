package planes

import (
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/symmetric"
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
