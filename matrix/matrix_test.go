package matrix_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/internal/must"
	"dpworkbench/internal/parameter"
	"dpworkbench/matrix"

	"gonum.org/v1/gonum/mat"
)

// dense returns a matrix with the given rows.
func dense(rows ...[]float64) *mat.Dense {
	m := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		m.SetRow(i, row)
	}
	return m
}

// drawn returns a matrix of standard normal entries.
func drawn(m, n int, rng *rand.Rand) *mat.Dense {
	a := mat.NewDense(m, n, nil)
	a.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, a)
	return a
}

// orders scales the rows and columns of a by random powers of two.
func orders(a *mat.Dense, spread int, rng *rand.Rand) *mat.Dense {
	m, n := a.Dims()
	rows, columns := make([]int, m), make([]int, n)
	for i := range rows {
		rows[i] = rng.IntN(2*spread+1) - spread
	}
	for j := range columns {
		columns[j] = rng.IntN(2*spread+1) - spread
	}
	out := mat.NewDense(m, n, nil)
	out.Apply(func(i, j int, x float64) float64 { return math.Ldexp(x, rows[i]+columns[j]) }, a)
	return out
}

// rationals returns the entries as exact rationals.
func rationals(a *mat.Dense) [][]*big.Rat {
	m, n := a.Dims()
	out := make([][]*big.Rat, m)
	for i := range out {
		for j := range n {
			out[i] = append(out[i], new(big.Rat).SetFloat64(a.At(i, j)))
		}
	}
	return out
}

// exactSolve solves by Gauss–Jordan elimination in rational arithmetic; nil if a is singular.
func exactSolve(a, b [][]*big.Rat) [][]*big.Rat {
	n := len(a)
	for k := range n {
		p := k
		for p < n && a[p][k].Sign() == 0 {
			p++
		}
		if p == n {
			return nil
		}
		a[p], a[k], b[p], b[k] = a[k], a[p], b[k], b[p]
		for i := range n {
			if i == k || a[i][k].Sign() == 0 {
				continue
			}
			f := new(big.Rat).Quo(a[i][k], a[k][k])
			for _, rows := range [][][]*big.Rat{a, b} {
				for j := range rows[i] {
					rows[i][j] = new(big.Rat).Sub(rows[i][j], new(big.Rat).Mul(f, rows[k][j]))
				}
			}
		}
	}
	for k := range n {
		for j := range b[k] {
			b[k][j] = new(big.Rat).Quo(b[k][j], a[k][k])
		}
	}
	return b
}

// units returns the distance of got from want, in units in the last place of the nearest float64. want must not be
// tiny.
func units(got float64, want *big.Rat) float64 {
	nearest, _ := want.Float64()
	unit := math.Nextafter(math.Abs(nearest), math.Inf(1)) - math.Abs(nearest)
	away := new(big.Rat).Sub(new(big.Rat).SetFloat64(got), want)
	u, _ := away.Quo(away, new(big.Rat).SetFloat64(unit)).Float64()
	return math.Abs(u)
}

// Solutions are accurate to the last digit for every scaling of rows and columns, compared with rational elimination.
func TestSolveAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		n, k := 1+rng.IntN(7), 1+rng.IntN(3)
		a, b := drawn(n, n, rng), drawn(n, k, rng)
		if trial%3 == 0 { // integers, with determinants that are sometimes small
			a.Apply(func(int, int, float64) float64 { return float64(rng.IntN(7) - 3) }, a)
		}
		if trial%2 == 0 {
			a = orders(a, 15, rng)
		}
		want := exactSolve(rationals(a), rationals(b))
		got, err := matrix.Solve(t.Context(), a, b)
		if want == nil {
			if !errors.Is(err, matrix.ErrSingular) || !errors.Is(err, parameter.Err) {
				t.Errorf("a singular matrix: %v, want ErrSingular", err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%v of\n%v", err, mat.Formatted(a))
			continue
		}
		for i := range n {
			for j := range k {
				if u := units(got.At(i, j), want[i][j]); want[i][j].Sign() != 0 && u > 1 {
					t.Fatalf("x[%d][%d] = %v, want %s: %.3g units away", i, j, got.At(i, j), want[i][j].FloatString(30), u)
				}
			}
		}
		one := mat.NewDense(n, n, nil)
		for i := range n {
			one.Set(i, i, 1)
		}
		inverse := must.For(matrix.Inverse(t.Context(), a))(t)
		exact := exactSolve(rationals(a), rationals(one))
		for i := range n {
			for j := range n {
				if exact[i][j].Sign() != 0 && units(inverse.At(i, j), exact[i][j]) > 1 {
					t.Fatalf("inverse[%d][%d] = %v, want %s", i, j, inverse.At(i, j), exact[i][j].FloatString(30))
				}
			}
		}
	}
}

