package main_test

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

// printed collects the output of a process, and lets a test wait for it.
type printed struct {
	mu   sync.Mutex
	b    bytes.Buffer
	more chan struct{} // receives a value when something is printed
}

func (p *printed) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.more <- struct{}{}:
	default:
	}
	return p.b.Write(text)
}

func (p *printed) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.b.String()
}

// await waits until text was printed n times.
func (p *printed) await(t *testing.T, text string, n int) {
	t.Helper()
	hang := time.After(5 * time.Minute)
	for strings.Count(p.String(), text) < n {
		select {
		case <-p.more:
		case <-hang:
			t.Fatalf("no %q in\n%s", text, p)
		}
	}
}

// A change of the script, or of a library that it loads, runs the script again. An error does not end the watch. A
// change stops an endless run, and an interrupt ends the watch.
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
		t.Skip("no symbolic links here: ", err)
	}
	cmd := exec.Command(binary, "run", "--watch", "a.star")
	cmd.Dir = dir
	out := &printed{more: make(chan struct{}, 1)}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	await := func(text string) { t.Helper(); out.await(t, text, 1) }
	waiting := func(runs int) { t.Helper(); out.await(t, "waiting for a change", runs) }
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

// testBinary returns the path of this test binary, which runs as the workbench under the name "workbench".
func testBinary(t *testing.T) string {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return binary
}
