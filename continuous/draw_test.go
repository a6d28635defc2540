package continuous_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/continuous"
)

func TestDrawInPartsIsOneDraw(t *testing.T) {
	draw := func(n int, src rand.Source) ([]uint64, error) {
		out := make([]uint64, n)
		for i := range out {
			out[i] = src.Uint64()
		}
		return out, nil
	}
	const n = 1<<17 + 3
	whole, _ := draw(n, rand.NewPCG(1, 0))
	parts, err := continuous.Draw(context.Background(), n, rand.NewPCG(1, 0), draw)
	if err != nil || !slices.Equal(whole, parts) {
		t.Errorf("%d values in parts are not those of one draw (%v)", len(parts), err)
	}
	if none, err := continuous.Draw(context.Background(), 0, rand.NewPCG(1, 0), draw); err != nil || len(none) != 0 {
		t.Errorf("no draws are %v, %v", none, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := continuous.Draw(ctx, n, rand.NewPCG(1, 0), draw); !errors.Is(err, context.Canceled) {
		t.Errorf("a draw after the context's end: %v", err)
	}
}
