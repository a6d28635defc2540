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

// postgreSQL is a database server on the loopback interface, with an empty database.
type postgreSQL struct {
	url string

	dir  string               // the server's folder, with the data and the socket
	args []string             // the server's command
	user *syscall.SysProcAttr // user that runs the server; nil means the current user
	cmd  *exec.Cmd

	ended chan struct{} // closed when the command has ended
}

// hang is the time after which a test stops waiting for a server. It is far longer than a busy machine needs.
const hang = 5 * time.Minute

// newPostgreSQL starts a server from the binaries in PATH or, as on Debian, in /usr/lib/postgresql. It skips the test
// if there are no such binaries.
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

// runner returns attributes that run the server as the user postgres or nobody if the caller is root, since the server
// refuses to run as root. That user becomes the owner of the folder.
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

// reachable returns dir if every user can enter it and the path of a socket in it is shorter than 104 bytes, the
// smallest limit of all systems. Otherwise it returns /tmp, because TMPDIR may be private or too long.
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

// command returns a command that runs in the server's folder, as its user.
func (s *postgreSQL) command(args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.SysProcAttr, cmd.Dir = s.user, s.dir
	cmd.Env = append(os.Environ(), "TMPDIR="+s.dir, "HOME="+s.dir) // the caller's folders may be inaccessible
	return cmd
}

// run starts the server. It can be called again after stop.
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

// stop ends the server and all connections to it.
func (s *postgreSQL) stop() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Signal(syscall.SIGINT) // fast shutdown
		<-s.ended
		s.cmd = nil
	}
}

// find returns the folder of a program: the one in PATH, or the folder with the highest version that matches the
// pattern.
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
