package continuous

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
)

// denseProfile is the profile in float64, for curves. No term is negative, so sums do not cancel. The weights are
// scaled by a power of 2 that makes the largest of them about 1, and so are the moments.
type denseProfile struct {
	weights, moments          []float64 // of the layers first … first + len − 1
	weight, moment, increment float64   // of the next layer, and the increment of later moments
	unit                      float64   // of moment/weight, in units of f
	reach                     float64   // terms below e^−reach times the first are negligible
	ahead                     int       // number of leading layers with moment 0
	plain                     bool      // nothing overflows or underflows
}

func (l *Sequence) densely() *denseProfile {
	l.once.Do(func() {
		n := max(len(l.weights.second), len(l.moments.second))
		plain := true
		least := 0 // exponent of the smallest positive term, scaled
		floats := func(s *series) ([]float64, int) {
			values := s.values(n + 2)
			most := 0
			for _, v := range values {
				most = max(most, v.BitLen())
			}
			out, f := make([]float64, n+2-l.first), new(big.Float)
			for i, v := range values[l.first:] {
				if v.Sign() != 0 {
					least = min(least, v.BitLen()-most)
				}
				f.SetPrec(0).SetInt(v)
				out[i], _ = f.SetMantExp(f, -most).Float64()
			}
			return out, most
		}
		w, a := floats(&l.weights)
		m, b := floats(&l.moments)
		unit := new(big.Float).SetRat(l.momentUnit())
		value, _ := unit.SetMantExp(unit, b-a).Float64()
		plain = least > -700 && value > 1e-250 && value < 1e250
		ahead := 0
		for ahead < len(m) && m[ahead] == 0 {
			ahead++
		}
		n -= l.first
		l.dense = denseProfile{
			weights: w[:n], moments: m[:n], weight: w[n], moment: m[n], increment: m[n+1] - m[n],
			unit: value, reach: 100 - float64(least)*math.Ln2, ahead: ahead, plain: plain,
		}
	})
	return &l.dense
}

// plainDecay is the least decay for which float64 sums are used: there (1−z)² is still far above the least float64.
const plainDecay = 1e-60

// Curve returns the distortion at each decay in float64. It uses Horner's rule, or the certified sum if float64 would
// overflow or underflow. It returns an error wrapping evidence.ErrParameter unless every decay is positive, and one
// wrapping ErrUnknownLayer if layers that were not computed could change the fifteenth digit.
func (l *Sequence) Curve(decays []evidence.Epsilon) ([]float64, error) {
	out := make([]float64, len(decays))
	var lowest evidence.Epsilon
	for i, e := range decays {
		if err := e.Positive(fmt.Sprintf("decays[%d]", i)); err != nil {
			return nil, err
		}
		if lowest.IsZero() || e.Value() < lowest.Value() {
			lowest = e
		}
	}
	if len(decays) == 0 {
		return out, nil
	}
	if !l.closed {
		if lo, hi := l.Distortion(lowest).Bounds(); !(hi-lo <= 1e-15*hi) || math.IsInf(hi, 1) {
			return nil, fmt.Errorf("%w: at decay %v the distortion is only known to be in [%g, %g], want it to within rounding: the layers beyond %d are not known", ErrUnknownLayer, lowest, lo, hi, l.known)
		}
	}
	p := l.densely()
	if !p.plain || lowest.Value() < plainDecay {
		for i, e := range decays {
			out[i] = l.Distortion(e).Float()
		}
		return out, nil
	}
	const lanes = 4
	for at := 0; at < len(decays); at += lanes {
		var z, rest [lanes]float64
		least := math.Inf(1)
		for k := range z {
			e := decays[min(at+k, len(decays)-1)].Value()
			z[k], least = math.Exp(-e), min(least, e)
			if rest[k] = 1 - z[k]; rest[k] < 0.5 { // the subtraction lost digits
				rest[k] = -math.Expm1(-e)
			}
		}
		values := p.ratios(z, rest, least)
		copy(out[at:], values[:])
	}
	return out, nil
}

// Distortions returns the distortion at each decay with its evidence, as Distortion does. It returns an error wrapping
// evidence.ErrParameter unless every decay is positive.
func (l *Sequence) Distortions(decays []evidence.Epsilon) ([]evidence.Number, error) {
	for i, e := range decays {
		if err := e.Positive(fmt.Sprintf("decays[%d]", i)); err != nil {
			return nil, err
		}
	}
	return lists.Each(decays, l.Distortion), nil
}

// ratios evaluates the distortion at four decays at once, so that their multiplications overlap. It drops terms below
// e^{−reach} times the first term.
func (p *denseProfile) ratios(z, rest [4]float64, least float64) (out [4]float64) {
	n := len(p.weights)
	var w, m [4]float64
	if cut := p.reach/least + float64(p.ahead); cut < float64(n) {
		n = int(cut) + 1
	} else {
		for k, v := range z {
			w[k] = p.weight / rest[k]
			m[k] = p.moment/rest[k] + p.increment*v/(rest[k]*rest[k])
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
		out[k] = m[k] / w[k] * p.unit
	}
	return out
}
