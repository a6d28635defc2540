package script_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/internal/memory"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// scriptWriter writes random scripts over values accepted by +, *, %, slices and methods, and some that they reject.
type scriptWriter struct{ *rand.Rand }

func (r scriptWriter) one(of ...string) string { return of[r.IntN(len(of))] }

// value writes an expression of bounded depth over the names a, b, c and args.
func (r scriptWriter) value(depth int) string {
	if depth == 0 {
		return r.one("0", "1", "2", "7", "-3", "2.5", "-0.0", `""`, `"ab"`, `"%s"`, `"%d-%r"`, `"{}{}"`, "[]", "[1, 2]", "()", "(1,)", "((1, 2), 3)",
			"None", "True", `{"a": 1}`, "{(1, 2): [3]}", "set([1, 2])", `b"xy"`, "range(3)", "a", "b", "c", "a", "b", "c", "1 << 40", "-(1 << 70)")
	}
	x := func() string { return r.value(depth - 1) }
	switch r.IntN(20) {
	case 0, 1, 2:
		return x() + " + " + x()
	case 3, 4, 5:
		return x() + " * " + x()
	case 6:
		return "(" + x() + ") % (" + x() + ")"
	case 7:
		return "(" + x() + ", " + x() + ")"
	case 8:
		return "[" + x() + ", " + x() + "]"
	case 9:
		return "(" + x() + ")[" + r.one("1:", ":1", "::2", "::-1", "0", "-1", ":") + "]"
	case 10:
		return "(" + x() + ")." + r.one("join", "split", "replace", "format", "items", "union", "issubset", "extend", "upper", "rsplit", "popitem", "keys", "splitlines", "title") +
			"(" + r.one("", x(), x()+", "+x()) + ")"
	case 11:
		return "[" + x() + " for a in " + x() + "]"
	case 12:
		return r.one("list", "tuple", "sorted", "zip", "enumerate", "str", "repr", "len", "reversed", "set", "dict", "any", "all", "bytes", "type", "bool", "hash") + "(" + r.one(x(), x()+", "+x()) + ")"
	case 13:
		return "(" + x() + " if " + x() + " else " + x() + ")"
	case 14:
		return "(" + x() + r.one(" and ", " or ", " in ", " - ", " // ", " | ", " & ", " < ", " <= ", " > ", " >= ", " == ", " != ", " not in ") + x() + ")"
	case 15:
		return "(lambda *a: " + x() + ")(" + x() + ", *" + x() + ")"
	case 16:
		return "{" + x() + ": " + x() + "}"
	case 17:
		return `getattr(` + x() + `, "` + r.one("join", "items", "update", "nothing") + `", ` + x() + `)`
	case 18:
		return "(-" + x() + ")"
	}
	return x()
}

// script writes a function with assignments and loops, and a call that prints its result.
func (r scriptWriter) script() string {
	var b strings.Builder
	for _, name := range []string{"a", "b", "c"} {
		fmt.Fprintf(&b, "%s = %s\n", name, r.one("3", "0.5", `"%s-"`, `"a b"`, "[1, 2]", "(1, 2)", "((), 1)", `{"a": 1}`))
	}
	b.WriteString("def f(a, b, *args):\n    c = 0\n")
	for range r.IntN(4) {
		fmt.Fprintf(&b, "    %s\n", r.one(
			"c = "+r.value(1), "c += "+r.value(1), "a += "+r.value(1), "a *= "+r.value(1), "a %= "+r.value(1),
			"a, b = b, a", "b, c = ("+r.value(0)+", "+r.value(1)+")",
			"for c in range(2): a += c",
			"for i in range(3): c = (c, i)",
			"c = c + a * 2", "args += (c,)", "c = args", "b = args + (a, args)",
			"c = [i * j for i in range(3) for j in ["+r.value(0)+"]]",
			"a |= "+r.value(0), "a -= 1",
		))
	}
	fmt.Fprintf(&b, "    return %s\n", r.value(2))
	switch r.IntN(3) {
	case 0:
		fmt.Fprintf(&b, "print(repr(%s))\n", r.value(1+r.IntN(3)))
	case 1:
		fmt.Fprintf(&b, "print(repr(f(a, b, c)))\n")
	case 2:
		fmt.Fprintf(&b, "c = 3\na %s %s\nprint(repr(a))\n", r.one("+=", "*=", "%="), r.value(1))
	}
	return b.String()
}

