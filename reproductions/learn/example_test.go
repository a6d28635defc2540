package learn_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"dpworkbench/reproductions/learn"

	"gonum.org/v1/gonum/mat"
)

// A line through three points, and its error at a fourth.
func ExampleFitRidge() {
	r, err := learn.FitRidge(learn.Linear, 1e-9, [][]float64{{0}, {1}, {2}}, []float64{1, 3, 5})
	if err != nil {
		fmt.Println(err)
		return
	}
	off, err := r.RMSE([][]float64{{3}}, []float64{6})
	fmt.Printf("%.3f %.3f %v\n", r.Predict([]float64{3}), off, err)
	// Output: 7.000 1.000 <nil>
}

// Of four samples with the feature, three have the label, so η = ln 3.
func ExampleFitLogistic() {
	x := [][]float64{{1}, {1}, {1}, {1}}
	eta, err := learn.FitLogistic(x, []bool{true, true, true, false}, learn.LogisticOptions{})
	fmt.Printf("%.4f %v\n", eta[0], err)
	// Output: 1.0986 <nil>
}

// The loss of a release that swaps the two components.
func ExampleLostVariance() {
	s := mat.NewSymDense(2, []float64{3, 0, 0, 1})
	lost, err := learn.LostVariance(s, mat.NewDense(2, 2, []float64{1, 0, 0, 3}))
	fmt.Println(lost, err)
	// Output: 2 <nil>
}

// A path on three nodes.
func ExampleDescribeGraph() {
	g, err := learn.DescribeGraph(context.Background(), [][]uint64{{0b010}, {0b101}, {0b010}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(g.Edges, g.Degrees, g.Diameter)
	// Output: 2 [1 2 1] 2
}

func ExampleFitSVM() {
	x, y := [][]float64{{0}, {1}, {3}, {4}}, []int{0, 0, 1, 1}
	m, err := learn.FitSVM(context.Background(), x, y, 2, learn.SVMOptions{C: 1, Hinge: true, Intercept: true, Gap: 1e-9, Passes: 1000}, rand.NewPCG(1, 2))
	if err != nil {
		fmt.Println(err)
		return
	}
	accuracy, _, _ := m.Accuracy([][]float64{{0.5}, {3.5}}, []int{0, 1})
	fmt.Println(m.Objective(), accuracy.Lo, accuracy.Hi)
	// Output: 1.388888889 (certified: in [1.3888888888888744, 1.388888889052109]) 1 1
}
