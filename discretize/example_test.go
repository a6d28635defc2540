package discretize_test

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/continuous"
	"dpworkbench/discretize"
	"dpworkbench/evidence"
)

// Laplace noise on the line as layers: the guarantee of Theorem 1 and the actual ε.
func ExampleNewLine() {
	q, _ := continuous.NewLinear([][2]*big.Rat{{new(big.Rat), big.NewRat(1, 1)}})
	one, _ := evidence.NewEpsilon("eps", 1)
	m, _ := continuous.NewLaplace(q, one)
	d, _ := discretize.NewLine(q, m)
	t, _ := d.Theorem1(context.Background())
	fmt.Println(d.ClaimedEpsilon(), t.Discretized, t.Privacy, d.IsBasic())
	fmt.Println(t.Before, t.After, t.Utility)
	fmt.Println(t)
	// Output:
	// 2.0 (claimed) 1.0 (certified) confirmed true
	// 1.0 (certified) 1.08197670686933 (certified: in [1.0819767068693262, 1.0819767068693265]) confirmed
	// <Theorem 1 at ε = 1: p is ε-DP confirmed, q is 2ε-DP confirmed, utility confirmed; smallest ε 1.0 of p, 1.0 of q; E_p = 1.0, E_q = 1.08198 at dataset 0>
}
