package continuous

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"sync/atomic"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

const truncatedLaplaceSource = "Geng, Ding, Guo and Kumar 2020, Tight Analysis of Privacy and Utility Tradeoff in Approximate Differential Privacy"

// TruncatedLaplace is Laplace noise of scale Δ/ε that is conditioned on |r| ≤ A. A = (Δ/ε) ln(1 + (e^ε − 1)/(2δ)) is
// the least bound that makes it (ε, δ)-differentially private. With T = e^{−εA/Δ} its density is ε/(2Δ(1 − T))
// e^{−ε|r|/Δ}.
type TruncatedLaplace struct {
	laplace   *Laplace
	delta     evidence.Delta
	growth    evidence.RatOrInterval // e^ε − 1
	cut, rest evidence.RatOrInterval // T and 1 − T
	reach     interval.Interval      // εA/Δ
	pairs     atomic.Pointer[privacy.DominatingPairs]
}

// NewTruncatedLaplace returns the truncated Laplace mechanism of a linear query. It returns an error wrapping
// evidence.ErrParameter unless 0 < ε ≤ 700 and 0 < δ ≤ 1/2.
func NewTruncatedLaplace(q *Linear, eps evidence.Epsilon, delta evidence.Delta) (*TruncatedLaplace, error) {
	l, err := NewLaplace(q, eps)
	if err != nil {
		return nil, err
	}
	if delta.IsZero() || delta.Rat().Cmp(big.NewRat(1, 2)) > 0 {
		return nil, parameter.Bad("delta", delta, "0 < delta <= 1/2")
	}
	t := &TruncatedLaplace{laplace: l, delta: delta, growth: expm1(eps)}
	twice := whole(2).Mul(evidence.ExactRat(delta.Rat()))
	all := twice.Add(t.growth)
	t.cut, t.rest = twice.Quo(all), t.growth.Quo(all)
	t.reach = t.growth.Quo(twice).Enclosure.Log1p()
	return t, nil
}

// expm1 returns e^ε − 1.
func expm1(eps evidence.Epsilon) evidence.RatOrInterval {
	if eps.IsZero() {
		return whole(0)
	}
	if e, ok := eps.Exp(); ok {
		return evidence.ExactRat(e).Sub(whole(1))
	}
	return evidence.RatOrInterval{Enclosure: eps.Enclosure().Expm1()}
}

// Name implements Mechanism.
func (t *TruncatedLaplace) Name() string {
	return fmt.Sprintf("truncated_laplace(eps=%v, delta=%s)", t.laplace.eps, t.delta.Rat().RatString())
}

// Guarantee returns the ε and δ for which the mechanism was made. Both are exact.
func (t *TruncatedLaplace) Guarantee() (eps evidence.InputEpsilon, delta evidence.Exact) {
	return t.laplace.eps.Number(), evidence.Exact{Value: t.delta.Rat(), Side: evidence.Up, Provenance: evidence.From(truncatedLaplaceSource)}
}

// ClaimedEpsilon implements Mechanism. It is infinite: the mechanism is (ε, δ)-private, but not ε-differentially
// private for any ε.
func (t *TruncatedLaplace) ClaimedEpsilon() evidence.Number {
	return evidence.Claimed{Value: math.Inf(1), Provenance: evidence.From(fmt.Sprintf("%s: private at ε = %v with δ = %s", truncatedLaplaceSource, t.laplace.eps, t.delta.Rat().RatString()))}
}

// number returns k·(Δ/ε)^order as evidence.
func (t *TruncatedLaplace) number(k interval.Interval, order int) evidence.Number {
	return evidence.RatOrInterval{Enclosure: t.laplace.scale().Pow(order).Mul(k)}.Number(closedForm, truncatedLaplaceSource)
}

// Truncation returns A, the largest |noise|.
func (t *TruncatedLaplace) Truncation() evidence.Number { return t.number(t.reach, 1) }

// odds encloses T/(1 − T) = 2δ/(e^ε − 1).
func (t *TruncatedLaplace) odds() interval.Interval { return t.cut.Quo(t.rest).Enclosure }

// Distortion returns E|noise| = (Δ/ε)(1 − (εA/Δ)·T/(1 − T)).
func (t *TruncatedLaplace) Distortion() evidence.Number {
	return t.number(interval.Int(1).Sub(t.reach.Mul(t.odds())), 1)
}

// SecondMoment returns E noise² = (Δ/ε)²(2 − (L² + 2L)·T/(1 − T)), L = εA/Δ.
func (t *TruncatedLaplace) SecondMoment() evidence.Number {
	two := interval.Int(2)
	return t.number(two.Sub(t.reach.Mul(t.reach.Add(two)).Mul(t.odds())), 2)
}

