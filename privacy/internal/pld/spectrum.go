package pld

import (
	"math"

	"dpworkbench/internal/elementary"
)

// spectrum is the Fourier transform φ of a law of losses L tilted by θ: φ(t) = e^{−K} E e^{θL + it(L − center)}, where
// K is about ln E e^{θL}.
type spectrum struct {
	log, center float64   // K
	loss, mass  []float64 // φ(t) is about Σ mass·e^{it·loss}, over nodes of a quadrature or atoms
	most        float64   // the largest valid |t|
	err, slope  float64   // the error of φ(t) is at most err + slope·|t|
	mu          float64   // nonzero for a normal law, which has no nodes: φ(t) = e^{−μ²t²/2}
	spread      float64   // |φ(t + h)| ≤ |Σ mass·e^{it·loss}| + spread·|h| + err
	total       float64   // an upper bound of φ(0)
	uniform     []uniform // parts of the law: |φ(t)| ≤ total − Σ mass·(1 − |sinc(t·length/2)|)
}

// uniform is a uniform law of losses on an interval of the given length.
type uniform struct{ mass, length float64 }

// spectral is a Source that may have a spectrum. spectrum returns nil if it is not known.
type spectral interface {
	spectrum(theta, most float64) *spectrum
}

// spectrumBits is the value of bits with which a spectrum calls parts: omitted tails have at most 2^−spectrumBits of
// the moment.
const spectrumBits = 80

// leastExponent is the logarithm of the least tilted mass of a node. Nodes with less mass are omitted.
const leastExponent = -60

// put adds a node of weight w·e^exponent and returns the weight. err bounds the error of the exponent, and lossErr the
// error of the loss l.
func (s *spectrum) put(l, w, exponent, err, lossErr float64) float64 {
	m := elementary.Exp(exponent) * w
	s.loss, s.mass = append(s.loss, l-s.center), append(s.mass, m)
	s.err += m * (err + 12*u) * (1 + 1e-9)
	s.slope += m * (lossErr + 3*u*(math.Abs(l)+math.Abs(s.center)))
	return m
}

// valid returns the spectrum, and nil if its angles are too large for Sincos.
func (s *spectrum) valid() *spectrum {
	for j, l := range s.loss {
		s.total += s.mass[j]
		if !(math.Abs(l)*s.most < elementary.MaxAngle) {
			return nil
		}
	}
	s.total += s.err + 1e-9*s.total
	return s
}

// at returns φ(t) and a bound on its error.
func (s *spectrum) at(t float64) (v complex128, err float64) {
	if s.mu > 0 {
		x := float64(s.mu*t) * float64(s.mu*t) / 2
		return complex(elementary.Exp(-x), 0), s.err + s.slope*math.Abs(t) + 8*u
	}
	re, im, total := 0.0, 0.0, 0.0
	for from := 0; from < len(s.mass); from += block {
		to := min(from+block, len(s.mass))
		x, y, all := 0.0, 0.0, 0.0
		for j := from; j < to; j++ {
			m := s.mass[j]
			sin, cos := elementary.Sincos(t * s.loss[j])
			x, y, all = x+float64(m*cos), y+float64(m*sin), all+m
		}
		re, im, total = re+x, im+y, total+all
	}
	return complex(re, im), s.err + s.slope*math.Abs(t) + float64(min(block, len(s.mass))+len(s.mass)/block+8)*2*u*total
}

// decay returns an upper bound on |φ(t)| over t ≥ from. It uses |sinc x| ≤ 1 − x²/6 + x⁴/120, |sinc x| ≤ 1/x, and |sinc
// x| ≤ 0.24 for x ≥ 2.5.
func (s *spectrum) decay(from float64) float64 {
	if s.mu > 0 {
		return math.Exp(-s.mu*from*s.mu*from/2)*(1+1e-9) + s.err
	}
	out := s.total
	for _, one := range s.uniform {
		x := from * one.length / 2
		sinc := min(0.24, 1/x)
		if x < 2.5 {
			sinc = max(0.24, 1-x*x/6*(1-x*x/20))
		}
		out -= one.mass * (1 - sinc)
	}
	return out + 1e-9
}

// spectrum implements spectral. A list with omitted losses has no spectrum.
func (l *List) spectrum(theta, most float64) *spectrum {
	k, mean, _ := l.Moments(theta)
	if l.theta != 0 || math.IsInf(k, -1) {
		return nil
	}
	s := &spectrum{log: k, center: mean, most: most}
	for i, x := range l.Loss {
		exponent := l.Log[i] + float64(theta*x) - k
		err := l.LogError + theta*l.LossError + 4*u*(math.Abs(l.Log[i])+theta*math.Abs(x)+math.Abs(k))
		if exponent < leastExponent {
			s.err += math.Exp(leastExponent + err)
			continue
		}
		m := s.put(x, 1, exponent, err, l.LossError)
		s.spread += m * math.Abs(x-mean) * (1 + 1e-9)
	}
	return s.valid()
}

// mostPanels bounds the number of panels in the quadrature of a spectrum.
const mostPanels = 1 << 18

