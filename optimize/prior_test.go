package optimize_test

import (
	"context"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
)

// A prior with no small common denominator is the certificate's own, to the last
// digit, and what the certificate proves is the lower end.
func TestCertificateOfLongPrior(t *testing.T) {
	q := counts(t, 3)
	prior := decimals(0.12345678901234567, 0.2345678901234567, 0.3456789012345678, 0.29629641962962966)
	weights, err := mechanism.PriorWeights(4, prior)
	if err != nil {
		t.Fatal(err)
	}
	for _, eps := range []evidence.Epsilon{epsilon(t, 1), logarithm(t, 3, 1)} {
		m := solve(t, q, eps, optimize.Options{Prior: prior})
		c := m.Certificate()
		for x, w := range weights {
			if c.Weight[x].Cmp(w) != 0 {
				t.Errorf("weight %d is %v, want the prior's %v", x, c.Weight[x], w)
			}
		}
		if c.Unit.Cmp(q.Metric().Unit()) != 0 {
			t.Errorf("unit %v, want the value metric's %v", c.Unit, q.Metric().Unit())
		}
		w := new(big.Rat)
		if v, ok := eps.Exp(); ok {
			w = v
			if m.Optimum().Kind() != evidence.KindExact {
				t.Errorf("optimum at %v is %s, want exact", eps, m.Optimum().Kind())
			}
		}
		checkCertificate(t, q, m, w)
	}
}

// A calibrated mechanism keeps its word at an exact ε and at tiny ones.
func TestCalibrateKeepsItsWord(t *testing.T) {
	ctx := context.Background()
	q := triangles(t, 4)
	for _, eps := range []evidence.Epsilon{logarithm(t, 3, 1), logarithm(t, 7, 2), epsilon(t, 1e-10), epsilon(t, 1e-80), epsilon(t, 1e-300)} {
		m, err := optimize.Calibrate(ctx, purest(q), eps)
		if err != nil {
			t.Fatal(err)
		}
		loss, err := mechanism.Privacy(m).Epsilon(ctx, 0)
		if err != nil {
			t.Fatal(err)
		}
		if mechanism.AtMost(loss, eps) != evidence.Confirmed || !(loss.Float() > 0) {
			t.Errorf("calibrated to %v, smallest ε %v", eps, loss)
		}
	}
}
