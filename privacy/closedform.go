package privacy

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// closedForm is a pair with a continuous loss, given by closed forms, that equals its reverse.
type closedForm struct {
	delta     func(eps evidence.Epsilon) evidence.RatOrInterval
	epsilon   func(delta evidence.Delta) (interval.Interval, error) // for 0 < δ < 1
	logMoment func(s interval.Interval) interval.Interval
	mean      interval.Interval
	lossRange interval.Interval
	curvature interval.Interval
	// tails encloses P(loss ≥ l) and Q(loss ≥ l).
	tails func(l interval.Interval) (p, q interval.Interval)
	// tailCut returns finite losses lo and hi with P(loss < lo) and P(loss > hi) below 2^−bits.
	tailCut  func(bits uint) (lo, hi float64)
	gdpMu    interval.Interval  // the least μ for which the pair is μ-GDP
	normalMu *interval.Interval // μ of a Gaussian pair; nil for others
	// pointMasses are the losses with positive probability, in descending order; nil if there are none.
	pointMasses []pointMass
}

// pointMass is a loss and its probability under P.
type pointMass struct{ loss, p interval.Interval }

// Normal returns the pair of two normal laws with the same covariance whose means are μ apart in Mahalanobis
// distance: Gaussian noise of any dimension, G_μ of Dong, Roth and Su (2022).
func Normal(mu interval.Interval) Pair {
	mu = interval.Max(mu, interval.Int(0))
	if s, exact := mu.Sign(); s == 0 && exact { // equal laws
		whole := evidence.ExactRat(one)
		return NewDiscretePair([]Atom{{P: whole, Q: whole, Offset: mu}}, zero, zero, evidence.Epsilon{}, Hooks{})
	}
	half := mu.Mul(mu).Quo(interval.Int(2))
	return &closedForm{
		delta: func(eps evidence.Epsilon) evidence.RatOrInterval {
			return evidence.RatOrInterval{Enclosure: evidence.Enclosure(gaussian.DeltaAt(eps, mu))}
		},
		epsilon: func(delta evidence.Delta) (interval.Interval, error) {
			e, err := gaussian.EpsilonAt(delta, mu)
			return evidence.Enclosure(e), err
		},
		logMoment: func(s interval.Interval) interval.Interval {
			return s.Mul(s.Add(interval.Int(1))).Mul(half)
		},
		mean: half, lossRange: interval.Between(math.Inf(-1), math.Inf(1)), curvature: mu.Mul(mu),
		tails: func(l interval.Interval) (p, q interval.Interval) {
			return gaussian.Tail(l.Sub(half).Quo(mu)), gaussian.Tail(l.Add(half).Quo(mu))
		},
		tailCut: func(bits uint) (lo, hi float64) { // because 1 − Φ(x) ≤ e^{−x²/2}
			width := math.Sqrt(2*math.Ln2*float64(bits)) * (1 + 1e-9) * mu.Upper().Mid()
			return half.Lower().Mid() - width, half.Upper().Mid() + width
		},
		gdpMu: mu, normalMu: &mu,
	}
}

