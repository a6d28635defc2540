package query

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Query is a finite query f: D → R (Wu et al., Section 3): a dataset metric space, a value for each dataset, and a
// value metric on a range R ⊇ f(D). It is immutable. An index out of range panics.
type Query struct {
	name   string
	space  *Space
	value  []int32 // f(x) as an index into rng
	rng    []Value
	find   func(Value) (int, bool) // the index of a value in rng
	metric *Metric

	graphs   *Graphs // the graphs whose subgraphs the query counts; nil for other queries
	pattern  string
	original *Query   // the query that this one replaces; nil for most
	parts    []*Query // the factors of a product; nil for most
	hasLoss  bool     // metric holds a loss, which need not be a metric
}

// ValueMetric selects the value metric of New. The zero value is |a − b|.
type ValueMetric struct {
	Discrete bool         // 0 or 1
	Matrix   [][]float64  // over the range; float64s stand for their shortest decimals
	Rational [][]*big.Rat // over the range

	proven bool // Rational is known to be a metric
}

// maxCells bounds datasets times values, the size of a mechanism's table.
const maxCells = 1 << 31

// New returns the query with value values[x] at dataset x. A nil range means the distinct values, ascending if all
// are numbers.
//
// It returns an error wrapping evidence.ErrParameter if the lengths differ, a number is not finite, the range has
// a duplicate or misses a value, or the value metric is not a metric.
func New(name string, space *Space, values, rng []Value, metric ValueMetric) (*Query, error) {
	if len(values) != space.Size() {
		return nil, parameter.Errorf("values has %d entries, want %d, one per dataset", len(values), space.Size())
	}
	for x, v := range values {
		if err := checkValue(v, "values", x); err != nil {
			return nil, err
		}
	}
	if rng == nil {
		rng = distinctValues(values)
	}
	if err := checkCells(space.Size(), len(rng)); err != nil {
		return nil, err
	}
	index := make(map[string]int32, len(rng))
	for i, v := range rng {
		if err := checkValue(v, "range", i); err != nil {
			return nil, err
		}
		if first, ok := index[v.key()]; ok {
			return nil, parameter.Errorf("range[%d] = %v repeats range[%d]", i, v, first)
		}
		index[v.key()] = int32(i)
	}
	q := &Query{name: name, space: space, value: make([]int32, len(values)), rng: rng}
	for x, v := range values {
		i, ok := index[v.key()]
		if !ok {
			return nil, parameter.Errorf("range lacks %v, the value of dataset %v", v, space.Dataset(x))
		}
		q.value[x] = i
	}
	q.find = func(v Value) (int, bool) {
		i, ok := index[v.key()]
		return int(i), ok
	}
	if err := q.setMetric(metric); err != nil {
		return nil, err
	}
	return q, nil
}

// newCountQuery returns a query with counts as values, the metric |a − b|, and the attained counts as its range.
// It is NewNumeric without a Value for each dataset.
func newCountQuery(name string, space *Space, counts []int) (*Query, error) {
	place := make([]int32, slices.Max(counts)+1)
	for _, c := range counts {
		place[c] = 1
	}
	q := &Query{name: name, space: space, value: make([]int32, len(counts))}
	for c, attained := range place {
		if attained > 0 {
			place[c] = int32(len(q.rng))
			q.rng = append(q.rng, Number(c))
		} else {
			place[c] = -1
		}
	}
	if err := checkCells(space.Size(), len(q.rng)); err != nil {
		return nil, err
	}
	for x, c := range counts {
		q.value[x] = place[c]
	}
	index := make(map[string]int, len(q.rng))
	for i, v := range q.rng {
		index[v.key()] = i
	}
	q.find = func(v Value) (int, bool) {
		i, ok := index[v.key()]
		return i, ok
	}
	if err := q.setMetric(ValueMetric{}); err != nil {
		return nil, err
	}
	return q, nil
}

