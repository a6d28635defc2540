package privacy

import (
	"math"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// PureDelta encloses δ(ε) of a mechanism known only to be ε₀-differentially private, where ε₀ is the upper end of pure.
// The upper end is (e^{ε₀} − e^ε)/(e^{ε₀} + 1), the profile of randomized response. The lower end is 0. Proof: the
// probabilities P and Q of an event at two neighbors satisfy P ≤ e^{ε₀}Q and 1 − Q ≤ e^{ε₀}(1 − P). P − e^ε Q is
// largest at a corner of this polygon: (0, 0), (1, 1), or where both are equalities.
func PureDelta(pure evidence.Number, eps evidence.Epsilon, source string) evidence.Certified {
	out := evidence.Certified{Hi: 1, Side: evidence.Up, Provenance: evidence.From(source).By("randomized response at the smallest ε above")}
	_, most := pure.Bounds()
	if math.IsInf(most, 1) {
		return out
	}
	one, top := interval.Int(1), interval.Float(most)
	gap := top.Sub(eps.Enclosure())
	for _, gain := range [2]interval.Interval{one.Sub(gap.Neg().Exp()), gap} { // 1 − e^{−t} ≤ t, which is narrower for small t
		_, hi := gain.Quo(one.Add(top.Neg().Exp())).Bounds()
		out.Hi = min(out.Hi, max(hi, 0))
	}
	return out
}
