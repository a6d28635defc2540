package mvg_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/mvg"

	"gonum.org/v1/gonum/mat"
)

// The design meets (ln 3, 10⁻⁵) exactly, with more precision for the first row.
func ExampleNewTight() {
	ctx := context.Background()
	box, _ := mvg.NewBox(100, []float64{1, 10})
	eps, _ := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	d, err := mvg.NewTight(ctx, box, mvg.Params{Epsilon: eps, Delta: evidencetest.Delta(1e-5), Theta: []float64{0.8, 0.2}})
	if err != nil {
		fmt.Println(err)
		return
	}
	delta, err := d.Privacy().Delta(ctx, eps)
	fmt.Printf("%.6g %v\n", delta, err)
	// Output: 1e-05 <nil>
}

// A simulation adds noise. The same source gives the same noise.
func ExampleDesign_Simulate() {
	ball, _ := mvg.NewBall(2, 2, mvg.BallOptions{S2: 1, Gamma: 1})
	rows, _ := mvg.NewDirectional([]float64{4, 9}, nil)
	columns, _ := mvg.NewIsotropic(2, 1)
	d, _ := mvg.NewDesign(context.Background(), ball, rows, columns)
	fx := mat.NewDense(2, 2, []float64{1, 0, 0, 1})
	a, err := d.Simulate(fx, rand.NewPCG(1, 2))
	b, _ := d.Simulate(fx, rand.NewPCG(1, 2))
	fmt.Println(mat.Equal(a, b), err)
	// Output: true <nil>
}

// Two directions have a large eigenvalue. The third has a negligible one and gets no precision.
func ExampleWaterfill() {
	w, err := mvg.Waterfill([]float64{1, 2, 1e-6}, 1, mvg.L1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(w.Precisions, w.Active, w.Level)
	// Output: [0.25 0.75 0] [0 1] 1.25
}

// The example makes rank-one noise with the variance of its paper, for δ = 10⁻⁵ at ε = 1 in dimension 10.
func ExampleRankOne_Privacy() {
	eps, _ := evidence.NewEpsilon("eps", 1)
	r, _ := mvg.NewRankOne(10, 1, eps, evidencetest.Delta(1e-5))
	delta, err := r.Privacy(0.01).Delta(context.Background(), eps)
	if err != nil {
		fmt.Println(err)
		return
	}
	lo, hi := delta.Bounds()
	fmt.Println(lo > 0.17, hi < 0.19)
	// Output: true true
}

// A release draws from the operating system's generator. Every entry is a multiple of a grid that depends on the design
// alone.
func ExampleDesign_Release() {
	ball, err := mvg.NewBall(2, 3, mvg.BallOptions{S2: 1, Gamma: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	eps, _ := evidence.NewEpsilon("eps", 1)
	d, err := mvg.NewTight(context.Background(), ball, mvg.Params{Epsilon: eps, Delta: evidencetest.Delta(1e-5)})
	if err != nil {
		fmt.Println(err)
		return
	}
	z, err := d.Release(context.Background(), mat.NewDense(2, 3, nil), nil, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	steps := new(big.Rat).SetFloat64(z.At(0, 0))
	fmt.Println(d.Grid().RatString(), steps.Quo(steps, d.Grid()).IsInt())
	// Output: 1/2147483648 true
}
