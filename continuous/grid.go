package continuous

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
)

// Grid returns the distortion of the δ-neighborhood mechanisms of a linear query in float64: out[k][i] at decays[k] and
// radii[i]. It builds the layers of each radius once, in parallel. It returns errors as NewSequence and Curve do.
func Grid(ctx context.Context, q *Linear, radii []*big.Rat, decays []evidence.Epsilon) ([][]float64, error) {
	return onGrid(ctx, q, radii, decays, (*Sequence).Curve)
}

// GridNumbers returns the distortions of Grid with their evidence: exact if e^{−decay} is rational, certified otherwise.
func GridNumbers(ctx context.Context, q *Linear, radii []*big.Rat, decays []evidence.Epsilon) ([][]evidence.Number, error) {
	return onGrid(ctx, q, radii, decays, (*Sequence).Distortions)
}

// onGrid returns out[k][i], the result of curve for the layers of radii[i] at decays[k].
func onGrid[T any](ctx context.Context, q *Linear, radii []*big.Rat, decays []evidence.Epsilon, curve func(l *Sequence, decays []evidence.Epsilon) ([]T, error)) ([][]T, error) {
	columns := make([][]T, len(radii))
	done, quiet := parallel.Count(ctx, int64(len(radii)), "radii"), parallel.WithProgress(ctx, nil)
	err := parallel.Each(ctx, len(radii), func(i int) error {
		l, err := NewSequence(quiet, q, radii[i])
		if err == nil {
			columns[i], err = curve(l, decays)
		}
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("radii[%d]: %w", i, err)
		}
		done(1)
		return err
	})
	if err != nil {
		return nil, err
	}
	out := make([][]T, len(decays))
	for k := range out {
		out[k] = make([]T, len(radii))
		for i := range radii {
			out[k][i] = columns[i][k]
		}
	}
	return out, nil
}

// BestRadius is the δ with the least distortion that a search found at a decay.
type BestRadius struct {
	Decay      evidence.Epsilon
	Radius     *big.Rat
	Distortion float64
}

// maxRadiusSteps bounds the grid of BestRadii.
const maxRadiusSteps = 1 << 16

// BestRadii searches the radii from 0 to largest for the least distortion at each decay. It evaluates a grid with the
// given number of steps, then halves the step around the best point ten times. If the distortion has several minima,
// it finds the best among those that the grid separates. It returns an error wrapping evidence.ErrParameter unless
// largest > 0 and 1 ≤ steps ≤ 2^16.
func BestRadii(ctx context.Context, q *Linear, decays []evidence.Epsilon, largest *big.Rat, steps int) ([]BestRadius, error) {
	if largest == nil {
		return nil, parameter.Errorf("largest is missing, want a positive radius")
	}
	if largest.Sign() <= 0 {
		return nil, parameter.Bad("largest", largest, "a positive radius")
	}
	if steps < 1 || steps > maxRadiusSteps {
		return nil, parameter.Bad("steps", steps, "1…%d", maxRadiusSteps)
	}
	const halvings = 10
	unit := new(big.Rat).Quo(largest, big.NewRat(int64(steps)<<halvings, 1))
	radius := func(k int64) *big.Rat { return new(big.Rat).Mul(unit, big.NewRat(k, 1)) }
	radii := lists.Of(steps+1, func(i int) *big.Rat { return radius(int64(i) << halvings) })
	grid, err := Grid(ctx, q, radii, decays)
	if err != nil {
		return nil, err
	}
	out := make([]BestRadius, len(decays))
	for k, decay := range decays {
		i := slices.Index(grid[k], slices.Min(grid[k]))
		at, best := int64(i)<<halvings, grid[k][i]
		for step := int64(1) << (halvings - 1); step > 0; step /= 2 {
			for _, side := range []int64{at - step, at + step} {
				if side < 0 || side > int64(steps)<<halvings {
					continue
				}
				row, err := Grid(ctx, q, []*big.Rat{radius(side)}, []evidence.Epsilon{decay})
				if err != nil {
					return nil, err
				}
				if row[0][0] < best {
					at, best = side, row[0][0]
				}
			}
		}
		out[k] = BestRadius{decay, radius(at), best}
	}
	return out, nil
}
