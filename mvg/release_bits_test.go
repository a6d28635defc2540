package mvg_test

import (
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/stattest"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// The attack on noise in float64 (Mironov 2012) tells answers apart by which sums can come
// about at all. Released, every number is a multiple of the grid at every answer, and its
// low bits are uniform: the chi-square tail is 1e-9 a law. Noise in float64 is no multiple
// of a grid, so that the test sees the attack.
func TestLowBitsTellNothing(t *testing.T) {
	const m, n = 50, 200
	isotropic := func(n int, v float64) mvg.Covariance { return must[mvg.Covariance](t)(mvg.NewIsotropic(n, v)) }
	ball := must[mvg.Ball](t)(mvg.NewBall(m, n, mvg.BallOptions{S2: 1, Gamma: 1}))
	d := must[*mvg.Design](t)(mvg.NewDesign(ctx, ball, isotropic(m, 1), isotropic(n, 3)))
	dense := must[*mvg.Design](t)(mvg.NewDesign(ctx, ball, must[mvg.Covariance](t)(mvg.NewDense(covariance(m, 5))), isotropic(n, 3)))
	r := mvg.RankOne{Dimension: m * n / 10, Sensitivity: 1, Variance: 1e5}
	releases := map[string]struct {
		release  func(ctx context.Context, fx mat.Matrix, grid *big.Rat) (*mat.Dense, error)
		simulate func(fx mat.Matrix) (*mat.Dense, error)
		preset   *big.Rat
	}{
		"a design": {func(ctx context.Context, fx mat.Matrix, grid *big.Rat) (*mat.Dense, error) {
			return d.Release(ctx, fx, grid, streams(1))
		}, func(fx mat.Matrix) (*mat.Dense, error) { return d.Simulate(fx, rand.NewPCG(1, 1)) }, d.Grid()},
		"a dense design": {func(ctx context.Context, fx mat.Matrix, grid *big.Rat) (*mat.Dense, error) {
			return dense.Release(ctx, fx, grid, streams(1))
		}, func(fx mat.Matrix) (*mat.Dense, error) { return dense.Simulate(fx, rand.NewPCG(1, 1)) }, dense.Grid()},
		"Laplace": {func(ctx context.Context, fx mat.Matrix, grid *big.Rat) (*mat.Dense, error) {
			return mvg.ReleaseLaplace(ctx, fx, big.NewRat(3, 2), grid, streams(1))
		}, func(fx mat.Matrix) (*mat.Dense, error) { return mvg.SimulateLaplace(fx, 1.5, rand.NewPCG(1, 1)) }, big.NewRat(1, 1<<32)},
		"rank one": {func(ctx context.Context, fx mat.Matrix, grid *big.Rat) (*mat.Dense, error) {
			return r.Release(ctx, fx.(*mat.Dense).Slice(0, m, 0, n/10), grid, rand.NewPCG(1, 1))
		}, func(fx mat.Matrix) (*mat.Dense, error) {
			return r.Simulate(fx.(*mat.Dense).Slice(0, m, 0, n/10), rand.NewPCG(1, 1))
		}, r.Grid()},
	}
	for name, c := range releases {
		for _, x := range []float64{0, 1.0 / 3, 1e9 + 0.1} {
			fx := mat.NewDense(m, n, nil)
			fx.Apply(func(_, _ int, _ float64) float64 { return x }, fx)
			for _, coarse := range []*big.Rat{nil, big.NewRat(1, 1<<8)} {
				grid, floor := coarse, math.Inf(-1)
				if grid == nil {
					grid, floor = c.preset, math.Log2(max(x, 1))-52 // of a float64 of that size
				}
				step, _ := grid.Float64()
				counts, odd := make([]int, 16), 0
				visit := func(z *mat.Dense, v func(k float64)) {
					rows, columns := z.Dims()
					for i := range rows {
						for j := range columns {
							v(z.At(i, j))
						}
					}
				}
				unit := max(step, math.Exp2(math.Ceil(floor)+3))
				visit(must[*mat.Dense](t)(c.release(ctx, fx, coarse)), func(v float64) {
					if k := v / step; k != math.Trunc(k) {
						t.Fatalf("%s: %v is no multiple of %v", name, v, step)
					}
					counts[int(math.Mod(math.Floor(v/unit), 16)+16)%16]++
				})
				visit(must[*mat.Dense](t)(c.simulate(fx)), func(v float64) {
					if k := v / step; k != math.Trunc(k) {
						odd++
					}
				})
				law := make([]float64, 16)
				for i := range law {
					law[i] = 1.0 / 16
				}
				if statistic, _, tail := stattest.ChiSquare(counts, law); tail < 1e-9 {
					t.Errorf("%s at %v on %v: low bits %v, χ² %.3g, tail %.2g", name, x, step, counts, statistic, tail)
				}
				if odd == 0 && !(x > 1e8 && coarse == nil) { // there float64 is coarser than the grid
					t.Errorf("%s at %v on %v: float64 gives multiples alone", name, x, step)
				}
			}
		}
	}
}

// The number released is the float64 nearest to the multiple, at both ends of float64 too,
// and a grid coarser than everything leaves zeros or whole steps.
func TestReleasedNumbersAreFinite(t *testing.T) {
	isotropic := func(v float64) mvg.Covariance { return must[mvg.Covariance](t)(mvg.NewIsotropic(1, v)) }
	ball := must[mvg.Ball](t)(mvg.NewBall(1, 1, mvg.BallOptions{S2: 1, Gamma: 1}))
	for _, sd := range []float64{1e-153, 1, 1e150} {
		d := must[*mvg.Design](t)(mvg.NewDesign(ctx, ball, isotropic(sd), isotropic(sd)))
		for _, x := range []float64{-math.MaxFloat64, -1, 0, math.SmallestNonzeroFloat64, 1e300, math.MaxFloat64} {
			for _, grid := range []*big.Rat{nil, new(big.Rat).SetFloat64(math.MaxFloat64), big.NewRat(10, 3), new(big.Rat).SetFloat64(0x1p-1074), new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 3000))} {
				v := must[*mat.Dense](t)(d.Release(ctx, mat.NewDense(1, 1, []float64{x}), grid, streams(1))).At(0, 0)
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("sd %v, x %v, grid %v: %v", sd, x, grid, v)
				}
				size, _ := d.Grid().Float64()
				if grid != nil {
					size, _ = grid.Float64()
				}
				if reach := 20*sd + size + math.Abs(x)*0x1p-52; math.Abs(v-x) > reach {
					t.Errorf("sd %v, x %v, grid %v: %v is farther than %v", sd, x, grid, v, reach)
				}
			}
		}
	}
}

