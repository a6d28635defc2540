package gaussian

import (
	"errors"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
)

const (
	source  = "Balle and Wang, arXiv:1805.06530v2, Theorem 8"
	method  = "Mills ratios with enclosed remainders, 256-bit outward rounding"
	newtons = "interval Newton step on " + method
)

// errNotEnclosed says that an interval Newton step did not prove its root.
var errNotEnclosed = errors.New("gaussian: root not enclosed")

// Delta encloses the least δ at which noise of standard deviation sigma a
// coordinate makes a query of L2 sensitivity sensitivity (ε, δ)-private. Read
// its upper end. Errors wrap evidence.ErrParameter.
func Delta(eps evidence.Epsilon, sigma, sensitivity float64) (evidence.Certified, error) {
	mu, err := ratio(sigma, sensitivity)
	if err != nil {
		return evidence.Certified{}, err
	}
	return DeltaAt(eps.Enclosure(), mu), nil
}

// DeltaAt encloses δ(ε, μ) for enclosures of ε ≥ 0 and μ > 0.
func DeltaAt(eps, mu interval.Interval) evidence.Certified {
	loE, hiE := eps.Bounds()
	loM, hiM := mu.Bounds()
	switch low, high := loE/hiM-hiM/2, hiE/loM-loM/2; {
	case high < -100: // δ ≥ 1 − 2Φ(a) and Φ(−100) < 2⁻⁶⁰⁰⁰
		return evidence.Certified{Lo: math.Nextafter(1, 0), Hi: 1, Loss: true, Method: method, Source: source}
	case low > 100: // δ ≤ Φ(−a)
		return evidence.Certified{Lo: 0, Hi: math.SmallestNonzeroFloat64, Loss: true, Method: method, Source: source}
	}
	// δ falls in ε and rises in μ.
	d := newPoint(eps.Upper(), mu.Lower(), 90).delta()
	if loE < hiE || loM < hiM {
		d = interval.Hull(d, newPoint(eps.Lower(), mu.Upper(), 90).delta())
	}
	out := evidence.EnclosedLoss(d, method, source)
	out.Hi = math.Min(out.Hi, 1)
	return out
}

// LogDeltaAt encloses ln δ(ε, μ), which stays within reach where δ itself is
// below the smallest float64. It needs μ below 100 or ε/μ > μ/2.
func LogDeltaAt(eps, mu interval.Interval) evidence.Certified {
	lo, _ := newPoint(eps.Upper(), mu.Lower(), 110).logDelta().Bounds()
	_, hi := newPoint(eps.Lower(), mu.Upper(), 110).logDelta().Bounds()
	return evidence.Certified{Lo: lo, Hi: math.Min(hi, 0), Loss: true, Method: method, Source: source}
}

// Mu encloses the largest sensitivity-to-σ ratio that is (ε, δ)-private. Read
// its lower end. Errors wrap evidence.ErrParameter.
func Mu(eps evidence.Epsilon, delta float64) (evidence.Certified, error) {
	m, err := muEnclosure(eps, delta)
	if err != nil {
		return evidence.Certified{}, err
	}
	return evidence.Enclosed(m, newtons, source), nil
}

// Sigma encloses the least standard deviation a coordinate that makes a query
// of L2 sensitivity sensitivity (ε, δ)-private. Read its upper end. Errors wrap
// evidence.ErrParameter.
func Sigma(eps evidence.Epsilon, delta, sensitivity float64) (evidence.Certified, error) {
	if err := checkPositive("sensitivity", sensitivity); err != nil {
		return evidence.Certified{}, err
	}
	m, err := muEnclosure(eps, delta)
	if err != nil {
		return evidence.Certified{}, err
	}
	return evidence.EnclosedLoss(interval.Float(sensitivity).Quo(m), newtons, source), nil
}

