package mvg

import (
	"context"

	"dpworkbench/interval"
	"dpworkbench/mvg/internal/definite"
)

// whitened visits the list: ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F for each.
func (d Differences) whitened(ctx context.Context, sigma, psi Covariance) (interval.Interval, error) {
	best := interval.Int(0)
	for _, a := range d.list {
		if err := ctx.Err(); err != nil {
			return interval.Interval{}, err
		}
		lo, hi, exp := definite.SquaredNorm(sigma.side(), psi.side(), a)
		best = interval.Max(best, nonNegative(lo, hi, exp))
	}
	return best.Sqrt(), nil
}
