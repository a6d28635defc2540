package mvg_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/internal/sampling"
	"dpworkbench/internal/stattest"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// The attack on float64 noise (Mironov 2012) distinguishes answers by the set of possible sums. Every released number
// is a multiple of the grid for every answer, and its low bits are uniform. The chi-square test has a false-positive
// rate of 1e-9 for each law. Float64 noise gives non-multiples, so the test detects the attack.
func TestLowBitsAreUniform(t *testing.T) {
	const m, n = 50, 200
	isotropic := func(n int, v float64) mvg.Covariance { return must.Be(mvg.NewIsotropic(n, v)) }
	ball := must.Be(mvg.NewBall(m, n, mvg.BallOptions{S2: 1, Gamma: 1}))
	d := must.Be(mvg.NewDesign(ctx, ball, isotropic(m, 1), isotropic(n, 3)))
	dense := must.Be(mvg.NewDesign(ctx, ball, must.Be(mvg.NewDense(covariance(m, 5))), isotropic(n, 3)))
	r := mvg.RankOne{Dimension: m * n / 10, Sensitivity: 1, Variance: 1e5}
	releases := map[string]struct {
		release  func(ctx context.Context, fx mat.Matrix, grid *big.Rat) (*mat.Dense, error)
		simulate func(fx mat.Matrix) (*mat.Dense, error)
		preset   *big.Rat
	}{
		"a design": {func(ctx context.Context, fx mat.Matrix, grid *big.Rat) (*mat.Dense, error) {
			return d.Release(ctx, fx, grid, mvg.RowStreams(1))
		}, func(fx mat.Matrix) (*mat.Dense, error) { return d.Simulate(fx, rand.NewPCG(1, 1)) }, d.Grid()},
		"a dense design": {func(ctx context.Context, fx mat.Matrix, grid *big.Rat) (*mat.Dense, error) {
			return dense.Release(ctx, fx, grid, mvg.RowStreams(1))
		}, func(fx mat.Matrix) (*mat.Dense, error) { return dense.Simulate(fx, rand.NewPCG(1, 1)) }, dense.Grid()},
		"Laplace": {func(ctx context.Context, fx mat.Matrix, grid *big.Rat) (*mat.Dense, error) {
			return mvg.ReleaseLaplace(ctx, fx, big.NewRat(3, 2), grid, mvg.RowStreams(1))
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
					grid, floor = c.preset, math.Log2(max(x, 1))-52 // 2^floor is a unit of the float64s near x
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
				visit(must.Be(c.release(ctx, fx, coarse)), func(v float64) {
					if k := v / step; k != math.Trunc(k) {
						t.Fatalf("%s: %v is no multiple of %v", name, v, step)
					}
					counts[int(math.Mod(math.Floor(v/unit), 16)+16)%16]++
				})
				visit(must.Be(c.simulate(fx)), func(v float64) {
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
				if odd == 0 && !(x > 1e8 && coarse == nil) { // in that case float64 is coarser than the grid
					t.Errorf("%s at %v on %v: float64 noise gives only multiples, so the test cannot detect the attack", name, x, step)
				}
			}
		}
	}
}

// The released number is the float64 nearest to the grid multiple, also at extreme scales. A grid coarser than the
// noise gives zeros or whole steps.
func TestReleasedNumbersAreFinite(t *testing.T) {
	isotropic := func(v float64) mvg.Covariance { return must.Be(mvg.NewIsotropic(1, v)) }
	ball := must.Be(mvg.NewBall(1, 1, mvg.BallOptions{S2: 1, Gamma: 1}))
	for _, sd := range []float64{1e-153, 1, 1e150} {
		d := must.Be(mvg.NewDesign(ctx, ball, isotropic(sd), isotropic(sd)))
		for _, x := range []float64{-math.MaxFloat64, -1, 0, math.SmallestNonzeroFloat64, 1e300, math.MaxFloat64} {
			for _, grid := range []*big.Rat{nil, new(big.Rat).SetFloat64(math.MaxFloat64), big.NewRat(10, 3), new(big.Rat).SetFloat64(0x1p-1074), new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), 3000))} {
				v := must.Be(d.Release(ctx, mat.NewDense(1, 1, []float64{x}), grid, mvg.RowStreams(1))).At(0, 0)
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

// The grid is 2⁻³² times the power of two at or below the smallest standard deviation.
func TestGrid(t *testing.T) {
	ball := must.Be(mvg.NewBall(2, 1, mvg.BallOptions{S2: 1, Gamma: 1}))
	for _, c := range []struct {
		variance float64
		column   float64
		exp      int
	}{
		{1, 1, -32}, {math.Nextafter(1, 0), 1, -33}, {4, 1, -31}, {3.999, 1, -32}, {0.25, 1, -33}, {2, 2, -31},
		{2, math.Nextafter(2, 0), -32}, {1e-150, 1e-150, -499 - 32}, {0x1p-1074, 0x1p700, -187 - 32},
	} {
		d := must.Be(mvg.NewDesign(ctx, ball, must.Be(mvg.NewDirectional([]float64{2 * c.variance, c.variance}, nil)), must.Be(mvg.NewIsotropic(1, c.column))))
		want := new(big.Float).SetMantExp(big.NewFloat(1), c.exp)
		if got := new(big.Float).SetRat(d.Grid()); got.Cmp(want) != 0 {
			t.Errorf("variances %v, %v: grid %v, want 2^%d", c.variance, c.column, got, c.exp)
		}
	}
	// M elements that share a variance each get an M-th of it.
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

// distance sorts the draws and returns their Kolmogorov distance from a law.
func distance(x []float64, below func(float64) float64) float64 {
	sortFloats(x)
	gap, n := 0.0, float64(len(x))
	for i, v := range x {
		f := below(v)
		gap = max(gap, math.Abs(f-float64(i)/n), math.Abs(f-float64(i+1)/n))
	}
	return gap
}

func normalBelow(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }

func laplaceBelow(x float64) float64 {
	if x < 0 {
		return math.Exp(x) / 2
	}
	return 1 - math.Exp(-x)/2
}

// Releases of 0, divided by their standard deviation or scale, have the documented law. The false-positive rate is 1e-6
// for each law (Massart 1990). The grid is 2⁻³² of the scale and moves the law by less than 2⁻³³. A scale 2 % off would
// be rejected (1 % with all draws).
func TestReleasesHaveTheirLaw(t *testing.T) {
	const m, n, alpha = 64, 256, 1e-6
	off := cases.Of(0.02, 0.01)
	rows, columns := make([]float64, m), make([]float64, n)
	for i := range rows {
		rows[i] = math.Exp(math.Sin(float64(i)))
	}
	for j := range columns {
		columns[j] = 3 + math.Cos(float64(j))
	}
	d := must.Be(mvg.NewDesign(ctx, must.Be(mvg.NewBall(m, n, mvg.BallOptions{S2: 1, Gamma: 1})),
		must.Be(mvg.NewDirectional(rows, nil)), must.Be(mvg.NewDirectional(columns, nil))))
	zero := mat.NewDense(m, n, nil)
	for _, c := range []struct {
		name    string
		draws   int
		release func(draw uint64) *mat.Dense
		scale   func(i, j int) float64
		below   func(float64) float64
	}{
		{"normal", cases.Of(64, 256), func(draw uint64) *mat.Dense { return must.Be(d.Release(ctx, zero, nil, mvg.RowStreams(draw))) },
			func(i, j int) float64 { return math.Sqrt(rows[i] * columns[j]) }, normalBelow},
		{"Laplace", cases.Of(64, 256), func(draw uint64) *mat.Dense {
			return must.Be(mvg.ReleaseLaplace(ctx, zero, big.NewRat(7, 3), nil, mvg.RowStreams(draw)))
		}, func(int, int) float64 { return 7.0 / 3 }, laplaceBelow},
	} {
		var x []float64
		for draw := range c.draws {
			z := c.release(uint64(draw))
			for i := range m {
				for j := range n {
					x = append(x, z.At(i, j)/c.scale(i, j))
				}
			}
		}
		radius := math.Sqrt(math.Log(2/alpha) / (2 * float64(len(x))))
		if gap := distance(x, c.below); gap > radius {
			t.Errorf("%s: Kolmogorov distance %.3g of %d draws, want at most %.3g", c.name, gap, len(x), radius)
		}
		for _, factor := range []float64{1 - off, 1 + off} {
			if gap := distance(x, func(v float64) float64 { return c.below(v * factor) }); gap <= radius {
				t.Errorf("%s: the test accepts a law %g times as wide, at distance %.3g", c.name, 1/factor, gap)
			}
		}
	}
}

// Rank-one noise over √v has a half-normal norm. Its direction has mean 0 and second moment I/M. The false-positive
// rates are 1e-6 for the test by Kolmogorov's distance, and 1e-6 per entry for the tests by Hoeffding's radius.
func TestRankOneReleaseHasItsLaw(t *testing.T) {
	const draws, alpha = 5000, 1e-6
	r := mvg.RankOne{Dimension: 4, Sensitivity: 1, Variance: 9}
	src := rand.NewPCG(41, 1)
	norms, second := make([]float64, draws), mat.NewDense(4, 4, nil)
	for k := range draws {
		z := must.Be(r.Release(ctx, mat.NewDense(2, 2, nil), nil, src)).RawMatrix().Data
		v := mat.NewVecDense(4, z)
		norms[k] = mat.Norm(v, 2) / 3
		second.RankOne(second, 1/(norms[k]*norms[k]*9*draws), v, v)
	}
	radius := math.Sqrt(math.Log(2/alpha) / (2 * draws))
	if gap := distance(norms, func(x float64) float64 { return math.Erf(x / math.Sqrt2) }); gap > radius {
		t.Errorf("norms are %.3g from half-normal, want at most %.3g", gap, radius)
	}
	if gap := distance(norms, func(x float64) float64 { return math.Erf(1.1 * x / math.Sqrt2) }); gap <= radius {
		t.Errorf("the test accepts norms 10 %% off, at distance %.3g", gap)
	}
	for i := range 4 {
		for j := range 4 {
			want, reach := 0.0, stattest.Radius(draws, alpha) // products are between −½ and ½
			if i == j {
				want = 0.25
			}
			if gap := math.Abs(second.At(i, j) - want); gap > reach {
				t.Errorf("second moment (%d, %d) of the direction is %.4g, want %.4g ± %.3g", i, j, second.At(i, j), want, reach)
			}
		}
	}
}

// Whitened dense releases have second moment I: Σ over pairs of entries of (S_ab − n·[a = b])²/(n·(1 + [a = b])) is χ²
// with one degree of freedom per pair. The false-positive rate is 1e-9. A root with one entry 8 % off (4 % with all
// draws) is rejected. One covariance has a condition number above 10¹³; its roots are given and whiten exactly.
func TestDenseReleasesHaveTheirCovariance(t *testing.T) {
	ill := mat.NewTriDense(3, mat.Lower, []float64{1, 0, 0, 3, 0x1p-20, 0, -5, 7 * 0x1p-20, 0x1p-18})
	mild := mat.NewTriDense(2, mat.Lower, []float64{2, 0, -1, 0.5})
	flat := mat.NewTriDense(2, mat.Lower, []float64{2, 0, 0, 0.5})
	three := mat.NewTriDense(3, mat.Lower, []float64{1, 0, 0, 0, 4, 0, 0, 0, 0.25})
	of := func(l *mat.TriDense) mvg.Covariance {
		var s mat.Dense
		s.Mul(l, l.T())
		return must.Be(mvg.NewDense(&s))
	}
	draws := cases.Of(5000, 20000)
	for at, c := range []struct{ sigma, psi *mat.TriDense }{{ill, mild}, {ill, flat}, {three, mild}} {
		d := must.Be(mvg.NewDesign(ctx, must.Be(mvg.NewBall(3, 2, mvg.BallOptions{S2: 1, Gamma: 1})), of(c.sigma), of(c.psi)))
		var outputs []*mat.Dense
		for draw := range draws {
			outputs = append(outputs, must.Be(d.Release(ctx, mat.NewDense(3, 2, nil), nil, mvg.RowStreams(uint64(at*draws+draw)))))
		}
		tail := func(sigma, psi *mat.TriDense) float64 {
			moments := mat.NewSymDense(6, nil)
			for _, z := range outputs {
				var u, v mat.Dense
				_ = u.Solve(sigma, z) // the error is only a warning of the condition number, which does not affect substitution
				_ = v.Solve(psi, u.T())
				moments.SymRankOne(moments, 1, mat.NewVecDense(6, v.RawMatrix().Data))
			}
			x := 0.0
			for a := range 6 {
				x += math.Pow(moments.At(a, a)-float64(draws), 2) / float64(2*draws)
				for b := range a {
					x += math.Pow(moments.At(a, b), 2) / float64(draws)
				}
			}
			return stattest.ChiSquareTail(x, 21)
		}
		if p := tail(c.sigma, c.psi); p < 1e-9 {
			t.Errorf("case %d: second moments have a tail of %.3g", at, p)
		}
		for i := range 3 {
			off := mat.NewTriDense(3, mat.Lower, nil)
			off.Copy(c.sigma)
			off.SetTri(i, i, cases.Of(1.08, 1.04)*off.At(i, i))
			if p := tail(off, c.psi); p > 1e-9 {
				t.Errorf("case %d: the test accepts a root with entry (%d, %d) wrong, at a tail of %.3g", at, i, i, p)
			}
		}
	}
}

// Simulations reject non-finite entries at any place, and answers of the wrong shape.
func TestReleasesRefuse(t *testing.T) {
	d := mvg.DesignOf(must.Be(mvg.NewIsotropic(2, 1)), must.Be(mvg.NewIsotropic(2, 1)))
	for name, release := range map[string]func(fx mat.Matrix) (*mat.Dense, error){
		"a design": func(fx mat.Matrix) (*mat.Dense, error) { return d.Simulate(fx, rand.NewPCG(1, 1)) },
		"Laplace":  func(fx mat.Matrix) (*mat.Dense, error) { return mvg.SimulateLaplace(fx, 1, rand.NewPCG(1, 1)) },
		"rank one": func(fx mat.Matrix) (*mat.Dense, error) {
			return mvg.RankOne{Dimension: 4, Sensitivity: 1, Variance: 1}.Simulate(fx, rand.NewPCG(1, 1))
		},
	} {
		for at := range 4 {
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				fx := mat.NewDense(2, 2, nil)
				fx.Set(at/2, at%2, v)
				want := fmt.Sprintf("x[%d][%d] = %g, want a finite number", at/2, at%2, v)
				if z, err := release(fx); z != nil || !errors.Is(err, evidence.ErrParameter) || !mvg.ErrorContains(err, want) {
					t.Errorf("%s of %v: %v, error %v, want %q", name, v, z, err, want)
				}
			}
		}
		for _, shape := range [][2]int{{1, 2}, {2, 1}, {3, 2}, {2, 3}, {1, 1}} {
			if z, err := release(mat.NewDense(shape[0], shape[1], nil)); name != "Laplace" && (z != nil || !errors.Is(err, evidence.ErrParameter)) {
				t.Errorf("%s of %v: %v, error %v", name, shape, z, err)
			}
		}
	}
	for _, scale := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if z, err := mvg.SimulateLaplace(mat.NewDense(1, 1, nil), scale, rand.NewPCG(1, 1)); z != nil || !mvg.ErrorContains(err, "scale") {
			t.Errorf("Laplace noise of scale %v: %v, error %v", scale, z, err)
		}
	}
	small := must.Be(mvg.NewIsotropic(1, 1e-300))
	underflowing := must.Be(mvg.NewDesign(t.Context(), must.Be(mvg.NewBall(1, 1, mvg.BallOptions{S2: 1e-300, Gamma: 1})), small, small))
	if z, err := underflowing.NoiseKronecker(rand.NewPCG(1, 1)); z != nil || !errors.Is(err, mvg.ErrNotPositiveDefinite) {
		t.Errorf("an underflowing product: %v, error %v", z, err)
	}
	large := mvg.DesignOf(must.Be(mvg.NewIsotropic(64, 1)), must.Be(mvg.NewIsotropic(65, 1)))
	if z, err := large.NoiseKronecker(rand.NewPCG(1, 1)); z != nil || !errors.Is(err, evidence.ErrParameter) || !mvg.ErrorContains(err, "4160 numbers") {
		t.Errorf("a covariance of order 4160: %v, error %v", z, err)
	}
}

// Dense releases agree with Cholesky's algorithm in sampling.Numbers, also at a condition number of 10¹³. That
// algorithm shares no code with the integers and bounds of the package.
func TestJointReleaseAgainstCholesky(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 6))
	for _, c := range []struct{ sigma, psi mvg.Covariance }{
		{mvg.DrawCovariance(t, 3, 1, rng), mvg.DrawCovariance(t, 2, 1, rng)},
		{must.Be(mvg.NewDense(mvg.IllConditioned())), mvg.DrawCovariance(t, 2, 3, rng)},
		{must.Be(mvg.NewDense(mvg.IllConditioned())), must.Be(mvg.NewDense(mvg.IllConditioned()))},
	} {
		d := mvg.DesignOf(c.sigma, c.psi)
		m, n := c.sigma.Order(), c.psi.Order()
		l, r := choleskyNumbers(c.sigma), choleskyNumbers(c.psi)
		for at, step := range []*big.Rat{d.Grid(), big.NewRat(1, 3), new(big.Rat).Mul(d.Grid(), sampling.TwoTo(-200)), new(big.Rat).Mul(d.Grid(), sampling.TwoTo(-20))} {
			fx := mvg.RandomAnswers(m, n, rng)
			if at > 1 {
				fx = mvg.NoiseRemainder(d, step, 4)
			}
			got := must.Be(d.Release(context.Background(), fx, step, mvg.RowStreams(4)))
			z := make([][]sampling.Real, m)
			for i := range z {
				z[i] = make([]sampling.Real, n)
				sampling.Normals(z[i], mvg.RowStreams(4)(uint64(i)))
				for words := 2; words < 8; words++ {
					for j := range z[i] {
						z[i][j].Draw(words)
					}
				}
			}
			for i := range m {
				for j := range n {
					sum := sampling.Rat(rat(fx.At(i, j)))
					for k := range i + 1 {
						for q := range j + 1 {
							sum = sampling.Sum(sum, l[i][k].Mul(r[j][q]).Mul(z[k][q].Number()))
						}
					}
					k := must.Be(sampling.Round(sum, step))
					want, _ := new(big.Rat).Mul(new(big.Rat).SetInt(k), step).Float64()
					if got.At(i, j) != want {
						t.Errorf("entry (%d, %d) is %v, want %v", i, j, got.At(i, j), want)
					}
				}
			}
		}
	}
}

