package serve_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"dpworkbench/repl/serve"
)

func call(name string, args ...any) object {
	return object{"name": name, "args": append(list{}, args...), "kwargs": list{}}
}

// value returns the value of a result.
func (c *client) value(kind byte, body any, data ...byte) any {
	c.t.Helper()
	m := c.ask(kind, body, data)
	if m.kind != 'r' {
		c.t.Fatalf("%c %v is answered by %c %v", kind, body, m.kind, m.body)
	}
	return m.body["value"]
}

func TestCalls(t *testing.T) {
	c := connect(t)
	g := c.value('C', call("graphs", 4))
	if g.(object)["type"] != "graphs" {
		t.Fatal(g)
	}
	if size := c.value('G', object{"of": g, "name": "size"}); size != 11. {
		t.Error(size)
	}
	q := c.value('C', object{"of": g, "name": "count", "args": list{"triangle"}, "kwargs": list{}})
	m := c.value('C', object{"name": "purest", "args": list{q}, "kwargs": list{"decay", 1}})
	e := c.value('G', object{"of": m, "name": "smallest_epsilon"}).(object)
	if e["kind"] != "certified" || !(e["lo"].(float64) < e["hi"].(float64)) || e["hi"] != e["value"] {
		t.Error(e)
	}
	if less := c.value('O', object{"operator": "<", "x": e, "y": 1.25}); less != true {
		t.Error(less)
	}
	if v := c.value('E', object{"source": "def f(x): return x + y\nf(2)", "names": list{"y", 3}}); v != 5. {
		t.Error(v)
	}
	for as, want := range map[string]any{"text": "<graphs", "prompt": "<graphs", "json": `{"type":"graphs"`, "svg": nil, "data": nil} {
		got := c.value('S', object{"of": g, "as": as})
		if text, ok := want.(string); ok && !strings.HasPrefix(fmt.Sprint(got), text) || !ok && got != want {
			t.Errorf("as %s: %v", as, got)
		}
	}
}

