package dbtest

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	_ "github.com/go-sql-driver/mysql" // the driver that database/sql knows as mysql
)

// MariaDB starts a server, which speaks MySQL's protocol, from the binaries in
// PATH or in /usr/sbin. It skips the test, saying so, where there are none.
func MariaDB(t testing.TB) *Server {
	t.Helper()
	server, install := find("mariadbd", "/usr/sbin"), find("mariadb-install-db", "/usr/bin")
	if server == "" || install == "" {
		t.Skip("no MariaDB server here: on Debian, apt-get install mariadb-server")
	}
	s := newServer(t, "MariaDB", "mysql")
	data, users := filepath.Join(s.dir, "data"), filepath.Join(s.dir, "users.sql")
	statements := "CREATE DATABASE IF NOT EXISTS study;\n" +
		"CREATE USER IF NOT EXISTS study@'127.0.0.1';\nGRANT ALL ON study.* TO study@'127.0.0.1';\n"
	if err := os.WriteFile(users, []byte(statements), 0o644); err != nil {
		t.Fatal(err)
	}
	s.URL = "mysql://study@127.0.0.1:" + s.port + "/study"
	s.args = []string{filepath.Join(server, "mariadbd"), "--no-defaults", "--datadir=" + data, "--port=" + s.port,
		"--bind-address=127.0.0.1", "--skip-name-resolve", "--socket=" + filepath.Join(s.dir, "socket"), "--pid-file=" + filepath.Join(s.dir, "pid"),
		"--init-file=" + users, "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=32M"}
	s.end = syscall.SIGTERM
	s.ping = func(ctx context.Context) error {
		db, err := sql.Open("mysql", "study@tcp(127.0.0.1:"+s.port+")/study")
		if err != nil {
			return err
		}
		defer db.Close()
		return db.PingContext(ctx)
	}
	s.prepare(t, filepath.Join(install, "mariadb-install-db"), "--no-defaults", "--datadir="+data, "--auth-root-authentication-method=normal", "--skip-test-db")
	s.Run(t)
	t.Cleanup(s.Stop)
	return s
}
