package npy_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"dpworkbench/internal/npy"
	"dpworkbench/internal/parameter"

	"gonum.org/v1/gonum/mat"
)

func TestRoundTrip(t *testing.T) {
	m := mat.NewDense(2, 3, []float64{0.1, 5e-324, math.Inf(-1), math.MaxFloat64, math.Copysign(0, -1), -3})
	var b bytes.Buffer
	if err := npy.Write(&b, m); err != nil {
		t.Fatal(err)
	}
	if start := bytes.IndexByte(b.Bytes(), '\n') + 1; start%64 != 0 { // as NumPy aligns the data
		t.Errorf("the data begin at byte %d, want a multiple of 64", start)
	}
	got, err := npy.Read(bytes.NewReader(b.Bytes()))
	if err != nil || !mat.Equal(m, got) {
		t.Errorf("read %v, %v", got, err)
	}
	for n := range b.Len() {
		if _, err := npy.Read(bytes.NewReader(b.Bytes()[:n])); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("the first %d bytes: %v", n, err)
		}
	}
}

// file returns a file with a header as written by NumPy 2.4.
func file(version byte, header, data string) io.Reader {
	length := string([]byte{byte(len(header)), 0})
	if version > 1 {
		length += "\x00\x00"
	}
	return strings.NewReader("\x93NUMPY" + string([]byte{version, 0}) + length + header + data)
}

func TestTypes(t *testing.T) {
	for _, c := range []struct {
		header, data string
		want         []float64
	}{
		{"{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "\x00\x00\x80?\x00\x00 \xc0", []float64{1, -2.5}},
		{"{'descr': '>i2', 'fortran_order': False, 'shape': (2, 1), }", "\x01\x00\xff\xff", []float64{256, -1}},
		{"{'descr': '|b1', 'fortran_order': True, 'shape': (2, 2), }", "\x01\x00\x01\x01", []float64{1, 1, 0, 1}},
		{"{'descr': '<u8', 'fortran_order': False, 'shape': (1, 1), }", "\x05\x00\x00\x00\x00\x00\x00\x00", []float64{5}},
	} {
		for version := byte(1); version <= 3; version++ {
			m, err := npy.Read(file(version, c.header, c.data))
			if err != nil {
				t.Errorf("%s: %v", c.header, err)
				continue
			}
			for i, v := range m.RawMatrix().Data {
				if v != c.want[i] {
					t.Errorf("%s: %v, want %v", c.header, m.RawMatrix().Data, c.want)
				}
			}
		}
	}
}

func TestReadErrors(t *testing.T) {
	for _, header := range []string{
		"{'descr': '|O', 'fortran_order': False, 'shape': (2, 2), }",
		"{'descr': '<c8', 'fortran_order': False, 'shape': (2, 2), }",
		"{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 2), }",
		"{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
		"{'descr': '<f8', 'fortran_order': False, 'shape': (0, 3), }",
		"{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999999999999, 3), }",
		"{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }",
	} {
		if m, err := npy.Read(file(1, header, "\xff\xff\xff\xff\xff\xff\xff\x7f")); !errors.Is(err, parameter.Err) {
			t.Errorf("%s: %v, %v", header, m, err)
		}
	}
	huge := "{'descr': '<f8', 'fortran_order': False, 'shape': (30000000, 3), }"
	if _, err := npy.Read(file(1, huge, "")); err == nil {
		t.Error("a truncated file is read")
	}
}
