package layers

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
	"dpworkbench/query"
)

// maxExactBits bounds the size of the rationals that an exact answer is summed
// in; beyond it answers are certified.
const maxExactBits = 1 << 17

// Every sum over layers is S(z)/(1−z)² with S the polynomial of second
// differences: they vanish from the periodic layers on, where weights are
// constant and moments linear in the layer. In P = Σ z^i D_i / Σ z^i n_i the
// factors (1−z)² cancel.

// at evaluates the polynomial of second differences at a rational z.
func (s *series) rational(z *big.Rat) *big.Rat {
	u, v := z.Num(), z.Denom()
	sum, power, term := new(big.Int), big.NewInt(1), new(big.Int)
	for i := len(s.second) - 1; i >= 0; i-- { // Σ c_i u^i v^{d−i} by Horner in u
		sum.Mul(sum, u)
		sum.Add(sum, term.Mul(&s.second[i], power))
		if i > 0 {
			power.Mul(power, v)
		}
	}
	return new(big.Rat).SetFrac(sum, power)
}

// enclosure evaluates the polynomial of second differences at an enclosed z.
func (s *series) enclosure(z interval.Interval) interval.Interval {
	sum, gap := interval.Int(0), 0
	for i := len(s.second) - 1; i >= 0; i-- {
		if c := &s.second[i]; c.Sign() != 0 {
			sum = sum.Mul(power(z, gap)).Add(interval.Rat(new(big.Rat).SetInt(c)))
			gap = 0
		}
		gap++
	}
	if gap > 1 {
		sum = sum.Mul(power(z, gap-1))
	}
	return sum
}

func power(z interval.Interval, n int) interval.Interval {
	if n == 1 {
		return z
	}
	return z.Pow(n)
}

// exactly reports whether sums at this decay are to be rational, and z.
func (l *LineLayers) exactly(decay evidence.Epsilon) (*big.Rat, bool) {
	z, ok := decay.RationalDecay()
	if !ok || !l.closed || max(len(l.weights.second), len(l.moments.second))*z.Denom().BitLen() > maxExactBits {
		return nil, false
	}
	return z, true
}

// momentUnit returns 1 over the number of units of the moments' polynomial in
// one unit of the weights' polynomial times one of r.
func (l *LineLayers) momentUnit() *big.Rat {
	d := new(big.Int).Set(l.denominator)
	if !l.counting {
		d.Lsh(d, 1)
	}
	return new(big.Rat).SetFrac(big.NewInt(1), d)
}

// weightUnit returns the unit of the weights.
func (l *LineLayers) weightUnit() *big.Rat {
	if l.counting {
		return big.NewRat(1, 1)
	}
	return new(big.Rat).SetFrac(big.NewInt(1), l.denominator)
}

const lineSource = "Wu et al., Analytic Theory, (40)"

// Normalizer returns α = Σ z^i |R_i| at z = e^{−decay}, in units of length or in
// points: exact where z is rational, certified otherwise.
func (l *LineLayers) Normalizer(decay evidence.Epsilon) evidence.Number {
	if z, ok := l.exactly(decay); ok {
		return evidence.Exact{Value: l.normalizer(z), Cases: uint64(len(l.nodes)), Source: lineSource}
	}
	weight, _ := l.sums(decay.Decay())
	return evidence.Enclosed(weight, l.method(), lineSource)
}

func (l *LineLayers) normalizer(z *big.Rat) *big.Rat {
	w := l.weights.rational(z)
	rest := new(big.Rat).Sub(big.NewRat(1, 1), z)
	w.Quo(w, rest.Mul(rest, rest))
	return w.Mul(w, l.weightUnit())
}

// Distortion returns P = Σ z^i ∫_{R_i} |r| / Σ z^i |R_i| at z = e^{−decay}, in
// units of f: exact where z is rational, certified otherwise.
func (l *LineLayers) Distortion(decay evidence.Epsilon) evidence.Number {
	if z, ok := l.exactly(decay); ok {
		p := l.moments.rational(z)
		p.Quo(p, l.weights.rational(z))
		return evidence.Exact{Value: p.Mul(p, l.momentUnit()), Cases: uint64(len(l.nodes)), Source: lineSource}
	}
	z := decay.Decay()
	if l.closed {
		p := l.moments.enclosure(z).Quo(l.weights.enclosure(z)).Mul(interval.Rat(l.momentUnit()))
		return evidence.Enclosed(p, l.method(), lineSource)
	}
	weight, moment := l.sums(z)
	return evidence.Enclosed(moment.Quo(weight), l.method(), lineSource)
}

func (l *LineLayers) method() string {
	if l.closed {
		return fmt.Sprintf("layers periodic from %d on, summed in closed form, rounded outward", l.periodic)
	}
	return fmt.Sprintf("layers 0…%d summed, the rest bounded, rounded outward", l.known)
}

