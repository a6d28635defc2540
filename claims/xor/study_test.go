package xor

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"

	"dpworkbench/claims/check"
	"dpworkbench/evidence"

	"gonum.org/v1/gonum/stat/distuv"
)

// student19 is the quantile that gonum computes for Student's t.
func TestStudent(t *testing.T) {
	law := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: fullRuns - 1}
	if tail := 2 * (1 - law.CDF(student19)); math.Abs(tail-(1-certainty)) > 1e-10 {
		t.Errorf("the tails beyond ±%v have %v, want %v", student19, tail, 1-certainty)
	}
}

// Malformed samples and runs that are not in the study are rejected.
func TestSamples(t *testing.T) {
	for _, text := range []string{`[1, 2]`, `[1, -1, 20]`, `[1, 1, 1]`, `"x"`, `{}`, `["x", 1, 20]`, `[1, "x", 20]`} {
		if err := json.Unmarshal([]byte(text), new(sample)); err == nil {
			t.Errorf("%s is accepted as a sample", text)
		}
	}
	for _, text := range []string{``, `[{"graph": "G"}`, `{}`, `[{"graph": 1}]`, `[{"measures": {"kl": [1, 2]}}]`} {
		if rows, err := readStudy([]byte(text)); err == nil {
			t.Errorf("%s is accepted as a study with %d rows", text, len(rows))
		}
	}
	if err := check.Try(func() { run{"Facebook", "stated", "XOR", 3, "beauty"}.of() }); err == nil {
		t.Error("runs without a measure gave no error")
	}
	// in returns the sample of the given graph, setting, mechanism, ε and measure. It rejects a sample with
	// fewer than fullRuns runs.
	row := studyRow{"G", "stated", "M", .3, map[string]sample{"kl": {1, 2, fullRuns}, "few": {1, 2, fullRuns - 1}}}
	if s, err := (run{"G", "stated", "M", 3, "kl"}).in([]studyRow{{}, row}); err != nil || s != row.Measures["kl"] {
		t.Errorf("%v, %v", s, err)
	}
	for _, r := range []run{{"H", "stated", "M", 3, "kl"}, {"G", "equal", "M", 3, "kl"}, {"G", "stated", "N", 3, "kl"}, {"G", "stated", "M", 4, "kl"}, {"G", "stated", "M", 3, "f1"}, {"G", "stated", "M", 3, "few"}} {
		if s, err := r.in([]studyRow{row}); err == nil {
			t.Errorf("%+v: %v, want an error", r, s)
		}
	}
}

// judged refutes a comparison if its two confidence intervals are disjoint and in the opposite order.
// Otherwise the comparison is undecided, even if the intervals are disjoint and in the stated order.
func TestEstimatesNeverConfirm(t *testing.T) {
	of := func(better, worse string, eps int) rankCase {
		r := run{"Facebook", "stated", "", eps, "kl"}
		c := rankCase{better: r, worse: r}
		c.better.mechanism, c.worse.mechanism = better, worse
		return c
	}
	for want, c := range map[evidence.Verdict]rankCase{evidence.Refuted: of("XOR", "LDPGen", 10), evidence.Undecided: of("LDPGen", "XOR", 10)} {
		out, err := judged(rankings(slices.Values([]rankCase{c})), 1)(context.Background(), check.Run{})
		if err != nil || out.Verdict != want {
			t.Errorf("%+v: %s, %v, want %s", c, out.Verdict, err, want)
		}
		remark := map[evidence.Verdict]string{evidence.Refuted: "reversed", evidence.Undecided: "reproduced"}[want]
		if out, err = unread(rankings(slices.Values([]rankCase{c})))(context.Background(), check.Run{}); err != nil || out.Verdict != evidence.Undecided || out.Remark != remark || out.Witness != nil {
			t.Errorf("%+v without judging: %s, %q, %v, want %q", c, out.Verdict, out.Remark, err, remark)
		}
	}
}
