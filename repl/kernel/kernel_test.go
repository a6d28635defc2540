package kernel

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"strings"
	"testing"
	"time"

	"dpworkbench/internal/zmtp"
	"dpworkbench/repl"
	"dpworkbench/script"
)

func TestExecute(t *testing.T) {
	_, c, _ := start(t)
	if a := c.execute("x = 6 * 7"); a.content["status"] != "ok" || a.content["execution_count"] != 1.0 || len(a.outputs) != 0 {
		t.Errorf("got %v", a)
	}
	a := c.execute("print('a')\nprint('b')\nx")
	if a.texts("stdout") != "a\nb\n" || len(a.outputs) != 2 {
		t.Errorf("printed %v", a.outputs)
	}
	if got := a.first("execute_result"); got == nil || got["execution_count"] != 2.0 || got["data"].(map[string]any)["text/plain"] != "42" {
		t.Errorf("result %v", got)
	}
	if a := c.execute("_ + 1"); a.first("execute_result")["data"].(map[string]any)["text/plain"] != "43" {
		t.Errorf("the last value is not in _: %v", a)
	}
	if a := c.execute("    x = 1\n    x"); a.content["status"] != "ok" {
		t.Errorf("an indented cell gives %v", a.content)
	}
}

func TestSilentAndExpressions(t *testing.T) {
	_, c, _ := start(t)
	a := c.ask("execute_request", map[string]any{"code": "x = 5\nx", "silent": true})
	if len(a.outputs) != 0 || a.content["execution_count"] != 0.0 {
		t.Errorf("a silent cell gives %v", a)
	}
	a = c.ask("execute_request", map[string]any{"code": "", "user_expressions": map[string]string{"good": "x + 1", "bad": "nope"}})
	values := a.content["user_expressions"].(map[string]any)
	good, bad := values["good"].(map[string]any), values["bad"].(map[string]any)
	if good["status"] != "ok" || good["data"].(map[string]any)["text/plain"] != "6" || bad["status"] != "error" {
		t.Errorf("expressions %v", values)
	}
}

func TestRichResults(t *testing.T) {
	_, c, _ := start(t)
	for _, k := range []struct {
		source string
		types  []string
	}{
		{`table([[1, "<b>"]], header=["n", "x"], title="T")`, []string{"text/plain", "text/html"}},
		{`ln(3)`, []string{"text/plain", "text/html"}},
		{`line_plot([1, 4, 9], title="Squares")`, []string{"text/plain", "image/svg+xml", "image/png"}},
		{`heatmap([[1, 2], [3, 4]])`, []string{"text/plain", "image/svg+xml", "image/png"}},
		{`[1, 2]`, []string{"text/plain"}},
	} {
		for _, how := range []struct{ source, kind string }{{k.source, "execute_result"}, {"show(" + k.source + ")", "display_data"}} {
			got := c.execute(how.source).first(how.kind)
			if got == nil {
				t.Fatalf("%s gives no %s", how.source, how.kind)
			}
			data := got["data"].(map[string]any)
			if len(data) != len(k.types) {
				t.Errorf("%s gives %d types, want %v", how.source, len(data), k.types)
			}
			for _, kind := range k.types {
				if text, _ := data[kind].(string); text == "" {
					t.Errorf("%s gives no %s", how.source, kind)
				}
			}
			if html, ok := data["text/html"].(string); ok && strings.Contains(html, "<b>\"") {
				t.Errorf("%s is not escaped: %s", how.source, html)
			}
			if pixels, ok := data["image/png"].(string); ok {
				raw, err := base64.StdEncoding.DecodeString(pixels)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := png.Decode(bytes.NewReader(raw)); err != nil {
					t.Error(err)
				}
			}
		}
	}
	html := c.execute("ln(3)").first("execute_result")["data"].(map[string]any)["text/html"].(string)
	for _, want := range []string{"1.09861228866811", "exact", "ln(3)"} {
		if !strings.Contains(html, want) {
			t.Errorf("evidence as %s lacks %q", html, want)
		}
	}
}

// A table or a picture printed alone is shown as it is, anything else as text.
func TestPrintedFigures(t *testing.T) {
	_, c, _ := start(t)
	a := c.execute("print(table([[1]]))\nprint(line_plot([1, 2]))\nprint('t', table([[1]]))\nprint(ln(3))")
	if len(a.outputs) != 3 || a.outputs[0].content["data"].(map[string]any)["text/html"] == nil || a.outputs[1].content["data"].(map[string]any)["image/svg+xml"] == nil {
		t.Errorf("got %v", a)
	}
	if got := a.texts("stdout"); !strings.HasPrefix(got, "t ") || !strings.HasSuffix(got, "(exact: ln(3))\n") {
		t.Errorf("printed %q", got)
	}
}

