package discretize_test

import (
	"context"
	"math/big"
	"testing"

	"dpworkbench/continuous"
	"dpworkbench/discretize"
	"dpworkbench/internal/looks"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
)

// Wherever a context is looked at, its end is the end of what was asked for.
func TestEverythingStops(t *testing.T) {
	q, eps := path(t, 3, 1), float(t, 0.7)
	for _, m := range []func() mechanism.Mechanism{
		func() mechanism.Mechanism { return must.For(mechanism.NewGeometric(ctx, q, eps))(t) },
		func() mechanism.Mechanism { return must.For(layers.NewPurest(ctx, q, eps.Ratio(1, 2)))(t) },
	} {
		looks.Each(t, 4, func(ctx context.Context) error { _, err := discretize.New(ctx, m(), eps); return err })
		d := func() *discretize.Discretization { return must.For(discretize.New(ctx, m(), eps))(t) }
		looks.Each(t, 2, func(ctx context.Context) error { _, err := d().Theorem1(ctx); return err })
		looks.Each(t, 1, func(ctx context.Context) error { _, err := d().Initial(ctx); return err })
		looks.Each(t, 1, func(ctx context.Context) error { _, err := d().Extras(ctx); return err })
		looks.Each(t, 1, func(ctx context.Context) error { _, err := d().IsBasic(ctx); return err })
		looks.Each(t, 2, func(ctx context.Context) error { _, err := d().Reconstruct(ctx, layers.Closure); return err })
	}
	line := must.For(continuous.NewLinear([][2]*big.Rat{{big.NewRat(1, 1), big.NewRat(1, 1)}, {big.NewRat(3, 1), big.NewRat(3, 1)}}))(t)
	over, end := context.WithCancel(ctx)
	end()
	if _, err := must.For(discretize.NewLine(line, must.For(continuous.NewPurest(ctx, line, eps))(t)))(t).Theorem1(over); err != nil {
		t.Errorf("a certificate of few cases: %v", err)
	}
}
