package privacy

import (
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

// A sum of losses that exceeds ε by less than float64 resolves still counts: 2^20 + 2^−300 at ε = 2^20.
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
