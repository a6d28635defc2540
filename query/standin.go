package query

// Surrogate returns a query of the same datasets with other values, numbers under |a − b|:
// one that is to be answered in place of q, and against which errors may be measured.
func (q *Query) Surrogate(name string, values []Value) (*Query, error) {
	s, err := New(name, q.space, values, nil, ValueMetric{})
	if err == nil {
		s.original = q
	}
	return s, err
}

// Original returns the query in whose place this one is answered, nil where there is none.
func (q *Query) Original() *Query { return q.original }
