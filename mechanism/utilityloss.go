package mechanism

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
)

// UtilityLoss is the cost of the output range[r] at dataset x, such as a squared error or an excess risk. It need
// not be a metric.
type UtilityLoss func(x, r int) (*big.Rat, error)

// ExpectedLoss returns the expected utility loss at dataset x. It is exact if the probabilities are rational, and
// certified otherwise. It returns errors of loss, and panics unless x is a dataset of m's query.
func ExpectedLoss(m Mechanism, x int, loss UtilityLoss) (evidence.Number, error) {
	a, err := expectedLoss(m, x, loss)
	if err != nil {
		return nil, err
	}
	return a.Number("256-bit intervals", "Wu et al., (4), with a loss in place of the metric"), nil
}

func expectedLoss(m Mechanism, x int, loss UtilityLoss) (evidence.RatOrInterval, error) {
	sum := evidence.ExactRat(new(big.Rat))
	for r := range m.Query().Range() {
		p := probability(m, x, r)
		if p.Rational != nil {
			if p.Rational.Sign() == 0 {
				continue
			}
			p = evidence.ExactRat(p.Rational)
		}
		l, err := loss(x, r)
		switch {
		case err != nil:
			return evidence.RatOrInterval{}, err
		case l == nil:
			return evidence.RatOrInterval{}, parameter.Errorf("the loss of %v at dataset %v is missing, want a number", m.Query().Range()[r], m.Query().Space().Dataset(x))
		}
		sum = sum.Add(p.Mul(evidence.ExactRat(l)))
	}
	return sum, nil
}

// MeanLoss returns the mean of the expected utility loss over the prior; nil is uniform. It returns errors as
// PriorWeights does, errors of loss, and the context's error.
func MeanLoss(ctx context.Context, m Mechanism, loss UtilityLoss, prior []*big.Rat) (evidence.Number, error) {
	weights, err := PriorWeights(m.Query().Size(), prior)
	if err != nil {
		return nil, err
	}
	sum := evidence.ExactRat(new(big.Rat))
	for x, w := range weights {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if w.Sign() == 0 {
			continue
		}
		a, err := expectedLoss(m, x, loss)
		if err != nil {
			return nil, err
		}
		sum = sum.Add(a.Mul(evidence.ExactRat(w)))
	}
	return sum.Number("256-bit intervals", "Wu et al., (5), with a loss in place of the metric"), nil
}
