package study_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"dpworkbench/internal/must"
	"dpworkbench/study"

	"gorm.io/gorm"
)

// open opens a storage for the duration of a test.
func open(t testing.TB, url string) *study.Storage {
	t.Helper()
	s := must.For(study.Open(context.Background(), url, study.StorageOptions{Patience: time.Minute}))(t)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func newStudy(t testing.TB, s *study.Storage, name string, o study.Options) *study.Study {
	t.Helper()
	st := must.For(study.New(context.Background(), s, name, o))(t)
	return st
}

// sphere is an objective with minimum 0 at (0.3, −2).
func sphere(_ context.Context, _ int, t *study.Trial) (float64, error) {
	x, err := t.Float("x", 0, 1, false)
	if err != nil {
		return 0, err
	}
	y, err := t.Float("y", -5, 5, false)
	if err != nil {
		return 0, err
	}
	return (x-0.3)*(x-0.3) + (y+2)*(y+2)/100, nil
}

func points(t testing.TB, s *study.Study) []string {
	t.Helper()
	results := must.For(s.Results(context.Background()))(t)
	var out []string
	for _, r := range results {
		if !r.Lost {
			out = append(out, fmt.Sprint(r.Params, r.Value))
		}
	}
	return out
}

func TestSamplersFindTheMinimum(t *testing.T) {
	// The best of n random points misses the minimum by about 1/n. CMA-ES and TPE must do much better, and Sobol's
	// sequence no worse.
	for sampler, want := range map[string]float64{"cmaes": 1e-6, "tpe": 2e-3, "sobol": 2e-2, "random": 3e-2} {
		s := newStudy(t, open(t, ""), "sphere", study.Options{Sampler: sampler, Seed: 7})
		if err := s.Optimize(context.Background(), sphere, study.Run{Trials: 200}); err != nil {
			t.Fatal(err)
		}
		best := must.For(s.Best(context.Background()))(t)
		t.Logf("%s: %g at trial %d", sampler, best.Value, best.Number)
		if !(best.Value <= want) {
			t.Errorf("%s: best of 200 trials is %g, want at most %g", sampler, best.Value, want)
		}
	}
}

func TestSameSeedSameTrials(t *testing.T) {
	for _, sampler := range study.Samplers {
		run := func(seed uint64, pieces ...int) []string {
			storage := open(t, filepath.Join(t.TempDir(), "study.db"))
			for _, n := range pieces {
				s := newStudy(t, storage, "sphere", study.Options{Sampler: sampler, Seed: seed})
				if err := s.Optimize(context.Background(), sphere, study.Run{Trials: n}); err != nil {
					t.Fatal(err)
				}
			}
			return points(t, newStudy(t, storage, "sphere", study.Options{}))
		}
		whole := run(3, 40)
		if got := run(3, 13, 1, 26); fmt.Sprint(got) != fmt.Sprint(whole) {
			t.Errorf("%s: a resumed study differs from one that was not interrupted", sampler)
		}
		if got := run(4, 40); fmt.Sprint(got) == fmt.Sprint(whole) {
			t.Errorf("%s: another seed gives the same trials", sampler)
		}
	}
}

func TestInterruptedTrialIsRepeated(t *testing.T) {
	for _, sampler := range study.Samplers {
		whole := newStudy(t, open(t, ""), "a", study.Options{Sampler: sampler, Seed: 1})
		if err := whole.Optimize(context.Background(), sphere, study.Run{Trials: 30}); err != nil {
			t.Fatal(err)
		}
		cut := newStudy(t, open(t, ""), "a", study.Options{Sampler: sampler, Seed: 1})
		for _, at := range []int{0, 3, 17} {
			ctx, cancel := context.WithCancel(context.Background())
			err := cut.Optimize(ctx, func(ctx context.Context, w int, tr *study.Trial) (float64, error) {
				v, err := sphere(ctx, w, tr)
				if tr.Number() >= at {
					cancel()
					return 0, ctx.Err()
				}
				return v, err
			}, study.Run{Total: 30})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("an interrupted run ends with %v", err)
			}
		}
		if err := cut.Optimize(context.Background(), sphere, study.Run{Total: 30}); err != nil {
			t.Fatal(err)
		}
		if a, b := points(t, whole), points(t, cut); fmt.Sprint(a) != fmt.Sprint(b) {
			t.Errorf("%s: interrupted three times, the study has different trials:\n%v\n%v", sampler, a, b)
		}
	}
}

