package study_test

import (
	"context"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"

	"dpworkbench/internal/dbtest"
	"dpworkbench/study"
)

// sharedServer runs on a database server what SQLite has a test each for. driver
// is what Python calls a driver of its protocol.
func sharedServer(t *testing.T, url, driver string) {
	forget := func(t *testing.T) {
		t.Helper()
		if err := open(t, url).Delete(context.Background(), "shared"); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("processes", func(t *testing.T) { processesShare(t, url); forget(t) })
	t.Run("killed", func(t *testing.T) { killed(t, url, 30, 150); forget(t) })
	t.Run("goptuna", func(t *testing.T) { goptunaAgrees(t, url) })
	t.Run("optuna", func(t *testing.T) {
		python := optunaPython(t, driver)
		scheme, rest, _ := strings.Cut(url, "://")
		if scheme == "postgres" {
			scheme = "postgresql"
		}
		optunaAgrees(t, url, scheme+"+"+driver+"://"+rest, python)
	})
}

// outage has the server go away until a worker has missed it: no trial may be
// burned.
func outage(t *testing.T, server *dbtest.Server) {
	w := newWorker(t, server.URL, 60, 0, "paced")
	for range 10 {
		w.step(t)
	}
	w.inTrial(t)
	server.Stop()
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	gone, err := net.Listen("tcp", at.Host) // in its place, and turns everybody away
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
	server.Run(t)
	if err := w.finish(); err != nil {
		t.Fatal(err)
	}
	s, err := study.Load(context.Background(), open(t, server.URL), "shared")
	if err != nil {
		t.Fatal(err)
	}
	checkLedger(t, s, 60)
	results, _ := s.Results(context.Background())
	if len(results) > 61 {
		t.Errorf("%d trials for 60: the outage burned some", len(results))
	}
}

func TestPostgreSQL(t *testing.T) {
	t.Parallel()
	server := dbtest.PostgreSQL(t)
	sharedServer(t, server.URL, "psycopg2")
	t.Run("outage", func(t *testing.T) { outage(t, server) })
}

// TestMySQL runs on MariaDB, or where
// WORKBENCH_TEST_MYSQL=mysql://user:password@host:port/database names a server of
// the reader's own, with a database that it may fill, on that one.
func TestMySQL(t *testing.T) {
	if url := os.Getenv("WORKBENCH_TEST_MYSQL"); url != "" {
		sharedServer(t, url, "pymysql")
		return
	}
	t.Parallel()
	server := dbtest.MariaDB(t)
	sharedServer(t, server.URL, "pymysql")
	t.Run("outage", func(t *testing.T) { outage(t, server) })
}
