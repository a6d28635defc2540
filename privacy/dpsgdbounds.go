package privacy

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"sort"
	"strconv"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// DPSGDRow is the ε at a given δ that one method computes.
type DPSGDRow struct {
	Method  string
	Epsilon evidence.Number // nil if the method gives only an estimate
	Value   float64         // the estimate
	Kind    string
}

// Compare returns ε at δ by the composition of the steps, by Rényi differential privacy with two conversions, and by
// the central limit theorem.
func (s *DPSGD) Compare(ctx context.Context, delta evidence.Delta) ([]DPSGDRow, error) {
	if err := delta.Positive("delta"); err != nil {
		return nil, err
	}
	composed, err := s.account.Epsilon(ctx, delta)
	if err != nil {
		return nil, err
	}
	rows := []DPSGDRow{{Method: "composition of the steps", Epsilon: composed, Kind: "lower and upper bound"}}
	for _, c := range []struct {
		name    string
		tighter bool
	}{{"RDP, Mironov 2017", false}, {"RDP, Canonne, Kamath and Steinke 2020", true}} {
		alpha, hi, err := s.bestOrder(ctx, delta, c.tighter)
		if err != nil {
			return nil, err
		}
		_, most := hi.Bounds()
		number := evidence.Certified{Hi: max(most, 0), Side: evidence.Up, Provenance: evidence.From(c.name + "; " + s.renyiSource()).By("Rényi divergence in 256-bit intervals")}
		rows = append(rows, DPSGDRow{Method: fmt.Sprintf("%s, order %s", c.name, shortRat(alpha)), Epsilon: number, Kind: "upper bound"})
	}
	estimate := math.Inf(1)
	if mu := s.limitMu(); !math.IsInf(mu, 1) {
		e, err := gaussian.EpsilonAt(delta, interval.Float(mu))
		if err != nil {
			return nil, err
		}
		estimate = e.Float()
	}
	return append(rows, DPSGDRow{Method: "central limit theorem, Bu and others 2020", Value: estimate, Kind: "estimate, no bound"}), nil
}

// limitMu returns the μ of Gaussian differential privacy in the limit of many steps: γ√(k(e^{1/σ²} − 1)) under Poisson
// sampling (Bu and others 2020), and γ√(2k(e^{1/σ²}Φ(3/(2σ)) + 3Φ(−1/(2σ)) − 2)) without replacement (Dong, Roth and Su
// 2022).
func (s *DPSGD) limitMu() float64 {
	x := 1 / ratFloat(s.NoiseMultiplier)
	variance := math.Expm1(x * x)
	if s.Sampling != Poisson {
		normal := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
		variance = 2 * (math.Exp(x*x)*normal(1.5*x) + 3*normal(-x/2) - 2)
	}
	return ratFloat(s.Rate) * math.Sqrt(float64(s.Steps)*variance)
}

// shortRat formats a rational as a decimal if it equals a short one.
func shortRat(q *big.Rat) string {
	f := ratFloat(q)
	if text := strconv.FormatFloat(f, 'g', -1, 64); !math.IsInf(f, 0) && interval.Decimal(f).Cmp(q) == 0 {
		return text
	}
	return q.RatString()
}

// rdpOrders returns the Rényi orders to try, ascending.
func rdpOrders() []*big.Rat {
	var out []*big.Rat
	for quarters := int64(5); quarters <= 2048; {
		out = append(out, big.NewRat(quarters, 4))
		switch {
		case quarters < 16:
			quarters++
		case quarters < 24:
			quarters += 2
		case quarters < 256:
			quarters += 4
		default:
			quarters += quarters / 20 * 4
		}
	}
	return out
}

// bestOrder returns the order with the least ε, and that ε. ε is the sum of the log-moment and the conversion's
// additional term, divided by the order minus 1. Both terms are convex in the order, so ε first decreases and then
// increases.
func (s *DPSGD) bestOrder(ctx context.Context, delta evidence.Delta, tighter bool) (order *big.Rat, eps interval.Interval, err error) {
	pair, err := s.account.uses[0].Of.Pair(ctx, 0) // a removal, at least as large as an addition (Mironov, Talwar and Zhang 2019)
	if err != nil {
		return nil, eps, err
	}
	orders, found := rdpOrders(), map[int]interval.Interval{}
	at := func(i int) interval.Interval {
		if _, ok := found[i]; !ok {
			moment := pair.LogMoment(interval.Rat(new(big.Rat).Sub(orders[i], one))).Mul(interval.Int(int64(s.Steps)))
			found[i] = rdpEpsilon(moment, orders[i], delta, tighter)
		}
		return found[i]
	}
	best := sort.Search(len(orders)-1, func(i int) bool { return ctx.Err() != nil || at(i).Mid() <= at(i+1).Mid() })
	return orders[best], at(best), ctx.Err()
}

// rdpEpsilon encloses the ε that follows from the log-moment (α−1)D_α: ε = D_α + ln(1/δ)/(α−1) (Mironov 2017,
// Proposition 3), or D_α + ln((α−1)/α) − (ln δ + ln α)/(α−1) (Canonne, Kamath and Steinke 2020, Proposition 12).
func rdpEpsilon(moment interval.Interval, order *big.Rat, delta evidence.Delta, tighter bool) interval.Interval {
	alpha := interval.Rat(order)
	less := alpha.Sub(interval.Int(1))
	sum := moment.Sub(delta.Enclosure().Log())
	if !tighter {
		return sum.Quo(less)
	}
	return sum.Sub(alpha.Log()).Quo(less).Add(less.Quo(alpha).Log())
}

func (s *DPSGD) renyiSource() string {
	if s.Sampling == Poisson {
		return "Mironov, Talwar and Zhang 2019"
	}
	return "Zhu, Dong and Wang 2022, Theorem 11"
}