func TestErrors(t *testing.T) {
	c := connect(t)
	e := c.value('C', call("ln", 3))
	for _, x := range []struct {
		kind       byte
		body       object
		want, text string
	}{
		{'C', call("ln", -1), "parameter", "ln: x = -1, want"},
		{'C', call("study", "s", "postgres://u:Zq7w@h:port/d"), "parameter", "postgres://…"},
		{'E', object{"source": "def f(url): study('s', storage=url)\nf('postgres://u:Zq7w@h:port/d')"}, "parameter", "postgres://…"},
		{'C', call("ln"), "arguments", "ln needs x; it is ln(x)"},
		{'C', call("nothing"), "error", "no built-in or variable is named nothing"},
		{'G', object{"of": e, "name": "valu"}, "attribute", "evidence has no .valu (did you mean value?)"},
		{'G', object{"of": 1, "name": "x"}, "attribute", "int has no .x"},
		{'E', object{"source": "1 +"}, "error", "<script>:1"},
		{'E', object{"source": "exit(3)"}, "exit", ""},
		{'E', object{"source": "'a' * 100000000000"}, "memory", "limit"},
		{'C', call("read_csv", "/no/such/file.csv"), "file", "file.csv"},
		{'O', object{"operator": "<", "x": object{"$q": list{"1", "0"}}, "y": 1}, "error", "a fraction"},
		{'O', object{"operator": "^^", "x": 1, "y": 1}, "error", "not known"},
		{'C', call("ln", object{"$h": 99}), "error", "no value has the number 99"},
		{'C', call("ln", object{"$f": 3, "at": 0}), "error", "but the frame has"},
		{'C', call("ln", object{"$m": list{1 << 40, 1 << 40}, "at": 0}), "error", "does not fit into its frame"},
		{'C', call("ln", object{"$m": list{1 << 40, 0}, "at": 0}), "error", "does not fit into its frame"},
		{'C', call("ln", object{"$f": 0, "at": -8}), "error", "but the frame has"},
		{'C', call("ln", object{"other": 1}), "error", "has an unknown encoding"},
		{'C', call("ln", object{"$d": list{list{}, 1}}), "error", "unhashable"},
		{'S', object{"of": 1, "as": "x"}, "error", "cannot be shown"},
		{'S', object{"of": 1, "as": "items"}, "error", "has no elements"},
		{'C', object{"name": "ln", "args": list{3}, "kwargs": list{object{}, 1}}, "error", "has an unknown encoding"},
		{'C', object{"name": "ln", "args": list{}, "kwargs": list{1, 2}}, "error", "name of an argument is not a string"},
		{'C', object{"of": object{"$h": "a"}, "args": list{}, "kwargs": list{}}, "error", "a is not a count"},
		{'C', object{"of": e, "name": "valu", "args": list{}, "kwargs": list{}}, "attribute", "did you mean value?"},
		{'G', object{"of": e}, "error", "lacks the string name"},
		{'G', object{"of": "a", "name": "uper"}, "attribute", "string has no .uper field or method (did you mean upper?)"},
		{'E', object{}, "error", "lacks the string source"},
		{'E', object{"source": "1", "names": list{"x", object{"$n": "g"}}}, "error", "not a whole number in hexadecimal digits"},
		{'E', object{"source": "1", "folder": "/no/such/folder"}, "file", "/no/such/folder"},
		{'E', object{"source": "x = []\nfor i in range(600): x = [x]\nx"}, "error", "nested more than 500 deep"},
		{'O', object{"x": 1, "y": 1}, "error", "lacks the string operator"},
		{'O', object{"operator": "+", "x": 1, "y": "a"}, "error", "int + string"},
		{'O', object{"operator": "<", "x": list{}, "y": 1}, "error", "list < int"},
		{'S', object{"of": 1}, "error", "lacks the string as"},
		{'S', object{"of": object{"$q": list{}}, "as": "text"}, "error", "a fraction is malformed, want a numerator and a denominator"},
		{'C', call("ln", object{"$q": list{"1", "z"}}), "error", "not a whole number in hexadecimal digits"},
		{'C', call("ln", object{"$n": 12}), "error", "not a whole number"},
		{'C', call("ln", object{"$x": "much"}), "error", "much"},
		{'C', call("ln", 1e300, object{"$t": list{object{}}}), "error", "has an unknown encoding"},
		{'C', call("ln", object{"$d": list{1}}), "error", "a dict is malformed, want a list of pairs"},
		{'C', call("ln", object{"$s": list{list{}}}), "error", "unhashable"},
		{'C', call("ln", object{"$h": -1}), "error", "-1 is not a count"},
		{'C', call("ln", object{"$p": "f"}), "error", "f is not a count"},
		{'C', call("ln", object{"$y": 1.5, "at": 0}), "error", "1.5 is not a count"},
		{'C', call("ln", object{"$y": 1, "at": 0}), "error", "but the frame has"},
		{'C', call("ln", object{"$i": nil, "at": 0}), "error", "is not a count"},
		{'C', call("ln", object{"$m": list{1}, "at": 0}), "error", "a matrix is malformed, want numbers of rows and columns"},
		{'C', call("ln", object{"$m": list{1, "2"}, "at": 0}), "error", "2 is not a count"},
		{'C', call("ln", object{"$r": list{1, 2}, "at": 0}), "error", "but the frame has"},
	} {
		m := c.ask(x.kind, x.body, nil)
		if m.kind != 'e' || m.body["kind"] != x.want || !strings.Contains(fmt.Sprint(m.body["trace"], m.body["text"]), x.text) || strings.Contains(fmt.Sprint(m.body), "Zq7") {
			t.Errorf("%c %v is answered by %c %v", x.kind, x.body, m.kind, m.body)
		}
	}
	if v := c.value('E', object{"source": "1"}); v != 1. { // the session goes on
		t.Error(v)
	}
}

