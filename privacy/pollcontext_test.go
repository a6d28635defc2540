package privacy

import (
	"context"
	"errors"
	"strconv"
	"testing"

	"dpworkbench/internal/ctxtest"
)

// pollContext polls at step 0 and at every 256th step.
func TestPollContextEvery256Steps(t *testing.T) {
	for step := range 1000 {
		c := ctxtest.CancelAfter(t.Context(), 0)
		err := pollContext(c, step)
		if answers := step == 0 || step == 256 || step == 512 || step == 768; answers != (c.Polls() == 1) || answers != errors.Is(err, context.Canceled) || !answers && err != nil {
			t.Fatalf("step %d: %v after %d polls", step, err, c.Polls())
		}
	}
}

// If the context ends while pairs are being listed, the next call lists all of them.
func TestListingRestartsAfterCancel(t *testing.T) {
	pair := PairAndReverse("", "", lawsOf(t, 10, []int64{1, 9}, []int64{4, 6})).Pair
	want := 900
	for n := range 12 {
		a := New(&DominatingPairs{Name: "many", Size: 900, Source: "test", Pair: pair, Key: strconv.Itoa})
		_, _ = a.candidates(ctxtest.CancelAfter(t.Context(), n))
		if got, err := a.candidates(t.Context()); err != nil || len(got) != want {
			t.Errorf("after %d polls: %d pairs, want %d, %v", n, len(got), want, err)
		}
	}
}
