package signrp

import (
	"errors"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// A projection without stored entries, and the routines behind ApplyBytes and Search, refuse invalid arguments by name.
func TestInnerRoutinesRefuse(t *testing.T) {
	ctx := t.Context()
	streamed := FreshProjection(t, Gaussian, 2, 3, true)
	code := func(signs ...int8) *codes { return packed([][]int8{signs}) }
	w := must.Be(NewProjection(Rademacher, 2, 3, ProjectionOptions{Seed: 1}))
	for want, err := range map[string]error{
		"u[1][0] = 2, want a number in [-1, 1]":       Discard(streamed.ApplyAll(ctx, [][]float64{{1, 0.5}, {2, 0}})),
		"out has 5 entries, want 6, k = 3 per vector": w.applyBytesInto(ctx, make([]float64, 5), make([]byte, 4), 1./255),
		"queries of 2 words, want 1":                  Discard(code(1).nearest(ctx, code(make([]int8, 65)...), 1)),
		"count = 0, want at least 1":                  Discard(code(1).nearest(ctx, code(1), 0)),
	} {
		if !errors.Is(err, evidence.ErrParameter) || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
