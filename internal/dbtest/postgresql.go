package dbtest

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// PostgreSQL starts a server from the binaries in PATH or, as Debian installs
// them, under /usr/lib/postgresql. It skips the test, saying so, where there
// are none.
func PostgreSQL(t testing.TB) *Server {
	t.Helper()
	bin := find("initdb", "/usr/lib/postgresql/*/bin")
	if bin == "" {
		t.Skip("no PostgreSQL server here: on Debian, apt-get install postgresql")
	}
	s := newServer(t, "PostgreSQL", "postgres")
	data := filepath.Join(s.dir, "data")
	s.URL = "postgres://study@127.0.0.1:" + s.port + "/postgres"
	s.args = []string{filepath.Join(bin, "postgres"), "-D", data, "-p", s.port,
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=" + s.dir, "-c", "fsync=off"}
	s.end = syscall.SIGINT // fast shutdown
	s.ping = func(ctx context.Context) error {
		conn, err := pgconn.Connect(ctx, s.URL)
		if err != nil {
			return err
		}
		return conn.Close(ctx)
	}
	s.prepare(t, filepath.Join(bin, "initdb"), "-D", data, "-U", "study", "-A", "trust", "--no-sync")
	s.Run(t)
	t.Cleanup(s.Stop)
	return s
}
