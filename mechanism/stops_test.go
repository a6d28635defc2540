package mechanism_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/looks"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

// Wherever a context is looked at, its end is the end of what was asked for.
func TestEverythingStops(t *testing.T) {
	whole := pathQuery(t, 3)
	fractions, _ := fractionQuery(t, rand.New(rand.NewPCG(5, 5)), 3)
	rational, decimal := ln(t, 3, 1), eps(t, 0.7)
	half := big.NewRat(1, 2)
	must := func(m mechanism.Mechanism, err error) mechanism.Mechanism {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for _, c := range []struct {
		what  string
		least int
		do    func(ctx context.Context) error
	}{
		{"levels", 3, func(ctx context.Context) error {
			_, err := mechanism.NewLayerTable(ctx, whole, make([]int32, 9))
			return err
		}},
		{"levels of one dataset", 3, func(ctx context.Context) error {
			_, err := mechanism.NewLayerTable(ctx, pathQuery(t, 1), make([]int32, 1))
			return err
		}},
		{"edges of one dataset", 1, func(ctx context.Context) error {
			_, err := mechanism.Privacy(build(t, "ladder", pathQuery(t, 1), decimal)).Epsilon(ctx, 0)
			return err
		}},
		{"exponential", 2, func(ctx context.Context) error { _, err := mechanism.NewExponential(ctx, whole, decimal); return err }},
		{"exponential of fractions", 1, func(ctx context.Context) error {
			_, err := mechanism.NewExponential(ctx, fractions, decimal)
			return err
		}},
		{"ladder", 3, func(ctx context.Context) error { _, err := mechanism.NewLadder(ctx, whole, decimal); return err }},
		{"ladder of fractions", 4, func(ctx context.Context) error { _, err := mechanism.NewLadder(ctx, fractions, decimal); return err }},
		{"inverse sensitivity", 3, func(ctx context.Context) error {
			_, err := mechanism.NewInverseSensitivity(ctx, whole, decimal, half)
			return err
		}},
		{"laplace", 1, func(ctx context.Context) error { _, err := mechanism.NewLaplace(ctx, whole, decimal); return err }},
		{"geometric", 1, func(ctx context.Context) error { _, err := mechanism.NewGeometric(ctx, whole, rational); return err }},
		{"ε at a δ", 9, func(ctx context.Context) error {
			_, err := mechanism.Privacy(build(t, "ladder", whole, rational)).Epsilon(ctx, 0.1)
			return err
		}},
		{"finite", 2, func(ctx context.Context) error {
			_, err := mechanism.NewFinite(ctx, pathQuery(t, 2), [][]*big.Rat{{half, half}, {half, half}}, nil)
			return err
		}},
	} {
		t.Run(c.what, func(t *testing.T) { looks.Each(t, c.least, c.do) })
	}
	for _, q := range []*query.Query{whole, fractions} {
		for _, e := range []evidence.Epsilon{rational, ln(t, 9, 1), decimal} { // of whose halves the second has a rational power
			for _, name := range []string{"ladder", "laplace", "exponential"} {
				m := func() mechanism.Mechanism { return build(t, name, q, e) }
				for _, c := range []struct {
					what  string
					least int
					do    func(ctx context.Context) error
				}{
					{"smallest ε", 2, func(ctx context.Context) error { _, err := mechanism.Privacy(m()).Epsilon(ctx, 0); return err }},
					{"profile at 0", 2, func(ctx context.Context) error {
						_, err := mechanism.Privacy(m()).Delta(ctx, evidence.Epsilon{})
						return err
					}},
					{"profile", 2, func(ctx context.Context) error {
						_, err := mechanism.Privacy(m()).Delta(ctx, e.Ratio(1, 3))
						return err
					}},
					{"profile beyond", 2, func(ctx context.Context) error { _, err := mechanism.Privacy(m()).Delta(ctx, e.Times(3)); return err }},
					{"witness of a δ", 2, func(ctx context.Context) error {
						_, _, err := (&mechanism.EpsilonAtStatement{Of: m(), Delta: .1}).Witness(ctx, .25)
						return err
					}},
					{"witness of ε", 2, func(ctx context.Context) error {
						_, _, err := (&mechanism.EpsilonStatement{Of: m()}).Witness(ctx)
						return err
					}},
					{"mean", 1, func(ctx context.Context) error { _, err := mechanism.ExpectedDistortion(ctx, m(), nil); return err }},
					{"worst", 1, func(ctx context.Context) error { _, err := mechanism.WorstDistortion(ctx, m()); return err }},
					{"comparison", 1, func(ctx context.Context) error {
						_, err := mechanism.Compare(ctx, m(), must(mechanism.NewLaplace(context.Background(), q, decimal)))
						return err
					}},
					{"comparison from it", 2, func(ctx context.Context) error {
						_, err := mechanism.Compare(ctx, must(mechanism.NewLaplace(context.Background(), q, decimal)), m())
						return err
					}},
				} {
					t.Run(name+" "+c.what, func(t *testing.T) { looks.Each(t, c.least, c.do) })
				}
			}
		}
	}
}

// What is computed once and kept may be asked for by several at a time.
func TestAskedAtOnce(t *testing.T) {
	ctx := context.Background()
	q := pathQuery(t, 3)
	for _, c := range map[string]struct {
		m   func() mechanism.Mechanism
		ask func(m mechanism.Mechanism)
	}{
		"powers":        {func() mechanism.Mechanism { return build(t, "ladder", q, eps(t, 1)) }, func(m mechanism.Mechanism) { m.Enclose(0, 2) }},
		"logarithms":    {func() mechanism.Mechanism { return build(t, "ladder", q, eps(t, 1)) }, func(m mechanism.Mechanism) { m.EncloseLog(0, 2) }},
		"rational sums": {func() mechanism.Mechanism { return build(t, "ladder", q, ln(t, 9, 1)) }, func(m mechanism.Mechanism) { m.Rational(0, 2) }},
		"edges": {func() mechanism.Mechanism { return build(t, "ladder", q, ln(t, 9, 1)) }, func(m mechanism.Mechanism) {
			if _, err := mechanism.Privacy(m).Epsilon(ctx, 0); err != nil {
				t.Error(err)
			}
		}},
		"sums": {func() mechanism.Mechanism {
			m := build(t, "ladder", q, eps(t, 1))
			for r := range q.Range() {
				m.Enclose(1, r) // the powers are there, the sums of 0 are not
			}
			return m
		}, func(m mechanism.Mechanism) { m.Enclose(0, 0) }},
		"totals": {func() mechanism.Mechanism { return build(t, "laplace", q, eps(t, 1e4)) }, func(m mechanism.Mechanism) { m.EncloseLog(0, 2) }},
	} {
		for range 10 {
			m := c.m()
			var all sync.WaitGroup
			for range 4 {
				all.Go(func() { c.ask(m) })
			}
			all.Wait()
		}
	}
}