// sums encloses Σ z^i |R_i| and Σ z^i ∫_{R_i} |r|.
func (l *LineLayers) sums(z interval.Interval) (weight, moment interval.Interval) {
	rest := interval.Int(1).Sub(z)
	scale := interval.Rat(l.weightUnit()).Quo(rest.Mul(rest))
	weight = l.weights.enclosure(z).Mul(scale)
	moment = l.moments.enclosure(z).Mul(scale).Mul(interval.Rat(l.momentUnit()))
	if l.closed {
		return weight, moment
	}
	// The ring holds A_i for i ≤ m = known and subsets of the later ones. By
	// Abel's summation Σ z^i |R_i| = (1−z) Σ z^i |A_i|, and A_i lies within
	// ±(δ + iΔ): a length of 2s_i and a moment of s_i², s_i = δ + iΔ, or at most
	// (2/g) s_i points of the lattice gℤ with moments below (2/g) s_i², s_i = g + iΔ.
	start, times := l.radius, interval.Int(1)
	if g, ok := l.query.Lattice(); ok && l.counting {
		start, times = g, interval.Int(1).Quo(interval.Rat(g))
	}
	step := interval.Rat(l.query.Sensitivity())
	s := interval.Rat(start).Add(interval.Int(int64(l.known) + 1).Mul(step))
	ahead := z.Pow(l.known + 1).Mul(times)
	drift := step.Mul(z).Quo(rest) // Σ_{t≥0} (1−z) z^t (s + tΔ) = s + Δz/(1−z)
	lost := ahead.Mul(interval.Int(2)).Mul(s.Add(drift))
	spread := step.Mul(step).Mul(z).Mul(interval.Int(1).Add(z)).Quo(rest.Mul(rest))
	lostMoment := ahead.Mul(s.Mul(s).Add(interval.Int(2).Mul(s).Mul(drift)).Add(spread))
	if l.counting {
		lostMoment = lostMoment.Mul(interval.Int(2))
	}
	return interval.Hull(weight, weight.Add(lost)), interval.Hull(moment, moment.Add(lostMoment))
}

// denseProfile is the profile in float64, for curves: terms are not negative,
// so that sums of them lose nothing to cancellation.
type denseProfile struct {
	weights, moments          []float64 // layers 0 … len−1, in units of f
	weight, moment, increment float64   // of the layer after, and how moments grow from there
}

func (l *LineLayers) densely() *denseProfile {
	l.once.Do(func() {
		n := max(len(l.weights.second), len(l.moments.second))
		unit, moment := l.weightUnit(), l.momentUnit()
		moment.Mul(moment, unit)
		floats := func(s *series, unit *big.Rat) []float64 {
			scale, _ := unit.Float64()
			out := make([]float64, n+2)
			for i, v := range s.values(n + 2) {
				f, _ := new(big.Float).SetInt(v).Float64()
				out[i] = f * scale
			}
			return out
		}
		w, m := floats(&l.weights, unit), floats(&l.moments, moment)
		l.dense = denseProfile{w[:n], m[:n], w[n], m[n], m[n+1] - m[n]}
	})
	return &l.dense
}

// Curve returns the distortion at each decay, in float64: a Horner evaluation
// each. It returns an error wrapping query.ErrParameter unless every decay is
// positive and finite, and one wrapping ErrUnknownLayer where the layers not
// computed could change the fifteenth digit.
func (l *LineLayers) Curve(decays []float64) ([]float64, error) {
	out := make([]float64, len(decays))
	least := math.Inf(1)
	for i, e := range decays {
		if !(e > 0) || math.IsInf(e, 1) {
			return nil, fmt.Errorf("%w: decays[%d] = %g, want a positive finite number", query.ErrParameter, i, e)
		}
		least = min(least, e)
	}
	if len(decays) == 0 {
		return out, nil
	}
	if !l.closed {
		lo, hi := evidence.Enclosed(interval.Float(0), "", "").Bounds()
		if e, err := evidence.NewEpsilon("decay", least); err == nil {
			lo, hi = l.Distortion(e).Bounds()
		}
		if !(hi-lo <= 1e-15*hi) {
			return nil, fmt.Errorf("%w: at decay %g the layers beyond %d move the distortion within [%g, %g]", ErrUnknownLayer, least, l.known, lo, hi)
		}
	}
	p := l.densely()
	const lanes = 4
	for at := 0; at < len(decays); at += lanes {
		var z [lanes]float64
		least := math.Inf(1)
		for k := range z {
			e := decays[min(at+k, len(decays)-1)]
			z[k], least = math.Exp(-e), min(least, e)
		}
		values := p.ratios(z, least)
		copy(out[at:], values[:])
	}
	return out, nil
}

// ratios evaluates four points at once, so that the chains of multiplications
// overlap. Terms beyond e^{−100} are dropped.
func (p *denseProfile) ratios(z [4]float64, least float64) (out [4]float64) {
	n := len(p.weights)
	var w, m [4]float64
	if cut := 100 / least; cut < float64(n) {
		n = int(cut) + 1
	} else {
		for k, v := range z {
			rest := 1 - v
			w[k] = p.weight / rest
			m[k] = p.moment/rest + p.increment*v/(rest*rest)
		}
	}
	weights, moments := p.weights[:n], p.moments[:n]
	for i := n - 1; i >= 0; i-- {
		a, b := weights[i], moments[i]
		w[0], m[0] = w[0]*z[0]+a, m[0]*z[0]+b
		w[1], m[1] = w[1]*z[1]+a, m[1]*z[1]+b
		w[2], m[2] = w[2]*z[2]+a, m[2]*z[2]+b
		w[3], m[3] = w[3]*z[3]+a, m[3]*z[3]+b
	}
	for k := range out {
		out[k] = m[k] / w[k]
	}
	return out
}
