package mechanism

import (
	"context"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// deltaAt returns the privacy profile δ(ε) = max over ordered neighbors x, x' of
// Σ_r (p^x(r) − e^ε p^{x'}(r))⁺, the hockey-stick divergence in both directions:
// the least δ for which m is (ε, δ)-differentially private. The zero Epsilon
// stands for ε = 0, which gives the total variation distance.
//
// It is exact where the probabilities and e^ε are rational, certified elsewhere.
func deltaAt(ctx context.Context, m Mechanism, eps evidence.Epsilon) (evidence.Number, error) {
	h := &hockeyStick{m: m, eps: eps, one: eps.IsZero()}
	h.shift, h.scale = interval.Int(0), interval.Int(1)
	if !h.one {
		h.shift = eps.Enclosure()
		h.scale = h.shift.Exp()
		if w, ok := eps.Exp(); ok {
			h.ratio, h.scale = w, interval.Rat(w)
		}
	} else {
		h.ratio = big.NewRat(1, 1)
	}
	return h.largest(ctx)
}

// hockeyStick sums Σ (p − wq)⁺ at w = e^ε.
type hockeyStick struct {
	m     Mechanism
	eps   evidence.Epsilon
	one   bool              // ε = 0
	shift interval.Interval // ε
	scale interval.Interval // w
	ratio *big.Rat          // w where rational
}

// outcome is a value with the number of values that fare as it does at both of two
// datasets.
type outcome struct{ r, times int }

// pair is an ordered pair of neighbors.
type pair struct {
	x, y int
	d    float64 // its divergence in float64
	out  []outcome
}

// mostSummed bounds the terms that are summed in intervals: a second or two.
const mostSummed = 1 << 21

func (h *hockeyStick) largest(ctx context.Context) (evidence.Number, error) {
	const source = "hockey-stick divergence over all neighbors, both directions"
	near, best, slack, err := h.near(ctx)
	if err != nil {
		return nil, err
	}
	cases := uint64(h.m.Query().Space().Pairs()) * uint64(len(h.m.Query().Range())) * 2
	if best <= 2*slack && !h.one { // none, perhaps
		loss, err := smallestEpsilon(ctx, h.m)
		if err != nil {
			return nil, err
		}
		if _, exact := loss.(evidence.ExactLog); AtMost(loss, h.eps) == evidence.Confirmed && exact {
			return evidence.Exact{Value: new(big.Rat), Cases: cases, Source: source}, nil
		} else if AtMost(loss, h.eps) == evidence.Confirmed {
			return evidence.Certified{Loss: true, Method: loss.Origin(), Source: source}, nil
		}
	}
	near, terms, err := h.distinct(ctx, near)
	if err != nil {
		return nil, err
	}
	if terms > mostSummed {
		return evidence.Certified{Lo: max(0, best-slack), Hi: min(1, best+slack), Loss: true,
			Method: "float64 with its error bound", Source: source}, nil
	}
	sums := make([]interval.Interval, len(near))
	largest := interval.Int(0)
	for i, p := range near {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sums[i] = h.enclose(p)
		largest = interval.Max(largest, sums[i])
	}
	if exact, err := h.exactly(ctx, near, sums, largest); exact != nil || err != nil {
		if err != nil {
			return nil, err
		}
		return evidence.Exact{Value: exact, Cases: cases, Source: source}, nil
	}
	out := evidence.EnclosedLoss(largest, "256-bit intervals", source)
	out.Hi = min(out.Hi, 1)
	return out, nil
}

// near returns the pairs among which the largest divergence certainly is, with that
// of the largest in float64 and the error of any.
//
// With λ = LogError, a term e^a − e^{ε+b} has exponents off by λ and, the sum ε + b ≤ 0
// being rounded, by 3λ; so it is off by (3.2λ + expError)(e^a + e^{ε+b}) for λ ≤ 0.05, and
// where it was counted but should not be, or the other way round, it is no larger than
// 4.2λ e^a. As e^{ε+b} ≤ e^a wherever a term counts and Σ e^a ≤ 1 + λ, all of them and the
// roundings of the sum stay below 12λ + (|R| + 16) 2⁻⁵⁰.
func (h *hockeyStick) near(ctx context.Context) (near []pair, best, slack float64, err error) {
	m, eps := h.m, h.eps.Value()
	slack = 12*m.LogError() + (float64(len(m.Query().Range()))+16)*0x1p-50
	if !(m.LogError() <= 0.05) {
		slack = math.Inf(1) // float64 tells nothing: wide enclosures may sum to more than 1
	}
	err = classPairs(ctx, m, func(x, y int) error {
		d := 0.0
		for r := range m.Query().Range() {
			a, b := m.LogProb(x, r), m.LogProb(y, r)
			if a > eps+b {
				d += expNeg(-a) - expNeg(-(eps + b))
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

// distinct drops pairs with the same divergence for the same reason, and returns
// how many terms the others sum.
func (h *hockeyStick) distinct(ctx context.Context, near []pair) (kept []pair, terms int, err error) {
	grouped, ok := h.m.(interface {
		outcomes(x, y int) (string, []outcome)
	})
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
		key, out := grouped.outcomes(p.x, p.y)
		if !seen[key] {
			seen[key] = true
			p.out = out
			terms += len(out)
			kept = append(kept, p)
		}
	}
	return kept, terms, nil
}

// outcomes returns what a pair sums over.
func (h *hockeyStick) outcomes(p pair) []outcome {
	if p.out != nil {
		return p.out
	}
	var out []outcome
	for r := range h.m.Query().Range() {
		if !math.IsInf(h.m.LogProb(p.x, r), -1) {
			out = append(out, outcome{r, 1})
		}
	}
	return out
}

// enclose encloses the divergence of a pair: by the probabilities themselves, and
// where that leaves few digits by their log-ratio, as p(1 − e^{ε − loss}).
func (h *hockeyStick) enclose(p pair) interval.Interval {
	sum := interval.Int(0)
	for _, o := range h.outcomes(p) {
		gap := h.m.Enclose(p.x, o.r).Sub(h.scale.Mul(h.m.Enclose(p.y, o.r)))
		if !gap.Narrow(enoughBits) {
			gap = h.careful(p, o.r, gap)
		}
		sum = sum.Add(interval.Max(gap, interval.Int(0)).Mul(interval.Int(int64(o.times))))
	}
	return sum
}

// careful returns a narrower enclosure of p − wq than gap where there is one.
func (h *hockeyStick) careful(p pair, r int, gap interval.Interval) interval.Interval {
	if math.IsInf(h.m.LogProb(p.y, r), -1) {
		return gap // p itself
	}
	t := h.excess(p, r)
	sign, exact := t.Sign()
	if sign == 0 && !exact {
		if of, err := h.order(p, r); err == nil && of <= 0 {
			sign = 1
		}
	}
	if sign > 0 || sign == 0 && exact {
		return interval.Int(0)
	}
	narrow := h.m.Enclose(p.x, r).Mul(interval.Max(t.Expm1().Neg(), interval.Int(0)))
	if gap.Upper().CmpHi(narrow.Upper()) < 0 {
		return gap
	}
	return narrow
}

// excess encloses ε − loss. A loss that fills all digits of an enclosure with
// multiples of a large unit is compared with ε in that unit, exactly.
func (h *hockeyStick) excess(p pair, r int) interval.Interval {
	t := h.shift.Sub(lossOf(h.m, p.x, p.y, r))
	if t.Upper().Sub(t.Lower()).Less(nearlyNothing) {
		return t
	}
	law, ok := h.m.(interface {
		lossInUnits(x, y, r int) (k *big.Rat, unit evidence.Epsilon, rest interval.Interval, ok bool)
	})
	if !ok {
		return t
	}
	k, unit, rest, ok := law.lossInUnits(p.x, p.y, r)
	if !ok {
		return t
	}
	k.Neg(k)
	if !h.one {
		ratio, ok := h.eps.Quotient(unit)
		if !ok {
			return t
		}
		k.Add(k, ratio)
	}
	return unit.Enclosure().Mul(interval.Rat(k)).Sub(rest)
}

// order decides the sign of p − wq.
func (h *hockeyStick) order(p pair, r int) (int, error) {
	i := 1
	if h.one {
		i = 0
	}
	sign, err := Order(h.m, Outcome{p.y, r}, Outcome{p.x, r}, i, h.eps) // q against p e^{−ε}
	return -sign, err
}

// exactly returns the largest divergence in rational numbers, nil where there is
// none in them.
func (h *hockeyStick) exactly(ctx context.Context, near []pair, sums []interval.Interval, largest interval.Interval) (*big.Rat, error) {
	if h.ratio == nil {
		return nil, nil
	}
	best := new(big.Rat)
	for i, p := range near {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if sums[i].Less(largest.Lower()) {
			continue
		}
		sum, gap := new(big.Rat), new(big.Rat)
		for _, o := range h.outcomes(p) {
			v, ok := h.m.Rational(p.x, o.r)
			if !ok {
				return nil, nil
			}
			w, ok := h.m.Rational(p.y, o.r)
			if !ok {
				return nil, nil
			}
			if gap.Sub(v, gap.Mul(h.ratio, w)); gap.Sign() > 0 {
				sum.Add(sum, gap.Mul(gap, big.NewRat(int64(o.times), 1)))
			}
		}
		if sum.Cmp(best) > 0 {
			best = sum
		}
	}
	return best, nil
}
