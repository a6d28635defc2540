package mechanism

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
)

// SmallestEpsilon returns the smallest ε at which m is ε-differentially
// private: the largest |ln p^x(r) − ln p^{x'}(r)| over neighbors x, x' and values
// r. It is exact where the probabilities are rational, a certified enclosure
// elsewhere, and infinite where one of two neighbors can output a value that
// the other cannot.
func SmallestEpsilon(ctx context.Context, m Mechanism) (evidence.Number, error) {
	if l, ok := m.(interface {
		smallestEpsilon(context.Context) (evidence.Number, error)
	}); ok {
		return l.smallestEpsilon(ctx)
	}
	const source = "largest log-ratio over all neighbors and values"
	type triple struct{ x, y, r int }
	best := 0.0
	var near []triple
	err := classPairs(ctx, m, func(x, y int) error {
		for r := range m.Query().Range() {
			a, b := m.LogProb(x, r), m.LogProb(y, r)
			if math.IsInf(a, -1) && math.IsInf(b, -1) {
				continue
			}
			loss := a - b
			if loss < best-8*m.LogError() {
				continue
			}
			if loss > best {
				best = loss
				near = slices.DeleteFunc(near, func(t triple) bool {
					return m.LogProb(t.x, t.r)-m.LogProb(t.y, t.r) < best-8*m.LogError()
				})
			}
			near = append(near, triple{x, y, r})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if math.IsInf(best, 1) {
		return evidence.Certified{Lo: best, Hi: best, Loss: true,
			Method: "a value that just one of two neighbors can output", Source: source}, nil
	}
	var ratio *big.Rat
	largest := interval.Int(0)
	for _, t := range near {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, ok := m.Rational(t.x, t.r)
		if !ok {
			largest = interval.Max(largest, m.Enclose(t.x, t.r).Quo(m.Enclose(t.y, t.r)).Log())
			continue
		}
		p2, _ := m.Rational(t.y, t.r)
		if p = new(big.Rat).Quo(p, p2); ratio == nil || p.Cmp(ratio) > 0 {
			ratio = p
		}
	}
	if ratio != nil || len(near) == 0 {
		if ratio == nil || ratio.Cmp(big.NewRat(1, 1)) < 0 {
			ratio = big.NewRat(1, 1)
		}
		cases := uint64(m.Query().Space().Pairs()) * uint64(len(m.Query().Range())) * 2
		return evidence.ExactLog{Argument: ratio, Cases: cases, Source: source}, nil
	}
	return evidence.EnclosedLoss(largest, "float64 filter, 256-bit intervals where it cannot decide", source), nil
}

// classPairs calls f once for every ordered pair of classes that neighbors
// have, with representatives.
func classPairs(ctx context.Context, m Mechanism, f func(x, y int) error) error {
	space := m.Query().Space()
	var seen map[[2]int]bool
	if m.Classes() < space.Size() {
		seen = make(map[[2]int]bool)
	}
	for x := range space.Size() {
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, y := range space.Neighbors(x) {
			if seen != nil {
				pair := [2]int{m.Class(x), m.Class(int(y))}
				if seen[pair] || pair[0] == pair[1] {
					continue
				}
				seen[pair] = true
			}
			if err := f(x, int(y)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Delta returns the privacy profile δ(ε) = max over ordered neighbors x, x' of
// Σ_r (p^x(r) − e^ε p^{x'}(r))⁺, the hockey-stick divergence in both directions:
// the least δ for which m is (ε, δ)-differentially private. ε may be 0, which
// gives the total variation distance.
func Delta(ctx context.Context, m Mechanism, eps float64) (evidence.Number, error) {
	if !(eps >= 0) || math.IsInf(eps, 1) {
		return nil, fmt.Errorf("%w: eps = %g, want a finite number of at least 0", evidence.ErrParameter, eps)
	}
	const source = "hockey-stick divergence over all neighbors, both directions"
	type pair struct {
		x, y int
		d    float64
	}
	size := float64(len(m.Query().Range()))
	// A term p(1 − e^{ε + ln q − ln p}) is off by at most 4 log errors times p + e^ε q,
	// and only terms with e^ε q < p count.
	slack := 8*m.LogError() + size*0x1p-51
	best := 0.0
	var near []pair
	err := classPairs(ctx, m, func(x, y int) error {
		d := 0.0
		for r := range m.Query().Range() {
			a, b := m.LogProb(x, r), m.LogProb(y, r)
			if a > eps+b {
				d -= math.Exp(a) * math.Expm1(eps+b-a)
			}
		}
		if d >= best-2*slack {
			best = max(best, d)
			near = append(near, pair{x, y, d})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	near = slices.DeleteFunc(near, func(p pair) bool { return p.d < best-2*slack })
	const most = 1 << 12 // pairs worth deciding exactly
	if len(near) > most {
		return evidence.Certified{Lo: max(0, best-slack), Hi: min(1, best+slack), Loss: true,
			Method: "float64 with its error bound", Source: source}, nil
	}
	scale, largest := interval.Float(eps).Exp(), interval.Int(0)
	for _, p := range near {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		sum := interval.Int(0)
		for r := range m.Query().Range() {
			gap := enclose(m, p.x, r).Sub(scale.Mul(enclose(m, p.y, r)))
			sum = sum.Add(interval.Max(gap, interval.Int(0)))
		}
		largest = interval.Max(largest, sum)
	}
	return evidence.EnclosedLoss(largest, "256-bit intervals", source), nil
}

// enclose returns the tightest enclosure of p^x(r) there is.
func enclose(m Mechanism, x, r int) interval.Interval {
	if p, ok := m.Rational(x, r); ok {
		return interval.Rat(p)
	}
	return m.Enclose(x, r)
}
