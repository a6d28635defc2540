package script

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dpworkbench/evidence"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

var errWeigh = errors.New("the scales are broken")

// weights have an algebra that knows whole numbers, breaks at floats and strings, and leaves the rest to others.
var weights = &Class[int8]{Name: "weight", Help: "A weight.", Example: "weight_of(2)", Algebra: &Algebra[int8]{
	Binary: func(op syntax.Token, v int8, y starlark.Value, right bool) (int8, bool, error) {
		switch y := y.(type) {
		case starlark.String:
			return 0, false, errWeigh
		case starlark.Int:
			n, _ := y.Int64()
			return v + int8(n), op == syntax.PLUS, nil
		}
		return 0, false, nil
	},
	Compare: func(op syntax.Token, v int8, y starlark.Value, right bool) (is, ok bool, err error) {
		switch y := y.(type) {
		case starlark.Float, starlark.String:
			return false, false, errWeigh
		case starlark.Int:
			is, err := starlark.Compare(op, starlark.MakeInt(int(v)), y)
			if right {
				is, err = starlark.Compare(op, y, starlark.MakeInt(int(v)))
			}
			return is, true, err
		}
		return false, false, nil
	},
}}

// weighing is a session with weights.
func weighing() *Session {
	return New(Vocabulary{Types: []Type{weights}, Kinds: []Kind{weights.kind()}, Rooms: []Room{NewRoom("Scales", []Builtin{
		Func("weight_of(n: int[0..100]) -> weight", "Makes a weight.", "weight_of(2)", func(c *Call) (any, error) { return int8(c.Int("n")), nil }),
	})}})
}

// What an algebra refuses is an error of the operator or the comparison, on whichever side it stands; what it knows is
// answered, and what it leaves to others is theirs.
func TestAlgebrasThatRefuse(t *testing.T) {
	s := weighing()
	for source, want := range map[string]string{
		`w + 1`: "<weight>", `1 + w`: "<weight>", `w < 3`: "True", `3 < w`: "False", `w == 2`: "True", `2 != w`: "False", `[w] == [2]`: "True", `w in [1, 2]`: "True",
		`w + "a"`: "broken", `"a" + w`: "broken", `w < 1.5`: "broken", `1.5 < w`: "broken", `w == 1.5`: "broken", `1.5 != w`: "broken", `[w] == ["a"]`: "broken", `["a"] == [w]`: "broken",
		`w in [1, 1.5]`: "broken", `(lambda a, b: a >= b)(w, 1.5)`: "broken", `(lambda a, b: a >= b)(1.5, w)`: "broken",
		`w == w`: "True", `w != w`: "False", `w < weight_of(3)`: "not implemented", `w == None`: "False", `w + None`: "unknown binary op",
	} {
		v, err := s.Exec(t.Context(), "a", "w = weight_of(2)\n"+source)
		got := fmt.Sprint(v)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, want) && !(want == "<weight>" && err == nil) {
			t.Errorf("%s gives %s, want %s", source, got, want)
		}
	}
	w := s.Get("w").(*Object[int8])
	other := &Object[int8]{class: weights, session: s, v: 2}
	for name, ask := range map[string]func() (bool, error){
		"same type": func() (bool, error) { return w.CompareSameType(syntax.LT, starlark.String("a"), 1) },
	} {
		if is, err := ask(); is || !errors.Is(err, errWeigh) {
			t.Errorf("%s: %t, %v", name, is, err)
		}
	}
	for op, want := range map[syntax.Token]bool{syntax.EQL: false, syntax.NEQ: true} {
		if is, err := w.CompareSameType(op, other, 1); is != want || err != nil {
			t.Errorf("%s another: %t, %v", op, is, err)
		}
		if is, err := w.CompareSameType(op, w, 1); is == want || err != nil {
			t.Errorf("%s itself: %t, %v", op, is, err)
		}
	}
	if is, err := w.CompareSameType(syntax.LT, other, 1); is || err == nil {
		t.Errorf("%t, %v", is, err)
	}
	if v, err := w.Binary(syntax.PLUS, starlark.String("a"), starlark.Left); !errors.Is(err, errWeigh) {
		t.Errorf("%v, %v", v, err)
	}
	for _, v := range []starlark.Value{w, names{}} {
		if _, err := v.Hash(); err == nil || !strings.Contains(err.Error(), "unhashable type: "+v.Type()) {
			t.Errorf("%s is a key: %v", v.Type(), err)
		}
	}
}

// A range of a declaration that is none is refused when it is declared.
func TestRangesOfDeclarations(t *testing.T) {
	for _, c := range []struct {
		name, bounds string
		ok           bool
	}{
		{"int", "1..3", true}, {"int", "..3", true}, {"int", "1..", true}, {"number", "0.5..1e3", true},
		{"int", "a..3", false}, {"int", "1..b", false}, {"int", "0.5..3", false}, {"number", "a..1", false}, {"number", "0..b", false}, {"number", "..1", false}, {"text", "1..3", false},
	} {
		refused := func() (refused bool) {
			defer func() { refused = recover() != nil }()
			rangedKind(c.name, c.bounds)
			return false
		}()
		if refused == c.ok {
			t.Errorf("%s[%s] is refused: %t", c.name, c.bounds, refused)
		}
	}
}

