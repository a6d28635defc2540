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

// within reports whether every difference of d, or its negative, is one of o.
func (d Differences) within(o Differences) bool {
	return !slices.ContainsFunc(d.list, func(x *mat.Dense) bool {
		var minus mat.Dense
		minus.Scale(-1, x)
		return !slices.ContainsFunc(o.list, func(y *mat.Dense) bool { return mat.Equal(x, y) || mat.Equal(&minus, y) })
	})
}

// Pairs implements privacy.Private: the pair of laws of the worst difference of the sensitivity set: two normal laws as far
// apart as the largest whitened sensitivity, which is the worst at once for any number of uses of the
// design. Uses of a design that is not equal have other worst differences. A single use is answered by Privacy.
func (d *Design) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	m, n := d.sensitivity.Shape()
	f := privacy.NormalPairs(fmt.Sprintf("matrix-variate Gaussian on %d×%d", m, n), whitening, interval.Max(d.mu(), interval.Int(0)))
	f.Universe, f.Profile = privacy.ByEquality(d), d.Privacy()
	return f, nil
}

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
