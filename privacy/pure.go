package privacy

import (
	"math"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// PureDelta encloses δ(ε) by what ε₀-differential privacy alone says of it, ε₀
// being at most the upper end of pure: at most (e^{ε₀} − e^ε)/(e^{ε₀} + 1), the
// profile of randomized response. For P and Q, the chances of an event at two
// neighbors, satisfy P ≤ e^{ε₀}Q and 1 − Q ≤ e^{ε₀}(1 − P), and P − e^ε Q is
// largest at a corner of these: (0, 0), (1, 1), or where both are equations, which
// gives that number. From below nothing is known but δ ≥ 0.
func PureDelta(pure evidence.Number, eps evidence.Epsilon, source string) evidence.Certified {
	out := evidence.Certified{Hi: 1, Side: evidence.Up, Provenance: evidence.From(source).By("randomized response at the smallest ε above")}
	_, most := pure.Bounds()
	if math.IsInf(most, 1) {
		return out
	}
	one, top := interval.Int(1), interval.Float(most)
	gap := top.Sub(eps.Enclosure())
	for _, gain := range [2]interval.Interval{one.Sub(gap.Neg().Exp()), gap} { // 1 − e^{−t} ≤ t, which keeps the digits of a small t
		_, hi := gain.Quo(one.Add(top.Neg().Exp())).Bounds()
		out.Hi = min(out.Hi, max(hi, 0))
	}
	return out
}
