package script_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"dpworkbench/internal/memory"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// fullSession returns a session in which full() uses up the memory.
func fullSession(t *testing.T) *script.Session {
	t.Setenv("GOMEMLIMIT", "off") // no memory limit of this process triggers the garbage collector
	before := memory.SetLimit(memory.Unlimited)
	t.Cleanup(func() { memory.SetLimit(before) })
	return withBuiltins(nil, script.Func("full() -> none", "Leaves no memory.", "", func(c *script.Call) (any, error) {
		memory.SetLimit(1) // no watcher stops this chunk, which began without a limit
		return nil, nil
	}))
}

// A session requests memory before it makes a value: 16 bytes per list element, 72 per pair, 120 per entry of a dict
// or set, and a text's length per copy. Small values need no request.
func TestMemoryRequests(t *testing.T) {
	const n, chars = 1 << 17, 1 << 21
	s := fullSession(t)
	_, err := s.Exec(t.Context(), "a", `
n, chars = 1 << 17, 1 << 21
l = list(range(n))
t = tuple(l)
r = range(n)
d = {i: i for i in l}
u = set(l)
x = "x" * chars
z = "x-" * (chars // 2)
most = l[9:]
m = matrix([[1.0] * 512] * 512)
b = bytes(x)
words = ["y" * 4096] * 1024
def f(*args): return len(args)
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		source string
		bytes  float64
	}{
		{"list(r)", 16 * n}, {"tuple(l)", 16 * n}, {"reversed(l)", 16 * n}, {"enumerate(l)", 72 * n}, {"sorted(l)", 32 * n}, {"set(l)", 120 * n}, {"dict(d)", 120 * n},
		{"bytes(range(256 * n))", 256 * n}, {"zip(l, r)", (40 + 2*16) * n}, {"zip(l, r, range(n - 9))", (40 + 3*16) * (n - 9)}, {"zip(range(n - 9), l)", (40 + 2*16) * (n - 9)},
		{"l + l", 2 * 16 * n}, {"l + most", 16 * (2*n - 9)}, {"x + x", 2 * chars}, {"b + b", 2 * chars}, {"t + t", 2 * 16 * n}, {"l * 3", 3 * 16 * n}, {"3 * x", 3 * chars},
		{"x * 1000000000000", 1e12 * chars}, {"[0] * n", 16 * n}, {"(0, 1) * n", 2 * 16 * n}, {"b * 17", 17 * chars}, {"f(*l)", 16 * n}, {"f(*r)", 16 * n}, {`", ".join(words)`, 1024 * (4096 + 2)},
		{`"".join(words)`, 1024 * 4096}, {`x.replace("x", "abc")`, 3 * chars}, {`x.replace("x", "abc", 1000000)`, chars + 2*1e6}, {`z.replace("-", "+++")`, chars + chars},
		{`x.replace("x", "ab", -1)`, 2 * chars}, {"d.update(d)", 120 * n}, {"u.union(l)", 120 * n}, {"u.update(l)", 120 * n}, {"u.issubset(u)", 120 * n}, {"set().issuperset(u)", 120 * n},
		{"set().symmetric_difference(l)", 120 * n}, {"[].extend(l + [1])", 16 * (n + 1)}, {"[1].extend(r)", 16 * n}, {"repr(x)", 4 * chars}, {"str(b)", 3 * chars}, {"str([x])", 4 * chars},
		{"fail(x, x)", 2 * chars}, {"print(x, x)", 2 * chars}, {`"%s" % x`, 2 * chars}, {`"%r" % x`, 2 * chars}, {`"{}".format(x)`, 2 * chars}, {`"%s%d" % (b, 7)`, 4 * chars},
		{"m.dot(m)", 40 * 512 * 512}, {"json.decode(x)", chars}, {"min(*r)", 16 * n}, {"l[:1000]", 0}, {"t[1:]", 0}, {"x[1:]", 0}, {"any(l[:9])", 0}, {"l[0] * 3", 0}, {"len(l) + n", 0},
		{"l.index(3)", 0}, {`x.replace("xx", "y")`, 0}, {`x.replace("y", "zzz")`, chars}, {`x.count("x")`, 0}, {`x.startswith("x")`, 0}, {"(not l) * 7", 0},
		{`("{0}" * 1000).format(x[:1 << 18])`, 2 * (3000 + 1000*(1<<18))}, {"f(*t)", 16 * n}, {"l[::2]", 0}, {`z.rsplit("-", 1 << 40)`, 0},
	} {
		_, err := s.Exec(t.Context(), "b", "full(); "+c.source+"\n")
		memory.SetLimit(memory.Unlimited)
		var room *memory.Error
		if shownBy := errors.As(err, &room); shownBy != (c.bytes > 0) || shownBy && room.Bytes != c.bytes {
			t.Errorf("%s requests %+v, %.100v, want %v bytes", c.source, room, err, c.bytes)
		}
	}
}

// Operators request memory wherever a script can have an expression, also for operands that are parameters or elements.
func TestOperatorsRequestMemory(t *testing.T) {
	const chars = 1 << 20
	s := fullSession(t)
	if _, err := s.Exec(t.Context(), "a", `
x, b, three, twenty, l, d = "x" * (1 << 20), b"x" * (1 << 20), 3, 20, [0] * (1 << 16), {}
def one(v): return 1
`); err != nil {
		t.Fatal(err)
	}
	ask := func(source string, want float64) {
		t.Helper()
		_, err := s.Exec(t.Context(), "b", source+"\n")
		memory.SetLimit(memory.Unlimited)
		var room *memory.Error
		if !errors.As(err, &room) || room.Bytes != want {
			t.Errorf("%s: %.100v, want %v bytes", source, err, want)
		}
	}
	for i, place := range []string{"full(); E", "full(); y, w = E, 1", "full(); y = ((E))", "full(); {E: 1}", "full(); one(v=E)", "full(); one(*[E])", "full(); (E)[0]", "full(); l[len(E):]", "full(); (E) == 1", "full(); 1 in [E]", "full(); 1 if (E) else 2",
		"full(); [j for i in [1] for j in [E]]", "full(); [i for i in [1] if (E)]", "full(); False or (E)", "full(); (lambda a=E: a)()", "full(); l[len(E) * 0] += 1", "full(); l[0] = E", "full()\nif not three: pass\nelif (E): pass", "full()\nwhile (E): break",
		"full()\nfor i in range(len(E)): pass", "full()\ndef g(*a): return [a, E]\ng()", "full()\ndef g():\n  def h(): return E\n  return h()\ng()"} {
		ask(strings.ReplaceAll(place, "E", []string{"x + x", "x * three", "twenty * x", "x[1:] + x"}[i%4]), []float64{2 * chars, 3 * chars, 20 * chars, 2*chars - 1}[i%4])
	}
	for source, want := range map[string]float64{
		"y = x\nfull()\ny += x": 2 * chars, "y = x\nfull()\ny *= twenty": 20 * chars, "y = twenty\nfull()\ny *= x": 20 * chars, "y = l\nfull()\ny *= twenty": 20 * 16 << 16,
		"y = list(l)\nfull()\ny += range(1 << 17)": 16 * 3 << 16, "y = {1: x}\nfull()\ny[1] += x": 2 * chars, "full()\ndef g(v, w): return v * w\ng(x, 7)": 7 * chars, "full()\ndef g(v):\n  v += v\ng(x)": 2 * chars,
		"full()\ny = 'ab'\nfor i in range(21): y += y": 1 << 20, "full()\ny = [1]\nfor i in range(21): y = y + y": 1 << 20, "full()\ny = (1,)\nfor i in range(21): y = y * 2": 1 << 20,
		"full()\ny = 'ab'\nfor i in range(21): y = '%s%s' % (y, y)": 1 << 20, "full()\ny = 'ab'\nfor i in range(21): y = y.replace('a', 'aa').replace('b', 'bb')": 1 << 20,
	} {
		ask(source, want)
	}
}

// The panics of concurrent workers are all recorded.
func TestConcurrentPanicsAreRecorded(t *testing.T) {
	s := &script.Session{}
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if err := s.Caught("here", "broken"); err == nil {
				t.Error("a panic is not an error")
			}
		})
	}
	wait.Wait()
	if len(s.Crashed) != 20 || !strings.HasPrefix(s.Crashed[7], "here: broken\n") {
		t.Errorf("%d of 20 panics are recorded", len(s.Crashed))
	}
}

// json.indent requests about twice the length of its result, because the buffer is copied when it grows.
func TestMemoryForIndentedJSON(t *testing.T) {
	s := fullSession(t)
	value := "[" + strings.Repeat(`{"a":[1,2],"b":{}},`, 60_000) + "0]"
	s.Set("value", starlark.String(value))
	for _, c := range [][2]string{{"", ""}, {"", "    "}, {"//", "\t"}, {"a long prefix", ""}} {
		var out bytes.Buffer
		if err := json.Indent(&out, []byte(value), c[0], c[1]); err != nil {
			t.Fatal(err)
		}
		source := fmt.Sprintf("json.indent(value, prefix=%q, indent=%q)\n", c[0], c[1])
		v, err := s.Exec(t.Context(), "a", "full(); "+source)
		memory.SetLimit(memory.Unlimited)
		var room *memory.Error
		if !errors.As(err, &room) || v != nil {
			t.Fatalf("%q, %q: %v", c[0], c[1], err)
		}
		if n := float64(out.Len()); room.Bytes < 2*n || room.Bytes > 3*n+1e6 {
			t.Errorf("%q, %q: %v bytes requested, want about %v, twice the text", c[0], c[1], room.Bytes, 2*n)
		}
		if v, err := s.Exec(t.Context(), "a", source); err != nil || v != starlark.Value(starlark.String(out.String())) {
			t.Errorf("%q, %q: %.100v, %v, want %d bytes", c[0], c[1], v, err, out.Len())
		}
	}
}

// json.encode requests memory while it writes, and matrices request memory before they are made. Exec returns
// memory.Err for a chunk that is ended for lack of memory.
func TestTextsRequestMemoryWhileWritten(t *testing.T) {
	s := fullSession(t)
	if _, err := s.Exec(t.Context(), "a", "words = ['\\1' * 100] * 5000\nwide = [1] * (1 << 20)\nm = matrix([[1.0] * 512] * 512)\nrows = [[1.0] * 512] * 512\n"); err != nil {
		t.Fatal(err)
	}
	for source, what := range map[string]string{
		"json.encode(words)": "the text of x", "json.encode(wide)": "the text of a value",
		"identity(512)": "the matrix", "m + m": "a matrix of 512 x 512", "m * rows": "a matrix of 512 x 512", "m.svd()": "",
	} {
		_, err := s.Exec(t.Context(), "b", "full(); "+source+"\n")
		memory.SetLimit(memory.Unlimited)
		var room *memory.Error
		if !errors.As(err, &room) || !strings.HasPrefix(room.What, what) {
			t.Errorf("%s: %.200v, want memory for %s", source, err, what)
		}
	}
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(&memory.Error{What: "the computation", Limit: 7})
	if _, err := s.Exec(ended, "c", "while True: pass\n"); !errors.Is(err, memory.Err) {
		t.Errorf("ended for lack of memory: %v", err)
	}
}
