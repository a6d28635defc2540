package script

import (
	"errors"
	"strings"
	"testing"

	"dpworkbench/internal/parallel"
)

// A panic of a worker is an error of the built-in, like one of the built-in itself,
// and the session keeps the stack of the worker.
func TestFaultOfWorker(t *testing.T) {
	for name, run := range map[string]func(*Call) (any, error){
		"own": func(*Call) (any, error) { breaks(); return nil, nil },
		"worker": func(c *Call) (any, error) {
			return nil, parallel.Each(c.Context, 3, func(int) error { breaks(); return nil })
		},
	} {
		s := New(Vocabulary{})
		s.Set("work", NewFunction(s, Func("work() -> string?", "", "", run)))
		_, err := s.Exec(t.Context(), "a", "work()")
		var failed *ScriptError
		if !errors.As(err, &failed) || !strings.HasSuffix(failed.Msg, "work: internal error: broken") {
			t.Errorf("%s: the error is %v", name, err)
		}
		if len(s.Crashed) != 1 || !strings.HasPrefix(s.Crashed[0], "work: broken\n") || !strings.Contains(s.Crashed[0], "script.breaks") {
			t.Errorf("%s: the session keeps %q", name, s.Crashed)
		}
	}
}

func breaks() { panic("broken") }
