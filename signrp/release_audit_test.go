package signrp

import (
	"context"
	"math/rand/v2"
	"testing"

	"dpworkbench/audit/audittest"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/stattest"
)

// The audit of this house does not refute raw data with noise that is drawn exactly, and refutes its simulation: coordinates that are
// alike are so many draws of one, which moves by β.
func TestReleasesPassTheAudit(t *testing.T) {
	ctx, p := context.Background(), stattest.Draws(t, 1<<14)
	r, err := NewRaw(p, eps(t, 1), evidencetest.Delta(1e-5), RPOptions{Beta: 1})
	if err != nil {
		t.Fatal(err)
	}
	var released, simulated audittest.Draws
	for i := range released {
		u := make([]float64, p)
		for j := range u {
			u[j] = float64(i)
		}
		out, err := r.Draw(ctx, u, nil, rand.NewPCG(81, uint64(i)))
		if err != nil {
			t.Fatal(err)
		}
		released[i] = out.Numbers
		if out, err = r.Sample(ctx, u, rand.NewPCG(83, uint64(i))); err != nil {
			t.Fatal(err)
		}
		simulated[i] = out.Numbers
	}
	audittest.Hold(t, "raw data", 1, 1e-5, released, simulated)
}
