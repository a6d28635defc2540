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

// A search of regions ends wherever it is told to: told once, or from then on. What searches
// ends with it, without an optimum.
func TestSearchesOfRegionsEnd(t *testing.T) {
	ends := []func(context.Context, int) *looks.Ending{looks.After, looks.Blink}
	most := 0
	for seed := range uint64(12) {
		search := func(ctx context.Context) error {
			g, r := randomRegion(rand.New(rand.NewPCG(141, seed)), 2+int(seed%3))
			g.ctx = ctx
			return g.search(r.u)
		}
		whole := looks.After(t.Context(), math.MaxInt)
		if err := search(whole); err != nil {
			t.Fatal(err)
		}
		most = max(most, whole.Looks())
		for at := 0; at < whole.Looks(); at += 1 + at/10 {
			for _, end := range ends {
				over := end(t.Context(), at)
				if err := search(over); !errors.Is(err, context.Canceled) || over.Late() > 1 {
					t.Errorf("over at look %d of %d: error %v after %d more", at, whole.Looks(), err, over.Late())
				}
			}
		}
	}
	if most < 50 {
		t.Errorf("a search looks %d times", most)
	}
	var list []*mat.Dense
	rng := rand.New(rand.NewPCG(141, 3))
	for range 4 {
		list = append(list, normalMatrix(2, 2, rng))
	}
	solve := func(ctx context.Context) (*Optimum, error) {
		return solveAt(ctx, ok(NewDifferences(list)), Goal{MostInformation, []float64{30, 20}}, Recipe{Mode: Equimodal}, 1, 1)
	}
	whole := looks.After(t.Context(), math.MaxInt)
	if _, err := solve(whole); err != nil {
		t.Fatal(err)
	}
	for at := 0; at < whole.Looks(); at += 1 + whole.Looks()/40 {
		for _, end := range ends {
			if o, err := solve(end(t.Context(), at)); o != nil || !errors.Is(err, context.Canceled) {
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
