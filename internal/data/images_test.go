package data_test

import (
	"bytes"
	"errors"
	"reflect"
	"testing"

	"dpworkbench/internal/data"
)

func TestReadImages(t *testing.T) {
	// The file has three images of 1 × 2 pixels.
	file := []byte{0, 0, 8, 3, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 51, 0, 255, 102, 255}
	if got, err := data.ReadImages(bytes.NewReader(file), 1, 2); err != nil || !reflect.DeepEqual(got, [][]float64{{0, 1}, {0.4, 1}}) {
		t.Errorf("images 1 and 2: %v, %v", got, err)
	}
	if got, err := data.ReadImages(bytes.NewReader(file), 2, -1); err != nil || !reflect.DeepEqual(got, [][]float64{{0.4, 1}}) {
		t.Errorf("the rest: %v, %v", got, err)
	}
	for _, bad := range [][]byte{file[:20], file[1:], []byte("plain")} {
		if _, err := data.ReadImages(bytes.NewReader(bad), 0, -1); !errors.Is(err, data.ErrFormat) {
			t.Errorf("a damaged file gives %v, want ErrFormat", err)
		}
	}
	for _, first := range []int{2, 4} {
		if _, err := data.ReadImages(bytes.NewReader(file), first, 2); !errors.Is(err, data.ErrFormat) {
			t.Errorf("two images from %d on: %v, want ErrFormat", first, err)
		}
	}
}

func TestReadLabels(t *testing.T) {
	file := []byte{0, 0, 8, 1, 0, 0, 0, 3, 7, 0, 9}
	if got, err := data.ReadLabels(bytes.NewReader(file), 1, 2); err != nil || !reflect.DeepEqual(got, []int{0, 9}) {
		t.Errorf("labels 1 and 2: %v, %v", got, err)
	}
	if got, err := data.ReadLabels(bytes.NewReader(file), 2, -1); err != nil || !reflect.DeepEqual(got, []int{9}) {
		t.Errorf("the rest: %v, %v", got, err)
	}
	for _, bad := range [][]byte{file[:6], file[:10], file[1:], []byte("plain text")} {
		if _, err := data.ReadLabels(bytes.NewReader(bad), 0, -1); !errors.Is(err, data.ErrFormat) {
			t.Errorf("a damaged file gives %v, want ErrFormat", err)
		}
	}
	for _, first := range []int{-1, 2, 4} {
		if _, err := data.ReadLabels(bytes.NewReader(file), first, 2); !errors.Is(err, data.ErrFormat) {
			t.Errorf("two labels from %d on: %v, want ErrFormat", first, err)
		}
	}
}

func TestReadCIFAR(t *testing.T) {
	image := func(label, r, g, b byte) []byte {
		out := []byte{label}
		for _, c := range []byte{r, g, b} {
			out = append(out, bytes.Repeat([]byte{c}, 1024)...)
		}
		return out
	}
	file := bytes.Join([][]byte{image(3, 255, 0, 0), image(9, 255, 255, 255), image(0, 0, 51, 0)}, nil)
	x, y, err := data.ReadCIFAR(bytes.NewReader(file), 0, -1)
	if err != nil || !reflect.DeepEqual(y, []int{3, 9, 0}) || len(x) != 3 || len(x[0]) != 1024 || x[0][7] != 0.299 || x[1][0] != 1 || x[2][1023] != 0.587/5 {
		t.Errorf("labels %v, %v", y, err)
	}
	x, y, err = data.ReadCIFAR(bytes.NewReader(file), 1, 1)
	if err != nil || !reflect.DeepEqual(y, []int{9}) || len(x) != 1 {
		t.Errorf("image 1: labels %v, %v", y, err)
	}
	for what, bad := range map[string][]byte{"truncated": file[:4000], "an invalid label": image(10, 0, 0, 0)} {
		if _, _, err := data.ReadCIFAR(bytes.NewReader(bad), 0, -1); !errors.Is(err, data.ErrFormat) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, _, err := data.ReadCIFAR(bytes.NewReader(file), 2, 2); !errors.Is(err, data.ErrFormat) {
		t.Errorf("an image too many: %v", err)
	}
	if _, _, err := data.ReadCIFAR(bytes.NewReader(file), 5, -1); !errors.Is(err, data.ErrFormat) {
		t.Errorf("start after the last image: error %v, want ErrFormat", err)
	}
}