// For ill-conditioned matrices, either the digits are right or there is an error.
func TestIllConditioned(t *testing.T) {
	refused := 0
	for n := 2; n <= 20; n++ {
		a := mat.NewDense(n, n, nil)
		a.Apply(func(i, j int, _ float64) float64 { return 1 / float64(i+j+1) }, a)
		one := mat.NewDense(n, 1, nil)
		one.Set(0, 0, 1)
		got, err := matrix.Solve(t.Context(), a, one)
		if err != nil {
			if !errors.Is(err, matrix.ErrSingular) {
				t.Errorf("order %d: %v", n, err)
			}
			refused++
			continue
		}
		want := exactSolve(rationals(a), rationals(one))
		for i := range n {
			if u := units(got.At(i, 0), want[i][0]); u > 1 {
				t.Errorf("order %d: x[%d] is %.3g units away", n, i, u)
			}
		}
	}
	if refused < 6 || refused > 12 {
		t.Errorf("%d of Hilbert's matrices up to order 20 are rejected, want about 9: from order 12, no digit is known", refused)
	}
	// Scaling rows and columns does not make a matrix ill-conditioned.
	got, err := matrix.Inverse(t.Context(), dense([]float64{1e-300, 0}, []float64{0, 1e300}))
	if err != nil || got.At(0, 0) != 9.999999999999999e299 || // 1e-300 is rounded up
		got.At(1, 1) != 1e-300 || got.At(0, 1) != 0 {
		t.Errorf("the inverse of diag(1e-300, 1e300): %v, %v", got, err)
	}
	x, err := matrix.Solve(t.Context(), dense([]float64{1, 0}, []float64{0, 1}), dense([]float64{1e290}, []float64{-1e-290}))
	if err != nil || x.At(0, 0) != 1e290 || x.At(1, 0) != -1e-290 {
		t.Errorf("1·x = (1e290, −1e-290): %v, %v", x, err)
	}
}

// laplace returns a determinant by expansion along its first row.
func laplace(a [][]*big.Rat) *big.Rat {
	if len(a) == 0 {
		return big.NewRat(1, 1)
	}
	sum := new(big.Rat)
	for j, x := range a[0] {
		var minor [][]*big.Rat
		for _, row := range a[1:] {
			minor = append(minor, append(append([]*big.Rat(nil), row[:j]...), row[j+1:]...))
		}
		term := new(big.Rat).Mul(x, laplace(minor))
		if j%2 == 1 {
			term.Neg(term)
		}
		sum.Add(sum, term)
	}
	return sum
}

