package privacy_test

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// Replacing a record equals removing one and adding one. The bound under replacement covers the laws of all histograms
// two steps apart. Other relations are rejected.
func TestUnderAnotherRelation(t *testing.T) {
	ctx := context.Background()
	for _, unit := range []float64{0.3, 1} {
		h := must.Be(query.NewHistograms(ctx, 2, 3, query.AddRemove))
		m := must.Be(mechanism.NewExponential(ctx, must.Be(h.Linear([]*big.Rat{big.NewRat(1, 1), big.NewRat(3, 1)})), must.Be(evidence.NewEpsilon("eps", unit))))
		account := must.Be(privacy.Of(ctx, m))
		replaced := must.Be(account.Under(query.Replace))
		for _, at := range []float64{0.1, 0.5, 1} {
			eps := must.Be(evidence.NewEpsilon("eps", at))
			truth := 0.0
			for x := range h.Size() {
				for y := range h.Size() {
					if d := h.Space().Distance(x, y); d != 2 {
						continue
					}
					sum := 0.0
					for r := range m.Query().Range() {
						sum += math.Max(0, math.Exp(m.LogProb(x, r))-math.Exp(at+m.LogProb(y, r)))
					}
					truth = max(truth, sum)
				}
			}
			if _, hi := must.Be(replaced.Delta(ctx, eps)).Bounds(); hi < truth-1e-12 {
				t.Errorf("δ(%v) is at most %v, below %v of two steps", at, hi, truth)
			}
		}
		one, two := must.Be(account.Epsilon(ctx, evidence.Delta{})).Float(), must.Be(replaced.Epsilon(ctx, evidence.Delta{})).Float()
		if two < 2*one || two > 2*one*(1+1e-12) {
			t.Errorf("ε = %v for two steps, want twice %v", two, one)
		}
		for _, r := range []query.Relation{query.Edge, query.Node, query.Row} {
			if _, err := account.Under(r); !errors.Is(err, evidence.ErrParameter) {
				t.Errorf("relation %s: %v", r, err)
			}
		}
	}
	known := privacy.New(must.Be(privacy.ApproxDP(must.Be(evidence.NewEpsilon("eps", 1)), new(big.Rat))))
	if same := must.Be(known.Under(query.Node)); same != known {
		t.Error("an account valid for any relation changes under node neighbors")
	}
}