// Operators, ranges, functions and pictures can be sent as requests and results.
func TestSpecialValues(t *testing.T) {
	c := connect(t)
	for name, want := range map[string]any{"+": 9., "-": 5., "*": 14., "/": 3.5, "//": 3., "%": 1., "<": false, ">=": true, "==": false, "!=": true} {
		if got := c.value('O', object{"operator": name, "x": 7, "y": 2}); got != want {
			t.Errorf("7 %s 2 is %v, want %v", name, got, want)
		}
	}
	if got := c.value('E', object{"source": "range(3)"}); !reflect.DeepEqual(got, list{0., 1., 2.}) {
		t.Errorf("a range is %v", got)
	}
	if got := c.value('E', object{"source": "d = {f: 1}\nd[f]", "names": list{"f", object{"$p": 3, "name": "f"}}}); got != 1. {
		t.Errorf("a dict with a function as key gives %v", got)
	}
	p := c.value('E', object{"source": "line_plot([[0, 1], [1, 2]])"})
	if got, _ := c.value('S', object{"of": p, "as": "svg"}).(string); !strings.HasPrefix(got, "<svg") && !strings.HasPrefix(got, "<?xml") {
		t.Errorf("a picture is %.40q", got)
	}
	if m := c.ask('S', object{"of": p, "as": "png"}, nil); !strings.HasPrefix(string(m.data), "\x89PNG") {
		t.Errorf("a picture is %v, %.20q", m.body, m.data)
	}
}

// An invalid answer to a callback is an error for the function's caller, and so is a callback that does not fit a
// frame.
func TestInvalidCallbacks(t *testing.T) {
	c := connect(t)
	c.value('E', object{"source": "x = []\nfor i in range(600): x = [x]", "names": list{"f", object{"$p": 3, "name": "f"}}})
	for _, source := range []string{"f(x)", "f(y=x)"} {
		if m := c.ask('E', object{"source": source}, nil); m.kind != 'e' || !strings.Contains(fmt.Sprint(m.body["text"]), "nested more than 500 deep") {
			t.Errorf("%s gives %c %v", source, m.kind, m.body)
		}
	}
	for want, body := range map[string]any{"not a JSON object": list{}, "without a value": object{}, "has an unknown encoding": object{"value": object{"$": 1}}} {
		m := c.ask('E', object{"source": "f(1)"}, nil)
		if m.kind != 'f' {
			t.Fatal(m)
		}
		c.send('A', m.number, body, nil)
		if r := c.read(); r.kind != 'e' || !strings.Contains(fmt.Sprint(r.body["text"]), want) {
			t.Errorf("the answer %v gives %c %v", body, r.kind, r.body)
		}
	}
}

func floatBytes(xs ...float64) (b []byte) {
	for _, x := range xs {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
	}
	return b
}

// A callback may send requests while its own request is running.
func TestCallbacks(t *testing.T) {
	c := connect(t)
	c.send('E', 5, object{"source": "f(1, y=2) + 10", "names": list{"f", object{"$p": 3, "name": "f"}}}, nil)
	m := c.read()
	if m.kind != 'f' || m.body["function"] != 3. || m.body["request"] != 5. || !reflect.DeepEqual(m.body["args"], list{1.}) || !reflect.DeepEqual(m.body["kwargs"], list{"y", 2.}) {
		t.Fatal(m)
	}
	c.send('E', 6, object{"source": "g(4) + 100", "names": list{"g", object{"$p": 4, "name": "g"}}}, nil)
	inner := c.read()
	if inner.kind != 'f' || inner.body["request"] != 6. || inner.number == m.number {
		t.Fatal(inner)
	}
	c.send('A', inner.number, object{"value": 1}, nil)
	if r := c.read(); r.kind != 'r' || r.number != 6 || r.body["value"] != 101. {
		t.Fatal(r)
	}
	c.send('A', 77, object{"value": 1}, nil) // no such callback
	c.send('A', m.number, object{"value": 2}, nil)
	if r := c.read(); r.kind != 'r' || r.number != 5 || r.body["value"] != 12. {
		t.Fatal(r)
	}
	c.send('E', 7, object{"source": "f(1)"}, nil)
	m = c.read()
	c.send('X', m.number, object{"text": "ValueError: no"}, nil)
	if r := c.read(); r.kind != 'e' || r.body["kind"] != "raised" || r.body["callback"] != float64(m.number) || r.body["text"] != "ValueError: no" {
		t.Fatal(r)
	}
}

