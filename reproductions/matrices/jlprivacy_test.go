package matrices_test

import (
	"context"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/reproductions/matrices"
)

// IsPrivate compares δ with the certified bounds, on both sides and in both forms. If δ lies between the bounds, the
// result is undecided.
func TestIsPrivateByBounds(t *testing.T) {
	t.Parallel()
	eps := evidencetest.Epsilon(0.5)
	for _, form := range []matrices.Form{matrices.Raised, matrices.Threshold} {
		j := matrices.JL{Form: form, Rows: 2, Width: 8, Move: 1}
		lo, hi := bounds(t, j, eps)
		for _, c := range []struct {
			delta float64
			want  evidence.Verdict
		}{{hi, evidence.Confirmed}, {1.5 * hi, evidence.Confirmed}, {math.Nextafter(lo, 0) * (1 - 1e-3), evidence.Refuted}, {lo / 2, evidence.Refuted}} {
			if got, err := j.IsPrivate(t.Context(), eps, evidencetest.Delta(c.delta)); err != nil || got != c.want {
				t.Errorf("%v, δ in [%v, %v]: IsPrivate(%v) = %v, %v; want %v", j, lo, hi, c.delta, got, err, c.want)
			}
		}
		ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
			v, err := j.IsPrivate(ctx, eps, evidencetest.Delta((lo+hi)/2))
			if err != nil && v != evidence.Undecided {
				t.Errorf("%v is returned with an error", v)
			}
			return err
		})
	}
	open := matrices.JL{Form: matrices.Threshold, Rows: 2, Width: 8, Move: 1}
	lo, hi := bounds(t, open, eps)
	if got, err := open.IsPrivate(t.Context(), eps, evidencetest.Delta(lo+(hi-lo)/8)); err != nil || got != evidence.Undecided {
		t.Errorf("δ between the bounds %v and %v: %v, %v; want undecided", lo, hi, got, err)
	}
}
