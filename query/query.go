package query

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
)

// Query is a finite query f: D → R (Wu et al., Section 3): a dataset metric
// space, a value per dataset, and a value metric on a range R ⊇ f(D). It is
// immutable.
type Query struct {
	name   string
	space  *Space
	value  []int32 // f(x) as an index into rng
	rng    []Value
	metric *Metric
}

// ValueMetric chooses the value metric of New: the zero value is |a − b|.
type ValueMetric struct {
	Discrete bool                   // 0 or 1
	Matrix   [][]float64            // over the range
	Closed   func(i, j int) float64 // whole distances over the range, trusted
}

// maxCells bounds datasets times values: a mechanism keeps a number for each.
const maxCells = 1 << 31

// New returns the query with values[x] at dataset x. The range defaults to the
// distinct values, ascending where they are numbers.
//
// It returns an error wrapping ErrParameter where the lengths differ, a number
// is not finite, the range repeats or misses a value, or the value metric is
// none.
func New(name string, space *Space, values, rng []Value, metric ValueMetric) (*Query, error) {
	if len(values) != space.Size() {
		return nil, fmt.Errorf("%w: values has %d entries, want %d, one per dataset", ErrParameter, len(values), space.Size())
	}
	for x, v := range values {
		if n, ok := v.(Number); ok && (math.IsNaN(float64(n)) || math.IsInf(float64(n), 0)) {
			return nil, fmt.Errorf("%w: values[%d] = %v, want a finite number", ErrParameter, x, v)
		}
	}
	if rng == nil {
		rng = distinct(values)
	}
	if len(rng) > maxCells/max(1, space.Size()) {
		return nil, fmt.Errorf("%w: %d datasets and a range of %d values make tables of %.3g cells, want at most %d", ErrParameter, space.Size(), len(rng), float64(space.Size())*float64(len(rng)), maxCells)
	}
	index := make(map[string]int32, len(rng))
	for i, v := range rng {
		if n, ok := v.(Number); ok && (math.IsNaN(float64(n)) || math.IsInf(float64(n), 0)) {
			return nil, fmt.Errorf("%w: range[%d] = %v, want a finite number", ErrParameter, i, v)
		}
		if first, ok := index[v.key()]; ok {
			return nil, fmt.Errorf("%w: range[%d] = %v repeats range[%d]", ErrParameter, i, v, first)
		}
		index[v.key()] = int32(i)
	}
	q := &Query{name: name, space: space, value: make([]int32, len(values)), rng: rng}
	for x, v := range values {
		i, ok := index[v.key()]
		if !ok {
			return nil, fmt.Errorf("%w: range misses %v, the value of dataset %d", ErrParameter, v, x)
		}
		q.value[x] = i
	}
	var err error
	switch {
	case metric.Closed != nil:
		q.metric = &Metric{unit: big.NewRat(1, 1), exact: true, steps: metric.Closed}
	case metric.Matrix != nil:
		q.metric, err = matrixMetric(metric.Matrix, len(rng))
	case metric.Discrete:
		q.metric = discreteMetric()
	default:
		q.metric, err = absMetric(rng)
	}
	if err != nil {
		return nil, err
	}
	return q, nil
}

// NewNumeric returns a query whose values are the given numbers, with the
// metric |a − b| and, unless rng is given, the attained values as range.
func NewNumeric(name string, space *Space, values, rng []float64) (*Query, error) {
	var r []Value
	if rng != nil {
		r = numbers(rng)
	}
	return New(name, space, numbers(values), r, ValueMetric{})
}

func numbers(v []float64) []Value {
	out := make([]Value, len(v))
	for i := range v {
		out[i] = Number(v[i])
	}
	return out
}

// Name returns what the query computes.
func (q *Query) Name() string { return q.name }

// Space returns the dataset metric space.
func (q *Query) Space() *Space { return q.space }

// Size returns the number of datasets.
func (q *Query) Size() int { return len(q.value) }

// Value returns f(x).
func (q *Query) Value(x int) Value { return q.rng[q.value[x]] }

// ValueIndex returns the place of f(x) in the range.
func (q *Query) ValueIndex(x int) int { return int(q.value[x]) }

// Range returns the values that a mechanism may output. The slice is the
// query's own and must not be changed.
func (q *Query) Range() []Value { return q.rng }

// Find returns the place of v in the range.
func (q *Query) Find(v Value) (int, bool) {
	k := v.key()
	for i, r := range q.rng {
		if r.key() == k {
			return i, true
		}
	}
	return 0, false
}

// Metric returns the value metric.
func (q *Query) Metric() *Metric { return q.metric }

// Ball returns the δ-neighborhood of f(x) in the range, {r : d(f(x), r) ≤ radius},
// as places, ascending (Definition 18).
func (q *Query) Ball(x int, radius float64) []int {
	limit := radius
	if q.metric.exact && !math.IsInf(radius, 1) { // compare whole steps: 0.1 + 0.2 reaches 0.3
		steps := new(big.Rat).Quo(interval.Decimal(radius), q.metric.unit)
		limit, _ = new(big.Float).SetInt(new(big.Int).Quo(steps.Num(), steps.Denom())).Float64()
	}
	var ball []int
	for r := range q.rng {
		if q.metric.Steps(q.ValueIndex(x), r) <= limit {
			ball = append(ball, r)
		}
	}
	return ball
}

// LocalSteps returns the local sensitivity at x in steps of the value metric:
// the largest d(f(x), f(x')) over neighbors x' (Definition 12).
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

// Sensitivity returns the global sensitivity Δf.
func (q *Query) Sensitivity() evidence.Number { return q.amount(q.SensitivitySteps()) }

// LocalSensitivity returns the local sensitivity at x.
func (q *Query) LocalSensitivity(x int) evidence.Number { return q.amount(q.LocalSteps(x)) }

// amount turns steps into evidence.
func (q *Query) amount(steps float64) evidence.Number {
	const source = "Wu et al., Definition 12"
	if q.metric.exact {
		v := new(big.Rat).SetFloat64(steps)
		return evidence.Exact{Value: v.Mul(v, q.metric.unit), Cases: uint64(q.space.Pairs()), Source: source}
	}
	return evidence.Enclosed(q.metric.Enclose(steps), "distances rounded once, bounds outward", source)
}

// Enclose returns an enclosure of the distance that a rounded number of steps
// stands for.
func (m *Metric) Enclose(steps float64) interval.Interval {
	d := interval.Float(steps).Mul(interval.Rat(m.unit))
	if m.exact {
		return d
	}
	return d.Mul(interval.Between(1-0x1p-52, 1+0x1p-52))
}
