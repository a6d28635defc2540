package script

import (
	"errors"
	"io"
	"testing"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// farther returns the error of the comparison for values that are not numbers.
func TestFartherOfLists(t *testing.T) {
	list := starlark.NewList([]starlark.Value{starlark.None})
	if is, err := farther(syntax.LT, list, starlark.MakeInt(1), io.EOF); is || !errors.Is(err, io.EOF) {
		t.Errorf("a value that is not a number is farther: %t, %v", is, err)
	}
}
