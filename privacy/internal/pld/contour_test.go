package pld

import (
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/must"
)

// ends returns bounds on ε(δ) from the profiles, at ln δ = log.
func (b profiles) ends(log float64) (lo, hi float64) {
	return epsilon(b.below, log), epsilon(b.above, log)
}

func integrals(t *testing.T, a *Account, log, tolerance float64) profiles {
	t.Helper()
	b, err := a.integrals(t.Context(), a.forDelta(log), tolerance, mostNodes)
	if err != nil || b == nil {
		t.Fatal(b, err)
	}
	return *b
}

// The contour encloses values of ε computed by a quadrature with 30 digits.
func TestContourEnclosesKnownEpsilons(t *testing.T) {
	log := math.Log(1e-6)
	for _, c := range []struct {
		of    Mixture
		times int
		want  float64
	}{
		{Mixture{Eps: 0.1, Rate: 1}, 1000, 18.95028736753955819815},
		{Mixture{Mu: 1, Rate: 0.01}, 1000, 2.12451517112012},
		{Mixture{Mu: 1, Rate: 0.01, Of: Addition}, 1000, 1.58908876246488236023},
		{Mixture{Mu: 0.05, Rate: 1}, 1000, 8.306225049954728735473},
	} {
		a := &Account{Parts: []Part{{&c.of, &c.of, c.times}}}
		for _, tolerance := range []float64{1e-2, 1e-5, 1e-9} {
			lo, hi := integrals(t, a, log, tolerance).ends(log)
			if !(lo <= c.want*(1+1e-15) && c.want*(1-1e-15) <= hi && hi-lo < 2*tolerance*c.want) {
				t.Errorf("%v, %d uses: [%.17g, %.17g], want %.17g within %g", c.of, c.times, lo, hi, c.want, tolerance)
			}
		}
	}
}

// Contours and grids agree on random mixtures and a list.
func TestContoursAndGridsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	tried := 0
	for round := range 24 {
		a := &Account{}
		for range 1 + rng.IntN(2) {
			m := &Mixture{Rate: 1, Of: Neighbor(rng.IntN(3))}
			if rng.IntN(3) > 0 {
				m.Rate = math.Pow(10, -2.5*rng.Float64())
			}
			if size := math.Pow(10, -1.5*rng.Float64()); rng.IntN(2) == 0 {
				m.Mu = size
			} else {
				m.Eps = size
			}
			a.Parts = append(a.Parts, Part{m, m, 100 + rng.IntN(2000)})
		}
		if round%3 == 0 {
			l := &List{Loss: []float64{-0.3, 0.1, 0.5}, Log: []float64{-1.5, -0.6, -2}, Infinity: 1e-9}
			a.Parts = append(a.Parts, Part{l, l, 1 + rng.IntN(20)})
		}
		log := -3 - 30*rng.Float64()
		if round%3 == 0 {
			log = max(log, -15)
		}
		b := must.Be(a.integrals(t.Context(), a.forDelta(log), 1e-8, mostNodes))
		if b == nil {
			continue
		}
		tried++
		lo, hi := b.ends(log)
		if !(hi-lo <= 1e-6*(1+hi)) {
			t.Errorf("round %d, %v: [%.12g, %.12g] is too wide", round, a.Parts, lo, hi)
		}
		theta := a.forDelta(log)
		_, mean, _ := a.moments(theta)
		s, err := a.sums(t.Context(), theta, a.step(theta, 1e-4*max(mean, 0.1)))
		if err == ErrTooFine {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		least, most := epsilon(s.below, log), epsilon(s.above, log)
		if lo > most || hi < least {
			t.Errorf("round %d, %v: the integral gives [%.12g, %.12g], the grid [%.12g, %.12g]", round, a.Parts, lo, hi, least, most)
		}
	}
	if tried < 16 {
		t.Errorf("only %d of 24 compositions had an integral", tried)
	}
}

