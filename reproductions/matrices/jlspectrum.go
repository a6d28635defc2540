package matrices

import (
	"context"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// thresholdDelta encloses the largest divergence of neighbors whose singular values are at least w. t is move/w.
//
// With C = XXᵀ the law is r times N(0, C), and a neighbor's r times N(0, C'), where the
// record x becomes x + v. In coordinates with C = I, α is the record and ν the move:
// ‖α‖ ≤ 1, as C ⪰ xxᵀ, and ‖ν‖ ≤ t, as C ⪰ w²I; and
//
//	C' = I + αν^T + να^T + νν^T
//
// has at most two eigenvalues besides 1, λ₁ = 1 + p ≥ 1 and λ₂ = 1 − q ≤ 1, with pq = ‖ν‖²‖α‖² − s² and p − q = 2s +
// ‖ν‖² for s = ⟨α, ν⟩. A sample of N(0, λ) can be made from one of N(0, λ') with λ' farther from 1 on the same side, by
// shrinking it and adding noise, and N(0, 1) maps to itself. So the divergence increases with p and with q. At a given
// s both increase with ‖α‖ and ‖ν‖. At the largest values of these, p increases and q decreases with s ∈ [−t, t]. That
// curve is cut into cells, each bounded by p at its upper and q at its lower end. As the neighbor is above the
// threshold too, λ₁ ≤ (1 + t)² and 1/λ₂ ≤ (1 + t)².
//
// Two pairs give lower bounds: a single dimension with one nonzero record at w, which grows to w + move, and the
// reverse.
func thresholdDelta(ctx context.Context, law *chiSquare, eps evidence.Epsilon, t interval.Interval, enough func(lo, hi float64) bool) (interval.Interval, error) {
	one := interval.Int(1)
	e := eps.Enclosure()
	up := one.Add(t).Pow(2)
	down := one.Quo(up)
	grown, shrunk := law.scaled(e, up), law.scaled(e, down)
	lo := interval.Max(grown, shrunk)
	hi := lo
	_, reached := lo.Bounds()
	well := func(low, high float64) bool { // the upper bound is below a δ already attained, or the bounds are close
		return high <= 1.02*reached || enough(low, high)
	}
	// The whole curve as a single cell may be enough.
	all, err := law.twoScales(ctx, e, up, down, func(low, high float64) bool {
		return enough(reached, high) || low > 1.02*reached || near(0.1)(low, high)
	})
	if err != nil {
		return interval.Interval{}, err
	}
	if _, high := all.Bounds(); enough(reached, high) {
		return interval.Hull(lo.Lower(), all.Upper()), nil
	}
	for i := range len(curveCuts) - 1 {
		if err := ctx.Err(); err != nil {
			return interval.Interval{}, err
		}
		from, to := interval.Float(curveCuts[i]).Mul(t), interval.Float(curveCuts[i+1]).Mul(t)
		p, _ := eigenvaluesOf(to, t)
		_, q := eigenvaluesOf(from, t)
		least := interval.Max(one.Sub(q), down)
		most, err := law.twoScales(ctx, e, one.Add(p), least, well)
		if err != nil {
			return interval.Interval{}, err
		}
		hi = interval.Max(hi, most)
	}
	return interval.Hull(lo, hi), nil
}

// curveCuts divide the range of the cosine between record and move. The divergence is largest near 1.
var curveCuts = []float64{-1, -0.9, -0.6, -0.2, 0.2, 0.5, 0.7, 0.83, 0.91, 0.96, 0.985, 1}

// eigenvaluesOf returns p and q for ‖α‖ = 1 and ‖ν‖ = t: p − q = D = 2s + t² and
// (p + q)² = D² + 4(t² − s²) = t²(t² + 4s + 4).
func eigenvaluesOf(s, t interval.Interval) (p, q interval.Interval) {
	two, four := interval.Int(2), interval.Int(4)
	d := two.Mul(s).Add(t.Mul(t))
	sum := t.Mul(positivePart(t.Mul(t).Add(four.Mul(s)).Add(four)).Sqrt())
	return positivePart(sum.Add(d).Quo(two)), positivePart(sum.Sub(d).Quo(two))
}
