package mechanism

import (
	"context"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// WithRange returns m as a mechanism for another query q on the same datasets. The laws are those of m, and
// distortions are measured from the values of q. It evaluates a mechanism for a query that approximates q (Wu et
// al., Section 5.2, the approximation problem). Values that m outputs are added to the range of q if they are
// missing; the metric of q must then be |a − b|.
//
// It returns an error wrapping evidence.ErrParameter if the datasets or their neighbors differ, or if m outputs a
// value for which the metric of q is undefined.
func WithRange(ctx context.Context, m Mechanism, q *query.Query) (*Table, error) {
	q, index, err := ExtendRange(m.Query(), q)
	if err != nil {
		return nil, err
	}
	rows := make([][]evidence.RatOrInterval, m.Classes())
	class, representative := make([]int32, q.Size()), make([]int, m.Classes()) // of each row
	source := make([]int, len(q.Range()))                                      // each value's index in m's range
	for r, at := range index {
		source[at] = r
	}
	zero := evidence.ExactRat(new(big.Rat))
	for x := range class {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		k := m.Class(x)
		if class[x] = int32(k); rows[k] != nil {
			continue
		}
		rows[k], representative[k] = slices.Repeat([]evidence.RatOrInterval{zero}, len(q.Range())), x
		for r, at := range index {
			rows[k][at] = probability(m, x, r)
		}
	}
	return newAmountTable(Info{m.Name() + " for " + q.Name(), q, m.ClaimedEpsilon()}, rows, func(row, r int) interval.Interval {
		return m.EncloseLog(representative[row], source[r])
	}, class)
}

// ExtendRange adds to q's range the missing values of own's range. It returns the extended query, and for each
// value of own its index in the extended range. It returns errors as WithRange does.
func ExtendRange(own, q *query.Query) (extended *query.Query, index []int, err error) {
	if own.Size() != q.Size() || !own.Space().SameNeighbors(q.Space()) {
		return nil, nil, parameter.Errorf("q = %s has datasets or neighbors that differ from those of %s", q.Name(), own.Name())
	}
	index = make([]int, len(own.Range()))
	missing := false
	for r, v := range own.Range() {
		at, ok := q.Find(v)
		index[r], missing = at, missing || !ok
	}
	if missing {
		if q, err = addToRange(q, own.Range()); err != nil {
			return nil, nil, err
		}
		for r, v := range own.Range() {
			index[r], _ = q.Find(v)
		}
	}
	return q, index, nil
}

// addToRange returns q with more values in its range.
func addToRange(q *query.Query, more []query.Value) (*query.Query, error) {
	if err := q.CheckMetric("answering with values beyond the range"); err != nil {
		return nil, err
	}
	all := append([]query.Value{}, q.Range()...)
	for _, v := range more {
		if _, ok := q.Find(v); !ok {
			all = append(all, v)
		}
	}
	extended, err := query.New(q.Name(), q.Space(), q.Values(), all, query.ValueMetric{})
	if err != nil {
		return nil, err
	}
	for i := range q.Range() { // check that the metric of q is |a − b|
		for j := range i {
			if q.Metric().Rational(i, j).Cmp(extended.Metric().Rational(i, j)) != 0 {
				return nil, parameter.Errorf("the mechanism may output %v, which is not in the range of %s", more[0], q.Name())
			}
		}
	}
	return extended, nil
}
