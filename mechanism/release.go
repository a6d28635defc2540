package mechanism

import (
	"context"
	"math"
	"math/rand/v2"

	"dpworkbench/internal/draw"
	"dpworkbench/internal/parameter"
)

// Release draws n outputs at dataset x, as places in the range, by inversion of
// the float64 law, with the error of [draw.Law]. It is for research: what is published needs a cryptographic
// source and an exact law.
//
// It returns an error wrapping evidence.ErrParameter where x is no dataset or n is
// negative.
func Release(m Mechanism, x, n int, src rand.Source) ([]int, error) {
	if x < 0 || x >= m.Query().Size() {
		return nil, parameter.Bad("x", x, "a dataset, 0…%d", m.Query().Size()-1)
	}
	if err := CheckDraws(n); err != nil {
		return nil, err
	}
	size := len(m.Query().Range())
	law := make(draw.Law, 0, size)
	for r := range size {
		law.Add(math.Exp(m.LogProb(x, r)))
	}
	rng := rand.New(src)
	out := make([]int, n)
	for i := range out {
		out[i] = law.Draw(rng)
	}
	return out, nil
}

// DrawNoise returns draw(n, src), drawn a part at a time so that the context's end need
// not wait for all of it. The values are those of one draw: they follow from src alone.
// n is bounded as [CheckDraws] has it.
func DrawNoise[T any](ctx context.Context, n int, src rand.Source, draw func(n int, src rand.Source) ([]T, error)) ([]T, error) {
	if err := CheckDraws(n); err != nil {
		return nil, err
	}
	const most = 1 << 16
	out := make([]T, 0, n)
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		part, err := draw(min(n, most), src)
		out = append(out, part...)
		if n -= most; err != nil || n <= 0 {
			return out, err
		}
	}
}
