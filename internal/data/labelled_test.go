package data

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestReadLabels(t *testing.T) {
	file := []byte{0, 0, 8, 1, 0, 0, 0, 3, 7, 0, 9}
	if got, err := ReadLabels(bytes.NewReader(file), 1, 2); err != nil || !reflect.DeepEqual(got, []int{0, 9}) {
		t.Errorf("labels 1 and 2: %v, %v", got, err)
	}
	if got, err := ReadLabels(bytes.NewReader(file), 2, -1); err != nil || !reflect.DeepEqual(got, []int{9}) {
		t.Errorf("the rest: %v, %v", got, err)
	}
	for _, bad := range [][]byte{file[:6], file[:10], file[1:], []byte("plain text")} {
		if _, err := ReadLabels(bytes.NewReader(bad), 0, -1); !errors.Is(err, ErrFormat) {
			t.Errorf("a damaged file gives %v, want ErrFormat", err)
		}
	}
	for _, first := range []int{-1, 2, 4} {
		if _, err := ReadLabels(bytes.NewReader(file), first, 2); !errors.Is(err, ErrFormat) {
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
	x, y, err := ReadCIFAR(bytes.NewReader(file), 0, -1)
	if err != nil || !reflect.DeepEqual(y, []int{3, 9, 0}) || len(x) != 3 || len(x[0]) != 1024 || x[0][7] != 0.299 || x[1][0] != 1 || x[2][1023] != 0.587/5 {
		t.Errorf("labels %v, %v", y, err)
	}
	x, y, err = ReadCIFAR(bytes.NewReader(file), 1, 1)
	if err != nil || !reflect.DeepEqual(y, []int{9}) || len(x) != 1 {
		t.Errorf("image 1: labels %v, %v", y, err)
	}
	for what, bad := range map[string][]byte{"cut short": file[:4000], "another label": image(10, 0, 0, 0)} {
		if _, _, err := ReadCIFAR(bytes.NewReader(bad), 0, -1); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, _, err := ReadCIFAR(bytes.NewReader(file), 2, 2); !errors.Is(err, ErrFormat) {
		t.Errorf("an image too many: %v", err)
	}
	if _, _, err := ReadCIFAR(bytes.NewReader(file), 5, -1); !errors.Is(err, ErrFormat) {
		t.Errorf("from beyond the end on: %v", err)
	}
}

func TestReadSVMLight(t *testing.T) {
	ctx := context.Background()
	const file = "+1 1:0.5 3:-2e1 # a comment\n\n-1 2:1\n# nothing\n1\n"
	x, y, err := ReadSVMLight(ctx, strings.NewReader(file), 0, 0, -1)
	if err != nil || !reflect.DeepEqual(y, []int{1, -1, 1}) || !reflect.DeepEqual(x, [][]float64{{0.5, 0, -20}, {0, 1, 0}, {0, 0, 0}}) {
		t.Errorf("%v, %v, %v", x, y, err)
	}
	x, y, err = ReadSVMLight(ctx, strings.NewReader(file), 4, 1, 1)
	if err != nil || !reflect.DeepEqual(y, []int{-1}) || !reflect.DeepEqual(x, [][]float64{{0, 1, 0, 0}}) {
		t.Errorf("row 1: %v, %v, %v", x, y, err)
	}
	for text, want := range map[string]string{
		"one 1:2": "label", "1 2": "index:value", "1 1:x": "index:value", "1 1:inf": "index:value", "1 0:1": "index 0", "1 2:1 2:1": "index 2", "1 5:1": "at most 4",
	} {
		if _, _, err := ReadSVMLight(ctx, strings.NewReader("1 1:1\n"+text), 4, 0, -1); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q gives %v", text, err)
		}
	}
	if _, _, err := ReadSVMLight(ctx, strings.NewReader("1 2000000:1"), 0, 0, -1); err == nil {
		t.Error("two million features are read")
	}
	if _, _, err := ReadSVMLight(ctx, strings.NewReader(file), 0, 2, 2); !errors.Is(err, ErrFormat) {
		t.Errorf("a row too many: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := ReadSVMLight(ended, strings.NewReader(strings.Repeat("1 1:1\n", 3000)), 0, 0, -1); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
}
