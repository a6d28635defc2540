//go:build unix

package wholefile_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dpworkbench/internal/wholefile"
)

// If a file cannot be opened for writing, such as a socket or a running program, the error names it, and the file is
// unchanged.
func TestWriteRefusedBySystem(t *testing.T) {
	dir := t.TempDir()
	socket := filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Skip("no sockets here: ", err)
	}
	defer l.Close()
	var at *fs.PathError
	if err := wholefile.Write(socket, []byte("x"), 0o644); !errors.As(err, &at) || at.Path != socket {
		t.Errorf("a socket: %v", err)
	}
	if info, err := os.Stat(socket); err != nil || info.Mode()&fs.ModeSocket == 0 {
		t.Errorf("the socket is gone: %v", err)
	}

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(self)
	if err != nil {
		t.Fatal(err)
	}
	if f, err := os.OpenFile(self, os.O_WRONLY, 0); err == nil {
		f.Close()
		t.Skip("a running program's file can be written here")
	} else if !errors.Is(err, syscall.ETXTBSY) && !errors.Is(err, fs.ErrPermission) {
		t.Fatal(err)
	}
	err = wholefile.Write(self, []byte("x"), 0o755)
	if !errors.As(err, &at) || at.Path != self || !strings.HasPrefix(err.Error(), "write ") {
		t.Errorf("this test's file: %v", err)
	}
	if after, err := os.Stat(self); err != nil || !os.SameFile(before, after) || after.Size() != before.Size() {
		t.Errorf("this test's file was replaced: %v", err)
	}
}
