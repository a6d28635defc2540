package main

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkShard measures what a shard costs beside its cells and the start of
// the process: a session, a sweep of nothing, and its file on the disk.
func BenchmarkShard(b *testing.B) {
	dir := b.TempDir()
	script := filepath.Join(dir, "sweep.star")
	if err := os.WriteFile(script, []byte("sweep(range(64), lambda c: c)\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if err := runScripts(options{shard: "3/64", out: filepath.Join(dir, "parts")}, []string{script}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
}
