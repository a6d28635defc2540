package mvg

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"dpworkbench/interval"
	"dpworkbench/mvg/internal/definite"
	"dpworkbench/privacy"

	"gonum.org/v1/gonum/mat"
)

// Equal reports whether two designs have the same sensitivity set and the same covariances.
func (d *Design) Equal(o *Design) bool {
	return d == o || sameSet(d.sensitivity, o.sensitivity) && sameCovariance(d.sigma, o.sigma) && sameCovariance(d.psi, o.psi)
}

// sameSet reports whether two sensitivities are known to be one set.
func sameSet(s, o Sensitivity) bool {
	a, isList := s.(Differences)
	b, both := o.(Differences)
	if !isList || !both {
		return reflect.DeepEqual(s, o)
	}
	return a.within(b) && b.within(a)
}

// within reports whether o contains every difference of d or its negative.
func (d Differences) within(o Differences) bool {
	return !slices.ContainsFunc(d.list, func(x *mat.Dense) bool {
		var minus mat.Dense
		minus.Scale(-1, x)
		return !slices.ContainsFunc(o.list, func(y *mat.Dense) bool { return mat.Equal(x, y) || mat.Equal(&minus, y) })
	})
}

// Pairs implements privacy.Private. It returns the pair of laws for the worst difference of the sensitivity set:
// two normal laws at the distance of the largest whitened sensitivity. That pair is the worst for any number of
// uses of this design. A different design has other worst differences. Privacy answers for a single use.
func (d *Design) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	m, n := d.sensitivity.Shape()
	f := privacy.NormalPairs(fmt.Sprintf("matrix-variate Gaussian on %d×%d", m, n), whitening, interval.Max(d.mu(), interval.Int(0)))
	f.Universe, f.Profile = privacy.ByEquality(d), d.Privacy()
	return f, nil
}

// whitened implements Sensitivity: the largest ‖Σ^{−1/2} Δ Ψ^{−1/2}‖_F of the list.
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
