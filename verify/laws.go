package verify

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

// privacy recomputes the smallest ε, and δ at half of it.
func (r *Report) privacy(ctx context.Context, m mechanism.Mechanism, d [][]float64, logs [][]float64) error {
	worst := 0.0
	pairs := func(visit func(x, y int)) {
		for x := range d {
			for y := range d {
				if d[x][y] > 0 && d[x][y] <= 1 {
					visit(x, y)
				}
			}
		}
	}
	pairs(func(x, y int) { worst = max(worst, largestLoss(logs[x], logs[y])) })
	account, err := privacy.Of(ctx, m)
	if err != nil {
		return err
	}
	epsilon, profile := r.part("smallest ε"), r.part("δ")
	for _, route := range []privacy.Profile{mechanism.Privacy(m), account} {
		printed, err := route.Epsilon(ctx, evidence.Delta{})
		if err != nil {
			return err
		}
		epsilon.number(printed, worst, ".smallest_epsilon")
	}
	pairs(func(x, _ int) { epsilon.Cases += int64(len(logs[x])) })
	if claimed, ok := m.ClaimedEpsilon().(evidence.Claimed); ok {
		r.part("guarantee").is(worst <= claimed.Value*(1+tolerance), ".smallest_epsilon  # above the claim %g", claimed.Value)
	}
	if !(worst > 0 && worst < math.Inf(1)) {
		return nil
	}
	eps, err := evidence.NewEpsilon("eps", worst/2)
	if err != nil {
		return err
	}
	delta := 0.0
	pairs(func(x, y int) { delta = max(delta, hockeyStick(logs[x], logs[y], worst/2)) })
	printed, err := account.Delta(ctx, eps)
	if err != nil {
		return err
	}
	profile.number(printed, delta, ".delta_at(%v)", worst/2)
	return nil
}

// largestLoss returns the largest ln p/q over the outputs of p.
func largestLoss(p, q []float64) (worst float64) {
	for v := range p {
		if !math.IsInf(p[v], -1) {
			worst = max(worst, p[v]-q[v])
		}
	}
	return worst
}

// hockeyStick returns Σ max(0, p − e^ε q).
func hockeyStick(p, q []float64, eps float64) (sum float64) {
	for v := range p {
		if p[v] > q[v]+eps {
			sum += math.Exp(p[v]) - math.Exp(eps+q[v])
		}
	}
	return sum
}