func TestDeterminant(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for trial := range 200 {
		n := 1 + rng.IntN(6)
		a := drawn(n, n, rng)
		if trial%2 == 0 {
			a.Apply(func(int, int, float64) float64 { return float64(rng.IntN(5) - 2) }, a)
		}
		if trial%3 == 0 {
			a = orders(a, 60, rng)
		}
		want := laplace(rationals(a))
		nearest, _ := want.Float64()
		got, err := matrix.Determinant(a)
		if err != nil || got != nearest {
			t.Errorf("the determinant is %v, %v, want %v", got, err, nearest)
		}
		sign, log, err := matrix.LogDeterminant(a)
		if err != nil || sign != want.Sign() || want.Sign() != 0 && math.Abs(log-math.Log(math.Abs(nearest))) > 1e-14*(1+math.Abs(log)) {
			t.Errorf("LogDeterminant: %d, %v, %v, want %d, %v", sign, log, err, want.Sign(), math.Log(math.Abs(nearest)))
		}
	}
	// At an order above ExactOrder, the matrix is a product of triangular matrices with two rows swapped.
	n := matrix.ExactOrder + 9
	lower, upper := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	for i := range n {
		for j := range i {
			lower.Set(i, j, rng.NormFloat64()/float64(n))
			upper.Set(j, i, rng.NormFloat64()/float64(n))
		}
		lower.Set(i, i, 1)
		upper.Set(i, i, 1+rng.Float64())
	}
	want := 1.0
	for i := range n {
		want *= upper.At(i, i)
	}
	var a mat.Dense
	a.Mul(lower, upper)
	first, second := mat.Row(nil, 0, &a), mat.Row(nil, 5, &a)
	a.SetRow(0, second)
	a.SetRow(5, first)
	got, err := matrix.Determinant(&a)
	if err != nil || math.Abs(got/-want-1) > 1e-11 {
		t.Errorf("order %d: %v, %v, want %v", n, got, err, -want)
	}
	a.SetRow(7, first)
	if _, err := matrix.Determinant(&a); !errors.Is(err, matrix.ErrSingular) {
		t.Errorf("order %d, singular: %v", n, err)
	}
	for _, scale := range []float64{1e-200, 1e200} {
		d := dense([]float64{scale, 0}, []float64{0, -scale})
		if _, err := matrix.Determinant(d); err == nil || !strings.Contains(err.Error(), "range of float64: use log_determinant") {
			t.Errorf("diag(%g, −%g): %v", scale, scale, err)
		}
		sign, log, err := matrix.LogDeterminant(d)
		if err != nil || sign != -1 || math.Abs(log-2*math.Log(scale)) > 1e-12 {
			t.Errorf("diag(%g, −%g): %d, %v, %v", scale, scale, sign, log, err)
		}
	}
	if d, err := matrix.Determinant(dense([]float64{1, 2, 3}, []float64{4, 5, 6}, []float64{7, 8, 9})); err != nil || d != 0 || math.Signbit(d) {
		t.Errorf("det of 1 … 9: %v, %v, want 0", d, err)
	}
}

// off returns the largest absolute entry of a − b.
func off(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	return max(mat.Max(&d), -mat.Min(&d))
}

func diagonal(values []float64) *mat.DiagDense { return mat.NewDiagDense(len(values), values) }

func TestDecompose(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for trial := range 60 {
		n := 1 + rng.IntN(12)
		a := drawn(n, n, rng)
		symmetric := trial%2 == 0
		if symmetric {
			var s mat.Dense
			s.Add(a, a.T())
			a = &s
		} else { // real eigenvalues 1 … n in another basis
			basis := drawn(n, n, rng)
			inverse := must.For(matrix.Inverse(t.Context(), basis))(t)
			values := make([]float64, n)
			for i := range values {
				values[i] = float64(i + 1)
			}
			var s mat.Dense
			s.Mul(basis, diagonal(values))
			s.Mul(&s, inverse)
			a = &s
		}
		values, vectors, err := matrix.Decompose(a)
		if err != nil {
			t.Fatal(err)
		}
		var left, right, gram mat.Dense
		left.Mul(a, vectors)
		right.Mul(vectors, diagonal(values))
		if size := mat.Norm(a, 2); off(&left, &right) > 1e-13*float64(n)*size {
			t.Errorf("av − vλ is %.3g of %.3g", off(&left, &right), size)
		}
		gram.Mul(vectors.T(), vectors)
		trace := 0.0
		for j := range n {
			trace += values[j]
			if math.Abs(gram.At(j, j)-1) > 1e-13 || j > 0 && values[j] > values[j-1] {
				t.Errorf("column %d has length² %v, its value %v", j, gram.At(j, j), values)
			}
			if !symmetric {
				if math.Abs(values[j]-float64(n-j)) > 1e-6 {
					t.Errorf("eigenvalue %d is %v", j, values[j])
				}
			} else if j > 0 && math.Abs(gram.At(j, j-1)) > 1e-13 {
				t.Errorf("columns %d and %d have the product %v", j-1, j, gram.At(j, j-1))
			}
		}
		if math.Abs(trace-mat.Trace(a)) > 1e-12*float64(n)*mat.Norm(a, 2) {
			t.Errorf("the eigenvalues add up to %v, the trace is %v", trace, mat.Trace(a))
		}
	}
	turn := dense([]float64{0, -1, 0}, []float64{1, 0, 0}, []float64{0, 0, 2})
	if _, _, err := matrix.Decompose(turn); !errors.Is(err, matrix.ErrComplex) || !strings.Contains(err.Error(), "0 ± 1i") {
		t.Errorf("real eigenvectors of a rotation: %v", err)
	}
	values, err := matrix.Spectrum(turn)
	if err != nil || fmt.Sprint(values) != "[(2+0i) (0+1i) (0-1i)]" {
		t.Errorf("a rotation: %v, %v", values, err)
	}
	if values, err := matrix.Spectrum(dense([]float64{2, 1}, []float64{1, 2})); err != nil || off(dense([]float64{real(values[0]), real(values[1])}), dense([]float64{3, 1})) > 1e-15 {
		t.Errorf("a symmetric matrix: %v, %v", values, err)
	}
}

func TestSingularValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for range 60 {
		m, n := 1+rng.IntN(9), 1+rng.IntN(9)
		rank := 1 + rng.IntN(min(m, n))
		var a mat.Dense
		a.Mul(drawn(m, rank, rng), drawn(rank, n, rng))
		u, values, v, err := matrix.Singular(&a)
		if err != nil {
			t.Fatal(err)
		}
		var half, back, gram mat.Dense
		half.Mul(u, diagonal(values))
		back.Mul(&half, v.T())
		size := mat.Norm(&a, 2)
		if off(&back, &a) > 1e-14*size*10 {
			t.Errorf("u·s·vᵀ is off by %.3g of %.3g", off(&back, &a), size)
		}
		for _, q := range []*mat.Dense{u, v} {
			gram.Reset()
			gram.Mul(q.T(), q)
			k, _ := gram.Dims()
			one := mat.NewDense(k, k, nil)
			for i := range k {
				one.Set(i, i, 1)
			}
			if off(&gram, one) > 1e-13 {
				t.Errorf("the columns are not orthonormal: %v", mat.Formatted(&gram))
			}
		}
		if got, err := matrix.Rank(&a, 1e-10); err != nil || got != rank {
			t.Errorf("rank %v, %v, want %d", got, err, rank)
		}
		// The norms agree with their definitions by the entries and by the singular values.
		squares, sum, rows, columns, largest := 0.0, 0.0, make([]float64, m), make([]float64, n), 0.0
		for i := range m {
			for j := range n {
				x := math.Abs(a.At(i, j))
				squares, largest = squares+x*x, max(largest, x)
				rows[i] += x
				columns[j] += x
			}
		}
		for _, s := range values {
			sum += s
		}
		most := func(xs []float64) (m float64) {
			for _, x := range xs {
				m = max(m, x)
			}
			return m
		}
		for kind, want := range map[string]float64{"frobenius": math.Sqrt(squares), "spectral": values[0], "nuclear": sum, "one": most(columns), "infinity": most(rows), "max": largest} {
			if got, err := matrix.Norm(&a, kind); err != nil || math.Abs(got-want) > 1e-13*want {
				t.Errorf("the %s norm is %v, %v, want %v", kind, got, err, want)
			}
		}
	}
	for want, a := range map[float64]*mat.Dense{4: dense([]float64{2, 0}, []float64{0, -8}), math.Inf(1): dense([]float64{1, 0}, []float64{0, 0})} {
		if got, err := matrix.Condition(a); err != nil || got != want {
			t.Errorf("the condition number is %v, %v, want %v", got, err, want)
		}
	}
	for _, scale := range []float64{1e-310, 1e307} {
		if got, err := matrix.Norm(dense([]float64{3 * scale, 0}, []float64{0, 4 * scale}), "frobenius"); err != nil || math.Abs(got/(5*scale)-1) > 1e-12 {
			t.Errorf("the norm of (3, 4)·%g is %v, %v", scale, got, err)
		}
	}
	if rank, err := matrix.Rank(mat.NewDense(2, 3, nil), 0); err != nil || rank != 0 {
		t.Errorf("the rank of 0: %v, %v", rank, err)
	}
}

