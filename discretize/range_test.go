package discretize_test

import (
	"math"
	"testing"

	"dpworkbench/discretize"
	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
)

// At an ε where every probability but the largest underflows the layers are those
// that the exponents say, boundaries included, and Theorem 1 is decided.
func TestEveryScale(t *testing.T) {
	for _, e := range []float64{1e-5, 1, 745, 1e5, 1e9, 1e150, 1e308} {
		eps := float(t, e)
		q := path(t, 5, 1)
		for _, m := range []mechanism.Mechanism{
			must.For(mechanism.NewExponential(ctx, q, eps))(t),
			must.For(mechanism.NewGeometric(ctx, q, eps))(t),
			must.For(mechanism.NewLaplace(ctx, q, eps))(t),
			must.For(layers.NewPurest(ctx, q, eps.Ratio(1, 2)))(t),
		} {
			d := must.For(discretize.New(ctx, m, eps))(t)
			for x := range 5 {
				for r := range 5 {
					// ln p/M = −ε·(the layer and a fraction), from logarithms of 256 bits
					lo, hi := m.EncloseLog(x, r).Quo(eps.Enclosure()).Bounds()
					if l := float64(d.Layer(x, r)); e > 700 && (math.Abs(lo) > l+1+1e-12 || math.Abs(hi) < l-1e-2) {
						t.Errorf("%s: ln p^%d(%d) = −ε·[%v, %v] in layer %v", m.Name(), x, r, -hi, -lo, l)
					}
				}
			}
			th := must.For(d.Theorem1(ctx))(t)
			if th.Hypothesis != evidence.Confirmed || th.Privacy != evidence.Confirmed || th.Utility != evidence.Confirmed {
				t.Errorf("%s: hypothesis %s, privacy %s, utility %s", m.Name(), th.Hypothesis, th.Privacy, th.Utility)
			}
		}
	}
}

// Underflow does not stand for agreement: E_p and E_q that both round to 0 are
// compared, and a mechanism that is not ε-private is told apart from one that is.
func TestTheorem1SeesUnderflow(t *testing.T) {
	q := path(t, 3, 1)
	m := must.For(layers.NewPurest(ctx, q, float(t, 1000)))(t) // p ∝ e^{−1000 k}
	d := must.For(discretize.New(ctx, m, float(t, 300)))(t)    // q ∝ e^{−300 ⌊1000k/300⌋} = e^{−900}
	th := must.For(d.Theorem1(ctx))(t)
	if th.Hypothesis != evidence.Refuted || th.Utility != evidence.Confirmed {
		t.Errorf("hypothesis %s, utility %s, want refuted and confirmed", th.Hypothesis, th.Utility)
	}
	if lo, hi := th.Before.Bounds(); lo < 0 || !(hi > 0) {
		t.Errorf("E_p in [%v, %v], want it positive", lo, hi)
	}
}

// Deep layers take no memory for those between: the initial values of a law whose
// second value lies in layer 2²⁴ − 1 or so.
func TestDeepLayers(t *testing.T) {
	q := path(t, 2, 1)
	m := must.For(mechanism.NewGeometric(ctx, q, float(t, 1600)))(t)
	d := must.For(discretize.New(ctx, m, float(t, 1600).Ratio(1, 16_000_000)))(t)
	if deepest := d.LastLayer(0); deepest != 16_000_000 {
		t.Fatalf("the second value lies in layer %d, want 16000000", deepest)
	}
	sets := must.For(d.Initial(ctx))(t)
	if len(sets.At[0]) != 2 || len(sets.At[0][16_000_000]) != 1 {
		t.Errorf("initial values %v", sets.At[0])
	}
	if basic := must.For(d.IsBasic(ctx))(t); basic {
		t.Error("basic, though a neighbor's value lies 16 million layers down")
	}
}
