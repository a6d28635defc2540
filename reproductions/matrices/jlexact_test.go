package matrices_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/mvg"
	"dpworkbench/query"
	"dpworkbench/reproductions/matrices"

	"gonum.org/v1/gonum/mat"
)

// The largest η with bound δ is above ε, also if δ is near 1. The bound exceeds δ just above η.
func TestRangedParameter(t *testing.T) {
	for _, c := range [][2]float64{{0.5, 1e-3}, {0.5, 0.25}, {3, 1e-9}, {0.01, 0.9}, {0.25, 0.999999}, {20, 0.5}} {
		p := must.For(matrices.ExactPPCA(evidencetest.Epsilon(c[0]), evidencetest.Delta(c[1]), 1, false))(t)
		if !isLargestRange(c[0], c[1], p.Parameter.Value()) {
			t.Errorf("ε = %v, δ = %v: η = %v", c[0], c[1], p.Parameter)
		}
	}
}

// isLargestRange reports whether η is the largest range with bound δ at ε.
func isLargestRange(eps, delta, eta float64) bool {
	bound := func(v float64) float64 { // (1 − e^{(ε−η)/2})²/(1 − e^{−η})
		root := math.Expm1((eps - v) / 2)
		return root * root / -math.Expm1(-v)
	}
	return eta > eps && bound(eta) <= delta*(1+1e-13) && bound(eta*(1+1e-9)+1e-12) > delta
}

// The δ of a loss range agrees with the formula to 30 digits, rounded up by one ulp. It is 0 if ε ≥ η.
func TestRangedDeltaRoundsUp(t *testing.T) {
	for _, c := range []struct {
		eta, eps float64
		want     string
	}{
		{1, 0.5, "0.0774046863156908115019785380841"},
		{3, 0.25, "0.587498497456077698223840777549"},
		{0.25, 0.125, "0.0165948912867480297244617331689"},
	} {
		curve := must.For(matrices.NewPPCA(evidencetest.Epsilon(c.eta), 1, false))(t).Privacy()
		d := must.For(curve.Delta(t.Context(), evidencetest.Epsilon(c.eps)))(t).(evidence.Certified)
		if d.Lo != 0 || d.Side != evidence.Up || d.Method != "upper bound by the range of the loss" || d.Source != "Dong, Durfee and Rogers 2020: mechanisms of bounded range" {
			t.Errorf("η = %v, ε = %v: %+v", c.eta, c.eps, d)
		}
		matrices.CheckDecimal(t, "the bound", math.Nextafter(d.Hi, 0), d.Hi, c.want, 1)
	}
	for _, eps := range []float64{1, 1.5} {
		if lo, hi := must.Be(must.Be(matrices.NewPPCA(evidencetest.Epsilon(1), 1, false)).Privacy().Delta(t.Context(), evidencetest.Epsilon(eps))).Bounds(); lo != 0 || hi != 0 {
			t.Errorf("η = 1 at ε = %v: [%v, %v]", eps, lo, hi)
		}
	}
}

// The constructors and profiles of every (ε, δ)-mechanism stop at each poll of their context, and return no result with
// the error.
func TestExactMechanismsStop(t *testing.T) {
	eps := evidencetest.Epsilon(1)
	gram := must.For(mvg.NewGram(2, 1, query.Replace, 1))(t)
	ctxtest.EachPoll(t, 2, func(ctx context.Context) error {
		l, err := matrices.TightLaplace(ctx, gram, eps, evidencetest.Delta(0.125))
		if err != nil && l != nil {
			t.Error("a mechanism is returned with an error")
		}
		return err
	})
	laplace := must.For(matrices.NewLaplace(box(t, 2, 1, 2), 3))(t)
	tall := must.For(matrices.NewLaplace(box(t, 2, slices.Repeat([]float64{1, 2}, 30)...), 100))(t) // more elements than the closed form accepts
	for what, do := range map[string]func(ctx context.Context) error{
		"a box": func(ctx context.Context) error {
			return second(matrices.TightLaplace(ctx, box(t, 2, 1, 2), eps, evidencetest.Delta(0.125)))
		},
		"δ of a box": func(ctx context.Context) error { return second(tall.Privacy().Delta(ctx, eps)) },
		"ε of a box": func(ctx context.Context) error {
			return second(laplace.Privacy().Epsilon(ctx, evidencetest.Delta(0.125)))
		},
		"a raised spectrum": func(ctx context.Context) error {
			return second(matrices.ExactJL(ctx, matrices.Raised, 2, 1, eps, evidencetest.Delta(0.25)))
		},
		"a threshold": func(ctx context.Context) error {
			return second(matrices.ExactJL(ctx, matrices.Threshold, 2, 1, eps, evidencetest.Delta(0.25)))
		},
		"ε of a spectrum": func(ctx context.Context) error {
			return second(matrices.JL{Form: matrices.Raised, Rows: 1, Width: 4, Move: 1}.Privacy().Epsilon(ctx, evidencetest.Delta(0.25)))
		},
	} {
		for _, n := range []int{0, 1, 2, 3, 5, 8} {
			if err := do(ctxtest.CancelAfter(t.Context(), n)); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, cancelled after %d polls: %v", what, n, err)
			}
		}
	}
	ctxtest.EachPoll(t, 3, func(ctx context.Context) error {
		j, err := matrices.ExactJL(ctx, matrices.Raised, 1, 1, eps, evidencetest.Delta(0.25))
		if err != nil && j != (matrices.JL{}) {
			t.Errorf("%v is returned with an error", j)
		}
		return err
	})
	law := bingham(t, 100, 0)
	p := must.For(matrices.NewPPCA(evidencetest.Epsilon(4), 1, false))(t)
	x := mat.NewDense(2, 60, nil)
	for k := range 60 {
		x.Set(0, k, 1)
	}
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { _, err := law.LogConstant(ctx); return err })
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { _, err := law.Moment(ctx); return err })
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { _, err := law.Acceptance(ctx); return err })
	ctxtest.EachPoll(t, 2, func(ctx context.Context) error { _, err := p.Witness(ctx, 2, 60); return err })
	ctxtest.EachPoll(t, 1, func(ctx context.Context) error { _, err := p.Captured(ctx, x); return err })
	n := must.For(matrices.NewNet([]float64{1}, 2, 3, matrices.Max, eps))(t)
	ctxtest.EachPoll(t, 2, func(ctx context.Context) error { _, err := n.Mechanism(ctx); return err })
}
