package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A confined session opens what lies in its folders and writes what lies in those of
// its scripts, and says which of the two it refuses.
func TestConfinedFiles(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"home/a.txt", "data/b.txt", "else/c.txt"} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := New(Vocabulary{})
	defer s.Close()
	if err := s.Confine([]string{filepath.Join(root, "home")}, []string{filepath.Join(root, "data")}); err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{"home/a.txt": true, "data/b.txt": true, "else/c.txt": false, "home/../else/c.txt": false} {
		f, err := s.Open(filepath.Join(root, name))
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "an untrusted script may open no files but") {
			t.Errorf("open %s: %v", name, err)
		}
		if err == nil {
			f.Close()
		}
	}
	for name, ok := range map[string]bool{"home/new.txt": true, "data/new.txt": false, "else/new.txt": false} {
		err := s.Write(filepath.Join(root, name), []byte("y"))
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "an untrusted script may write no files but") {
			t.Errorf("write %s: %v", name, err)
		}
		if _, missing := os.Stat(filepath.Join(root, name)); (missing == nil) != ok {
			t.Errorf("%s is there: %t", name, missing == nil)
		}
	}
}
