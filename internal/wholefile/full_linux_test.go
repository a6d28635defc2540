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

// If the disk fills up during a write, the old file remains unchanged, a new file is not created, and no temporary
// file is left. The error of the failed step is returned.
func TestWriteToFullDisk(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old"), filepath.Join(dir, "fresh")
	if err := Write(old, []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Skip("no limit on file sizes here: ", err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 1 << 16, Max: limit.Max}); err != nil {
		t.Skip("no limit on file sizes here: ", err)
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

// On Linux, /proc shows that every opened file is closed.
func TestWriteClosesFiles(t *testing.T) {
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
			t.Errorf("the temporary file for a name of %d bytes is %s", n, got)
		}
	}
	open, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range open {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, path) { // or a deleted file
			t.Errorf("%s is left open", path)
		}
	}
}
