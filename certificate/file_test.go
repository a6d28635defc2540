package certificate_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"testing"

	"dpworkbench/certificate"
	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/query"
	"dpworkbench/xor"
)

var errFull = errors.New("the disk is full")

// full is a writer that fails after left bytes.
type full struct{ left int }

func (w *full) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return len(b) + w.left, errFull
	}
	return len(b), nil
}

// Writers of certificates and Coq files return an error if the output fails at any point, and none otherwise.
func TestWritersReturnErrors(t *testing.T) {
	g := must.For(query.NewGraphs(t.Context(), 6))(t)
	f := must.For(certificate.About(t.Context(), g))(t) // longer than any buffer
	claim, _, err := certificate.CoqClaim(t.Context(), newSmallCase(t).rational(), generator{t: t}.ln(2, 1), evidencetest.Delta(0.5))
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(w io.Writer) error{"plain": f.Write, "coq": claim.Write} {
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
	b := must.For(xor.NewUniform(1, 1, 0, 0))(t)
	for _, c := range []struct {
		lo, hi         float64
		wantLo, wantHi string
	}{
		{math.Inf(-1), math.Inf(1), "-inf", "inf"}, {-1.5, 0.25, "-3/2", "1/4"}, {math.Inf(1), math.Inf(1), "inf", "inf"}, {0, 1, "0", "1"},
	} {
		n := evidence.WithStatement(evidence.Certified{Lo: c.lo, Hi: c.hi}, evidence.Statement(&xor.NormalizerStatement{Of: b}))
		got := documentOf(certificate.Of(t.Context(), n))(t).statement["is"].(object)
		if len(got) != 2 || got["lo"] != c.wantLo || got["hi"] != c.wantHi {
			t.Errorf("[%g, %g] is written as %v", c.lo, c.hi, got)
		}
	}
}
