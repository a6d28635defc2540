package ehmc_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"

	"dpworkbench/ehmc"
	"dpworkbench/evidence"
)

// The example draws three bits that attract one another from their exact law.
func ExampleNewPerfect() {
	ctx := context.Background()
	law, err := ehmc.NewDense([][]float64{{-1, 0.5, 0.5}, {0.5, -1, 0.5}, {0.5, 0.5, -1}})
	if err != nil {
		panic(err)
	}
	perfect, err := ehmc.NewPerfect(ctx, law)
	if err != nil {
		panic(err)
	}
	src := rand.NewPCG(1, 2)
	for range 3 {
		bits, sweeps, err := perfect.Sample(ctx, 1<<10, src)
		if err != nil {
			panic(err)
		}
		fmt.Println(bits, sweeps)
	}
	// Output:
	// [true true true] 7
	// [true true false] 1
	// [true false false] 1
}

// The example compares the draws of a chain with its law.
func ExampleTotalVariation() {
	law, err := ehmc.NewDense([][]float64{{1, -0.5}, {-0.5, 0.25}})
	if err != nil {
		panic(err)
	}
	chain, err := ehmc.NewGibbs(law, []bool{false, false}, rand.NewPCG(1, 2))
	if err != nil {
		panic(err)
	}
	counts, ones := make([]int, 4), []float64{}
	if err := ehmc.Run(context.Background(), chain, 100, 20000, 8, func(s *ehmc.State) error {
		at, err := ehmc.Index(s.Bits)
		counts[at]++
		ones = append(ones, float64(s.Ones()))
		return err
	}); err != nil {
		panic(err)
	}
	p, err := ehmc.Probabilities(law)
	if err != nil {
		panic(err)
	}
	distance, err := ehmc.TotalVariation(p, counts, 1e-6)
	if err != nil {
		panic(err)
	}
	diagnosis, err := ehmc.Diagnose([][]float64{ones})
	if err != nil {
		panic(err)
	}
	fmt.Printf("R̂ %.2f, distance at most %.2f\n", diagnosis.RHat, distance.Sampler.Hi)
	// Output:
	// R̂ 1.00, distance at most 0.03
}

// A sampler at distance 1/1000 from a law that is ln(3)-private is (ln(3), δ)-private.
func ExampleDeltaOf() {
	eps, err := evidence.LogEpsilon("eps", big.NewRat(3, 1))
	if err != nil {
		panic(err)
	}
	delta, err := ehmc.DeltaOf(eps, 0.001)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.6f\n", delta)
	// Output:
	// 0.004000
}
