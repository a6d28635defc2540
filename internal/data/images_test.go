package data

import (
	"bytes"
	"compress/gzip"
	"errors"
	"testing"
)

func TestReadImages(t *testing.T) {
	pack := func(b []byte) *bytes.Buffer {
		var out bytes.Buffer
		z := gzip.NewWriter(&out)
		if _, err := z.Write(b); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		return &out
	}
	// Three images of 1 × 2 pixels.
	file := []byte{0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4, 5, 255}
	got, pixels, err := ReadImages(pack(file), 1, 2)
	if err != nil || pixels != 2 || !bytes.Equal(got, []byte{3, 4, 5, 255}) {
		t.Errorf("images 1 and 2: %v, %d pixels, %v", got, pixels, err)
	}
	if got, _, err := ReadImages(pack(file), 2, -1); err != nil || !bytes.Equal(got, []byte{5, 255}) {
		t.Errorf("the rest: %v, %v", got, err)
	}
	for _, bad := range []*bytes.Buffer{pack(file[:20]), pack(file[1:]), bytes.NewBufferString("plain")} {
		if _, _, err := ReadImages(bad, 0, -1); !errors.Is(err, ErrFormat) {
			t.Errorf("a damaged file gives %v, want ErrFormat", err)
		}
	}
	if _, _, err := ReadImages(pack(file), 2, 2); !errors.Is(err, ErrFormat) {
		t.Errorf("too many images: %v, want ErrFormat", err)
	}
}
