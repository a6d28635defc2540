// Package npy reads and writes matrices of numbers in NumPy's format .npy, versions 1 to 3.
package npy

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"dpworkbench/internal/memory"
	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

const magic = "\x93NUMPY"

// Write writes m row by row as little-endian float64s, in version 1 of the format.
func Write(w io.Writer, m mat.Matrix) error {
	r, c := m.Dims()
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", r, c)
	header += strings.Repeat(" ", 63-(len(magic)+4+len(header))%64) + "\n"
	var b bytes.Buffer
	b.WriteString(magic + "\x01\x00")
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(header))))
	b.WriteString(header)
	for i := range r {
		for j := range c {
			b.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(m.At(i, j))))
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

var (
	descr   = regexp.MustCompile(`'descr'\s*:\s*'([<>|=]?)([a-z])(\d+)'`)
	fortran = regexp.MustCompile(`'fortran_order'\s*:\s*(True|False)`)
	shape   = regexp.MustCompile(`'shape'\s*:\s*\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?,?\s*\)`)
)

// Read returns the matrix of a file. The file has an array of one or two axes, the first of which are the rows, with
// floats of 4 or 8 bytes, integers below 2⁵³ in size, or booleans. Read returns an error wrapping evidence.ErrParameter
// for other files, and io.ErrUnexpectedEOF for a file that ends too early.
func Read(r io.Reader) (*mat.Dense, error) {
	start := make([]byte, len(magic)+2)
	n, err := io.ReadFull(r, start)
	if begin := min(n, len(magic)); string(start[:begin]) != magic[:begin] {
		return nil, parameter.Errorf("not a file of NumPy: it does not begin with its magic string")
	}
	if err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	length := make([]byte, 4)
	if start[len(magic)] == 1 {
		length = length[:2]
	}
	if _, err := io.ReadFull(r, length); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	size := binary.LittleEndian.Uint32(append(length, 0, 0)[:4])
	if size > 1<<16 {
		return nil, parameter.Errorf("the header has %d bytes, want at most 65536", size)
	}
	header := make([]byte, size)
	if _, err := io.ReadFull(r, header); err != nil {
		return nil, io.ErrUnexpectedEOF
	}
	d, f, s := descr.FindSubmatch(header), fortran.FindSubmatch(header), shape.FindSubmatch(header)
	if d == nil || f == nil || s == nil {
		return nil, parameter.Errorf("the header %q does not describe an array of numbers with one or two axes", header)
	}
	width, _ := strconv.Atoi(string(d[3]))
	var order binary.ByteOrder = binary.LittleEndian
	if string(d[1]) == ">" {
		order = binary.BigEndian
	}
	number := reader(string(d[2]), width, order)
	if number == nil {
		return nil, parameter.Errorf("the array is of type %s%s%d, want f4, f8, i1 to i8, u1 to u8 or b1", d[1], d[2], width)
	}
	rows, err := strconv.Atoi(string(s[1]))
	columns := 1
	if err == nil && len(s[2]) > 0 {
		columns, err = strconv.Atoi(string(s[2]))
	}
	if err != nil || rows == 0 || columns == 0 || rows > math.MaxInt/16/columns {
		return nil, parameter.Errorf("the array has the shape (%s, %s), want at least one entry, and a number of entries that fits an int", s[1], s[2])
	}
	what := fmt.Sprintf("a matrix of %d × %d", rows, columns)
	if err := memory.Need(what, 8*float64(rows)*float64(columns)); err != nil {
		return nil, err
	}
	data, err := content(r, rows*columns*width)
	if err != nil {
		return nil, err
	}
	m := mat.NewDense(rows, columns, nil)
	for k := range rows * columns {
		v, err := number(data[k*width:])
		if err != nil {
			return nil, err
		}
		if string(f[1]) == "True" { // entries in column order
			m.Set(k%rows, k/rows, v)
		} else {
			m.Set(k/columns, k%columns, v)
		}
	}
	return m, nil
}

// content reads size bytes. Its memory grows with the data in the file, not with the size that the header claims.
func content(r io.Reader, size int) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, int64(size)))
	if err == nil && len(data) < size {
		err = io.ErrUnexpectedEOF
	}
	return data, err
}

// reader returns the function that reads one number of the given kind and width, or nil for an unknown kind or width.
func reader(kind string, width int, order binary.ByteOrder) func([]byte) (float64, error) {
	bits := func(b []byte) uint64 {
		switch width {
		case 1:
			return uint64(b[0])
		case 2:
			return uint64(order.Uint16(b))
		case 4:
			return uint64(order.Uint32(b))
		}
		return order.Uint64(b)
	}
	if width != 1 && width != 2 && width != 4 && width != 8 {
		return nil
	}
	switch {
	case kind == "f" && width == 8:
		return func(b []byte) (float64, error) { return math.Float64frombits(bits(b)), nil }
	case kind == "f" && width == 4:
		return func(b []byte) (float64, error) { return float64(math.Float32frombits(uint32(bits(b)))), nil }
	case kind == "b" && width == 1, kind == "u":
		return func(b []byte) (float64, error) {
			v := bits(b)
			return float64(v), exact(v < 1<<53, v)
		}
	case kind == "i":
		return func(b []byte) (float64, error) {
			v := int64(bits(b)<<(64-8*width)) >> (64 - 8*width)
			return float64(v), exact(v > -1<<53 && v < 1<<53, v)
		}
	}
	return nil
}

func exact(ok bool, v any) error {
	if ok {
		return nil
	}
	return parameter.Errorf("the array has the entry %v, want integers below 2^53 in size, which a float64 holds exactly", v)
}
