package signrp

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
)

// Whatever float64 knows of the ends of coordinates, of those that it leaves open the worst is found exactly, and one that only just may be is looked at;
// where too many differ the loss is between the ends that float64 has.
func TestExactlyTheWorstOfOpenEnds(t *testing.T) {
	ctx, rng := t.Context(), rand.New(rand.NewPCG(46, 1))
	several := 0
	for trial := range 120 {
		w := must(NewProjection([]Kind{Rademacher, Gaussian, Sparse}[trial%3], 4, 3, ProjectionOptions{Sparsity: 2, Seed: uint64(trial)}))
		r := must(NewSignRP(ctx, w, lnEps(t, 8, 1), SignOptions{Noise: RandomizedResponse, Beta: 0.5, Smoothing: true}))
		u := randomVector(rng, 4)
		at := must(w.at(ctx, u, r.beta))
		s := &sweep{r: r, u: u, at: at, own: must(r.law(ctx, at, 0)), quick: make([][2]quickLoss, 4)}
		low, high, worst := 0.0, 0.0, 0.0
		var losses []float64
		for i := range u {
			for side := range 2 {
				v := append([]float64(nil), u...)
				v[i] = s.end(i, side)
				loss := smallestOf(t, r, u, v)
				lo, hi := loss.Bounds()
				q := quickLoss{lo * (1 - rng.Float64()/2), hi * (1 + rng.Float64()/2)}
				s.quick[i][side] = q
				low, high, worst = math.Max(low, q.low), math.Max(high, q.high), math.Max(worst, loss.Float())
				losses = append(losses, loss.Float())
			}
		}
		got := s.exactly(low, high, "")
		if got.Float() != worst || worst > 0 && got.Kind() != evidence.KindExact {
			t.Fatalf("%s W, u = %v: %v of %v", w.kind, u, got, losses)
		}
		// Of ends that all may be the worst but for one the others count as well.
		for i := range s.quick {
			for side := range 2 {
				if s.quick[i][side].high < low {
					several++
				}
			}
		}
		// What float64 knows to be less is not looked at: there it may say what is not so.
		for n, loss := range losses {
			if loss == worst && worst > 0 {
				s.quick[n/2][n%2] = quickLoss{0, low * 0.999}
			}
		}
		if got := s.exactly(low, high, ""); worst > 0 && got != nil && got.Float() >= worst {
			t.Fatalf("%s W, u = %v: an end below %v counts: %v of %v", w.kind, u, low, got, losses)
		}
		if none := s.exactly(0, 0, "here"); none.Kind() != evidence.KindExact || none.Float() != 0 || none.Citation().Source != "here" {
			t.Errorf("nothing is lost: %v", none)
		}
	}
	if several < 100 {
		t.Errorf("%d ends are known to be less, want more", several)
	}
}
