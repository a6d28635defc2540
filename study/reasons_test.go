package study

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dpworkbench/evidence"

	"github.com/c-bata/goptuna"
	"github.com/glebarez/sqlite"
	"gorm.io/gorm"
)

// Every call of a run of any sampler that the storage fails is an error of the run, and of whoever asked in it for a parameter;
// the study goes on afterwards.
func TestSamplersSurviveFaults(t *testing.T) {
	ctx := context.Background()
	file := prepared(t)
	for _, name := range Samplers {
		done := 0
		run := func(s *Storage, at string) error {
			st, err := New(ctx, s, "a", Options{Sampler: at, Seed: 3})
			if err != nil {
				return err
			}
			return st.Optimize(ctx, func(_ context.Context, _ int, tr *Trial) (float64, error) {
				x, err := tr.Float("x", 0, 1, false)
				if (err != nil) != (tr.fatal != nil) {
					t.Errorf("%s: %v is told of %v", at, err, tr.fatal)
				}
				_, again := tr.Float("x", 0, 1, false)
				if !errors.Is(again, tr.fatal) {
					t.Errorf("%s: asked again, %v is told of %v", at, again, tr.fatal)
				}
				return x, err
			}, Run{Trials: 2})
		}
		eachFault(t, file, impatient, func(s *Storage) error { return run(s, name) }, func(s *Storage, err error) error {
			if err == nil {
				done++
			}
			if err := run(s, name); err != nil {
				return fmt.Errorf("%s afterwards: %w", name, err)
			}
			return nil
		})
		if done != 2 { // the last run of either kind of fault, which has none
			t.Errorf("%s: %d runs end without an error, want 2", name, done)
		}
	}
}

// Who waits for the trials of others looks again after a quarter of a second, or a beat where that is less; it hears of a
// storage that fails, at any call.
func TestWaitingForOthers(t *testing.T) {
	ctx := context.Background()
	file := prepared(t)
	running := func(s *Storage, beat time.Duration) (*party, error) {
		st, err := Load(ctx, s, "a")
		if err != nil {
			return nil, err
		}
		_, err = s.begin(ctx, st.id, 0, "another") // the trial that waits
		run := Run{Beat: beat, Lost: time.Hour}
		return &party{study: st, run: run, keeper: newKeeper(st, run)}, err
	}
	for beat, want := range map[time.Duration]time.Duration{time.Hour: 250 * time.Millisecond, 2 * time.Second: 250 * time.Millisecond, 100 * time.Millisecond: 100 * time.Millisecond} {
		path := copied(t, file)
		synctest.Test(t, func(t *testing.T) {
			s, err := Open(ctx, path, StorageOptions{})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			p, err := running(s, beat)
			if err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			if done, err := p.await(ctx); done || err != nil || time.Since(start) != want {
				t.Errorf("a beat of %v: done %t, %v after %v, want %v", beat, done, err, time.Since(start), want)
			}
		})
	}
	done := 0
	eachFault(t, file, impatient, func(s *Storage) error {
		p, err := running(s, time.Hour)
		if err == nil {
			_, err = p.await(ctx)
		}
		return err
	}, func(_ *Storage, err error) error {
		if err == nil {
			done++
		}
		return nil
	})
	if done != 2 {
		t.Errorf("%d waits end without an error, want the 2 that nothing failed in", done)
	}
}

// More trials that run than one query can name are read all the same, the next time too, or there is an error.
func TestManyOpenTrials(t *testing.T) {
	ctx := context.Background()
	file := copied(t, prepared(t))
	storage, err := Open(ctx, file, StorageOptions{})
	if err != nil {
		t.Fatal(err)
	}
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
				return fmt.Errorf("trial %d is read as it was", tr.Number)
			}
		}
		return nil
	})
	if done != 2 {
		t.Errorf("%d readings are whole, want 2", done)
	}
}

// Whoever looks for lost trials is told where the storage fails, and each is repeated once.
func TestSweepsSurviveFaults(t *testing.T) {
	ctx := context.Background()
	eachFault(t, prepared(t), impatient, func(s *Storage) error {
		st, err := Load(ctx, s, "a")
		if err != nil {
			return err
		}
		k := newKeeper(st, Run{Lost: time.Second})
		now := time.Now()
		return errors.Join(k.sweep(ctx, now), k.sweep(ctx, now.Add(time.Minute)))
	}, func(s *Storage, err error) error {
		var n int64
		broken := s.do(ctx, func(db *gorm.DB) error {
			return db.Model(&trialRow{}).Where("study_id = 1 AND state = ?", failed).Count(&n).Error
		})
		if broken != nil || err == nil && n != 3 {
			return fmt.Errorf("after %v: %d failed, %w", err, n, broken)
		}
		return nil
	})
}

// A trial that ends its process every time is given up after ten attempts, and says so.
func TestLostTrialsAreGivenUp(t *testing.T) {
	ctx := context.Background()
	storage, err := Open(ctx, filepath.Join(t.TempDir(), "a.db"), StorageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer storage.Close()
	s, err := New(ctx, storage, "a", Options{Sampler: "random"})
	if err != nil {
		t.Fatal(err)
	}
	for attempt := 1; ; attempt++ {
		b, err := storage.begin(ctx, s.id, 1, foreign)
		if errors.Is(err, errEnough) {
			if attempt != maxAttempts+1 {
				t.Errorf("given up after %d attempts", attempt-1)
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
		t.Errorf("%+v, %v", results, err)
	}
}

// What is no storage of studies, no sampler and no address is refused by what is wrong with it.
func TestRefusedWithReasons(t *testing.T) {
	ctx := context.Background()
	file := filepath.Join(t.TempDir(), "other.db")
	db, err := gorm.Open(sqlite.Open(file), new(gorm.Config))
	if err == nil {
		err = db.Exec("CREATE TABLE things (a INTEGER)").Error
	}
	if err != nil {
		t.Fatal(err)
	}
	closeDB(db)
	if s, err := Open(ctx, file, StorageOptions{MustExist: true}); err == nil || !strings.Contains(err.Error(), "holds no studies") {
		t.Errorf("%v, %v", s, err)
	}
	for url, want := range map[string]string{
		"sqlite:///": "a path without ?", "sqlite:///a?b": "a path without ?", "a.db#b": "a path without ?",
		"postgres://u@h/d?sslmode=%zz": "name=value",
		"mysql://u@h/d":                `storage = "mysql://…", want the path of a SQLite file, or postgres://…`, "mysql+pymysql://h": "of a PostgreSQL database",
	} {
		if _, err := parseAddress(url); !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", url, err, want)
		}
	}
	storage, err := Open(ctx, "", StorageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer storage.Close()
	s, err := New(ctx, storage, "a", Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.sampler = "bayes"
	if err := s.Optimize(ctx, oneOfAll, Run{Trials: 1}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a sampler that there is not: %v", err)
	}
}
