package study

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// A worker of another machine is judged by its beats alone: while they go on its
// trial is waited for, and when they stop the trial is repeated.
func TestTrialsOfOtherMachines(t *testing.T) {
	ctx := context.Background()
	storage, err := Open(ctx, filepath.Join(t.TempDir(), "s.db"), StorageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer storage.Close()
	s, err := New(ctx, storage, "far", Options{Sampler: "random"})
	if err != nil {
		t.Fatal(err)
	}
	far := owner{host: "another machine", pid: "1", start: "1", nonce: "n"}
	b, err := storage.begin(ctx, s.id, 0, far.mark("1", 0))
	if err != nil {
		t.Fatal(err)
	}
	if err := storage.param(ctx, b.id, "x", 0.25, `{"name":"UniformDistribution","attributes":{"high":1,"low":0}}`); err != nil {
		t.Fatal(err)
	}
	var stopped atomic.Bool
	var got float64
	waiting := make(chan error, 1)
	go func() {
		waiting <- s.Optimize(ctx, func(_ context.Context, _ int, tr *Trial) (float64, error) {
			if !stopped.Load() {
				t.Error("a trial was repeated while its worker lived")
			}
			v, err := tr.Float("x", 0, 1, false)
			got = v
			return v, err
		}, Run{Total: 1, Beat: 10 * time.Millisecond, Lost: 1000 * time.Hour})
	}()
	const lost = time.Minute
	k, now := newKeeper(s, Run{Lost: lost}), time.Now()
	for beat := range 5 { // its signs of life
		if err := storage.beat(ctx, b.id, far.mark("1", beat)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := k.sweep(ctx, now); err != nil {
				t.Fatal(err)
			}
			now = now.Add(lost)
		}
	}
	stopped.Store(true)
	if err := k.sweep(ctx, now); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; err != nil {
		t.Fatal(err)
	}
	results, err := s.Results(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 2 || !results[0].Lost || results[1].State != "complete" || got != 0.25 {
		t.Errorf("the trials are %+v; the repeated one had x = %g, want the 0.25 of the lost one", results, got)
	}
	// The far worker comes back: its answer comes too late to count.
	if _, err := storage.finish(ctx, b, s.id, 7, ""); err == nil {
		t.Error("a trial that was repeated is finished all the same")
	}
}
