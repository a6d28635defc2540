package study

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"dpworkbench/internal/locks"
	"dpworkbench/internal/must"

	"github.com/c-bata/goptuna"
	"gorm.io/gorm"
)

// A worker on another machine is judged only by its heartbeats. While they continue, this process waits for the
// worker's trial; when they stop, it repeats the trial.
func TestTrialsOfOtherMachines(t *testing.T) {
	ctx := context.Background()
	storage := must.For(Open(ctx, filepath.Join(t.TempDir(), "s.db"), StorageOptions{}))(t)
	defer storage.Close()
	s := must.For(New(ctx, storage, "far", Options{Sampler: "random"}))(t)
	far := owner{host: "another machine", pid: "1", start: "1", nonce: "n"}
	b := must.For(storage.begin(ctx, s.id, 0, far.mark("1", 0)))(t)
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
		}, Run{Total: 1, Heartbeat: 10 * time.Millisecond, Lost: 1000 * time.Hour})
	}()
	const lost = time.Minute
	k, now := newLease(s, Run{Lost: lost}), time.Now()
	for beat := range 5 { // heartbeats of the worker
		if err := storage.heartbeat(ctx, b.id, far.mark("1", beat)); err != nil {
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
	results := must.For(s.Results(ctx))(t)
	if len(results) != 2 || !results[0].Lost || results[0].State != "lost" || results[1].State != "complete" || got != 0.25 {
		t.Errorf("the trials are %+v; the repeated one had x = %g, want the 0.25 of the lost one", results, got)
	}
	// The other worker comes back too late, and its result is rejected.
	if _, err := storage.finish(ctx, b, s.id, 7, ""); err == nil {
		t.Error("the worker finishes a trial that was already repeated")
	}
}

// If a trial is lost while a worker checks for remaining trials, the worker continues, because no other worker would
// repeat the trial.
func TestWorkerStaysForLostTrial(t *testing.T) {
	ctx := context.Background()
	file := PreparedStudy(t)
	for at := 1; ; at++ {
		storage := must.For(Open(ctx, copyFile(t, file), StorageOptions{}))(t)
		defer storage.Close()
		if err := storage.db.Delete(&trialRow{}, "trial_id = ?", waitingID).Error; err != nil {
			t.Fatal(err)
		}
		native := trialRow{Study: 1, Number: 9, State: running} // no worker of this package holds it, so nobody waits
		if err := storage.db.Create(&native).Error; err != nil {
			t.Fatal(err)
		}
		s := must.For(Load(ctx, storage, "a"))(t)
		if waits, runs, err := storage.unfinished(ctx, s.id); waits != 0 || runs != 1 || err != nil {
			t.Fatalf("%d trials wait and %d run (%v), want 0 and 1", waits, runs, err)
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
		p := workerPool{study: s, run: Run{Heartbeat: time.Nanosecond, Lost: time.Hour}}
		p.lease = newLease(s, p.run)
		if done, err := p.await(ctx); done || err != nil {
			t.Errorf("trial lost after statement %d: done is %t, %v", at, done, err)
		}
		if statements < at {
			if at == 1 {
				t.Error("await makes no query")
			}
			return
		}
		if waits, runs, err := storage.unfinished(ctx, s.id); waits != 1 || runs != 0 || err != nil {
			t.Errorf("trial lost after statement %d: %d trials wait and %d run (%v), want 1 and 0", at, waits, runs, err)
		}
	}
}

// If more trials run than a query can name, all of them are read, also the second time. If a query fails, reading
// returns an error.
func TestManyOpenTrials(t *testing.T) {
	ctx := context.Background()
	file := copyFile(t, PreparedStudy(t))
	storage := must.For(Open(ctx, file, StorageOptions{}))(t)
	const many = chunk + 5
	if err := storage.db.Exec("WITH RECURSIVE n(i) AS (SELECT 7 UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO trials (number, study_id, state) SELECT i, 1, 'RUNNING' FROM n", 6+many).Error; err != nil {
		t.Fatal(err)
	}
	if err := storage.Close(); err != nil {
		t.Fatal(err)
	}
	done := 0
	eachFault(t, file, impatient, func(s *Storage) error {
		for range 2 {
			if _, err := s.sync(ctx, 1); err != nil {
				return err
			}
		}
		return s.do(ctx, func(db *gorm.DB) error { return db.Exec("UPDATE trials SET state = 'FAIL' WHERE number > 6").Error })
	}, func(s *Storage, err error) error {
		if err != nil {
			return nil
		}
		done++
		trials, err := s.sync(ctx, 1)
		if err != nil || len(trials) < many || s.caches[1].last != trials[len(trials)-1].ID {
			return fmt.Errorf("%d trials are read, up to %d: %w", len(trials), s.caches[1].last, err)
		}
		for _, tr := range trials {
			if tr.Number > 6 && tr.State != goptuna.TrialStateFail {
				return fmt.Errorf("the new state of trial %d is not read", tr.Number)
			}
		}
		return nil
	})
	if done != 2 {
		t.Errorf("%d reads are complete, want 2", done)
	}
}

// A trial that always ends its process is abandoned after ten attempts, with that reason.
func TestLostTrialsAreAbandoned(t *testing.T) {
	ctx := context.Background()
	storage := must.For(Open(ctx, filepath.Join(t.TempDir(), "a.db"), StorageOptions{}))(t)
	defer storage.Close()
	s := must.For(New(ctx, storage, "a", Options{Sampler: "random"}))(t)
	for attempt := 1; ; attempt++ {
		b, err := storage.begin(ctx, s.id, 1, foreign)
		if errors.Is(err, errEnough) {
			if attempt != maxAttempts+1 {
				t.Errorf("abandoned after %d attempts", attempt-1)
			}
			break
		}
		if err != nil || attempt > maxAttempts {
			t.Fatalf("attempt %d: %v", attempt, err)
		}
		if err := storage.param(ctx, b.id, "x", 0.25, unitRange); err != nil {
			t.Fatal(err)
		}
		if done, err := storage.lose(ctx, s.id, b.id, foreign, "gone"); err != nil || !done {
			t.Fatal(done, err)
		}
	}
	results, err := s.Results(ctx)
	if err != nil || len(results) == 0 || results[len(results)-1].Reason != "gone; given up after 10 attempts" {
		t.Errorf("results %+v, %v, want an abandoned trial", results, err)
	}
}

// The workers of a process share its lease. Marks are unique. With concurrent heartbeats and sweeps, the lease agrees
// with the stored marks.
func TestLeaseIsShared(t *testing.T) {
	ctx := context.Background()
	storage := must.For(Open(ctx, copyFile(t, PreparedStudy(t)), StorageOptions{}))(t)
	defer storage.Close()
	s := must.For(Load(ctx, storage, "a"))(t)
	k := newLease(s, Run{Lost: time.Hour})
	b := begun{id: runningID, mark: k.mark()}
	if err := storage.heartbeat(ctx, b.id, b.mark); err != nil {
		t.Fatal(err)
	}
	k.hold(b)
	const workers, rounds = 4, 5
	marks := make([][]string, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for range rounds {
				marks[w] = append(marks[w], k.mark())
				other := begun{id: 1000 + w, mark: "m"}
				k.hold(other)
				k.release(other)
				if err := errors.Join(k.heartbeat(ctx), k.sweep(ctx, time.Now())); err != nil {
					t.Error(err)
				}
				_ = k.current(b)
			}
		})
	}
	wg.Wait()
	seen := make(map[string]bool)
	for _, of := range marks {
		for _, m := range of {
			if seen[m] {
				t.Errorf("the mark %q is not unique", m)
			}
			seen[m] = true
		}
	}
	held, err := storage.holders(ctx, s.id)
	if err != nil || len(held) != 1 || held[0].mark != k.current(b) {
		t.Errorf("the storage holds %+v (%v), the lease %q after %d heartbeats", held, err, k.current(b), k.heartbeats)
	}
	if k.heartbeats != workers*rounds {
		t.Errorf("%d heartbeats, want %d", k.heartbeats, workers*rounds)
	}
	k.release(b)
	if got := k.current(b); got != "" {
		t.Errorf("a released trial has the mark %q", got)
	}
	if err := k.renew(ctx, b.id); err != nil {
		t.Errorf("renewing an ended trial: %v", err)
	}
}

