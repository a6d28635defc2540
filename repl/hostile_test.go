package repl_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/memory"
	"dpworkbench/repl"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// Bad scripts fail correctly: with a one-line message, without panics or NaN, within the memory limit, and soon after
// cancellation.
func TestBadScripts(t *testing.T) {
	n, seed, patience := 250, uint64(1), 100*time.Millisecond
	if cases.All() { // other scripts each day
		n, seed, patience = 20_000, uint64(time.Now().Unix()/86400), 2*time.Second
		t.Logf("seed %d", seed)
	}
	t.Chdir(t.TempDir())
	previous := memory.SetLimit(512 << 20)
	t.Cleanup(func() { memory.SetLimit(previous) })

	r := &badRun{t: t, patience: patience}
	r.open()
	g := newBadScripts(r.s, seed)
	for range n {
		name, source := g.next()
		r.run(g, name, source)
	}
	t.Logf("%d scripts: %d ran, %d failed, %d were stopped", n, r.ran, r.failed, r.stopped)
}

// A huge number in place of an integer, or as an added argument, gives an error or an answer within the memory limit.
// The test tries every variant if all cases are asked for, else every n-th.
func TestHugeNumbers(t *testing.T) {
	every := cases.Of(600, 1)
	t.Chdir(t.TempDir())
	previous := memory.SetLimit(512 << 20)
	t.Cleanup(func() { memory.SetLimit(previous) })
	r := &badRun{t: t, patience: 100 * time.Millisecond}
	r.open()
	g := newBadScripts(r.s, 1)
	n := 0
	for _, name := range g.names {
		for _, source := range g.huge(name) {
			if n++; n%every != 0 {
				continue
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r.run(g, name, source)
			runtime.ReadMemStats(&after)
			if taken := after.TotalAlloc - before.TotalAlloc; taken > 2<<30 {
				t.Errorf("%s takes %d bytes in all:\n%s", name, taken, cutShort(source))
			}
		}
	}
	t.Logf("%d scripts: %d ran, %d failed, %d were stopped", n, r.ran, r.failed, r.stopped)
}

// badRun runs bad scripts in one session, and replaces the session if a built-in does not stop in time.
type badRun struct {
	t                    *testing.T
	s                    *script.Session
	patience             time.Duration
	ran, failed, stopped int
	printed              []starlark.Value
	exhausted            error
}

func (r *badRun) open() {
	r.s = repl.NewSession().Session
	r.s.Stdout, r.s.Stderr = io.Discard, io.Discard
	r.s.OnExhausted = func(err error) { r.exhausted = err }
	r.s.OnShow = func(starlark.Value) error { return nil }
	if err := r.s.Confine([]string{"."}, nil); err != nil {
		r.t.Fatal(err)
	}
}

// run runs one script and reads the attributes of its results.
func (r *badRun) run(g *badScripts, name, source string) {
	r.s.Reset()
	r.printed, r.exhausted = nil, nil
	r.s.Set("print", starlark.NewBuiltin("print", func(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		r.printed = append(r.printed, args...)
		for _, a := range args {
			_ = a.String()
		}
		return starlark.None, nil
	}))
	v, err := r.exec(source)
	if err == nil {
		r.ran++
		r.printed = append(r.printed, v)
		if !asksForNaN.MatchString(source) {
			for _, v := range r.printed {
				if bad := badNumber(v, 3); bad != "" {
					r.t.Errorf("%s gives %s:\n%s", name, bad, cutShort(source))
				}
			}
		}
		r.attributes(name, source, v)
	} else {
		r.judge(g, name, source, err)
	}
	if r.exhausted != nil {
		r.t.Errorf("%s: %v:\n%s", name, r.exhausted, cutShort(source))
	}
	if len(r.s.Crashed) > 0 {
		r.t.Errorf("%s panics: %s\n%s", name, r.s.Crashed[0], cutShort(source))
		r.s.Crashed = nil
	}
	if err != nil && strings.Contains(err.Error(), "winding down") {
		r.await(name, source)
	}
}

// exec runs a chunk and interrupts it after r.patience.
func (r *badRun) exec(source string) (starlark.Value, error) {
	ctx, cancel := context.WithTimeout(r.t.Context(), r.patience)
	defer cancel()
	return r.s.Exec(ctx, "bad", source)
}

// await waits until a built-in that was left running has ended.
func (r *badRun) await(name, source string) {
	begin, stacks := time.Now(), make([]byte, 1<<20)
	for strings.Contains(string(stacks[:runtime.Stack(stacks, true)]), "(*Session).runChunk") {
		time.Sleep(10 * time.Millisecond)
		if time.Since(begin) > 8*time.Minute { // a slow machine needs time, but a built-in that ignores its context never ends
			r.t.Fatalf("%s does not stop when cancelled:\n%s", name, cutShort(source))
		}
	}
	r.t.Logf("%s took %v to stop:\n%s", name, time.Since(begin), cutShort(source))
	r.s.Close()
	r.open()
}

// attributes reads the attributes of a script's results.
func (r *badRun) attributes(name, source string, last starlark.Value) {
	r.s.Set("last", last)
	for _, variable := range r.s.Defined() {
		owner, ok := r.s.Get(variable).(script.Inspectable)
		if !ok {
			continue
		}
		for _, attr := range owner.AttrNames() {
			v, err := r.exec(fmt.Sprintf("getattr(%s, %q)", variable, attr))
			whole := source + "\n" + variable + "." + attr
			if bad := badNumber(v, 3); err == nil && bad != "" && !asksForNaN.MatchString(source) {
				r.t.Errorf("%s gives %s:\n%s", name, bad, cutShort(whole))
			}
			var script *script.ScriptError
			switch {
			case err == nil:
				continue
			case errors.As(err, &script) && script.Interrupted:
				return
			case !oneLine(err) || strings.Contains(err.Error(), "internal error"):
				r.t.Errorf("%s ends in %v:\n%s", name, cutShort(err.Error()), cutShort(whole))
			}
		}
	}
}

// judge checks the error of a script.
func (r *badRun) judge(g *badScripts, name, source string, err error) {
	var (
		failed *script.ScriptError
		exit   *script.Exit
	)
	if errors.As(err, &exit) {
		return
	}
	if !errors.As(err, &failed) {
		r.t.Errorf("%s ends in a %T, %[2]v:\n%s", name, err, cutShort(source))
		return
	}
	if failed.Interrupted {
		r.stopped++
		return
	}
	r.failed++
	switch {
	case strings.Contains(failed.Msg, "internal error"), !oneLine(err):
		r.t.Errorf("%s ends in %s:\n%s", name, cutShort(failed.Msg), cutShort(source))
	case !language.MatchString(failed.Msg) && !g.namesSomething(source, failed.Msg):
		r.t.Errorf("%s: the error names neither function nor parameter, %s:\n%s", name, cutShort(failed.Msg), cutShort(source))
	}
}

// oneLine reports whether an error is one readable line.
func oneLine(err error) bool {
	var failed *script.ScriptError
	text := err.Error()
	if errors.As(err, &failed) {
		text = failed.Msg
	}
	return text != "" && len(text) < 1000 && !strings.ContainsAny(text, "\n\x00") && !strings.Contains(text, "%!") && !strings.Contains(text, "NaN")
}

// namesSomething reports whether an error names a function or parameter used by the script, or the entry of its
// example.
func (g *badScripts) namesSomething(source, msg string) bool {
	for function, params := range g.params {
		if !strings.Contains(source, function) {
			continue
		}
		if strings.Contains(msg, function) || slices.ContainsFunc(params, func(p string) bool { return strings.Contains(msg, p) }) {
			return true
		}
	}
	for _, d := range g.docs {
		if _, last, ok := script.CutLast("."+d.Name, "."); ok && (strings.HasPrefix(msg, last+":") || strings.HasPrefix(msg, d.Name+" ")) {
			return true
		}
	}
	return false
}

// badNumber describes a NaN in v, or evidence whose ends do not contain its value. It returns "" if it finds none down
// to the given depth of lists.
func badNumber(v starlark.Value, depth int) string {
	if depth < 0 || v == nil {
		return ""
	}
	switch v := v.(type) {
	case starlark.Float:
		if math.IsNaN(float64(v)) {
			return "nan"
		}
	case *script.Evidence:
		lo, hi := v.Number().Bounds()
		if err := evidence.Check(v.Number()); err != nil || !(lo <= hi && lo <= v.Float() && v.Float() <= hi) {
			return fmt.Sprintf("%v in [%v, %v], %v", v.Float(), lo, hi, err)
		}
	case *starlark.Dict:
		for _, item := range v.Items() {
			if bad := badNumber(item, depth); bad != "" {
				return bad
			}
		}
	case starlark.Sequence:
		it := v.Iterate()
		defer it.Done()
		var x starlark.Value
		for i := 0; i < 1000 && it.Next(&x); i++ {
			if bad := badNumber(x, depth-1); bad != "" {
				return bad
			}
		}
	}
	return ""
}

// cutShort truncates text for messages.
func cutShort(text string) string {
	if len(text) > 1500 {
		return text[:1500] + "…"
	}
	return text
}
