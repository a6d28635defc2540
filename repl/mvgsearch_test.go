package repl_test

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"dpworkbench/internal/cases"
	"dpworkbench/repl"
	"dpworkbench/script"
)

const boxSearch = `
b, k = box_sensitivity(3, 100, [1, 2, 5]), [[900, 0, 0], [0, 5000, 0], [0, 0, 90000]]
def told(s): return [(t["value"], t["params"]) for t in s.study.trials]
`

// If the optimum is known, the search reaches it, and the value found is never below its lower end.
func TestSearchReachesOptimum(t *testing.T) {
	axes := cases.Of(`[("free", 0.1)]`, `[("given", 1e-4), ("free", 0.1)]`)
	out, _, err := runStudy(t, repl.NewSession(), boxSearch+`
for axes, width in `+axes+`:
    for f, weights in [(lambda d: d.element_sd, None), (lambda d: -d.log_pnr(k), [1, 1, 1]), (lambda d: -d.mutual_information(k), [900, 5000, 90000])]:
        s = mvg_search(b, 1, 1e-5, f, weights=weights, axes=axes, trials=300)
        o = mvg_optimal(b, 1, 1e-5, axes=axes) if weights == None else mvg_optimal(b, 1, 1e-5, objective="information", weights=[900, 5000, 90000], axes=axes)
        low = math.sqrt(o.optimum.lo / 300) if weights == None else -o.optimum.hi * (0.5 if weights[0] > 1 else 1)
        print(low <= float(s.value), float(s.value) <= low + width * abs(low), s.gain.lo <= float(s.start_value) - float(s.value) and float(s.start_value) - float(s.value) <= s.gain.hi and s.gain.hi >= 0,
              s.design.smallest_epsilon.hi <= 1, s.optimum == None if weights == [1, 1, 1] else s.optimum.lo <= s.value and abs(s.optimum.value / low - 1) < 1e-12)
`)
	if want := strings.Repeat("True True True True True\n", cases.Of(3, 6)); err != nil || out != want {
		t.Errorf("%v\n%s", err, out)
	}
}

// The same seed gives the same search, in one run or two. A run with more workers continues it, and a different search
// under the same name is an error.
func TestSearchRepeatsAndResumes(t *testing.T) {
	path := filepath.ToSlash(filepath.Join(t.TempDir(), "s.db"))
	out, _, err := runStudy(t, repl.NewSession(), boxSearch+`
f = lambda d: max(d.row_variances) - d.element_sd.value
whole = mvg_search(b, 1, 1e-5, f, trials=40)
print(told(whole) == told(mvg_search(b, 1, 1e-5, f, trials=40)), told(whole) == told(mvg_search(b, 1, 1e-5, f, trials=40, seed=2)))
first = mvg_search(b, 1, 1e-5, f, trials=15, storage="`+path+`")
second = mvg_search(b, 1, 1e-5, f, trials=40, storage="`+path+`")
print(told(second) == told(whole), str(second.design.sigma) == str(whole.design.sigma), second.optimum)
third = mvg_search(b, 1, 1e-5, f, trials=60, storage="`+path+`", workers=2)
print(len(told(third)), third.value <= second.value, mvg_search(b, 1, 1e-5, f, trials=0, storage="`+path+`").value == third.value)
mvg_search(b, 2, 1e-5, f, trials=70, storage="`+path+`")
`)
	if want := "True False\nTrue True None\n60 True True\n"; out != want || err == nil || !strings.Contains(err.Error(), "belongs to another search: choose another name") {
		t.Errorf("%v\n%s", err, out)
	}
}

// An objective that draws without a seed is rejected. Other errors are in testdata/scripts.txt.
func TestSearchRefusesDraws(t *testing.T) {
	_, _, err := runStudy(t, repl.NewSession(), boxSearch+"mvg_search(b, 1, 1e-5, lambda d: d.release([[0] * 100] * 3).value[0][0], trials=5)")
	if err == nil || !strings.Contains(err.Error(), "for the same design, want a value that depends only on the design: pass a seed to everything random") {
		t.Error(err)
	}
}

// After an interrupt, _ holds the best design so far and the session continues.
func TestInterruptedSearchKeepsBest(t *testing.T) {
	for _, workers := range []string{"1", "2"} {
		ctx, cancel := context.WithCancel(context.Background())
		s := repl.NewSession()
		s.Stdout = writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil })
		_, err := s.ExecScript(ctx, "search.star", boxSearch+`
def f(d):
    if d.element_sd < 38:
        print("now")
        while True: pass
    return d.element_sd
mvg_search(b, 1, 1e-5, f, axes="given", trials=100000, workers=`+workers+`)`)
		var interrupted *script.ScriptError
		if !errors.As(err, &interrupted) || !interrupted.Interrupted || !strings.Contains(err.Error(), "; _ is the best so far, <mvg search: objective ") {
			t.Fatal(err)
		}
		var out bytes.Buffer
		s.Stdout = &out
		_, err = s.ExecScript(context.Background(), "after.star", `print(_.gain > 0, _.design.element_sd.value == _.value, _.design.smallest_epsilon.hi <= 1, len(_.study.trials) > 0)`)
		if err != nil || out.String() != "True True True True\n" {
			t.Errorf("%v, %s", err, out.String())
		}
	}
}
