package mvg

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"

	"gonum.org/v1/gonum/mat"
)

// A search of regions ends wherever it is told to, without an optimum: told once, or from then
// on.
func TestSearchesOfRegionsEnd(t *testing.T) {
	rng := rand.New(rand.NewPCG(141, 5))
	var list []*mat.Dense
	for range 3 {
		list = append(list, normalMatrix(3, 2, rng))
	}
	some, goal := ok(NewDifferences(list)), Goal{MostInformation, []float64{30, 20, 5}}
	do := func(ctx context.Context) (*Optimum, error) { return solveAt(ctx, some, goal, Recipe{}, 1, 1) }
	whole := looks.After(t.Context(), math.MaxInt)
	if _, err := do(whole); err != nil {
		t.Fatal(err)
	}
	for at := range whole.Looks() {
		if at%20 > 0 && at < whole.Looks()-80 { // regions come last
			continue
		}
		for _, ends := range []func(context.Context, int) *looks.Ending{looks.After, looks.Blink} {
			if o, err := do(ends(t.Context(), at)); o != nil || !errors.Is(err, context.Canceled) {
				t.Errorf("over at look %d of %d: %v, error %v", at, whole.Looks(), o, err)
			}
		}
	}
}

// The smallest ε of Laplace noise is s/b, of numbers above 0 alone.
func TestLaplacePrivacyOfWhat(t *testing.T) {
	if v, err := LaplacePrivacy(big.NewRat(3, 7), big.NewRat(2, 5)); err != nil || evidence.Rational(v) != "15/14" {
		t.Errorf("ε = %v, error %v", v, err)
	}
	for _, bad := range []*big.Rat{new(big.Rat), big.NewRat(-1, 3)} {
		if v, err := LaplacePrivacy(bad, big.NewRat(1, 1)); v != nil || !errors.Is(err, evidence.ErrParameter) || !says(err, "sensitivity = "+bad.RatString()+", want a positive number") {
			t.Errorf("sensitivity %v: %v, error %v", bad, v, err)
		}
		if v, err := LaplacePrivacy(big.NewRat(1, 1), bad); v != nil || !errors.Is(err, evidence.ErrParameter) || !says(err, "scale = "+bad.RatString()+", want a positive number") {
			t.Errorf("scale %v: %v, error %v", bad, v, err)
		}
	}
}