// A saved figure is shown, once.
func TestSavedFigures(t *testing.T) {
	t.Chdir(t.TempDir())
	_, c, _ := start(t)
	a := c.execute("p = line_plot([1, 2])\nfor end in ['svg', 'png']: p.save('a.' + end)\ntable([[1]]).save('a.csv')")
	again := c.execute("for end in ['svg', 'png']: line_plot([1, 2]).save('a.' + end)")
	if len(again.outputs) != 1 {
		t.Errorf("a figure made anew for each format gives %d outputs", len(again.outputs))
	}
	if len(a.outputs) != 2 || a.outputs[0].content["data"].(map[string]any)["image/png"] == nil || a.outputs[1].content["data"].(map[string]any)["text/html"] == nil {
		t.Errorf("got %d outputs, status %v", len(a.outputs), a.content)
	}
}

func TestErrors(t *testing.T) {
	_, c, _ := start(t)
	c.execute("def f(x):\n    y = x\n    return ln(y)\n")
	for _, k := range []struct{ source, name, value, trace string }{
		{"a = 1\nf(0)", "Error", "ln: x = ln(0)", "Cell [2]\x1b[0m, line 2, column 2"},
		{"f(0)", "Error", "ln: x = ln(0)", "----> 1\x1b[0m f(0)"},
		{"x = (", "SyntaxError", "got end of file", ""},
		{"lader(1)", "Error", "did you mean ladder?", ""},
		{"input('name? ')", "Error", "a script asks no questions", ""},
		{"%foo", "Error", "%foo is not known", ""},
	} {
		a := c.execute(k.source)
		e := a.first("error")
		if e == nil || a.content["status"] != "error" || a.content["ename"] != k.name || !strings.Contains(e["evalue"].(string), k.value) {
			t.Errorf("%q gives %v and %v", k.source, a.content, e)
			continue
		}
		trace := fmt.Sprint(e["traceback"])
		if !strings.Contains(trace, "\x1b[1m") || !strings.Contains(trace, k.trace) {
			t.Errorf("%q has the trace %s", k.source, trace)
		}
	}
	trace := fmt.Sprint(c.execute("a = 1\nf(0)").content["traceback"])
	for _, want := range []string{"----> 2\x1b[0m f(0)", "----> 3\x1b[0m     return ln(y)", "in \x1b[34mf", "Cell [1]", "      1\x1b[0m def f(x):"} {
		if !strings.Contains(trace, want) {
			t.Errorf("the trace lacks %q:\n%s", want, trace)
		}
	}
}

// Cells sent along with one that fails are refused, later ones run.
func TestStopOnError(t *testing.T) {
	logged := make(chan error, 100)
	_, c, _ := startWith(t, Options{Version: "test", onTheWay: 3 * time.Second, Log: func(err error) { logged <- err }}) // on a busy machine they come late
	var ids []string
	for _, code := range []string{"fail('no')", "x = 1", "x = 2"} {
		ids = append(ids, c.send(c.shell, "execute_request", map[string]any{"code": code}))
	}
	for i, want := range []string{"error", "aborted", "aborted"} {
		if a := c.collect(c.shell, ids[i]); a.content["status"] != want {
			t.Errorf("cell %d: %v, want %s", i, a.content["status"], want)
		}
	}
	if a := c.execute("1"); a.content["status"] != "ok" {
		t.Errorf("afterwards: %v", a.content)
	}
	if len(logged) > 0 { // what was refused once is not answered again
		t.Errorf("logged %v", <-logged)
	}
	a := c.send(c.shell, "execute_request", map[string]any{"code": "fail('no')", "stop_on_error": false})
	b := c.send(c.shell, "execute_request", map[string]any{"code": "1"})
	c.collect(c.shell, a)
	if got := c.collect(c.shell, b); got.content["status"] != "ok" {
		t.Errorf("without stop_on_error: %v", got.content)
	}
}

