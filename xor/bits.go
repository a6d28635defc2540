package xor

import (
	"fmt"
	"math"
	"math/bits"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/parameter"
)

// Bits is an N × P matrix of bits, 64 to a word. The zero value has no entries.
type Bits struct {
	n, p  int
	words int
	rows  []uint64 // row by row, words words each; bits beyond P are zero
}

// NewBits returns the zero matrix. It returns an error wrapping evidence.ErrParameter unless n and p are positive,
// and memory.Err if n × p bits do not fit.
func NewBits(n, p int) (*Bits, error) {
	if n < 1 || p < 1 {
		return nil, parameter.Errorf("shape %d × %d, want at least 1 × 1", n, p)
	}
	if bytes := max(bitBytes(n, p), bitBytes(p, n)); bytes > maxBits { // Transpose must fit as well
		return nil, parameter.Errorf("%d × %d bits take %.3g GB, want at most %.3g GB", n, p, bytes/1e9, maxBits/1e9)
	} else if err := memory.Need(fmt.Sprintf("a matrix of %d × %d bits", n, p), bytes); err != nil {
		return nil, err
	}
	return newBits(n, p), nil
}

// maxBits is the largest size of a matrix in bytes.
const maxBits = 1 << 40

// bitBytes returns the size of an n × p matrix in bytes.
func bitBytes(n, p int) float64 { return 8 * float64(n) * math.Ceil(float64(p)/64) }

// newBits is NewBits for a shape that is known to fit.
func newBits(n, p int) *Bits {
	w := (p + 63) / 64
	return &Bits{n: n, p: p, words: w, rows: make([]uint64, n*w)}
}

// ParseBits returns the matrix with the given entries. It returns an error wrapping evidence.ErrParameter, naming the
// entry, unless all rows have the same length and hold only 0 and 1.
func ParseBits(m [][]float64) (*Bits, error) {
	if len(m) == 0 || len(m[0]) == 0 {
		return nil, parameter.Errorf("the matrix is empty, want at least one row and one column")
	}
	b, err := NewBits(len(m), len(m[0]))
	if err != nil {
		return nil, err
	}
	for i, row := range m {
		if len(row) != b.p {
			return nil, parameter.Errorf("row %d has %d entries, want %d like row 0", i, len(row), b.p)
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

// Adjacency returns the symmetric n × n matrix with ones where an edge joins two nodes.
// It returns an error wrapping evidence.ErrParameter unless n is positive and the nodes
// of edges are 0 … n−1, and memory.Err where there is no room.
func Adjacency(n int, edges [][2]int) (*Bits, error) {
	b, err := NewBits(n, n)
	if err != nil {
		return nil, err
	}
	for k, e := range edges {
		if !b.has(e[0], e[1]) {
			return nil, parameter.Errorf("edges[%d] = (%d, %d), want nodes from 0 to %d", k, e[0], e[1], n-1)
		}
		b.Set(e[0], e[1], true)
		b.Set(e[1], e[0], true)
	}
	return b, nil
}

// PackedBits returns the matrix of p columns with the given rows, 64 columns to a word. It returns an error wrapping
// evidence.ErrParameter if there are no rows or columns, if a row does not have ⌈p/64⌉ words, or if a bit beyond column
// p − 1 is set, and memory.Err where there is no room.
func PackedBits(p int, rows [][]uint64) (*Bits, error) {
	b, err := NewBits(len(rows), p)
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		if len(row) != b.words {
			return nil, parameter.Errorf("row %d has %d words, want %d for %d columns", i, len(row), b.words, p)
		}
		if p%64 != 0 && row[b.words-1]>>(p%64) != 0 {
			return nil, parameter.Errorf("row %d has a bit beyond the %d columns", i, p)
		}
		copy(b.Row(i), row)
	}
	return b, nil
}

// Shape returns the numbers of rows and columns, or zeros if b is nil.
func (b *Bits) Shape() (n, p int) {
	if b == nil {
		return 0, 0
	}
	return b.n, b.p
}

// Row returns row i, 64 columns to a word, or nil if i is out of range. The slice is the matrix's own.
func (b *Bits) Row(i int) []uint64 {
	if i < 0 || i >= b.n {
		return nil
	}
	return b.rows[i*b.words : (i+1)*b.words]
}

// Rows returns every row, see Row.
func (b *Bits) Rows() [][]uint64 {
	n, _ := b.Shape()
	return lists.Of(n, func(i int) []uint64 { return b.Row(i) })
}

// has reports whether entry (i, j) exists.
func (b *Bits) has(i, j int) bool { return i >= 0 && i < b.n && j >= 0 && j < b.p }

// At reports whether entry (i, j) exists and is 1.
func (b *Bits) At(i, j int) bool { return b.has(i, j) && b.rows[i*b.words+j/64]>>(j%64)&1 == 1 }

// Set sets entry (i, j) if it exists.
func (b *Bits) Set(i, j int, on bool) {
	if !b.has(i, j) {
		return
	}
	w := &b.rows[i*b.words+j/64]
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

// ColumnOnes returns the number of ones in column j, or 0 if j is out of range.
func (b *Bits) ColumnOnes(j int) int {
	n := 0
	if j < 0 || j >= b.p {
		return n
	}
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
	b := newBits(n, p)
	for k, on := range flat {
		if on {
			b.Set(k/p, k%p, true)
		}
	}
	return b
}

// Xor returns b ⊕ c. It returns an error wrapping evidence.ErrParameter where their
// shapes differ.
func (b *Bits) Xor(c *Bits) (*Bits, error) {
	if n, p := c.Shape(); b.n != n || b.p != p {
		return nil, parameter.Errorf("matrices of %d × %d and %d × %d bits, want equal shapes", b.n, b.p, n, p)
	}
	return b.xor(c), nil
}

// xor is Xor for matrices of equal shape.
func (b *Bits) xor(c *Bits) *Bits {
	out := newBits(b.n, b.p)
	for k, w := range b.rows {
		out.rows[k] = w ^ c.rows[k]
	}
	return out
}

// Complement returns 1 − B.
func (b *Bits) Complement() *Bits {
	out := newBits(b.n, b.p)
	if b.n == 0 {
		return out
	}
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
	out := newBits(b.p, b.n)
	for i := range b.n {
		for k, w := range b.Row(i) {
			for ; w != 0; w &= w - 1 {
				out.Set(64*k+bits.TrailingZeros64(w), i, true)
			}
		}
	}
	return out
}

// Floats returns the entries as 0 and 1, or an empty slice if b is nil.
func (b *Bits) Floats() [][]float64 {
	n, _ := b.Shape()
	out := make([][]float64, n)
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