// 2³² times below the power of two at or below the least standard deviation.
func TestGrid(t *testing.T) {
	ball := must[mvg.Ball](t)(mvg.NewBall(2, 1, mvg.BallOptions{S2: 1, Gamma: 1}))
	for _, c := range []struct {
		variance float64
		column   float64
		exp      int
	}{
		{1, 1, -32}, {math.Nextafter(1, 0), 1, -33}, {4, 1, -31}, {3.999, 1, -32}, {0.25, 1, -33}, {2, 2, -31},
		{2, math.Nextafter(2, 0), -32}, {1e-150, 1e-150, -499 - 32}, {0x1p-1074, 0x1p700, -187 - 32},
	} {
		d := must[*mvg.Design](t)(mvg.NewDesign(ctx, ball, must[mvg.Covariance](t)(mvg.NewDirectional([]float64{2 * c.variance, c.variance}, nil)), must[mvg.Covariance](t)(mvg.NewIsotropic(1, c.column))))
		want := new(big.Float).SetMantExp(big.NewFloat(1), c.exp)
		if got := new(big.Float).SetRat(d.Grid()); got.Cmp(want) != 0 {
			t.Errorf("variances %v, %v: grid %v, want 2^%d", c.variance, c.column, got, c.exp)
		}
	}
	// Of M elements that share a variance each has an M-th of it.
	for _, c := range []struct {
		dimension int
		variance  float64
		exp       int
	}{{1, 1, -32}, {1, 3.999, -32}, {1, 4, -31}, {2, 2, -32}, {2, 1.999, -33}, {100_000, 1e5, -32}, {100_000, 99_999, -33}} {
		want := new(big.Float).SetMantExp(big.NewFloat(1), c.exp)
		if got := new(big.Float).SetRat(mvg.RankOne{Dimension: c.dimension, Variance: c.variance}.Grid()); got.Cmp(want) != 0 {
			t.Errorf("variance %v of %d elements: grid %v, want 2^%d", c.variance, c.dimension, got, c.exp)
		}
	}
}