// Concurrent workers of a request make their callbacks one at a time, and the client that sent the request receives
// them.
func TestWorkersCallOneAtATime(t *testing.T) {
	c := connect(t)
	c.send('E', 1, object{"source": "s = study('a', sampler='random')\ns.optimize(f, trials=20, workers=4)\nlen(s.trials)", "names": list{"f", object{"$p": 1, "name": "f"}}}, nil)
	for calls := 0; ; calls++ {
		m := c.read()
		if m.kind == 'r' {
			if calls != 20 || m.body["value"] != 20. {
				t.Errorf("%d calls, %v", calls, m.body)
			}
			return
		}
		if m.kind == 'o' { // output of the study
			calls--
			continue
		}
		if m.kind != 'f' {
			t.Fatal(m)
		}
		trial := m.body["args"].(list)[0]
		c.send('C', 2, object{"of": trial, "name": "suggest_float", "args": list{"x", 0, 1}, "kwargs": list{}}, nil)
		r := c.read() // no other callback comes in between
		if r.kind != 'r' || r.number != 2 {
			t.Fatal(r)
		}
		c.send('A', m.number, object{"value": r.body["value"]}, nil)
	}
}

func TestInterrupts(t *testing.T) {
	c := connect(t)
	for _, source := range []string{"print('on')\nwhile True: pass", "print('on')\ngraphs(10)"} {
		c.send('E', 3, object{"source": source}, nil)
		if m := c.read(); m.kind != 'o' || m.body["text"] != "on\n" || m.body["stream"] != "stdout" {
			t.Fatal(m)
		}
		c.send('I', 2, object{}, nil) // no such request
		c.send('I', 3, object{}, nil)
		if m := c.read(); m.kind != 'e' || m.number != 3 || m.body["kind"] != "interrupted" {
			t.Fatal(m)
		}
		if v := c.value('E', object{"source": "1"}); v != 1. {
			t.Error(v)
		}
	}
	// A request that is interrupted during its callback ends, and so do the requests nested in it.
	c.send('E', 4, object{"source": "f()", "names": list{"f", object{"$p": 1, "name": "f"}}}, nil)
	m := c.read()
	c.send('E', 5, object{"source": "print('on')\nwhile True: pass"}, nil)
	c.read()
	c.send('I', 4, object{}, nil)
	ended := map[uint32]any{}
	for range 2 {
		r := c.read()
		ended[r.number] = r.body["kind"]
	}
	if !reflect.DeepEqual(ended, map[uint32]any{4: "interrupted", 5: "interrupted"}) {
		t.Error(ended)
	}
	c.send('A', m.number, object{"value": 1}, nil)
	if v := c.value('E', object{"source": "2"}); v != 2. {
		t.Error(v)
	}
}

func release(pairs ...int64) (b []byte) {
	for _, n := range pairs {
		b = binary.LittleEndian.AppendUint64(b, uint64(n))
	}
	return b
}

func TestHandles(t *testing.T) {
	c := connect(t)
	c.value('E', object{"source": "g = graphs(3)"})
	g := c.value('E', object{"source": "g"}).(object)
	again := c.value('E', object{"source": "g"}).(object)
	if g["$h"] != again["$h"] {
		t.Error("one value has two handles:", g, again)
	}
	h := int64(g["$h"].(float64))
	c.send('R', 0, object{}, release(h, 1, 1234, 1))
	if v := c.value('G', object{"of": g, "name": "size"}); v != 4. {
		t.Error(v)
	}
	c.send('R', 0, object{}, release(h, 1))
	if m := c.ask('G', object{"of": g, "name": "size"}, nil); m.kind != 'e' {
		t.Error("a value that was released is", m.body)
	}
}

func TestGreetings(t *testing.T) {
	c := bare(t)
	c.send('H', 0, object{"protocol": serve.Protocol + 1}, nil)
	if m := c.read(); m.kind != 'e' || m.body["kind"] != "protocol" || !strings.Contains(m.body["text"].(string), "different versions") {
		t.Error(m)
	}
	c = bare(t)
	c.send('C', 0, call("ln", 3), nil)
	if err := <-c.done; err == nil || !strings.Contains(err.Error(), "greeting") {
		t.Error(err)
	}
}

