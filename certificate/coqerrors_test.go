package certificate_test

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/optimize"
)

// TestCoqErrors asks for what no file can state.
func TestCoqErrors(t *testing.T) {
	ctx := context.Background()
	stopped, stop := context.WithCancel(ctx)
	stop()
	four := triangles(t, 4)
	purest := must.Be(layers.NewPurest(ctx, four, ln(t, "2")))
	one := must.Be(evidence.NewEpsilon("eps", 1))
	many := chain(t, make([]float64, 9000), nil)
	of := func(n evidence.Number, err error) error {
		if err != nil {
			t.Fatal(err)
		}
		_, err = certificate.Coq(ctx, n)
		return err
	}
	optimal := func(eps evidence.Epsilon, o optimize.Options) evidence.Number {
		m := must.For(optimize.NewOptimal(ctx, four, eps, o))(t)
		return m.Optimum()
	}
	claim := func(m mechanism.Mechanism, eps evidence.Epsilon) error {
		_, _, err := certificate.CoqClaim(ctx, m, eps, evidence.Delta{})
		return err
	}
	for _, c := range []struct {
		err  error
		says string
	}{
		{of(evidence.FromFloat(1), nil), "claimed"},
		{of(purest.ClaimedEpsilon(), nil), "claimed"},
		{of(evidence.Exact{Value: big.NewRat(1, 2), Provenance: evidence.From("nowhere")}, nil), "its method has none"},
		{of(mechanism.Privacy(must.Be(layers.NewPurest(ctx, four, one))).Epsilon(ctx, evidence.Delta{})), "not known to be rational"},
		{of(mechanism.Privacy(purest).Delta(ctx, one)), "want the logarithm of a rational number"},
		{of(optimal(one, optimize.Options{}), nil), "not known as a rational number"},
		{of(optimal(ln(t, "2"), optimize.Options{Rational: optimize.Never}), nil), "not known as a rational number"},
		{of(optimal(ln(t, "4"), optimize.Options{Objective: optimize.Pareto, Than: purest}), nil), `"pareto", want "mean" or "worst"`},
		{of(mechanism.Distortion(must.Be(layers.NewPurest(ctx, many, ln(t, "2"))), 0), nil), "want at most 16384"},
		{claim(purest, one), "want the logarithm of a rational number"},
		{claim(must.Be(layers.NewPurest(ctx, four, one)), ln(t, "2")), "not known to be rational"},
	} {
		if !errors.Is(c.err, evidence.ErrParameter) || !strings.Contains(c.err.Error(), c.says) {
			t.Errorf("%v, want an error that says %q", c.err, c.says)
		}
	}
	if err := new(certificate.CoqFile).Write(new(bytes.Buffer)); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a file of nothing: %v", err)
	}
	n := must.For(mechanism.Privacy(purest).Epsilon(ctx, evidence.Delta{}))(t)
	if _, err := certificate.Coq(stopped, n); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want the context's error", err)
	}
	for _, c := range []struct {
		eps   evidence.Epsilon
		delta *big.Rat
		want  evidence.Verdict
	}{
		{ln(t, "5/2"), nil, evidence.Confirmed},
		{ln(t, "249/100"), nil, evidence.Refuted},
		{evidence.Epsilon{}, nil, evidence.Refuted},
		{evidence.Epsilon{}, big.NewRat(2, 3), evidence.Confirmed},
	} {
		if _, verdict, err := certificate.CoqClaim(ctx, purest, c.eps, evidencetest.RationalDelta(c.delta)); verdict != c.want || err != nil {
			t.Errorf("(%v, %v): %s, %v, want %s", c.eps, c.delta, verdict, err, c.want)
		}
	}
}
