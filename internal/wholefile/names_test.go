package wholefile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The name of a temporary file contains the first 100 bytes of the file's name.
func TestTemporaryNames(t *testing.T) {
	dir := t.TempDir()
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
	if _, err := create(filepath.Join(dir, "no"), "x", 0o644); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a missing folder: %v", err)
	}
}

// Errors name the file in place of the temporary one.
func TestErrorsNameFile(t *testing.T) {
	if err := named("p", nil); err != nil {
		t.Errorf("no error becomes %v", err)
	}
	if err := named("p", &os.LinkError{Op: "rename", Err: fs.ErrPermission}); !errors.Is(err, fs.ErrPermission) || err.Error() != "write p: permission denied" {
		t.Errorf("named link error: %v", err)
	}
	if err := named("p", &fs.PathError{Op: "open", Path: ".p.1234", Err: fs.ErrPermission}); err.Error() != "write p: permission denied" {
		t.Errorf("named path error: %v", err)
	}
	if err := named("p", fs.ErrClosed); !errors.Is(err, fs.ErrClosed) || !strings.HasPrefix(err.Error(), "write p: ") {
		t.Errorf("named other error: %v", err)
	}
}
