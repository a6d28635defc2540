package continuous

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// What is refused is told in full: parameter, value and range, at either end.
func TestRefusalsInFull(t *testing.T) {
	ctx, one := t.Context(), nats(t, 1)
	line, points := linearOf(t, rats(t, "1", "2")...), linearOf(t, rats(t, "1", "1", "3", "3")...)
	far := linearOf(t, new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 32)), new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), 32)), rat(t, "1"), rat(t, "1"))
	var columns []Point
	for i := range 12 {
		columns = append(columns, Point{big.NewRat(1, int64(i)+7), big.NewRat(1, int64(i*i)+31)})
	}
	many := must.For(NewKNormPlane(columns, one))(t)
	gauss := must.For(NewDiscreteGaussian(points, big.NewRat(3, 1000)))(t)
	part := must.For(newSequence(ctx, linearOf(t, rats(t, "0", "1/10", "3/10", "11/30")...), rat(t, "1/700"), ringBudget{maxNodes: 9, enough: 1 << 30, maxWork: 1 << 30}))(t)
	unknown := must.For(NewLayered(part, one))(t)
	for want, do := range map[string]func() error{
		fmt.Sprintf("neighboring set is %v, want points only", line.NeighboringSet()): func() error { _, err := NewGeometric(line, one); return err },
		"neighboring set reaches 4294967296 steps of its lattice, want at most 2^31":  func() error { _, err := NewGeometric(far, one); return err },
		"layer = 6 of 12 columns holds over 2^17 values, want fewer":                  func() error { _, err := many.images(ctx, 6); return err },
		"sigma = 29/10000, want 3/1000…1125899906842624: from a thousandth of the sensitivity to 2^50 steps of the lattice": func() error {
			_, err := NewDiscreteGaussian(points, big.NewRat(29, 10000))
			return err
		},
		"sigma = 1125899906842625, want 3/1000…1125899906842624: from a thousandth of the sensitivity to 2^50 steps of the lattice": func() error {
			_, err := NewDiscreteGaussian(points, big.NewRat(1<<50+1, 1))
			return err
		},
	} {
		err := do()
		if err == nil || err.Error() != want || !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if m, err := NewDiscreteGaussian(line, big.NewRat(1, 1)); m != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a discrete Gaussian of an interval: %v, %v", m, err)
	}
	if _, err := NewDiscreteGaussian(points, big.NewRat(1<<50, 1)); err != nil {
		t.Errorf("2^50 steps: %v", err)
	}
	if v, err := gauss.Noise(-1, rand.NewPCG(1, 2)); v != nil || !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("−1 draws: %v, %v", v, err)
	}
	// layers that are known in part have no exact sampler, whoever asks
	want := fmt.Sprintf("%v: %s has no exact sampler, as its layers are known up to %d alone; a radius with a smaller denominator may have all of them", ErrUnknownLayer, unknown.Name(), unknown.known)
	if _, err := unknown.Sampler(); !errors.Is(err, ErrUnknownLayer) || err.Error() != want {
		t.Errorf("a sampler of unknown layers: %v, want %q", err, want)
	}
	if v, err := Release(ctx, unknown, new(big.Rat), 3, nil, rand.NewPCG(1, 2)); v != nil || !errors.Is(err, ErrUnknownLayer) {
		t.Errorf("a release of unknown layers: %v, %v", v, err)
	}
}

// Layers from 1 up to the one that was named are checked, that one among them: a context that has ended is looked at for each.
func TestCheckBasicOfOneLayer(t *testing.T) {
	k := must.For(NewKNormPlane([]Point{{rat(t, "1"), rat(t, "0")}, {rat(t, "1"), rat(t, "2")}}, nats(t, 1)))(t)
	ended, end := context.WithCancel(t.Context())
	end()
	for upTo, want := range []int{0, 1, 1} {
		if i, ok, err := k.CheckBasic(ended, upTo); i != want || ok != (want == 0) || errors.Is(err, context.Canceled) != (want > 0) {
			t.Errorf("up to %d: %d, %v, %v", upTo, i, ok, err)
		}
	}
}
