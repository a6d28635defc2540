package main

import (
	"os/exec"
	"strings"
	"testing"
)

// BenchmarkStart measures the command from its start to its end, with one line to run.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		c := exec.Command("workbench")
		c.Stdin = strings.NewReader("1 + 1\n")
		if out, err := c.CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
}
