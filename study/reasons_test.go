package study

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpworkbench/evidence"

	"github.com/glebarez/sqlite"
	"gorm.io/gorm"
)

// A trial of any sampler ends with the error of the storage that failed it, or is done; the study goes on afterwards.
func TestSamplersSurviveFaults(t *testing.T) {
	ctx := context.Background()
	file := prepared(t)
	for _, name := range Samplers {
		run := func(s *Storage, at string) error {
			st, err := New(ctx, s, "a", Options{Sampler: at, Seed: 3})
			if err != nil {
				return err
			}
			return st.Optimize(ctx, func(_ context.Context, _ int, t *Trial) (float64, error) { return t.Float("x", 0, 1, false) }, Run{Trials: 2})
		}
		eachFault(t, file, impatient, func(s *Storage) error { return run(s, name) }, func(s *Storage, err error) error {
			if err := run(s, name); err != nil {
				return fmt.Errorf("%s afterwards: %w", name, err)
			}
			return nil
		})
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
		"mysql://u@h/d?tls=%zz": "name=value",
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
	if _, err := storage.CreateNewTrial(1); err == nil {
		t.Error("a trial without a study's order begins")
	}
	s, err := New(ctx, storage, "a", Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.sampler = "bayes"
	if err := s.Optimize(ctx, oneOfAll, Run{Trials: 1}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("a sampler that there is not: %v", err)
	}
}
