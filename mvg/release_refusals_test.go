package mvg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/sampling"

	"gonum.org/v1/gonum/mat"
)

// Releases refuse what simulations do, and grids that are none.
func TestExactReleasesRefuse(t *testing.T) {
	bg := context.Background()
	rng := rand.New(rand.NewPCG(51, 1))
	plain, dense := designOf(variedOf(2, 2, rng), variedOf(2, 2, rng)), designOf(drawCovariance(t, 2, 1, rng), variedOf(2, 2, rng))
	for name, release := range map[string]func(fx mat.Matrix, grid *big.Rat) (*mat.Dense, error){
		"a design":       func(fx mat.Matrix, grid *big.Rat) (*mat.Dense, error) { return plain.Release(bg, fx, grid, nil) },
		"a dense design": func(fx mat.Matrix, grid *big.Rat) (*mat.Dense, error) { return dense.Release(bg, fx, grid, nil) },
		"Laplace": func(fx mat.Matrix, grid *big.Rat) (*mat.Dense, error) {
			return ReleaseLaplace(bg, fx, big.NewRat(1, 1), grid, nil)
		},
		"rank one": func(fx mat.Matrix, grid *big.Rat) (*mat.Dense, error) {
			return RankOne{Dimension: 4, Sensitivity: 1, Variance: 1}.Release(bg, fx, grid, nil)
		},
	} {
		for _, grid := range []*big.Rat{new(big.Rat), big.NewRat(-1, 3)} {
			want := "grid = " + grid.RatString() + ", want a positive number"
			if z, err := release(mat.NewDense(2, 2, nil), grid); z != nil || !errors.Is(err, evidence.ErrParameter) || !says(err, want) {
				t.Errorf("%s: %v, error %v, want %q", name, z, err, want)
			}
		}
		for at := range 4 {
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				fx := mat.NewDense(2, 2, nil)
				fx.Set(at/2, at%2, v)
				want := fmt.Sprintf("x[%d][%d] = %g, want a finite number", at/2, at%2, v)
				if z, err := release(fx, nil); z != nil || !errors.Is(err, evidence.ErrParameter) || !says(err, want) {
					t.Errorf("%s of %v: %v, error %v, want %q", name, v, z, err, want)
				}
			}
		}
		for _, shape := range [][2]int{{1, 2}, {2, 1}, {3, 2}, {1, 1}} {
			if z, err := release(mat.NewDense(shape[0], shape[1], nil), nil); name != "Laplace" && (z != nil || !errors.Is(err, evidence.ErrParameter)) {
				t.Errorf("%s of %v: %v, error %v", name, shape, z, err)
			}
		}
	}
	one := mat.NewDense(1, 1, nil)
	for _, scale := range []*big.Rat{new(big.Rat), big.NewRat(-1, 2)} {
		if z, err := ReleaseLaplace(bg, one, scale, nil, nil); z != nil || !errors.Is(err, evidence.ErrParameter) || !says(err, "scale = "+scale.RatString()) {
			t.Errorf("scale %v: %v, error %v", scale, z, err)
		}
	}
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if z, err := (RankOne{Dimension: 1, Variance: v}).Release(bg, one, nil, nil); z != nil || !says(err, "variance") {
			t.Errorf("variance %v: %v, error %v", v, z, err)
		}
	}
	long := RankOne{Dimension: 100_001, Variance: 1}
	if z, err := long.Release(bg, mat.NewDense(1, 100_001, nil), nil, nil); z != nil || !errors.Is(err, evidence.ErrParameter) || !says(err, "dimension = 100001, want at most 100000") {
		t.Errorf("dimension 100001: %v, error %v", z, err)
	}
}

// A release ends with its context, wherever it is, and returns nothing then.
func TestReleasesAreInterrupted(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that looks are as many each time
	rng := rand.New(rand.NewPCG(51, 2))
	fx := mat.NewDense(40, 3, nil)
	fine := sampling.TwoTo(-200)
	plain := designOf(variedOf(40, 2, rng), variedOf(3, 2, rng))
	looks.Interrupted(t, "a release", func(ctx context.Context) (any, error) { return plain.Release(ctx, fx, fine, rowStreams(1)) })
	looks.Interrupted(t, "Laplace noise", func(ctx context.Context) (any, error) {
		return ReleaseLaplace(ctx, fx, big.NewRat(1, 1), nil, rowStreams(1))
	})
	sigma, psi := drawCovariance(t, 40, 1, rng), drawCovariance(t, 3, 1, rng)
	looks.Interrupted(t, "a dense release", func(ctx context.Context) (any, error) {
		*sigma.dense.exact.best, *psi.dense.exact.best = nil, nil
		return designOf(sigma, psi).Release(ctx, fx, fine, rowStreams(1))
	})
	looks.Interrupted(t, "rank-one noise", func(ctx context.Context) (any, error) {
		return RankOne{Dimension: 120, Variance: 1}.Release(ctx, fx, nil, rand.NewPCG(1, 1))
	})
}

// A release of minutes ends in the middle of its one row.
func TestLongReleaseEnds(t *testing.T) {
	plain := designOf(ok(NewIsotropic(1, 1)), ok(NewIsotropic(1<<20, 1)))
	ctx := looks.After(context.Background(), 40)
	if z, err := plain.Release(ctx, mat.NewDense(1, 1<<20, nil), sampling.TwoTo(-3000), nil); z != nil || !errors.Is(err, context.Canceled) || ctx.Late() > 4 {
		t.Errorf("%v and error %v after %d looks, %d late", z, err, ctx.Looks(), ctx.Late())
	}
}

// What is no mechanism has no grid.
func TestGridOfNothing(t *testing.T) {
	for _, r := range []RankOne{{}, {Dimension: 3}, {Variance: 1}, {Dimension: 3, Variance: math.Inf(1)}, {Dimension: 3, Variance: math.NaN()}, {Dimension: -1, Variance: 1}} {
		if g := r.Grid(); g != nil {
			t.Errorf("%+v has a grid of %v", r, g)
		}
		if _, err := r.Release(context.Background(), mat.NewDense(1, 3, nil), nil, nil); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v releases: %v, want ErrParameter", r, err)
		}
	}
}
