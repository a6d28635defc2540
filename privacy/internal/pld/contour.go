package pld

import (
	"context"
	"math"
	"math/big"
	"math/bits"

	"dpworkbench/internal/elementary"
)

// contour bounds δ(ε) of the sum of independent losses by an integral over the line Re s = θ: with M(s) = E e^{sS},
//
//	δ(ε) = (1/2π) ∫ M(θ + it) e^{−(θ + it)ε} / ((θ + it)(1 + θ + it)) dt + the mass of infinite losses.
//
// The trapezoidal rule of step h adds Σ e^{−θε} E e^{θS} w(S − ε + nP) for n ≠ 0, with P = 2π/h and w(x) = (1 −
// e^{−x})₊ e^{−θx} ≥ 0. The omitted terms are bounded by a bound on |M|.
type contour struct {
	pessimistic bool
	theta, step float64
	value       []complex128 // e^{−K} M(θ + ijh) e^{−i·center·jh}
	off         []float64    // error bounds of value
	k, center   *big.Float   // exact
	beyond      float64      // bounds the sum of the omitted terms, times e^{−K}
	infinity    float64
	down, up    tail // bounds for the terms n > 0 and n < 0
}

// tail is an upper bound log of ln M(θ − by) or of ln M(θ + by).
type tail struct{ by, log float64 }

// Limits of contours: mostTerms points of a contour, quickNodes exponentials before the first grid, and mostNodes in
// total.
const (
	mostTerms  = 1 << 16
	quickNodes = 1 << 21
	mostNodes  = 1 << 29
)

// side implements profile.
func (c *contour) side() (pessimistic bool, infinity float64) { return c.pessimistic, c.infinity }

// spectra holds the transforms of the losses of some sources, and counts the evaluated exponentials.
type spectra struct {
	of    []spectral
	times []int
	theta float64
	now   []*spectrum
	nodes int
}

// upTo makes the transforms valid up to t, and reports whether that is possible.
func (s *spectra) upTo(t float64) bool {
	for i, of := range s.of {
		if s.now[i] == nil || s.now[i].most < t {
			if s.now[i] = of.spectrum(s.theta, 1.5*t); s.now[i] == nil {
				return false
			}
		}
	}
	return true
}

// at returns the product of all transforms φ(t), a bound on its error, and the logarithm of a bound on its size. It
// sets bounds[i] to a bound of |φ_i|.
func (s *spectra) at(t float64, bounds []float64) (v complex128, off, log float64) {
	v = 1
	grow, uses := 0.0, 1.0
	for i, one := range s.now {
		k := float64(s.times[i])
		x, err := one.at(t)
		s.nodes += len(one.mass) + 1
		size := math.Hypot(real(x), imag(x))
		bounds[i] = size*(1+4*u) + err
		log += k * math.Log(bounds[i])
		grow += k * math.Log1p(err/size)
		uses += k
		v = times(v, integerPower(x, s.times[i]))
	}
	log += 8 * u * (uses + math.Abs(log))
	relative := -math.Expm1(-grow) + 3*u*uses // covers (|φ| + err)^k − |φ|^k and the rounding of a power
	return v, math.Exp(log)*relative*(1+1e-9) + 0x1p-1000, log
}

// integerPower returns xᵏ for k > 0, with a relative error of at most (k − 1)√5u.
func integerPower(x complex128, k int) complex128 {
	out := x
	for bit := bits.Len(uint(k)) - 2; bit >= 0; bit-- {
		out = times(out, out)
		if k>>bit&1 == 1 {
			out = times(out, x)
		}
	}
	return out
}

