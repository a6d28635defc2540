package study_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/study"
)

// If a trial or run requests something out of range, the error names it, and the trial fails with it. The study
// continues.
func TestRefusals(t *testing.T) {
	ctx := context.Background()
	st := newStudy(t, open(t, ""), "refusals", study.Options{})
	whole := func(v int, err error) (float64, error) { return float64(v), err }
	long := strings.Repeat("x", 257)
	for name, c := range map[string]struct {
		ask  func(tr *study.Trial) (float64, error)
		says string
	}{
		"lo > hi":            {func(tr *study.Trial) (float64, error) { return tr.Float("a", 1, 0, false) }, `range of "a" = [1, 0]`},
		"NaN":                {func(tr *study.Trial) (float64, error) { return tr.Float("a", math.NaN(), 0, false) }, `range of "a" = [NaN, 0]`},
		"infinite":           {func(tr *study.Trial) (float64, error) { return tr.Float("a", 0, math.Inf(1), false) }, `range of "a" = [0, +Inf]`},
		"infinite lower end": {func(tr *study.Trial) (float64, error) { return tr.Float("a", math.Inf(-1), 0, false) }, `range of "a" = [-Inf, 0], want finite numbers`},
		"wide":               {func(tr *study.Trial) (float64, error) { return tr.Float("a", -1.7e308, 1.7e308, false) }, "want a finite width"},
		"log of 0":           {func(tr *study.Trial) (float64, error) { return tr.Float("a", 0, 1, true) }, "want a positive lo"},
		"integer, lo > hi":   {func(tr *study.Trial) (float64, error) { return whole(tr.Int("a", 2, 1)) }, `range of "a" = 2 … 1`},
		"integer, too large": {func(tr *study.Trial) (float64, error) { return whole(tr.Int("a", 0, 1<<53+1)) }, "within ±2^53"},
		"no choice":          {func(tr *study.Trial) (float64, error) { return whole(tr.Choice("a", nil)) }, `choices of "a" = []`},
		"equal choices":      {func(tr *study.Trial) (float64, error) { return whole(tr.Choice("a", []string{"u", "v", "u"})) }, `hold "u" twice`},
		"a long choice": {func(tr *study.Trial) (float64, error) {
			return whole(tr.Choice("a", []string{strings.Repeat("u", 1<<17)}))
		}, "bytes, want at most"},
		"no name":     {func(tr *study.Trial) (float64, error) { return tr.Float("", 0, 1, false) }, `name of a parameter = ""`},
		"a long name": {func(tr *study.Trial) (float64, error) { return whole(tr.Int(long, 0, 1)) }, "want 1 to 256 bytes"},
	} {
		var got error
		var value float64
		asked := 0
		err := st.Optimize(ctx, func(_ context.Context, _ int, tr *study.Trial) (float64, error) {
			asked++
			value, got = c.ask(tr)
			return 0, got
		}, study.Run{Trials: 1})
		if err != nil || asked != 1 || value != 0 || !errors.Is(got, evidence.ErrParameter) || !strings.Contains(fmt.Sprint(got), c.says) {
			t.Errorf("%s: the trial has %v and %v, want %q; the study %v", name, value, got, c.says, err)
		}
	}
	var again, same error
	var first, second, third float64
	if err := st.Optimize(ctx, func(_ context.Context, _ int, tr *study.Trial) (float64, error) {
		if first, same = tr.Float("b", 0, 1, false); same == nil {
			second, same = tr.Float("b", 0, 1, false)
		}
		third, again = tr.Float("b", 0, 2, false)
		return first, nil
	}, study.Run{Trials: 1}); err != nil {
		t.Fatal(err)
	}
	if same != nil || first != second {
		t.Errorf("the same parameter is %v, then %v, %v", first, second, same)
	}
	if !errors.Is(again, evidence.ErrParameter) || third != 0 {
		t.Errorf("a parameter with another range: %v, %v", third, again)
	}
	never := func(context.Context, int, *study.Trial) (float64, error) {
		t.Error("a rejected run begins a trial")
		return 0, nil
	}
	for _, run := range []study.Run{{}, {Trials: -1}, {Total: -1, Trials: 1}, {Trials: 1, Workers: -1}} {
		if err := st.Optimize(ctx, never, run); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v: %v", run, err)
		}
	}
	for _, o := range []study.Options{{Sampler: "guess"}} {
		if _, err := study.New(ctx, open(t, ""), "other", o); !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%+v: %v", o, err)
		}
	}
	if _, err := study.New(ctx, open(t, ""), "", study.Options{}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a study without a name: %v", err)
	}
}
