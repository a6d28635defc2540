package data

import (
	"bytes"
	"errors"
	"reflect"
	"testing"
)

func TestReadImages(t *testing.T) {
	// Three images of 1 × 2 pixels.
	file := []byte{0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 51, 0, 255, 102, 255}
	if got, err := ReadImages(bytes.NewReader(file), 1, 2); err != nil || !reflect.DeepEqual(got, [][]float64{{0, 1}, {0.4, 1}}) {
		t.Errorf("images 1 and 2: %v, %v", got, err)
	}
	if got, err := ReadImages(bytes.NewReader(file), 2, -1); err != nil || !reflect.DeepEqual(got, [][]float64{{0.4, 1}}) {
		t.Errorf("the rest: %v, %v", got, err)
	}
	for _, bad := range [][]byte{file[:20], file[1:], []byte("plain")} {
		if _, err := ReadImages(bytes.NewReader(bad), 0, -1); !errors.Is(err, ErrFormat) {
			t.Errorf("a damaged file gives %v, want ErrFormat", err)
		}
	}
	for _, first := range []int{2, 4} {
		if _, err := ReadImages(bytes.NewReader(file), first, 2); !errors.Is(err, ErrFormat) {
			t.Errorf("two images from %d on: %v, want ErrFormat", first, err)
		}
	}
}
