package matrix

import (
	"context"
	"math"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/mat"
)

// system is a·x = b with the rows and columns of a scaled by powers of two, so that different units of rows and
// columns do not make it look singular. scaled = 2^−rows · a · 2^−columns has entries of at most ½, and one above ⅛
// in each column.
type system struct {
	scaled        *mat.Dense
	rows, columns []int
	lu            mat.LU
}

// mostCondition is the condition beyond which no digit of a result is known, because the matrix rounded to 53 bits may
// be singular.
const mostCondition = 1 << 52

// newSystem factors a matrix, or returns an error wrapping ErrSingular.
func newSystem(a *mat.Dense) (*system, error) {
	n, err := square("the matrix", a)
	if err != nil {
		return nil, err
	}
	s := &system{scaled: mat.DenseCopyOf(a)}
	if s.rows, s.columns, err = units(a, n); err != nil {
		return nil, err
	}
	s.scaled.Apply(func(i, j int, x float64) float64 { return math.Ldexp(x, -s.rows[i]-s.columns[j]) }, a)
	s.lu.Factorize(s.scaled)
	switch c := s.lu.Cond(); {
	case math.IsInf(c, 1) || math.IsNaN(c):
		return nil, parameter.Errorf("%w", ErrSingular)
	case c > mostCondition:
		return nil, parameter.Errorf("%w to working precision: its condition number is about %.1g after scaling rows and columns, so no digit of the answer would be correct", ErrSingular, c)
	}
	return s, nil
}

// units returns scaling exponents for the rows and columns. They bring the scaled entries close to 1 in the mean of
// their logarithms, and to at most 1.
func units(a *mat.Dense, n int) (rows, columns []int, err error) {
	logs := make([][]float64, n) // NaN for an entry 0
	for i := range logs {
		logs[i] = make([]float64, n)
		for j := range n {
			f, e := math.Frexp(math.Abs(a.At(i, j)))
			logs[i][j] = math.NaN()
			if f != 0 {
				logs[i][j] = math.Log2(f) + float64(e)
			}
		}
	}
	u, v := make([]float64, n), make([]float64, n)
	const rounds = 20
	for round := range rounds {
		for i := range n {
			var found bool
			if u[i], found = middle(n, round == rounds-1, func(j int) float64 { return logs[i][j] - v[j] }); !found {
				return nil, nil, parameter.Errorf("%w: row %d is zero", ErrSingular, i)
			}
		}
		for j := range n {
			var found bool
			if v[j], found = middle(n, round == rounds-1, func(i int) float64 { return logs[i][j] - u[i] }); !found {
				return nil, nil, parameter.Errorf("%w: column %d is zero", ErrSingular, j)
			}
		}
	}
	for i := range n {
		rows = append(rows, int(math.Ceil(u[i])))
		columns = append(columns, int(math.Ceil(v[i]))+1)
	}
	return rows, columns, nil
}

// middle returns the mean, or the largest, of n numbers, ignoring NaN. found is false if all are NaN.
func middle(n int, largest bool, number func(i int) float64) (middle float64, found bool) {
	sum, count, most := 0.0, 0, math.Inf(-1)
	for i := range n {
		if x := number(i); !math.IsNaN(x) {
			sum, count, most = sum+x, count+1, max(most, x)
		}
	}
	if largest {
		return most, count > 0
	}
	return sum / float64(count), count > 0
}

// top is the exponent to which the largest entry of a right side is scaled. The smaller entries then have nearly the
// whole exponent range of a float64, and products in the solver stay in range.
const top = 960

// solve returns x with a·x = b. Every entry has an error of about a unit in its last place. An entry far smaller than
// the largest has an error of 2⁻¹⁰⁴ of the largest times the condition number of the scaled matrix. That is the error
// of a residual summed in double-double arithmetic.
func (s *system) solve(b []float64) ([]float64, error) {
	right, shift := s.right(b)
	y, err := s.refined(right)
	for j := range y {
		y[j] = math.Ldexp(y[j], shift-s.columns[j])
		if math.IsInf(y[j], 0) {
			return nil, errRange
		}
	}
	return y, err
}

