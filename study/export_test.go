package study

// Helpers of the tests inside and outside the package.

import (
	"context"
	"math"
	"path/filepath"
	"testing"

	"gorm.io/gorm"
)

// DB returns the connection, for tests that inspect the tables.
func (s *Storage) DB() *gorm.DB { return s.db }

// Delete removes a study, as another program may do by SQL.
func (s *Storage) Delete(ctx context.Context, name string) error {
	id, _, err := s.find(ctx, name)
	if err != nil {
		return err
	}
	return s.transact(ctx, id, func(tx *gorm.DB) error {
		for _, table := range []string{"trial_params", "trial_values", "trial_user_attributes", "trial_system_attributes"} {
			if err := tx.Exec("DELETE FROM "+table+" WHERE trial_id IN (SELECT trial_id FROM trials WHERE study_id = ?)", id).Error; err != nil {
				return err
			}
		}
		for _, table := range []string{"trials", "study_user_attributes", "study_system_attributes", "studies"} {
			if err := tx.Exec("DELETE FROM "+table+" WHERE study_id = ?", id).Error; err != nil {
				return err
			}
		}
		return nil
	})
}

// PreparedStudy returns a database file with the study "a". The study has two complete trials, a failed one, a running
// one with a parameter, and a waiting one that repeats a lost one.
func PreparedStudy(t *testing.T) (file string) {
	t.Helper()
	ctx := context.Background()
	file = filepath.Join(t.TempDir(), "prepared.db")
	storage, err := Open(ctx, file, StorageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(ctx, storage, "a", Options{Sampler: "random"})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Optimize(ctx, FailsTrialOne, Run{Trials: 3}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		b, err := storage.begin(ctx, s.id, 0, foreign)
		if err != nil {
			t.Fatal(err)
		}
		if err := storage.param(ctx, b.id, "x", 0.25, unitRange); err != nil {
			t.Fatal(err)
		}
		if b.number == 3 {
			if err := storage.SetTrialSystemAttr(b.id, attrCMA, "g"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if done, err := storage.lose(ctx, s.id, lostID, foreign, "gone"); err != nil || !done {
		t.Fatal(done, err)
	}
	if err := storage.Close(); err != nil {
		t.Fatal(err)
	}
	return file
}

// FailsTrialOne is an objective that fails in trial 1.
func FailsTrialOne(_ context.Context, _ int, t *Trial) (float64, error) {
	x, err := t.Float("x", 0, 1, false)
	if err == nil && t.Number() == 1 {
		return math.NaN(), nil
	}
	return x, err
}
