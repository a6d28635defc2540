package xor

import (
	"math/bits"

	"dpworkbench/internal/parameter"
)

// Bits is an N × P matrix of bits, 64 to a word.
type Bits struct {
	n, p  int
	words int
	rows  []uint64 // row by row, words words each; bits beyond P are zero
}

// NewBits returns the zero matrix. It panics unless n and p are positive.
func NewBits(n, p int) *Bits {
	if n < 1 || p < 1 {
		panic("xor: empty bit matrix")
	}
	w := (p + 63) / 64
	return &Bits{n: n, p: p, words: w, rows: make([]uint64, n*w)}
}

// ParseBits returns the matrix with the given entries. It returns an error
// wrapping evidence.ErrParameter, naming the entry, unless rows have one length and hold
// only 0 and 1.
func ParseBits(m [][]float64) (*Bits, error) {
	if len(m) == 0 || len(m[0]) == 0 {
		return nil, parameter.Errorf("the matrix is empty")
	}
	b := NewBits(len(m), len(m[0]))
	for i, row := range m {
		if len(row) != b.p {
			return nil, parameter.Errorf("row %d has %d entries, want %d as row 0", i, len(row), b.p)
		}
		for j, v := range row {
			switch v {
			case 0:
			case 1:
				b.Set(i, j, true)
			default:
				return nil, parameter.Errorf("entry (%d, %d) is %g, want 0 or 1", i, j, v)
			}
		}
	}
	return b, nil
}

// Shape returns the numbers of rows and columns.
func (b *Bits) Shape() (n, p int) { return b.n, b.p }

// Row returns row i, 64 columns to a word. The slice is the matrix's own.
func (b *Bits) Row(i int) []uint64 { return b.rows[i*b.words : (i+1)*b.words] }

// At reports whether entry (i, j) is 1.
func (b *Bits) At(i, j int) bool { return b.Row(i)[j/64]>>(j%64)&1 == 1 }

// Set sets entry (i, j).
func (b *Bits) Set(i, j int, on bool) {
	w := &b.Row(i)[j/64]
	*w &^= 1 << (j % 64)
	if on {
		*w |= 1 << (j % 64)
	}
}

// Ones returns ‖B‖², the number of ones.
func (b *Bits) Ones() int {
	n := 0
	for _, w := range b.rows {
		n += bits.OnesCount64(w)
	}
	return n
}

// ColumnOnes returns the number of ones in column j.
func (b *Bits) ColumnOnes(j int) int {
	n := 0
	for i := range b.n {
		n += int(b.rows[i*b.words+j/64] >> (j % 64) & 1)
	}
	return n
}

// Flat returns vec(Bᵀ): entry (i, j) is bit i·P + j.
func (b *Bits) Flat() []bool {
	out := make([]bool, 0, b.n*b.p)
	for i := range b.n {
		for j := range b.p {
			out = append(out, b.At(i, j))
		}
	}
	return out
}

// fromFlat is the inverse of Flat.
func fromFlat(n, p int, flat []bool) *Bits {
	b := NewBits(n, p)
	for k, on := range flat {
		if on {
			b.Set(k/p, k%p, true)
		}
	}
	return b
}

// Xor returns b ⊕ c. It panics where shapes differ.
func (b *Bits) Xor(c *Bits) *Bits {
	if b.n != c.n || b.p != c.p {
		panic("xor: bit matrices of different shapes")
	}
	out := NewBits(b.n, b.p)
	for k, w := range b.rows {
		out.rows[k] = w ^ c.rows[k]
	}
	return out
}

// Complement returns 1 − B.
func (b *Bits) Complement() *Bits {
	out := NewBits(b.n, b.p)
	last := ^uint64(0) >> (64*b.words - b.p)
	for i := range b.n {
		row := out.Row(i)
		for k, w := range b.Row(i) {
			row[k] = ^w
		}
		row[b.words-1] &= last
	}
	return out
}

// Transpose returns Bᵀ.
func (b *Bits) Transpose() *Bits {
	out := NewBits(b.p, b.n)
	for i := range b.n {
		for k, w := range b.Row(i) {
			for ; w != 0; w &= w - 1 {
				out.Set(64*k+bits.TrailingZeros64(w), i, true)
			}
		}
	}
	return out
}

// Floats returns the entries as 0 and 1.
func (b *Bits) Floats() [][]float64 {
	out := make([][]float64, b.n)
	for i := range out {
		out[i] = make([]float64, b.p)
		for j := range out[i] {
			if b.At(i, j) {
				out[i][j] = 1
			}
		}
	}
	return out
}