// Density implements Mechanism.
func (t *TruncatedLaplace) Density(r *big.Rat) (evidence.Number, error) {
	weight := decay(t.laplace.eps, new(big.Rat).Abs(r), t.laplace.sensitivity)
	inside, exact := weight.Sub(t.cut).Enclosure.Sign()
	if inside < 0 {
		return whole(0).Number(closedForm, truncatedLaplaceSource), nil
	}
	d := weight.Enclosure.Quo(t.laplace.scale().Mul(interval.Int(2)).Mul(t.rest.Enclosure))
	if inside == 0 && !exact { // r may lie beyond A
		d = interval.Hull(d, interval.Int(0))
	}
	return evidence.RatOrInterval{Enclosure: d}.Number(closedForm, truncatedLaplaceSource), nil
}

// Layers implements Mechanism. It returns an error wrapping evidence.ErrParameter: only ε-differentially private
// mechanisms have layers.
func (t *TruncatedLaplace) Layers(context.Context, int) ([]Set, error) {
	return nil, parameter.Errorf("%s has no layers: it does not satisfy pure ε-differential privacy for any ε", t.Name())
}

// Noise implements Mechanism, by the inverse of the distribution function.
func (t *TruncatedLaplace) Noise(n int, src rand.Source) ([]float64, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	rng := rand.New(src)
	scale, rest := t.laplace.scale().Mid(), t.rest.Enclosure.Mid()
	out := make([]float64, n)
	for i := range out {
		out[i] = -scale * math.Log1p(-rng.Float64()*rest)
		if rng.Uint64()&1 == 0 {
			out[i] = -out[i]
		}
	}
	return finite(out, evidence.RatOrInterval{Enclosure: t.laplace.scale()})
}

// Sampler implements [ExactlySampled]: draws x of density e^{−x} are rejected until x ≤ L = εA/Δ. For L ≤ 1 the
// proposal is uniform and is accepted with probability e^{−x}. Either way more than half of the proposals are
// accepted.
func (t *TruncatedLaplace) Sampler() (func(rand.Source) (Noise, error), error) {
	b, twice := sampling.Decay(t.laplace.eps, big.NewRat(1, 1)), new(big.Rat).Mul(big.NewRat(2, 1), t.delta.Rat())
	less := new(big.Rat).Sub(twice, big.NewRat(1, 1))
	cut := sampling.Rat(twice).Mul(b).Mul(sampling.Sum(sampling.Int(1), sampling.Rat(less).Mul(b)).Inverse()).Known()
	scale := sampling.Rat(t.laplace.sensitivity).Mul(sampling.Epsilon(t.laplace.eps).Inverse()).Known()
	most, _ := t.reach.Upper().MidFloat(interval.Prec).Rat(nil)
	uniform := most.Cmp(big.NewRat(1, 1)) <= 0
	return func(src rand.Source) (Noise, error) {
		for {
			var x sampling.Number
			if uniform {
				x = sampling.UniformReal(src).Number().Mul(sampling.Rat(most))
			} else {
				x = sampling.Exponential(src).Number()
			}
			weight := sampling.Exp(x.Neg())
			keep, err := sampling.Less(cut, weight)
			if keep && err == nil && uniform {
				keep, err = sampling.Bernoulli(weight, src)
			}
			if keep || err != nil {
				return Noise{new(big.Rat), coin(x.Mul(scale), src)}, err
			}
		}
	}, nil
}

// Privacy implements Mechanism. The law is log-concave, so the worst event is some {r ≤ s}, and Δ is the worst shift in
// V.
func (t *TruncatedLaplace) Privacy() privacy.Profile { return truncatedProfile{t} }

// truncatedProfile is the privacy under the shift Δ. The event r < Δ − A has probability δ, and is impossible at
// the neighbor. Elsewhere the loss is ε for r ≤ 0, and falls to −ε at r = Δ ≤ A. Hence δ(ε′) = δ for ε′ ≥ ε, and
// with s = (Δ/2)(1 − ε′/ε) for ε′ < ε
//
//	δ(ε′) = F(s) − e^{ε′} F(s − Δ) = (1 − e^{−(ε − ε′)/2})/(1 − T) + δ(e^{ε′} − 1)/(e^ε − 1).
type truncatedProfile struct{ of *TruncatedLaplace }

// Delta implements privacy.Profile.
func (p truncatedProfile) Delta(_ context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	t, least := p.of, evidence.ExactRat(p.of.delta.Rat())
	above, positive := remainder(t.laplace.eps, big.NewRat(1, 2), eps.Ratio(1, 2))
	if !positive {
		return deltaOf(least, truncatedLaplaceSource), nil
	}
	d := above.Quo(t.rest).Add(least.Mul(expm1(eps)).Quo(t.growth))
	return deltaOf(privacy.Max(d, least), truncatedLaplaceSource), nil
}

