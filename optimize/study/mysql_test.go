package study_test

import (
	"context"
	"os"
	"testing"
)

// TestMySQL needs WORKBENCH_TEST_MYSQL=mysql://user:password@host:port/database,
// a database that it may fill.
func TestMySQL(t *testing.T) {
	t.Parallel()
	url := os.Getenv("WORKBENCH_TEST_MYSQL")
	if url == "" {
		t.Skip("WORKBENCH_TEST_MYSQL names no MySQL database")
	}
	forget := func() {
		if err := open(t, url).Delete(context.Background(), "shared"); err != nil {
			t.Fatal(err)
		}
	}
	defer forget()
	t.Run("processes", func(t *testing.T) { processesShare(t, url); forget() })
	t.Run("killed", func(t *testing.T) { killed(t, url, 30, 150) })
}
