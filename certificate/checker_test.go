package certificate

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
)

// Checker runs check.py on files, and returns what it says of each; it skips where there is no Python.
func Checker(t testing.TB, files []string) map[string]string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed: certificates are not checked")
	}
	out := make(map[string]string)
	for len(files) > 0 {
		some := files[:min(len(files), 500)]
		files = files[len(some):]
		text, err := exec.Command(python, append([]string{"-B", "check.py"}, some...)...).Output()
		var exit *exec.ExitError
		if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
			t.Fatalf("check.py: %v\n%s", err, exit.Stderr)
		}
		lines := strings.Split(strings.TrimSpace(string(text)), "\n")
		if len(lines) != len(some) {
			t.Fatalf("check.py says %d lines of %d files: %.2000s %v", len(lines), len(some), text, err)
		}
		for i, file := range some {
			out[file] = strings.TrimPrefix(lines[i], file+": ")
		}
	}
	return out
}
