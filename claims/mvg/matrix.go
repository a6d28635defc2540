package mvg

import (
	"iter"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/claims/check"
	"dpworkbench/internal/lists"
)

// intMatrix is a matrix of integers, by rows.
type intMatrix [][]int64

func zeroMatrix(m, n int) intMatrix {
	a := make(intMatrix, m)
	for i := range a {
		a[i] = make([]int64, n)
	}
	return a
}

// unitMatrix returns the m×n matrix with a one at (i, j) and zeros elsewhere.
func unitMatrix(m, n, i, j int) intMatrix {
	a := zeroMatrix(m, n)
	a[i][j] = 1
	return a
}

func (a intMatrix) String() string { return check.Lists(a) }

func (a intMatrix) transpose() intMatrix {
	t := zeroMatrix(len(a[0]), len(a))
	for i, row := range a {
		for j, v := range row {
			t[j][i] = v
		}
	}
	return t
}

func (a intMatrix) times(b intMatrix) intMatrix {
	c := zeroMatrix(len(a), len(b[0]))
	for i, row := range a {
		for k, v := range row {
			for j, w := range b[k] {
				c[i][j] += v * w
			}
		}
	}
	return c
}

// kronecker returns a⊗b.
func (a intMatrix) kronecker(b intMatrix) intMatrix {
	m, n := len(b), len(b[0])
	c := zeroMatrix(len(a)*m, len(a[0])*n)
	for i, row := range a {
		for j, v := range row {
			for k := range b {
				for l, w := range b[k] {
					c[i*m+k][j*n+l] = v * w
				}
			}
		}
	}
	return c
}

// vec returns the columns, stacked.
func (a intMatrix) vec() []int64 { return slices.Concat(a.transpose()...) }

// square returns ‖a‖_F².
func (a intMatrix) square() int64 {
	sum := int64(0)
	for _, row := range a {
		for _, v := range row {
			sum += v * v
		}
	}
	return sum
}

func (a intMatrix) trace() int64 {
	sum := int64(0)
	for i := range min(len(a), len(a[0])) {
		sum += a[i][i]
	}
	return sum
}

// rationals returns the same matrix in rationals.
func (a intMatrix) rationals() ratMatrix {
	r := make(ratMatrix, len(a))
	for i, row := range a {
		for _, v := range row {
			r[i] = append(r[i], big.NewRat(v, 1))
		}
	}
	return r
}

// ratMatrix is a matrix of rationals, by rows.
type ratMatrix [][]*big.Rat

func (a ratMatrix) times(b ratMatrix) ratMatrix {
	c := make(ratMatrix, len(a))
	for i, row := range a {
		for j := range b[0] {
			sum := new(big.Rat)
			for k, v := range row {
				if v.Sign() != 0 {
					sum.Add(sum, new(big.Rat).Mul(v, b[k][j]))
				}
			}
			c[i] = append(c[i], sum)
		}
	}
	return c
}

func (a ratMatrix) trace() *big.Rat {
	sum := new(big.Rat)
	for i := range a {
		sum.Add(sum, a[i][i])
	}
	return sum
}

// eliminate returns the determinant of a and, if it is not zero, a⁻¹, by Gauss-Jordan elimination.
func (a ratMatrix) eliminate() (det *big.Rat, inverse ratMatrix) {
	n := len(a)
	rows := make(ratMatrix, n)
	for i := range rows {
		for j := range 2 * n {
			v := new(big.Rat)
			switch {
			case j < n:
				v.Set(a[i][j])
			case j == n+i:
				v.SetInt64(1)
			}
			rows[i] = append(rows[i], v)
		}
	}
	det = big.NewRat(1, 1)
	for k := range n {
		pivot := slices.IndexFunc(rows[k:], func(row []*big.Rat) bool { return row[k].Sign() != 0 })
		if pivot < 0 {
			return new(big.Rat), nil
		}
		if pivot > 0 {
			rows[k], rows[k+pivot] = rows[k+pivot], rows[k]
			det.Neg(det)
		}
		det.Mul(det, rows[k][k])
		scale := new(big.Rat).Inv(rows[k][k])
		for j := range rows[k] {
			rows[k][j].Mul(rows[k][j], scale)
		}
		for i := range rows {
			if f := new(big.Rat).Set(rows[i][k]); i != k && f.Sign() != 0 {
				for j := range rows[i] {
					rows[i][j].Sub(rows[i][j], new(big.Rat).Mul(f, rows[k][j]))
				}
			}
		}
	}
	for i := range rows {
		rows[i] = rows[i][n:]
	}
	return det, rows
}

// det returns the determinant of a square matrix.
func (a intMatrix) det() *big.Rat {
	d, _ := a.rationals().eliminate()
	return d
}

// intVectors yields the vectors of length least to most with entries lo … hi. The first entry changes fastest.
func intVectors(least, most int, lo, hi int64) iter.Seq[[]int64] {
	lengths := check.Grid(func(n *int) []check.Axis { return []check.Axis{check.Span(n, least, most)} })
	words := check.Each(lengths, func(n int) iter.Seq[[]int] { return check.Words(int(hi-lo)+1, n) })
	return check.Map(words, func(word []int) []int64 {
		return lists.Of(len(word), func(i int) int64 { return lo + int64(word[i]) })
	})
}

// intMatrices yields the m×n matrices with entries lo … hi.
func intMatrices(m, n int, lo, hi int64) iter.Seq[intMatrix] {
	return check.Map(intVectors(m*n, m*n, lo, hi), func(entries []int64) intMatrix { return slices.Collect(slices.Chunk(entries, n)) })
}

// intShapes yields the matrices of each shape with entries lo … hi.
func intShapes(lo, hi int64, sizes ...[2]int) iter.Seq[intMatrix] {
	return check.Each(slices.Values(sizes), func(size [2]int) iter.Seq[intMatrix] { return intMatrices(size[0], size[1], lo, hi) })
}

// drawInts draws an m×n matrix with entries −most … most.
func drawInts(rng *rand.Rand, m, n int, most int64) intMatrix {
	a := zeroMatrix(m, n)
	for i := range a {
		for j := range a[i] {
			a[i][j] = rng.Int64N(2*most+1) - most
		}
	}
	return a
}

// matrixFields returns the matrices as fields of a witness. Each is named by one letter of names.
func matrixFields(names string, ms ...intMatrix) []check.Field {
	var out []check.Field
	for i, a := range ms {
		out = append(out, check.Named(names[i:i+1], a)...)
	}
	return out
}
