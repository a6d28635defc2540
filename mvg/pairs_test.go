package mvg_test

import (
	"context"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"
	"dpworkbench/privacy"
)

// k uses of a design are the Gaussian mechanism with √k times the sensitivity, and one use agrees with Privacy. For two
// different designs the squared sensitivities add up, which is an upper bound.
func TestDesignAccountsCompose(t *testing.T) {
	ctx := context.Background()
	design := func(variance float64) *mvg.Design {
		ball := must.Be(mvg.NewBall(2, 2, mvg.BallOptions{S2: 1, Gamma: 1}))
		rows := must.Be(mvg.NewDirectional([]float64{4, variance}, nil))
		columns := must.Be(mvg.NewIsotropic(2, 1))
		return must.Be(mvg.NewDesign(ctx, ball, rows, columns))
	}
	gdp := func(parts []*privacy.Account, times []int) (*privacy.Account, evidence.Number) {
		a := must.Be(privacy.Compose(ctx, parts, times))
		mu := must.Be(a.GDP(ctx))
		return a, mu
	}
	d, other := design(9), design(2)
	mu, second := d.WhitenedSensitivity().Float(), other.WhitenedSensitivity().Float()
	a := must.Be(privacy.Of(t.Context(), d))
	eps := must.Be(evidence.NewEpsilon("eps", 0.5))
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
		{[]*privacy.Account{a, must.Be(privacy.Of(t.Context(), d))}, []int{3, 1}, 2 * mu, false},
		{[]*privacy.Account{a, must.Be(privacy.Of(t.Context(), other))}, []int{1, 2}, math.Sqrt(mu*mu + 2*second*second), true},
	} {
		account, number := gdp(c.parts, c.times)
		if _, hi := number.Bounds(); math.Abs(hi-c.mu) > 1e-12*c.mu || account.IsBound() != c.bound {
			t.Errorf("%v uses: μ = %v, want %v; bound is %v", c.times, number, c.mu, account.IsBound())
		}
	}
}
