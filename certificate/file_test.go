package certificate

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
)

var errFull = errors.New("the disk is full")

// full is a writer that fails after some bytes.
type full struct{ left int }

func (w *full) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return len(b) + w.left, errFull
	}
	return len(b), nil
}

// Writers of plain, compressed and Coq files return an error if the output fails at any point, and none otherwise.
func TestWritersReturnErrors(t *testing.T) {
	long := list{}
	for i := range 3000 { // longer than any buffer
		long = append(long, i*i*i)
	}
	f := &File{Version: "1", Call: "f()", statement: object{"kind": "some", "numbers": long}, proof: object{}}
	claim, _, err := CoqClaim(t.Context(), newSmallCase(t).rational(), generator{t: t}.ln(2, 1), evidencetest.Delta(0.5))
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(w io.Writer) error{
		"plain": f.Write, "named": func(w io.Writer) error { return f.encode(w, "a.json") }, "packed": func(w io.Writer) error { return f.encode(w, "a.json.gz") }, "coq": claim.Write,
	} {
		var all bytes.Buffer
		if err := write(&all); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		n := all.Len()
		for _, left := range []int{0, 1, n / 2, n - 1} {
			if err := write(&full{left}); !errors.Is(err, errFull) {
				t.Errorf("%s, %d bytes with room for %d: %v", name, n, left, err)
			}
		}
		if err := write(&full{n}); err != nil {
			t.Errorf("%s, %d bytes with enough room: %v", name, n, err)
		}
	}
	plain, err := f.Encode("a.json")
	packed, other := f.Encode("a.json.gz")
	if err != nil || other != nil {
		t.Fatal(err, other)
	}
	z := must.For(gzip.NewReader(bytes.NewReader(packed)))(t)
	if text, err := io.ReadAll(z); err != nil || !bytes.Equal(text, plain) || len(packed) >= len(plain) {
		t.Errorf("%d compressed bytes of %d unpack to %d: %v", len(packed), len(plain), len(text), err)
	}
}

// An enclosure is written with its lower end first, and infinite ends by sign.
func TestEnclosureEnds(t *testing.T) {
	for _, c := range []struct {
		lo, hi         float64
		wantLo, wantHi string
	}{
		{math.Inf(-1), math.Inf(1), "-inf", "inf"}, {-1.5, 0.25, "-3/2", "1/4"}, {math.Inf(1), math.Inf(1), "inf", "inf"}, {0, 1, "0", "1"},
	} {
		got := is(evidence.Certified{Lo: c.lo, Hi: c.hi})
		if len(got) != 2 || got["lo"] != c.wantLo || got["hi"] != c.wantHi {
			t.Errorf("[%g, %g] is written as %v", c.lo, c.hi, got)
		}
	}
}
