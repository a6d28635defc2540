package xor

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
)

// Sources that spell a threshold for ever decide nothing, and whoever draws says so.
func TestUndecidedDraws(t *testing.T) {
	query := newBits(1, 1)
	sure := must.Be(NewUniform(1, 1, 1e6, 0))
	rational := must.Be(NewNoiseLaw(1, 1, []*big.Rat{big.NewRat(2, 3), big.NewRat(1, 3)}))
	tiles := must.Be(Divide(Budget{N: 1, P: 1, Epsilon: must.Be(evidence.NewEpsilon("eps", 1e6)), Alpha: 1, Sensitivity: 1}, 1, 1))
	for what, do := range map[string]func(src rand.Source) (any, error){
		"columns": func(src rand.Source) (any, error) { return sure.cols.Noise(t.Context(), src) },
		"closed":  func(src rand.Source) (any, error) { return lastTwo(sure.Noise(t.Context(), 1, Closed, src)) },
		"listed":  func(src rand.Source) (any, error) { return lastTwo(sure.Noise(t.Context(), 1, Enumerated, src)) },
		"release": func(src rand.Source) (any, error) {
			return lastTwo(Release(t.Context(), query, sure, ReleaseOptions{}, src))
		},
		"tiles": func(src rand.Source) (any, error) { return tiles.Noise(t.Context(), src) },
		"of tiles": func(src rand.Source) (any, error) {
			return lastTwo(tiles.Release(t.Context(), query, ReleaseOptions{}, src))
		},
		"rational": func(src rand.Source) (any, error) { return rational.Release(query, src) },
	} {
		var word uint64 // of 0, where the first outcome all but never is
		if what == "rational" {
			word = 0xaaaaaaaaaaaaaaaa // of 2/3
		}
		if got, err := do(constant(word)); !errors.Is(err, sampling.ErrUndecided) || fmt.Sprint(got) != "<nil>" && fmt.Sprint(got) != "[]" {
			t.Errorf("%s: %v, %v", what, got, err)
		}
		if _, err := do(constant(1 << 40)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func lastTwo[S, T any](v S, _ T, err error) (S, error) { return v, err }
