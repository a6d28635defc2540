package gaussian

import (
	"errors"
	"fmt"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

const (
	source  = "Balle and Wang, arXiv:1805.06530v2, Theorem 8"
	method  = "Mills ratios with enclosed remainders, 256-bit outward rounding"
	newtons = "interval Newton step on " + method
	inBalls = "interval Newton step on Mills ratios with enclosed remainders, pairs of float64 with their roundings bounded"
)

// errNotEnclosed is the error of an interval Newton step that did not prove its root.
var errNotEnclosed = errors.New("gaussian: root not enclosed")

// Delta encloses the least δ for which noise of standard deviation sigma per coordinate makes a query of the given L2
// sensitivity (ε, δ)-private. The safe side is up. Errors wrap evidence.ErrParameter.
func Delta(eps evidence.Epsilon, sigma, sensitivity float64) (evidence.Certified, error) {
	mu, err := ratio(sigma, sensitivity)
	if err != nil {
		return evidence.Certified{}, err
	}
	return evidence.WithStatement(deltaBetween(eps.Enclosure(), mu, mu), &DeltaStatement{eps, sigma, sensitivity}), nil
}

// DeltaAt encloses δ(ε, μ) for an enclosure of μ ≥ 0; at ε = 0 that is the total
// variation distance 2Φ(μ/2) − 1.
func DeltaAt(eps evidence.Epsilon, mu interval.Interval) evidence.Certified {
	least := plain(mu.Lower())
	most := least
	if mu.Lower().CmpLo(mu.Upper()) != 0 {
		most = plain(mu.Upper())
	}
	return deltaBetween(eps.Enclosure(), least, most)
}

// deltaBetween encloses δ(ε, μ) for μ between least and most. δ decreases in ε and increases in μ.
func deltaBetween(eps interval.Interval, least, most quotient) evidence.Certified {
	out := evidence.Certified{Side: evidence.Up, Provenance: evidence.From(source).By(method)}
	under, over := least.delta(eps.Upper()), evidence.Certified{}
	if least == most && eps.CmpLo(eps.Upper()) == 0 {
		over = under
	} else {
		over = most.delta(eps.Lower())
	}
	out.Lo, out.Hi = under.Lo, math.Min(over.Hi, 1)
	return out
}

// delta encloses δ(ε, μ). For |a| > 100, δ is 0 or 1 up to 2⁻⁶⁰⁰⁰, since 1 − 2Φ(a) ≤ δ ≤ Φ(−a). At μ = 0, δ is 0.
// Negative numbers in an enclosure of μ count as 0.
func (m quotient) delta(eps interval.Interval) evidence.Certified {
	if sign, _ := m.num.Sign(); sign <= 0 {
		return evidence.Certified{}
	}
	if delta, ok := m.deltaBall(eps); ok {
		if lo, hi, ok := delta.Nearest(); ok {
			return evidence.Certified{Lo: lo, Hi: hi, Side: evidence.Up, Provenance: evidence.From(source).By(method)}
		}
	}
	a, _ := m.ends(eps)
	switch lo, hi := a.Bounds(); {
	case lo > 100:
		return evidence.Certified{Lo: 0, Hi: math.SmallestNonzeroFloat64}
	case hi < -100:
		return evidence.Certified{Lo: math.Nextafter(1, 0), Hi: 1}
	case lo < -100 || hi > 100: // the enclosure of a is too wide
		return evidence.Certified{Lo: 0, Hi: 1}
	}
	return evidence.EnclosedLoss(m.point(eps, fullNats).delta(), method, source)
}

// Mu encloses the largest ratio μ of sensitivity to σ at which the noise is (ε, δ)-private. The safe side is down.
// Errors wrap evidence.ErrParameter.
func Mu(eps evidence.Epsilon, delta evidence.Delta) (evidence.Certified, error) {
	if m, ok := quickMu(eps, delta); ok {
		if lo, hi, ok := m.Nearest(); ok {
			return evidence.WithStatement(evidence.Certified{Lo: lo, Hi: hi, Side: evidence.Down, Provenance: evidence.From(source).By(inBalls)}, &MuStatement{eps, delta}), nil
		}
	}
	m, err := muEnclosure(eps, delta)
	if err != nil {
		return evidence.Certified{}, err
	}
	return evidence.WithStatement(evidence.WithSide(evidence.Enclosed(m, newtons, source), evidence.Down), &MuStatement{eps, delta}), nil
}

// Sigma encloses the least standard deviation per coordinate that makes a query of the given L2 sensitivity (ε,
// δ)-private. The safe side is up. Errors wrap evidence.ErrParameter.
func Sigma(eps evidence.Epsilon, delta evidence.Delta, sensitivity float64) (evidence.Certified, error) {
	if err := parameter.Positive("sensitivity", sensitivity); err != nil {
		return evidence.Certified{}, err
	}
	statement := &SigmaStatement{eps, delta, sensitivity}
	if m, ok := quickMu(eps, delta); ok {
		if lo, hi, ok := interval.BallAt(sensitivity).Quo(m).Nearest(); ok {
			return evidence.WithStatement(evidence.Certified{Lo: lo, Hi: hi, Side: evidence.Up, Provenance: evidence.From(source).By(inBalls)}, statement), nil
		}
	}
	m, err := muEnclosure(eps, delta)
	if err != nil {
		return evidence.Certified{}, err
	}
	sigma := evidence.EnclosedLoss(interval.Float(sensitivity).Quo(m), newtons, source)
	return evidence.WithStatement(sigma, statement), nil
}

// SigmaAt returns what Sigma does for a positive sensitivity that is given by an enclosure.
func SigmaAt(eps evidence.Epsilon, delta evidence.Delta, sensitivity interval.Interval) (evidence.Certified, error) {
	m, err := muEnclosure(eps, delta)
	if err != nil {
		return evidence.Certified{}, err
	}
	return evidence.EnclosedLoss(sensitivity.Quo(m), newtons, source), nil
}

// quickMu does the work of muEnclosure in ball arithmetic. It returns false if that proves nothing.
func quickMu(eps evidence.Epsilon, delta evidence.Delta) (interval.Ball, bool) {
	if checkPrivacy(eps, delta) != nil {
		return interval.Ball{}, false
	}
	return muBall(eps.Enclosure().Ball(), delta.Ball(), solveMu(eps.Value(), logOf(delta)))
}

// muEnclosure encloses the root μ* of δ(ε, μ) = δ by one interval Newton step from the float64 root μ₀. δ increases in
// μ with slope φ(a(μ)), so for some ξ between μ₀ and μ*
//
//	μ* = μ₀ − (R(a₀) − R(b₀) − δ/φ(a₀)) · φ(a₀)/φ(a(ξ)).
//
// If the result lies within the neighborhood of μ₀ that contains ξ, it contains the only root (Neumaier, Interval
// Methods for Systems of Equations, 5.1).
func muEnclosure(eps evidence.Epsilon, delta evidence.Delta) (interval.Interval, error) {
	if err := checkPrivacy(eps, delta); err != nil {
		return interval.Interval{}, err
	}
	return muNear(eps, delta, solveMu(eps.Value(), logOf(delta)))
}

// muNear encloses the root μ*. It tries growing neighborhoods of start until the Newton step stays within one, which
// proves the enclosure.
func muNear(eps evidence.Epsilon, delta evidence.Delta, start float64) (interval.Interval, error) {
	e, at := eps.Enclosure(), interval.Float(start)
	p := newPoint(e, at, aim(muNats, start))
	excess := p.drop.Sub(delta.Enclosure().Mul(sqrtTwoPi).Mul(p.exp()))
	for radius := start * 1e-13; radius < start/4; radius *= 1000 {
		around := interval.Between(start-radius, start+radius)
		next := at.Sub(excess.Mul(slopeRatio(e, around, p)))
		if lo, hi := next.Bounds(); start-radius < lo && hi < start+radius {
			return next, nil
		}
	}
	return interval.Interval{}, fmt.Errorf("%w: eps = %v, delta = %v", errNotEnclosed, eps, delta)
}

// unit is the rounding unit of float64.
const unit = interval.Unit

// slopeRatio encloses φ(a₀)/φ(a(ξ)) = exp((a(ξ)² − a₀²)/2) for ξ in around.
func slopeRatio(eps, around interval.Interval, p *point) interval.Interval {
	a := eps.Quo(around).Sub(around.Mul(half))
	lo, hi := a.Sub(p.a).Mul(a.Add(p.a)).Mul(half).Bounds()
	if m := 2 * math.Max(-lo, hi); m < 1 { // |eˣ − 1| ≤ 2|x| for |x| ≤ 1
		return interval.Between(1-m, 1+m)
	}
	return interval.Between(lo, hi).Exp()
}

// Epsilon encloses the least ε ≥ 0 for which noise of standard deviation sigma makes a query of the given L2
// sensitivity (ε, δ)-private. It is infinite at δ = 0. The safe side is up. Errors wrap evidence.ErrParameter.
func Epsilon(delta evidence.Delta, sigma, sensitivity float64) (evidence.Certified, error) {
	mu, err := ratio(sigma, sensitivity)
	if err != nil {
		return evidence.Certified{}, err
	}
	statement := &EpsilonStatement{delta, sigma, sensitivity}
	if delta.IsZero() {
		return evidence.WithStatement(pureEpsilon(mu.value()), statement), nil
	}
	if err := checkDelta(delta); err != nil {
		return evidence.Certified{}, err
	}
	if _, hi := mu.value().Bounds(); !(hi <= mostMu) {
		return evidence.Certified{}, parameter.Bad("sigma", sigma, "at least the sensitivity %g divided by %g", sensitivity, mostMu)
	}
	return stating(statement)(epsilonBetween(delta, mu, mu))
}

// stating returns a function that attaches the statement s to a number, and returns an error unchanged.
func stating(s evidence.Statement) func(c evidence.Certified, err error) (evidence.Certified, error) {
	return func(c evidence.Certified, err error) (evidence.Certified, error) {
		if err != nil {
			return evidence.Certified{}, err
		}
		return evidence.WithStatement(c, s), nil
	}
}

// EpsilonAt encloses the least ε ≥ 0 with δ(ε, μ) ≤ δ for an enclosure of μ ≥ 0. At δ = 0 the result is infinite unless
// μ is 0. It returns an error wrapping evidence.ErrParameter unless δ is 0 or 1e-307 ≤ δ < 1, and μ is at most 1e153.
func EpsilonAt(delta evidence.Delta, mu interval.Interval) (evidence.Certified, error) {
	if delta.IsZero() {
		return pureEpsilon(mu), nil
	}
	if err := checkDelta(delta); err != nil {
		return evidence.Certified{}, err
	}
	if _, hi := mu.Bounds(); !(hi <= mostMu) {
		return evidence.Certified{}, parameter.Errorf("mu = %.6g (the sensitivity divided by the standard deviation of the noise), want at most %g", hi, mostMu)
	}
	least := plain(mu.Lower())
	most := least
	if mu.Lower().CmpLo(mu.Upper()) != 0 {
		most = plain(mu.Upper())
	}
	return epsilonBetween(delta, least, most)
}

// pureEpsilon returns the least ε at δ = 0. It is 0 for μ = 0, and infinite for μ > 0, since the privacy loss of
// Gaussian noise is unbounded.
func pureEpsilon(mu interval.Interval) evidence.Certified {
	out := evidence.Certified{Side: evidence.Up, Provenance: evidence.From(source).By(method)}
	if sign, _ := mu.Lower().Sign(); sign > 0 {
		out.Lo = math.Inf(1)
	}
	if sign, _ := mu.Upper().Sign(); sign > 0 {
		out.Hi = math.Inf(1)
	}
	return out
}

// epsilonBetween encloses the least ε for μ between least and most. If μ is a point, it takes an interval Newton step
// in ball arithmetic. If μ is not, or the step fails, it evaluates δ at the ends of the result to prove them: δ
// decreases in ε and increases in μ.
func epsilonBetween(delta evidence.Delta, least, most quotient) (evidence.Certified, error) {
	if least == most {
		if eps, ok := epsilonBall(most.ball(), delta.Ball(), logOf(delta)); ok {
			if lo, hi, ok := eps.Nearest(); ok {
				return evidence.Certified{Lo: lo, Hi: hi, Side: evidence.Up, Provenance: evidence.From(source).By(inBalls)}, nil
			}
		}
	}
	out := evidence.Certified{Side: evidence.Up, Provenance: evidence.From(source).By("δ enclosed at both ends; " + method)}
	// Since δ(0, μ) ≤ μ/√(2π), ε is 0 unless μ exceeds δ√(2π).
	if most.num.CmpHi(delta.Enclosure().Mul(sqrtTwoPi).Mul(most.den).Lower()) <= 0 {
		return out, nil
	}
	above := epsilonRoot{delta, most}
	start := above.near()
	var ok bool
	if out.Hi, ok = above.upper(start); !ok {
		return evidence.Certified{}, fmt.Errorf("%w: delta = %v, mu = %v", errNotEnclosed, delta, most.value())
	}
	if sign, _ := least.num.Sign(); sign <= 0 {
		return out, nil
	}
	below := epsilonRoot{delta, least}
	if _, hi := most.value().Bounds(); hi > math.Nextafter(least.value().Mid(), math.Inf(1)) {
		start = below.near()
	}
	out.Lo = below.lower(start)
	return out, nil
}

// mostMu bounds μ, so that ε ≈ μ²/2 is well within the range of float64.
const mostMu = 1e153

// epsilonRoot is the equation δ(ε, μ) = δ in ε at one μ.
type epsilonRoot struct {
	delta evidence.Delta
	mu    quotient
}

// at encloses δ(ε, ·) at μ, or returns the sign of δ(ε, μ) − δ if a alone determines that sign. For a > 40, δ(ε, μ) ≤
// Φ(−a) < 1e-340. For a < −40, δ(ε, μ) ≥ 1 − 2Φ(a) is closer to 1 than any float64 below 1. at returns nil and 0 if the
// enclosure of a is too wide.
func (r epsilonRoot) at(eps float64) (p *point, sign int) {
	e := interval.Float(eps)
	a, _ := r.mu.ends(e)
	switch lo, hi := a.Bounds(); {
	case lo > 40:
		return nil, -1
	case hi < -40:
		return nil, 1
	case lo < -100 || hi > 100:
		return nil, 0
	}
	return r.mu.point(e, aim(epsilonNats, r.mu.value().Mid())), 0
}

// quick returns δ(ε, ·) at μ in ball arithmetic. It returns false if balls may be too inaccurate.
func (r epsilonRoot) quick(eps float64) (p ballPoint, ok bool) {
	mu := r.mu.ball()
	return pointBall(interval.BallAt(eps), mu, aim(epsilonNats, mu.Mid.Hi))
}

// excess encloses (δ(ε, μ) − δ)/φ(a).
func (r epsilonRoot) excess(p *point) interval.Interval {
	return p.drop.Sub(r.delta.Enclosure().Mul(sqrtTwoPi).Mul(p.exp()))
}

// sign returns the sign of δ(ε, μ) − δ, or 0 if the enclosure does not decide it.
func (r epsilonRoot) sign(eps float64) int {
	if p, ok := r.quick(eps); ok {
		if sign, _ := p.excess(r.delta.Ball()).Sign(); sign != 0 {
			return sign
		}
	}
	p, sign := r.at(eps)
	if p == nil {
		return sign
	}
	sign, _ = r.excess(p).Sign()
	return sign
}

// near returns a number that is usually the float64 nearest to the root. It applies Newton's method in higher precision
// to the float64 root. δ is convex in ε for a > 0. For other a the start may lie where δ is flat, so near takes no step
// beyond a standard deviation.
func (r epsilonRoot) near() float64 {
	mu := r.mu.value()
	start := rootEpsilon(logOf(r.delta), mu)
	for range 8 {
		var next float64
		if q, ok := r.quick(start); ok {
			next = math.Max(0, interval.BallAt(start).Add(q.excess(r.delta.Ball()).Quo(q.high)).Mid.Hi)
		} else if p, _ := r.at(start); p != nil {
			next = math.Max(0, interval.Float(start).Add(r.excess(p).Quo(p.high)).Mid())
		} else {
			break
		}
		// The error after a step is below (|a| + 1)/μ times the square of the step.
		if moved := math.Abs(next - start); moved*moved*64 <= unit*next*mu.Mid() || moved <= 2*unit*start {
			return next
		}
		if math.Abs(next-start) > mu.Mid() {
			break
		}
		start = next
	}
	return start
}

// upper searches outward from start for an end that is proven to be above the root. If it finds none, it returns 0 and
// false.
func (r epsilonRoot) upper(start float64) (float64, bool) {
	step := 2 * unit * math.Max(start, r.mu.value().Mid()*1e-18)
	for end := start; step < 1e6*math.Max(start, 1); step *= 4 {
		if r.sign(end) < 0 {
			return end, true
		}
		end = math.Nextafter(start+step/2, math.Inf(1))
	}
	return 0, false
}

// lower searches outward from start for an end that is proven to be below the root. If it finds none, it returns 0.
func (r epsilonRoot) lower(start float64) float64 {
	step := 2 * unit * start
	for end := start; end > 0; step *= 4 {
		if r.sign(end) > 0 {
			return end
		}
		end = math.Nextafter(start-step/2, math.Inf(-1))
	}
	return 0
}

// rootEpsilon returns a float64 near the root. For large μ the difference ε/μ − μ/2 cancels, so it solves for a and
// returns ε = μ(a + μ/2), which is positive since a ≥ −9.
func rootEpsilon(target float64, mu interval.Interval) float64 {
	m := mu.Mid()
	if m < 100 {
		return solveEpsilon(target, m)
	}
	a := interval.Float(solveA(target, m))
	return mu.Mul(a.Add(mu.Mul(half))).Mid()
}

// ratio returns μ = sensitivity/σ.
func ratio(sigma, sensitivity float64) (quotient, error) {
	if err := parameter.Positive("sigma", sigma); err != nil {
		return quotient{}, err
	}
	if err := parameter.Positive("sensitivity", sensitivity); err != nil {
		return quotient{}, err
	}
	return quotient{interval.Float(sensitivity), interval.Float(sigma)}, nil
}
