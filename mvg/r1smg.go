package mvg

import (
	"context"
	"errors"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/elementary"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// RankOne is R1SMG: noise √v·g·u with g ~ N(0, 1) and u uniform on the unit
// sphere of R^M (Ji and Li, "Less is more: revisiting the Gaussian mechanism for
// differential privacy", arXiv:2306.02256v3). It claims (ε, δ) at
//
//	v ≥ 2Δ²/(εψ),  ψ = (δ Γ((M−1)/2)/(√π Γ(M/2)))^{2/(M−2)},  M > 2,
//
// and an expected squared error of v whatever the dimension.
type RankOne struct {
	Dimension   int
	Sensitivity float64
	Variance    float64
}

// NewRankOne returns R1SMG with the variance that its paper asks for. It returns
// an error wrapping evidence.ErrParameter unless M > 2, ε, the sensitivity and the
// variance are positive and finite, and 0 < δ < 1.
func NewRankOne(dimension int, sensitivity, eps, delta float64) (RankOne, error) {
	if dimension < 3 {
		return RankOne{}, parameter.Bad("dimension", dimension, "at least 3")
	}
	if err := positive("sensitivity", sensitivity); err != nil {
		return RankOne{}, err
	}
	if err := positive("eps", eps); err != nil {
		return RankOne{}, err
	}
	if err := parameter.OpenUnit("delta", delta); err != nil {
		return RankOne{}, err
	}
	m := float64(dimension)
	high, _ := math.Lgamma((m - 1) / 2)
	low, _ := math.Lgamma(m / 2)
	logPsi := 2 / (m - 2) * (math.Log(delta) + high - low - math.Log(math.Pi)/2)
	variance := 2 * (sensitivity / eps * sensitivity) * math.Exp(-logPsi)
	if !(variance > 0) || math.IsInf(variance, 1) {
		return RankOne{}, parameter.Errorf("at dimension = %d, sensitivity = %g, eps = %g and delta = %g the variance is %g, want a positive finite number", dimension, sensitivity, eps, delta, variance)
	}
	return RankOne{dimension, sensitivity, variance}, nil
}

// ClaimedError returns the expected squared norm of the noise.
func (r RankOne) ClaimedError() float64 { return r.Variance }

// DeltaAt encloses the real δ(ε) of the mechanism for one pair of answers at
// distance Δ: by the law's rotational symmetry, every such pair is alike.
//
// At noise of norm √v·x and cosine c to the shift, with a = Δ/√v, the other answer sees noise
// of squared norm v(x² + a² − 2axc). The noise has density proportional to
// ρ^{−(M−1)} e^{−ρ²/2v} at norm ρ, so the privacy loss is
//
//	L = (M−1)/2 · ln((a/x − c)² + 1 − c²) + a²/2 − axc,
//
// and δ(ε) = E(1 − e^{ε−L})⁺ with x half-normal and (1+c)/2 ~ Beta((M−1)/2,
// (M−1)/2). On a cell of a grid in (x, c) the loss is enclosed: it falls in c; the
// logarithm's argument is a parabola in 1/x, the second term is linear in x. The sums of
// the cells' probabilities times the ends of (1 − e^{ε−L})⁺ enclose δ; all are float64
// with their rounding added outward (rankone_cells.go). The grid is refined until the
// ends agree within tolerance or 4 million cells are spent.
//
// It returns an error wrapping evidence.ErrParameter unless the dimension is at least 2,
// tolerance, sensitivity and variance are positive and finite, Δ/√v between 1e-100 and
// 1e100, and ε ≥ 0 finite, and the context's error.
func (r RankOne) DeltaAt(ctx context.Context, eps, tolerance float64) (evidence.Certified, error) {
	if err := positive("tolerance", tolerance); err != nil {
		return evidence.Certified{}, err
	}
	if err := parameter.NotNegative("eps", eps); err != nil {
		return evidence.Certified{}, err
	}
	if r.Dimension < 2 {
		return evidence.Certified{}, parameter.Bad("dimension", r.Dimension, "at least 2")
	}
	if err := errors.Join(positive("sensitivity", r.Sensitivity), positive("variance", r.Variance)); err != nil {
		return evidence.Certified{}, err
	}
	shift := interval.Float(r.Sensitivity).Quo(interval.Float(r.Variance).Sqrt()).Mid()
	if !(shift >= 1e-100 && shift <= 1e100) {
		return evidence.Certified{}, parameter.Errorf("sensitivity = %g is %.3g standard deviations of the noise, want from 1e-100 to 1e100", r.Sensitivity, shift)
	}
	for radii, angles := 400, 100; ; radii, angles = radii*2, angles*2 {
		lo, hi, err := r.integrate(ctx, shift, eps, radii, angles)
		if err != nil {
			return evidence.Certified{}, err
		}
		if hi-lo <= tolerance || radii*angles*4 > 4<<20 {
			return evidence.Certified{
				Lo: lo, Hi: hi, Loss: true,
				Method: fmt.Sprintf("privacy loss enclosed on %d × %d cells of radius and angle", radii, angles),
				Source: "Ji and Li, arXiv:2306.02256v3",
			}, nil
		}
	}
}

// integrate sums the cells of a grid: radii in geometric progression from where the
// half-normal mass below is 1e-7 or less, angles at about equal probabilities.
func (r RankOne) integrate(ctx context.Context, shift, eps float64, radii, angles int) (lo, hi float64, err error) {
	const last = 9
	first := math.Min(shift, 1) * 1e-7
	ratio := math.Pow(last/first, 1/float64(radii))
	cosines, err := newAngles(ctx, r.Dimension, angles)
	if err != nil {
		return 0, 0, err
	}
	loss := &losses{half: float64(r.Dimension-1) / 2, shift: shift, eps: eps}
	// Outside the grid: nothing from below, everything from above: the density is below
	// √(2/π) < 0.8, and its tail below that times e^{−x²/2}/x.
	hi = 0.8*first + 0.8*elementary.Exp(-last*last/2.0)/last
	for i := range radii {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		x1, x2 := first*math.Pow(ratio, float64(i)), first*math.Pow(ratio, float64(i+1))
		if i == radii-1 {
			x2 = last
		}
		weight := halfNormal(x1, x2)
		rowLo, rowHi := 0.0, 0.0
		_, most := loss.gains(x1, x2, cosines.cuts[0])
		for j := range angles { // the loss falls in c
			if most == 0 {
				break
			}
			least, next := loss.gains(x1, x2, cosines.cuts[j+1])
			rowHi += cosines.most[j] * most
			rowLo += cosines.least[j] * least
			most = next
		}
		lo += weight * rowLo
		hi += weight * rowHi
	}
	// Sums of so many positive terms and products.
	off := 4*float64(radii+angles)*unit + halfNormalError
	return math.Max(0, lo*(1-off)), math.Min(1, hi*(1+off)), nil
}