// The end of the input ends the server. A malformed frame ends it with an error.
func TestServeEnds(t *testing.T) {
	for _, x := range []struct {
		last []byte
		want string
	}{
		{nil, "<nil>"},
		{[]byte{1, 2}, io.ErrUnexpectedEOF.Error()},
		{encode('C', 1, object{}, nil)[:13], io.ErrUnexpectedEOF.Error()},
		{encode('C', 1, object{}, nil)[:14], io.ErrUnexpectedEOF.Error()},
		{encode('?', 1, object{}, nil), "not known"},
		{[]byte{0, 0, 0, 0, 'C', 0, 0, 0, 0, 0, 0, 0, 0}, "frame of"},
		{[]byte{9, 0, 0, 0, 'C', 0, 0, 0, 0, 255, 255, 0, 0}, "has a text of"},
	} {
		c := connect(t)
		if _, err := c.to.Write(x.last); err != nil {
			t.Fatal(err)
		}
		c.to.Close()
		if err := fmt.Sprint(<-c.done); !strings.Contains(strings.ToLower(err), strings.ToLower(x.want)) {
			t.Errorf("% x ends with %v, want %s", x.last, err, x.want)
		}
	}
}

// Any bytes are answered or end the server, without a panic or a hang.
func FuzzFrames(f *testing.F) {
	f.Add([]byte{9, 0, 0, 0, 'C', 0, 0, 0, 0, 0, 0, 0, 0})
	f.Add(encode('C', 1, call("ln", 3), nil))
	f.Add(encode('E', 1, object{"source": "x", "names": list{"x", object{"$m": list{1, 1}, "at": 0}}}, floatBytes(1)))
	f.Add(encode('R', 1, object{}, release(1, 1)))
	f.Add(encode('O', 1, object{"operator": "<", "x": object{"$t": list{object{"$d": list{1, 2}}}}, "y": object{"$q": list{"1", "ff"}}}, nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if strings.Contains(string(b), "source") && !strings.Contains(string(b), `"source":"x"`) {
			return // a script may do anything
		}
		c := connect(t)
		go func() {
			_, _ = c.to.Write(b) // fails if the server has ended
			c.to.Close()
		}()
		for c.read().kind != 0 {
		}
		<-c.done
	})
}

// The stored form of a value recreates it. Other data is rejected.
func TestStoredValues(t *testing.T) {
	c := connect(t)
	e := c.ask('C', call("ln", 3), nil).body["value"]
	stored := c.ask('S', object{"of": e, "as": "stored"}, nil).body["value"]
	again := c.ask('S', object{"of": object{"$e": stored}, "as": "itself"}, nil).body["value"].(object)
	for _, key := range []string{"value", "lo", "hi", "kind", "source"} {
		if want := e.(object)[key]; again[key] != want {
			t.Errorf("%s is %v, want %v", key, again[key], want)
		}
	}
	q := c.ask('C', call("graphs", 3), nil).body["value"]
	if got, want := c.ask('S', object{"of": q, "as": "stored"}, nil).body["value"], (object{"$t": list{"graphs", nil, true, object{"$t": list{}}, object{"$d": list{"n", 3.}}}}); !reflect.DeepEqual(got, want) {
		t.Errorf("a universe is stored as %v, want %v", got, want)
	}
	flat := stored.(object)["$d"].(list)
	for i := 0; i < len(flat); i += 2 {
		for _, other := range []any{"certain", list{}} {
			wrong := slices.Clone(flat)
			if wrong[i+1] = other; slices.Contains([]any{"text", "origin", "exact", "source", "method", "caveat", "call"}, wrong[i]) {
				continue
			}
			m := c.ask('S', object{"of": object{"$e": object{"$d": wrong}}, "as": "itself"}, nil)
			if m.kind != 'e' && wrong[i] != "cases" {
				t.Errorf("%v = %v gives %v", wrong[i], other, m.body)
			}
		}
	}
	for _, x := range []any{1, "a", list{}, object{"$d": list{}}} {
		if m := c.ask('S', object{"of": object{"$e": x}, "as": "itself"}, nil); m.kind != 'e' {
			t.Errorf("%v gives %v", x, m.body)
		}
	}
}
