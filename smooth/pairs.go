package smooth

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/privacy"
)

// Pairs implements privacy.Private. It returns an upper bound by the smallest ε. If that is infinite, as for Laplace
// noise with different scales, it returns the pairs of a mechanism with the claimed ε and δ, and answers about
// compositions are claimed.
func (m *Mechanism) Pairs(ctx context.Context) (*privacy.DominatingPairs, error) {
	smallest, err := m.SmallestEpsilon(ctx)
	if err != nil {
		return nil, err
	}
	curve := privacy.ProfileFunc{Pure: func(context.Context) (evidence.Number, error) { return smallest, nil }, Source: m.source}
	if m.Noise.family == laplace {
		curve.At = m.DeltaAt
	}
	if _, hi := smallest.Bounds(); !math.IsInf(hi, 1) {
		return privacy.PureDP(m.name, curve), nil
	}
	f, err := privacy.ApproxDP(m.Epsilon, m.Delta.Rat())
	if err != nil {
		return nil, err
	}
	f.Name, f.Profile, f.ClaimedBy = m.name, curve, m.Calibration.Source()
	return f, nil
}
