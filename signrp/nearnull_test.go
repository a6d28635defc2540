package signrp

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// nearNull are pairs of vectors whose images under W = (1, …, 1), a Rademacher matrix, lie so far apart: next to
// their difference, ½, float64 sums cannot tell that from 0.
func nearNull() map[float64][2][]float64 {
	out := make(map[float64][2][]float64)
	for _, gap := range []float64{0, 0x1p-54, 0x1p-60, 0x1p-80} {
		out[gap] = [2][]float64{{0.5, gap, 0.25}, {0.25, 0, 0.5}}
	}
	return out
}

// What is certified from below holds where vectors can hardly be told apart: δ(ε, μ) ≤ δ(0, μ) ≤ μ/√(2π), and the
// true μ is known.
func TestLowerEndsNearNull(t *testing.T) {
	ctx := context.Background()
	tiny := eps(t, 1e-30)
	for gap, pair := range nearNull() {
		u, v := pair[0], pair[1]
		rows := make([][]float64, len(u))
		for i := range rows {
			rows[i] = []float64{1}
		}
		w := seek(rows)
		for _, noise := range []Noise{GaussianNoise, ""} {
			r, err := NewRP(ctx, w, eps(t, 1), evidencetest.Delta(1e-6), RPOptions{Beta: 1})
			if noise == GaussianNoise {
				r, err = NewSignRP(ctx, w, eps(t, 1), SignOptions{Noise: noise, Delta: evidencetest.Delta(1e-6), Beta: 1})
			}
			if err != nil {
				t.Fatal(err)
			}
			most := gap / r.sigma.Lo / math.Sqrt(2*math.Pi) * (1 + 1e-9)
			if lo, hi := deltaOf(t, r.Pair(u, v), tiny).Bounds(); lo > most || hi < 0 {
				t.Errorf("%s, %g apart: δ at least %g, it is at most %g", r.name, gap, lo, most)
			}
			f := must(r.PairsBetween(ctx, u, v))
			for _, uses := range []int{1, 7} {
				p := must(privacy.Compose(ctx, []*privacy.Account{privacy.New(f)}, []int{uses}))
				lo, hi := must(p.Delta(ctx, tiny)).Bounds()
				if lo > most*float64(uses) || hi < 0 || !(hi <= 1) {
					t.Errorf("%s, %g apart, %d uses: δ in [%g, %g], it is at most %g", r.name, gap, uses, lo, hi, most*float64(uses))
				}
			}
			if e := must(r.Pair(u, v).Epsilon(ctx, evidencetest.Delta(1e-9))); e.Float() < 0 {
				t.Errorf("%s, %g apart: ε %v", r.name, gap, e)
			}
		}
	}
}

// A distance that cannot be told from 0 is at least 0, whatever the size of its upper end.
func TestRatioFromZero(t *testing.T) {
	r := must(NewRP(context.Background(), seek([][]float64{{1}, {1}}), eps(t, 1), evidencetest.Delta(1e-6), RPOptions{Beta: 1}))
	for _, d := range []interval.Interval{interval.Between(0, 1e-9), interval.Between(-1e-300, 3), interval.Between(0, 1e300), interval.Int(0)} {
		lo, hi := r.ratio(d).Bounds()
		if _, most := d.Bounds(); lo != 0 || hi < most/r.sigma.Hi*(1-1e-15) {
			t.Errorf("ratio of %v: [%g, %g]", d, lo, hi)
		}
	}
	if lo, hi := r.ratio(interval.Rat(big.NewRat(1, 3))).Bounds(); !(lo > 0 && lo <= hi) {
		t.Errorf("ratio of 1/3: %s", fmt.Sprint(lo, hi))
	}
}
