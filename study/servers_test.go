package study_test

import (
	"context"
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"

	"dpworkbench/internal/cases"
	"dpworkbench/study"
)

// outage stops the server until a worker notices. No trial may be lost.
func outage(t *testing.T, server *postgreSQL) {
	w := newWorker(t, server.url, 60, 0, "paced")
	for range 10 {
		w.step(t)
	}
	w.inTrial(t)
	server.stop()
	at, err := url.Parse(server.url)
	if err != nil {
		t.Fatal(err)
	}
	gone, err := net.Listen("tcp", at.Host) // takes the port, and rejects every connection
	if err != nil {
		t.Fatal(err)
	}
	w.step(t)
	for range 3 {
		conn, err := gone.Accept()
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
	}
	gone.Close()
	server.run(t)
	if err := w.finish(); err != nil {
		t.Fatal(err)
	}
	s, err := study.Load(context.Background(), open(t, server.url), "shared")
	if err != nil {
		t.Fatal(err)
	}
	checkLedger(t, s, 60)
	results, _ := s.Results(context.Background())
	if len(results) > 61 {
		t.Errorf("%d trials for 60: the outage lost some", len(results))
	}
}

// TestPostgreSQL runs the tests of SQLite on a PostgreSQL server.
func TestPostgreSQL(t *testing.T) {
	t.Parallel()
	server := newPostgreSQL(t)
	forget := func(t *testing.T) {
		t.Helper()
		if err := open(t, server.url).Delete(context.Background(), "shared"); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("processes", func(t *testing.T) { processesShare(t, server.url); forget(t) })
	t.Run("killed", func(t *testing.T) { killed(t, server.url, cases.Of(10, 30), cases.Of(50, 150)); forget(t) })
	t.Run("goptuna", func(t *testing.T) { goptunaAgrees(t, server.url) })
	optunaURL := strings.Replace(server.url, "postgres:", "postgresql+psycopg2:", 1)
	t.Run("optuna", func(t *testing.T) { optunaAgrees(t, server.url, optunaURL, optunaPython(t, "psycopg2")) })
	t.Run("dashboard", func(t *testing.T) {
		dashboardAgrees(t, server.url, optunaURL+"?options=-c%20default_transaction_read_only%3Don", optunaPython(t, "psycopg2", "optuna_dashboard"))
		if err := open(t, server.url).Delete(context.Background(), "seen by optuna-dashboard"); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("reader", func(t *testing.T) { reader(t, server.url) })
	t.Run("outage", func(t *testing.T) { outage(t, server) })
}

// reader opens a study as a PostgreSQL role that can only read. Reads must succeed, and writes must fail at once.
func reader(t *testing.T, at string) {
	ctx := context.Background()
	storage := open(t, at)
	s := newStudy(t, storage, "read", study.Options{Sampler: "random"})
	if err := s.Optimize(ctx, sphere, study.Run{Trials: 3}); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{"CREATE ROLE reader LOGIN", "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader"} {
		if err := storage.DB().Exec(statement).Error; err != nil {
			t.Fatal(err)
		}
	}
	for _, as := range []string{strings.Replace(at, "study@", "reader@", 1), at + "?default_transaction_read_only=on"} {
		for _, mustExist := range []bool{true, false} {
			read, err := study.Open(ctx, as, study.StorageOptions{MustExist: mustExist})
			if err != nil {
				t.Fatal(err)
			}
			s, err := study.Load(ctx, read, "read")
			if err != nil {
				t.Fatal(err)
			}
			if results, err := s.Results(ctx); err != nil || len(results) != 3 {
				t.Errorf("%s reads %d trials, %v", as, len(results), err)
			}
			if err := s.Optimize(ctx, sphere, study.Run{Trials: 1}); !errors.Is(err, study.ErrStorage) || !strings.Contains(err.Error(), "permission denied") && !strings.Contains(err.Error(), "read-only transaction") {
				t.Errorf("%s writes: %v", as, err)
			}
			_ = read.Close()
		}
	}
}
