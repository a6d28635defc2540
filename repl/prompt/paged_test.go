//go:build linux || darwin

package prompt_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The pager shows a report that is longer than the screen, as it shows help.
func TestReportIsPaged(t *testing.T) {
	child := exec.Command(os.Args[0], "-test.run", "^TestPromptOfShell$")
	child.Env = append(os.Environ(), asChild+"=1", "TERM=xterm", "WORKBENCH_IMAGES=none", "HOME="+t.TempDir())
	y := start(t, child, 24, 80)

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
