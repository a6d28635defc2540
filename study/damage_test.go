package study_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpworkbench/internal/must"
	"dpworkbench/study"
)

// damagedStudy returns a study of ten trials, with x in [0, 1] and a choice, in a SQLite file. The SQL statement has
// damaged the file.
func damagedStudy(t *testing.T, statement string) (*study.Storage, *study.Study) {
	t.Helper()
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "s.db")
	open := func(patience time.Duration) *study.Storage {
		storage := must.For(study.Open(ctx, path, study.StorageOptions{Patience: patience}))(t)
		t.Cleanup(func() { _ = storage.Close() })
		return storage
	}
	s, err := study.New(ctx, open(0), "a", study.Options{Sampler: "random"})
	if err != nil {
		t.Fatal(err)
	}
	err = s.Optimize(ctx, func(_ context.Context, _ int, tr *study.Trial) (float64, error) {
		if _, err := tr.Choice("rule", []string{"closure", "printed"}); err != nil {
			return 0, err
		}
		if _, err := tr.Int("n", 1, 9); err != nil {
			return 0, err
		}
		return tr.Float("x", 0, 1, false)
	}, study.Run{Trials: 10})
	if err != nil {
		t.Fatal(err)
	}
	storage := open(time.Hour) // a storage that retries damage as an outage would never return
	if err := storage.DB().Exec(statement).Error; err != nil {
		t.Fatal(err)
	}
	s = must.For(study.Load(ctx, storage, "a"))(t)
	return storage, s
}

// A damaged trial counts as failed, with the damage as its reason. Other trials are unaffected, and the study
// continues.
func TestDamagedTrials(t *testing.T) {
	for name, c := range map[string]struct{ statement, reason string }{
		"text for a value":     {"UPDATE trials SET value = 'abc' WHERE number = 3", `damaged: its value is the text "abc"`},
		"no value":             {"UPDATE trials SET value = NULL WHERE number = 3", "damaged: its value is nothing"},
		"infinite value":       {"UPDATE trials SET value = 9e999 WHERE number = 3", "damaged: its value is +Inf"},
		"blob for a value":     {"UPDATE trials SET value = x'00ff' WHERE number = 3", `damaged: its value is the text "\x00\xff"`},
		"choice out of range":  {paramOf("rule") + "7" + at3("rule"), `damaged: its parameter "rule" is 7, which is not in its range`},
		"half a choice":        {paramOf("rule") + "0.5" + at3("rule"), `damaged: its parameter "rule" is 0.5, which is not in its range`},
		"negative choice":      {paramOf("rule") + "-1" + at3("rule"), `damaged: its parameter "rule" is -1, which is not in its range`},
		"integer out of range": {paramOf("n") + "1e300" + at3("n"), `damaged: its parameter "n" is 1e+300, which is not in its range`},
		"text for a parameter": {paramOf("x") + "'much'" + at3("x"), `damaged: its parameter "x" is the text "much"`},
		"infinite parameter":   {paramOf("x") + "-9e999" + at3("x"), `damaged: its parameter "x" is -Inf`},
		"no range":             {"UPDATE trial_params SET distribution_json = '{' " + at3("x"), `damaged: the range of its parameter "x" is the text "{"`},
		"foreign range":        {"UPDATE trial_params SET distribution_json = '{\"name\":\"Beta\"}' " + at3("x"), `damaged: the range of its parameter "x" is the text "{\"name\":\"Beta\"}"`},
		"empty range":          {"UPDATE trial_params SET distribution_json = '{\"name\":\"CategoricalDistribution\",\"attributes\":{\"choices\":[]}}' " + at3("rule"), `damaged: its parameter "rule" is`},
		"text for a date":      {"UPDATE trials SET datetime_start = 'yesterday' WHERE number = 3", `damaged: its start is`},
	} {
		t.Run(name, func(t *testing.T) {
			_, s := damagedStudy(t, c.statement)
			ctx := context.Background()
			results, err := s.Results(ctx)
			if err != nil || len(results) != 10 {
				t.Fatalf("%d results, %v", len(results), err)
			}
			for i, r := range results {
				if want := map[bool]string{true: "failed", false: "complete"}[i == 3]; r.State != want {
					t.Errorf("trial %d is %s (%s), want %s", i, r.State, r.Reason, want)
				}
			}
			if r := results[3].Reason; !strings.HasPrefix(r, c.reason) {
				t.Errorf("the reason is %q, want %q", r, c.reason)
			}
			if best, err := s.Best(ctx); err != nil || best.Number == 3 {
				t.Errorf("the best is trial %d, %v", best.Number, err)
			}
			for _, sampler := range study.Samplers {
				next := must.For(study.New(ctx, s.Storage(), "a", study.Options{Sampler: sampler}))(t)
				err = next.Optimize(ctx, func(_ context.Context, _ int, tr *study.Trial) (float64, error) {
					if _, err := tr.Choice("rule", []string{"closure", "printed"}); err != nil {
						return 0, err
					}
					return tr.Float("x", 0, 1, false)
				}, study.Run{Trials: 3})
				if err != nil {
					t.Errorf("%s does not continue: %v", sampler, err)
				}
			}
		})
	}
}

func paramOf(string) string { return "UPDATE trial_params SET param_value = " }

func at3(name string) string {
	return " WHERE param_name = '" + name + "' AND trial_id = (SELECT trial_id FROM trials WHERE number = 3)"
}

// Damage outside single trials is returned as an error at once, without retries.
func TestDamagedTables(t *testing.T) {
	for name, statement := range map[string]string{
		"number":   "UPDATE trials SET number = 'abc' WHERE number = 3",
		"trial id": "UPDATE trial_params SET trial_id = 'abc' WHERE param_id IN (SELECT max(param_id) FROM trial_params)",
		"table":    "DROP TABLE trial_params",
		"column":   "ALTER TABLE trials RENAME COLUMN value TO worth",
	} {
		t.Run(name, func(t *testing.T) {
			_, s := damagedStudy(t, statement)
			results, err := s.Results(context.Background())
			if name == "trial id" && err == nil { // the row belongs to no trial
				if len(results) != 10 {
					t.Errorf("%d results", len(results))
				}
				return
			}
			if name == "column" && err == nil {
				for _, r := range results {
					if r.State != "failed" || r.Reason != "damaged: its value is nothing" {
						t.Errorf("trial %d is %s (%s)", r.Number, r.State, r.Reason)
					}
				}
				return
			}
			if !errors.Is(err, study.ErrStorage) || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line that wraps ErrStorage", err)
			}
		})
	}
}
