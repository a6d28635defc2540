package mvg_test

import (
	"context"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/mvg"
	"dpworkbench/privacy"
)

// So many uses of a design are normal laws √k times as far apart; one use is what Privacy says; of two designs
// the squares of the distances add up, as a bound.
func TestPairsOfDesigns(t *testing.T) {
	ctx := context.Background()
	design := func(variance float64) *mvg.Design {
		ball, err := mvg.NewBall(2, 2, mvg.BallOptions{S2: 1, Gamma: 1})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := mvg.NewDirectional([]float64{4, variance}, nil)
		if err != nil {
			t.Fatal(err)
		}
		columns, err := mvg.NewIsotropic(2, 1)
		if err != nil {
			t.Fatal(err)
		}
		d, err := mvg.NewDesign(ctx, ball, rows, columns)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	gdp := func(parts []*privacy.Account, times []int) (*privacy.Account, evidence.Number) {
		a, err := privacy.Compose(ctx, parts, times)
		if err != nil {
			t.Fatal(err)
		}
		mu, err := a.GDP(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return a, mu
	}
	d, other := design(9), design(2)
	mu, second := d.WhitenedSensitivity().Float(), other.WhitenedSensitivity().Float()
	a := must[*privacy.Account](t)(privacy.Of(t.Context(), d))
	eps, err := evidence.NewEpsilon("eps", 0.5)
	if err != nil {
		t.Fatal(err)
	}
	got, err1 := a.Delta(ctx, eps)
	want, err2 := d.Privacy().Delta(ctx, eps)
	if evidence.WithStatement(got, nil) != evidence.WithStatement(want, nil) || err1 != nil || err2 != nil {
		t.Errorf("one use: δ = %v, want %v", got, want)
	}
	for _, c := range []struct {
		parts []*privacy.Account
		times []int
		mu    float64
		bound bool
	}{
		{[]*privacy.Account{a}, []int{9}, 3 * mu, false},
		{[]*privacy.Account{a, must[*privacy.Account](t)(privacy.Of(t.Context(), d))}, []int{3, 1}, 2 * mu, false},
		{[]*privacy.Account{a, must[*privacy.Account](t)(privacy.Of(t.Context(), other))}, []int{1, 2}, math.Sqrt(mu*mu + 2*second*second), true},
	} {
		account, number := gdp(c.parts, c.times)
		if _, hi := number.Bounds(); math.Abs(hi-c.mu) > 1e-12*c.mu || account.IsBound() != c.bound {
			t.Errorf("%v uses: μ = %v, want %v; bound is %v", c.times, number, c.mu, account.IsBound())
		}
	}
}