// An interrupt, by signal or by message, ends a cell within a second and keeps
// the state.
func TestInterrupt(t *testing.T) {
	k, c, _ := start(t)
	c.execute("x = 41")
	for name, stop := range map[string]func(){
		"signal":  k.Interrupt,
		"message": func() { c.send(c.control, "interrupt_request", map[string]any{}) },
	} {
		id := c.send(c.shell, "execute_request", map[string]any{"code": "print('on')\nwhile True: pass"})
		for {
			if _, parent, content, err := c.receive(c.iopub); err != nil {
				t.Fatal(err)
			} else if parent == id && content["text"] == "on\n" {
				break
			}
		}
		stop()
		var reply map[string]any
		for reply == nil {
			_, parent, content, err := c.receive(c.shell)
			if err != nil {
				t.Fatal(err)
			}
			if parent == id {
				reply = content
			}
		}
		if reply["ename"] != "Interrupted" {
			t.Errorf("%s: %v", name, reply)
		}
		if a := c.execute("x + 1"); a.first("execute_result")["data"].(map[string]any)["text/plain"] != "42" {
			t.Errorf("%s: the state is lost: %v", name, a)
		}
	}
	k.Interrupt() // between cells: nothing happens
	if a := c.execute("x"); a.content["status"] != "ok" {
		t.Errorf("an idle interrupt reaches the next cell: %v", a.content)
	}
}

// A long cell shows one line that changes and is empty at the end; the next cell
// has a line of its own.
func TestProgress(t *testing.T) {
	k, c, _ := start(t)
	var names []string
	for range 2 {
		c.execute("x = 1")
		for _, p := range []script.Progress{
			{Name: "graphs", Done: 1, Total: 4, Elapsed: time.Second},
			{Name: "graphs", Done: 2, Total: 4, Elapsed: 2 * time.Second},
			{Name: "graphs", Finished: true},
		} {
			k.session.OnProgress(p)
		}
		for _, want := range []output{
			{"display_data", map[string]any{"text/plain": "graphs [======                  ] 25%, 1s"}},
			{"update_display_data", map[string]any{"text/plain": "graphs [============            ] 50%, 2s"}},
			{"update_display_data", map[string]any{"text/plain": ""}},
		} {
			m, _, content, err := c.receive(c.iopub)
			if err != nil || m.header.Type != want.kind || fmt.Sprint(content["data"]) != fmt.Sprint(want.content) {
				t.Errorf("got %v %v, %v, want %v", m.header.Type, content, err, want)
			}
			names = append(names, fmt.Sprint(content["transient"]))
		}
	}
	for i, name := range names {
		if (name == names[0]) != (i < 3) {
			t.Errorf("the lines have the names %v", names)
		}
	}
}

func TestQuestions(t *testing.T) {
	_, c, _ := start(t)
	c.execute("é = ln(3)\ndef double(x): return 2 * x")
	a := c.ask("kernel_info_request", map[string]any{})
	if a.kind != "kernel_info_reply" || a.content["protocol_version"] != "5.3" || a.content["language_info"].(map[string]any)["name"] != "starlark" {
		t.Errorf("kernel info: %v", a)
	}
	a = c.ask("complete_request", map[string]any{"code": "'é'; pure + 1", "cursor_pos": 9})
	if fmt.Sprint(a.content["matches"]) != "[purest]" || a.content["cursor_start"] != 5.0 || a.content["cursor_end"] != 9.0 {
		t.Errorf("completion: %v", a.content)
	}
	if types := fmt.Sprint(a.content["metadata"]); !strings.Contains(types, "(q, decay)") || !strings.Contains(types, "function") {
		t.Errorf("completion has the types %v", types)
	}
	a = c.ask("inspect_request", map[string]any{"code": "double(3)", "cursor_pos": 2})
	if a.content["found"] != true || !strings.Contains(fmt.Sprint(a.content["data"]), "double(x)") {
		t.Errorf("inspection: %v", a.content)
	}
	if a := c.ask("inspect_request", map[string]any{"code": "nope", "cursor_pos": 2}); a.content["found"] != false || a.content["status"] != "ok" {
		t.Errorf("inspection of nothing: %v", a.content)
	}
	for code, want := range map[string]string{
		"1 + 1": "complete", "f(1,": "incomplete", "def f():": "incomplete", "def f():\n    return 1": "incomplete", "def f():\n    return 1\n\n": "complete",
		"x = = 1": "invalid", "ln?": "complete", "'''abc": "incomplete", "for i in range(3): print(i)\n\n": "complete", "": "complete",
	} {
		if a := c.ask("is_complete_request", map[string]any{"code": code}); a.content["status"] != want {
			t.Errorf("%q is %v, want %s", code, a.content, want)
		}
	}
	if a := c.ask("is_complete_request", map[string]any{"code": "def f():\n    if x:"}); a.content["indent"] != "        " {
		t.Errorf("the next line starts with %q", a.content["indent"])
	}
	if a := c.ask("comm_info_request", map[string]any{}); fmt.Sprint(a.content["comms"]) != "map[]" {
		t.Errorf("comms: %v", a.content)
	}
}

