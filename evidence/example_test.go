package evidence_test

import (
	"fmt"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Numbers print their kind of evidence. A comparison fails if the evidence does not decide it.
func ExampleNumber() {
	ln3, _ := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	for _, n := range []evidence.Number{
		evidence.Claimed{Value: 2, Provenance: evidence.From("Wu et al., Proposition 3")},
		evidence.Exact{Value: big.NewRat(18545, 3888), Provenance: evidence.From("every case")},
		evidence.Enclosed(interval.Int(2).Sqrt(), "256-bit intervals", "the diagonal"),
		ln3.Number(),
	} {
		above, err := evidence.Decide(n, evidence.Greater, evidence.FromFloat(1.414213562373095))
		fmt.Println(n, above, err)
	}
	// Output:
	// 2.0 (claimed) true <nil>
	// 4.76980452674897 (exact: 18545/3888) true <nil>
	// 1.4142135623731 (certified: in [1.4142135623730949, 1.4142135623730952]) false not decided: one is in [1.4142135623730949, 1.4142135623730952], the other 1.414213562373095
	// 1.09861228866811 (exact: ln(3)) false <nil>
}

// An ε is never rounded: 3·ln 3 is ln 27, and e^{−ε} is rational.
func ExampleEpsilon() {
	ln3, _ := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	z, _ := ln3.Times(3).RationalDecay()
	fmt.Println(ln3.Times(3), z, ln3.Ratio(1, 2))
	_, err := evidence.NewEpsilon("eps", -1)
	fmt.Println(err)
	// Output:
	// ln(27) 1/27 ln(3)·1/2
	// eps = -1, want a positive finite number
}
