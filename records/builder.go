package records

import (
	"math"
	"math/big"
	"slices"

	"dpworkbench/internal/parameter"
)

// builder builds the same query at another dataset: at other records, or at another graph.
type builder struct {
	size    int                      // number of records of the current dataset
	here    func() Dataset           // the current dataset
	domain  func(most int) []float64 // the values that a record may take; nil if there are too many or they cannot be listed
	records func(x []float64, values []float64) (*Query, error)
	graph   func(nodes int, edges [][2]int) (*Query, error)
}

// tabular returns the builder of a query of records. The listed values become the public range.
func tabular(r *Records, build func(r *Records) (*Query, error)) builder {
	neighbors := r.opts.Neighbors
	return builder{size: r.Len(), here: r.dataset, domain: r.domain, records: func(x, values []float64) (*Query, error) {
		lo, hi, grid, err := progression(values)
		if err != nil {
			return nil, err
		}
		again, err := New(x, Options{Lo: lo, Hi: hi, Grid: grid, Neighbors: neighbors})
		if err != nil {
			return nil, err
		}
		return build(again)
	}}
}

// dataset lists the records.
func (r *Records) dataset() (d Dataset) {
	for i := range r.Len() {
		d.Records = append(d.Records, float(r.at(i+1)))
	}
	return d
}

// domain lists the values that a record may take. It returns nil if there are more than most, or if one of them has no
// finite decimal.
func (r *Records) domain(most int) []float64 {
	if r.opts.Grid == nil || r.size >= int64(most) {
		return nil
	}
	out := make([]float64, r.size+1)
	for k := range out {
		v := new(big.Rat).Mul(r.opts.Grid, big.NewRat(int64(k), 1))
		if out[k] = float(v.Add(v, r.opts.Lo)); decimal(out[k]).Cmp(v) != 0 {
			return nil
		}
	}
	return out
}

// progression returns the ends and the common difference of equally spaced values.
func progression(values []float64) (lo, hi, step *big.Rat, err error) {
	if len(values) < 2 || slices.ContainsFunc(values, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
		return nil, nil, nil, badValues(values)
	}
	lo, hi = decimal(values[0]), decimal(values[len(values)-1])
	step = new(big.Rat).Sub(decimal(values[1]), lo)
	for i := 1; i < len(values); i++ {
		if d := new(big.Rat).Sub(decimal(values[i]), decimal(values[i-1])); d.Cmp(step) != 0 || d.Sign() <= 0 {
			return nil, nil, nil, badValues(values)
		}
	}
	return lo, hi, step, nil
}

func badValues(values []float64) error {
	return parameter.Errorf("values = %v, want at least two numbers that rise by equal steps", values)
}
