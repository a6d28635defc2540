package continuous

import (
	"context"
	"math/rand/v2"

	"dpworkbench/mechanism"
)

// Draw returns draw(n, src). It calls draw in parts and returns the context's error between them. The parts do not change the
// values, which depend on src alone. [mechanism.CheckDraws] bounds n.
func Draw[T any](ctx context.Context, n int, src rand.Source, draw func(n int, src rand.Source) ([]T, error)) ([]T, error) {
	if err := mechanism.CheckDraws(n); err != nil {
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
