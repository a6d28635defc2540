package study_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dpworkbench/internal/must"
	"dpworkbench/study"

	"github.com/c-bata/goptuna"
	"github.com/c-bata/goptuna/rdb.v2"
	"github.com/glebarez/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// goptunaAgrees fails unless goptuna reads the tables, has nothing to migrate, and continues the study.
func goptunaAgrees(t *testing.T, url string) {
	ctx := context.Background()
	storage := open(t, url)
	s := newStudy(t, storage, "both", study.Options{Sampler: "random", Seed: 2})
	objective := func(ctx context.Context, w int, tr *study.Trial) (float64, error) {
		if tr.Number() == 4 {
			return math.NaN(), nil
		}
		return sphere(ctx, w, tr)
	}
	if err := s.Optimize(ctx, objective, study.Run{Trials: 8}); err != nil {
		t.Fatal(err)
	}
	results := must.For(s.Results(ctx))(t)
	best := must.For(s.Best(ctx))(t)
	if err := rdb.RunAutoMigrate(storage.DB()); err != nil {
		t.Fatalf("goptuna's migration: %v", err)
	}
	other := must.For(goptuna.LoadStudy("both", goptuna.StudyOptionStorage(rdb.NewStorage(storage.DB())), goptuna.StudyOptionLogger(nil)))(t)
	trials, err := other.GetTrials()
	if err != nil || len(trials) != len(results) {
		t.Fatalf("goptuna reads %d trials (%v), want %d", len(trials), err, len(results))
	}
	for i, r := range results {
		g := trials[i]
		want := goptuna.TrialStateComplete
		if r.State != "complete" {
			want = goptuna.TrialStateFail
		}
		if g.Number != r.Number || g.State != want || fmt.Sprint(g.Params) != fmt.Sprint(r.Params) ||
			(want == goptuna.TrialStateComplete && g.Value != r.Value) || !g.DatetimeStart.Equal(r.Start) {
			t.Errorf("goptuna reads %+v, want %+v", g, r)
		}
	}
	if g, err := other.GetBestParams(); err != nil || fmt.Sprint(g) != fmt.Sprint(best.Params) {
		t.Errorf("goptuna's best trial is %v (%v), want %v", g, err, best.Params)
	}
	byGoptuna(t, storage.DB(), "of its own")
	if own, err := study.Load(ctx, storage, "of its own"); err != nil {
		t.Error(err)
	} else if results, err := own.Results(ctx); err != nil || len(results) != 3 || results[2].State != "complete" {
		t.Errorf("a study of goptuna's reads %+v (%v)", results, err)
	}
	for _, name := range []string{"both", "of its own"} {
		if err := storage.Delete(ctx, name); err != nil {
			t.Error(err)
		}
	}
}

// byGoptuna runs three trials with goptuna.
func byGoptuna(t *testing.T, db *gorm.DB, name string) {
	t.Helper()
	s := must.For(goptuna.CreateStudy(name, goptuna.StudyOptionStorage(rdb.NewStorage(db)), goptuna.StudyOptionLogger(nil)))(t)
	if err := s.Optimize(func(tr goptuna.Trial) (float64, error) { return tr.SuggestFloat("x", 0, 1) }, 3); err != nil {
		t.Fatal(err)
	}
}

func TestGoptunaReadsSQLite(t *testing.T) { goptunaAgrees(t, filepath.Join(t.TempDir(), "s.db")) }

// Open takes over a database made by goptuna, also after Optuna has opened it and made its tables. Optuna then sees
// the trials too.
func TestOpenOtherDatabases(t *testing.T) {
	ctx := context.Background()
	for name, test := range map[string]struct {
		before []string
		want   string // part of the error, or "" for none
	}{
		"of goptuna":         {},
		"opened by Optuna":   {before: []string{"CREATE TABLE study_directions (study_direction_id INTEGER)", "CREATE TABLE alembic_version (version_num VARCHAR(32))"}},
		"of another program": {before: []string{"CREATE TABLE study_directions (study_direction_id INTEGER)", "INSERT INTO study_directions VALUES (1)"}, want: "another program"},
		"without a column":   {before: []string{"ALTER TABLE studies DROP COLUMN direction"}, want: "another program"},
	} {
		path := filepath.Join(t.TempDir(), "s.db")
		db := must.For(gorm.Open(sqlite.Open(path), &gorm.Config{Logger: logger.Discard}))(t)
		if err := rdb.RunAutoMigrate(db); err != nil {
			t.Fatal(err)
		}
		byGoptuna(t, db, "old")
		for _, statement := range test.before {
			if err := db.Exec(statement).Error; err != nil {
				t.Fatal(err)
			}
		}
		if pool, err := db.DB(); err == nil {
			pool.Close()
		}
		storage, err := study.Open(ctx, path, study.StorageOptions{Patience: time.Minute})
		if test.want != "" {
			if !errors.Is(err, study.ErrStorage) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("a database %s gives %v, want %q", name, err, test.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("a database %s: %v", name, err)
			continue
		}
		var n, seen int64
		storage.DB().Table("trial_values").Joins("JOIN trials ON trials.trial_id = trial_values.trial_id").
			Where("objective = 0 AND value_type = 'FINITE' AND trials.value = trial_values.value").Count(&n)
		storage.DB().Table("study_directions").Where("direction = 'MINIMIZE'").Count(&seen)
		if n != 3 || seen != 1 {
			t.Errorf("a database %s has %d values and %d studies for Optuna, want 3 and 1", name, n, seen)
		}
		storage.Close()
	}
}