// muEnclosure encloses the root μ* of δ(ε, μ) = δ by one interval Newton step
// from the float64 root μ₀: δ rises in μ with slope φ(a(μ)), so for some ξ
// between μ₀ and μ*
//
//	μ* = μ₀ − (R(a₀) − R(b₀) − δ/φ(a₀)) · φ(a₀)/φ(a(ξ)).
//
// If that lies within the neighborhood of μ₀ which ξ was taken from, it holds
// the only root (Neumaier, Interval Methods for Systems of Equations, 5.1).
func muEnclosure(eps evidence.Epsilon, delta float64) (interval.Interval, error) {
	if err := checkPrivacy(eps.Value(), delta); err != nil {
		return interval.Interval{}, err
	}
	e := eps.Enclosure()
	start := solveMu(eps.Value(), math.Log(delta))
	for radius := start * 1e-13; radius < start/4; radius *= 1000 {
		at := interval.Float(start)
		p := newPoint(e, at, 44-math.Log(math.Min(start, 1)))
		excess := p.drop.Sub(interval.Float(delta).Mul(sqrtTwoPi).Mul(p.exp()))
		around := interval.Between(start-radius, start+radius)
		if next := at.Sub(excess.Mul(slopeRatio(e, around, p))); inside(next, start-radius, start+radius) {
			return next, nil
		}
	}
	return interval.Interval{}, fmt.Errorf("%w: eps = %v, delta = %g", errNotEnclosed, eps, delta)
}

// slopeRatio encloses φ(a₀)/φ(a(ξ)) = exp((a(ξ)² − a₀²)/2) for ξ in around.
func slopeRatio(eps, around interval.Interval, p *point) interval.Interval {
	a := eps.Quo(around).Sub(around.Mul(half))
	lo, hi := a.Sub(p.a).Mul(a.Add(p.a)).Mul(half).Bounds()
	if lo > -0.5 && hi < 0.5 { // |eˣ − 1| ≤ 2|x| for |x| ≤ 1
		m := 2 * math.Max(-lo, hi)
		return interval.Between(1-m, 1+m)
	}
	return interval.Between(lo, hi).Exp()
}

func inside(a interval.Interval, lo, hi float64) bool {
	l, h := a.Bounds()
	return lo < l && h < hi
}

// Epsilon encloses the least ε ≥ 0 at which noise of standard deviation sigma
// makes a query of L2 sensitivity sensitivity (ε, δ)-private. Read its upper
// end. Errors wrap evidence.ErrParameter.
func Epsilon(delta, sigma, sensitivity float64) (evidence.Certified, error) {
	mu, err := ratio(sigma, sensitivity)
	if err != nil {
		return evidence.Certified{}, err
	}
	return EpsilonAt(delta, mu)
}

// EpsilonAt encloses the least ε ≥ 0 with δ(ε, μ) ≤ δ for an enclosure of
// μ > 0. Errors wrap evidence.ErrParameter unless 0 < δ < 1.
//
// It proves its ends by evaluating δ there: δ falls in ε.
func EpsilonAt(delta float64, mu interval.Interval) (evidence.Certified, error) {
	if err := checkDelta(delta); err != nil {
		return evidence.Certified{}, err
	}
	start := solveEpsilon(math.Log(delta), mu.Mid())
	target := interval.Float(delta)
	// excess returns the sign of δ(ε, μ) − δ where it is proven.
	excess := func(eps float64, mu interval.Interval) int {
		if eps/mu.Mid()-mu.Mid()/2 < -1000 { // δ > 1 − 2⁻⁶⁰⁰⁰ ≥ target
			return 1
		}
		p := newPoint(interval.Float(eps), mu, 60)
		sign, _ := p.drop.Sub(target.Mul(sqrtTwoPi).Mul(p.exp())).Sign()
		return sign
	}
	out := evidence.Certified{Loss: true, Method: "δ enclosed at both ends; " + method, Source: source}
	if start == 0 && excess(0, mu.Upper()) < 0 {
		return out, nil
	}
	scale := math.Max(start, 1e-18)
	for step := 1e-15; ; step *= 4 {
		out.Hi = math.Nextafter(start+step*scale, math.Inf(1))
		if excess(out.Hi, mu.Upper()) < 0 {
			break
		}
		if step > 1e3 {
			return evidence.Certified{}, fmt.Errorf("%w: delta = %g, mu = %v", errNotEnclosed, delta, mu)
		}
	}
	for step := 1e-15; ; step *= 4 {
		out.Lo = math.Nextafter(start-step*scale, math.Inf(-1))
		if out.Lo <= 0 {
			out.Lo = 0
			break
		}
		if excess(out.Lo, mu.Lower()) > 0 {
			break
		}
	}
	return out, nil
}

// ratio encloses μ = sensitivity/σ.
func ratio(sigma, sensitivity float64) (interval.Interval, error) {
	if err := checkPositive("sigma", sigma); err != nil {
		return interval.Interval{}, err
	}
	if err := checkPositive("sensitivity", sensitivity); err != nil {
		return interval.Interval{}, err
	}
	return interval.Float(sensitivity).Quo(interval.Float(sigma)), nil
}
