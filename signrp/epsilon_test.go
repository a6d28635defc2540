package signrp_test

import (
	"context"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
	"dpworkbench/signrp"
)

// GaussianPPlus returns an interval whose bounds differ, because P₊ is an arc tangent over π. That is irrational apart
// from the cases of Niven's theorem.
func TestArcPPlusIsAnInterval(t *testing.T) {
	for _, u := range [][]float64{{1, 0.5}, {0.75, 0.5}, {1, 0.25}} {
		for _, beta := range []float64{0.25, 0.375, 0.5} {
			if p := must.Be(signrp.GaussianPPlus(t.Context(), u, beta)).(evidence.Certified); !(0 < p.Lo && p.Lo < p.Hi && p.Hi < 1 && p.Hi-p.Lo < 1e-15) {
				t.Errorf("u = %v, β = %g: [%v, %v]", u, beta, p.Lo, p.Hi)
			}
		}
	}
}

// If some neighbor has another A, the loss is infinite at δ = 0. For δ > 0 over many pairs, ε is then only known to lie
// in [0, ∞]. A single pair has its own curve.
func TestInfiniteLosses(t *testing.T) {
	ctx := t.Context()
	w := projectionWith([][]float64{{1}, {1}})
	u, v := []float64{0.6, 0.5}, []float64{-0.4, 0.5}
	for _, o := range []signrp.SignOptions{{Noise: signrp.RandomizedResponse, Beta: 1}, {Noise: signrp.GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: 1}} {
		r := must.Be(signrp.NewIndividual(w, evidencetest.Epsilon(1), o))
		for name, c := range map[string]privacy.Profile{"neighbors": r.Neighbors(u), "ball": r.Ball(u), "public": r.Public()} {
			pure := must.Be(c.Epsilon(ctx, evidence.Delta{}))
			if lo, hi := pure.Bounds(); !math.IsInf(lo, 1) || !math.IsInf(hi, 1) {
				t.Errorf("%s, %s: ε(0) in [%v, %v]", r.Name(), name, lo, hi)
			}
			n := must.Be(c.Epsilon(ctx, evidencetest.Delta(0.05)))
			if c, ok := n.(evidence.Certified); !ok || c.Lo != 0 || !math.IsInf(c.Hi, 1) {
				t.Errorf("%s, %s: ε(0.05) is %+v, want [0, ∞]", r.Name(), name, n)
			}
		}
		// The sign of u never flips, but that of v can. So δ is the probability that v's sign is −, for every ε.
		pair := r.Pair(u, v)
		if n := must.Be(pair.Epsilon(ctx, evidence.Delta{})); !math.IsInf(lower(n), 1) {
			t.Errorf("%s: the pair's ε(0) = %v, want infinite", r.Name(), n)
		}
		d := deltaOf(t, pair, evidencetest.Epsilon(30))
		flips := slowLaw(t, r, v)[0].minus
		if lo, hi := d.Bounds(); !(lo <= flips*(1+1e-12) && hi >= flips*(1-1e-12) && hi-lo <= 1e-12) {
			t.Errorf("%s: δ(30) = %v of the pair, want %v", r.Name(), d, flips)
		}
		if n := must.Be(pair.Epsilon(ctx, evidencetest.Delta(flips*0.9))); !math.IsInf(upper(n), 1) {
			t.Errorf("%s: ε(δ) = %v for δ below that probability, want infinite", r.Name(), n)
		}
		if n := must.Be(pair.Epsilon(ctx, evidencetest.Delta(flips*1.1))); math.IsInf(upper(n), 1) {
			t.Errorf("%s: ε(δ) = %v for δ above that probability, want finite", r.Name(), n)
		}
	}
}

// nearZeroPairs returns pairs of vectors by the distance of their images under W = (1, …, 1), a Rademacher matrix.
// Float64 sums cannot distinguish this distance from 0, because the rounding error of ½ is larger.
func nearZeroPairs() map[float64][2][]float64 {
	out := make(map[float64][2][]float64)
	for _, gap := range []float64{0, 0x1p-54, 0x1p-60, 0x1p-80} {
		out[gap] = [2][]float64{{0.5, gap, 0.25}, {0.25, 0, 0.5}}
	}
	return out
}

// The certified lower bound holds for vectors that are almost indistinguishable. δ(ε, μ) ≤ δ(0, μ) ≤ μ/√(2π), and the
// true μ is known.
func TestLowerBoundsNearZeroDistance(t *testing.T) {
	ctx := context.Background()
	tiny := evidencetest.Epsilon(1e-30)
	for gap, pair := range nearZeroPairs() {
		u, v := pair[0], pair[1]
		rows := make([][]float64, len(u))
		for i := range rows {
			rows[i] = []float64{1}
		}
		w := projectionWith(rows)
		for _, noise := range []signrp.Noise{signrp.GaussianNoise, ""} {
			r, err := signrp.NewRP(ctx, w, evidencetest.Epsilon(1), evidencetest.Delta(1e-6), signrp.RPOptions{Beta: 1})
			if noise == signrp.GaussianNoise {
				r, err = signrp.NewSignRP(ctx, w, evidencetest.Epsilon(1), signrp.SignOptions{Noise: noise, Delta: evidencetest.Delta(1e-6), Beta: 1})
			}
			if err != nil {
				t.Fatal(err)
			}
			most := gap / must.Be(r.Sigma()).Lo / math.Sqrt(2*math.Pi) * (1 + 1e-9)
			if lo, hi := deltaOf(t, r.Pair(u, v), tiny).Bounds(); lo > most || hi < 0 {
				t.Errorf("%s, %g apart: lower bound %g on δ, which is at most %g", r.Name(), gap, lo, most)
			}
			f := must.Be(r.PairsBetween(ctx, u, v))
			for _, uses := range []int{1, 7} {
				p := must.Be(privacy.Compose(ctx, []*privacy.Account{privacy.New(f)}, []int{uses}))
				lo, hi := must.Be(p.Delta(ctx, tiny)).Bounds()
				if lo > most*float64(uses) || hi < 0 || !(hi <= 1) {
					t.Errorf("%s, %g apart, %d uses: δ in [%g, %g], which is at most %g", r.Name(), gap, uses, lo, hi, most*float64(uses))
				}
			}
			if e := must.Be(r.Pair(u, v).Epsilon(ctx, evidencetest.Delta(1e-9))); e.Float() < 0 {
				t.Errorf("%s, %g apart: ε %v", r.Name(), gap, e)
			}
		}
	}
}