func TestEntrywiseAndProduct(t *testing.T) {
	a, b := dense([]float64{1, -2, 0}, []float64{4, 5e-324, math.Inf(1)}), dense([]float64{3, 0.5, -1}, []float64{2, 2, 2})
	for op, f := range map[matrix.Operation]func(x, y float64) float64{
		matrix.Add:      func(x, y float64) float64 { return x + y },
		matrix.Subtract: func(x, y float64) float64 { return x - y },
		matrix.Multiply: func(x, y float64) float64 { return x * y },
		matrix.Divide:   func(x, y float64) float64 { return x / y },
	} {
		for _, sides := range [][2]matrix.Operand{{{Matrix: a}, {Matrix: b}}, {{Matrix: a}, {Number: 3}}, {{Number: 3}, {Matrix: b}}} {
			got := must.For(matrix.Entrywise(op, sides[0], sides[1]))(t)
			for i := range 2 {
				for j := range 3 {
					x, y := sides[0].Number, sides[1].Number
					if sides[0].Matrix != nil {
						x = a.At(i, j)
					}
					if sides[1].Matrix != nil {
						y = b.At(i, j)
					}
					if got.At(i, j) != f(x, y) {
						t.Errorf("operation %d of %v and %v gives %v", op, x, y, got.At(i, j))
					}
				}
			}
		}
	}
	p, err := matrix.Product(dense([]float64{1, 2}, []float64{3, 4}, []float64{5, 6}), dense([]float64{1, -1}, []float64{10, 0}))
	if err != nil || off(p, dense([]float64{21, -1}, []float64{43, -3}, []float64{65, -5})) != 0 {
		t.Errorf("the product is %v, %v", p, err)
	}
	if tr, err := matrix.Trace(dense([]float64{1, 2}, []float64{3, 4})); err != nil || tr != 5 {
		t.Errorf("the trace is %v, %v", tr, err)
	}
}

