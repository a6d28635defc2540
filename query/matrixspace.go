package query

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// NewMatrixSpace is NewRationalSpace for distances given as float64s, which stand for their shortest decimals.
func NewMatrixSpace(d [][]float64) (*Space, error) {
	q, err := decimals(d, "distances", "positive")
	if err != nil {
		return nil, err
	}
	return NewRationalSpace(context.Background(), q)
}

// decimals returns the shortest decimals of a matrix as rational numbers, nil for +Inf.
func decimals(d [][]float64, name, want string) ([][]*big.Rat, error) {
	out := make([][]*big.Rat, len(d))
	for x, row := range d {
		out[x] = make([]*big.Rat, len(row))
		for y, v := range row {
			if math.IsNaN(v) || math.IsInf(v, -1) {
				return nil, parameter.Errorf("%s[%d][%d] = %g, want a %s number", name, x, y, v, want)
			}
			if !math.IsInf(v, 1) {
				out[x][y] = interval.Decimal(v)
			}
		}
	}
	return out, nil
}

// NewRationalSpace returns the space with the given distances; nil is an infinite distance. It returns an error
// wrapping evidence.ErrParameter that names a pair or triple unless d is a metric: square, symmetric, zero exactly
// on the diagonal, and with the triangle inequality. There is no tolerance: if d̄(x, z) were slightly above 3, a
// value in layer 2 of a neighbor of x could be in layer 4 of x. It also returns the context's error.
func NewRationalSpace(ctx context.Context, d [][]*big.Rat) (*Space, error) {
	n := len(d)
	if n < 1 {
		return nil, parameter.Errorf("distances is empty, want a square matrix")
	}
	flat, err := flatten(d, n, "distances", "")
	if err != nil {
		return nil, err
	}
	if err := checkMetric(ctx, n, flat, "distances"); err != nil {
		return nil, err
	}
	s := &Space{matrix: make([]float64, n*n)}
	rows := make([][]int32, n)
	for x := range rows {
		for y := range n {
			v := roundedDistance(flat[x*n+y])
			s.matrix[x*n+y] = v
			if x != y && v <= 1 {
				rows[x] = append(rows[x], int32(y))
			}
		}
	}
	s.offsets, s.neighbors = compress(rows)
	return s, nil
}

// roundedDistance returns the float64 nearest to a distance, but never an integer below it: layers depend on ⌈d̄⌉,
// and neighbors on d̄ ≤ 1. Above 2⁵³ every float64 is an integer, but no layer is that large.
func roundedDistance(q *big.Rat) float64 {
	if q == nil {
		return math.Inf(1)
	}
	v, _ := q.Float64()
	if v == math.Trunc(v) && new(big.Rat).SetFloat64(v).Cmp(q) < 0 {
		return math.Nextafter(v, math.Inf(1))
	}
	return v
}

// flatten concatenates the rows of an n × n matrix, and returns an error if an entry is not in the range of float64.
// nil entries are infinite.
func flatten(d [][]*big.Rat, n int, name, why string) ([]*big.Rat, error) {
	if why != "" {
		why = ", " + why
	}
	if len(d) != n {
		return nil, parameter.Errorf("%s has %d rows, want %d%s", name, len(d), n, why)
	}
	flat := make([]*big.Rat, 0, n*n)
	for x, row := range d {
		if len(row) != n {
			return nil, parameter.Errorf("%s[%d] has %d entries, want %d", name, x, len(row), n)
		}
		for y, v := range row {
			if v == nil {
				continue
			}
			if err := checkFloatRange(v, fmt.Sprintf("%s[%d][%d]", name, x, y)); err != nil {
				return nil, err
			}
		}
		flat = append(flat, row...)
	}
	return flat, nil
}

// checkMetric returns an error that names the first pair or triple for which the n × n matrix d is not a metric;
// nil is infinite.
func checkMetric(ctx context.Context, n int, d []*big.Rat, name string) error {
	text := func(q *big.Rat) string {
		if q == nil {
			return "inf"
		}
		return formatRational(q)
	}
	for x := range n {
		if v := d[x*n+x]; v == nil || v.Sign() != 0 {
			return parameter.Errorf("%s[%d][%d] = %s, want 0", name, x, x, text(v))
		}
		for y := range x {
			a, b := d[x*n+y], d[y*n+x]
			if (a == nil) != (b == nil) || a != nil && (a.Sign() <= 0 || a.Cmp(b) != 0) {
				return parameter.Errorf("%s[%d][%d] = %s and %s[%d][%d] = %s, want them equal and positive", name, y, x, text(b), name, x, y, text(a))
			}
		}
	}
	// The float64 nearest to a distance has a relative error of at most 2⁻⁵³ or an absolute error of at most 2⁻¹⁰⁷⁵,
	// and half the sum of two has a relative error of at most 3 · 2⁻⁵³. A comparison with a larger margin is certain.
	f := make([]float64, len(d))
	for k, q := range d {
		if f[k] = math.Inf(1); q != nil {
			f[k], _ = q.Float64()
		}
	}
	way := new(big.Rat)
	for x := range n {
		if ctx != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		for z := range n {
			first, second := f[x*n+z], f[z*n:(z+1)*n]
			for y, v := range f[x*n : x*n+x] {
				if v/2 <= (first/2+second[y]/2)*(1-0x1p-50)-0x1p-1070 {
					continue
				}
				a, b, c := d[x*n+y], d[x*n+z], d[z*n+y]
				if z == x || z == y || a != nil && a.Cmp(way.Add(b, c)) <= 0 {
					continue
				}
				return parameter.Errorf("%s is not a metric: %s[%d][%d] = %s exceeds the path through %d, %s + %s", name, name, y, x, text(a), z, text(c), text(b))
			}
		}
	}
	return nil
}
