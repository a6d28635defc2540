package signrp

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dpworkbench/internal/memory"
)

// What there is no room for is refused before it is made.
func TestNoRoom(t *testing.T) {
	defer memory.SetLimit(memory.SetLimit(1 << 28))
	if w, err := NewOPORP(context.Background(), 1<<28, 7, 1); w != nil || !errors.Is(err, memory.Err) || !strings.Contains(err.Error(), "an OPORP of 268435456 numbers") {
		t.Errorf("%v, %v", w, err)
	}
	if _, err := NewOPORP(context.Background(), 1000, 7, 1); err != nil {
		t.Error(err)
	}
}
