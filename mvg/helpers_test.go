package mvg_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"dpworkbench/evidence"
)

var ctx = context.Background()

// one is ε = 1.
var one = epsilon(1)

// epsilon returns ε = v ≥ 0.
func epsilon(v float64) evidence.Epsilon {
	if v == 0 {
		return evidence.Epsilon{}
	}
	e, err := evidence.NewEpsilon("eps", v)
	if err != nil {
		panic(err)
	}
	return e
}

func must[T any](t testing.TB) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func near(got, want, rel float64) bool { return math.Abs(got-want) <= rel*math.Abs(want) }

func sortFloats(x []float64) { slices.Sort(x) }
