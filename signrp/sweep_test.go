package signrp

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// The quick loss for each extreme move of each coordinate encloses the loss of that pair, and is narrow. A coordinate
// already at ±1 loses nothing in that direction.
func TestQuickLossesAgainstPairs(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(31, 9))
	for trial := range 9 {
		p, k := 1+rng.IntN(4), 1+rng.IntN(6)
		beta := []float64{1, 0.5, 2.5}[trial%3]
		for _, w := range AllKinds(t, p, k, uint64(trial)) {
			for _, r := range EveryRelease(t, w, evidencetest.Epsilon([]float64{0.5, 2}[trial%2]), beta) {
				if r.rule == numbers || r.shared() {
					continue
				}
				u := BoundaryVector(rng, p, trial)
				at := must.Be(w.at(ctx, u, beta))
				own := must.Be(r.law(ctx, at, norm(u)))
				s := &sweep{r: r, u: u, at: at, own: own, quick: make([][2]quickLoss, p)}
				if err := s.run(ctx); err != nil {
					t.Fatal(err)
				}
				unit := 1.0
				if r.rule == randomizedSigns || r.rule == individualRR {
					unit = own.eps.Value() // quick losses count flips
				}
				low, high := 0.0, 0.0
				for i := range u {
					for side, q := range s.quick[i] {
						v := append([]float64(nil), u...)
						v[i] = []float64{math.Min(1, u[i]+beta), math.Max(-1, u[i]-beta)}[side]
						want := SmallestOf(t, r, u, v)
						lo, hi := want.Bounds()
						if v[i] == u[i] && q != (quickLoss{}) {
							t.Errorf("%s: quick loss %v for a coordinate that cannot move from %v", r.name, q, u[i])
						}
						if math.IsInf(lo, 1) != math.IsInf(q.low, 1) || math.IsInf(lo, 1) != math.IsInf(q.high, 1) || !math.IsInf(lo, 1) &&
							!(q.low*unit <= hi*(1+1e-9)+1e-12 && q.high*unit >= lo*(1-1e-9)-1e-12 && q.high-q.low <= 1e-12*(1+q.high) && q.low <= q.high) {
							t.Errorf("%s, %s W, u = %v → %v: quick loss %v·[%v, %v], the pair has %v", r.name, w.kind, u, v, unit, q.low, q.high, want)
						}
						if to := s.end(i, side); math.Abs(to-v[i]) > 2*ulp {
							t.Errorf("coordinate %d of %v goes to %v, want %v", i, u, to, v[i])
						}
						low, high = math.Max(low, lo), math.Max(high, hi)
					}
				}
				worst := WorstOf(t, r, u)
				lo, hi := worst.Epsilon.Bounds()
				if !(lo <= high*(1+1e-9)+1e-12 && hi >= low*(1-1e-9)-1e-12) || !math.IsInf(hi, 1) && hi-lo > 1e-12*(1+hi) {
					t.Errorf("%s, %s W, u = %v: the worst loss is %v, the extreme moves give [%v, %v]", r.name, w.kind, u, worst.Epsilon, low, high)
				}
				if (worst.Coordinate < 0) != (hi == 0) && r.rule != noisySigns && r.rule != individualNormal {
					t.Errorf("%s: worst loss %v at coordinate %d", r.name, worst.Epsilon, worst.Coordinate)
				}
			}
		}
	}
}

// softplus computes ln(1 + e^{nε}) to a few roundings, inside its table and outside.
func TestSoftplus(t *testing.T) {
	for _, e := range []float64{1e-9, 0.01, 0.5, 3} {
		soft := softplus(e)
		for _, n := range []int{0, 1, -1, 3, -7, 255, 256, 257, -255, -256, -257, 1000, -1000} {
			x := interval.Float(float64(n) * e)
			want := x.Exp().Log1p().Mid()
			if got := soft(n); !(math.Abs(got-want) <= 9*ulp*want+math.SmallestNonzeroFloat64) {
				t.Errorf("ln(1 + e^(%d·%v)) = %v, want %v", n, e, got, want)
			}
		}
	}
}

// exactly examines all coordinates whose float64 interval may contain the maximum, and returns the exact maximum.
func TestExactlyFindsTheMaximum(t *testing.T) {
	ctx, rng := t.Context(), rand.New(rand.NewPCG(46, 1))
	several := 0
	for trial := range 120 {
		w := must.Be(NewProjection([]Kind{Rademacher, Gaussian, Sparse}[trial%3], 4, 3, ProjectionOptions{Sparsity: 2, Seed: uint64(trial)}))
		r := must.Be(NewSignRP(ctx, w, evidencetest.LogEpsilon(8, 1), SignOptions{Noise: RandomizedResponse, Beta: 0.5, Smoothing: true}))
		u := RandomVector(rng, 4)
		at := must.Be(w.at(ctx, u, r.beta))
		s := &sweep{r: r, u: u, at: at, own: must.Be(r.law(ctx, at, 0)), quick: make([][2]quickLoss, 4)}
		low, high, worst := 0.0, 0.0, 0.0
		var losses []float64
		for i := range u {
			for side := range 2 {
				v := append([]float64(nil), u...)
				v[i] = s.end(i, side)
				loss := SmallestOf(t, r, u, v)
				lo, hi := loss.Bounds()
				q := quickLoss{lo * (1 - rng.Float64()/2), hi * (1 + rng.Float64()/2)}
				s.quick[i][side] = q
				low, high, worst = math.Max(low, q.low), math.Max(high, q.high), math.Max(worst, loss.Float())
				losses = append(losses, loss.Float())
			}
		}
		got := s.exactly(low, high, "")
		if got.Float() != worst || worst > 0 && got.Kind() != evidence.KindExact {
			t.Fatalf("%s W, u = %v: worst loss %v of %v", w.kind, u, got, losses)
		}
		// The test counts the moves that float64 rules out.
		for i := range s.quick {
			for side := range 2 {
				if s.quick[i][side].high < low {
					several++
				}
			}
		}
		// exactly does not examine moves with an upper bound below low. The test shows this by a false bound for the
		// worst moves.
		for n, loss := range losses {
			if loss == worst && worst > 0 {
				s.quick[n/2][n%2] = quickLoss{0, low * 0.999}
			}
		}
		if got := s.exactly(low, high, ""); worst > 0 && got != nil && got.Float() >= worst {
			t.Fatalf("%s W, u = %v: a move with a bound below %v is examined: %v of %v", w.kind, u, low, got, losses)
		}
		if none := s.exactly(0, 0, "here"); none.Kind() != evidence.KindExact || none.Float() != 0 || none.Citation().Source != "here" {
			t.Errorf("worst loss of nothing: %v", none)
		}
	}
	if several < 100 {
		t.Errorf("float64 rules out only %d moves", several)
	}
}
