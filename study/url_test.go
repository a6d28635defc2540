package study_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/study"
)

// Errors for rejected and unreachable addresses never contain the password, wherever it occurs in the address.
func TestPasswordsNeverAppear(t *testing.T) {
	t.Chdir(t.TempDir()) // an address that is read as a path creates a file
	const secret = "s3cr3t"
	for _, url := range []string{
		"postgres://u:" + secret + "@127.0.0.1:1/d", "postgresql+psycopg2://u:" + secret + "@127.0.0.1:1/d",
		"postgres://u@127.0.0.1:1/d?password=" + secret, "postgres://u@127.0.0.1:1/d?sslpassword=" + secret + "&sslmode=disable",
		"postgres://u:" + secret + "@127.0.0.1:port/d", "postgres://u:" + secret + "@h/d?sslmode=often", "postgres://u:" + secret + "@h/%zz",
		"postgres://u:" + secret + "@h/d#x", "postgres://u:" + secret + "@h/d?a=%zz",
		"postgres:/u:" + secret + "@h/d", "postgres:u:" + secret + "@h/d", "PostgreSQL:" + secret,
		"mysql://u:" + secret + "@h:1/d", "mysql+pymysql://u:" + secret + "@h/d?x=" + secret, "mysql:/u:" + secret + "@h/d", "u:" + secret + "@tcp(h:3306)/d",
		"host=h user=u password=" + secret + " dbname=d", "host=h PASSWORD = '" + secret + "'",
		secret + "://x", "://" + secret,
	} {
		storage, err := study.Open(context.Background(), url, study.StorageOptions{Patience: 1})
		if err == nil {
			storage.Close()
			t.Errorf("%s opens", url)
			continue
		}
		reached := strings.Contains(url, "127.0.0.1:1/d")
		if want := map[bool]error{true: study.ErrStorage, false: evidence.ErrParameter}[reached]; !errors.Is(err, want) {
			t.Errorf("%s: %v does not wrap %v", url, err, want)
		}
		if reached && !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("%s: the error is %q, want that the connection is refused", url, err)
		}
		if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), secret) && !strings.Contains(url, secret+"://x") {
			t.Errorf("%s: the error is %q", url, err)
		}
	}
}
