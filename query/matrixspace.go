package query

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// NewMatrixSpace is NewRationalSpace for distances given by the shortest
// decimals of float64s.
func NewMatrixSpace(d [][]float64) (*Space, error) {
	q, err := decimals(d, "distances", "positive")
	if err != nil {
		return nil, err
	}
	return NewRationalSpace(context.Background(), q)
}

// decimals returns the numbers that the shortest decimals of a matrix are, nil
// for +Inf.
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

// NewRationalSpace returns the space with the given distances, nil standing for
// an infinite one. It returns an error wrapping evidence.ErrParameter, naming the
// offending pair or triple, unless d is a metric: square, symmetric, zero
// exactly on the diagonal, and obeying the triangle inequality, without any
// tolerance: d̄(x, z) a little above 3 would put a value in layer 4 of x that
// stands in layer 2 of x's neighbor. It stops with the context's error.
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

// roundedDistance returns the float64 nearest to a distance, but the next one
// where that is a whole number below it: distances count by ⌈d̄⌉ and by whether
// they are at most 1. Beyond 2⁵³, where all float64s are whole, no layer reaches.
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

// flatten joins the rows of a square matrix.
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

// checkMetric returns an error naming the first pair or triple at which the
// n × n matrix d, nil being infinite, fails to be a metric.
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
	// A float64 nearest to a distance is within a relative 2⁻⁵³ of it, or within
	// 2⁻¹⁰⁷⁵, and half the sum of two of them within 3 · 2⁻⁵³: what stays below by
	// more is below.
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
				return parameter.Errorf("%s is no metric: %s[%d][%d] = %s exceeds the way through %d, %s + %s", name, name, y, x, text(a), z, text(c), text(b))
			}
		}
	}
	return nil
}
