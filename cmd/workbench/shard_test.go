package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A shard that cannot be written is a failure that names the file, and leaves no partial file.
func TestShardsThatCannotBeWritten(t *testing.T) {
	script := filepath.Join(t.TempDir(), "squares.star")
	if err := os.WriteFile(script, []byte("result = sweep([1, 2, 3, 4], lambda x: x * x)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const name = "shard-00001-of-00002.jsonl"
	for what, prepare := range map[string]func(dir string) (out, names string){
		"below a file": func(dir string) (out, names string) {
			file := filepath.Join(dir, "file")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			return filepath.Join(file, "parts"), file
		},
		"over a folder": func(dir string) (out, names string) {
			if err := os.MkdirAll(filepath.Join(dir, name, "full"), 0o700); err != nil {
				t.Fatal(err)
			}
			return dir, name
		},
	} {
		dir := t.TempDir()
		out, names := prepare(dir)
		before := listing(t, dir)
		err := runScripts(options{shard: "1/2", out: out}, []string{script})
		var failed *failure
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), names) {
			t.Errorf("%s: %v, want a failure that names %s", what, err, names)
		}
		if after := listing(t, dir); after != before {
			t.Errorf("%s: the folder contains\n%s\nbefore it contained\n%s", what, after, before)
		}
	}
	out := filepath.Join(t.TempDir(), "new", "parts")
	if err := runScripts(options{shard: "1/2", out: out}, []string{script}); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(out, name)); err != nil || !strings.HasSuffix(string(text), "{\"cell\":1,\"row\":4}\n{\"cell\":3,\"row\":16}\n") {
		t.Errorf("the shard contains %q, %v", text, err)
	}
}

// listing returns all paths below a folder.
func listing(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	if err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		names = append(names, path)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, "\n")
}
