package study

import (
	"context"
	"errors"
	"strings"
	"testing"

	"dpworkbench/evidence"
)

// Errors for rejected and unreachable addresses never contain the password, wherever it is in the text.
func TestPasswordsNeverAppear(t *testing.T) {
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
		storage, err := Open(context.Background(), url, StorageOptions{Patience: 1})
		if err == nil {
			storage.Close()
			t.Errorf("%s opens", url)
			continue
		}
		if !errors.Is(err, evidence.ErrParameter) && !errors.Is(err, ErrStorage) {
			t.Errorf("%s: %v wraps neither ErrParameter nor ErrStorage", url, err)
		}
		if strings.Contains(url, "127.0.0.1:1/d") && !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("%s: the error is %q, want that the connection is refused", url, err)
		}
		if strings.Contains(err.Error(), "\n") || strings.Contains(err.Error(), secret) && !strings.Contains(url, secret+"://x") {
			t.Errorf("%s: the error is %q", url, err)
		}
		a, err := parseAddress(url)
		if reached := strings.Contains(url, "127.0.0.1:1/d"); reached != (err == nil) || !reached && !errors.Is(err, evidence.ErrParameter) {
			t.Errorf("%s as an address: %v", url, err)
		}
		if err == nil && strings.Contains(a.name, secret) {
			t.Errorf("%s prints as %s", url, a.name)
		}
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