// More arguments than a function takes are refused, with the name of what must be written by its name.
func TestTooManyArguments(t *testing.T) {
	needed, named := param{name: "a"}, param{name: "c", fallback: starlark.None, named: true}
	two := starlark.Tuple{starlark.None, starlark.None}
	for _, c := range []struct {
		sig  signature
		want string
	}{{signature{needed}, "takes 1 argument, got 2 arguments"}, {signature{needed, named}, "takes 1 argument without a name, got 2 arguments: the first is a, and c=… is given by its name"}} {
		if values, _, err := c.sig.bind(two, nil); err == nil || err.Error() != c.want || values != nil {
			t.Errorf("%v, %v, want %s", values, err, c.want)
		}
	}
}

// Once a run is to stop no function of it is called any more, the script's own included, and it says that it was stopped.
func TestCallsAfterTheEnd(t *testing.T) {
	var cancel context.CancelFunc
	ran := 0
	var late []error
	s := New(Vocabulary{Rooms: []Room{NewRoom("Ends", []Builtin{
		Func("stop() -> none", "Stops.", "stop()", func(c *Call) (any, error) { cancel(); return nil, nil }),
		Func("ran() -> none", "Runs.", "ran()", func(c *Call) (any, error) { ran++; return nil, nil }),
		Func("waits() -> none", "Waits.", "waits()", func(c *Call) (any, error) { cancel(); return nil, fmt.Errorf("waiting: %w", c.Context.Err()) }),
		Func("late(f: function) -> none", "Calls late.", "late(len)", func(c *Call) (any, error) {
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
	})}})
	for _, source := range []string{"[stop(), ran()]", "waits()", "late(len)", "late(lambda a: ran())"} {
		var ctx context.Context
		ctx, cancel = context.WithCancel(t.Context())
		late = nil
		if v, err := s.Exec(ctx, "a", source); !strings.HasPrefix(source, "late") && !errors.Is(err, ErrStopped) {
			t.Errorf("%s: %v, %v", source, v, err)
		}
		cancel()
		for _, err := range late {
			if !errors.Is(err, ErrStopped) {
				t.Errorf("%s is called late: %v", source, err)
			}
		}
	}
	if ran != 0 {
		t.Errorf("%d functions ran after the end", ran)
	}
}

// A function that fails at one call fails what takes its time, at once, and no time is told.
func TestTimesOfWhatFails(t *testing.T) {
	for at := 1; at <= 6; at++ {
		for _, took := range []time.Duration{time.Millisecond, time.Second} {
			synctest.Test(t, func(t *testing.T) {
				s := New(Vocabulary{})
				var told bytes.Buffer
				s.Stderr = &told
				calls := 0
				s.Set("f", starlark.NewBuiltin("f", func(*starlark.Thread, *starlark.Builtin, starlark.Tuple, []starlark.Tuple) (starlark.Value, error) {
					time.Sleep(took)
					if calls++; calls == at {
						return nil, errWeigh
					}
					return starlark.None, nil
				}))
				if v, err := s.Exec(t.Context(), "a", "timeit(f, seconds=60)"); err == nil || !strings.Contains(err.Error(), errWeigh.Error()) || calls != at {
					t.Errorf("failing at call %d of %v: %v, %v after %d", at, took, v, err, calls)
				}
				calls = at - 1
				if v, err := s.Exec(t.Context(), "a", `timed("f", f)`); err == nil || !strings.Contains(err.Error(), errWeigh.Error()) || told.Len() > 0 {
					t.Errorf("%v, %v, and %q is told", v, err, told.String())
				}
			})
		}
	}
}

// brokenPipe is an output that nobody reads.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errWeigh }

// What cannot be printed, numbers that no float can hold, numbers of too many digits, and lists that nobody may change
// are errors.
func TestRefusedAnswers(t *testing.T) {
	s := New(Vocabulary{Rooms: []Room{NewRoom("Nets", []Builtin{
		Func("beyond() -> number", "Is beyond.", "beyond()", func(*Call) (any, error) { return evidence.Claimed{Value: math.NaN()}, nil }),
	})}})
	s.Set("long", starlark.MakeBigInt(new(big.Int).Lsh(big.NewInt(1), 4*maxPrinted)))
	s.Stdout = brokenPipe{}
	for source, want := range map[string]string{
		"show(1)": errWeigh.Error(), "help()": errWeigh.Error(), `apropos("number")`: errWeigh.Error(),
		"beyond()": "beyond the range of floats", "fmt(long)": "digits",
	} {
		if v, err := s.Exec(t.Context(), "a", source); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %.40s, %v, want %s", source, fmt.Sprint(v), err, want)
		}
	}
	list := starlark.NewList(nil)
	list.Freeze()
	if v, err := extend(list, starlark.Tuple{starlark.None}); err == nil || list.Len() > 0 {
		t.Errorf("a frozen list grows: %v", v)
	}
	a := starlark.NewList([]starlark.Value{starlark.None})
	if is, err := farther(syntax.LT, a, starlark.MakeInt(1), errWeigh); is || !errors.Is(err, errWeigh) {
		t.Errorf("what is no number is farther: %t, %v", is, err)
	}
}
