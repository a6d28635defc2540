package privacy_test

import (
	"context"
	"fmt"
	"math/big"

	"dpworkbench/continuous"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/privacy"
)

// The profile of geometric noise with ε₀ = ln 9, from ε to δ and back.
func ExampleProfile() {
	ctx := context.Background()
	one, ln9 := big.NewRat(1, 1), must.Be(evidence.LogEpsilon("eps", big.NewRat(9, 1)))
	noise := must.Be(continuous.NewGeometric(must.Be(continuous.NewLinear([][2]*big.Rat{{one, one}})), ln9))
	curve := noise.Privacy()
	fmt.Println(must.Be(curve.Epsilon(ctx, evidence.Delta{})))
	fmt.Println(must.Be(curve.Delta(ctx, ln9.Ratio(1, 2))))
	fmt.Println(must.Be(curve.Epsilon(ctx, evidencetest.Delta(0.6))))
	// Output:
	// 2.19722457733622 (exact: ln(9))
	// 0.6 (exact: 3/5)
	// 1.09861228867 (certified: in [1.0986122886661116, 1.0986122886681098])
}

// Two uses of randomized response, given as a pair of laws. δ is exact at a rational e^ε.
func ExampleCompose() {
	ctx := context.Background()
	p, q := []*big.Rat{big.NewRat(2, 3), big.NewRat(1, 3)}, []*big.Rat{big.NewRat(1, 3), big.NewRat(2, 3)}
	flip := privacy.New(privacy.PairAndReverse("flip", "", must.Be(privacy.NewRationalPair(p, q))))
	two := must.Be(privacy.Compose(ctx, []*privacy.Account{flip}, []int{2}))
	fmt.Println(must.Be(two.Epsilon(ctx, evidence.Delta{})))
	fmt.Println(must.Be(two.Delta(ctx, must.Be(evidence.LogEpsilon("eps", big.NewRat(2, 1))))))
	fmt.Println(must.Be(two.ZCDP(ctx)))
	// Output:
	// 1.3862943611199 (exact: ln(4))
	// 0.222222222222223 (exact: 2/9)
	// 0.46209812038 (certified: in [0.46209812037329683, 0.4620981203736565])
}