// Epsilon implements privacy.Profile.
func (p truncatedProfile) Epsilon(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
	top := shiftedLoss(p.of.laplace.eps, 0, "noise below Δ − A has probability δ, and elsewhere |r| moves by at most Δ", truncatedLaplaceSource)
	switch delta.Rat().Cmp(p.of.delta.Rat()) {
	case -1:
		return evidence.Certified{Lo: math.Inf(1), Hi: math.Inf(1), Side: evidence.Up, Provenance: evidence.From(truncatedLaplaceSource).By("the loss is infinite with probability " + p.of.delta.Rat().RatString())}, nil
	case 0:
		return top, nil
	}
	return evidence.AsNumber(privacy.EpsilonAt(ctx, privacy.Inversion{Delta: delta, Pure: top, Width: 1e-12, Source: truncatedLaplaceSource, At: p.Delta}))
}

// Pairs implements privacy.Private. The laws at 0 and at Δ are mirror images. They are computed when a composition
// first needs them.
func (t *TruncatedLaplace) Pairs(context.Context) (*privacy.DominatingPairs, error) {
	family := func(of func(f *privacy.DominatingPairs) *privacy.DominatingPairs) *privacy.DominatingPairs {
		return named(t, privacy.ByEquality(t.laplace.neighbors), &privacy.DominatingPairs{
			Size: 1, Source: truncatedLaplaceSource, Relation: query.Any,
			Pair: func(ctx context.Context, _ int) (privacy.Pair, error) {
				f, err := t.outputs(ctx)
				if err != nil {
					return nil, err
				}
				return of(f).Pair(ctx, 0)
			},
		})
	}
	f := family(func(f *privacy.DominatingPairs) *privacy.DominatingPairs { return f })
	f.LowerBound = family(func(f *privacy.DominatingPairs) *privacy.DominatingPairs { return f.LowerBound })
	return f, nil
}

// outputs returns the laws at 0 and Δ, with one output x per privacy loss: x ≤ −1 stands for r < Δ − A, x ≤ 0 for the
// loss ε, x from 0 to 1 for r = xΔ, x ≤ 2 for the loss −ε, and x > 3 for outputs that are impossible at 0.
func (t *TruncatedLaplace) outputs(ctx context.Context) (*privacy.DominatingPairs, error) {
	if known := t.pairs.Load(); known != nil {
		return known, nil
	}
	half, one := fraction(1, 2), big.NewRat(1, 1)
	top := half.Sub(evidence.ExactRat(t.delta.Rat())) // the probability of the loss ε
	falls := decay(t.laplace.eps, one, one)
	between := func(from, to interval.Interval) interval.Interval { // ∫ e^{−εu} du ε/2(1 − T)
		rate := t.laplace.eps.Enclosure()
		return rate.Mul(from).Neg().Exp().Sub(rate.Mul(to).Neg().Exp()).Quo(t.rest.Enclosure.Mul(interval.Int(2)))
	}
	at := func(x float64) interval.Interval { return interval.Float(min(max(x, 0), 1)) }
	c := privacy.Continuous{From: -1, To: 3, Cells: 1 << 10,
		P: func(x float64) interval.Interval {
			switch {
			case x <= -1:
				return t.delta.Enclosure()
			case x > 1:
				return interval.Int(1)
			}
			return half.Enclosure.Add(between(interval.Int(0), at(x)))
		},
		Q: func(x float64) interval.Interval {
			switch {
			case x <= -1:
				return interval.Int(0)
			case x > 1:
				return interval.Rat(new(big.Rat).Sub(one, t.delta.Rat()))
			}
			return falls.Mul(top).Enclosure.Add(between(interval.Int(1).Sub(at(x)), interval.Int(1)))
		},
		Loss: func(a, b float64) interval.Interval {
			loss := func(x float64) interval.Interval {
				return t.laplace.eps.Enclosure().Mul(interval.Int(1).Sub(interval.Int(2).Mul(at(x))))
			}
			high, low := loss(a), loss(b)
			if a < -1 {
				high = interval.Float(math.Inf(1))
			}
			if b <= -1 {
				low = high
			} else if b > 3 {
				low = interval.Float(math.Inf(-1))
			}
			return interval.Hull(low, high)
		},
	}
	f, err := c.DominatingPairs(ctx, "", truncatedLaplaceSource)
	if err == nil {
		t.pairs.Store(f)
	}
	return f, err
}
