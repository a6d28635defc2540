package gaussian

import (
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
)

// FastError bounds the relative error of [FastMu] for ε in [1e-6, 1e3] and δ in [1e-300, 1/2].
//
// In units u = 2⁻⁵³, the Mills ratios have an error of 8u, and their difference one of 50u, because the subtraction
// loses at most a factor of six. a²/2 and ln δ are numbers of the size of ln δ and are rounded. That is an error of |ln
// δ|u in ln δ, which the slope d ln δ/d ln μ ≥ |a| μ/2 + a² reduces in μ. The last step of Newton's method leaves less
// than 10u. An ε that is not a float64 is rounded to one, which changes μ by 1u more. The sum stays below 200u =
// 2.3e-14. The test against the enclosures measures less than a tenth of this bound.
const FastError = 2.3e-14

const logSqrt2Pi = 0.91893853320467274178

// FastMu returns the largest μ = Δ/σ that is (ε, δ)-private, with a relative error of at most FastError. It rounds ε
// and δ to float64 and every operation to nearest, so the result may be too large or too small; Mu encloses μ. It
// returns an error wrapping evidence.ErrParameter unless ε is positive and finite and 0 < δ < 1.
func FastMu(eps evidence.Epsilon, delta evidence.Delta) (float64, error) {
	if err := checkPrivacy(eps, delta); err != nil {
		return 0, err
	}
	return solveMu(eps.Value(), logOf(delta)), nil
}

// logOf returns ln δ, computed from 1 − δ if that is small.
func logOf(delta evidence.Delta) float64 {
	if v := delta.Value(); v < 0.5 {
		return math.Log(v)
	}
	rest, _ := new(big.Rat).Sub(big.NewRat(1, 1), delta.Rat()).Float64()
	return math.Log1p(-rest)
}

// logDelta returns ln δ(ε, μ).
func logDelta(eps, mu float64) float64 {
	c, h := eps/mu, mu/2
	a := c - h
	if a < -1 { // δ = 1 − φ(a)(R(−a) + R(b)) does not cancel
		return math.Log1p(-math.Exp(-a*a/2-logSqrt2Pi) * (mills(-a) + mills(c+h)))
	}
	drop, _ := millsDrop(c, h)
	return math.Log(drop) - a*a/2 - logSqrt2Pi
}

// solveMu solves ln δ(ε, μ) = target for μ by Halley's method in ln μ.
//
// The slope d ln δ/d ln μ = μ/(R(a) − R(b)) decreases in μ. Indeed Q = −R' decreases and is convex, d/dμ of (R(a) −
// R(b))/μ has the sign of Q(a)b − Q(b)a − ∫Q over [a, b], and the trapezoid rule bounds the integral from above. So ln
// δ is concave in ln μ. The iteration converges from every start, and increases once it is on the left.
func solveMu(eps, target float64) float64 {
	mu := startMu(eps, target)
	for range 100 {
		l, slope := logDeltaSlope(eps, mu)
		c, h := eps/mu, mu/2
		ab := (c - h) * (c + h)
		step := halley(target-l, ab, slope*mu)
		if math.Abs(step)*(1+math.Abs(1+ab-slope*mu)) < 3e-6 { // the next error is of the order of the square
			return mu * math.Exp(step)
		}
		mu *= math.Exp(step)
	}
	return mu
}

// rightOf returns an upper bound of a at the root, given target = ln δ. It is the a ≥ 0 with e^{−a²/2}/2 = δ for δ < ½,
// and 0 for larger δ. At the root, δ ≤ Φ(−a) ≤ e^{−a²/2}/2.
func rightOf(target float64) float64 { return math.Sqrt(math.Max(0, -2*(target+math.Ln2))) }

// startMu solves the equation of solveMu with the Mills ratio approximated by 4/(3x + √(x² + 8)) (Sampford 1953; within
// 2 % for x ≥ 0). It starts on the left of the root, at the largest possible a.
func startMu(eps, target float64) float64 {
	a := rightOf(target)
	mu := 2 * eps / (a + math.Sqrt(a*a+2*eps))
	mu = math.Max(mu, math.Exp(target+logSqrt2Pi)) // δ ≤ δ(0, μ) ≤ μ/√(2π)
	for range 6 {
		c, h := eps/mu, mu/2
		a, b := c-h, c+h
		if a < -0.5 { // below −1 the approximation has a pole
			break
		}
		ra, rb := math.Sqrt(a*a+8), math.Sqrt(b*b+8)
		drop := 4 * (3*mu + 2*eps/(ra+rb)) / ((3*a + ra) * (3*b + rb))
		step := halley(target+a*a/2+logSqrt2Pi-math.Log(drop), a*b, mu/drop)
		mu *= math.Exp(step)
		if math.Abs(step) < 3e-2 {
			break
		}
	}
	return mu
}

