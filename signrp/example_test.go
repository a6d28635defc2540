package signrp_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/signrp"
)

// 20 numbers become 4 signs of a projection, each flipped with ε' = ε/k.
func ExampleNewSignRP() {
	ctx := context.Background()
	w, _ := signrp.NewProjection(signrp.Rademacher, 20, 4, signrp.ProjectionOptions{Seed: 1})
	eps, _ := evidence.LogEpsilon("eps", big.NewRat(81, 1))
	r, err := signrp.NewSignRP(ctx, w, eps, signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	u := make([]float64, 20)
	u[0] = 0.25
	out, _ := r.Sample(ctx, u, rand.NewPCG(1, 2))
	fmt.Println(r.Name(), len(out.Signs))
	public, _ := r.Public().Epsilon(ctx, evidence.Delta{})
	fmt.Println(public)
	worst, _ := r.Neighbors(u).Worst(ctx)
	fmt.Println(worst.Epsilon, "at", worst.Coordinate, "to", worst.To)
	// Output:
	// DP-SignRP-RR 4
	// 4.39444915467244 (exact: ln(81))
	// 4.39444915467244 (exact: ln(81)) at 0 to -0.75
}

// Numbers with the noise of the analytic Gaussian mechanism. The output is the cost of moving half of β at the
// release's own δ, and the variance of the inner product.
func ExampleNewRP() {
	ctx := context.Background()
	w, _ := signrp.NewOPORP(ctx, 20, 4, 5)
	eps, _ := evidence.NewEpsilon("eps", 1)
	r, err := signrp.NewRP(ctx, w, eps, evidencetest.Delta(1e-6), signrp.RPOptions{Beta: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	u, v := make([]float64, 20), make([]float64, 20)
	v[3] = 0.5
	e, _ := r.Pair(u, v).Epsilon(ctx, r.Delta())
	variance, _ := r.Variance(u, v)
	fmt.Printf("%s: ε %.4f, variance %.1f\n", r.Name(), e, variance)
	// Output:
	// DP-OPORP: ε 0.4753, variance 1278.7
}

// The nearest of three vectors to a query, from signs with very little noise.
func ExampleSearch() {
	ctx := context.Background()
	s, _ := signrp.NewSearch(ctx, [][]float64{{1, 0}, {0, 1}, {0.9, 0.1}}, [][]float64{{1, 0.1}}, 1)
	w, _ := signrp.NewProjection(signrp.Gaussian, 2, 64, signrp.ProjectionOptions{Seed: 1})
	eps, _ := evidence.NewEpsilon("eps", 640)
	r, _ := signrp.NewSignRP(ctx, w, eps, signrp.SignOptions{Noise: signrp.RandomizedResponse, Beta: 1})
	found, err := s.Judge(ctx, r, func(n uint64) rand.Source { return rand.NewPCG(7, n) })
	fmt.Println(found.Recall, err)
	// Output:
	// 1 <nil>
}

// The published count of signs within reach is a Chernoff bound. The binomial quantile is smaller.
func ExampleBinomialCount() {
	chernoff, _ := signrp.ChernoffCount(0.05, 512, evidencetest.Delta(1e-6))
	binomial, _ := signrp.BinomialCount(0.05, 512, evidencetest.Delta(1e-6))
	delta, _ := signrp.RandomWDelta(big.NewRat(1, 20), 512, binomial)
	fmt.Println(chernoff, binomial, delta.Hi <= 1e-6)
	// Output:
	// 59 52 true
}

// The variance of the angle estimator at π/3 from 512 signs, each flipped at ε' = ln 3.
func ExampleAngleVariance() {
	ln3, _ := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	v, _ := signrp.AngleVariance(math.Pi/3, ln3, 512)
	fmt.Println(v)
	// Output:
	// 0.0765708240752918 (claimed)
}
