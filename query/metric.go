package query

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/internal/interval"
)

// exactLimit bounds the whole numbers that float64 sums of distances may reach
// and stay exact.
const exactLimit = 1 << 53

// Metric is the value metric d on a range, in whole steps of a rational unit
// wherever such a unit exists, so that sums of distances are exact.
type Metric struct {
	steps func(i, j int) float64
	unit  *big.Rat
	exact bool
}

// Steps returns d(range[i], range[j]) in units of Unit. It is a whole number,
// and any sum over the range is exact, where IsExact holds; elsewhere it is
// rounded once.
func (m *Metric) Steps(i, j int) float64 { return m.steps(i, j) }

// Unit returns the distance that one step stands for.
func (m *Metric) Unit() *big.Rat { return m.unit }

// IsExact reports whether distances are whole numbers of steps.
func (m *Metric) IsExact() bool { return m.exact }

// Distance returns d(range[i], range[j]).
func (m *Metric) Distance(i, j int) float64 {
	unit, _ := m.unit.Float64()
	return m.steps(i, j) * unit
}

// discreteMetric is 0 on the diagonal and 1 elsewhere.
func discreteMetric() *Metric {
	return &Metric{unit: big.NewRat(1, 1), exact: true, steps: func(i, j int) float64 {
		if i == j {
			return 0
		}
		return 1
	}}
}

// absMetric is |a − b| on numbers.
func absMetric(rng []Value) (*Metric, error) {
	numbers := make([]float64, len(rng))
	for i, v := range rng {
		n, ok := v.(Number)
		if !ok {
			return nil, fmt.Errorf("%w: value_metric = \"abs\" needs numbers, but range[%d] = %q is none; use \"discrete\" or a distance matrix", ErrParameter, i, v)
		}
		numbers[i] = float64(n)
	}
	scaled, unit, exact := wholeSteps(numbers, len(rng))
	return &Metric{unit: unit, exact: exact, steps: func(i, j int) float64 {
		return math.Abs(scaled[i] - scaled[j])
	}}, nil
}

// matrixMetric is given by a matrix over the range.
func matrixMetric(d [][]float64, size int) (*Metric, error) {
	if len(d) != size {
		return nil, fmt.Errorf("%w: value_metric has %d rows, want %d, one per value of the range", ErrParameter, len(d), size)
	}
	flat := make([]float64, 0, size*size)
	for i, row := range d {
		if len(row) != size {
			return nil, fmt.Errorf("%w: value_metric[%d] has %d entries, want %d", ErrParameter, i, len(row), size)
		}
		for j, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("%w: value_metric[%d][%d] = %g, want a finite distance", ErrParameter, i, j, v)
			}
		}
		flat = append(flat, row...)
	}
	if err := checkMetric(size, flat, "value_metric"); err != nil {
		return nil, err
	}
	scaled, unit, exact := wholeSteps(flat, size)
	return &Metric{unit: unit, exact: exact, steps: func(i, j int) float64 { return scaled[i*size+j] }}, nil
}

// wholeSteps returns numbers in multiples of a unit: whole multiples, of which
// terms differences add up exactly, where the shortest decimals allow it, and
// the numbers themselves with unit 1 elsewhere.
func wholeSteps(numbers []float64, terms int) (scaled []float64, unit *big.Rat, exact bool) {
	one := big.NewInt(1)
	denominator, gcd := big.NewInt(1), new(big.Int)
	decimals := make([]*big.Rat, len(numbers))
	for i, v := range numbers {
		decimals[i] = interval.Decimal(v)
		den := decimals[i].Denom()
		denominator.Mul(denominator, new(big.Int).Quo(den, new(big.Int).GCD(nil, nil, denominator, den)))
		if denominator.BitLen() > 200 {
			return numbers, big.NewRat(1, 1), false
		}
	}
	whole := make([]*big.Int, len(numbers))
	for i, q := range decimals {
		whole[i] = new(big.Int).Mul(q.Num(), new(big.Int).Quo(denominator, q.Denom()))
		gcd.GCD(nil, nil, gcd, new(big.Int).Abs(whole[i]))
	}
	if gcd.Sign() == 0 {
		gcd = one
	}
	scaled = make([]float64, len(numbers))
	for i, w := range whole {
		scaled[i], _ = new(big.Float).SetInt(w.Quo(w, gcd)).Float64()
		if 2*math.Abs(scaled[i])*float64(terms) > exactLimit {
			return numbers, big.NewRat(1, 1), false
		}
	}
	return scaled, new(big.Rat).SetFrac(gcd, denominator), true
}