// A script with rewritten operators prints and fails as in plain Starlark.
func TestOperatorsMatchStarlark(t *testing.T) {
	n := 1500
	if testing.Short() {
		n = 300
	}
	s := script.New(script.Vocabulary{})
	failed, ran := 0, 0
	for seed := range uint64(n) {
		source := scriptWriter{rand.New(rand.NewPCG(seed, 18))}.script()
		want := inStarlark(source)
		got := inSession(t, s, source)
		if strings.HasSuffix(got, "\n") {
			ran++
		}
		better := strings.Contains(want, "nil pointer") && strings.Contains(got, "got 0 arguments") ||
			strings.Contains(want, "too large") && strings.Contains(got, "(--memory)")
		if want != got && !better {
			t.Errorf("seed %d\n%s\nprints %s\nStarlark %s", seed, source, got, want)
			if failed++; failed > 3 {
				return
			}
		}
	}
	if ran < n/10 { // the others compare their errors
		t.Errorf("%d of %d scripts ran to their end, want a tenth", ran, n)
	}
}

// inStarlark runs a script in plain Starlark.
func inStarlark(source string) (out string) {
	defer func() {
		if r := recover(); r != nil {
			out += fmt.Sprint(r)
		}
	}()
	thread := &starlark.Thread{Print: func(_ *starlark.Thread, text string) { out += text + "\n" }}
	_, err := starlark.ExecFileOptions(script.Dialect, thread, "a", source, nil)
	if err != nil {
		out += err.Error()
	}
	return out
}

// inSession runs a script in a session.
func inSession(t *testing.T, s *script.Session, source string) string {
	s.Reset()
	for _, name := range []string{"len", "hash"} { // Starlark's functions, not the workbench's
		s.Set(name, starlark.Universe[name])
	}
	var out strings.Builder
	s.Stdout = &out
	_, err := s.ExecScript(t.Context(), "a", source)
	if err != nil {
		inner := err
		if script, ok := err.(*script.ScriptError); ok {
			inner = script.Err
		}
		out.WriteString(inner.Error())
	}
	return out.String()
}

// Scripts that exceed the memory limit or recurse without end fail with a message. The process survives, and no script
// uses twice its limit.
func TestScriptsOverTheMemoryLimit(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "off")
	previous := memory.SetLimit(128 << 20)
	t.Cleanup(func() { memory.SetLimit(previous) })
	const room = "(--memory)"
	for source, want := range map[string]string{
		`x = "x" * (1 << 29)`:                                       room,
		`x = "x" * (1 << 40)`:                                       room,
		`x = [0] * (1 << 29)`:                                       room,
		`x = [0]` + "\nx *= 536870912":                              room,
		"s = 'x'\nwhile True: s = s + s":                            room,
		"s = 'x'\nwhile True: s += s":                               room,
		"l = [1]\nwhile True: l = l + l":                            room,
		"l = [1]\nwhile True: l += l":                               room,
		"l = [1]\nwhile True: l = l * 2":                            room,
		"l = []\nwhile True: l = l + ['a' * 1000000]":               room,
		"l = []\nwhile True: l.append('a' * 1000)":                  room,
		"l = []\nl += range(1 << 40)":                               room,
		`len(zip(range(1 << 40), [1, 2]))`:                          "",
		"dict().update(range(1 << 40))":                             room,
		"[].extend(range(1 << 40))":                                 room,
		"list(range(1 << 40))":                                      room,
		"set([1]).union(range(1 << 40))":                            room,
		"print(*range(1 << 40))":                                    room,
		`("a" * 1000000).replace("a", "b" * 1000000)`:               room,
		`("a" * 1000000).join(["b"] * 1000000)`:                     room,
		`("{0}" * 1000000).format("x" * 1000000)`:                   room,
		`("%s" * 100000) % (("x" * 100000,) * 100000)`:              room,
		`("%(a)s" * 100000) % {"a": [1] * 100000}`:                  room,
		`"a b".rsplit(None, 1 << 40)`:                               "",
		"l = []\nfor i in range(60): l = [l, l]\nstr(l)":            room,
		"l = []\nfor i in range(60): l = [l, l]\n'%s' % l":          room,
		"t = ()\nwhile True: t = (t,)":                              "nested more than",
		"t = ()\nfor i in range(60): t = (t, t)\nd = {t: 1}":        "elements",
		"l = []\nfor i in range(100000): l = [l]\nrepr(l)":          "nested more than",
		"d = {}\ni = 0\nwhile True:\n  d[i] = 'a' * 1000\n  i += 1": room,
	} {
		s := script.New(script.Vocabulary{})
		s.Stdout = io.Discard
		s.OnExhausted = func(err error) { t.Errorf("%q exhausts the memory: %v", source, err) }
		_, err := s.Exec(t.Context(), "a", source+"\n")
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || want == room && !errors.Is(err, memory.Err)) {
			t.Errorf("%q: %.200v, want %q", source, err, want)
		}
	}
}