func TestFailedTrials(t *testing.T) {
	s := newStudy(t, open(t, ""), "bad", study.Options{Sampler: "random"})
	if _, err := s.Best(context.Background()); !errors.Is(err, study.ErrNoTrial) {
		t.Errorf("Best without trials: %v", err)
	}
	bad := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 5}
	objective := func(_ context.Context, _ int, tr *study.Trial) (float64, error) {
		switch n := tr.Number(); {
		case n < len(bad):
			return bad[n], nil
		case n == 4:
			return 0, errors.New("no luck")
		}
		panic("out of hand")
	}
	if err := s.Optimize(context.Background(), objective, study.Run{Trials: 6}); err != nil {
		t.Fatal(err)
	}
	results := must.For(s.Results(context.Background()))(t)
	for i, want := range []string{"failed", "failed", "failed", "complete", "failed", "failed"} {
		if r := results[i]; r.State != want || (want == "failed") != (r.Reason != "") || (want == "failed") != math.IsNaN(r.Value) {
			t.Errorf("trial %d is %s (%q, value %g), want %s", i, r.State, r.Reason, r.Value, want)
		}
	}
	best, err := s.Best(context.Background())
	if err != nil || best.Value != 5 || best.Number != 3 {
		t.Errorf("best is %+v (%v), want trial 3 with value 5", best, err)
	}
}

// A run with a different parameter space is rejected, and later trials are as if it had never run.
func TestDifferentSpaceIsRejected(t *testing.T) {
	storage := open(t, "")
	s := newStudy(t, storage, "one", study.Options{Sampler: "random"})
	if err := s.Optimize(context.Background(), sphere, study.Run{Trials: 3}); err != nil {
		t.Fatal(err)
	}
	for name, objective := range map[string]study.Objective{
		"another range": func(_ context.Context, _ int, t *study.Trial) (float64, error) { return t.Float("x", 0, 2, false) },
		"another kind": func(_ context.Context, _ int, t *study.Trial) (float64, error) {
			n, err := t.Int("x", 0, 1)
			return float64(n), err
		},
		"another name": func(_ context.Context, _ int, t *study.Trial) (float64, error) { return t.Float("z", 0, 1, false) },
		"another range of the second": func(_ context.Context, _ int, t *study.Trial) (float64, error) {
			if _, err := t.Float("x", 0, 1, false); err != nil {
				return 0, err
			}
			return t.Float("y", 0, 1, false)
		},
	} {
		again := newStudy(t, storage, "one", study.Options{Sampler: "random"})
		if err := again.Optimize(context.Background(), objective, study.Run{Trials: 5}); !errors.Is(err, study.ErrSpace) {
			t.Errorf("%s gives %v", name, err)
		}
	}
	if _, err := study.New(context.Background(), storage, "one", study.Options{Maximize: true}); err == nil {
		t.Error("another direction is accepted")
	}
	if results, err := s.Results(context.Background()); err != nil || len(results) != 4 || results[3].State != "waiting" || len(results[3].Params) > 0 {
		t.Errorf("the trials are %+v (%v), want 3 complete ones and a waiting one", results, err)
	}
	if err := s.Optimize(context.Background(), sphere, study.Run{Total: 5}); err != nil {
		t.Fatal(err)
	}
	checkLedger(t, s, 5)
	whole := newStudy(t, open(t, ""), "one", study.Options{Sampler: "random"})
	if err := whole.Optimize(context.Background(), sphere, study.Run{Trials: 5}); err != nil {
		t.Fatal(err)
	}
	if got, want := points(t, s), points(t, whole); !slices.Equal(got, want) {
		t.Errorf("the trials are %q, want %q", got, want)
	}
}

