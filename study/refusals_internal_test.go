package study

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/evidence"

	"github.com/glebarez/sqlite"
	"gorm.io/gorm"
)

// Errors name the problem with a storage, a sampler or an address.
func TestErrorReasons(t *testing.T) {
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
		t.Errorf("a database without studies: %v, %v", s, err)
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
	if err := s.Optimize(ctx, FailsTrialOne, Run{Trials: 1}); !errors.Is(err, evidence.ErrParameter) {
		t.Errorf("an unknown sampler: %v", err)
	}
}

func TestAddressParameters(t *testing.T) {
	a, err := parseAddress("postgres://u:p@h/d?sslmode=require")
	if err != nil || !strings.Contains(a.dsn, "sslmode=require") || !strings.Contains(a.dsn, "connect_timeout=5") || a.name != "postgres://u:xxxxx@h/d" {
		t.Errorf("parameters of PostgreSQL: %+v, %v", a, err)
	}
	for _, path := range []string{"a.db", "a@b.db", "dir/my study.db", "sqlite:///a.db"} {
		if a, err := parseAddress(path); err != nil || a.dialect != "sqlite" {
			t.Errorf("%s: %+v, %v", path, a, err)
		}
	}
}
