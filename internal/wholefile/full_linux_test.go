package wholefile_test

import (
	"bytes"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dpworkbench/internal/wholefile"
)

// If the disk fills up during a write, an old file remains unchanged, a new file is not created, and no temporary file
// is left. Write returns the error of the failed step.
func TestWriteToFullDisk(t *testing.T) {
	dir := t.TempDir()
	old, fresh := filepath.Join(dir, "old"), filepath.Join(dir, "fresh")
	if err := wholefile.Write(old, []byte("one"), 0o644); err != nil {
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
	oldErr, freshErr := wholefile.Write(old, long, 0o644), wholefile.Write(fresh, long, 0o644)
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
		if err := wholefile.Write(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	open, err := filepath.Glob("/proc/self/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, fd := range open {
		if to, err := os.Readlink(fd); err == nil && strings.HasPrefix(to, path) { // also if the file is deleted
			t.Errorf("%s is left open", path)
		}
	}
}
