package check_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"
)

// Euler's n² + n + 41 is prime for n < 40 and composite for n = 40. The search draws n ≥ 40 and simplifies
// the counterexample that it finds down to 40.
func ExampleStatement() {
	euler := check.Statement[int]{
		Draw: func(rng *rand.Rand) int { return 40 + rng.IntN(1000) },
		Holds: func(n int) bool {
			v := n*n + n + 41
			for d := 2; d*d <= v; d++ {
				if v%d == 0 {
					return false
				}
			}
			return true
		},
		Simpler: func(n int) iter.Seq[int] {
			return func(yield func(int) bool) {
				for k := range n {
					if !yield(k) {
						return
					}
				}
			}
		},
		Witness: func(n int) *check.Witness {
			return &check.Witness{Fields: []check.Field{{Name: "n", Value: fmt.Sprint(n)}}}
		},
	}
	out, err := euler.Check(context.Background(), check.Run{Budget: 100})
	fmt.Println(out.Verdict, out.Witness.Fields, err)
	// Output: refuted [{n 40}] <nil>
}

func TestStatementNeedsInstances(t *testing.T) {
	_, err := check.Statement[int]{
		Holds:   func(int) bool { return true },
		Witness: func(int) *check.Witness { return nil },
	}.Check(context.Background(), check.Run{Budget: 1})
	if !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a statement without instances: %v", err)
	}
}
