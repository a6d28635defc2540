package mechanism_test

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/mechanism"
)

func TestLaws(t *testing.T) {
	m, err := mechanism.NewFinite(context.Background(), pathQuery(t, 2), [][]*big.Rat{{big.NewRat(3, 4), big.NewRat(1, 4)}, {new(big.Rat), big.NewRat(1, 1)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := mechanism.Law(m, 0); err != nil || !slices.Equal(got, []float64{0.75, 0.25}) {
		t.Errorf("the law at 0 is %v", got)
	}
	if got, err := mechanism.Law(m, 1); err != nil || !slices.Equal(got, []float64{0, 1}) {
		t.Errorf("the law at 1 is %v", got)
	}
	laws := mechanism.RationalLaws(m)
	if len(laws) != 2 || laws[0][0].Cmp(big.NewRat(3, 4)) != 0 || laws[1][0].Sign() != 0 {
		t.Errorf("the laws are %v", laws)
	}
}

func TestDrawNoiseIsOneDraw(t *testing.T) {
	draw := func(n int, src rand.Source) ([]uint64, error) {
		out := make([]uint64, n)
		for i := range out {
			out[i] = src.Uint64()
		}
		return out, nil
	}
	const n = 1<<17 + 3
	whole, _ := draw(n, rand.NewPCG(1, 0))
	parts, err := mechanism.DrawNoise(context.Background(), n, rand.NewPCG(1, 0), draw)
	if err != nil || !slices.Equal(whole, parts) {
		t.Errorf("%d values in parts are not those of one draw (%v)", len(parts), err)
	}
	if none, err := mechanism.DrawNoise(context.Background(), 0, rand.NewPCG(1, 0), draw); err != nil || len(none) != 0 {
		t.Errorf("no draws are %v, %v", none, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := mechanism.DrawNoise(ctx, n, rand.NewPCG(1, 0), draw); !errors.Is(err, context.Canceled) {
		t.Errorf("a draw after the context's end: %v", err)
	}
}
