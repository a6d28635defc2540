package study_test

import (
	"context"
	"testing"
	"time"

	"dpworkbench/internal/pgtest"
	"dpworkbench/optimize/study"
)

func TestPostgreSQL(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	drop := func(t *testing.T) {
		t.Helper()
		if err := open(t, server.URL).Delete(context.Background(), "shared"); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("processes", func(t *testing.T) { processesShare(t, server.URL); drop(t) })
	t.Run("killed", func(t *testing.T) { killed(t, server.URL, 30, 150); drop(t) })
	t.Run("outage", func(t *testing.T) {
		// The server goes away for two seconds: no trial may be burned.
		w := worker(t, server.URL, 60, 0, 20*time.Millisecond)
		time.Sleep(500 * time.Millisecond)
		server.Stop()
		time.Sleep(2 * time.Second)
		server.Run(t)
		if err := w.Wait(); err != nil {
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
	})
}