// choleskyNumbers computes the Cholesky factor in exact real numbers.
func choleskyNumbers(c mvg.Covariance) [][]sampling.Number {
	a := c.Matrix()
	l := make([][]sampling.Number, c.Order())
	for i := range l {
		for j := range i + 1 {
			s := sampling.Rat(rat(a.At(i, j)))
			for k := range j {
				s = sampling.Sum(s, l[i][k].Mul(l[j][k]).Neg())
			}
			if i == j {
				s = s.Root(2)
			} else {
				s = s.Mul(l[j][j].Inverse())
			}
			l[i] = append(l[i], s.Known())
		}
	}
	return l
}

// A seed gives the same release on any number of processors.
func TestReleaseReplays(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 7))
	for _, d := range []*mvg.Design{
		mvg.DesignOf(mvg.RandomVariances(40, 4, rng), mvg.RandomVariances(50, 4, rng)),
		mvg.DesignOf(mvg.DrawCovariance(t, 40, 1, rng), mvg.DrawCovariance(t, 50, 1, rng)),
	} {
		fx := mvg.RandomAnswers(40, 50, rng)
		var want []*mat.Dense
		for _, processors := range []int{1, 2, 5} {
			func() {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
				got := []*mat.Dense{must.Be(d.Release(context.Background(), fx, nil, mvg.RowStreams(1))), must.Be(mvg.ReleaseLaplace(context.Background(), fx, big.NewRat(2, 1), nil, mvg.RowStreams(1)))}
				if want == nil {
					want = got
				}
				for k := range got {
					if !mat.Equal(got[k], want[k]) {
						t.Errorf("on %d processors release %d differs", processors, k)
					}
				}
			}()
		}
		if mat.Equal(must.Be(d.Release(context.Background(), fx, nil, nil)), must.Be(d.Release(context.Background(), fx, nil, nil))) {
			t.Error("the operating system's generator gives the same noise twice")
		}
	}
	r := mvg.RankOne{Dimension: 6, Sensitivity: 1, Variance: 7}
	if mat.Equal(must.Be(r.Release(context.Background(), mat.NewDense(2, 3, nil), nil, nil)), must.Be(r.Release(context.Background(), mat.NewDense(2, 3, nil), nil, nil))) {
		t.Error("the operating system's generator gives the same noise twice")
	}
}

