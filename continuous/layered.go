package continuous

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"sync"
	"sync/atomic"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

// Layered is a purest or δ-neighborhood mechanism of a linear query on the real line, with noise of density z^{L(r)}/α,
// z = e^{−decay}. It is immutable and safe for concurrent use.
type Layered struct {
	*Sequence
	decay evidence.Epsilon

	once    sync.Once
	sampler layerSampler
	exact   func() (func(rand.Source) (Noise, error), error) // makes the exact sampler, once

	worst atomic.Pointer[evidence.RatOrInterval] // see grows; nil until needed
}

// NewPurest returns the purest mechanism of a linear query (Wu et al., Definition 16). It returns errors as
// NewSequence does, and one wrapping evidence.ErrParameter if the decay exceeds 700.
func NewPurest(ctx context.Context, q *Linear, decay evidence.Epsilon) (*Layered, error) {
	return NewDeltaNeighborhood(ctx, q, decay, new(big.Rat))
}

// NewDeltaNeighborhood returns the δ-neighborhood mechanism of a linear query
// (Definition 18); radius is its δ. It returns errors as NewPurest does.
func NewDeltaNeighborhood(ctx context.Context, q *Linear, decay evidence.Epsilon, radius *big.Rat) (*Layered, error) {
	if err := checkRate("decay", decay); err != nil { // before the layers are built
		return nil, err
	}
	l, err := NewSequence(ctx, q, radius)
	if err != nil {
		return nil, err
	}
	return NewLayered(l, decay)
}

// NewLayered returns the mechanism with the given layers and decay.
func NewLayered(l *Sequence, decay evidence.Epsilon) (*Layered, error) {
	if err := checkRate("decay", decay); err != nil {
		return nil, err
	}
	return &Layered{Sequence: l, decay: decay, exact: exactSampler(l, decay)}, nil
}

// Name returns "purest" or "delta-neighborhood(δ)".
func (m *Layered) Name() string {
	if m.radius.Sign() == 0 {
		return "purest"
	}
	return "delta-neighborhood(" + m.radius.RatString() + ")"
}

// Decay returns the decay per layer.
func (m *Layered) Decay() evidence.Epsilon { return m.decay }

// Normalizer returns α, see Sequence.Normalizer.
func (m *Layered) Normalizer() evidence.Number { return m.Sequence.Normalizer(m.decay) }

// Distortion returns E|noise| in units of f, see Sequence.Distortion.
func (m *Layered) Distortion() evidence.Number { return m.Sequence.Distortion(m.decay) }

// Layers returns R_0 … R_upTo. It returns errors as Sequence.Set does, and the
// context's error.
func (m *Layered) Layers(ctx context.Context, upTo int) ([]Set, error) {
	if err := checkUpTo(upTo); err != nil {
		return nil, err
	}
	out := make([]Set, upTo+1)
	for i := range out {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var err error
		if out[i], err = m.Set(i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

const densitySource = "Wu et al., Analytic Theory, (11)"

// Density returns z^{L(r)}/α at distance r from f(x): a density, or the probability of r if the layers count points. It
// returns errors as Sequence.Layer does.
func (m *Layered) Density(r *big.Rat) (evidence.Number, error) {
	layer, ok, err := m.Layer(r)
	if err != nil {
		return nil, err
	}
	if !ok {
		return evidence.Exact{Value: new(big.Rat), Provenance: evidence.From(sumsSource)}, nil
	}
	if z, exact := m.exactly(m.decay); exact && layer.IsInt64() && layer.Int64() <= maxExactBits/int64(z.Denom().BitLen()) {
		v := interval.RationalPower(z, layer)
		return evidence.Exact{Value: v.Quo(v, m.normalizer(z)), Provenance: evidence.From(densitySource)}, nil
	}
	// The density is z^L/α with α = z^first·weight.
	rate := rateOf(m.decay)
	weight, _ := m.sums(rate)
	value := interval.Int(1).Quo(weight)
	past := new(big.Int).Sub(layer, big.NewInt(int64(m.first)))
	switch {
	case past.Sign() < 0: // r is in a layer before the first one of positive weight
		value = value.Quo(rate.z)
	case past.BitLen() <= 20:
		value = value.Mul(rate.z.Pow(int(past.Int64())))
	default:
		value = value.Mul(m.decay.Enclosure().Mul(interval.Rat(new(big.Rat).SetInt(past))).Neg().Exp())
	}
	return evidence.Enclosed(value, m.method(), densitySource), nil
}

// Privacy returns the privacy for the neighboring set V of the query. The smallest ε is the decay. Proof: r ∈ A_i and v
// ∈ V imply r + v ∈ A_{i+1}, so a shift in V changes the layer by at most 1, which Certify checks on the computed
// layers. The r ∈ A_i beyond sup A_i − Δ lie in R_i, and r + Δ lies in R_{i+1}. They have positive weight for some i,
// so the shift Δ attains the decay. δ(ε) is that of the shift under which the layer grows with the largest probability,
// see worst.go.
func (m *Layered) Privacy() privacy.Profile {
	return privacy.ProfileFunc{
		Pure: m.smallestEpsilon,
		At: func(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
			grows, err := m.grows(ctx)
			if err != nil {
				return nil, err
			}
			return stepDelta(m.decay, eps, grows, growsEvent+"the worst shift; "+corollary5), nil
		},
		Source: corollary5,
	}
}

// growsEvent begins the description of the event that attains δ(ε).
const growsEvent = "the event that the step grows under "

// ClaimedEpsilon implements Mechanism.
func (m *Layered) ClaimedEpsilon() evidence.Number {
	return mechanism.Claim(m.decay, "Wu et al., Corollary 5")
}

const corollary5 = "Wu et al., Analytic Theory, Corollary 5"

func (m *Layered) smallestEpsilon(ctx context.Context) (evidence.Number, error) {
	cases, err := m.Certify(ctx)
	if err != nil {
		return nil, err
	}
	proof := fmt.Sprintf("a shift by V changes no layer by more than 1, and by Δ the outermost by 1; checked on %d cases", cases)
	if !m.closed {
		proof += fmt.Sprintf(" up to layer %d", m.known)
	}
	return shiftedLoss(m.decay, cases, proof, corollary5), nil
}

// Noise draws n independent values of the noise, the output minus f(x), in
// float64. It returns an error wrapping evidence.ErrParameter if n < 0 or the noise overflows float64, and one wrapping
// ErrUnknownLayer if layers that were not computed have more than 1e-12 of the probability.
func (m *Layered) Noise(n int, src rand.Source) ([]float64, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	if !m.closed {
		weight, _ := m.sums(rateOf(m.decay))
		if lo, hi := weight.Quo(interval.Float(weight.Mid())).Bounds(); !(hi-lo < 1e-12) {
			return nil, fmt.Errorf("%w: at decay %v the layers beyond %d, which are not known, hold too much probability to be ignored", ErrUnknownLayer, m.decay, m.known)
		}
	}
	m.once.Do(func() { m.sampler = newLayerSampler(m.Sequence, m.decay.Value()) })
	r := rand.New(src)
	out := make([]float64, n)
	for i := range out {
		if out[i] = m.sampler.draw(r); math.IsInf(out[i], 0) || math.IsNaN(out[i]) {
			return nil, parameter.Errorf("draws at decay %v on a query of sensitivity %s are outside the range of float64: rescale the query or raise decay", m.decay, m.query.Sensitivity().Value.RatString())
		}
	}
	return out, nil
}