// spectrum implements spectral, by quadrature. On a disk of radius A ≤ 1 about a node s both |e^{(1 + θ + it)(L(z) −
// L(s))}| and the density of noise, relative to the density at s, are at most e^{3/2}: |L'(z)| is at most 1, and at
// most γe^{Re z}/(1 − γ).
func (m *Mixture) spectrum(theta, most float64) *spectrum {
	k, mean, _ := m.Moments(theta)
	s := &spectrum{log: k, center: mean, most: most}
	if square := m.Mu * m.Mu; square > 0 && m.Rate == 1 { // exactly
		s.mu = m.Mu
		s.err = 8 * u * math.Abs(k)
		s.slope = 8 * u * (math.Abs(mean) + theta*square)
		return s
	}
	segments, jumps, tail := m.parts(theta, spectrumBits)
	s.err = math.Exp(tail-k) * (1 + 1e-9)
	order := 1 + theta + most
	panels := 0
	for _, g := range segments {
		radius := func(x float64) float64 { return min(g.radius(x), 1, 1.5/(order*g.steep(x))) }
		for a := g.lo; a < g.hi; {
			b := min(g.hi, a+radius(a))
			if r := radius(b); b-a > r {
				b = a + r
			}
			if panels++; !(b > a) || panels > mostPanels {
				return nil
			}
			c, r := a+(b-a)/2, (b-a)/2
			q := r / (1.99 * min(radius(a), radius(b)))
			middle := g.loss(c)
			log, _ := g.log(c, middle)
			if exponent := log + theta*middle - k; exponent < leastExponent {
				s.err += 2 * r * math.Exp(exponent+3)
			} else {
				mass := 2 * r * math.Exp(exponent)
				s.err += 54 * mass * math.Pow(q, 32)
				total := 0.0
				sixteen.nodesOf(c, r, func(x, w float64) {
					l := g.loss(x)
					log, e := g.log(x, l)
					lossErr := m.lossError(l, x)
					total += s.put(l, w, log+float64(theta*l)-k, e+theta*lossErr+4*u*(math.Abs(log)+theta*math.Abs(l)+math.Abs(k)), lossErr)
				})
				s.spread += total * max(math.Abs(g.loss(a)-mean), math.Abs(g.loss(b)-mean)) * (1 + 1e-6)
			}
			a = b
		}
		if most > 0 {
			s.uniform = g.uniform(s.uniform, theta, k)
		}
	}
	for _, a := range jumps {
		off := 8*u + 2*m.lossError(a.loss, m.Eps)
		if m.Rate == 1 { // ε and −ε
			off = 0
		}
		mass := s.put(a.loss, 1, a.log+float64(theta*a.loss)-k, off*(1+theta)+4*u*(math.Abs(a.log)+theta*math.Abs(a.loss)+math.Abs(k)), off)
		s.spread += mass * math.Abs(a.loss-mean) * (1 + 1e-6)
	}
	return s.valid()
}

// steep returns an upper bound on |L'| on the disk of radius 1 about s: |L'(z)| ≤ min(1, γe^{Re z}/(1 − γ)).
func (g segment) steep(s float64) float64 {
	if g.negative {
		s = -s
	}
	if s > 700 || g.m.Rate == 1 {
		return 1
	}
	return min(1, g.m.Rate/(1-g.m.Rate)*math.Exp(s+1)*(1+1e-9))
}

// uniform appends uniform laws to out. Their sum is at most the tilted law of the segment's losses.
func (g segment) uniform(out []uniform, theta, k float64) []uniform {
	const binsPerUnit = 16 // bins of the logarithm of the length
	bins := map[int]float64{}
	type layer struct{ from, height float64 }
	var open []layer                    // in order of ascending height
	close := func(at, height float64) { // ends the layers above a height
		from := at
		for n := len(open) - 1; n >= 0 && open[n].height > height; n-- {
			from = open[n].from
			under := height
			if n > 0 {
				under = max(under, open[n-1].height)
			}
			if length := (at-from)*(1-1e-9) - 8*g.m.lossError(at, g.hi); length > 0 {
				bins[int(math.Floor(binsPerUnit*math.Log(length)))] += (open[n].height - under) * length
			}
			open = open[:n]
		}
		if height > 0 {
			open = append(open, layer{from, height})
		}
	}
	for a := g.lo; a < g.hi; {
		radius := func(s float64) float64 { return min(g.radius(s), 1, 1/((1+theta)*g.steep(s))) / 64 }
		b := min(g.hi, a+radius(a))
		if r := radius(b); b-a > r {
			b = a + r
		}
		if !(b > a) {
			return out
		}
		// The density of the loss is the density of s divided by L'. Within half a panel it changes by a factor of at
		// most e^{0.025}.
		c := a + (b-a)/2
		l := g.loss(c)
		log, _ := g.log(c, l)
		slope := 0.0 // ln L'
		if g.m.Rate < 1 {
			if slope = math.Log(g.m.Rate) + c - l; g.negative {
				slope = math.Log(g.m.Rate) - c + l
			}
		}
		close(g.loss(a), math.Exp(log+theta*l-k-slope-0.025)*(1-1e-9))
		a = b
	}
	close(g.loss(g.hi), 0)
	for bin, mass := range bins {
		out = append(out, uniform{mass, math.Exp(float64(bin)/binsPerUnit) * (1 - 1e-9)})
	}
	return out
}
