package query

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"dpworkbench/internal/memory"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Tuple is a point of a product of value metric spaces.
type Tuple []Value

// String returns "(1, 0)".
func (v Tuple) String() string {
	parts := make([]string, len(v))
	for i, p := range v {
		if parts[i] = "nothing"; p != nil {
			parts[i] = p.String()
		}
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func (v Tuple) key() string {
	var b strings.Builder
	b.WriteString("t")
	for _, p := range v {
		k := ""
		if p != nil {
			k = p.key()
		}
		b.WriteString(big.NewInt(int64(len(k))).String() + ":" + k)
	}
	return b.String()
}

// Norm names a norm on ℝⁿ that combines several metrics.
type Norm string

// The norms are Σ|dᵢ|, max |dᵢ| and (Σ dᵢ²)^{1/2}.
const (
	SumNorm       Norm = "l1"
	MaxNorm       Norm = "max"
	EuclideanNorm Norm = "l2"
)

// euclideanBits is the number of fractional bits of Euclidean norms, in units of the distances. They are rounded up.
const euclideanBits = 20

// maxEuclideanRange bounds the range for which Euclidean distances are tabulated.
const maxEuclideanRange = 2048

// Product returns the query x ↦ (f₁(x), …, fₙ(x)) of queries on the same dataset space, with range R₁ × … × Rₙ and
// the metric N(w₁d₁, …, wₙdₙ) (Wu et al., Definition 6 and Example 2). Nil weights are ones.
//
// The Euclidean norm is irrational. It is rounded up to a multiple of 2⁻²⁰ of the common unit of the weighted
// distances. The result is a metric, since ⌈a + b⌉ ≤ ⌈a⌉ + ⌈b⌉, and exceeds the norm by at most that multiple.
//
// It returns an error wrapping evidence.ErrParameter if there are fewer than two queries, their datasets differ, a
// weight is not positive, or the distances have no common unit, and the context's error.
func Product(ctx context.Context, queries []*Query, norm Norm, weights []*big.Rat) (*Query, error) {
	if len(queries) < 2 {
		return nil, parameter.Errorf("the product has %d queries, want at least 2", len(queries))
	}
	if weights != nil && len(weights) != len(queries) {
		return nil, parameter.Errorf("weights has %d entries, want %d, one per query", len(weights), len(queries))
	}
	space := queries[0].space
	size, names := 1, make([]string, len(queries))
	for k, q := range queries {
		if q.Size() != queries[0].Size() || !space.SameNeighbors(q.space) {
			return nil, parameter.Errorf("queries[%d] = %s has datasets or neighbors that differ from those of %s", k, q.name, queries[0].name)
		}
		if err := q.CheckMetric("product"); err != nil {
			return nil, err
		}
		if weights != nil {
			if err := checkWeight(k, weights[k]); err != nil {
				return nil, err
			}
		}
		names[k] = q.name
		if size > maxCells/len(q.rng) {
			return nil, parameter.Errorf("the product has more than %d tuples, want fewer", maxCells)
		}
		size *= len(q.rng)
	}
	if err := checkCells(space.Size(), size); err != nil {
		return nil, err
	}
	if err := memory.Need("the range of a product", 64*float64(size)*float64(len(queries))); err != nil {
		return nil, err
	}
	out := &Query{name: "(" + strings.Join(names, ", ") + ")", space: space, value: make([]int32, space.Size()), rng: make([]Value, size), parts: queries}
	index := make(map[string]int32, size)
	at := make([][]int, size)
	for r := range out.rng {
		if r%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		at[r] = out.FactorIndices(r)
		t := make(Tuple, len(queries))
		for k, q := range queries {
			t[k] = q.rng[at[r][k]]
		}
		out.rng[r] = t
		index[t.key()] = int32(r)
	}
	out.find = func(v Value) (int, bool) {
		i, ok := index[v.key()]
		return int(i), ok
	}
	for x := range out.value {
		r := 0
		for _, q := range queries {
			r = r*len(q.rng) + q.ValueIndex(x)
		}
		out.value[x] = int32(r)
	}
	steps, unit, err := commonSteps(queries, weights)
	if err != nil {
		return nil, err
	}
	switch norm {
	case SumNorm, MaxNorm:
		out.metric = integerMetric(func(i, j int) float64 {
			sum, largest := 0.0, 0.0
			for k := range queries {
				d := steps[k](at[i][k], at[j][k])
				sum, largest = sum+d, max(largest, d)
			}
			if norm == SumNorm {
				return sum
			}
			return largest
		}, unit)
	case EuclideanNorm:
		if size > maxEuclideanRange {
			return nil, parameter.Errorf(`norm = "l2" with a range of %d tuples, want at most %d; use "l1" or "max"`, size, maxEuclideanRange)
		}
		table := make([]float64, size*size)
		for i := range size {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			for j := range i {
				d := euclideanSteps(steps, at[i], at[j])
				if d*float64(size) > maxExactInteger {
					return nil, parameter.Errorf("a distance of %g units is too large to round to a millionth", d)
				}
				table[i*size+j], table[j*size+i] = d, d
			}
		}
		small := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), euclideanBits))
		out.metric = integerMetric(func(i, j int) float64 { return table[i*size+j] }, small.Mul(small, unit))
	default:
		return nil, parameter.Errorf(`norm = %q, want "l1", "max" or "l2"`, norm)
	}
	return out, nil
}

// checkWeight returns an error wrapping evidence.ErrParameter unless weights[k] is positive.
func checkWeight(k int, weight *big.Rat) error {
	switch {
	case weight == nil:
		return parameter.Errorf("weights[%d] is missing, want a positive number", k)
	case weight.Sign() <= 0:
		return parameter.Bad(fmt.Sprintf("weights[%d]", k), weight, "a positive number")
	}
	return nil
}

