package repl_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"dpworkbench/repl"
	"dpworkbench/script"
)

// confined returns a session whose scripts may open the folders home and data. A folder with a secret lies beside
// them.
func confined(t *testing.T) (s *repl.Session, home, secret string) {
	t.Helper()
	top := t.TempDir()
	home, secret = filepath.Join(top, "home"), filepath.Join(top, "secret", "s.csv")
	write(t, home, "lib.star", "def f(): return 3")
	write(t, home, "own.csv", "1,2")
	write(t, filepath.Join(top, "data"), "d.csv", "3,4")
	write(t, filepath.Dir(secret), "s.csv", "5,6")
	write(t, top, "lib.star", "def f(): return 4")
	s = repl.NewSession()
	s.Stdout, s.Stderr = io.Discard, io.Discard
	s.DataDirs = []string{filepath.Join(top, "data")}
	if err := s.Confine([]string{home}, s.DataDirs); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s, home, secret
}

// link makes a symbolic link. It skips the test if Windows does not allow that.
func link(t *testing.T, to, at string) {
	t.Helper()
	if err := os.Symlink(to, at); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip(err)
		}
		t.Fatal(err)
	}
}

func TestConfined(t *testing.T) {
	s, home, secret := confined(t)
	out := filepath.Dir(secret)
	link(t, out, filepath.Join(home, "out"))
	link(t, secret, filepath.Join(home, "s.csv"))
	link(t, filepath.Join(out, "absent.db"), filepath.Join(home, "a.db"))
	link(t, secret, filepath.Join(home, "b.db-wal"))
	script := filepath.Join(home, "main.star")
	for _, source := range []string{
		`read_csv("` + secret + `")`,
		`read_csv("../secret/s.csv")`,
		`read_csv("out/s.csv")`,
		`read_csv("s.csv")`,
		`read_edges("` + secret + `")`,
		`audit("` + secret + `", "x", 1)`,
		`load("../lib.star", "f")`,
		`load("` + secret + `", "f")`,
		`load("out/s.csv", "f")`,
		`table([[1]]).save("` + filepath.Join(out, "x.csv") + `")`,
		`table([[1]]).save("../x.csv")`,
		`table([[1]]).save("out/x.csv")`,
		`line_plot([[1, 2]]).save("out/x.svg")`,
		`study("a", storage="` + filepath.Join(out, "x.db") + `")`,
		`study("a", storage="../x.db")`,
		`study("a", storage="out/x.db")`,
		`study("a", storage="a.db")`,
		`study("a", storage="b.db")`,
		`study("a", storage="sqlite:///../x.db")`,
		`study("a", storage="postgres://user:password@127.0.0.1:1/x")`,
	} {
		_, err := s.ExecScript(t.Context(), script, source)
		if err == nil {
			t.Errorf("%s passed", source)
			continue
		}
		if strings.Contains(err.Error(), "5,6") || strings.Contains(err.Error(), "password") {
			t.Errorf("%s: the error reveals the secret: %v", source, err)
		}
	}
	left, err := os.ReadDir(out)
	if err != nil || len(left) != 1 {
		t.Errorf("the secret's folder has changed: %v, %v", left, err)
	}
}

// Files inside the folder may be opened and written.
func TestConfinedAtHome(t *testing.T) {
	s, home, _ := confined(t)
	script := filepath.Join(home, "main.star")
	for _, source := range []string{
		`load("lib.star", "f")
f() == 3 or fail()`,
		`read_csv("own.csv") == [[1, 2]] or fail()`,
		`read_csv("d.csv") == [[3, 4]] or fail()`,
		`table([[7]]).save("x.csv")
read_csv("x.csv") == [[7]] or fail()`,
		`s = study("a", storage="s.db")
s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=2)
len(s.trials) == 2 or fail()`,
		`s = study("in memory")
s.optimize(lambda t: t.suggest_float("x", 0, 1), trials=2)`,
	} {
		if _, err := s.ExecScript(t.Context(), script, source); err != nil {
			t.Errorf("%s\n gives %v", source, err)
		}
	}
	for _, name := range []string{"x.csv", "s.db"} {
		if _, err := os.Stat(filepath.Join(home, name)); err != nil {
			t.Error(err)
		}
	}
}

// A time limit is reported as such, not as an interruption.
func TestTimeLimit(t *testing.T) {
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, &script.TimeLimit{Limit: 50 * time.Millisecond})
	defer cancel()
	_, err := repl.NewSession().ExecScript(ctx, "a", "while True: pass")
	var script *script.ScriptError
	if !errors.As(err, &script) || script.Interrupted || !strings.HasPrefix(script.Msg, "the time is up; limit 50ms (--time)") {
		t.Errorf("got %v", err)
	}
}