// Laplace returns the pair of two Laplace laws whose centers are ε times the scale apart. For −ε < l < ε, the loss
// exceeds l with probability 1 − e^{(l−ε)/2}/2 under P and e^{−(l+ε)/2}/2 under Q. The loss ε has probability 1/2 under
// P.
func Laplace(eps evidence.Epsilon) Pair {
	t, two, half := eps.Enclosure(), interval.Int(2), interval.Rat(big.NewRat(1, 2))
	one := interval.Int(1)
	return &closedForm{
		delta: func(at evidence.Epsilon) evidence.RatOrInterval {
			gap := t.Sub(at.Enclosure())
			same, ok := eps.Quotient(at)
			if sign, _ := gap.Sign(); sign < 0 || ok && same.Cmp(big.NewRat(1, 1)) == 0 {
				return evidence.ExactRat(new(big.Rat))
			}
			return evidence.RatOrInterval{Enclosure: interval.Max(gap.Quo(two).Neg().Expm1().Neg(), interval.Int(0))}
		},
		// δ = 1 − e^{(ε − t)/2} is solved for ε.
		epsilon: func(delta evidence.Delta) (interval.Interval, error) {
			return interval.Max(t.Add(two.Mul(delta.Enclosure().Neg().Log1p())), interval.Int(0)), nil
		},
		// The moment is α/(2α − 1) e^{(α−1)t} + (α − 1)/(2α − 1) e^{−αt} with α = 1 + s (Mironov 2017, Table II).
		logMoment: func(s interval.Interval) interval.Interval {
			a := one.Add(s)
			under := a.Add(s)
			return interval.LogSum([]interval.Interval{s.Mul(t), a.Mul(t).Neg()}, []interval.Interval{a.Quo(under), s.Quo(under)})
		},
		mean: t.Add(t.Neg().Expm1()), lossRange: interval.Hull(t.Neg(), t), curvature: t.Mul(t),
		tails: func(l interval.Interval) (p, q interval.Interval) {
			zero := interval.Int(0)
			switch {
			case t.Less(l):
				return zero, zero
			case l.CmpHi(t.Neg().Lower()) <= 0:
				return one, one
			}
			p, q = one.Sub(l.Sub(t).Mul(half).Exp().Mul(half)), l.Add(t).Mul(half).Neg().Exp().Mul(half)
			if l.CmpHi(t.Lower()) > 0 { // l may exceed t
				p, q = interval.Hull(p, zero), interval.Hull(q, zero)
			}
			if !t.Neg().Less(l) { // l may be at most −t
				p, q = interval.Hull(p, one), interval.Hull(q, one)
			}
			return p, q
		},
		tailCut: func(uint) (lo, hi float64) { return -t.Mid(), t.Mid() },
		// The event {loss ≥ l} needs μ = h((t + l)/2) + h((t − l)/2), where h(a) is the point at which the normal tail
		// is e^{−a}/2. The tail is log-concave, so h is concave and l = 0 gives the maximum.
		pointMasses: []pointMass{{t, half}, {t.Neg(), t.Neg().Exp().Mul(half)}},
		gdpMu:       two.Mul(gaussian.Quantile(t.Mul(half).Neg().Exp().Mul(half))),
	}
}

// Delta implements Pair.
func (p *closedForm) Delta(_ context.Context, eps evidence.Epsilon) (evidence.RatOrInterval, error) {
	return p.delta(eps), nil
}

// LogMoment implements Pair.
func (p *closedForm) LogMoment(s interval.Interval) interval.Interval { return p.logMoment(s) }

// Mean implements Pair.
func (p *closedForm) Mean() interval.Interval { return p.mean }

// VarianceBound implements Pair.
func (p *closedForm) VarianceBound() interval.Interval { return p.curvature }

// LossRange implements Pair.
func (p *closedForm) LossRange() interval.Interval { return p.lossRange }

// InfinityMass implements Pair.
func (p *closedForm) InfinityMass() evidence.RatOrInterval { return evidence.ExactRat(new(big.Rat)) }

// Reverse implements Pair.
func (p *closedForm) Reverse() Pair { return p }

// truncatedRange implements Pair.
func (p *closedForm) truncatedRange(bits uint) (lo, hi float64) { return p.tailCut(bits) }

// screen implements Pair.
func (p *closedForm) screen() *Screen {
	_, top := p.lossRange.Bounds()
	return &Screen{Error: 0x1p-50, maxLoss: top, logMomentFunc: func(s float64) float64 {
		_, hi := p.logMoment(interval.Float(s)).Bounds()
		return hi
	}}
}

// gdp implements Pair.
func (p *closedForm) gdp() interval.Interval { return p.gdpMu }

// zcdp implements Pair. For normal laws the Rényi divergence divided by its order is the same at every order.
func (p *closedForm) zcdp() interval.Interval {
	if p.normalMu != nil {
		return p.mean
	}
	return boundedRatio(p)
}