func TestRefusals(t *testing.T) {
	ctx := context.Background()
	wide, nan, inf := dense([]float64{1, 2, 3}, []float64{4, 5, 6}), dense([]float64{math.NaN()}), dense([]float64{1, 0}, []float64{0, math.Inf(-1)})
	huge, two := dense([]float64{1e200, 1e200}, []float64{1e200, -1e200}), dense([]float64{2, 1}, []float64{1, 2})
	var empty mat.Dense
	for want, call := range map[string]func() error{
		"the matrix is 2 x 3, want a square one":                           func() error { _, err := matrix.Inverse(ctx, wide); return err },
		"the matrix is 2 x 3, want a square o":                             func() error { _, err := matrix.Determinant(wide); return err },
		"the matrix is 2 x 3, want a sq":                                   func() error { _, _, err := matrix.Decompose(wide); return err },
		"the matrix is 2 x 3, want a s":                                    func() error { _, err := matrix.Spectrum(wide); return err },
		"the matrix is 2 x 3, want a ":                                     func() error { _, err := matrix.Trace(wide); return err },
		"the matrix is 2 x 3, want":                                        func() error { _, _, err := matrix.LogDeterminant(wide); return err },
		"the matrix has nan in row 0, column 0, want finite entries":       func() error { _, err := matrix.Inverse(ctx, nan); return err },
		"the matrix has -inf in row 1, column 1, want finite entries":      func() error { _, err := matrix.Solve(ctx, inf, two); return err },
		"b has -inf in row 1, column 1, want finite entries":               func() error { _, err := matrix.Solve(ctx, two, inf); return err },
		"b has -inf in row 1, column 1, want":                              func() error { _, err := matrix.Product(two, inf); return err },
		"the matrix has -inf in row 1, column 1, want finite":              func() error { _, _, _, err := matrix.Singular(inf); return err },
		"the matrix has -inf in row 1, column 1, want fin":                 func() error { _, err := matrix.Norm(inf, "max"); return err },
		"the matrix has nan in row 1, column 0, want finite entries":       func() error { _, err := matrix.Trace(dense([]float64{1, 2}, []float64{math.NaN(), 3})); return err },
		"the matrix has -inf in row 1, column 1, want fi":                  func() error { _, err := matrix.Rank(inf, 0); return err },
		"the matrix has -inf in row 1, column 1, want f":                   func() error { _, err := matrix.Condition(inf); return err },
		"b has 2 rows, want 1, as many as the matrix":                      func() error { _, err := matrix.Solve(ctx, dense([]float64{1}), two); return err },
		"b is 2 x 3, want 3 rows, one for each column of the 2 x 3 matrix": func() error { _, err := matrix.Product(wide, wide); return err },
		"the matrices are 2 x 3 and 2 x 2, want the same shape": func() error {
			_, err := matrix.Entrywise(matrix.Add, matrix.Operand{Matrix: wide}, matrix.Operand{Matrix: two})
			return err
		},
		"division by zero in row 0, column 1": func() error {
			_, err := matrix.Entrywise(matrix.Divide, matrix.Operand{Number: 1}, matrix.Operand{Matrix: inf})
			return err
		},
		"the result in row 1, column 1 is not a number: it is computed from -inf and -inf": func() error {
			_, err := matrix.Entrywise(matrix.Subtract, matrix.Operand{Matrix: inf}, matrix.Operand{Matrix: inf})
			return err
		},
		"op = 9": func() error {
			_, err := matrix.Entrywise(9, matrix.Operand{Matrix: inf}, matrix.Operand{Matrix: inf})
			return err
		},
		"a matrix is empty": func() error {
			_, err := matrix.Entrywise(matrix.Add, matrix.Operand{Number: 1}, matrix.Operand{Matrix: &empty})
			return err
		},
		"the matrix is empty":               func() error { _, err := matrix.Product(nil, two); return err },
		"b is empty":                        func() error { _, err := matrix.Product(two, &empty); return err },
		"the matrix is of order 1025":       func() error { _, err := matrix.Inverse(ctx, mat.NewDense(1025, 1025, nil)); return err },
		"the matrix is of order 1025, want": func() error { _, _, _, err := matrix.Singular(mat.NewDense(1025, 1025, nil)); return err },
		`kind = "two"`:                      func() error { _, err := matrix.Norm(two, "two"); return err },
		"tolerance = 1,":                    func() error { _, err := matrix.Rank(two, 1); return err },
		"tolerance = NaN":                   func() error { _, err := matrix.Rank(two, math.NaN()); return err },
		"the matrix is singular: row 1": func() error {
			_, err := matrix.Inverse(ctx, dense([]float64{1, 1}, []float64{0, 0}))
			return err
		},
		"the matrix is singular: column 0": func() error {
			_, err := matrix.Inverse(ctx, dense([]float64{0, 1}, []float64{0, 1}))
			return err
		},
		"singular to working precision: its condition number is about": func() error {
			_, err := matrix.Inverse(ctx, dense([]float64{1, 1}, []float64{1, 1 + 0x1p-52}))
			return err
		},
	} {
		if err := call(); !errors.Is(err, parameter.Err) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want one that contains %q", err, want)
		}
	}
	for _, call := range []func() error{
		func() error { _, err := matrix.Product(huge, huge); return err },
		func() error { _, err := matrix.Inverse(ctx, dense([]float64{5e-324})); return err },
		func() error { _, err := matrix.Trace(dense([]float64{1.7e308, 0}, []float64{0, 1.7e308})); return err },
		func() error { _, err := matrix.Norm(dense([]float64{1.7e308, 1.7e308}), "infinity"); return err },
		func() error { _, err := matrix.Norm(dense([]float64{1.7e308, 1.7e308}), "spectral"); return err },
		func() error { _, _, _, err := matrix.Singular(dense([]float64{1.7e308, 1.7e308})); return err },
		func() error {
			_, _, err := matrix.Decompose(dense([]float64{1.7e308, 1.7e308}, []float64{1.7e308, 1.7e308}))
			return err
		},
	} {
		if err := call(); err == nil || !strings.Contains(err.Error(), "overflows float64") {
			t.Errorf("%v, want that the answer is too large", err)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := matrix.Inverse(ended, drawn(50, 50, rand.New(rand.NewPCG(1, 1)))); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
}

func ExampleInverse() {
	x, err := matrix.Inverse(context.Background(), dense([]float64{4, 7}, []float64{2, 6}))
	fmt.Println(mat.Formatted(x), err)
	// Output:
	// ⎡ 0.6  -0.7⎤
	// ⎣-0.2   0.4⎦ <nil>
}

// A zero pivot and a zero column are singular, and the error says which.
func TestSingularErrors(t *testing.T) {
	for want, a := range map[string]*mat.Dense{
		"the matrix is singular":                   dense([]float64{1, 1}, []float64{1, 1}),
		"the matrix is singular: row 0 is zero":    dense([]float64{0, 0}, []float64{1, 1}),
		"the matrix is singular: column 1 is zero": dense([]float64{1, 0}, []float64{1, 0}),
	} {
		if _, err := matrix.Inverse(t.Context(), a); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	zero, err := matrix.Solve(t.Context(), dense([]float64{2, 1}, []float64{1, 2}), mat.NewDense(2, 2, nil))
	if err != nil || off(zero, mat.NewDense(2, 2, nil)) != 0 {
		t.Errorf("a·x = 0: %v, %v", zero, err)
	}
}
