package privacy

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
)

// ProfilePoints returns n points (ε, upper end of δ) of the profile for a plot. They begin at ε = 0 and end where δ
// is 10⁻⁶, or the infinity mass if that is larger. If δ(0) is below 10⁻⁶ they end slightly above the smallest ε, or
// at 1 if that is infinite. It returns an error wrapping evidence.ErrParameter unless 2 ≤ n ≤ 4096.
func (a *Account) ProfilePoints(ctx context.Context, n int) (eps, delta []float64, err error) {
	infinityMass, err := a.InfinityMass(ctx)
	if err != nil {
		return nil, nil, err
	}
	_, floor := infinityMass.Bounds()
	small, err := evidence.NewDelta("delta", min(floor+1e-6, 0.999999))
	if err != nil {
		return nil, nil, err
	}
	top, err := a.Epsilon(ctx, small)
	if err != nil {
		return nil, nil, err
	}
	_, far := top.Bounds()
	if far == 0 {
		smallest, err := a.Epsilon(ctx, evidence.Delta{})
		if err != nil {
			return nil, nil, err
		}
		_, far = smallest.Bounds()
		far *= 1.05
	}
	if far == 0 || math.IsInf(far, 1) {
		far = 1
	}
	return a.ProfilePointsTo(ctx, far, n)
}

// ProfilePointsTo returns n points (ε, upper end of δ) of the profile for a plot, from ε = 0 to end. It returns an
// error wrapping evidence.ErrParameter unless end is positive and finite and 2 ≤ n ≤ 4096.
func (a *Account) ProfilePointsTo(ctx context.Context, end float64, n int) (eps, delta []float64, err error) {
	if n < 2 || n > 4096 {
		return nil, nil, parameter.Bad("n", n, "2…4096 points")
	}
	if !(end > 0) || math.IsInf(end, 1) {
		return nil, nil, parameter.Bad("end", end, "a positive finite number")
	}
	for i := range n {
		var e evidence.Epsilon
		if v := end * (float64(i) / float64(n-1)); v > 0 {
			if e, err = evidence.NewEpsilon("eps", v); err != nil {
				return nil, nil, err
			}
		}
		d, err := a.Delta(ctx, e)
		if err != nil {
			return nil, nil, err
		}
		_, hi := d.Bounds()
		eps, delta = append(eps, e.Value()), append(delta, hi)
	}
	return eps, delta, nil
}