// setMetric sets the metric on the range.
func (q *Query) setMetric(metric ValueMetric) (err error) {
	switch {
	case metric.Rational != nil:
		q.metric, err = matrixMetric(metric.Rational, len(q.rng), metric.proven)
	case metric.Matrix != nil:
		var matrix [][]*big.Rat
		if matrix, err = decimals(metric.Matrix, "value_metric", "finite"); err == nil {
			q.metric, err = matrixMetric(matrix, len(q.rng), false)
		}
	case metric.Discrete:
		q.metric = discreteMetric()
	default:
		q.metric, err = absMetric(q.rng)
	}
	if err == nil {
		q.metric.absolute = metric.Rational == nil && metric.Matrix == nil && !metric.Discrete
	}
	return err
}

func checkCells(datasets, values int) error {
	if cells := float64(datasets) * float64(values); cells > maxCells {
		return parameter.Errorf("tables of %d datasets and %d values have %.3g cells, want at most %d", datasets, values, cells, maxCells)
	}
	return nil
}

// checkValue returns an error wrapping evidence.ErrParameter unless v is a value, and finite if it is a number.
func checkValue(v Value, name string, i int) error {
	switch v := v.(type) {
	case nil:
		return parameter.Errorf("%s[%d] is missing, want a value", name, i)
	case Number:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return parameter.Errorf("%s[%d] = %v, want a finite number", name, i, v)
		}
	case Fraction:
		if v.q == nil {
			return parameter.Errorf("%s[%d] is missing, want a number", name, i)
		}
	case Tuple:
		for k, p := range v {
			if err := checkValue(p, fmt.Sprintf("%s[%d]", name, i), k); err != nil {
				return err
			}
		}
	}
	return nil
}

// NewNumeric returns a query with numbers as values and the metric |a − b|. A nil range means the attained values.
// It returns errors as New does.
func NewNumeric(name string, space *Space, values, rng []float64) (*Query, error) {
	var r []Value
	if rng != nil {
		r = numbers(rng)
	}
	return New(name, space, numbers(values), r, ValueMetric{})
}

func numbers(v []float64) []Value {
	return lists.Of(len(v), func(i int) Value { return Number(v[i]) })
}

// Name returns a description of the query.
func (q *Query) Name() string { return q.name }

// Space returns the dataset metric space.
func (q *Query) Space() *Space { return q.space }

// Size returns the number of datasets.
func (q *Query) Size() int { return len(q.value) }

// Value returns f(x).
func (q *Query) Value(x int) Value { return q.rng[q.value[x]] }

// Values returns f(x) for every dataset x.
func (q *Query) Values() []Value {
	return lists.Of(len(q.value), func(x int) Value { return q.Value(x) })
}

// ValueIndex returns the index of f(x) in the range.
func (q *Query) ValueIndex(x int) int { return int(q.value[x]) }

// Range returns the values that a mechanism may output. The caller must not change the slice.
func (q *Query) Range() []Value { return q.rng }

// Find returns the index of v in the range, and false if it is not in the range.
func (q *Query) Find(v Value) (int, bool) { return q.find(v) }

// SharesOutputs reports whether two queries have datasets with the same neighbors, and the same range in the same
// order.
func (q *Query) SharesOutputs(o *Query) bool {
	if q == o {
		return true
	}
	for r, v := range q.rng {
		if i, ok := o.Find(v); !ok || i != r {
			return false
		}
	}
	return len(q.rng) == len(o.rng) && q.space.SameNeighbors(o.space)
}

// Metric returns the value metric.
func (q *Query) Metric() *Metric { return q.metric }

// Ball returns the δ-neighborhood of f(x) in the range, {r : d(f(x), r) ≤ radius}, as ascending indices
// (Definition 18). The radius stands for its shortest decimal.
func (q *Query) Ball(x int, radius float64) []int {
	switch {
	case math.IsInf(radius, 1):
		return q.RationalBall(x, nil)
	case !(radius >= 0):
		return nil
	}
	return q.RationalBall(x, interval.Decimal(radius))
}

