package parallel_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"dpworkbench/internal/parallel"
)

// A Progress receives the reports of its context and all derived contexts unchanged and in order, and no others.
func TestReport(t *testing.T) {
	var heard []string
	ctx := parallel.WithProgress(t.Context(), func(done, total int64, what string) {
		heard = append(heard, fmt.Sprintf("%d/%d %s", done, total, what))
	})
	below, cancel := context.WithCancel(ctx)
	defer cancel()
	parallel.Report(t.Context(), 1, 2, "unheard")
	parallel.Count(t.Context(), 9, "unheard")(1)
	parallel.Report(parallel.WithProgress(ctx, nil), 1, 2, "silenced")
	parallel.Report(below, 1, 2, "half, 50%")
	parallel.Report(below, 3, 0, "below %g", 0.5)
	if want := []string{"1/2 half, 50%", "3/0 below 0.5"}; !slices.Equal(heard, want) {
		t.Errorf("heard %q, want %q", heard, want)
	}
}

// Concurrent steps add up, and the count never decreases.
func TestCount(t *testing.T) {
	last := int64(0)
	ctx := parallel.WithProgress(t.Context(), func(done, total int64, _ string) {
		if total != 3000 || done != last+3 {
			t.Errorf("%d of %d after %d, want steps of 3 to 3000", done, total, last)
		}
		last = done
	})
	add := parallel.Count(ctx, 3000, "")
	if err := parallel.Each(ctx, 1000, func(int) error { add(3); return nil }); err != nil || last != 3000 {
		t.Errorf("%d steps are heard, want 3000; the error is %v", last, err)
	}
}
