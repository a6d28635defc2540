package xor_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"

	"dpworkbench/evidence"
	"dpworkbench/xor"
)

// Algorithm 1 for two objects of three features, independent of each other.
func ExampleAllocate() {
	eps, err := evidence.LogEpsilon("eps", big.NewRat(2, 1))
	if err != nil {
		panic(err)
	}
	b, err := xor.Allocate(xor.Budget{N: 2, P: 3, Epsilon: eps, Alpha: 1, Sensitivity: 1})
	if err != nil {
		panic(err)
	}
	rate, err := b.ErrorRate(context.Background(), 0, xor.Complement)
	if err != nil {
		panic(err)
	}
	fmt.Printf("claimed ε %.4f, the complement flips %.4f of the bits\n", b.ClaimedEpsilon(1).Float(), rate.Float())
	// Output: claimed ε 0.6931, the complement flips 0.4013 of the bits
}

// Algorithm 3 on a path of three nodes.
func ExampleReleaseGraph() {
	path, err := xor.ParseBits([][]float64{{0, 1, 0}, {1, 0, 1}, {0, 1, 0}})
	if err != nil {
		panic(err)
	}
	b, err := xor.NewUniform(3, 3, -2, 0)
	if err != nil {
		panic(err)
	}
	out, _, err := xor.ReleaseGraph(context.Background(), path, b, xor.ReleaseOptions{}, rand.NewPCG(3, 4))
	if err != nil {
		panic(err)
	}
	fmt.Println(out.Floats())
	// Output: [[0 1 0] [1 0 0] [0 0 0]]
}

// Prior odds of 1 to 99 against an edge, and a release at ε = ln 2.
func ExampleEdgeLeakage() {
	eps, err := evidence.LogEpsilon("eps", big.NewRat(2, 1))
	if err != nil {
		panic(err)
	}
	right, err := xor.EdgeLeakage(eps, 1./99)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.4f\n", right.Float())
	// Output: 0.9950
}
