package data_test

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"dpworkbench/internal/data"
)

func TestReadSVMLight(t *testing.T) {
	ctx := context.Background()
	const file = "+1 1:0.5 3:-2e1 # a comment\n\n-1 2:1\n# nothing\n1\n"
	x, y, err := data.ReadSVMLight(ctx, strings.NewReader(file), 0, 0, -1)
	if err != nil || !reflect.DeepEqual(y, []int{1, -1, 1}) || !reflect.DeepEqual(x, [][]float64{{0.5, 0, -20}, {0, 1, 0}, {0, 0, 0}}) {
		t.Errorf("all rows: %v, labels %v, %v", x, y, err)
	}
	x, y, err = data.ReadSVMLight(ctx, strings.NewReader(file), 4, 1, 1)
	if err != nil || !reflect.DeepEqual(y, []int{-1}) || !reflect.DeepEqual(x, [][]float64{{0, 1, 0, 0}}) {
		t.Errorf("row 1: %v, label %v, %v", x, y, err)
	}
	for text, want := range map[string]string{
		"one 1:2": "label", "1 2": "index:value", "1 1:x": "index:value", "1 1:inf": "index:value", "1 0:1": "index 0", "1 2:1 2:1": "index 2", "1 5:1": "at most 4",
	} {
		if _, _, err := data.ReadSVMLight(ctx, strings.NewReader("1 1:1\n"+text), 4, 0, -1); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%q gives %v", text, err)
		}
	}
	if _, _, err := data.ReadSVMLight(ctx, strings.NewReader("1 2000000:1"), 0, 0, -1); err == nil {
		t.Error("two million features are read")
	}
	if _, _, err := data.ReadSVMLight(ctx, strings.NewReader(file), 0, 2, 2); !errors.Is(err, data.ErrFormat) {
		t.Errorf("a row too many: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, _, err := data.ReadSVMLight(ended, strings.NewReader(strings.Repeat("1 1:1\n", 3000)), 0, 0, -1); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
}
