package wholefile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"dpworkbench/internal/wholefile"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// left returns the names in a folder.
func left(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestWriteNewAndOld(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := wholefile.Write(path, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := wholefile.Write(path, []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "two" || (runtime.GOOS != "windows" && info.Mode().Perm() != 0o640) {
		t.Errorf("the file holds %q with mode %v, want two with -rw-r-----", got, info.Mode())
	}
	if names := left(t, dir); len(names) != 1 {
		t.Errorf("the folder holds %v, want a alone", names)
	}
}

func TestWriteFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	if err := wholefile.Write(path, []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", link); err != nil {
		t.Skip("no links here: ", err)
	}
	if err := wholefile.Write(link, []byte("two"), 0o644); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 || read(t, path) != "two" {
		t.Errorf("the link was replaced: %v, %v; a holds %q", info, err, read(t, path))
	}
}

// On Linux, writes to /dev/full fail as on a full disk.
func TestWriteToDevices(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	err := wholefile.Write("/dev/full", []byte("x"), 0o644)
	if err == nil || !strings.Contains(err.Error(), "/dev/full") {
		t.Errorf("writing to /dev/full: %v, want an error with its name and ENOSPC", err)
	}
	if info, err := os.Stat("/dev/full"); err != nil || info.Mode().IsRegular() {
		t.Errorf("/dev/full is no longer a device: %v, %v", info, err)
	}
}

func TestFailureKeepsOldFile(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "no", "a"), dir} {
		err := wholefile.Write(path, []byte("x"), 0o644)
		var at *fs.PathError
		if !errors.As(err, &at) || at.Path != path {
			t.Errorf("wholefile.Write(%s): %v, want an error about that path", path, err)
		}
	}
	if names := left(t, dir); len(names) != 0 {
		t.Errorf("failures left %v behind", names)
	}
}

// After a failure at any step, the old file remains and no temporary file is left. Failures come from invalid names,
// and from a name below a file.
func TestFailureAtEveryStep(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := wholefile.Write(path, []byte("one"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "no", "target"), filepath.Join(dir, "broken")); err == nil {
		if err := wholefile.Write(filepath.Join(dir, "broken"), []byte("x"), 0o644); err != nil { // a link without a target is replaced
			t.Errorf("a link without a target: %v", err)
		}
	}
	long := filepath.Join(dir, strings.Repeat("n", 300))
	below := filepath.Join(path, "b") // a path below a file
	for _, at := range []string{long, below, filepath.Join(dir, "nul\x00")} {
		var about *fs.PathError
		if err := wholefile.Write(at, []byte("x"), 0o644); !errors.As(err, &about) || about.Path != at || about.Op != "write" {
			t.Errorf("wholefile.Write(%.60q): %v, want an error about that path", at, err)
		}
	}
	if got := read(t, path); got != "one" {
		t.Errorf("the file holds %q", got)
	}
	for _, name := range left(t, dir) {
		if strings.HasPrefix(name, ".") {
			t.Errorf("failures left %s behind", name)
		}
	}
	// The longest name leaves room for the temporary suffix.
	if err := wholefile.Write(filepath.Join(dir, strings.Repeat("m", 255)), []byte("x"), 0o644); err != nil {
		t.Errorf("a long name: %v", err)
	}
}
