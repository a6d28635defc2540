package privacy

import (
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// A sum of losses counts even if it exceeds ε by less than float64 resolves: 2^20 + 2^−300 at ε = 2^20.
func TestHalvesCountLossesBarelyAboveEpsilon(t *testing.T) {
	of := func(loss float64) []output {
		l := interval.Float(loss)
		return []output{{loss: l, p: interval.Int(1), q: l.Neg().Exp()}}
	}
	h := &halfOutputs{a: of(0x1p20), b: of(0x1p-300), ambiguous: interval.Int(0), mass: interval.Int(1)}
	d, err := h.delta(t.Context(), must.Be(evidence.NewEpsilon("eps", 0x1p20)))
	if _, hi := d.Bounds(); err != nil || hi < 0x1p-301 { // 1 − e^{−2^−300}
		t.Errorf("δ is %v, %v, want at least 2^-300", d, err)
	}
}

// δ is enclosed even if only wide enclosures of the losses are known.
func TestHalvesOfWideLosses(t *testing.T) {
	at := func(from, to, loss, p float64) output {
		return output{interval.Between(from, to), interval.Float(p), interval.Float(p).Mul(interval.Float(-loss).Exp())}
	}
	none, wide := at(0, 0, 0, 1), interval.Float(.3)
	for _, loss := range []float64{0, .5, 1} {
		b := []output{at(0, 1, loss, .3), at(5, 5, 5, .7)}
		h := &halfOutputs{a: []output{none}, b: b, ambiguous: wide, mass: interval.Int(1)}
		for _, eps := range []float64{.1, .6, .9, 1.5} {
			want := .3*max(1-math.Exp(eps-loss), 0) + .7*(1-math.Exp(eps-5))
			d := must.For(h.delta(t.Context(), must.Be(evidence.NewEpsilon("eps", eps))))(t)
			if lo, hi := d.Bounds(); !(lo <= want+1e-15 && want <= hi) {
				t.Errorf("a loss of %g in [0, 1]: δ(%g) is %v, want %v in it", loss, eps, d, want)
			}
		}
	}
}
