package zoo_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"dpworkbench/audit/zoo"
)

func ExampleMechanism_Audit() {
	for _, m := range zoo.All()[:2] {
		r, err := m.Audit(context.Background(), m.Draws, rand.NewPCG(1, 1))
		if err != nil {
			panic(err)
		}
		fmt.Println(m.Name, r.Verdict, r.Epsilon.Float() > m.Claim.Epsilon.Value())
	}
	// Output:
	// laplace_doubles refuted true
	// laplace_grid undecided false
}