// right returns 2^−shift times the right side of the scaled system.
func (s *system) right(b []float64) (out []float64, shift int) {
	shift = math.MinInt
	for i, x := range b {
		if _, e := math.Frexp(x); x != 0 {
			shift = max(shift, e-s.rows[i]-top)
		}
	}
	out = make([]float64, len(b))
	for i, x := range b {
		if x != 0 {
			out[i] = math.Ldexp(x, -s.rows[i]-shift)
		}
	}
	return out, max(shift, -1<<20) // shift is still MinInt if all entries are 0
}

// refined solves the scaled system by iterative refinement. Residuals are summed in double-double, and the refinement
// ends when they no longer shrink.
func (s *system) refined(b []float64) ([]float64, error) {
	n := len(b)
	hi, lo, r := make([]float64, n), make([]float64, n), append([]float64(nil), b...)
	step := mat.NewVecDense(n, nil)
	before := math.Inf(1)
	for {
		_ = s.lu.SolveVecTo(step, false, mat.NewVecDense(n, r)) // it warns above a condition of 10¹⁶, which newSystem has refused
		settled, moved, size := true, 0.0, 0.0
		for i := range n {
			d := step.AtVec(i)
			sum, rest := interval.TwoSum(hi[i], d)
			hi[i], lo[i] = interval.TwoSum(sum, rest+lo[i])
			settled = settled && math.Abs(d) <= 0x1p-54*math.Abs(hi[i])
			moved, size = max(moved, math.Abs(d)), max(size, math.Abs(hi[i]))
		}
		switch {
		case settled || moved <= 0x1p-104*size:
			return hi, nil
		case moved > before/2 || math.IsNaN(moved):
			if before <= 0x1p-54*size { // the limit of double-double
				return hi, nil
			}
			return nil, parameter.Errorf("%w to working precision: iterative refinement does not converge", ErrSingular)
		}
		before = moved
		for i := range n {
			r[i] = residual(b[i], s.scaled.RawRowView(i), hi, lo)
		}
	}
}

// residual returns b − Σ a_j·(hi_j + lo_j), summed in double-double.
func residual(b float64, a, hi, lo []float64) float64 {
	sum, rest := b, 0.0
	for j, x := range a {
		p := float64(x * hi[j])
		e := math.FMA(x, hi[j], -p)
		var low float64
		sum, low = interval.TwoSum(sum, -p)
		rest += low - e - float64(x*lo[j])
	}
	return sum + rest
}

// Solve returns x with a·x = b, for a square a and a b with as many rows. The result is accurate to the last digits.
// Entries much smaller than the largest have an error of at most 2⁻¹⁰⁴ of the largest times the condition number after
// scaling rows and columns. The result is exact for the floats in a and b, which may themselves be rounded. It returns
// an error wrapping ErrSingular if a is singular to working precision, and the context's error if ctx ends.
func Solve(ctx context.Context, a, b *mat.Dense) (*mat.Dense, error) {
	s, err := newSystem(a)
	if err != nil {
		return nil, err
	}
	if err := finite("b", b); err != nil {
		return nil, err
	}
	n := len(s.rows)
	rows, columns := b.Dims()
	if rows != n {
		return nil, parameter.Errorf("b has %d rows, want %d, as many as the matrix", rows, n)
	}
	return s.each(ctx, columns, func(j int) []float64 { return mat.Col(nil, j, b) })
}

// Inverse returns the inverse of a square matrix, with the accuracy of Solve.
func Inverse(ctx context.Context, a *mat.Dense) (*mat.Dense, error) {
	s, err := newSystem(a)
	if err != nil {
		return nil, err
	}
	n := len(s.rows)
	return s.each(ctx, n, func(j int) []float64 {
		b := make([]float64, n)
		b[j] = 1
		return b
	})
}

// each solves for every column of a right side.
func (s *system) each(ctx context.Context, columns int, b func(j int) []float64) (*mat.Dense, error) {
	out := make([][]float64, columns)
	count := parallel.Count(ctx, int64(columns), "columns solved")
	err := parallel.Each(ctx, columns, func(j int) (err error) {
		out[j], err = s.solve(b(j))
		count(1)
		return err
	})
	if err != nil {
		return nil, err
	}
	x := mat.NewDense(len(s.rows), columns, nil)
	for j, column := range out {
		x.SetCol(j, column)
	}
	return x, nil
}
