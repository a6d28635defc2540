package mechanism_test

import (
	"context"
	"errors"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
	"dpworkbench/query"
)

func TestExpectedLoss(t *testing.T) {
	q, m := halves(t)
	squared := func(x, r int) (*big.Rat, error) { return query.SquaredError(q, q.ValueIndex(x), r) }
	e := must.For(mechanism.ExpectedLoss(m, 0, squared))(t)
	if got := e.(evidence.Exact).Value; got.Cmp(big.NewRat(26, 4)) != 0 { // 1/4 + 25/4
		t.Errorf("E(r − f)² = %v, want 13/2", got)
	}
	mean := must.For(mechanism.MeanLoss(context.Background(), m, squared, []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 2), new(big.Rat)}))(t)
	if got := mean.(evidence.Exact).Value; got.Cmp(big.NewRat(73, 12)) != 0 { // (13/2 + 17/3)/2
		t.Errorf("the mean is %v, want 73/12", got)
	}
	missing := errors.New("none")
	if _, err := mechanism.ExpectedLoss(m, 0, func(x, r int) (*big.Rat, error) { return nil, missing }); !errors.Is(err, missing) {
		t.Errorf("an error of the loss: %v", err)
	}
	if _, err := mechanism.ExpectedLoss(m, 0, func(x, r int) (*big.Rat, error) { return nil, nil }); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a missing loss: %v", err)
	}
}

// Mechanisms that need a metric reject a query that has only a loss.
func TestLossErrors(t *testing.T) {
	ctx := context.Background()
	q, _ := halves(t)
	one := big.NewRat(1, 1)
	lossy := must.For(q.WithLoss("lossy", [][]*big.Rat{{one, one, one}, {one, one, one}, {one, one, one}}))(t)
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	if _, err := mechanism.NewExponential(ctx, lossy, eps); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("exponential: %v", err)
	}
	if _, err := mechanism.NewLadder(ctx, lossy, eps); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("ladder: %v", err)
	}
	if _, err := mechanism.NewInverseSensitivity(ctx, lossy, eps, one); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("inverse sensitivity: %v", err)
	}
	laplace := must.For(mechanism.NewLaplace(ctx, lossy, eps))(t) // noise on numbers needs no metric
	if got := mechanism.Distortion(laplace, 1).Float(); got < 1-1e-12 || got > 1+1e-12 {
		t.Errorf("the constant loss 1 has expectation %g", got)
	}
}
