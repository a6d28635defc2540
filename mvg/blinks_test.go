package mvg

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/looks"
)

// Whoever is told once that it is over gives that error up, from every depth, and does not ask
// again.
func TestBlinks(t *testing.T) {
	try := func(name string, do func(ctx context.Context) (any, error)) {
		t.Helper()
		whole := looks.After(t.Context(), math.MaxInt)
		if _, err := do(whole); err != nil || whole.Looks() == 0 {
			return
		}
		last := whole.Looks()
		at := []int{last - 1}
		for n := 0; n < last/2; n += 1 + n { // those that come early are done soon
			at = append(at, n)
		}
		for _, n := range at {
			if _, err := do(looks.Blink(t.Context(), n)); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, over at look %d of %d alone: error %v", name, n, last, err)
			}
		}
	}
	routes(func(name string, s Sensitivity, goal Goal, r Recipe) {
		try(name, func(ctx context.Context) (any, error) { return solveAt(ctx, s, goal, r, 1, 1) })
	})
	rng := rand.New(rand.NewPCG(6, 3))
	two, other := drawCovariance(t, 2, 1, rng), drawCovariance(t, 2, 1, rng)
	for name, s := range setsOf(rng) {
		if m, n := s.Shape(); m == 2 && n == 2 {
			try("a design for "+name, func(ctx context.Context) (any, error) { return NewDesign(ctx, s, two, other) })
		}
	}
}
