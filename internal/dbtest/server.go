// Package dbtest starts database servers for tests: on loopback, empty, and gone
// with the test.
package dbtest

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
)

// Server is a database server on loopback with an empty database.
type Server struct {
	URL string

	name string
	dir  string // its own; the data and the socket
	port string
	args []string // the server's command
	end  os.Signal
	ping func(ctx context.Context) error
	user *syscall.SysProcAttr // nil is the caller
	cmd  *exec.Cmd

	ended chan struct{} // closed once the command has ended
}

// hang is when a test that waits for a server gives up: far longer than a busy
// machine takes.
const hang = 5 * time.Minute

// newServer prepares a folder for the server called name, which runs as the
// first of the users where the caller is root: database servers refuse root.
func newServer(t testing.TB, name string, users ...string) *Server {
	t.Helper()
	s := &Server{name: name, port: freePort(t)}
	var err error
	if s.dir, err = os.MkdirTemp(reachable(os.TempDir()), "dbtest"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(s.dir) })
	if os.Getuid() != 0 {
		return s
	}
	for _, name := range append(users, "nobody") {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.Atoi(u.Uid)
		gid, err2 := strconv.Atoi(u.Gid)
		if err1 != nil || err2 != nil {
			continue
		}
		if err := os.Chown(s.dir, uid, gid); err != nil {
			t.Fatal(err)
		}
		s.user = as(uid, gid)
		return s
	}
	t.Skipf("%s does not run as root, and there is no other user", s.name)
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
func (s *Server) command(args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.SysProcAttr, cmd.Dir = s.user, s.dir
	cmd.Env = append(os.Environ(), "TMPDIR="+s.dir, "HOME="+s.dir) // its own, for the caller's may be closed to it
	return cmd
}

// prepare runs a command to its end.
func (s *Server) prepare(t testing.TB, args ...string) {
	t.Helper()
	if out, err := s.command(args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", args[0], err, out)
	}
}

// Run starts the server, again after Stop.
func (s *Server) Run(t testing.TB) {
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
		if err = s.ping(ctx); err == nil {
			return
		}
		select {
		case <-s.ended:
		case <-ctx.Done():
		case <-time.After(50 * time.Millisecond): // a server says nothing that all of them say
			continue
		}
		break
	}
	s.Stop()
	t.Fatalf("the %s server does not answer: %v\n%s", s.name, err, log.String())
}

// Stop ends the server and every connection to it.
func (s *Server) Stop() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Signal(s.end)
		<-s.ended
		s.cmd = nil
	}
}

// find returns the folder of a program: in PATH or, the last by version, where
// the patterns say.
func find(program string, patterns ...string) string {
	if path, err := exec.LookPath(program); err == nil {
		return filepath.Dir(path)
	}
	for _, pattern := range patterns {
		found, _ := filepath.Glob(filepath.Join(pattern, program))
		if len(found) > 0 {
			return filepath.Dir(slices.MaxFunc(found, func(a, b string) int { return version(a) - version(b) }))
		}
	}
	return ""
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