func TestWorkersShareAStudy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "study.db")
	done := make(chan error)
	for range 3 { // separate connections, like three processes
		go func() {
			storage, err := study.Open(context.Background(), path, study.StorageOptions{})
			if err == nil {
				defer storage.Close()
				var s *study.Study
				if s, err = study.New(context.Background(), storage, "shared", study.Options{Sampler: "cmaes"}); err == nil {
					err = s.Optimize(context.Background(), sphere, study.Run{Trials: 20, Workers: 2})
				}
			}
			done <- err
		}()
	}
	for range 3 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	s := must.For(study.Load(context.Background(), open(t, path), "shared"))(t)
	checkLedger(t, s, 60)
}

// checkLedger fails unless the study has the wanted number of complete trials at different points, and all trials are
// numbered without gaps.
func checkLedger(t *testing.T, s *study.Study, want int) {
	t.Helper()
	results := must.For(s.Results(context.Background()))(t)
	complete, seen := 0, make(map[string]int)
	for i, r := range results {
		if r.Number != i {
			t.Errorf("the trial at place %d has the number %d", i, r.Number)
		}
		switch {
		case r.State == "complete":
			complete++
			key := fmt.Sprint(r.Params)
			if before, ok := seen[key]; ok {
				t.Errorf("trials %d and %d are the same point", before, i)
			}
			seen[key] = i
			x, y := r.Params["x"].(float64), r.Params["y"].(float64)
			if v := (x-0.3)*(x-0.3) + (y+2)*(y+2)/100; math.Abs(v-r.Value) > 1e-12 {
				t.Errorf("trial %d has the value %g, its parameters give %g", i, r.Value, v)
			}
		case !r.Lost:
			t.Errorf("trial %d is %s: %s", i, r.State, r.Reason)
		}
	}
	if complete != want {
		t.Errorf("%d complete trials, want %d", complete, want)
	}
	var written, right int64 // values in Optuna's table
	of := s.Storage().DB().Table("trial_values").Joins("JOIN trials ON trials.trial_id = trial_values.trial_id").
		Joins("JOIN studies ON studies.study_id = trials.study_id").Where("studies.study_name = ?", s.Name())
	if err := of.Session(&gorm.Session{}).Count(&written).Error; err != nil {
		t.Error(err)
	}
	if err := of.Where("trials.state = 'COMPLETE' AND step = 0 AND objective = 0 AND value_type = 'FINITE' AND ABS(trial_values.value - trials.value) <= 1e-6 * (1 + ABS(trials.value))").Count(&right).Error; err != nil {
		t.Error(err)
	}
	if written != int64(complete) || right != written {
		t.Errorf("Optuna's table has %d values for %d complete trials, %d of them right", written, complete, right)
	}
}

// Errors that retries cannot resolve are returned at once.
func TestPermanentErrorsAreNotRetried(t *testing.T) {
	ctx, path := context.Background(), filepath.Join(t.TempDir(), "no.db")
	if err := os.WriteFile(path, []byte("this is no database, however long one waits for it"), 0o644); err != nil {
		t.Fatal(err)
	}
	patient := study.StorageOptions{Patience: time.Hour} // a storage that retries this would never return
	if _, err := study.Open(ctx, path, patient); !errors.Is(err, study.ErrStorage) {
		t.Errorf("a file that is not a database gives %v", err)
	}
	storage := must.For(study.Open(ctx, "", patient))(t)
	defer storage.Close()
	if _, err := study.Load(ctx, storage, "nobody"); !errors.Is(err, study.ErrUnknown) {
		t.Errorf("an unknown study gives %v", err)
	}
	if _, err := study.Open(ctx, filepath.Join(t.TempDir(), "none.db"), study.StorageOptions{Patience: time.Hour, MustExist: true}); !errors.Is(err, study.ErrStorage) {
		t.Errorf("a missing file gives %v", err)
	}
}
