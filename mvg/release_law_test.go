package mvg_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/internal/stattest"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// streams gives every row of every draw a stream of its own.
func streams(draw uint64) func(row uint64) rand.Source {
	return func(row uint64) rand.Source { return rand.NewPCG(draw, row) }
}

// distance is Kolmogorov's between the draws, which it sorts, and a law.
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

// Entries of releases at 0, divided by their standard deviations or scale, have the law that
// they should, at a false-positive rate of 1e-6 a law (Massart 1990; the grid, 2⁻³² of
// them, moves the law by less than 2⁻³³). With a standard deviation or scale 1% off they
// would be rejected.
func TestReleasesHaveTheirLaw(t *testing.T) {
	const m, n, alpha = 64, 256, 1e-6
	rows, columns := make([]float64, m), make([]float64, n)
	for i := range rows {
		rows[i] = math.Exp(math.Sin(float64(i)))
	}
	for j := range columns {
		columns[j] = 3 + math.Cos(float64(j))
	}
	d := must[*mvg.Design](t)(mvg.NewDesign(ctx, must[mvg.Ball](t)(mvg.NewBall(m, n, mvg.BallOptions{S2: 1, Gamma: 1})),
		must[mvg.Covariance](t)(mvg.NewDirectional(rows, nil)), must[mvg.Covariance](t)(mvg.NewDirectional(columns, nil))))
	zero := mat.NewDense(m, n, nil)
	for _, c := range []struct {
		name    string
		draws   int
		release func(draw uint64) *mat.Dense
		scale   func(i, j int) float64
		below   func(float64) float64
	}{
		{"normal", 256, func(draw uint64) *mat.Dense { return must[*mat.Dense](t)(d.Release(ctx, zero, nil, streams(draw))) },
			func(i, j int) float64 { return math.Sqrt(rows[i] * columns[j]) }, normalBelow},
		{"Laplace", 256, func(draw uint64) *mat.Dense {
			return must[*mat.Dense](t)(mvg.ReleaseLaplace(ctx, zero, big.NewRat(7, 3), nil, streams(draw)))
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
		for _, factor := range []float64{0.99, 1.01} {
			if gap := distance(x, func(v float64) float64 { return c.below(v * factor) }); gap <= radius {
				t.Errorf("%s: a law %g times as wide passes at distance %.3g", c.name, 1/factor, gap)
			}
		}
	}
}

// The rank-one noise over √v: its norm is half-normal, its direction has no mean and I/M as
// second moment. Rates: 1e-6 by Kolmogorov's distance, 1e-6 an entry by Hoeffding's radius.
func TestRankOneReleaseHasItsLaw(t *testing.T) {
	const draws, alpha = 8000, 1e-6
	r := mvg.RankOne{Dimension: 4, Sensitivity: 1, Variance: 9}
	src := rand.NewPCG(41, 1)
	norms, second := make([]float64, draws), mat.NewDense(4, 4, nil)
	for k := range draws {
		z := must[*mat.Dense](t)(r.Release(ctx, mat.NewDense(2, 2, nil), nil, src)).RawMatrix().Data
		v := mat.NewVecDense(4, z)
		norms[k] = mat.Norm(v, 2) / 3
		second.RankOne(second, 1/(norms[k]*norms[k]*9*draws), v, v)
	}
	radius := math.Sqrt(math.Log(2/alpha) / (2 * draws))
	if gap := distance(norms, func(x float64) float64 { return math.Erf(x / math.Sqrt2) }); gap > radius {
		t.Errorf("norms are %.3g from half-normal, want at most %.3g", gap, radius)
	}
	if gap := distance(norms, func(x float64) float64 { return math.Erf(1.1 * x / math.Sqrt2) }); gap <= radius {
		t.Errorf("norms a tenth off pass at %.3g", gap)
	}
	for i := range 4 {
		for j := range 4 {
			want, reach := 0.0, stattest.Radius(draws, alpha) // products are from −½ to ½
			if i == j {
				want = 0.25
			}
			if gap := math.Abs(second.At(i, j) - want); gap > reach {
				t.Errorf("second moment (%d, %d) of the direction is %.4g, want %.4g ± %.3g", i, j, second.At(i, j), want, reach)
			}
		}
	}
}

// Dense releases, whitened, have the identity as second moment: Σ over pairs of entries of
// (S_ab − n·[a = b])²/(n·(1 + [a = b])) is χ² with a degree of freedom a pair, of which a
// tail of 1e-9 is asked for. One entry of the root 4% off is rejected. One of the covariances
// has a condition number above 10¹³: its roots are written down, and whiten exactly.
func TestDenseReleasesHaveTheirCovariance(t *testing.T) {
	ill := mat.NewTriDense(3, mat.Lower, []float64{1, 0, 0, 3, 0x1p-20, 0, -5, 7 * 0x1p-20, 0x1p-18})
	mild := mat.NewTriDense(2, mat.Lower, []float64{2, 0, -1, 0.5})
	flat := mat.NewTriDense(2, mat.Lower, []float64{2, 0, 0, 0.5})
	three := mat.NewTriDense(3, mat.Lower, []float64{1, 0, 0, 0, 4, 0, 0, 0, 0.25})
	of := func(l *mat.TriDense) mvg.Covariance {
		var s mat.Dense
		s.Mul(l, l.T())
		return must[mvg.Covariance](t)(mvg.NewDense(&s))
	}
	const draws = 20000
	for at, c := range []struct{ sigma, psi *mat.TriDense }{{ill, mild}, {ill, flat}, {three, mild}} {
		d := must[*mvg.Design](t)(mvg.NewDesign(ctx, must[mvg.Ball](t)(mvg.NewBall(3, 2, mvg.BallOptions{S2: 1, Gamma: 1})), of(c.sigma), of(c.psi)))
		var outputs []*mat.Dense
		for draw := range draws {
			outputs = append(outputs, must[*mat.Dense](t)(d.Release(ctx, mat.NewDense(3, 2, nil), nil, streams(uint64(at*draws+draw)))))
		}
		tail := func(sigma, psi *mat.TriDense) float64 {
			moments := mat.NewSymDense(6, nil)
			for _, z := range outputs {
				var u, v mat.Dense
				_ = u.Solve(sigma, z) // warns of the condition, which substitution does not mind here
				_ = v.Solve(psi, u.T())
				moments.SymRankOne(moments, 1, mat.NewVecDense(6, v.RawMatrix().Data))
			}
			x := 0.0
			for a := range 6 {
				x += math.Pow(moments.At(a, a)-draws, 2) / (2 * draws)
				for b := range a {
					x += math.Pow(moments.At(a, b), 2) / draws
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
			off.SetTri(i, i, 1.04*off.At(i, i))
			if p := tail(off, c.psi); p > 1e-9 {
				t.Errorf("case %d: a root with entry (%d, %d) 4%% off passes at a tail of %.3g", at, i, i, p)
			}
		}
	}
}
