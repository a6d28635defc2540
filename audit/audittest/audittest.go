// Package audittest audits draws in tests: their values, and the lowest bits of floating-point numbers, which can
// leak information.
package audittest

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"dpworkbench/audit"
	"dpworkbench/evidence"
)

// Draws are numbers drawn at two neighboring datasets.
type Draws [2][]float64

// Judge audits draws against (ε, δ), with false-positive rate 1e-9. It audits their values, in 40 bins of equally
// many draws, and their lowest bits, which an exact sampler hides and floating point does not (Mironov 2012).
func Judge(t testing.TB, d Draws, eps, delta float64) (values, bits evidence.Verdict) {
	t.Helper()
	claim := audit.Claim{Epsilon: must(evidence.NewEpsilon("eps", eps))(t), Delta: must(evidence.NewDelta("delta", delta))(t)}
	judge := func(how audit.Sampling, name func(v float64) string) evidence.Verdict {
		how.Confidence = 1 - 1e-9
		var s audit.Samples
		for i, values := range d {
			counts := map[string]int64{}
			for _, v := range values {
				counts[name(v)]++
			}
			for output, n := range counts {
				if err := s.Add(fmt.Sprint("x", i), output, n); err != nil {
					t.Fatal(err)
				}
			}
		}
		r, err := s.Audit(context.Background(), nil, claim, how, rand.NewPCG(1, 2))
		if err != nil {
			t.Fatal(err)
		}
		return r.Verdict
	}
	values = judge(audit.Sampling{Bins: 40}, func(v float64) string { return fmt.Sprint(v) })
	return values, judge(audit.Sampling{}, func(v float64) string { return fmt.Sprint("a multiple of 2^", lowest(v)) })
}

// lowest returns the largest e ≥ −100 such that v is a multiple of 2^e, and 100 for 0.
func lowest(v float64) int {
	if v == 0 {
		return 100
	}
	fraction, e := math.Frexp(v)
	n := int64(fraction * (1 << 53))
	for e -= 53; n&1 == 0; n >>= 1 {
		e++
	}
	return max(e, -100)
}

// Hold fails the test if an audit refutes the values or the bits of the releases, or does not refute the bits of the
// simulations.
func Hold(t testing.TB, what string, eps, delta float64, released, simulated Draws) {
	t.Helper()
	if values, bits := Judge(t, released, eps, delta); values == evidence.Refuted || bits == evidence.Refuted {
		t.Errorf("%s: releases are %v by their values, %v by their bits", what, values, bits)
	}
	if simulated[0] == nil {
		return
	}
	if values, bits := Judge(t, simulated, eps, delta); values == evidence.Refuted || bits != evidence.Refuted {
		t.Errorf("%s: simulations are %v by their values, %v by their bits, want the bits to betray them", what, values, bits)
	}
}

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
