// Package pgtest starts a PostgreSQL server for a test.
package pgtest

import (
	"bytes"
	"context"
	"fmt"
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

	"github.com/jackc/pgx/v5/pgconn"
)

// Server is a PostgreSQL server on loopback with an empty database.
type Server struct {
	URL  string
	dir  string
	bin  string
	port string
	cred *syscall.SysProcAttr
	cmd  *exec.Cmd
}

// Start starts a server from the binaries in PATH or, as Debian installs them,
// under /usr/lib/postgresql. It skips the test, saying so, where there are none.
// The server ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	bin := binaries()
	if bin == "" {
		t.Skip("no PostgreSQL server here: on Debian, apt-get install postgresql")
	}
	cred, err := credential()
	if err != nil {
		t.Skip("PostgreSQL does not run as root, and there is no other user: " + err.Error())
	}
	dir, err := os.MkdirTemp("", "pgtest")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if cred != nil {
		if err := os.Chown(dir, int(cred.Credential.Uid), int(cred.Credential.Gid)); err != nil {
			t.Fatal(err)
		}
	}
	s := &Server{dir: dir, bin: bin, port: freePort(t), cred: cred}
	s.URL = fmt.Sprintf("postgres://study@127.0.0.1:%s/postgres", s.port)
	initdb := exec.Command(filepath.Join(bin, "initdb"), "-D", filepath.Join(dir, "data"), "-U", "study", "-A", "trust", "--no-sync")
	initdb.SysProcAttr, initdb.Dir = cred, dir
	if out, err := initdb.CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	s.Run(t)
	t.Cleanup(s.Stop)
	return s
}

// Run starts the server again after Stop.
func (s *Server) Run(t testing.TB) {
	t.Helper()
	s.cmd = exec.Command(filepath.Join(s.bin, "postgres"), "-D", filepath.Join(s.dir, "data"), "-p", s.port,
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="+s.dir, "-c", "fsync=off")
	s.cmd.SysProcAttr, s.cmd.Dir = s.cred, s.dir
	var log bytes.Buffer
	s.cmd.Stderr = &log
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		conn, err := pgconn.Connect(ctx, s.URL)
		if err == nil {
			err = conn.Close(ctx)
		}
		cancel()
		if err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	s.Stop()
	t.Fatalf("the PostgreSQL server does not answer:\n%s", log.String())
}

// Stop ends the server and every connection to it.
func (s *Server) Stop() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Signal(syscall.SIGINT) // fast shutdown
		_ = s.cmd.Wait()
		s.cmd = nil
	}
}

func binaries() string {
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path)
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) == 0 {
		return ""
	}
	slices.SortFunc(found, func(a, b string) int { return major(a) - major(b) })
	return filepath.Dir(found[len(found)-1])
}

// major returns the version in /usr/lib/postgresql/15/bin/initdb.
func major(path string) int {
	n, _ := strconv.Atoi(strings.Split(path, "/")[4])
	return n
}

// credential returns the user to run the server as: nil is the caller.
func credential() (*syscall.SysProcAttr, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		if u, err = user.Lookup("nobody"); err != nil {
			return nil, err
		}
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return nil, err
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

func freePort(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
