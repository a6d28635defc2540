package wholefile

import (
	"bytes"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A disk that is full in the midst of the content leaves the file that was there, or none,
// and nothing beside it; an error of the step that failed comes out.
func TestFullInTheMidst(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old"), filepath.Join(dir, "fresh")
	if err := Write(old, []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Skip("no bound on the sizes of files here: ", err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 16, Max: limit.Max}); err != nil {
		t.Skip("no bound on the sizes of files here: ", err)
	}
	long := bytes.Repeat([]byte("x"), 1<<17)
	oldErr, freshErr := Write(old, long, 0o644), Write(fresh, long, 0o644)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	for path, err := range map[string]error{old: oldErr, fresh: freshErr} {
		if !errors.Is(err, syscall.EFBIG) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, want that it is too large", path, err)
		}
	}
	if names := left(t, dir); len(names) != 1 || read(t, old) != "one" {
		t.Errorf("the folder holds %v, and %d bytes in old", names, len(read(t, old)))
	}
}

// Every opened file is closed, according to Linux.
func TestNothingIsLeftOpen(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	for range 2 {
		if err := Write(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for n, kept := range map[int]int{99: 99, 100: 100, 101: 100, 255: 100} {
		f, err := create(dir, strings.Repeat("b", n), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if got, want := filepath.Base(f.Name()), "."+strings.Repeat("b", kept)+"."; !strings.HasPrefix(got, want) || len(got) != len(want)+12 {
			t.Errorf("a file beside one of a name of %d bytes is %s", n, got)
		}
	}
	open, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range open {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, path) { // or deleted
			t.Errorf("%s is left open", path)
		}
	}
}
