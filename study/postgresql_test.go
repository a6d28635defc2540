package study_test

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5/pgconn"
)

// postgreSQL is a database server on loopback with an empty database.
type postgreSQL struct {
	url string

	dir  string               // its own; the data and the socket
	args []string             // the server's command
	user *syscall.SysProcAttr // nil is the caller
	cmd  *exec.Cmd

	ended chan struct{} // closed once the command has ended
}

// hang is when a test that waits for a server gives up: far longer than a busy
// machine takes.
const hang = 5 * time.Minute

// newPostgreSQL starts a server from the binaries in PATH or, as Debian installs
// them, under /usr/lib/postgresql. It skips the test, saying so, where there
// are none.
func newPostgreSQL(t testing.TB) *postgreSQL {
	t.Helper()
	bin := find("initdb", "/usr/lib/postgresql/*/bin")
	if bin == "" {
		t.Skip("no PostgreSQL server here: on Debian, apt-get install postgresql")
	}
	dir, err := os.MkdirTemp(reachable(os.TempDir()), "dbtest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	port, data := freePort(t), filepath.Join(dir, "data")
	s := &postgreSQL{
		url: "postgres://study@127.0.0.1:" + port + "/postgres", dir: dir, user: runner(t, dir),
		args: []string{filepath.Join(bin, "postgres"), "-D", data, "-p", port,
			"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=" + dir, "-c", "fsync=off"},
	}
	if out, err := s.command(filepath.Join(bin, "initdb"), "-D", data, "-U", "study", "-A", "trust", "--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	s.run(t)
	t.Cleanup(s.stop)
	return s
}

// runner returns the user postgres or nobody, who then owns the folder, where the
// caller is root: the server refuses root.
func runner(t testing.TB, dir string) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 != nil || err2 != nil {
			continue
		}
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
		return as(uid, gid)
	}
	t.Skip("PostgreSQL does not run as root, and there is no other user")
	return nil
}

// reachable returns the folder where every user may go to it and the path of a
// socket in it stays below the 104 bytes that the least system allows, else /tmp:
// TMPDIR may be the caller's own, or deep.
func reachable(dir string) string {
	const longest = 60
	for at := filepath.Clean(dir); len(dir) <= longest; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err != nil || os.Getuid() == 0 && info.Mode().Perm()&1 == 0 {
			break
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
	return "/tmp"
}

// command returns a command that runs as the server's user in its folder.
func (s *postgreSQL) command(args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.SysProcAttr, cmd.Dir = s.user, s.dir
	cmd.Env = append(os.Environ(), "TMPDIR="+s.dir, "HOME="+s.dir) // its own, for the caller's may be closed to it
	return cmd
}

// run starts the server, again after stop.
func (s *postgreSQL) run(t testing.TB) {
	t.Helper()
	s.cmd = s.command(s.args...)
	var log bytes.Buffer
	s.cmd.Stderr = &log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.ended = make(chan struct{})
	go func(cmd *exec.Cmd, ended chan struct{}) { _ = cmd.Wait(); close(ended) }(s.cmd, s.ended)
	ctx, cancel := context.WithTimeout(context.Background(), hang)
	defer cancel()
	var err error
	for {
		var conn *pgconn.PgConn
		if conn, err = pgconn.Connect(ctx, s.url); err == nil {
			_ = conn.Close(ctx)
			return
		}
		select {
		case <-s.ended:
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond):
			continue
		}
		break
	}
	s.stop()
	t.Fatalf("the PostgreSQL server does not answer: %v\n%s", err, log.String())
}

// stop ends the server and every connection to it.
func (s *postgreSQL) stop() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Signal(syscall.SIGINT) // fast shutdown
		<-s.ended
		s.cmd = nil
	}
}

// find returns the folder of a program: in PATH or, the last by version, where
// the pattern says.
func find(program, pattern string) string {
	if path, err := exec.LookPath(program); err == nil {
		return filepath.Dir(path)
	}
	found, _ := filepath.Glob(filepath.Join(pattern, program))
	if len(found) == 0 {
		return ""
	}
	return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) }))
}

// version returns the first number in a path.
func version(path string) int {
	digits := strings.TrimLeftFunc(path, func(r rune) bool { return !unicode.IsDigit(r) })
	end := strings.IndexFunc(digits, func(r rune) bool { return !unicode.IsDigit(r) })
	n, _ := strconv.Atoi(digits[:max(end, 0)])
	return n
}

func freePort(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
