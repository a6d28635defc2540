package smooth

import (
	"context"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// pairCase holds what determines the privacy loss of a pair: the distance of the centers, and the bounds at both
// datasets.
type pairCase struct {
	x, y  int
	shift *big.Rat
}

// cases returns one ordered pair of neighbors for each different loss.
func (m *Mechanism) cases(ctx context.Context) ([]pairCase, error) {
	seen := make(map[string]bool)
	var out []pairCase
	for x := range m.bound {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for _, n := range m.q.Space().Neighbors(x) {
			y := int(n)
			d := new(big.Rat).Sub(m.center[x], m.center[y])
			d.Abs(d)
			key := m.bound[x].key() + "#" + m.bound[y].key() + "#" + d.RatString()
			if !seen[key] {
				seen[key] = true
				out = append(out, pairCase{x, y, d})
			}
		}
	}
	return out, nil
}

// Worst is a neighboring pair with the largest privacy loss.
type Worst struct {
	X, Y int
	Loss evidence.Number
}

// SmallestEpsilon returns the smallest ε at which m is ε-differentially private: the supremum of the log-ratio of
// densities over neighbors and the whole line. It is certified, and +Inf for Laplace noise with different scales.
func (m *Mechanism) SmallestEpsilon(ctx context.Context) (evidence.Number, error) {
	w, err := m.Worst(ctx)
	return w.Loss, err
}

// Worst returns a pair that attains SmallestEpsilon.
func (m *Mechanism) Worst(ctx context.Context) (Worst, error) {
	cases, err := m.cases(ctx)
	if err != nil {
		return Worst{}, err
	}
	const method = "supremum of the log-ratio of two densities over the line, by a cover of it"
	w := Worst{}
	lo, hi, found := 0.0, 0.0, false
	type candidate struct {
		pairCase
		shift, ratio, rough float64
	}
	var candidates []candidate
	for _, c := range cases {
		a, b := m.bound[c.x], m.bound[c.y]
		switch {
		case a.IsZero() && b.IsZero() && c.shift.Sign() == 0:
			continue
		case a.IsZero() || b.IsZero(): // the answer at one dataset has no noise
			return Worst{c.x, c.y, evidence.EnclosedLoss(interval.Whole().Upper(), method, m.source)}, nil
		case m.Noise.family == laplace && a.key() != b.key():
			loss := infiniteLoss("tails of Laplace noise of different scales: " + m.source)
			return Worst{c.x, c.y, loss}, nil
		}
		shift := interval.Rat(c.shift).Quo(m.sigma(c.x))
		if m.Noise.family == laplace {
			l, h := shift.Bounds()
			if !found || h > hi {
				w.X, w.Y = c.x, c.y
			}
			lo, hi, found = max(lo, l), max(hi, h), true
			continue
		}
		ratio := 1.0
		if a.key() != b.key() {
			ratio = b.Amount().Enclosure.Quo(a.Amount().Enclosure).Mid()
		}
		s := shift.Mid()
		rough := math.Abs(math.Log(ratio))*m.Noise.index() + s/max(1, ratio)*m.Noise.index()
		candidates = append(candidates, candidate{c, s, ratio, rough})
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int {
		switch {
		case a.rough > b.rough:
			return -1
		case a.rough < b.rough:
			return 1
		}
		return 0
	})
	for i, c := range candidates {
		if i%16 == 0 && ctx.Err() != nil {
			return Worst{}, ctx.Err()
		}
		l, h := m.Noise.supremum(c.shift, c.ratio, hi)
		if !found || l > lo {
			w.X, w.Y = c.x, c.y
		}
		lo, hi, found = max(lo, l), max(hi, h), true
	}
	w.Loss = evidence.EnclosedLoss(interval.Between(lo, hi), method, m.source)
	return w, nil
}

func infiniteLoss(source string) evidence.Number {
	inf := math.Inf(1)
	return evidence.Certified{Lo: inf, Hi: inf, Side: evidence.Up, Provenance: evidence.From(source).By("infinite")}
}

// DeltaAt returns the privacy profile of Laplace noise at ε: the largest, over neighbors in
// both directions, of ∫ max(0, p − e^ε q). It returns an error wrapping
// evidence.ErrParameter for the other laws.
func (m *Mechanism) DeltaAt(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	if m.Noise.family != laplace {
		return nil, parameter.Errorf("delta_at of %s noise is not supported, want Laplace noise", m.Noise.Name())
	}
	cases, err := m.cases(ctx)
	if err != nil {
		return nil, err
	}
	best := interval.Int(0)
	for i, c := range cases {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		a, b := m.bound[c.x], m.bound[c.y]
		switch {
		case a.IsZero() && b.IsZero() && c.shift.Sign() == 0:
			continue
		case a.IsZero() || b.IsZero():
			return evidence.Exact{Value: big.NewRat(1, 1), Side: evidence.Up, Provenance: evidence.From(m.source)}, nil
		}
		same := a.key() == b.key()
		best = interval.Max(best, laplaceProfile(interval.Rat(c.shift), m.sigma(c.x), m.sigma(c.y), same, eps.Enclosure()))
	}
	return evidence.EnclosedLoss(best, "closed form, rounded outward", m.source), nil
}

// laplaceProfile encloses ∫ max(0, p − e^ε q) for Laplace densities p about 0 of scale s and q about Δ ≥ 0 of scale
// t. The log-ratio L(z) = ln(t/s) + |z − Δ|/t − |z|/s has slopes 1/s − 1/t, −1/s − 1/t and 1/t − 1/s on the three
// parts of the line divided by 0 and Δ. So L exceeds ε on an interval if s ≤ t, and outside one if s > t.
func laplaceProfile(delta, s, t interval.Interval, same bool, eps interval.Interval) interval.Interval {
	zero := interval.Int(0)
	half := interval.Rat(big.NewRat(1, 2))
	inv := one().Quo(s).Sub(one().Quo(t)) // 1/s − 1/t, positive where s < t
	sign, _ := inv.Sign()
	if same {
		sign, inv = 0, zero
	}
	log := zero
	if !same {
		log = t.Quo(s).Log()
	}
	atZero := log.Add(delta.Quo(t)).Sub(eps) // L(0) − ε
	atDelta := log.Sub(delta.Quo(s)).Sub(eps)
	scaled := eps.Exp()
	// Each case computes ∫ (p − e^ε q) over an interval from the masses below its ends.
	below := func(z, center, scale interval.Interval) interval.Interval { // Pr[noise ≤ z]
		u := z.Sub(center).Quo(scale)
		left := interval.Max(u.Neg(), zero).Neg().Exp().Mul(half)
		right := one().Sub(interval.Max(u, zero).Neg().Exp().Mul(half))
		switch s, _ := u.Sign(); {
		case s < 0:
			return left
		case s > 0:
			return right
		}
		return interval.Hull(left, right)
	}
	until := func(z interval.Interval) interval.Interval {
		return below(z, zero, s).Sub(scaled.Mul(below(z, delta, t)))
	}
	// Between 0 and Δ, L decreases from L(0) with slope 1/s + 1/t.
	slope := one().Quo(s).Add(one().Quo(t))
	inside := atZero.Quo(slope)
	all := one().Sub(scaled) // over the whole line
	var out interval.Interval
	switch {
	case sign > 0: // L exceeds ε on one interval around 0
		if s, _ := atZero.Sign(); s <= 0 {
			return interval.Max(atZero, zero) // p − e^ε q ≤ p(L − ε)
		}
		left := atZero.Quo(inv).Neg()
		right := inside
		if atDeltaSign, _ := atDelta.Sign(); atDeltaSign >= 0 {
			right = delta.Add(atDelta.Quo(inv))
		}
		out = until(right).Sub(until(left))
	case sign == 0 && same: // L exceeds ε up to a point between 0 and Δ
		if s, _ := atZero.Sign(); s <= 0 {
			return interval.Max(atZero, zero) // as in the case sign > 0; the enclosure may contain 0 although the value is larger
		}
		out = until(inside)
	default: // L exceeds ε outside of an interval
		gap := inv.Neg() // 1/t − 1/s > 0
		if s, _ := gap.Sign(); s <= 0 {
			return interval.Hull(zero, one())
		}
		left := inside
		if s, _ := atZero.Sign(); s <= 0 {
			left = atZero.Quo(gap)
		}
		right := delta.Sub(atDelta.Quo(gap))
		out = until(left).Add(all).Sub(until(right))
	}
	return interval.Max(out, zero)
}

// centered returns the values of the range, which must be numbers.
func centered(q *query.Query) ([]*big.Rat, error) {
	out := make([]*big.Rat, len(q.Range()))
	for r, v := range q.Range() {
		n, ok := query.RationalOf(v)
		if !ok {
			return nil, parameter.Errorf("range[%d] = %v is not a number", r, v)
		}
		out[r] = n
	}
	return out, nil
}
