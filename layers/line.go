package layers

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
	"dpworkbench/query"
)

// maxLineDecay bounds the decay: beyond it e^{−decay} is no float64.
const maxLineDecay = 700

// Line is a purest or δ-neighborhood mechanism of a linear query on the real
// line: density z^{L(r)}/α at r − f(x), z = e^{−decay}. The same for every
// dataset, it is described about f(x) = 0. It is immutable and safe for
// concurrent use.
type Line struct {
	*LineLayers
	decay evidence.Epsilon

	once    sync.Once
	sampler lineSampler
}

// PurestLine returns the purest mechanism of a linear query (Wu et al.,
// Definition 16). Errors are those of NewLineLayers, and one wrapping
// query.ErrParameter where the decay exceeds 700.
func PurestLine(ctx context.Context, q *query.Linear, decay evidence.Epsilon) (*Line, error) {
	return NeighborhoodLine(ctx, q, decay, new(big.Rat))
}

// NeighborhoodLine returns the δ-neighborhood mechanism of a linear query
// (Definition 18), with radius the δ of every dataset. Errors are those of
// PurestLine.
func NeighborhoodLine(ctx context.Context, q *query.Linear, decay evidence.Epsilon, radius *big.Rat) (*Line, error) {
	l, err := NewLineLayers(ctx, q, radius)
	if err != nil {
		return nil, err
	}
	return NewLine(l, decay)
}

// NewLine returns the mechanism with the given layers and decay.
func NewLine(l *LineLayers, decay evidence.Epsilon) (*Line, error) {
	if !(decay.Value() <= maxLineDecay) {
		return nil, fmt.Errorf("%w: decay = %v, want at most %d", query.ErrParameter, decay, maxLineDecay)
	}
	return &Line{LineLayers: l, decay: decay}, nil
}

// Name returns "purest" or "delta-neighborhood(δ)".
func (m *Line) Name() string {
	if m.radius.Sign() == 0 {
		return "purest"
	}
	return "delta-neighborhood(" + m.radius.RatString() + ")"
}

// Decay returns the decay per layer.
func (m *Line) Decay() evidence.Epsilon { return m.decay }

// Normalizer returns α, see LineLayers.Normalizer.
func (m *Line) Normalizer() evidence.Number { return m.LineLayers.Normalizer(m.decay) }

// Distortion returns E|noise| in units of f, see LineLayers.Distortion.
func (m *Line) Distortion() evidence.Number { return m.LineLayers.Distortion(m.decay) }

// Layers returns R_0 … R_upTo. Errors are those of LineLayers.Set.
func (m *Line) Layers(upTo int) ([]query.LineSet, error) {
	if upTo < 0 {
		return nil, fmt.Errorf("%w: up_to = %d, want at least 0", query.ErrParameter, upTo)
	}
	out := make([]query.LineSet, upTo+1)
	for i := range out {
		var err error
		if out[i], err = m.Set(i); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Density returns z^{L(r)}/α at distance r from f(x): per unit of length, or
// the probability of the point r where layers weigh by counting. Errors are
// those of LineLayers.Layer.
func (m *Line) Density(r *big.Rat) (evidence.Number, error) {
	layer, ok, err := m.Layer(r)
	if err != nil {
		return nil, err
	}
	if !ok {
		return evidence.Exact{Value: new(big.Rat), Source: lineSource}, nil
	}
	if z, exact := m.exactly(m.decay); exact && layer*z.Denom().BitLen() <= maxExactBits {
		v := ratPower(z, layer)
		return evidence.Exact{Value: v.Quo(v, m.normalizer(z)), Source: "Wu et al., Analytic Theory, (11)"}, nil
	}
	z := m.decay.Decay()
	weight, _ := m.sums(z)
	return evidence.Enclosed(z.Pow(layer).Quo(weight), m.method(), "Wu et al., Analytic Theory, (11)"), nil
}

func ratPower(z *big.Rat, n int) *big.Rat {
	k := big.NewInt(int64(n))
	return new(big.Rat).SetFrac(new(big.Int).Exp(z.Num(), k, nil), new(big.Int).Exp(z.Denom(), k, nil))
}

// SmallestEpsilon returns the least ε at which the mechanism is differentially
// private. It is the decay: Certify bounds it from above, layer by layer, and
// the outermost positions of every ladder, L(r + Δ) = L(r) + 1, attain it.
func (m *Line) SmallestEpsilon(ctx context.Context) (evidence.Number, error) {
	cases, err := m.Certify(ctx)
	if err != nil {
		return nil, err
	}
	source := "Wu et al., Analytic Theory, Corollary 5"
	if base, ok := m.decay.Exp(); ok {
		return evidence.ExactLog{Argument: base, Cases: cases, Source: source}, nil
	}
	method := fmt.Sprintf("%d cases: layers shifted by V differ by at most 1, and do by 1", cases)
	if !m.closed {
		method += fmt.Sprintf(", up to layer %d", m.known)
	}
	return evidence.EnclosedLoss(m.decay.Enclosure(), method, source), nil
}

// Sample draws n independent values of the noise, the output minus f(x), in
// float64. It returns an error wrapping query.ErrParameter where n < 0, and one
// wrapping ErrUnknownLayer where the layers not computed hold more than 1e-12
// of the probability.
func (m *Line) Sample(n int, src rand.Source) ([]float64, error) {
	if n < 0 {
		return nil, fmt.Errorf("%w: n = %d, want at least 0", query.ErrParameter, n)
	}
	if !m.closed {
		weight, _ := m.sums(m.decay.Decay())
		if lo, hi := weight.Quo(interval.Float(weight.Mid())).Bounds(); !(hi-lo < 1e-12) {
			return nil, fmt.Errorf("%w: at decay %v the layers beyond %d weigh too much to leave out", ErrUnknownLayer, m.decay, m.known)
		}
	}
	m.once.Do(func() { m.sampler = newLineSampler(m.LineLayers, m.decay.Value()) })
	r := rand.New(src)
	out := make([]float64, n)
	for i := range out {
		out[i] = m.sampler.draw(r)
	}
	return out, nil
}
