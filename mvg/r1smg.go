package mvg

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/internal/elementary"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/privacy"
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

	delta evidence.Delta // claimed; 0 if the variance is given
}

// NewRankOne returns R1SMG with the variance that its paper requires, in float64, computed from the float64 nearest to
// δ. It returns an error wrapping evidence.ErrParameter unless M > 2, ε, the sensitivity and the variance are positive
// and finite, and 0 < δ < 1.
func NewRankOne(dimension int, sensitivity float64, eps evidence.Epsilon, delta evidence.Delta) (RankOne, error) {
	if dimension < 3 {
		return RankOne{}, parameter.Bad("dimension", dimension, "at least 3")
	}
	if err := cmp.Or(parameter.Positive("sensitivity", sensitivity), eps.Positive("eps"), delta.Positive("delta")); err != nil {
		return RankOne{}, err
	}
	m := float64(dimension)
	high, _ := math.Lgamma((m - 1) / 2)
	low, _ := math.Lgamma(m / 2)
	logPsi := 2 / (m - 2) * (math.Log(delta.Value()) + high - low - math.Log(math.Pi)/2)
	s := interval.Float(sensitivity)
	variance := 2 * s.Mul(s).Quo(eps.Enclosure()).Mid() * math.Exp(-logPsi)
	if !(variance > 0) || math.IsInf(variance, 1) {
		return RankOne{}, parameter.Errorf("at dimension = %d, sensitivity = %g, eps = %v and delta = %v the variance is %g, want a positive finite number", dimension, sensitivity, eps, delta, variance)
	}
	return RankOne{dimension, sensitivity, variance, delta}, nil
}

// ClaimedError returns the expected squared norm of the noise.
func (r RankOne) ClaimedError() evidence.Claimed {
	return evidence.Claimed{Value: r.Variance, Provenance: evidence.From(rankOneSource)}
}

// ClaimedDelta returns the paper's δ at the ε that the mechanism was made for; ok is false if its variance was
// given.
func (r RankOne) ClaimedDelta() (delta evidence.Claimed, ok bool) {
	return evidence.Claimed{Value: r.delta.Value(), Provenance: evidence.From(rankOneSource)}, !r.delta.IsZero()
}

// Privacy returns the actual privacy of the mechanism for one pair of answers at distance Δ; by rotational symmetry all
// such pairs are equivalent. δ(ε) is refined until its ends agree within tolerance, or 4 million cells are used. ε(δ)
// is found by bisection. It is infinite at δ = 0, because the loss is unbounded.
//
// At noise of norm √v·x and cosine c to the shift, with a = Δ/√v, the noise for the other answer has squared norm v(x²
// + a² − 2axc). The noise has density proportional to ρ^{−(M−1)} e^{−ρ²/2v} at norm ρ, so the privacy loss is
//
//	L = (M−1)/2 · ln((a/x − c)² + 1 − c²) + a²/2 − axc,
//
// and δ(ε) = E(1 − e^{ε−L})⁺ with x half-normal and (1+c)/2 ~ Beta((M−1)/2, (M−1)/2). On a cell of a grid in (x, c) the
// loss is enclosed: it decreases in c, the logarithm's argument is a parabola in 1/x, and the second term is linear in
// x. The sums of the cells' probabilities times the ends of (1 − e^{ε−L})⁺ enclose δ, in float64 with outward rounding
// (rankone_cells.go). The grid is refined until the ends agree.
//
// The methods return an error wrapping evidence.ErrParameter unless the dimension is at least 2, tolerance, sensitivity
// and variance are positive and finite, and Δ/√v is between 1e-100 and 1e100. They return the context's error if it is
// cancelled.
func (r RankOne) Privacy(tolerance float64) privacy.Profile { return rankOneCurve{r, tolerance} }

type rankOneCurve struct {
	noise     RankOne
	tolerance float64
}

const rankOneSource = "Ji and Li, arXiv:2306.02256v3"

