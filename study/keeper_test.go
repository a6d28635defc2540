package study

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"gorm.io/gorm"
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

// Whenever a trial is lost while a worker looks whether any is left, the worker does not leave: it would be
// repeated by nobody.
func TestNoTrialIsLostBetweenLooks(t *testing.T) {
	ctx := context.Background()
	file := prepared(t)
	for at := 1; ; at++ {
		storage, err := Open(ctx, copied(t, file), StorageOptions{})
		if err != nil {
			t.Fatal(err)
		}
		defer storage.Close()
		if err := storage.db.Delete(&trialRow{}, "trial_id = ?", waitingID).Error; err != nil {
			t.Fatal(err)
		}
		native := trialRow{Study: 1, Number: 9, State: running} // of no worker of ours: it is nobody's to wait for
		if err := storage.db.Create(&native).Error; err != nil {
			t.Fatal(err)
		}
		s, err := Load(ctx, storage, "a")
		if err != nil {
			t.Fatal(err)
		}
		if waits, runs, err := storage.unfinished(ctx, s.id); waits != 0 || runs != 1 || err != nil {
			t.Fatalf("%d wait and %d run (%v), want 0 and 1", waits, runs, err)
		}
		statements := 0
		if err := storage.db.Callback().Query().After("gorm:query").Register("lose", func(*gorm.DB) {
			if statements++; statements == at {
				if done, err := storage.lose(ctx, s.id, runningID, foreign, "gone"); err != nil || !done {
					t.Error(done, err)
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
		p := party{study: s, run: Run{Beat: time.Nanosecond, Lost: time.Hour}}
		p.keeper = newKeeper(s, p.run)
		if done, err := p.await(ctx); done || err != nil {
			t.Errorf("lost after statement %d: done is %t, %v", at, done, err)
		}
		if statements < at {
			if at == 1 {
				t.Error("nothing was asked")
			}
			return
		}
		if waits, runs, err := storage.unfinished(ctx, s.id); waits != 1 || runs != 0 || err != nil {
			t.Errorf("lost after statement %d: %d wait and %d run (%v), want 1 and 0", at, waits, runs, err)
		}
	}
}
