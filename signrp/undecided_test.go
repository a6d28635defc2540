package signrp

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/sampling"
)

// script is a source of given words, and zeros after them.
type script []uint64

func (s *script) Uint64() (word uint64) {
	if len(*s) > 0 {
		word, *s = (*s)[0], (*s)[1:]
	}
	return word
}

// normalOf are the words of which the standard normal number has no whole part, the sign + and a fraction that begins with the given word: no trial of
// chance e^{−1/2}, and a fraction that nothing falls below.
func normalOf(first uint64) *script {
	return &script{0, 1, first, ^uint64(0), 1}
}

// Noise that meets an edge of the grid or the other sign in all its digits is no draw but an error: the chance is 2^−65536, and none is
// guessed.
func TestDrawsThatAreNotDecided(t *testing.T) {
	ctx := t.Context()
	raw := must(NewRaw(1, eps(t, 1), evidencetest.Delta(1e-3), RPOptions{Beta: 1}))
	sigma := new(big.Rat).SetFloat64(raw.sigma.Hi)
	if out, err := raw.Draw(ctx, []float64{0}, sigma, normalOf(1<<63)); out.Numbers != nil || !errors.Is(err, sampling.ErrUndecided) {
		t.Errorf("σ/2 on a grid of σ: %v, %v", out, err)
	}
	for first, want := range map[uint64]float64{1<<63 - 1: 0, 1<<63 + 1: raw.sigma.Hi} {
		if out, err := raw.Draw(ctx, []float64{0}, sigma, normalOf(first)); err != nil || out.Numbers[0] != want {
			t.Errorf("next to σ/2 on a grid of σ: %v, %v, want %v", out, err, want)
		}
	}
	w := seek([][]float64{{1}, {1}})
	noisy := must(NewSignRP(ctx, w, eps(t, 1), SignOptions{Noise: GaussianNoise, Delta: evidencetest.Delta(1e-3), Beta: 1}))
	if out, err := noisy.Draw(ctx, []float64{0.5, -0.5}, nil, normalOf(0)); out.Signs != nil || !errors.Is(err, sampling.ErrUndecided) {
		t.Errorf("the sign of noise 0 about 0: %v, %v", out, err)
	}
	if out, err := noisy.Draw(ctx, []float64{0.5, -0.5}, nil, normalOf(1)); err != nil || out.Signs[0] != 1 {
		t.Errorf("the sign of noise above 0: %v, %v", out, err)
	}

	// A sign is kept with chance 1/(1 + e^{−1}), whose digits the source has.
	flips := must(NewSignRP(ctx, w, eps(t, 1), SignOptions{Noise: RandomizedResponse, Beta: 1}))
	chance := sampling.Logistic(big.NewRat(1, 1))
	digits, _ := chance(sampling.MostBits + 128)
	var words script
	for at := sampling.MostBits + 64; at >= 0; at -= 64 {
		words = append(words, new(big.Int).Rsh(digits, uint(at)).Uint64())
	}
	var src rand.Source = &words
	if out, err := flips.Draw(ctx, []float64{0.5, 0.5}, nil, src); out.Signs != nil || !errors.Is(err, sampling.ErrUndecided) {
		t.Errorf("a number that agrees with its threshold: %v, %v", out, err)
	}
}
