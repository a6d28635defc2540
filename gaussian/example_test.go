package gaussian_test

import (
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// Noise of standard deviation 1 for a query of sensitivity 1: δ at ε = ln 3, and at ε = 0, where it is the total
// variation distance.
func ExampleDelta() {
	ln3, _ := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	for _, eps := range []evidence.Epsilon{ln3, {}} {
		delta, err := gaussian.Delta(eps, 1, 1)
		fmt.Printf("%v: %.9f %v\n", eps, delta, err)
	}
	// Output:
	// ln(3): 0.109855564 <nil>
	// 0: 0.382924923 <nil>
}

// This encloses the smallest ε for a sensitivity that is known to lie in an interval.
func ExampleEpsilonAt() {
	eps, err := gaussian.EpsilonAt(evidencetest.Delta(1e-5), interval.Between(0.9, 1))
	fmt.Printf("%.6f to %.6f %v\n", eps.Lo, eps.Hi, err)
	// Output: 3.876187 to 4.377178 <nil>
}

// The float64 path agrees with the enclosure to FastError.
func ExampleFastMu() {
	one, _ := evidence.NewEpsilon("eps", 1)
	fast, _ := gaussian.FastMu(one, evidencetest.Delta(1e-5))
	mu, err := gaussian.Mu(one, evidencetest.Delta(1e-5))
	fmt.Println(fast < mu.Hi*(1+gaussian.FastError), fast > mu.Lo*(1-gaussian.FastError), err)
	// Output: true true <nil>
}
