package signrp

import (
	"cmp"
	"context"

	"dpworkbench/internal/parameter"
)

// Levels returns L_j = ⌈|Wᵀ_j u|/(β max_i |W_ij|)⌉ of Algorithm 4 for every sign: the least number of moves by β
// that can change it. Errors are those of Apply; β must also be positive and finite.
func (w *Projection) Levels(ctx context.Context, u []float64, beta float64) ([]int, error) {
	if err := cmp.Or(checkVector("u", u, w.p), parameter.Positive("beta", beta)); err != nil {
		return nil, err
	}
	if least := float64(w.p) * 0x1p-53; beta < least {
		return nil, parameter.Bad("beta", beta, "at least %.3g for smoothing with %d coordinates", least, w.p)
	}
	at, err := w.at(ctx, u, beta)
	if err != nil {
		return nil, err
	}
	out := make([]int, w.k)
	for j, largest := range w.largests() {
		out[j] = abs(level(at, j, beta, largest))
	}
	return out, nil
}
