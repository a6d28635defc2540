package query

import (
	"context"
	"math"
	"math/big"
	"slices"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// maxExactInteger bounds the integers for which float64 sums of distances are exact.
const maxExactInteger = 1 << 53

// Metric is the value metric d on a range. Distances are integer steps of a rational unit if such a unit exists,
// so that their sums are exact. An index out of range panics.
type Metric struct {
	steps    func(i, j int) float64
	rational func(i, j int) *big.Rat
	unit     *big.Rat
	num, den float64 // of unit, if both are float64s; 0 otherwise
	exact    bool
	absolute bool
}

// IsAbsolute reports whether the metric is |a − b| on numbers. Values outside the range then have a distance.
func (m *Metric) IsAbsolute() bool { return m.absolute }

// Steps returns d(range[i], range[j]) in units of Unit. If IsExact, it is an integer and sums over the range are
// exact. Otherwise its relative error is at most 2⁻⁵².
func (m *Metric) Steps(i, j int) float64 { return m.steps(i, j) }

// Unit returns the distance of one step.
func (m *Metric) Unit() *big.Rat { return m.unit }

// IsExact reports whether distances are integer numbers of steps.
func (m *Metric) IsExact() bool { return m.exact }

// Rational returns d(range[i], range[j]) without rounding.
func (m *Metric) Rational(i, j int) *big.Rat {
	if m.exact {
		v := new(big.Rat).SetFloat64(m.steps(i, j))
		return v.Mul(v, m.unit)
	}
	return m.rational(i, j)
}

// Distance returns the float64 nearest to d(range[i], range[j]).
func (m *Metric) Distance(i, j int) float64 {
	if m.exact && m.num > 0 {
		if whole := m.steps(i, j) * m.num; whole <= maxExactInteger {
			return whole / m.den // one rounding
		}
	}
	v, _ := m.Rational(i, j).Float64()
	return v
}

// integerMetric returns the metric with integer steps of a unit.
func integerMetric(steps func(i, j int) float64, unit *big.Rat) *Metric {
	m := &Metric{steps: steps, unit: unit, exact: true}
	num, okNum := new(big.Float).SetInt(unit.Num()).Float64()
	den, okDen := new(big.Float).SetInt(unit.Denom()).Float64()
	if okNum == big.Exact && okDen == big.Exact {
		m.num, m.den = num, den
	}
	return m
}

// Enclose returns an enclosure of the distance of a number of steps.
func (m *Metric) Enclose(steps float64) interval.Interval {
	d := interval.Float(steps).Mul(interval.Rat(m.unit))
	if m.exact {
		return d
	}
	return d.Mul(interval.Between(1-0x1p-52, 1+0x1p-52))
}

// discreteMetric returns the metric that is 0 on the diagonal and 1 otherwise.
func discreteMetric() *Metric {
	return integerMetric(func(i, j int) float64 {
		if i == j {
			return 0
		}
		return 1
	}, big.NewRat(1, 1))
}

// absMetric returns the metric |a − b| on a range of numbers.
func absMetric(rng []Value) (*Metric, error) {
	numbers := make([]*big.Rat, len(rng))
	least, largest := 0, 0
	for i, v := range rng {
		q, ok := RationalOf(v)
		if !ok {
			return nil, parameter.Errorf(`value_metric = "abs" needs numbers, but range[%d] = %q; use "discrete" or a distance matrix`, i, v)
		}
		numbers[i] = q
		if q.Cmp(numbers[least]) < 0 {
			least = i
		}
		if q.Cmp(numbers[largest]) > 0 {
			largest = i
		}
	}
	if len(numbers) == 0 {
		return discreteMetric(), nil
	}
	scaled, unit, exact := integerSteps(numbers, len(rng))
	base := new(big.Rat).Set(numbers[least])
	for _, q := range numbers {
		q.Sub(q, base)
	}
	if err := checkDifferences(numbers, numbers[largest]); err != nil {
		return nil, err
	}
	if !exact { // the differences may have a unit if the numbers have none: 2⁵³ and 2⁵³ + 1 are one step apart
		scaled, unit, exact = integerSteps(numbers, len(rng))
	}
	if exact {
		return integerMetric(func(i, j int) float64 { return math.Abs(scaled[i] - scaled[j]) }, unit), nil
	}
	unit, err := roundedUnit(numbers, numbers[largest], "range")
	if err != nil {
		return nil, err
	}
	return &Metric{unit: unit, rational: func(i, j int) *big.Rat {
		d := new(big.Rat).Sub(numbers[i], numbers[j])
		return d.Abs(d)
	}, steps: roundedDifferences(numbers, unit)}, nil
}

// roundedDifferences returns the function |numbers[i] − numbers[j]|/unit, with a relative error of at most 2⁻⁵². The
// numbers must be at least 0 and less than 2 units.
//
// In units, a number is h + l + e, where h is the nearest float64, l is the float64 nearest to the remainder, and |e| ≤
// 2⁻¹⁰⁶·2. The difference of two h is s + t with |t| ≤ ulp(s)/2 (Knuth's two-sum). The rounded difference of the two l,
// at most 2⁻⁵², is added to t. The errors up to here are below 2⁻¹⁰⁴ + 2⁻¹⁰³. If the result is above 2⁻⁴⁰, that is a
// relative error of 2⁻⁶², and the last rounding adds 2⁻⁵³. Otherwise the difference is computed without rounding.
func roundedDifferences(numbers []*big.Rat, unit *big.Rat) func(i, j int) float64 {
	high, low := make([]float64, len(numbers)), make([]float64, len(numbers))
	left, inverse := new(big.Rat), new(big.Rat).Inv(unit)
	for i, q := range numbers {
		left.Mul(q, inverse)
		high[i], _ = left.Float64()
		low[i], _ = left.Sub(left, new(big.Rat).SetFloat64(high[i])).Float64()
	}
	return func(i, j int) float64 {
		s, t := interval.TwoSum(high[i], -high[j])
		if d := math.Abs(s + (t + (low[i] - low[j]))); d > 0x1p-40 {
			return d
		}
		d := new(big.Rat).Sub(numbers[i], numbers[j])
		v, _ := d.Mul(d, inverse).Float64()
		return math.Abs(v)
	}
}

// matrixMetric returns the metric given by a matrix over the range. If proven is false, it checks the axioms.
func matrixMetric(d [][]*big.Rat, size int, proven bool) (*Metric, error) {
	flat, err := flatten(d, size, "value_metric", "one per value of the range")
	if err != nil {
		return nil, err
	}
	for k, v := range flat {
		if v == nil {
			return nil, parameter.Errorf("value_metric[%d][%d] is infinite, want a finite distance", k/size, k%size)
		}
	}
	if !proven {
		if err := checkMetric(context.Background(), size, flat, "value_metric"); err != nil {
			return nil, err
		}
	}
	return tableMetric(flat, size, "value_metric")
}

// tableMetric returns the metric with the given distances, row by row. name is the parameter's name in errors.
func tableMetric(flat []*big.Rat, size int, name string) (*Metric, error) {
	if scaled, unit, exact := integerSteps(flat, size); exact {
		return integerMetric(func(i, j int) float64 { return scaled[i*size+j] }, unit), nil
	}
	unit, err := roundedUnit(flat, slices.MaxFunc(flat, (*big.Rat).Cmp), name)
	if err != nil {
		return nil, err
	}
	rounded, inverse := make([]float64, len(flat)), new(big.Rat).Inv(unit)
	for k, v := range flat {
		rounded[k], _ = new(big.Rat).Mul(v, inverse).Float64()
	}
	return &Metric{unit: unit, rational: func(i, j int) *big.Rat { return new(big.Rat).Set(flat[i*size+j]) },
		steps: func(i, j int) float64 { return rounded[i*size+j] }}, nil
}

// integerSteps returns the numbers as integer multiples of a common unit, small enough that a sum of terms differences
// is exact in float64. It returns false if there is no such unit.
func integerSteps(numbers []*big.Rat, terms int) (scaled []float64, unit *big.Rat, exact bool) {
	const longest = 1 << 12 // bits of the common denominator
	denominator, gcd := big.NewInt(1), new(big.Int)
	for _, q := range numbers {
		if denominator = CommonDenominator(denominator, q); denominator.BitLen() > longest {
			return nil, nil, false
		}
	}
	whole := make([]*big.Int, len(numbers))
	for i, q := range numbers {
		whole[i] = Scaled(q, denominator)
		gcd.GCD(nil, nil, gcd, new(big.Int).Abs(whole[i]))
	}
	if gcd.Sign() == 0 {
		gcd.SetInt64(1)
	}
	scaled = make([]float64, len(numbers))
	for i, w := range whole {
		scaled[i], _ = new(big.Float).SetInt(w.Quo(w, gcd)).Float64()
		if 2*math.Abs(scaled[i])*float64(terms) > maxExactInteger {
			return nil, nil, false
		}
	}
	return scaled, new(big.Rat).SetFrac(gcd, denominator), true
}
