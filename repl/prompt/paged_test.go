//go:build linux || darwin

package prompt

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
)

// A report is longer than the screen, and shown by screens, as help is.
func TestReportIsPaged(t *testing.T) {
	child := exec.Command(os.Args[0], "-test.run", "^TestPromptOfShell$")
	child.Env = append(os.Environ(), asChild+"=1", "TERM=xterm", "WORKBENCH_IMAGES=none", "HOME="+t.TempDir())
	control, err := pty.StartWithSize(child, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Skipf("no terminal to be had: %v", err)
	}
	y := &typed{t: t, control: control}
	y.more = sync.NewCond(&y.lock)
	go y.read()
	watchdog := time.AfterFunc(2*time.Minute, func() { _ = child.Process.Kill() }) // a hang fails
	defer watchdog.Stop()
	defer func() { _ = child.Process.Kill(); _ = child.Wait(); control.Close() }()

	y.wait(">>> ")
	y.keys("m = purest(graphs(3).count('triangle'), 1)\r")
	y.wait(">>> ")
	y.keys("m.report()\r")
	first := y.wait("Space goes on")
	if !strings.Contains(first, "smallest ε") || strings.Contains(first, "Distortion") {
		t.Errorf("the first screen is %q", first)
	}
	y.keys("q")
	if rest := y.wait(">>> "); strings.Contains(rest, "Distortion") {
		t.Errorf("after q there is %q", rest)
	}
	y.keys("\x04")
}
