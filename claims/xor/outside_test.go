package xor

import (
	"slices"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/claims/check/checktest"
	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// A bound passes if its interval overlaps the loss, and fails if it is certainly below the loss.
func TestUndecidedBoundsPass(t *testing.T) {
	open := func(below, above float64) func(recordCase) interval.Interval {
		return func(c recordCase) interval.Interval {
			return interval.Hull(c.loss().Sub(interval.Float(below)), c.loss().Add(interval.Float(above)))
		}
	}
	visited := 0
	for c := range perturbed(atZero).Each {
		if visited++; visited%50 > 0 {
			continue
		}
		for _, b := range []struct {
			bound func(recordCase) interval.Interval
			want  bool
		}{{open(1, 0), true}, {open(0, 1), true}, {open(1, -0x1p-40), false}} {
			if holds, err := checktest.Holds(perturbed(b.bound), c); holds != b.want || err != nil {
				t.Errorf("%+v: %v, %v, want %v", c, holds, err, b.want)
			}
		}
	}
}

// A ranking that needs runs missing from the study ends with an error, with each checker.
func TestRankingsOfMissingRuns(t *testing.T) {
	known := run{"Facebook", "stated", "XOR", 10, "kl"}
	unknown := known
	unknown.mechanism = "nobody"
	for name, c := range map[string]rankCase{"the better": {better: unknown, worse: known}, "the worse": {better: known, worse: unknown}} {
		of := rankings(slices.Values([]rankCase{c}))
		for way, checker := range map[string]check.Checker{"judged": judged(of, 1), "unread": unread(of)} {
			if out, err := checker(t.Context(), check.Run{}); err == nil {
				t.Errorf("%s is missing, %s: %s", name, way, out.Verdict)
			}
		}
	}
	if out, err := judged(rankings(slices.Values([]rankCase{{better: known, worse: known}})), 1)(t.Context(), check.Run{}); err != nil || out.Verdict != evidence.Undecided {
		t.Errorf("a mechanism compared with itself: %s, %v", out.Verdict, err)
	}
	if err := checktest.Held(nearBaseline(1), rankCase{better: unknown}); err == nil {
		t.Errorf("a baseline without runs: %v", err)
	}
}
