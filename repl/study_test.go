package repl_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/internal/cases"
	"dpworkbench/repl"
	"dpworkbench/script"
	"dpworkbench/study"
)

// runStudy runs a script and returns its standard output and standard error.
func runStudy(t *testing.T, s *repl.Session, source string) (out, news string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	s.Stdout, s.Stderr = &stdout, &stderr
	_, err = s.ExecScript(context.Background(), "study.star", source)
	return stdout.String(), stderr.String(), err
}

const mixed = `
shift = [0.25]
def area(t):
    k = t.suggest_categorical("k", [1, 2, 3])
    e = t.suggest_float("e", 0.01, 1, log=True)
    n = t.suggest_int("n", 1, 3)
    if t.number == 3: fail("no luck")
    if t.number == 4: return float("nan")
    if t.number == 5: return "seven"
    return e + k + n + shift[0]
s = study("mixed", sampler="%s", seed=1)
s.optimize(area, trials=40, workers=%d)
best = s.best_params
print(type(best["k"]), best["k"], best["n"], s.best_value - best["e"])
print([t["state"] for t in s.trials[:7]])
print(s.trials[3]["reason"], "|", s.trials[4]["reason"], "|", s.trials[5]["reason"])
`

func TestStudyScripts(t *testing.T) {
	for _, sampler := range study.Samplers {
		for _, workers := range []string{"1", "4"} {
			source := strings.Replace(strings.Replace(mixed, "%s", sampler, 1), "%d", workers, 1)
			out, news, err := runStudy(t, repl.NewSession(), source)
			if err != nil {
				t.Fatalf("%s, %s workers: %v", sampler, workers, err)
			}
			want := `["complete", "complete", "complete", "failed", "failed", "failed", "complete"]
study.star:7:27: fail: no luck | the objective is NaN, want a finite number | the objective returned "seven", want a number
`
			if !strings.HasSuffix(out, want) || !strings.HasPrefix(out, "int ") {
				t.Errorf("%s, %s workers: prints\n%s", sampler, workers, out)
			}
			if !strings.Contains(news, "40 trials run, 3 failed (trial ") || !strings.Contains(news, "; best ") {
				t.Errorf("%s, %s workers: prints %q on standard error", sampler, workers, news)
			}
		}
	}
}

// Other errors are in testdata/scripts.txt.
func TestStudyErrors(t *testing.T) {
	path := filepath.ToSlash(filepath.Join(t.TempDir(), "s.db"))
	for source, want := range map[string]string{
		`study("a", storage="` + path + `").optimize(lambda t: t.suggest_float("x", 0, 1), trials=3)
study("a", storage="` + path + `").optimize(lambda t: t.suggest_float("x", 0, 2), trials=3)`: "another search space",
		`study("b", storage="` + path + `").optimize(lambda t: t.suggest_float("x", 0, 1), trials=1)
study("b", storage="` + path + `", direction="maximize")`: "direction = ",
	} {
		_, _, err := runStudy(t, repl.NewSession(), source)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngives %v, want %q", source, err, want)
		}
	}
}

// Workers freeze only what the objective reaches.
func TestWorkersFreezeOnlyWhatTheyReach(t *testing.T) {
	out, _, err := runStudy(t, repl.NewSession(), `
reached, other = {"a": [1]}, []
def helper(): return reached["a"][0]
def f(t): return helper() * t.suggest_float("x", 0, 1)
study("a").optimize(f, trials=10, workers=3)
other.append(1)
print(len(other))
reached["a"].append(2)
`)
	if err == nil || !strings.Contains(err.Error(), "frozen") || out != "1\n" {
		t.Errorf("printed %q, and then: %v", out, err)
	}
}

func TestExitEndsAStudy(t *testing.T) {
	for _, workers := range []string{"1", "3"} {
		_, _, err := runStudy(t, repl.NewSession(), `study("a", sampler="random").optimize(lambda t: exit(7), trials=10, workers=`+workers+`)`)
		var exit *script.Exit
		if !errors.As(err, &exit) || exit.Status != 7 {
			t.Errorf("%s workers: %v", workers, err)
		}
	}
}

func TestInterruptedStudyIsContinued(t *testing.T) {
	for _, workers := range []string{"1", "3"} {
		path := filepath.ToSlash(filepath.Join(t.TempDir(), "s.db"))
		ctx, cancel := context.WithCancel(context.Background())
		s := repl.NewSession()
		var out, news bytes.Buffer
		s.Stdout, s.Stderr = writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil }), &news
		source := `
s = study("a", storage="` + path + `", sampler="random")
def f(t):
    x = t.suggest_float("x", 0, 1)
    if t.number == 12 and interrupted: print("now")
    for i in range(100000000 if t.number >= 12 and interrupted else 10): x += 0
    return x
s.optimize(f, total=20, workers=` + workers + `)
`
		_, err := s.ExecScript(ctx, "study.star", "interrupted = True\n"+source)
		var script *script.ScriptError
		if !errors.As(err, &script) || !script.Interrupted {
			t.Fatalf("%s workers: the interrupted script gives %v", workers, err)
		}
		if !strings.Contains(news.String(), "best 0.") {
			t.Errorf("%s workers: the interrupted script prints %q, want its best", workers, news.String())
		}
		s.Close()
		s = repl.NewSession()
		s.Stdout, s.Stderr = &out, &news
		_, err = s.ExecScript(context.Background(), "study.star", "interrupted = False\n"+source+`
print(len([t for t in s.trials if t["state"] == "complete"]), len([t for t in s.trials if not t["lost"]]), any([t["lost"] for t in s.trials]))`)
		if err != nil || out.String() != "20 20 True\n" {
			t.Errorf("%s workers: after the interrupt: %v, %s", workers, err, out.String())
		}
		s.Close()
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// The help of every search ends with lines of script. They run twice as printed, as a study of the same problem.
func TestSearchHelpRunsAsStudy(t *testing.T) {
	t.Chdir(t.TempDir())
	for i, name := range []string{"optimize_alpha", "waterfill", "mvg_optimal", "best_radii", "best_initial", "calibrate"} {
		if !cases.Every(2, i) {
			continue
		}
		s := repl.NewSession()
		help := s.Help(name)
		_, rest, ok := strings.Cut(help, "docs/guide/overnight.md):\n")
		lines, rest, more := strings.Cut(rest, "    Returns a")
		_, example, shown := strings.Cut(rest, "Example:\n")
		if !ok || !more || !shown || !strings.Contains(help, "goptuna") {
			t.Fatalf("%s: %s", name, help)
		}
		dedent := func(text string) string { return strings.ReplaceAll("\n"+text, "\n    ", "\n") }
		lines = strings.NewReplacer("search.db", name+".db", "1000", "6").Replace(dedent(lines))
		study := "search"
		if strings.Contains(lines, "mvg_search(") {
			study = "mvg_search"
		}
		source := dedent(example) + lines + lines + fmt.Sprintf("print(\"held\", len(study(%q, storage=%q).trials))", study, name+".db")
		out, _, err := runStudy(t, s, source)
		if err != nil || !strings.HasSuffix(out, "held 6\n") {
			t.Errorf("%s: %v\n%s\n%s", name, err, source, out)
		}
		s.Close()
	}
}
