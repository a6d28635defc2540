package script_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/script"
)

// A confined session opens files in its folders and writes files in its scripts' folders. Its errors say which of the
// two is refused.
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
	s := script.New(script.Vocabulary{})
	defer s.Close()
	if err := s.Confine([]string{filepath.Join(root, "home")}, []string{filepath.Join(root, "data")}); err != nil {
		t.Fatal(err)
	}
	for name, ok := range map[string]bool{"home/a.txt": true, "data/b.txt": true, "else/c.txt": false, "home/../else/c.txt": false} {
		f, err := s.Open(filepath.Join(root, name))
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "an untrusted script may open only files") {
			t.Errorf("open %s: %v", name, err)
		}
		if err == nil {
			f.Close()
		}
	}
	for name, ok := range map[string]bool{"home/new.txt": true, "data/new.txt": false, "else/new.txt": false} {
		err := s.Write(filepath.Join(root, name), []byte("y"))
		if (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "an untrusted script may write only files") {
			t.Errorf("write %s: %v", name, err)
		}
		if _, missing := os.Stat(filepath.Join(root, name)); (missing == nil) != ok {
			t.Errorf("%s exists: %t", name, missing == nil)
		}
	}
}

// In a confined session a study's storage must be a SQLite file in the scripts' folder, in any notation of its path.
// Network databases, links to the outside, and pipes in place of a companion file are rejected.
func TestConfinedStorage(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, out := filepath.Join(root, "home"), filepath.Join(root, "out")
	for _, dir := range []string{home, out, filepath.Join(home, "sub")} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for from, to := range map[string]string{filepath.Join(home, "link"): out, filepath.Join(home, "file.db"): filepath.Join(out, "x.db"), filepath.Join(home, "j.db-journal"): filepath.Join(out, "x"), filepath.Join(home, "w.db-wal"): filepath.Join(out, "x")} {
		if err := os.Symlink(to, from); err != nil {
			t.Skip(err)
		}
	}
	s := shop()
	s.DataDirs = []string{home}
	if got, err := s.ConfinedStorage("postgres://anywhere"); got != "postgres://anywhere" || err != nil {
		t.Errorf("a free script's storage is %q, %v", got, err)
	}
	if err := s.Confine([]string{home}, nil); err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	t.Chdir(out)
	for url, want := range map[string]string{
		"": "", "a.db": filepath.Join(home, "a.db"), filepath.Join(home, "a.db"): filepath.Join(home, "a.db"), "sub/a.db": filepath.Join(home, "sub/a.db"), "sqlite:///a.db": filepath.Join(home, "a.db"), "sqlite:///" + filepath.Join(home, "sub/../b.db"): filepath.Join(home, "b.db"),
		"sqlite+pysqlite:///a.db":      filepath.Join(home, "a.db"),
		"postgres://u:p@host/db":       "error: may not use the network, want the path of a SQLite file, or None",
		"postgresql+psycopg2://h/db":   "error: storage = \"postgresql://…\"",
		"file.db?mode=ro":              "error: want a path without ?",
		"sqlite:///a.db?mode=ro":       "error: want a path without ?",
		"../out/a.db":                  "error: may write only files in " + home,
		filepath.Join(out, "a.db"):     "error: may write only files in " + home,
		"sqlite:////" + out[1:] + "/a": "error: may write only files in " + home,
		"link/a.db":                    "error: may write only files in " + home,
		"none/a.db":                    "error: no such file",
		"file.db":                      "error: storage = \"file.db\": file.db is not a regular file",
		"j.db":                         "error: j.db-journal is not a regular file",
		"w.db":                         "error: w.db-wal is not a regular file",
	} {
		got, err := s.ConfinedStorage(url)
		if text, fails := strings.CutPrefix(want, "error: "); fails {
			if err == nil || !strings.Contains(err.Error(), text) || got != "" {
				t.Errorf("%q: %q, %v, want %q", url, got, err, text)
			}
		} else if got != want || err != nil {
			t.Errorf("%q: %q, %v, want %q", url, got, err, want)
		}
	}
	for path, want := range map[string]string{"link/a.txt": "may open only files", "sub": "want a regular file", "none.txt": "no such file"} {
		if f, err := s.Open(filepath.Join(home, path)); f != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: opened, or %v, want %q", path, err, want)
		}
	}
	if err := s.Write("link/a.txt", nil); err == nil || !strings.Contains(err.Error(), "may write only files") {
		t.Errorf("through a link out of the folder: %v", err)
	}
	for _, path := range []string{"link/new/a.txt", "../out/new/a.txt"} {
		if err := s.Write(path, nil); err == nil || !strings.Contains(err.Error(), "may write only files") {
			t.Errorf("%s makes a folder outside: %v", path, err)
		}
	}
	if err := s.Write("new/one/a.txt", nil); err != nil {
		t.Errorf("in a missing folder: %v", err)
	}
	if _, err := os.Stat(filepath.Join(home, "new/one/a.txt")); err != nil {
		t.Error(err)
	}
	if err := s.Write("sub", []byte("x")); err == nil {
		t.Error("a file in place of a folder")
	}
	if left, err := filepath.Glob(filepath.Join(home, ".*")); err != nil || left != nil {
		t.Errorf("files left: %q, %v", left, err)
	}
	if err := s.Write("c.txt", []byte("words")); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(home, "c.txt")); string(text) != "words" || err != nil {
		t.Errorf("the file beside the script has %q, %v", text, err)
	}
	if err := os.WriteFile("a.txt", []byte("outside"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"c.txt": `"wor"`, filepath.Join(home, "none"): "no such file", filepath.Join(home, "c.txt"): `"wor"`, "a.txt": "there is no such file", filepath.Join(out, "a.txt"): "may open only files"} {
		if got := shownBy(s, fmt.Sprintf("read(%q)", path)); !strings.Contains(got, want) {
			t.Errorf("%s gives %s, want %s", path, got, want)
		}
	}
	if err := script.New(script.Vocabulary{}).Confine([]string{filepath.Join(root, "none")}, nil); err == nil {
		t.Error("confining to a missing folder gave no error")
	}
	nowhere := script.New(script.Vocabulary{})
	if err := nowhere.Confine(nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := nowhere.Open("a"); err == nil || !strings.Contains(err.Error(), "may open only files in no folder") {
		t.Errorf("a script without folders opens: %v", err)
	}
}
