package xor_test

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/xor"
)

// Where there are no neighbors nothing is flipped, and an ε that the solver cannot
// take is refused by its name.
func TestOptimalNoiseAtTheEdges(t *testing.T) {
	law, err := xor.NewOptimalNoise(context.Background(), 1, 1, must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 1))), xor.FlipEdges(1))
	if err != nil {
		t.Fatal(err)
	}
	if got, ok := law.MeanFlips().(evidence.Exact); !ok || got.Value.Sign() != 0 || law.Prob(0) != 1 {
		t.Errorf("no neighbors: %v flips", law.MeanFlips())
	}
	for _, v := range []float64{1e-300, 1e9, 1e308} {
		if _, err := xor.NewOptimalNoise(context.Background(), 2, 2, must.Be(evidence.NewEpsilon("eps", v)), xor.FlipBits(1)); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("ε = %g gives %v", v, err)
		}
	}
}