// shift returns a = Δ/√v, or an error if the curve cannot be computed.
func (c rankOneCurve) shift() (float64, error) {
	r := c.noise
	if err := parameter.Positive("tolerance", c.tolerance); err != nil {
		return 0, err
	}
	if r.Dimension < 2 {
		return 0, parameter.Bad("dimension", r.Dimension, "at least 2")
	}
	if err := errors.Join(parameter.Positive("sensitivity", r.Sensitivity), parameter.Positive("variance", r.Variance)); err != nil {
		return 0, err
	}
	shift := interval.Float(r.Sensitivity).Quo(interval.Float(r.Variance).Sqrt()).Mid()
	if !(shift >= 1e-100 && shift <= 1e100) {
		return 0, parameter.Errorf("sensitivity = %g is %.3g standard deviations of the noise, want from 1e-100 to 1e100", r.Sensitivity, shift)
	}
	return shift, nil
}

// Delta implements privacy.Profile.
func (c rankOneCurve) Delta(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	shift, err := c.shift()
	if err != nil {
		return nil, err
	}
	for radii, angles := 400, 100; ; radii, angles = radii*2, angles*2 {
		lo, hi, err := c.noise.integrate(ctx, shift, eps, radii, angles)
		if err != nil {
			return nil, err
		}
		if hi-lo <= c.tolerance || radii*angles*4 > 4<<20 {
			return evidence.Certified{
				Lo: lo, Hi: hi, Side: evidence.Up,
				Provenance: evidence.From(rankOneSource).By(fmt.Sprintf("privacy loss enclosed on %d × %d cells of radius and angle", radii, angles)),
			}, nil
		}
	}
}

// Epsilon implements privacy.Profile.
func (c rankOneCurve) Epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
	if _, err := c.shift(); err != nil {
		return nil, err
	}
	if delta.IsZero() { // the loss tends to infinity as x tends to 0
		return evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up, Provenance: evidence.From(rankOneSource).By("the privacy loss has no bound")}, nil
	}
	const width = 1e-6 // a bisection step takes up to 4 million cells
	out, err := privacy.EpsilonAt(ctx, privacy.Inversion{Delta: delta, Width: width, Source: rankOneSource, At: c.Delta})
	if err != nil {
		return nil, err
	}
	out.Method = "bisection of δ(ε), enclosed on cells of radius and angle"
	return out, nil
}

// integrate returns bounds on δ(ε), summed over the cells of a grid. Radii form a geometric progression, starting where
// the half-normal mass below is at most 1e-7. Angles have about equal probabilities.
func (r RankOne) integrate(ctx context.Context, shift float64, eps evidence.Epsilon, radii, angles int) (lo, hi float64, err error) {
	const last = 9
	first := math.Min(shift, 1) * 1e-7
	ratio := math.Pow(last/first, 1/float64(radii))
	cosines, err := newAngles(ctx, r.Dimension, angles)
	if err != nil {
		return 0, 0, err
	}
	loss := &losses{half: float64(r.Dimension-1) / 2, shift: shift}
	loss.least, loss.most = eps.Enclosure().Bounds()
	// Outside the grid, the lower bound counts none of the probability and the upper bound all of it. The density is
	// below √(2/π) < 0.8, and its tail below that times e^{−x²/2}/x.
	hi = 0.8*first + 0.8*elementary.Exp(-last*last/2.0)/last
	beyond := gaussian.Tail(interval.Float(first))
	for i := range radii {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		parallel.Report(ctx, int64(i), int64(radii), "%d × %d cells", radii, angles)
		x1, x2 := first*math.Pow(ratio, float64(i)), first*math.Pow(ratio, float64(i+1))
		if i == radii-1 {
			x2 = last
		}
		inside := beyond // half of the probability above x1
		beyond = gaussian.Tail(interval.Float(x2))
		weight := 2 * inside.Sub(beyond).Mid()
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
	// The relative rounding error of the sums of so many positive products.
	off := 4 * float64(radii+angles+2) * unit
	return math.Max(0, lo*(1-off)), math.Min(1, hi*(1+off)), nil
}