// contour returns an upper or a lower bound, whose relative width should be about tolerance for ε near the mean of the
// law tilted by θ. It returns nil for laws that are mostly atoms, for few uses, and if the bound needs more
// exponentials than nodes.
func (a *Account) contour(ctx context.Context, pessimistic bool, theta, tolerance float64, nodes int) (*contour, error) {
	s := &spectra{theta: theta}
	out := &contour{pessimistic: pessimistic, theta: theta, k: exact(0), center: exact(0)}
	none := 0.0
	for _, p := range a.Parts {
		of := p.Upper
		if !pessimistic {
			of = p.Lower
		}
		one, ok := of.(spectral)
		if !ok {
			return nil, nil
		}
		s.of, s.times = append(s.of, one), append(s.times, p.Times)
		if l, ok := of.(*List); ok {
			if pessimistic {
				none += float64(p.Times) * log1p(-min(l.Infinity+l.InfinityError, 1))
			} else {
				none += float64(p.Times) * log1p(-max(l.Infinity-l.InfinityError, 0))
			}
		}
	}
	out.infinity = infinityOf(none, pessimistic)
	s.now = make([]*spectrum, len(s.of))
	k, mean, variance := a.moments(theta)
	sd := math.Sqrt(variance)
	// log is the approximate logarithm of the error to tolerate, divided by e^{K − θε}: tolerance times the
	// saddle-point approximation of the integral.
	log := math.Log(tolerance) - math.Log(theta*(1+theta)*sd*math.Sqrt(2*math.Pi)+1)
	if !(sd > 0) || math.IsInf(k, 0) || math.IsNaN(log) {
		return nil, nil
	}
	// The trapezoidal rule repeats the losses with period P. M(θ − a) bounds the copies below, and M(θ + b) the copies
	// above.
	out.down, out.up = tail{by: theta}, tail{}
	below, above := math.Inf(1), math.Inf(1)
	for i := range 6 {
		try := func(by float64) float64 {
			if by == -theta {
				return (theta*mean - k - log) / theta
			}
			x, _, _ := a.moments(theta + by)
			return (x - by*mean - k - log) / math.Abs(by)
		}
		down := math.Ldexp(theta, -i)
		if p := try(-down); p < below {
			below, out.down.by = p, down
		}
		for _, up := range []float64{math.Ldexp(2/sd, i), math.Ldexp(1/sd, -i)} {
			if p := try(up); p < above {
				above, out.up.by = p, up
			}
		}
	}
	period := 1.02 * max(below, above, 2*sd)
	mantissa, exponent := math.Frexp(2 * math.Pi / period)
	out.step = math.Ldexp(math.Floor(mantissa*(1<<20))/(1<<20), exponent) // few digits, so multiples of the step are exact
	for _, t := range []struct {
		*tail
		at float64
	}{{&out.down, theta - out.down.by}, {&out.up, theta + out.up.by}} {
		if t.at > 0 { // M(0) ≤ 1
			moments := &spectra{of: s.of, times: s.times, theta: t.at, now: make([]*spectrum, len(s.of))}
			if !moments.upTo(0) {
				return nil, nil
			}
			_, _, t.log = moments.at(0, make([]float64, len(s.of)))
			size := 0.0
			for i, one := range moments.now {
				t.log += float64(s.times[i]) * one.log
				size += float64(s.times[i]) * math.Abs(one.log)
			}
			t.log += 8 * u * size
		}
	}
	if ok, err := out.fill(ctx, s, math.Sqrt(2*max(-log, 1))/sd, log, nodes); !ok {
		return nil, err
	}
	return out, nil
}

// fill computes the values up to a term near reach such that all later terms together add at most e^log. It reports
// whether there is such a term.
func (c *contour) fill(ctx context.Context, s *spectra, reach, log float64, limit int) (ok bool, err error) {
	if !s.upTo(reach) {
		return false, nil
	}
	for i, one := range s.now {
		n := float64(s.times[i])
		c.k.Add(c.k, product(n, one.log))
		c.center.Add(c.center, product(n, one.center))
	}
	// fill ensures |M| ≤ e^goal beyond t: then the terms beyond t add at most (e^goal/π) Σ h/t² ≤ e^goal/πt.
	goal := func(t float64) float64 { return log + math.Log(math.Pi*t) }
	falls := func(t, to float64) bool {
		sum := 0.0
		for i, one := range s.now {
			sum += float64(s.times[i]) * math.Log(one.decay(t))
		}
		return sum <= to
	}
	if !falls(math.MaxFloat64, goal(reach)-1) {
		return false, nil
	}
	far := reach // where the transforms are certainly below the goal
	for !falls(far, goal(reach)) {
		far *= 1.5
	}
	nodes := 0
	for _, one := range s.now {
		nodes += len(one.mass)
	}
	if cost := float64(nodes) * (1 + far/(1+s.theta+reach)) * (32 + far/c.step*0.2); cost > float64(limit) {
		return false, nil
	}
	bounds := make([]float64, len(s.of))
	last := 0.0
	for j := 0; ; j++ {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		last = float64(j) * c.step
		if !s.upTo(last) || j > mostTerms || s.nodes > limit {
			return false, nil
		}
		v, off, most := s.at(last, bounds)
		c.value, c.off = append(c.value, v), append(c.off, off)
		if j > 0 && most < goal(last)-3 {
			break
		}
	}
	most := goal(last)
	c.beyond = math.Exp(most) / (math.Pi * last) * (1 + 1e-9)
	h := c.step
	for t := last + c.step; !falls(t, most); t += h {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if !s.upTo(t) || s.nodes > limit {
			return false, nil
		}
		s.at(t, bounds)
		within := func(h float64) bool {
			sum := 0.0
			for i, one := range s.now {
				sum += float64(s.times[i]) * math.Log(bounds[i]+one.err+one.spread*h)
			}
			return sum <= most-1e-9*math.Abs(most)
		}
		for h *= 4; !within(h); h /= 1.3 {
			if h < 1e-9*t {
				return false, nil
			}
		}
	}
	return true, nil
}