func TestHistory(t *testing.T) {
	_, c, _ := start(t)
	for _, code := range []string{"a = 1/2", "b = 2", "a = 1/2", "c[0]"} {
		c.execute(code)
	}
	for _, k := range []struct {
		ask  map[string]any
		want string
	}{
		{map[string]any{"hist_access_type": "tail", "n": 2}, `[[1,3,"a = 1/2"],[1,4,"c[0]"]]`},
		{map[string]any{"hist_access_type": "range", "session": 0, "start": 1, "stop": 3}, `[[1,1,"a = 1/2"],[1,2,"b = 2"]]`},
		{map[string]any{"hist_access_type": "range", "session": 1, "start": 2, "stop": 3}, `[[1,2,"b = 2"]]`},
		{map[string]any{"hist_access_type": "range", "session": -1, "start": 1, "stop": 3}, `[]`},
		{map[string]any{"hist_access_type": "search", "pattern": "a*2"}, `[[1,1,"a = 1/2"],[1,3,"a = 1/2"]]`},
		{map[string]any{"hist_access_type": "search", "pattern": "a*", "unique": true}, `[[1,3,"a = 1/2"]]`},
		{map[string]any{"hist_access_type": "search", "pattern": "c[0]", "output": true}, `[[1,4,["c[0]",null]]]`},
	} {
		got, err := json.Marshal(c.ask("history_request", k.ask).content["history"])
		if err != nil || string(got) != k.want {
			t.Errorf("%v gives %s, %v, want %s", k.ask, got, err, k.want)
		}
	}
}

// Help and timing are what they are at the prompt.
func TestMagic(t *testing.T) {
	_, c, _ := start(t)
	if got := c.execute("purest?").texts("stdout"); !strings.HasPrefix(got, "purest(q, decay)\n") {
		t.Errorf("purest? prints %q", got)
	}
	a := c.execute("%time 1 + 1")
	if !strings.HasPrefix(a.texts("stdout"), "time: ") || a.first("execute_result") == nil {
		t.Errorf("%%time gives %v", a.outputs)
	}
}

// A message that is not signed with the key is neither answered nor run, and
// ends the connection of who has sent no other.
func TestSignature(t *testing.T) {
	k, c, _ := start(t)
	for _, w := range []*wire{{key: []byte("another"), session: "x"}, {session: "unsigned"}} {
		frames, err := w.encode(nil, nil, "execute_request", map[string]any{"code": "x = 1"})
		if err != nil {
			t.Fatal(err)
		}
		liar := stranger(t, k.Connection())
		if err := liar.shell.Send(frames...); err != nil {
			t.Fatal(err)
		}
		if _, _, _, err := liar.receive(liar.shell); err == nil || os.IsTimeout(err) {
			t.Errorf("who signs with another key hears %v, want the end", err)
		}
	}
	if a := c.execute("0"); a.content["status"] != "ok" {
		t.Fatalf("the first cell: %v", a.content)
	}
	_ = c.shell.Send([]byte("noise"))
	_ = c.shell.Send([]byte(delimiter), nil, nil, nil, nil, nil)
	if a := c.execute("x"); a.content["status"] != "error" || a.content["execution_count"] != 2.0 {
		t.Errorf("an unsigned message was run: %v", a.content)
	}
}