// If the storage is unavailable, heartbeats, sweeps and finish return an error.
func TestLeaseReportsOutage(t *testing.T) {
	ctx := context.Background()
	storage := must.For(Open(ctx, copyFile(t, PreparedStudy(t)), StorageOptions{}))(t)
	s := must.For(Load(ctx, storage, "a"))(t)
	storage.patience = impatient // only from here on, since opening may be slow
	k := newLease(s, Run{Lost: time.Hour})
	k.hold(begun{id: runningID, mark: foreign})
	if err := storage.Close(); err != nil {
		t.Fatal(err)
	}
	_, finishing := storage.finish(ctx, begun{id: runningID}, s.id, 1, "")
	for name, err := range map[string]error{"heartbeat": k.heartbeat(ctx), "sweep": k.sweep(ctx, time.Now()), "finish": finishing} {
		if !errors.Is(err, ErrStorage) {
			t.Errorf("%s without a storage: %v", name, err)
		}
	}
	if k.current(begun{id: runningID}) != foreign {
		t.Error("a heartbeat that was not stored changes the mark")
	}
	if err := s.Optimize(ctx, FailsTrialOne, Run{Trials: 1}); !errors.Is(err, ErrStorage) {
		t.Errorf("a run without a storage ends with %v", err)
	}
}

