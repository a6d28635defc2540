package xor

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/must"
)

// What does not fit is refused by the bytes that it takes, to the last, and by its name.
func TestRoomToTheLastByte(t *testing.T) {
	const p = 1 << 14
	row := make([]float64, p)
	dense := must.Be(NewBernoulli([][]float64{{1}}, func() map[Pair][][]float64 {
		out := map[Pair][][]float64{}
		for i := range p - 1 {
			out[Pair{I: i, J: i + 1}] = [][]float64{{.5}}
		}
		return out
	}(), p))
	uniform := must.Be(NewUniform(1<<15, 3, 1, .1))
	square := must.Be(NewUniform(4000, 1, 1, 0))
	previous := memory.SetLimit(1 << 20)
	defer memory.SetLimit(previous)
	for _, c := range []struct {
		what  string
		bytes float64
		err   error
	}{
		// A word for 64 columns, the matrix or its transpose.
		{"a matrix of 16384 × 16384 bits", p * p / 8, second(NewBits(p, p))},
		{"a matrix of 300000 × 65 bits", 300000 * 8 * 2, second(NewBits(300000, 65))},
		{"a matrix of 3 × 500000 bits", 500000 * 8, second(NewBits(3, 500000))},
		{"a matrix of 16384 × 16384 bits", p * p / 8, second(ParseBits(slices.Repeat([][]float64{row}, p)))},
		{"a matrix of 16384 × 16384 bits", p * p / 8, second(Adjacency(p, nil))},
		{"a matrix of 16384 × 16384 bits", p * p / 8, second(PackedBits(p, make([][]uint64, p)))},
		{"Π of order 4000", 4000 * 4000 * 8, second(square.Pi())},
		{"Θ of order 4000", 4000 * 4000 * 8, second(must.Be(NewUniform(1, 4000, 1, 0)).Theta())},
		{"a search over 32768 associated bits", 1 << 21, second(uniform.components(t.Context()))},
		{"a search over 16384 associated objects of 1 bits", 1 << 21, second(dense.components(t.Context()))},
		{"a search over 16384 associated objects of 1 bits", 1 << 21, second(dense.LogNormalizer(t.Context()))},
		{"a search over 16384 associated objects of 1 bits", 1 << 21, second(dense.Moments(t.Context()))},
		{"a search over 16384 associated objects of 1 bits", 1 << 21, second(must.Be(dense.Under(FlipBits(1), LossOptions{})).Loss(t.Context()))},
	} {
		var room *memory.Error
		if !errors.As(c.err, &room) || room.What != c.what || room.Bytes != c.bytes {
			t.Errorf("%v, want %s to take %v bytes", c.err, c.what, c.bytes)
		}
	}
	for what, err := range map[string]error{
		"a small matrix": second(NewBits(1000, 1000)), "a small search": second(must.Be(NewUniform(1000, 3, 1, .1)).components(t.Context())),
	} {
		if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, _, err := dense.Noise(t.Context(), 1, Enumerated, rand.NewPCG(1, 1)); !errors.Is(err, memory.Err) {
		t.Errorf("draws of parts: %v", err)
	}
	if got := dense.Parts(); !slices.Equal(got, []int{p}) {
		t.Errorf("a law that cannot be cut has parts of %d bits", got)
	}
}

func second[T any](_ T, err error) error { return err }

// What is too large whatever the memory is refused just beyond the bound, and just within it
// by memory alone.
func TestTooLargeForAnyMemory(t *testing.T) {
	previous := memory.SetLimit(1 << 20)
	defer memory.SetLimit(previous)
	coupled := func(objects int) *Bernoulli { // so many objects of 2¹⁴ features
		return &Bernoulli{n: math.MaxInt32, p: 1 << 14, theta: []float64{1}, coupled: make([]int, objects)}
	}
	for what, c := range map[string]struct {
		within, beyond error
		says           string
	}{
		"a matrix of 2⁴⁰ bytes":     {second(NewBits(1<<37, 64)), second(NewBits(1<<37+64, 64)), "137438953536 × 64 bits take 1.1e+03 GB, want at most 1.1e+03"},
		"its transpose":             {second(NewBits(64, 1<<37)), second(NewBits(64, 1<<37+64)), "64 × 137438953536 bits take 1.1e+03 GB"},
		"Π of order 2¹⁶":            {second(must.Be(NewUniform(1<<16, 1, 1, 0)).Pi()), second(must.Be(NewUniform(1<<16+1, 1, 1, 0)).Pi()), "Π of order 65537, want at most 65536"},
		"2²⁸ bits that are coupled": {second(coupled(1 << 14).components(t.Context())), second(coupled(1<<14 + 1).components(t.Context())), "16385 associated objects of 16384 bits, want at most 268435456 bits"},
	} {
		if !errors.Is(c.within, memory.Err) || errors.Is(c.within, evidence.ErrParameter) {
			t.Errorf("%s: %v", what, c.within)
		}
		if !errors.Is(c.beyond, evidence.ErrParameter) || errors.Is(c.beyond, memory.Err) || !strings.Contains(c.beyond.Error(), c.says) {
			t.Errorf("beyond %s: %v, want %q", what, c.beyond, c.says)
		}
	}
}