// sum returns approximations of the integral times e^{θε − K} and of its rate of decrease in ε, and a bound on the
// error of the integral.
func (c *contour) sum(eps float64) (sum, off, fall float64) {
	far, _ := new(big.Float).SetPrec(exactBits).Sub(c.center, exact(eps)).Float64()
	size := 0.0
	for j, v := range c.value {
		t := float64(j) * c.step
		angle := t * far
		if !(math.Abs(angle) < elementary.MaxAngle) {
			return 0, math.Inf(1), 0
		}
		sin, cos := elementary.Sincos(angle)
		v = times(v, complex(cos, sin))
		x, y := float64(c.theta*(1+c.theta))-float64(t*t), t*(1+2*c.theta)
		square := float64(x*x) + float64(y*y)
		weight := 2.0
		if j == 0 {
			weight = 1
		}
		over := complex(x/square, -y/square) // equals 1/((θ + it)(1 + θ + it))
		least := math.Sqrt(square)
		one := weight * math.Hypot(real(v), imag(v)) / least
		term := weight * (float64(real(v)*real(over)) - float64(imag(v)*imag(over)))
		sum += term
		size += one
		off += weight*c.off[j]/least + one*u*(48+2*math.Abs(angle))
		fall += weight * real(times(v, times(over, complex(c.theta, t))))
	}
	scale := c.step / (2 * math.Pi)
	off += float64(len(c.value)+8) * u * size
	return sum * scale, (off*scale + c.beyond) * (1 + 1e-9), fall * scale
}

// LogDelta implements profile.
func (c *contour) LogDelta(eps float64) float64 {
	sum, off, _ := c.sum(eps)
	exponent, _ := new(big.Float).SetPrec(exactBits).Sub(c.k, product(c.theta, eps)).Float64()
	side := 1.0
	if !c.pessimistic {
		side = -1
		off += c.repeated(eps, exponent)
	}
	out := math.Inf(-1)
	if sum += side * off; sum > 0 {
		log := elementary.Log(sum)
		out = exponent + log + side*1e-15*(8+math.Abs(exponent)+math.Abs(log))
	}
	return withInfinity(out, c.infinity, side)
}

// repeated returns an upper bound of Σ e^{−θε} E e^{θS} w(S − ε + nP) over n ≠ 0, times e^{−exponent}. For n > 0 it
// uses w(x) ≤ e^{−ax} with a ≤ θ. For n < 0 it uses w(x) ≤ e^{bx} times the largest value of (1 − e^{−x})e^{−(θ + b)x}.
func (c *contour) repeated(eps, exponent float64) float64 {
	period := 2 * math.Pi / c.step * (1 - 8*u)
	once := func(t tail, by float64) float64 {
		log := t.log - (c.theta+by)*eps - t.by*period - exponent
		log += 16 * u * (math.Abs(t.log) + (c.theta+t.by)*math.Abs(eps) + t.by*period + math.Abs(exponent))
		return math.Exp(log) / -math.Expm1(-t.by*period) * (1 + 1e-9)
	}
	return once(c.down, -c.down.by) + once(c.up, c.up.by)*largestWeight(c.theta+c.up.by)
}

// near implements profile.
func (c *contour) near(log float64) (eps, fall float64) {
	eps, _ = c.center.Float64()
	finite := 1.0 // the part of δ that finite losses must contribute
	if c.infinity > 0 {
		finite = max(-math.Expm1(math.Log(c.infinity)-log), 1e-15)
	}
	for range 20 {
		sum, _, slope := c.sum(eps)
		exponent, _ := new(big.Float).SetPrec(exactBits).Sub(c.k, product(c.theta, eps)).Float64()
		if !(sum > 0 && slope > 0) {
			return max(eps, 0), 1
		}
		off := exponent + math.Log(sum) - log - math.Log(finite)
		fall = slope / sum
		eps += off / fall
		if math.Abs(off) < 1e-13 {
			break
		}
	}
	return max(eps, 0), fall * finite
}
