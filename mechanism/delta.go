package mechanism

import (
	"context"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/elementary"
	"dpworkbench/privacy"
)

// deltaAt returns the privacy profile δ(ε): the maximum over ordered neighbors x, x' of the hockey-stick
// divergence Σ_r (p^x(r) − e^ε p^{x'}(r))⁺. It is the least δ for which m is (ε, δ)-differentially private. The
// zero Epsilon means ε = 0, which gives the total variation distance.
//
// The result is exact if the probabilities and e^ε are rational, and certified otherwise.
func deltaAt(ctx context.Context, m Mechanism, eps evidence.Epsilon) (evidence.Number, error) {
	return (&hockeyStick{m, eps}).largest(ctx)
}

// hockeyStick computes the largest hockey-stick divergence of m at ε.
type hockeyStick struct {
	m   Mechanism
	eps evidence.Epsilon
}

// pair is an ordered pair of neighbors.
type pair struct {
	x, y int
	d    float64 // divergence in float64
}

// maxIntervalTerms bounds the number of terms summed in interval arithmetic, to one or two seconds.
const maxIntervalTerms = 1 << 21

func (h *hockeyStick) largest(ctx context.Context) (evidence.Number, error) {
	const source = "hockey-stick divergence over all neighbors, both directions"
	near, best, slack, err := h.candidates(ctx)
	if err != nil {
		return nil, err
	}
	cases := uint64(h.m.Query().Space().Pairs()) * uint64(len(h.m.Query().Range())) * 2
	if best <= 2*slack && !h.eps.IsZero() { // δ may be 0
		loss, err := smallestEpsilon(ctx, h.m)
		if err != nil {
			return nil, err
		}
		if _, exact := loss.(evidence.ExactLog); AtMost(loss, h.eps) == evidence.Confirmed && exact {
			return evidence.Exact{Value: new(big.Rat), Side: evidence.Up, Cases: cases, Provenance: evidence.From(source)}, nil
		} else if AtMost(loss, h.eps) == evidence.Confirmed {
			return evidence.Certified{Side: evidence.Up, Provenance: evidence.From(source).By(loss.Origin())}, nil
		}
	}
	near, terms, err := h.dropDuplicates(ctx, near)
	if err != nil {
		return nil, err
	}
	out := evidence.Certified{Lo: max(0, best-slack), Hi: best + slack, Side: evidence.Up, Provenance: evidence.From(source).By("float64 with its error bound")}
	if terms <= maxIntervalTerms {
		largest, err := h.maxDivergence(ctx, near)
		if err != nil {
			return nil, err
		}
		if largest.Rational != nil {
			return evidence.Exact{Value: largest.Rational, Side: evidence.Up, Cases: cases, Provenance: evidence.From(source)}, nil
		}
		out = evidence.EnclosedLoss(largest.Enclosure, "256-bit intervals", source)
	}
	out.Hi = min(out.Hi, 1)
	return out, nil
}

// maxDivergence returns the largest divergence of the pairs, or 0 if there are none.
func (h *hockeyStick) maxDivergence(ctx context.Context, near []pair) (largest evidence.RatOrInterval, err error) {
	for i, p := range near {
		if err := ctx.Err(); err != nil {
			return evidence.RatOrInterval{}, err
		}
		d, err := lossesOf(h.m, p.x, p.y).Delta(ctx, h.eps)
		if err != nil {
			return evidence.RatOrInterval{}, err
		}
		if i == 0 {
			largest = d
		} else {
			largest = privacy.Max(largest, d)
		}
	}
	if len(near) == 0 {
		return evidence.ExactRat(new(big.Rat)), nil
	}
	return largest, nil
}

// candidates returns the pairs that can attain the largest divergence, the largest divergence in float64, and a
// bound on the float64 errors.
//
// Write λ = LogError. The exponents of a term e^a − e^{ε+b} have errors of at most λ and, since the sum ε + b ≤ 0
// is rounded, 3λ. So the term's error is at most (3.2λ + expError)(e^a + e^{ε+b}) for λ ≤ 0.05. A term that is
// counted wrongly, or omitted wrongly, is at most 4.2λ e^a. Since e^{ε+b} ≤ e^a for every counted term and Σ e^a ≤
// 1 + λ, all errors and the rounding of the sum together are below 12λ + (|R| + 16) 2⁻⁵⁰.
func (h *hockeyStick) candidates(ctx context.Context) (near []pair, best, slack float64, err error) {
	m, eps := h.m, h.eps.Value()
	slack = 12*m.LogError() + (float64(len(m.Query().Range()))+16)*0x1p-50
	if !(m.LogError() <= 0.05) {
		slack = math.Inf(1) // the float64 sum carries no information
	}
	err = classPairs(ctx, m, func(x, y int) error {
		d := 0.0
		for r := range m.Query().Range() {
			a, b := m.LogProb(x, r), m.LogProb(y, r)
			if a > eps+b {
				d += elementary.Exp(a) - elementary.Exp(eps+b)
			}
		}
		if d >= best-2*slack {
			best = max(best, d)
			near = append(near, pair{x: x, y: y, d: d})
		}
		return nil
	})
	near = slices.DeleteFunc(near, func(p pair) bool { return p.d < best-2*slack })
	return near, best, slack, err
}

// dropDuplicates drops pairs with the same losses as an earlier pair. It returns the remaining pairs and the number of
// terms in their sums.
func (h *hockeyStick) dropDuplicates(ctx context.Context, near []pair) (kept []pair, terms int, err error) {
	g, ok := h.m.(grouped)
	if !ok {
		return near, len(near) * len(h.m.Query().Range()), nil
	}
	seen := make(map[string]bool)
	for i, p := range near {
		if i%64 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, 0, err
			}
		}
		key, out := g.outcomes(p.x, p.y)
		if !seen[key] {
			seen[key] = true
			terms += len(out)
			kept = append(kept, p)
		}
	}
	return kept, terms, nil
}
