package xor_test

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/stattest"
	"dpworkbench/xor"
)

// Releases by an optimum have its rational law, at a false-positive rate of 1e-6; a weight
// 1% off is told. An optimum without one is refused, and says what would be needed.
func TestOptimalNoiseRelease(t *testing.T) {
	const draws, rate, by = 3_000_000, 1e-6, .01
	ctx := context.Background()
	law, err := xor.NewOptimalNoise(ctx, 2, 1, must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 1))), xor.FlipBits(1))
	if err != nil {
		t.Fatal(err)
	}
	query, err := xor.ParseBits([][]float64{{0}, {1}})
	if err != nil {
		t.Fatal(err)
	}
	counts, src := make([]int, 4), rand.NewPCG(26, 21)
	for range draws {
		out, err := law.Release(query, src)
		if err != nil {
			t.Fatal(err)
		}
		counts[out.Row(0)[0]|(out.Row(1)[0]^1)<<1]++
	}
	want := []float64{9. / 16, 3. / 16, 3. / 16, 1. / 16}
	stattest.Tells(t, "a weight 1% off", counts, want, stattest.Heavier(want, 0, by), rate)
	if _, err := law.Release(query, nil); err != nil {
		t.Errorf("the system's generator gives %v", err)
	}

	rounded, err := xor.NewOptimalNoise(ctx, 2, 1, must.Be(evidence.NewEpsilon("eps", 1)), xor.FlipBits(1))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := rounded.Release(query, nil); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), "e^eps is rational") {
		t.Errorf("an irrational e^ε gives %v", err)
	}

	// Where nothing is flipped every release is the answer.
	still, err := xor.NewOptimalNoise(ctx, 1, 1, must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 1))), xor.FlipEdges(1))
	if err != nil {
		t.Fatal(err)
	}
	one, err := xor.ParseBits([][]float64{{1}})
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if out, err := still.Release(one, nil); err != nil || out.Ones() != 1 {
			t.Errorf("no neighbors: %v, %v", out, err)
		}
	}
}