// finish fails if the study was removed meanwhile, and stores nothing. Finishing the same trial twice is not an
// error.
func TestResultsOfRemovedStudies(t *testing.T) {
	ctx := t.Context()
	storage := must.For(Open(ctx, copyFile(t, PreparedStudy(t)), StorageOptions{}))(t)
	defer storage.Close()
	b := begun{id: runningID, mark: foreign}
	for i := range 2 {
		if end, err := storage.finish(ctx, b, 1, 0.5, ""); err != nil || (end != nil) != (i == 0) {
			t.Errorf("result %d: %v, %v", i, end, err)
		}
	}
	if err := storage.Delete(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if end, err := storage.finish(ctx, b, 1, 0.5, ""); !errors.Is(err, gorm.ErrRecordNotFound) || end != nil {
		t.Errorf("finish without a study: %v, %v", end, err)
	}
	if b, err := storage.begin(ctx, 1, 0, "new"); !errors.Is(err, gorm.ErrRecordNotFound) {
		t.Errorf("trial %d of no study begins: %v", b.id, err)
	}
}

// Methods that goroutines share wait for their lock.
func TestStorageLocksSharedState(t *testing.T) {
	storage := must.For(Open(t.Context(), PreparedStudy(t), StorageOptions{}))(t)
	defer storage.Close()
	locks.Awaited(t, "tally", &storage.counting, func() { storage.tally(1) })
	locks.Awaited(t, "learn", &storage.counting, func() { storage.learn(1, tally{last: 1, all: 1}) })
	locks.Awaited(t, "keep", &storage.mu, func() { storage.cacheFinished(goptuna.FrozenTrial{StudyID: 1}) })
	locks.Awaited(t, "sync", &storage.mu, func() { _, _ = storage.sync(t.Context(), 1) })
	s := must.For(Load(t.Context(), storage, "a"))(t)
	locks.Awaited(t, "settle", &s.mu, func() { _ = s.settle(t.Context(), "x", unitRange, true) })
}