// If the digits never determine the grid cell, the release fails with an error that names the entry.
func TestUndecidedEntries(t *testing.T) {
	const all = math.MaxUint64
	words := []uint64{0, all, all / 3, all, 1} // the digits that follow give a normal number of 1/3
	third := func() *stattest.Spelled { return &stattest.Spelled{Words: slices.Concat(words, words), Tail: all / 3} }
	var z [2]sampling.Real
	sampling.Normals(z[:], third())
	for i := range z {
		if k, err := sampling.Floor(z[i].Number().Mul(sampling.Int(1 << 50))); err != nil || k.Int64() != (1<<50)/3 {
			t.Fatalf("a normal number of %v·2⁻⁵⁰, %v", k, err)
		}
	}
	fx, grid, unit := mat.NewDense(1, 1, nil), big.NewRat(2, 3), must.Be(mvg.NewIsotropic(1, 1))
	if out, err := mvg.DesignOf(unit, unit).Release(t.Context(), fx, grid, func(uint64) rand.Source { return &stattest.Spelled{Words: words, Tail: all / 3} }); out != nil || !errors.Is(err, sampling.ErrUndecided) || !mvg.ErrorContains(err, "entry (0, 0)") {
		t.Errorf("a tie at every precision: %v, error %v", out, err)
	}
	noise := mvg.RankOne{Dimension: 1, Sensitivity: 1, Variance: 1}
	if out, err := noise.Release(t.Context(), fx, grid, third()); out != nil || !errors.Is(err, sampling.ErrUndecided) || !mvg.ErrorContains(err, "entry (0, 0)") {
		t.Errorf("rank one, a tie at every precision: %v, error %v", out, err)
	}
}

