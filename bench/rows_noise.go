package main

import (
	"context"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

var noiseRows = []comparison{
	{
		name: "mvg-diagonal", work: "noise of a %d × %[1]d MVG with diagonal Σ and Ψ = I", n: 2000, quick: 200,
		run: func(ctx context.Context, n int) task {
			return noise(ctx, n, must(mvg.NewDirectional(ramp(n), nil)), must(mvg.NewIsotropic(n, 1)))
		},
		script: &scripted{`
s = l2_sensitivity(n, n, 1, 1)
d = mvg(s, 1, 1e-5, theta=[2 * (i + 1) / (n * (n + 1)) for i in range(n)])
x = matrix([[0] * n] * n)
`, "d.simulate(x, seed=1)[0][0] * 0"},
		peers:  []peer{{name: "NumPy", module: "with_numpy", function: "mvg_diagonal"}},
		needs:  func(n int) load { return load{bytes: 8 * power(2)(n), normals: power(2)(n)} },
		asked:  "3× from Go, 2× from a script",
		series: &series{sizes: []int{125, 250, 500, 1000, 2000, 4000}, unit: "rows", expected: 2},
	},
	{
		name: "mvg-dense", work: "noise of a %d × %[1]d MVG with dense Σ and Ψ, their roots at hand", n: 2000, quick: 100,
		run: denseNoise,
		script: &scripted{`
v = [math.cos(3 * i * i) for i in range(n)]
size = sum([x * x for x in v])
w = matrix([[(1 if i == j else 0) - 2 * v[i] * v[j] / size for j in range(n)] for i in range(n)])
s = l2_sensitivity(n, n, 1, 1)
d = mvg(s, 1, 1e-5, theta=[2 * (i + 1) / (n * (n + 1)) for i in range(n)], directions=w, modal="equi")
x = matrix([[0] * n] * n)
`, "d.simulate(x, seed=1)[0][0] * 0"},
		peers:  []peer{{name: "NumPy", module: "with_numpy", function: "mvg_dense"}, {name: "gonum, two products and the draw", run: twoProducts}},
		needs:  func(n int) load { return load{products: power(3)(n), normals: power(2)(n)} },
		asked:  ".25× of NumPy's BLAS",
		series: &series{sizes: []int{250, 500, 1000, 2000}, unit: "rows", expected: 3},
	},
}

func ramp(n int) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = 1 + float64(i)/float64(n)
	}
	return v
}

// noise returns a task that draws a matrix of noise.
func noise(ctx context.Context, n int, sigma, psi mvg.Covariance) task {
	d := must(mvg.NewDesign(ctx, must(mvg.NewBall(n, n, mvg.BallOptions{S2: 1, Gamma: 1})), sigma, psi))
	z, src := mat.NewDense(n, n, nil), rand.NewPCG(1, 2)
	return func() float64 {
		d.Noise(z, src)
		return 0
	}
}

func denseNoise(ctx context.Context, n int) task {
	return noise(ctx, n, reflected(n, 1), reflected(n, 2))
}

// reflected returns a covariance whose eigenvectors are the columns of a dense orthonormal matrix, the reflection I −
// 2vvᵀ for a random direction v. No eigendecomposition has to be computed.
func reflected(n int, seed uint64) mvg.Covariance {
	src := rand.New(rand.NewPCG(seed, uint64(n)))
	v := mat.NewVecDense(n, nil)
	for i := range n {
		v.SetVec(i, src.NormFloat64())
	}
	v.ScaleVec(1/mat.Norm(v, 2), v)
	w := mat.NewDense(n, n, nil)
	w.Outer(-2, v, v)
	for i := range n {
		w.Set(i, i, 1+w.At(i, i))
	}
	return must(mvg.NewDirectional(ramp(n), w))
}

// twoProducts draws dense noise by two general matrix products. The code worked in this way before it had specialised
// products.
func twoProducts(_ context.Context, n int) task {
	src := rand.New(rand.NewPCG(1, 2))
	draw := func(_, _ int, _ float64) float64 { return src.NormFloat64() }
	left, right, z := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	left.Apply(draw, left)
	right.Apply(draw, right)
	var x, y mat.Dense
	return func() float64 {
		z.Apply(draw, z)
		x.Mul(left, z)
		y.Mul(&x, right.T())
		return 0
	}
}

var questionSeries = &series{sizes: []int{10, 100, 1000, 10_000}, unit: "questions", expected: 1}

const questionsSetup = "xs = [0.5 + i / n for i in range(n)]"

var gaussianRows = []comparison{
	{
		name: "gaussian-sigma", work: "σ of the analytic Gaussian at ε in .5 … 1.5, δ = 1e-5, certified: one of %d", n: 50, quick: 20, each: true,
		run: questions(func(x float64) evidence.Number { return must(gaussian.Sigma(nats(x), evidencetest.Delta(1e-5), 1)) }), agree: 1e-6,
		script: &scripted{questionsSetup, "sum([gaussian_sigma(x, 1e-5) for x in xs])"},
		peers: []peer{
			{name: "SciPy, bisection", module: "with_scipy", function: "sigma"},
			{name: "dp_accounting", module: "with_dp_accounting", function: "sigma"},
			{name: "diffprivlib", module: "with_diffprivlib", function: "sigma"},
		},
		asked: "10 µs", series: questionSeries,
	},
	{
		name: "gaussian-delta", work: "δ at σ in .5 … 1.5, ε = 1, certified: one of %d", n: 50, quick: 20, each: true,
		run: questions(func(x float64) evidence.Number { return must(gaussian.Delta(nats(1), x, 1)) }), agree: 1e-6,
		script: &scripted{questionsSetup, "sum([gaussian_delta(1, x) for x in xs])"},
		peers: []peer{
			{name: "SciPy, the formula", module: "with_scipy", function: "delta"},
			{name: "dp_accounting", module: "with_dp_accounting", function: "delta"},
		},
		asked: "10 µs", series: questionSeries,
	},
	{
		name: "gaussian-epsilon", work: "ε at σ in .5 … 1.5, δ = 1e-5, certified: one of %d", n: 50, quick: 20, each: true,
		run: questions(func(x float64) evidence.Number { return must(gaussian.Epsilon(evidencetest.Delta(1e-5), x, 1)) }), agree: 1e-6,
		script: &scripted{questionsSetup, "sum([gaussian_epsilon(1e-5, x) for x in xs])"},
		peers:  []peer{{name: "SciPy, bisection", module: "with_scipy", function: "epsilon"}},
		asked:  "10 µs", series: questionSeries,
	},
}

// questions returns a task that sums the answers for n values x between ½ and 1½.
func questions(ask func(x float64) evidence.Number) func(context.Context, int) task {
	return func(_ context.Context, n int) task {
		return func() (sum float64) {
			for i := range n {
				sum += ask(.5 + float64(i)/float64(n)).Float()
			}
			return sum
		}
	}
}