// halley returns the step in ln μ, at most 3, that closes a gap in ln δ by Halley's method. With slope g = μ/(R(a) −
// R(b)), the derivative d(R(a) − R(b))/d ln μ = μ − ab(R(a) − R(b)) gives the second derivative g(1 + ab − g).
func halley(gap, ab, slope float64) float64 {
	step := gap / slope
	if bend := step * (1 + ab - slope) / 2; math.Abs(bend) < 0.5 {
		step /= 1 + bend
	}
	return math.Max(-3, math.Min(3, step))
}

// logDeltaSlope returns ln δ and ∂ ln δ/∂μ = φ(a)/δ.
func logDeltaSlope(eps, mu float64) (l, slope float64) {
	c, h := eps/mu, mu/2
	if a := c - h; a < -1 {
		l = logDelta(eps, mu)
		return l, math.Exp(-a*a/2 - logSqrt2Pi - l)
	}
	drop, _ := millsDrop(c, h)
	a := c - h
	return math.Log(drop) - a*a/2 - logSqrt2Pi, 1 / drop
}

// solveEpsilon solves ln δ(ε, μ) = target for ε ≥ 0. ln δ is a decreasing and concave function of ε: its slope is
// −1/(R(b−μ)/R(b) − 1), and R is log-convex, so R(b−μ)/R(b) decreases. Newton's method starts on the right of the root.
func solveEpsilon(target, mu float64) float64 {
	if logDelta(0, mu) <= target {
		return 0
	}
	a := rightOf(target)
	eps := mu * (a + mu/2)
	for range 200 {
		c, h := eps/mu, mu/2
		var l, slope float64
		if c-h < -1 {
			l = logDelta(eps, mu)
			b := c + h
			slope = math.Exp(-(c-h)*(c-h)/2-logSqrt2Pi-l) * mills(b)
		} else {
			drop, high := millsDrop(c, h)
			l, slope = math.Log(drop)-(c-h)*(c-h)/2-logSqrt2Pi, high/drop
		}
		step := (l - target) / slope
		eps = math.Max(0, eps+step)
		if math.Abs(step) < 1e-9*mu { // the next error is of the order of the square
			break
		}
	}
	return eps
}

// solveA solves ln δ = target for a = ε/μ − μ/2 at μ ≥ 100, where R(b) is far below R(a). It uses Newton's method as
// solveEpsilon does.
func solveA(target, mu float64) float64 {
	a := rightOf(target)
	for range 200 {
		b := a + mu
		var l, slope float64 // slope of −ln δ in a
		if a < -1 {
			l = math.Log1p(-math.Exp(-a*a/2-logSqrt2Pi) * (mills(-a) + mills(b)))
			slope = math.Exp(-a*a/2-logSqrt2Pi-l) * mu * mills(b)
		} else {
			drop := mills(a) - mills(b)
			l, slope = math.Log(drop)-a*a/2-logSqrt2Pi, mu*mills(b)/drop
		}
		step := (l - target) / slope
		a = math.Max(-9, a+step)
		if math.Abs(step) < 1e-9 {
			break
		}
	}
	return a
}

func checkPrivacy(eps evidence.Epsilon, delta evidence.Delta) error {
	if err := eps.Positive("eps"); err != nil {
		return err
	}
	if v := eps.Value(); !(v >= leastEps && v <= mostEps) {
		return parameter.Bad("eps", eps, "a number between %g and %g", leastEps, mostEps)
	}
	return checkDelta(delta)
}

// For parameters in these ranges the enclosures are a few units in the last place wide. Beyond them, either a = ε/μ −
// μ/2 changes by more than a standard deviation from one float64 μ to the next, or δ is not a normal float64.
const (
	leastEps   = 1e-300
	mostEps    = 1e20
	leastDelta = 1e-307
)

func checkDelta(delta evidence.Delta) error {
	if v := delta.Value(); v > 0 && v < leastDelta {
		return parameter.Bad("delta", delta, "a number from %g to below 1", leastDelta)
	}
	return delta.Positive("delta")
}