// RationalBall is Ball for a rational radius; nil is infinite. It compares without rounding: a radius of 0.1 + 0.2
// includes 0.3.
func (q *Query) RationalBall(x int, radius *big.Rat) []int {
	inside := func(int, int) bool { return true }
	if radius != nil {
		steps := new(big.Rat).Quo(radius, q.metric.unit)
		if q.metric.exact {
			limit, _ := new(big.Float).SetInt(interval.RationalFloor(steps)).Float64()
			inside = func(i, j int) bool { return q.metric.Steps(i, j) <= limit }
		} else {
			near, _ := steps.Float64()
			inside = func(i, j int) bool {
				d := q.metric.Steps(i, j)
				if d < near*(1-0x1p-50) || d > near*(1+0x1p-50) { // Steps has a relative error of 2⁻⁵², and near one of 2⁻⁵³
					return d < near
				}
				return q.metric.Rational(i, j).Cmp(radius) <= 0
			}
		}
	}
	var ball []int
	for r := range q.rng {
		if inside(q.ValueIndex(x), r) {
			ball = append(ball, r)
		}
	}
	return ball
}

// LocalSteps returns the local sensitivity at x in steps of the value metric: the largest d(f(x), f(x')) over
// neighbors x' (Definition 12).
func (q *Query) LocalSteps(x int) float64 {
	s := 0.0
	for _, y := range q.space.Neighbors(x) {
		s = max(s, q.metric.Steps(int(q.value[x]), int(q.value[y])))
	}
	return s
}

// SensitivitySteps returns the global sensitivity in steps of the value metric.
func (q *Query) SensitivitySteps() float64 {
	s := 0.0
	for x := range q.value {
		s = max(s, q.LocalSteps(x))
	}
	return s
}

// Sensitivity returns the global sensitivity Δf, exactly.
func (q *Query) Sensitivity() evidence.Number { return q.exactSensitivity(q.RationalSensitivity()) }

// LocalSensitivity returns the local sensitivity at x, exactly.
func (q *Query) LocalSensitivity(x int) evidence.Number {
	return q.exactSensitivity(q.maxNeighborDistance(q.LocalSteps(x), x, x+1))
}

func (q *Query) exactSensitivity(v *big.Rat) evidence.Number {
	return evidence.Exact{Value: v, Side: evidence.Up, Cases: uint64(q.space.Pairs()), Provenance: evidence.From("Wu et al., Definition 12")}
}

// RationalSensitivity returns the global sensitivity Δf as a rational.
func (q *Query) RationalSensitivity() *big.Rat {
	return q.maxNeighborDistance(q.SensitivitySteps(), 0, q.Size())
}

// maxNeighborDistance returns the largest distance between the values of neighbors, one of which is among the datasets
// from … to−1. steps is the largest result of Steps for these pairs.
func (q *Query) maxNeighborDistance(steps float64, from, to int) *big.Rat {
	best := new(big.Rat)
	if q.metric.exact {
		best.SetFloat64(steps)
		best.Mul(best, q.metric.unit)
	} else {
		seen := make(map[[2]int32]bool)
		for x := from; x < to; x++ {
			for _, y := range q.space.Neighbors(x) {
				pair := [2]int32{min(q.value[x], q.value[y]), max(q.value[x], q.value[y])}
				if q.metric.Steps(int(pair[0]), int(pair[1])) < steps*(1-0x1p-50) || seen[pair] { // relative errors of 2⁻⁵²
					continue
				}
				seen[pair] = true
				if d := q.metric.Rational(int(pair[0]), int(pair[1])); d.Cmp(best) > 0 {
					best = d
				}
			}
		}
	}
	return best
}

// Surrogate returns a query on the same datasets whose values are other numbers, with the metric |a − b|. A mechanism
// may answer it in place of q, with errors measured from the values of q. It returns errors as New does.
func (q *Query) Surrogate(name string, values []Value) (*Query, error) {
	s, err := New(name, q.space, values, nil, ValueMetric{})
	if err == nil {
		s.original = q
	}
	return s, err
}

// Original returns the query that this one replaces, or nil.
func (q *Query) Original() *Query { return q.original }
