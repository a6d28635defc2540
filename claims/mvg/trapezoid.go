package mvg

import (
	"math"
	"slices"
)

const trapezoid = "trapezoid rule"

// integral says what the sums of informationScript approximate.
const integral = "an integral, by the trapezoid rule"

// informationError bounds the error of information.
//
// Let the noise have variance 1, R be the range of the values, p the density of the sum Y, and g = −p ln p. On
// |Im y| ≤ a with aR ≤ 2π/3 the phases of the terms of p differ by at most 2π/3. So |p| is at least cos(π/3) times, and
// at most once, e^{a²/2} times its value on the line: p has no zero there and g is analytic. The trapezoid rule of step
// h on the whole line has an error of at most 2N/(e^{2πa/h} − 1), where N is the larger integral of |g| along
// Im y = ±a (Trefethen and Weideman 2014, Theorem 5.1). There |ln p| ≤ −ln p(x) + a²/2 + ln 2 + |x − c|a + π/3, with c
// the middle of the values. With a ≤ 1, h(Y) ≤ ½ ln(2πe(1 + R²/4)) and E|Y − c| ≤ R/2 + 1, this gives
//
//	N ≤ e^{1/2}(½ ln(2πe(1 + R²/4)) + 1/2 + ln 2 + 1 + π/3 + π/3) ≤ 24 for R ≤ 10⁴.
//
// At h = 2πa/28 that is 3.4e-11. Points at a distance of 10 or more from all values add less than 1e-20. Rounding of
// the terms, each by at most 100 units for the exponent and the logarithm, adds less than 1e-12 of h(Y).
const informationError = 1e-10

// information returns the mutual information, in nats, of a signal and its sum with Gaussian noise of the given
// variance: ∫ −p ln p by the trapezoid rule, minus the noise's entropy. The signal takes values with the given
// weights, or equal ones if weights is nil.
func information(values, weights []float64, variance float64) float64 {
	sd := math.Sqrt(variance)
	lo, hi := slices.Min(values), slices.Max(values)
	a := math.Min(1, 2*math.Pi*sd/(3*math.Max(hi-lo, sd))) // in standard deviations of the noise
	h := 2 * math.Pi * a / 28 * sd
	if weights == nil {
		weights = slices.Repeat([]float64{1 / float64(len(values))}, len(values))
	}
	sum := 0.0
	for y := lo - 10*sd; y < hi+10*sd; y += h {
		p := 0.0
		for k, v := range values {
			p += weights[k] * math.Exp(-(y-v)*(y-v)/(2*variance))
		}
		if p > 0 {
			p /= sd * math.Sqrt(2*math.Pi)
			sum -= p * math.Log(p)
		}
	}
	return sum*h - math.Log(2*math.Pi*math.E*variance)/2
}

// informationScript defines info(values, s) and info(values, s, weights) in the script language, where s is the
// variance of the noise. It uses the step of the function information.
const informationScript = "density = lambda y, vs, s, ws: sum([w * math.exp(-(y - v) * (y - v) / (2 * s)) for v, w in zip(vs, ws)]) / sum(ws) / math.sqrt(2 * math.pi * s); " +
	"step = lambda vs, s: 2 * math.pi * min(math.sqrt(s), 2 * math.pi * s / (3 * max(max(vs) - min(vs), math.sqrt(s)))) / 28; " +
	"info = lambda vs, s, ws=None: sum([-p * math.log(p + 1e-300) for p in [density(min(vs) - 10 * math.sqrt(s) + i * step(vs, s), vs, s, ws or [1] * len(vs)) for i in range(int((max(vs) - min(vs) + 20 * math.sqrt(s)) / step(vs, s)) + 1)]]) * step(vs, s) - math.log(2 * math.pi * math.e * s) / 2; "