// FactorIndices returns, for index r in the range of a product, the index in the range of each factor. The index of the
// last factor varies fastest.
func (q *Query) FactorIndices(r int) []int {
	at := make([]int, len(q.parts))
	for k := len(q.parts) - 1; k >= 0; k-- {
		n := len(q.parts[k].rng)
		at[k], r = r%n, r/n
	}
	return at
}

// Parts returns the factors of a product. It returns nil for any other query.
func (q *Query) Parts() []*Query { return q.parts }

// euclideanSteps returns the Euclidean norm of the distances between a and b in multiples of 2⁻²⁰, rounded up.
func euclideanSteps(steps []func(i, j int) float64, a, b []int) float64 {
	sum := new(big.Int)
	for k := range steps {
		d, _ := new(big.Float).SetFloat64(steps[k](a[k], b[k])).Int(nil)
		sum.Add(sum, d.Mul(d, d))
	}
	sum.Lsh(sum, 2*euclideanBits)
	root := new(big.Int).Sqrt(sum)
	if new(big.Int).Mul(root, root).Cmp(sum) < 0 {
		root.Add(root, big.NewInt(1))
	}
	v, _ := new(big.Float).SetInt(root).Float64()
	return v
}

// commonSteps returns, for each query, a function that computes its weighted distances as integer multiples of a common
// unit. It also returns the unit.
func commonSteps(queries []*Query, weights []*big.Rat) (steps []func(i, j int) float64, unit *big.Rat, err error) {
	units := make([]*big.Rat, len(queries))
	most, total := 0.0, 1
	for k, q := range queries {
		if !q.metric.exact {
			return nil, nil, parameter.Errorf("queries[%d] = %s has distances that are not multiples of a common unit", k, q.name)
		}
		units[k] = new(big.Rat).Set(q.metric.unit)
		if weights != nil {
			units[k].Mul(units[k], weights[k])
		}
		for i := range q.rng {
			for j := range i {
				most = max(most, q.metric.steps(i, j))
			}
		}
		total *= len(q.rng)
	}
	den, gcd := big.NewInt(1), new(big.Int)
	for _, u := range units {
		den = CommonDenominator(den, u)
	}
	factors := make([]float64, len(units))
	whole := make([]*big.Int, len(units))
	for k, u := range units {
		whole[k] = Scaled(u, den)
		gcd.GCD(nil, nil, gcd, whole[k])
	}
	for k, w := range whole {
		factors[k], _ = new(big.Float).SetInt(w.Quo(w, gcd)).Float64()
		if 2*factors[k]*most*float64(total)*float64(len(units)) > maxExactInteger {
			return nil, nil, parameter.Errorf("the distances of the queries are not multiples of a common float64: their units are %s and %s", units[0].RatString(), units[k].RatString())
		}
	}
	steps = make([]func(i, j int) float64, len(queries))
	for k, q := range queries {
		factor, of := factors[k], q.metric.steps
		steps[k] = func(i, j int) float64 { return factor * of(i, j) }
	}
	return steps, new(big.Rat).SetFrac(gcd, den), nil
}

// VectorMetric returns the distances between vectors of rational numbers under a norm, for ValueMetric.Rational.
// Euclidean distances are rounded up to a multiple of 2⁻²⁰ of the vectors' common unit, as in Product. It returns
// an error wrapping evidence.ErrParameter if the vectors have different lengths or the norm is unknown.
func VectorMetric(vectors [][]*big.Rat, norm Norm) ([][]*big.Rat, error) {
	if norm != SumNorm && norm != MaxNorm && norm != EuclideanNorm {
		return nil, parameter.Errorf(`norm = %q, want "l1", "max" or "l2"`, norm)
	}
	den := big.NewInt(1)
	for i, v := range vectors {
		if len(v) != len(vectors[0]) {
			return nil, parameter.Errorf("vectors[%d] has %d entries, want %d", i, len(v), len(vectors[0]))
		}
		for _, q := range v {
			den = CommonDenominator(den, q)
		}
	}
	one := new(big.Rat).SetFrac(big.NewInt(1), den)
	out := make([][]*big.Rat, len(vectors))
	for i := range vectors {
		out[i] = make([]*big.Rat, len(vectors))
		out[i][i] = new(big.Rat)
		for j := range i {
			sum := new(big.Rat)
			for k := range vectors[i] {
				d := new(big.Rat).Sub(vectors[i][k], vectors[j][k])
				d.Abs(d)
				switch norm {
				case SumNorm:
					sum.Add(sum, d)
				case MaxNorm:
					if d.Cmp(sum) > 0 {
						sum = d
					}
				default:
					sum.Add(sum, d.Mul(d, d))
				}
			}
			if norm == EuclideanNorm {
				sum = sqrtUp(sum, new(big.Rat).Mul(one, new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), euclideanBits))))
			}
			out[i][j], out[j][i] = sum, sum
		}
	}
	return out, nil
}

// sqrtUp returns √v, rounded up to a multiple of unit.
func sqrtUp(v, unit *big.Rat) *big.Rat {
	s := new(big.Rat).Quo(v, new(big.Rat).Mul(unit, unit))
	n := interval.RationalFloor(s)
	root := new(big.Int).Sqrt(n)
	if new(big.Rat).SetInt(new(big.Int).Mul(root, root)).Cmp(s) < 0 {
		root.Add(root, big.NewInt(1))
	}
	out := new(big.Rat).SetInt(root)
	return out.Mul(out, unit)
}