// If any term of the contour's error bound is omitted, the bound excludes the true value.
func TestEveryTermOfTheContourIsNeeded(t *testing.T) {
	const eps = 3.0
	m := &Mixture{Mu: 0.05, Rate: 1}
	a := &Account{Parts: []Part{{m, m, 1000}}}
	theta := a.forEpsilon(eps)
	below := func(tolerance float64) *contour {
		c, err := a.contour(t.Context(), false, theta, tolerance, mostNodes)
		if err != nil || c == nil {
			t.Fatal(c, err)
		}
		return c
	}
	mu := m.Mu * math.Sqrt(1000)
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	truth := math.Log(phi(mu/2-eps/mu) - math.Exp(eps)*phi(-mu/2-eps/mu)) // closed form, accurate to 1e-13
	gap := func(c *contour) float64 { return c.LogDelta(eps) - truth }
	t.Run("repetitions", func(t *testing.T) {
		c := below(1e-3)
		if gap(c) > 0 {
			t.Error("the bound misses the truth by", gap(c))
		}
		fine := below(1e-9)
		c.down.log, c.up.log, c.beyond = -1e6, -1e6, 0
		c.value, c.off = nil, nil
		for j := range 400 { // all values, with the step of c
			s := &spectra{of: []spectral{m}, times: []int{1000}, theta: theta, now: []*spectrum{m.spectrum(theta, 0)}}
			v, off, _ := s.at(float64(j)*c.step, []float64{0})
			c.value, c.off = append(c.value, v), append(c.off, off)
		}
		if gap(c) < 1e-9 || gap(fine) > 0 {
			t.Errorf("without repetitions the bound is off by %g", gap(c))
		}
	})
	t.Run("repetitions below", func(t *testing.T) { // w(x) is nearly e^{−θx} there: the bound is nearly attained
		s := &spectra{of: []spectral{m}, times: []int{1000}, theta: 0.4, now: []*spectrum{m.spectrum(0.4, 0)}}
		c, err := a.contour(t.Context(), false, 0.4, 1e-3, mostNodes)
		if err != nil || c == nil || c.down.by != 0.4 {
			t.Fatal(c, err)
		}
		c.value, c.off = nil, nil
		for j := range 2000 {
			v, off, _ := s.at(float64(j)*c.step, []float64{0})
			c.value, c.off = append(c.value, v), append(c.off, off)
		}
		sum, _, _ := c.sum(eps)
		k, _ := c.k.Float64()
		more := sum - math.Exp(truth-k+0.4*eps)
		if bound := c.repeated(eps, k-0.4*eps); !(more <= bound && bound < 1.5*more) {
			t.Errorf("repetitions add %g, bounded by %g", more, bound)
		}
	})
	t.Run("terms beyond the last", func(t *testing.T) {
		c := below(1e-9)
		c.value, c.off, c.beyond = c.value[:len(c.value)/3], c.off[:len(c.off)/3], 0
		if math.Abs(gap(c)) < 1e-6 {
			t.Errorf("without the terms the bound is off by %g", gap(c))
		}
	})
	t.Run("errors of masses", func(t *testing.T) {
		m := &Mixture{Mu: 0.5, Rate: 0.01}
		s := m.spectrum(theta, 30)
		for _, at := range []float64{0, 7, 30} {
			v, off := s.at(at)
			n := m.spectrum(theta, 300) // other nodes
			w, more := n.at(at)
			if d := math.Hypot(real(v-w), imag(v-w)); d > off+more || off > 1e-12 {
				t.Errorf("φ(%g) = %v ± %g and %v ± %g", at, v, off, w, more)
			}
		}
	})
}

// The bound on |φ(t)| beyond a given t holds at sampled values, and is close.
func TestDecayBoundsTransforms(t *testing.T) {
	for _, m := range []*Mixture{{Mu: 1, Rate: 0.01}, {Mu: 0.3, Rate: 0.2, Of: Addition}, {Eps: 0.5, Rate: 0.3, Of: Replacement}, {Eps: 1, Rate: 1}, {Mu: 2, Rate: 0.05, Of: Replacement}, {Mu: 0.7, Rate: 1}} {
		s := m.spectrum(3, 400)
		_, _, variance := m.Moments(3)
		sd := math.Sqrt(variance)
		apart := 0.0 // E|L − c|
		for j, mass := range s.mass {
			apart += mass * math.Abs(s.loss[j])
		}
		if s.mu == 0 && !(apart <= s.spread && s.spread < 1.5*apart) {
			t.Errorf("%v: the spread %g is not a close bound on %g", m, s.spread, apart)
		}
		for x := 0.2; x < 400*sd && x < 60; x *= 1.1 {
			v, off := s.at(x / sd)
			size := math.Hypot(real(v), imag(v))
			if size-off > s.decay(x/sd) {
				t.Errorf("%v: |φ(%g)| = %g, above %g", m, x/sd, size, s.decay(x/sd))
			}
			w, _ := s.at(x / sd * 1.01)
			if m.Mu == 0 || m.Rate < 1 {
				if hypot := math.Hypot(real(w), imag(w)); hypot > size+0.01*x/sd*s.spread+2*off {
					t.Errorf("%v: |φ| grows to %g beyond %g", m, hypot, x/sd)
				}
			}
		}
		if s.decay(300/sd) > 0.9 {
			t.Errorf("%v: the bound on |φ| is %g far out", m, s.decay(300/sd))
		}
	}
}
