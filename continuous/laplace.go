package continuous

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
)

const laplaceSource = "Dwork, McSherry, Nissim and Smith 2006; Wu et al., Definition 3"

// Laplace is the Laplace mechanism of a linear query: noise of density
// ε/(2Δ) e^{−ε|r|/Δ}.
type Laplace struct {
	eps         evidence.Epsilon
	sensitivity *big.Rat
	neighbors   Set // V_f
}

// NewLaplace returns the Laplace mechanism of a linear query. It returns an
// error wrapping evidence.ErrParameter if ε > 700.
func NewLaplace(q *Linear, eps evidence.Epsilon) (*Laplace, error) {
	if err := checkRate("eps", eps); err != nil {
		return nil, err
	}
	return &Laplace{eps, q.Sensitivity().Value, q.set}, nil
}

// Name implements Mechanism.
func (l *Laplace) Name() string { return fmt.Sprintf("laplace(eps=%v)", l.eps) }

// Epsilon returns the guarantee ε.
func (l *Laplace) Epsilon() evidence.Epsilon { return l.eps }

// ClaimedEpsilon implements Mechanism: ε.
func (l *Laplace) ClaimedEpsilon() evidence.Number { return mechanism.Claim(l.eps, l.Name()) }

// scale encloses Δ/ε.
func (l *Laplace) scale() interval.Interval {
	return interval.Rat(l.sensitivity).Quo(l.eps.Enclosure())
}

// Distortion returns E|noise| = Δ/ε.
func (l *Laplace) Distortion() evidence.Number {
	return evidence.RatOrInterval{Enclosure: l.scale()}.Number(closedForm, laplaceSource)
}

// SecondMoment returns E noise² = 2Δ²/ε².
func (l *Laplace) SecondMoment() evidence.Number {
	return evidence.RatOrInterval{Enclosure: l.scale().Mul(l.scale()).Mul(interval.Int(2))}.Number(closedForm, laplaceSource)
}

// Density implements Mechanism.
func (l *Laplace) Density(r *big.Rat) (evidence.Number, error) {
	d := new(big.Rat).Abs(r)
	height := interval.Int(1).Quo(l.scale().Mul(interval.Int(2)))
	return evidence.RatOrInterval{Enclosure: decay(l.eps, d, l.sensitivity).Enclosure.Mul(height)}.Number(closedForm, laplaceSource), nil
}

// Layers implements Mechanism: R_i holds i ≤ |r|/Δ < i + 1.
func (l *Laplace) Layers(ctx context.Context, upTo int) ([]Set, error) {
	return l.Discretized().Layers(ctx, upTo)
}

// Discretized returns the layered mechanism (Wu et al., Definition 13) with the layers A_i = {|r| < (i+1)Δ} of l. Its
// steps have width Δ and begin at 0: it is the Staircase with γ = 1.
func (l *Laplace) Discretized() *Staircase {
	s := newStaircase(l.sensitivity, l.neighbors, l.eps, whole(1), fraction(-1, 2))
	s.source = "Wu et al., Analytic Theory, Definition 13 of " + laplaceSource
	return s
}

// Noise implements Mechanism.
func (l *Laplace) Noise(n int, src rand.Source) ([]float64, error) {
	if err := mechanism.CheckDraws(n); err != nil {
		return nil, err
	}
	rng := rand.New(src)
	scale := l.scale().Mid()
	out := make([]float64, n)
	for i := range out {
		out[i] = -scale * math.Log1p(-rng.Float64())
		if rng.Uint64()&1 == 0 {
			out[i] = -out[i]
		}
	}
	return finite(out, evidence.RatOrInterval{Enclosure: l.scale()})
}

// Privacy implements Mechanism. A shift in V changes |r| by at most Δ, and the shift Δ attains this. The profile under
// a shift v is 1 − e^{(ε − ε₀v/Δ)/2}, attained by the event of all r whose loss exceeds ε. It is largest at v = Δ.
func (l *Laplace) Privacy() privacy.Profile {
	return known(shiftedLoss(l.eps, 0, "|r| moves by at most Δ under V, and by Δ from 0", laplaceSource), func(eps evidence.Epsilon) evidence.Number {
		const source = "1 − e^{(ε − ε₀)/2}; " + laplaceSource
		gap := l.eps.Enclosure().Sub(eps.Enclosure())
		same, ok := l.eps.Quotient(eps)
		if sign, _ := gap.Sign(); sign < 0 || ok && same.Cmp(big.NewRat(1, 1)) == 0 {
			return evidence.Exact{Value: new(big.Rat), Provenance: evidence.From(source)}
		}
		return smallLoss(interval.Int(1).Sub(gap.Neg().Quo(interval.Int(2)).Exp()), gap.Quo(interval.Int(2)), source)
	})
}
