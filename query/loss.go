package query

import (
	"math/big"

	"dpworkbench/internal/parameter"
)

// WithLoss returns the query with a loss instead of its value metric: loss[i][j] ≥ 0 is the cost of the output range[j]
// if the true value is range[i]. A loss need not be a metric: it may be a squared error, for example, or asymmetric.
// Distortions and optima are then expected losses. Mechanisms that need a metric reject the query
// ([Query.CheckMetric]).
//
// It returns an error wrapping evidence.ErrParameter unless the matrix has one row and one column per value of the
// range, and nonnegative entries.
func (q *Query) WithLoss(name string, loss [][]*big.Rat) (*Query, error) {
	size := len(q.rng)
	flat, err := flatten(loss, size, "loss", "one per value of the range")
	if err != nil {
		return nil, err
	}
	for k, v := range flat {
		if v == nil || v.Sign() < 0 {
			return nil, parameter.Errorf("loss[%d][%d] is %s, want a number of at least 0", k/size, k%size, lossText(v))
		}
	}
	out := *q
	out.name, out.hasLoss = name, true
	if out.metric, err = tableMetric(flat, size, "loss"); err != nil {
		return nil, err
	}
	return &out, nil
}

func lossText(v *big.Rat) string {
	if v == nil {
		return "infinite or missing"
	}
	return formatRational(v)
}

// CheckMetric returns an error wrapping evidence.ErrParameter if the query has a loss instead of a value metric. The
// error begins with what, the caller that needs a metric.
func (q *Query) CheckMetric(what string) error {
	if q.hasLoss {
		return parameter.Errorf("%s needs a value metric, but %s has a loss: use a mechanism that needs no distances, such as purest or optimal", what, q.name)
	}
	return nil
}

// SquaredError returns (range[i] − range[j])². It returns an error wrapping evidence.ErrParameter unless both values
// are numbers. It panics if an index is out of range.
func SquaredError(q *Query, i, j int) (*big.Rat, error) {
	a, okA := RationalOf(q.rng[i])
	b, okB := RationalOf(q.rng[j])
	if !okA || !okB {
		return nil, parameter.Errorf(`loss = "squared" needs numbers, but the range has %v and %v`, q.rng[i], q.rng[j])
	}
	d := a.Sub(a, b)
	return d.Mul(d, d), nil
}
