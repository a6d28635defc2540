package repl_test

import (
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/repl"
	"dpworkbench/script"
)

// No output of a session shows the storage password of a script: tracebacks, messages, reasons of failed trials,
// printed and displayed values, expressions of numbers, certificates, and reports.
func TestOutputsHidePasswords(t *testing.T) {
	odd, web := `Zq7"x\w@8 #é%:k`, "Zq7'/?&=<w>"
	for _, location := range []string{
		"postgresql://user:" + odd + "@host:port/db", "postgresql://user:" + url.QueryEscape(web) + "@host/db?sslmode=often", "mysql://user:" + url.QueryEscape(odd) + "@host",
		"postgresql://user@127.0.0.1:port/db?password=" + url.QueryEscape(odd), "host=127.0.0.1 user=u password='" + odd + "'", "sqlite:///a.db?password=" + web,
	} {
		dir := t.TempDir()
		t.Chdir(dir) // scripts write here
		for _, source := range []string{
			"study('s', storage=LITERAL)", "def f(u): return study('s', storage=u)\nf(LITERAL)", "u = LITERAL; 1 / 0", "purest(LITERAL, 1)", "x = [LITERAL, None][2]", "LITERAL.nothing",
			"study('s', storage=args['url'], sampler=args['url'])", "study(storage=LITERAL, nme='x')", "gaussian_sigma(eps=args['url'], delta=0.1)", "x = LITERAL y", "{}[LITERAL]", "fail(LITERAL, args)",
			"def f(t):\n  fail('no ' + LITERAL)\ns = study('a')\ns.optimize(f, trials=1)", "def f(t):\n  fail(args)\ns = study('a')\ns.optimize(lambda t: t.suggest_int('n', 0, 1), trials=1)\ns.optimize(f, trials=1)\nprint(s.trials)\nshow(s.trials)\n1/0",
			"print(args); show(args); show(LITERAL); print([LITERAL]); who(); url = LITERAL; who(); help('url'); 1 / 0",
			"m = purest(finite_query([LITERAL, 'b'], edges=[(0, 1)], value_metric='discrete'), ln(2))\ne = m.smallest_epsilon\nprint(e.call, e.cite(), e.cite(form='latex'), m.report(format='text'))\nm.report(path='r.html'); certify(e, 'e.v'); 1 / 0",
		} {
			s := repl.NewSession()
			var out strings.Builder
			s.Stdout, s.Stderr, s.Dir = &out, &out, dir
			s.SetArg("url", location)
			_, err := s.Exec(t.Context(), "a.star", strings.ReplaceAll(source, "LITERAL", strconv.Quote(location)))
			s.Close()
			failed := new(script.ScriptError)
			if !errors.As(err, &failed) {
				t.Fatalf("%s: %v", source, err)
			}
			text := out.String() + failed.Backtrace() + failed.Error()
			for _, name := range []string{"r.html", "e.v"} {
				written, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil && strings.Contains(source, "path='"+name) {
					t.Fatal(err)
				}
				text += string(written)
			}
			if at := strings.Index(text, "Zq7"); at >= 0 {
				t.Errorf("%s with %s: %q", source, location, text[max(0, at-80):min(len(text), at+40)])
			}
		}
	}
}
