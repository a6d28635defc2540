package signrp

import (
	"math"

	"dpworkbench/internal/elementary"
)

// phi0 is the normal density at 0.
var phi0 = 1 / math.Sqrt(2*math.Pi)

// cutNormal is a normal variable truncated to [−m, m], unnormalised, with characteristic function
//
//	ψ(a) = ∫_{−m}^{m} φ(w) cos(aw) dw.
//
// Up to farA, ψ is a Taylor polynomial about the nearest multiple of ½, whose coefficients ψ⁽ʲ⁾/j! come from
// quadrature. Beyond farA, ψ is integrated by parts.
type cutNormal struct {
	m, edge float64 // edge is φ(m)
	tail    float64 // erfc(m/√2)
	centre  [][]float64

	hermite         [byParts]float64 // He_n(m) φ(m)
	size, imprecise float64          // Σ |hermite_n|/farAⁿ, and of their errors
}

const (
	mostM   = 10.5
	farA    = 16
	taylor  = 18 // terms: the next is below 0.25¹⁸ E|w|¹⁸/18! < 1e-19
	byParts = 24 // times: the rest is below √(24!)/16²⁴ < 1e-17
)

// newCutNormal returns the truncated normal variable for 0 < m ≤ mostM.
func newCutNormal(m float64) *cutNormal {
	c := &cutNormal{m: m, edge: phi0 * elementary.Exp(-m*m/2), tail: elementary.Erfc(m / math.Sqrt2), centre: make([][]float64, 2*farA+1)}
	h := &c.hermite
	var errs [byParts]float64
	h[0], h[1] = c.edge, m*c.edge
	errs[0], errs[1] = (m*m+4)*ulp*h[0], (m*m+5)*ulp*h[1]
	for n := 2; n < byParts; n++ {
		a, b := m*h[n-1], float64(n-1)*h[n-2]
		h[n] = a - b
		errs[n] = m*errs[n-1] + float64(n-1)*errs[n-2] + 2*ulp*(math.Abs(a)+math.Abs(b))
	}
	for n, power := 0, 1.0; n < byParts; n, power = n+1, power/farA {
		c.size += math.Abs(h[n]) * power
		c.imprecise += errs[n] * power
	}
	return c
}

// at returns ψ(a), for a ≥ 0 known to three roundings, and a bound on its error.
func (c *cutNormal) at(a float64) (v, err float64) {
	if a > farA {
		return c.far(a)
	}
	n := int(2*a + 0.5)
	t := c.centre[n]
	if t == nil {
		t = c.expand(float64(n) / 2)
		c.centre[n] = t
	}
	d := a - float64(n)/2
	for j := taylor - 1; j >= 0; j-- {
		v = v*d + t[j]
	}
	// The constants add up three errors. That of the coefficients is given at expand. Horner's rule adds 3 ulp of
	// Σ|t_j||d|ʲ ≤ E e^{|w|/4} < 1.3. Roundings of a add 3 ulp of a times |ψ'| ≤ E|w| < 0.8.
	return v, (30 + 16*a) * ulp
}

// expand returns ψ⁽ʲ⁾(a)/j! = ∫ wʲ φ(w) cos(aw + jπ/2) dw/j! for every j, by a rule of 96 nodes on [0, m]. On the
// Bernstein ellipse ρ = 2, |Im w| ≤ 3m/8 and |w| ≤ 9m/8. So for m ≤ 10.5 and a ≤ 16 the integrand is below e^{7.8 + 63
// + 8.6} and the error below 1e-20. Rounding changes the integral by at most these numbers of ulps: 8(a + 1) from the
// nodes, which have errors up to 1.5·m/2; a from the product a·w; and 20 from φ, cos, the factors and the compensated
// sum.
func (c *cutNormal) expand(a float64) []float64 {
	rule := legendre96()
	sums, carries := make([]float64, taylor), make([]float64, taylor)
	for k, x := range rule.x {
		w := c.m / 2 * (1 + x)
		f := c.m * rule.w[k] * phi0 * elementary.Exp(-w*w/2) // both halves of [−m, m]
		sin, cos := elementary.Sincos(a * w)
		terms := [4]float64{cos, -sin, -cos, sin}
		for j := range sums {
			v := f * terms[j%4]
			s := sums[j] + v
			if math.Abs(sums[j]) >= math.Abs(v) { // Neumaier's sum
				carries[j] += (sums[j] - s) + v
			} else {
				carries[j] += (v - s) + sums[j]
			}
			sums[j] = s
			f *= w / float64(j+1)
		}
	}
	for j := range sums {
		sums[j] += carries[j]
	}
	return sums
}

// far integrates by parts:
//
//	ψ(a) = 2 Σ_n He_n(m) φ(m) · {sin am, −cos am, −sin am, cos am}_{n mod 4}/aⁿ⁺¹,
//
// with a remainder after N terms of at most a⁻ᴺ ∫|He_N φ| ≤ a⁻ᴺ √(N!).
func (c *cutNormal) far(a float64) (v, err float64) {
	sin, cos := elementary.Sincos(a * c.m)
	terms := [4]float64{sin, -cos, -sin, cos}
	inverse := 1 / a
	for n := byParts - 1; n >= 0; n-- {
		v = v*inverse + c.hermite[n]*terms[n%4]
	}
	scale := 2 * c.size * inverse
	return 2 * v * inverse, scale*(4*a*c.m+12)*ulp + 2*c.imprecise*inverse + 1e-17
}

// bounds returns two bounds on |ψ| on [a, ∞): a constant, and one that decreases at least as a^{−power}, power ≤ 1.
//
// ψ(a) = e^{−a²/2} − 2∫_m^∞ φ cos(aw) dw. The mean-value theorem for the decreasing φ bounds integrals over [0, m]
// by φ(0)/a and over [m, ∞) by 2φ(m)/a. For x ≥ a, e^{−x²/2} ≤ e^{−a²/2} (a/x)^{a²}.
func (c *cutNormal) bounds(a float64) (flat, falling, power float64) {
	const above = 1 + 1e-12
	bulk := elementary.Exp(-a * a / 2)
	flat = math.Min(1-c.tail*(1-1e-12), bulk+c.tail) * above
	falling, power = (bulk+4*c.edge/a)*above, math.Min(1, a*a)
	if v := 2 * phi0 / a * above; v < falling {
		falling, power = v, 1
	}
	return flat, falling, power
}
