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

// What a trial or a run is asked for beyond its range is refused by name, and its trial fails with that; the study goes on.
func TestRefusals(t *testing.T) {
	ctx := context.Background()
	st := newStudy(t, open(t, ""), "refusals", study.Options{})
	long := strings.Repeat("x", 257)
	for name, c := range map[string]struct {
		ask  func(tr *study.Trial) error
		says string
	}{
		"lo > hi":        {func(tr *study.Trial) error { _, err := tr.Float("a", 1, 0, false); return err }, `range of "a" = [1, 0]`},
		"NaN":            {func(tr *study.Trial) error { _, err := tr.Float("a", math.NaN(), 0, false); return err }, `range of "a" = [NaN, 0]`},
		"infinite":       {func(tr *study.Trial) error { _, err := tr.Float("a", 0, math.Inf(1), false); return err }, `range of "a" = [0, +Inf]`},
		"infinite below": {func(tr *study.Trial) error { _, err := tr.Float("a", math.Inf(-1), 0, false); return err }, `range of "a" = [-Inf, 0], want finite numbers`},
		"wide":           {func(tr *study.Trial) error { _, err := tr.Float("a", -1.7e308, 1.7e308, false); return err }, "want a finite width"},
		"log of 0":       {func(tr *study.Trial) error { _, err := tr.Float("a", 0, 1, true); return err }, "want a positive lo"},
		"whole, lo > hi": {func(tr *study.Trial) error { _, err := tr.Int("a", 2, 1); return err }, `range of "a" = 2 … 1`},
		"whole, too far": {func(tr *study.Trial) error { _, err := tr.Int("a", 0, 1<<53+1); return err }, "within ±2^53"},
		"no choice":      {func(tr *study.Trial) error { _, err := tr.Choice("a", nil); return err }, `choices of "a" = []`},
		"choices alike":  {func(tr *study.Trial) error { _, err := tr.Choice("a", []string{"u", "v", "u"}); return err }, `hold "u" twice`},
		"choices of size": {func(tr *study.Trial) error {
			_, err := tr.Choice("a", []string{strings.Repeat("u", 1<<17)})
			return err
		}, "bytes to write"},
		"no name":     {func(tr *study.Trial) error { _, err := tr.Float("", 0, 1, false); return err }, `name of a parameter = ""`},
		"a long name": {func(tr *study.Trial) error { _, err := tr.Int(long, 0, 1); return err }, "want 1 to 256 bytes"},
	} {
		var got error
		asked := 0
		err := st.Optimize(ctx, func(_ context.Context, _ int, tr *study.Trial) (float64, error) {
			asked++
			got = c.ask(tr)
			return 0, got
		}, study.Run{Trials: 1})
		if err != nil || asked != 1 || !errors.Is(got, evidence.ErrParameter) || !strings.Contains(fmt.Sprint(got), c.says) {
			t.Errorf("%s: the trial has %v, want %q; the study %v", name, got, c.says, err)
		}
	}
	var again, same error
	var first, second float64
	if err := st.Optimize(ctx, func(_ context.Context, _ int, tr *study.Trial) (float64, error) {
		if first, same = tr.Float("b", 0, 1, false); same == nil {
			second, same = tr.Float("b", 0, 1, false)
		}
		_, again = tr.Float("b", 0, 2, false)
		return first, nil
	}, study.Run{Trials: 1}); err != nil {
		t.Fatal(err)
	}
	if same != nil || first != second {
		t.Errorf("a parameter asked for twice is %v, then %v, %v", first, second, same)
	}
	if !errors.Is(again, evidence.ErrParameter) {
		t.Errorf("a parameter of another range: %v", again)
	}
	never := func(context.Context, int, *study.Trial) (float64, error) {
		t.Error("a run that is refused begins a trial")
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