// Release rejects what Simulate rejects, and grids that are not positive.
func TestExactReleasesRefuse(t *testing.T) {
	bg := context.Background()
	rng := rand.New(rand.NewPCG(51, 1))
	plain, dense := mvg.DesignOf(mvg.RandomVariances(2, 2, rng), mvg.RandomVariances(2, 2, rng)), mvg.DesignOf(mvg.DrawCovariance(t, 2, 1, rng), mvg.RandomVariances(2, 2, rng))
	for name, release := range map[string]func(fx mat.Matrix, grid *big.Rat) (*mat.Dense, error){
		"a design":       func(fx mat.Matrix, grid *big.Rat) (*mat.Dense, error) { return plain.Release(bg, fx, grid, nil) },
		"a dense design": func(fx mat.Matrix, grid *big.Rat) (*mat.Dense, error) { return dense.Release(bg, fx, grid, nil) },
		"Laplace": func(fx mat.Matrix, grid *big.Rat) (*mat.Dense, error) {
			return mvg.ReleaseLaplace(bg, fx, big.NewRat(1, 1), grid, nil)
		},
		"rank one": func(fx mat.Matrix, grid *big.Rat) (*mat.Dense, error) {
			return mvg.RankOne{Dimension: 4, Sensitivity: 1, Variance: 1}.Release(bg, fx, grid, nil)
		},
	} {
		for _, grid := range []*big.Rat{new(big.Rat), big.NewRat(-1, 3)} {
			want := "grid = " + grid.RatString() + ", want a positive number"
			if z, err := release(mat.NewDense(2, 2, nil), grid); z != nil || !errors.Is(err, evidence.ErrParameter) || !mvg.ErrorContains(err, want) {
				t.Errorf("%s on a bad grid: %v, error %v, want %q", name, z, err, want)
			}
		}
		for at := range 4 {
			for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				fx := mat.NewDense(2, 2, nil)
				fx.Set(at/2, at%2, v)
				want := fmt.Sprintf("x[%d][%d] = %g, want a finite number", at/2, at%2, v)
				if z, err := release(fx, nil); z != nil || !errors.Is(err, evidence.ErrParameter) || !mvg.ErrorContains(err, want) {
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
		if z, err := mvg.ReleaseLaplace(bg, one, scale, nil, nil); z != nil || !errors.Is(err, evidence.ErrParameter) || !mvg.ErrorContains(err, "scale = "+scale.RatString()) {
			t.Errorf("scale %v: %v, error %v", scale, z, err)
		}
	}
	for _, v := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if z, err := (mvg.RankOne{Dimension: 1, Variance: v}).Release(bg, one, nil, nil); z != nil || !mvg.ErrorContains(err, "variance") {
			t.Errorf("variance %v: %v, error %v", v, z, err)
		}
	}
	long := mvg.RankOne{Dimension: 100_001, Variance: 1}
	if z, err := long.Release(bg, mat.NewDense(1, 100_001, nil), nil, nil); z != nil || !errors.Is(err, evidence.ErrParameter) || !mvg.ErrorContains(err, "dimension = 100001, want at most 100000") {
		t.Errorf("dimension 100001: %v, error %v", z, err)
	}
}

// A release of one long row stops within the row.
func TestLongReleaseStops(t *testing.T) {
	plain := mvg.DesignOf(must.Be(mvg.NewIsotropic(1, 1)), must.Be(mvg.NewIsotropic(1<<20, 1)))
	ctx := ctxtest.CancelAfter(context.Background(), 40)
	if z, err := plain.Release(ctx, mat.NewDense(1, 1<<20, nil), sampling.TwoTo(-3000), nil); z != nil || !errors.Is(err, context.Canceled) || ctx.LatePolls() > 4 {
		t.Errorf("%v and error %v after %d polls, %d late", z, err, ctx.Polls(), ctx.LatePolls())
	}
}
