package xor

import (
	"context"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/must"
)

// What is known of a law is kept with it: whoever asks again has the same answer, and
// nothing is looked at for it, where the context is over too.
func TestAnswersAreKept(t *testing.T) {
	dense := must.Be(NewBernoulli([][]float64{{.3, .2}, {.2, -.5}}, nil, 3))
	uniform := must.Be(NewUniform(5, 2, .3, -.1))
	under := must.Be(dense.Under(FlipBits(2), LossOptions{}))
	eps := must.Be(evidence.NewEpsilon("eps", .2))
	for what, do := range map[string]func(ctx context.Context) (evidence.Number, error){
		"the enumeration": func(ctx context.Context) (evidence.Number, error) {
			e, err := dense.Enumerate(ctx)
			if err != nil {
				return nil, err
			}
			return e.MeanOnes, nil
		},
		"the normaliser of parts": func(ctx context.Context) (evidence.Number, error) { return dense.logNormalizer(ctx) },
		"the mean of parts":       func(ctx context.Context) (evidence.Number, error) { return dense.MeanOnes(ctx, Plain) },
		"the zeros of parts":      func(ctx context.Context) (evidence.Number, error) { return dense.MeanOnes(ctx, Complement) },
		"the mean of columns":     func(ctx context.Context) (evidence.Number, error) { return uniform.MeanOnes(ctx, Plain) },
		"the loss": func(ctx context.Context) (evidence.Number, error) {
			l, err := under.Loss(ctx)
			return evidence.Certified{Lo: l.Lo, Hi: l.Hi}, err
		},
	} {
		first := must.Be(do(t.Context()))
		over := looks.After(t.Context(), 0)
		if again, err := do(over); err != nil || again != first || over.Looks() > 0 {
			t.Errorf("%s: %v, %v after %d looks, want %v", what, again, err, over.Looks(), first)
		}
	}
	curve := must.Be(dense.Under(FlipBits(1), LossOptions{}))
	all, again := looks.After(t.Context(), math.MaxInt), looks.After(t.Context(), math.MaxInt)
	first := must.Be(curve.Delta(all, eps))
	if got := must.Be(curve.Delta(again, eps)); got != first || again.Looks() != 6 || all.Looks() <= 6 {
		t.Errorf("δ is %v with %d looks, then %v with %d, want one for each of six differences", first, all.Looks(), got, again.Looks())
	}
	if a, b := must.Be(uniform.cols.counts(t.Context())), must.Be(uniform.cols.counts(t.Context())); a != b {
		t.Error("the law of a column is made twice")
	}
	s := dense.allStates()
	if err := s.visit(t.Context()); err != nil {
		t.Fatal(err)
	}
	over := looks.After(t.Context(), 0)
	if err := s.visit(over); err != nil || over.Looks() > 0 {
		t.Errorf("the states are visited again: %v", err)
	}
}

// Exponentials that a law repeats are taken once.
func TestRepeatedExponentials(t *testing.T) {
	short, long := expCache{}, scaledBigExps{200, map[float64]scaledBigFloat{}}
	for range 3 {
		for _, x := range []float64{.1, -.3, 2} {
			short.of(x)
			long.of(1, x)
			long.of(2, x)
		}
	}
	// Twice .1 and twice −.3 are others, twice 2 is not among them.
	if len(short) != 3 || len(long.seen) != 6 {
		t.Errorf("%d and %d exponentials are kept, want 3 and 6", len(short), len(long.seen))
	}
}

// Parts that repeat are listed once for a draw.
func TestRepeatedPartsAreListedOnce(t *testing.T) {
	block := [][]float64{{.5, 0}, {0, .25}}
	twins := must.Be(NewBernoulli([][]float64{{1, .1}, {.1, 2}}, map[Pair][][]float64{{I: 0, J: 1}: block, {I: 2, J: 3}: block, {I: 4, J: 5}: block}, 6))
	one := must.Be(NewBernoulli([][]float64{{1, .1}, {.1, 2}}, map[Pair][][]float64{{I: 0, J: 1}: block}, 2))
	asked := func(b *Bernoulli) int {
		counted := looks.After(t.Context(), math.MaxInt)
		if _, _, err := b.Noise(counted, 1, Enumerated, constant(1<<40)); err != nil {
			t.Fatal(err)
		}
		return counted.Looks()
	}
	// A bit is looked at when it is cut off, once, a part at its draw, and what is listed four
	// times, once for each of its bits.
	if a, b := asked(one), asked(twins); b != 3*(a-4)+4 {
		t.Errorf("three parts that are alike take %d looks, one %d", b, a)
	}
}

type constant uint64

func (c constant) Uint64() uint64 { return uint64(c) }