// A message that comes again, word for word, is not run again, from whichever
// socket or peer; so many later ones are still known.
func TestReplay(t *testing.T) {
	k, c, _ := start(t)
	c.execute("x = [0]")
	frames, err := c.wire.encode(nil, nil, "execute_request", map[string]any{"code": "x[0] += 1", "silent": true})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.shell.Send(frames...); err != nil {
		t.Fatal(err)
	}
	if _, _, content, err := c.receive(c.shell); err != nil || content["status"] != "ok" {
		t.Fatalf("the first time: %v, %v", content, err)
	}
	other := stranger(t, k.Connection())
	for _, to := range []*zmtp.Conn{c.shell, c.control, other.shell} {
		if err := to.Send(frames...); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, _, err := other.receive(other.shell); err == nil || os.IsTimeout(err) {
		t.Errorf("who repeats another's message hears %v, want the end", err)
	}
	a := c.execute("x[0]")
	if result := a.first("execute_result"); result == nil || result["data"].(map[string]any)["text/plain"] != "1" {
		t.Errorf("x[0] is %v, want 1: the cell ran once", a.outputs)
	}
	s := &signatures{}
	for i := range remembered {
		if !s.fresh(fmt.Append(nil, i)) {
			t.Fatalf("signature %d is taken for an earlier one", i)
		}
	}
	if s.fresh([]byte("0")) || !s.fresh([]byte("new")) || s.fresh([]byte("1")) || !s.fresh([]byte("0")) || len(s.seen) != remembered {
		t.Errorf("the latest %d signatures are not those known (%d are)", remembered, len(s.seen))
	}
}

// What no handler knows, or is malformed, is answered with an error or not at
// all; the kernel goes on.
func TestOddRequests(t *testing.T) {
	_, c, _ := start(t)
	c.send(c.shell, "frobnicate_request", map[string]any{})
	c.send(c.control, "execute_request", map[string]any{"code": "x = 1"})
	c.send(c.shell, "comm_msg", map[string]any{})
	if a := c.ask("execute_request", []int{1}); a.content["status"] != "error" {
		t.Errorf("a list for a dict: %v", a.content)
	}
	if a := c.ask("history_request", map[string]any{"hist_access_type": "all"}); a.content["status"] != "error" {
		t.Errorf("unknown history: %v", a.content)
	}
	if a := c.ask("complete_request", map[string]any{"code": "é", "cursor_pos": 99}); a.content["status"] != "ok" {
		t.Errorf("a cursor past the end: %v", a.content)
	}
	id := c.send(c.shell, "comm_open", map[string]any{"comm_id": "c1", "target_name": "widget"})
	for {
		m, parent, content, err := c.receive(c.iopub)
		if err != nil {
			t.Fatal(err)
		}
		if parent == id && m.header.Type == "comm_close" && content["comm_id"] == "c1" {
			break
		}
	}
	if a := c.execute("1"); a.content["status"] != "ok" {
		t.Errorf("afterwards: %v", a.content)
	}
	if a := c.execute("exit(3)"); a.content["status"] != "ok" || !strings.Contains(fmt.Sprint(a.content["payload"]), "ask_exit") {
		t.Errorf("exit: %v", a.content)
	}
}

// A handler that panics gives an error: the session stays.
func TestPanic(t *testing.T) {
	k, err := New(repl.NewSession().Session, Connection{Transport: "tcp", IP: "127.0.0.1"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.close()
	r := &request{kernel: k, message: &message{header: header{Type: "history_request"}}}
	if _, err := (entry{handle: func(*request) (any, error) { panic("so") }}).answer(r); err == nil || err.Error() != "internal error: history_request: so" {
		t.Errorf("got %v", err)
	}
}

func TestHeartbeatDuringACell(t *testing.T) {
	k, c, _ := start(t)
	c.send(c.shell, "execute_request", map[string]any{"code": "while True: pass"})
	if err := c.heartbeat.Send(nil, []byte("ping")); err != nil {
		t.Fatal(err)
	}
	if err := c.heartbeat.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if got, err := c.heartbeat.Receive(); err != nil || string(got[1]) != "ping" {
		t.Errorf("got %q, %v", got, err)
	}
	if a := c.collect(c.control, c.send(c.control, "kernel_info_request", map[string]any{})); a.kind != "kernel_info_reply" {
		t.Errorf("control says %v", a)
	}
	k.Interrupt()
}

// A shutdown is answered, announced, and ends Serve even while a cell runs; the
// ports are free for the next kernel.
func TestShutdown(t *testing.T) {
	for _, channel := range []func(*client) *zmtp.Conn{
		func(c *client) *zmtp.Conn { return c.control },
		func(c *client) *zmtp.Conn { return c.shell },
	} {
		k, c, ended := start(t)
		conn := channel(c)
		if conn == c.control {
			c.send(c.shell, "execute_request", map[string]any{"code": "while True: pass"})
		}
		a := c.collect(conn, c.send(conn, "shutdown_request", map[string]any{"restart": true}))
		if a.kind != "shutdown_reply" || a.content["restart"] != true || a.first("shutdown_reply") == nil {
			t.Errorf("got %v", a)
		}
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Fatal("the kernel stays")
		}
		again, err := New(k.session, k.Connection(), Options{})
		if err != nil {
			t.Fatalf("restart: %v", err)
		}
		again.Stop()
		if err := again.Serve(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// Ten thousand lines are few messages, all there and in order.
func TestManyLines(t *testing.T) {
	_, c, _ := start(t)
	a := c.execute("for i in range(10000): print(i)")
	if text := a.texts("stdout"); !strings.HasSuffix(text, "\n9998\n9999\n") || strings.Count(text, "\n") != 10000 {
		t.Errorf("lines are missing: %d", strings.Count(text, "\n"))
	}
	if len(a.outputs) > 100 {
		t.Errorf("%d messages", len(a.outputs))
	}
}
