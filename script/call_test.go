package script_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"dpworkbench/internal/parallel"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// A panic in a worker becomes an error of the built-in, as a panic in the built-in itself does. The session keeps the
// worker's stack.
func TestWorkerPanicIsAnError(t *testing.T) {
	for name, run := range map[string]func(*script.Call) (any, error){
		"own": func(*script.Call) (any, error) { breaks(); return nil, nil },
		"worker": func(c *script.Call) (any, error) {
			return nil, parallel.Each(c.Context, 3, func(int) error { breaks(); return nil })
		},
	} {
		s := script.New(script.Vocabulary{})
		s.Set("work", script.NewFunction(s, script.Func("work() -> string?", "", "", run)))
		_, err := s.Exec(t.Context(), "a", "work()")
		var failed *script.ScriptError
		if !errors.As(err, &failed) || !strings.HasSuffix(failed.Msg, "work: internal error: broken") {
			t.Errorf("%s: the error is %v", name, err)
		}
		if len(s.Crashed) != 1 || !strings.HasPrefix(s.Crashed[0], "work: broken\n") || !strings.Contains(s.Crashed[0], "script_test.breaks") {
			t.Errorf("%s: the session keeps %q", name, s.Crashed)
		}
	}
}

func breaks() { panic("broken") }

// After cancellation no function is called any more, not even the script's own. Calls return ErrStopped.
func TestNoCallsAfterCancel(t *testing.T) {
	var cancel context.CancelFunc
	ran := 0
	var late []error
	s := withBuiltins(nil,
		script.Func("stop() -> none", "Stops.", "stop()", func(c *script.Call) (any, error) { cancel(); return nil, nil }),
		script.Func("ran() -> none", "Runs.", "ran()", func(c *script.Call) (any, error) { ran++; return nil, nil }),
		script.Func("waits() -> none", "Waits.", "waits()", func(c *script.Call) (any, error) { cancel(); return nil, fmt.Errorf("waiting: %w", c.Context.Err()) }),
		script.Func("late(f: function) -> none", "Calls late.", "late(len)", func(c *script.Call) (any, error) {
			f, kept := c.Callable("f"), c.Kept("f")
			cancel()
			for _, call := range []func(...starlark.Value) (starlark.Value, error){f, kept} {
				v, err := call(starlark.String("a"))
				if v != nil {
					late = append(late, fmt.Errorf("answers %v", v))
				}
				late = append(late, err)
			}
			return nil, nil
		}),
	)
	for _, source := range []string{"[stop(), ran()]", "waits()", "late(len)", "late(lambda a: ran())"} {
		var ctx context.Context
		ctx, cancel = context.WithCancel(t.Context())
		late = nil
		if v, err := s.Exec(ctx, "a", source); !strings.HasPrefix(source, "late") && !errors.Is(err, script.ErrStopped) {
			t.Errorf("%s: %v, %v", source, v, err)
		}
		cancel()
		for _, err := range late {
			if !errors.Is(err, script.ErrStopped) {
				t.Errorf("%s is called late: %v", source, err)
			}
		}
	}
	if ran != 0 {
		t.Errorf("%d functions ran after cancellation", ran)
	}
}

// A built-in that does not stop when cancelled is abandoned after a grace period, with a message.
func TestBusyBuiltinIsAbandoned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // synctest skips the waiting time
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		free := make(chan bool)
		defer close(free)
		_, err := script.New(script.Vocabulary{}).Run(ended, "a", func(*starlark.Thread) (starlark.Value, error) { <-free; return nil, nil })
		var failed *script.ScriptError
		if !errors.As(err, &failed) || !failed.Interrupted || failed.Msg != "interrupted (a built-in is still winding down)" {
			t.Error(err)
		}
		for source, want := range map[string]string{ // a partial result of a call is reported until the call ends
			"reports(1)":          "interrupted after three of five (a built-in is still winding down)",
			"reports(0); waits()": "interrupted (a built-in is still winding down)",
		} {
			ctx, cancel := context.WithCancel(t.Context())
			wait := func() { cancel(); <-free }
			s := withBuiltins(nil,
				script.Func("waits() -> none", "Waits.", "", func(*script.Call) (any, error) { wait(); return nil, nil }),
				script.Func("reports(waiting: int) -> none", "Reports, and may wait.", "", func(c *script.Call) (any, error) {
					parallel.ReportPartial(c.Context, partly{context.Canceled})
					if c.Int("waiting") == 1 {
						wait()
					}
					return nil, nil
				}),
			)
			if _, err := s.Exec(ctx, "a", source+"\n"); !errors.As(err, &failed) || failed.Msg != want {
				t.Errorf("%q: %v, want %s", source, err, want)
			}
		}
	})
}

// partly is the error of a computation that has a partial result.
type partly struct{ error }

func (partly) Partial() string { return "after three of five" }

// A computation that calls a script's function stops when the function fails or the context ends. It returns the
// results so far and makes no further calls.
func TestComputationStopsWithCallback(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	s := withBuiltins(nil,
		script.Func("end() -> none", "Ends the context.", "", func(*script.Call) (any, error) { cancel(&script.TimeLimit{Limit: 7}); return nil, nil }),
		script.Func("partly() -> none", "Ends with what it knows.", "", func(*script.Call) (any, error) { cancel(nil); return nil, partly{context.Canceled} }),
		script.Func("ask(f: function) -> value", "Calls f after the end.", "", func(c *script.Call) (any, error) { cancel(nil); return c.Callable("f")() }),
		script.Func("two(a: int, b: int=2) -> int", "The first.", "", func(c *script.Call) (any, error) {
			return c.Int("a"), nil
		}),
	)
	run := func(source string) error {
		ctx, cancel = context.WithCancelCause(t.Context())
		_, err := s.Exec(ctx, "a", source+"\n")
		return err
	}
	var late *script.TimeLimit
	if err := run("end()\nwhile True: pass"); !errors.As(err, &late) || late.Limit != 7 || !strings.Contains(err.Error(), "the time is up; limit 7ns (--time)") {
		t.Error(err)
	}
	var failed *script.ScriptError
	if err := run("partly()"); !errors.As(err, &failed) || !failed.Interrupted || !strings.Contains(failed.Msg, "interrupted after three of five") {
		t.Errorf("%#v", err)
	}
	called := false
	s.Set("f", starlark.NewBuiltin("f", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
		called = true
		return starlark.None, nil
	}))
	if err := run("ask(f)"); !errors.As(err, &failed) || !failed.Interrupted || called {
		t.Errorf("%v, called %t", err, called)
	}
	for source, want := range map[string]string{
		"two(1, a=2)": "got two values for a: the 1st positional argument, 1, took its place", "two(a=1, c=2)": "has no parameter c",
		"min([1, 2], key=lambda x: fail('no'))": "fail: no",
	} {
		if err := run(source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", source, err, want)
		}
	}
	exit := &script.Exit{Status: 3}
	if err := s.ReasonOf(fmt.Errorf("a: %w", exit)); err != exit {
		t.Errorf("the reason of an exit is %v", err)
	}
	if err := s.ReasonOf(errors.New("a\nb")); err.Error() != "a" {
		t.Errorf("the reason is %q", err)
	}
	none := script.DataFile{Path: filepath.Join(t.TempDir(), "none")}
	if _, err := s.ReadFile(none, nil); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
