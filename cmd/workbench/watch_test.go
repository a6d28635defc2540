package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// lockedBuffer takes what a process prints while a test reads it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A change of the script or of a library it loads runs it again, an error ends
// nothing, an endless run gives way to the changed script, an interrupt leaves.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("lib.star", "n = 1\n")
	write("a.star", "load('lib.star', 'n')\nprint('first', n)\n")
	binary := filepath.Join(dir, "workbench")
	if err := os.Symlink(testBinary(t), binary); err != nil {
		t.Skip(err)
	}
	cmd := exec.Command(binary, "run", "--watch", "a.star")
	cmd.Dir = dir
	var out lockedBuffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	await := func(want string) {
		t.Helper()
		for range 1000 {
			if strings.Contains(out.String(), want) {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("no %q in\n%s", want, out.String())
	}
	waiting := func(runs int) {
		t.Helper()
		for range 1000 {
			if strings.Count(out.String(), "waiting for a change") == runs {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("not %d runs in\n%s", runs, out.String())
	}
	await("first 1")
	waiting(1)
	write("lib.star", "n = 22\n")
	await("first 22")
	waiting(2)
	write("a.star", "fail('broken')\n")
	await("error: fail: broken")
	waiting(3)
	write("a.star", "print('going')\nwhile True: pass\n")
	await("going")
	write("a.star", "print('mended')\n")
	await("mended")
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("an interrupt ends with %v", err)
	}
}

// testBinary returns this test binary, which is workbench under that name.
func testBinary(t *testing.T) string {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}
