package mvg

import (
	"context"
	"fmt"
	"math"

	"dpworkbench/evidence"

	"gonum.org/v1/gonum/mathext"
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
// an error wrapping evidence.ErrParameter unless M > 2, ε and the sensitivity are
// positive and finite, and 0 < δ < 1.
func NewRankOne(dimension int, sensitivity, eps, delta float64) (RankOne, error) {
	if dimension < 3 {
		return RankOne{}, fmt.Errorf("%w: dimension = %d, want at least 3", evidence.ErrParameter, dimension)
	}
	if err := positive("sensitivity", sensitivity); err != nil {
		return RankOne{}, err
	}
	if err := positive("eps", eps); err != nil {
		return RankOne{}, err
	}
	if !(delta > 0 && delta < 1) {
		return RankOne{}, fmt.Errorf("%w: delta = %g, want 0 < delta < 1", evidence.ErrParameter, delta)
	}
	m := float64(dimension)
	high, _ := math.Lgamma((m - 1) / 2)
	low, _ := math.Lgamma(m / 2)
	logPsi := 2 / (m - 2) * (math.Log(delta) + high - low - math.Log(math.Pi)/2)
	return RankOne{dimension, sensitivity, 2 * sensitivity * sensitivity / eps * math.Exp(-logPsi)}, nil
}

// ClaimedError returns the expected squared norm of the noise.
func (r RankOne) ClaimedError() float64 { return r.Variance }

// DeltaAt encloses the real δ(ε) of the mechanism for one pair of answers at
// distance Δ: by the law's rotational symmetry, every such pair is alike.
//
// At noise of norm ρ and cosine c to the shift, the other answer sees noise of
// norm ρ' with ρ'² = ρ² + Δ² − 2ρΔc. The noise has density proportional to
// ρ^{−(M−1)} e^{−ρ²/2v}, so the privacy loss is
//
//	L = (M−1)/2 · ln(1 + (Δ² − 2ρΔc)/ρ²) + (Δ² − 2ρΔc)/2v,
//
// and δ(ε) = E(1 − e^{ε−L})⁺ with ρ half-normal and (1+c)/2 ~ Beta((M−1)/2,
// (M−1)/2). On a cell of a grid in (ρ, c) the loss is enclosed: it falls in c; in
// s = 1/ρ the logarithm's argument is the parabola 1 + Δ²s² − 2Δcs, least at
// s = c/Δ; the second term is linear in ρ. The sums of the cells' probabilities
// times the ends of (1 − e^{ε−L})⁺ enclose δ; 1e-9 covers the float64 of erf and
// of the incomplete beta function. The grid is refined where the ends differ most
// until they agree within tolerance or 4 million cells are spent.
func (r RankOne) DeltaAt(ctx context.Context, eps, tolerance float64) (evidence.Certified, error) {
	if err := positive("tolerance", tolerance); err != nil {
		return evidence.Certified{}, err
	}
	if !(eps >= 0) || math.IsInf(eps, 1) {
		return evidence.Certified{}, fmt.Errorf("%w: eps = %g, want a finite number, at least 0", evidence.ErrParameter, eps)
	}
	var out evidence.Certified
	for radii, angles := 400, 100; ; radii, angles = radii*2, angles*2 {
		lo, hi, err := r.integrate(ctx, eps, radii, angles)
		if err != nil {
			return evidence.Certified{}, err
		}
		const special = 1e-9
		out = evidence.Certified{
			Lo: math.Max(0, lo*(1-special)), Hi: math.Min(1, hi*(1+special)+1e-15), Loss: true,
			Method: fmt.Sprintf("privacy loss enclosed on %d × %d cells of radius and angle", radii, angles),
			Source: "Ji and Li, arXiv:2306.02256v3",
		}
		if out.Hi-out.Lo <= tolerance || radii*angles*4 > 4<<20 {
			return out, nil
		}
	}
}

// integrate sums the cells of a grid: radii in geometric progression from where
// the half-normal mass below is 1e-9 of the whole tolerance, angles at equal
// probabilities.
func (r RankOne) integrate(ctx context.Context, eps float64, radii, angles int) (lo, hi float64, err error) {
	sd, d := math.Sqrt(r.Variance), r.Sensitivity
	half := float64(r.Dimension-1) / 2
	cut := make([]float64, angles+1) // cosines
	mass := make([]float64, angles)
	for j := range cut {
		cut[j] = 2*mathext.InvRegIncBeta(half, half, float64(j)/float64(angles)) - 1
	}
	cut[0], cut[angles] = -1, 1
	below := 0.0
	for j := range mass {
		next := mathext.RegIncBeta(half, half, (1+cut[j+1])/2)
		if j == angles-1 {
			next = 1
		}
		mass[j], below = next-below, next
	}
	logarithm := func(s, c float64) float64 {
		x := d * s * (d*s - 2*c)
		if x <= -1 { // only at c = 1, ρ = Δ, where the other answer has no noise
			return math.Inf(-1)
		}
		return half * math.Log1p(x)
	}
	ends := func(r1, r2, c float64) (least, most float64) {
		s1, s2 := 1/r2, 1/r1
		a, b := logarithm(s1, c), logarithm(s2, c)
		least, most = math.Min(a, b), math.Max(a, b)
		if v := c / d; v > s1 && v < s2 {
			least = logarithm(v, c)
		}
		u, w := d*(d-2*r1*c)/(2*r.Variance), d*(d-2*r2*c)/(2*r.Variance)
		return least + math.Min(u, w), most + math.Max(u, w)
	}
	gain := func(l float64) float64 {
		if l <= eps {
			return 0
		}
		return -math.Expm1(eps - l)
	}
	first, last := math.Min(d, sd)*1e-7, sd*9
	ratio := math.Pow(last/first, 1/float64(radii))
	// Outside the grid: nothing from below, everything from above.
	hi = math.Erf(first/sd/math.Sqrt2) + math.Erfc(last/sd/math.Sqrt2)
	for i := range radii {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		r1 := first * math.Pow(ratio, float64(i))
		r2 := first * math.Pow(ratio, float64(i+1))
		if i == radii-1 {
			r2 = last
		}
		weight := math.Erfc(r1/sd/math.Sqrt2) - math.Erfc(r2/sd/math.Sqrt2)
		if r2 < sd {
			weight = math.Erf(r2/sd/math.Sqrt2) - math.Erf(r1/sd/math.Sqrt2)
		}
		rowLo, rowHi := 0.0, 0.0
		for j := range angles { // the loss falls in c
			_, most := ends(r1, r2, cut[j])
			g := gain(most)
			if g == 0 {
				break
			}
			least, _ := ends(r1, r2, cut[j+1])
			rowHi += mass[j] * g
			rowLo += mass[j] * gain(least)
		}
		lo += weight * rowLo
		hi += weight * rowHi
	}
	return lo, hi, nil
}
