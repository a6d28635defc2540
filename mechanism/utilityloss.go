package mechanism

import (
	"context"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
)

// UtilityLoss is what it costs to answer the r-th value of the range at dataset x, any number: a
// squared error, an excess risk. It need be no metric.
type UtilityLoss func(x, r int) (*big.Rat, error)

// ExpectedLoss returns the loss expected at dataset x: exact where the probabilities are
// rational, certified elsewhere. Errors are those of loss. It panics where m's query has no dataset x, as an
// index does.
func ExpectedLoss(m Mechanism, x int, loss UtilityLoss) (evidence.Number, error) {
	a, err := expectedLoss(m, x, loss)
	if err != nil {
		return nil, err
	}
	return a.Number("256-bit intervals", "Wu et al., (4), with a loss in place of the metric"), nil
}

func expectedLoss(m Mechanism, x int, loss UtilityLoss) (evidence.Amount, error) {
	sum := evidence.RationalAmount(new(big.Rat))
	for r := range m.Query().Range() {
		p, rational := m.Rational(x, r)
		if rational && p.Sign() == 0 {
			continue
		}
		l, err := loss(x, r)
		switch {
		case err != nil:
			return evidence.Amount{}, err
		case l == nil:
			return evidence.Amount{}, parameter.Errorf("the loss of %v at dataset %v is missing, want a number", m.Query().Range()[r], m.Query().Space().Dataset(x))
		}
		weight := evidence.Amount{Enclosure: m.Enclose(x, r)}
		if rational {
			weight = evidence.RationalAmount(p)
		}
		sum = sum.Add(weight.Mul(evidence.RationalAmount(l)))
	}
	return sum, nil
}

// MeanLoss returns the expected loss averaged over the datasets, uniformly where prior is
// nil. Errors as PriorWeights, those of loss, and ctx's where it ends first.
func MeanLoss(ctx context.Context, m Mechanism, loss UtilityLoss, prior []*big.Rat) (evidence.Number, error) {
	weights, err := PriorWeights(m.Query().Size(), prior)
	if err != nil {
		return nil, err
	}
	sum := evidence.RationalAmount(new(big.Rat))
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
		sum = sum.Add(a.Mul(evidence.RationalAmount(w)))
	}
	return sum.Number("256-bit intervals", "Wu et al., (5), with a loss in place of the metric"), nil
}
