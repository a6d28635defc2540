package repl

import (
	"bytes"
	"context"
	"math"
	"strings"
	"sync"
	"testing"

	"dpworkbench/script"
	"dpworkbench/study"
)

// newNews returns the news of an empty study in memory, its storage, and the buffer it prints to.
func newNews(t *testing.T) (*news, *study.Storage, *bytes.Buffer) {
	t.Helper()
	storage, err := study.Open(t.Context(), "", study.StorageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = storage.Close() })
	s, err := study.New(t.Context(), storage, "a", study.Options{Sampler: "random"})
	if err != nil {
		t.Fatal(err)
	}
	var told bytes.Buffer
	return &news{search: &search{Study: s}, session: &script.Session{Stderr: &told}, ctx: t.Context()}, storage, &told
}

// Concurrent workers report their trials while others read the summary: no trial is lost, and the best is the best of
// all.
func TestNewsOfManyWorkers(t *testing.T) {
	n, _, told := newNews(t)
	const workers, trials = 4, 50
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range trials {
				number := w*trials + i
				r := study.Result{Number: number, State: "complete", Value: float64(1000 - number)}
				if i%5 == 4 {
					r = study.Result{Number: number, State: "failed", Reason: "no luck"}
				}
				n.ended(r)
				if i%10 == 0 {
					_ = n.fruitless(context.Background())
					n.close(context.Background())
				}
			}
		})
	}
	wg.Wait()
	if n.ran != workers*trials || n.failed != workers*trials/5 {
		t.Errorf("%d trials of which %d failed, want %d and %d", n.ran, n.failed, workers*trials, workers*trials/5)
	}
	if want := "802 at trial 198"; n.summary() != want {
		t.Errorf("the best is %q, want %q", n.summary(), want)
	}
	if got := strings.Count(told.String(), "trials run"); got != workers*trials/10 {
		t.Errorf("%d reports, want %d", got, workers*trials/10)
	}
}

// A run is an error if all its trials failed, or if the study has no complete trial at its end. It is not an error if
// any run completed a trial, or if nothing was left to do.
func TestRunWithoutCompleteTrial(t *testing.T) {
	none, reason := ", and none of the 0 trials of the study is complete", "trial 0: the objective is NaN, want a finite number"
	for name, c := range map[string]struct {
		before, others string // a letter per trial: c is complete, f is failed
		own            string
		want           string
	}{
		"nothing":                       {want: "no trial was run" + none},
		"the total was reached":         {before: "cf"},
		"the total was reached in vain": {before: "ff", want: "no trial was run, and none of the 2 trials of the study is complete; " + reason},
		"all complete":                  {own: "cc"},
		"some complete":                 {own: "fcf"},
		"all failed":                    {own: "ff", want: "all 2 trials failed; " + reason},
		"all failed after others":       {before: "c", own: "f", want: "all 1 trials failed; trial 1: the objective is NaN, want a finite number"},
		"others completed meanwhile":    {before: "c", own: "f", others: "c"},
		"others completed, none here":   {others: "c"},
		"others failed too":             {before: "f", own: "f", others: "f", want: "all 1 trials failed; trial 1: the objective is NaN, want a finite number"},
		"others failed, none here":      {others: "f", want: "no trial was run, and none of the 1 trials of the study is complete; " + reason},
	} {
		n, _, _ := newNews(t)
		run := func(trials string, ended func(study.Result)) {
			i := -1
			if err := n.search.Optimize(t.Context(), func(context.Context, int, *study.Trial) (float64, error) {
				i++
				return map[byte]float64{'c': 1, 'f': math.NaN()}[trials[i]], nil
			}, study.Run{Trials: len(trials), Ended: ended}); err != nil && trials != "" {
				t.Error(err)
			}
		}
		run(c.before, nil)
		n.resume()
		run(c.own, n.ended)
		run(c.others, nil)
		if err := n.fruitless(t.Context()); (err == nil) != (c.want == "") || err != nil && err.Error() != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// The report on failed trials has the first reason, and an unavailable storage is reported.
func TestNewsOfFailures(t *testing.T) {
	n, storage, told := newNews(t)
	if n.summary() != "" {
		t.Errorf("without trials: %q", n.summary())
	}
	n.ended(study.Result{Number: 0, State: "failed", Reason: "no luck"})
	n.ended(study.Result{Number: 1, State: "failed", Reason: "again"})
	if err := n.fruitless(t.Context()); err == nil || err.Error() != "all 2 trials failed; trial 0: no luck" {
		t.Errorf("after two failed trials: %v", err)
	}
	n.close(t.Context())
	if want := "study a: 2 trials run, 2 failed (trial 0: no luck); no trial has finished\n"; told.String() != want {
		t.Errorf("printed %q, want %q", told, want)
	}
	n.ended(study.Result{Number: 2, State: "complete", Value: 1})
	if err := n.fruitless(t.Context()); err != nil {
		t.Errorf("after a completed trial: %v", err)
	}
	if err := storage.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got := Best(ctx, n.search.Study); !strings.HasPrefix(got, "the best is not known: storage in memory: ") {
		t.Errorf("without a storage: %q", got)
	}
	n.failed = n.ran
	if err := n.fruitless(ctx); err == nil || !strings.HasPrefix(err.Error(), "storage in memory: ") {
		t.Errorf("without a storage: %v", err)
	}
}

// A resumed study names its own best trial, not only that of the current run.
func TestNewsOfResumedStudies(t *testing.T) {
	n, _, told := newNews(t)
	n.resume()
	if n.known() || told.Len() > 0 {
		t.Errorf("an empty study has the best %q and prints %q", n.summary(), told)
	}
	values := []float64{3, 1, 2}
	err := n.search.Optimize(t.Context(), func(_ context.Context, _ int, trial *study.Trial) (float64, error) {
		return values[trial.Number()], nil
	}, study.Run{Trials: len(values), Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	n.resume()
	n.ended(study.Result{Number: 3, State: "complete", Value: 2.5})
	if want := "1 at trial 1"; n.summary() != want {
		t.Errorf("the best is %q, want %q", n.summary(), want)
	}
	if want := "study a: resumed; best 1 at trial 1"; !strings.Contains(told.String(), want) {
		t.Errorf("printed %q, want %q", told, want)
	}
	n.ended(study.Result{Number: 4, State: "complete", Value: 0.5})
	if want := "0.5 at trial 4"; n.summary() != want {
		t.Errorf("the best is %q, want %q", n.summary(), want)
	}
}
