package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"dpworkbench/display"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// said asks for something and returns all that the kernel says of it in public, and the reply.
func (c *client) said(request map[string]any) (public []string, reply map[string]any) {
	c.t.Helper()
	id := c.send(c.shell, "execute_request", request)
	for idle := false; !idle; {
		m, parent, content, err := c.receive(c.iopub)
		if err != nil {
			c.t.Fatal(err)
		}
		if parent != id {
			continue
		}
		text := m.header.Type
		switch m.header.Type {
		case "status":
			text += fmt.Sprint(" ", content["execution_state"])
			idle = content["execution_state"] == "idle"
		case "execute_input":
			text += fmt.Sprint(" ", content["code"], " ", content["execution_count"])
		case "execute_result":
			text += fmt.Sprint(" ", content["data"].(map[string]any)["text/plain"], " ", content["execution_count"])
		}
		public = append(public, text)
	}
	_, _, reply, err := c.receive(c.shell)
	if err != nil {
		c.t.Fatal(err)
	}
	return public, reply
}

// Of a cell the clients hear what it is and what it gives, unless it is silent; a cell that
// is not to be stored, or silent, is not counted, and stands in no history and in no script.
func TestWhatIsSaidAndKept(t *testing.T) {
	_, c, _ := start(t)
	for _, k := range []struct {
		code, silent, store string
		public              []string
		count               float64
	}{
		{"10 + 1", "", "", []string{"execute_input 10 + 1 1", "execute_result 11 1"}, 1},
		{"10 + 2", "", "true", []string{"execute_input 10 + 2 2", "execute_result 12 2"}, 2},
		{"10 + 3", "", "false", []string{"execute_input 10 + 3 2", "execute_result 13 2"}, 2},
		{"10 + 4", "true", "", nil, 2},
		{"10 + 5", "true", "true", nil, 2},
		{"10 // 0", "true", "", nil, 2},
		{"  \n", "", "", []string{"execute_input   \n 3"}, 3},
		{"%time 10 + 6", "", "", []string{"execute_input %time 10 + 6 4", "stream", "execute_result 16 4"}, 4},
		{"%time 10 // 0", "", "", []string{"execute_input %time 10 // 0 5", "error"}, 5},
		{"len?", "", "", []string{"execute_input len? 6", "stream"}, 6},
	} {
		request := map[string]any{"code": k.code}
		if k.silent != "" {
			request["silent"] = k.silent == "true"
		}
		if k.store != "" {
			request["store_history"] = k.store == "true"
		}
		public, reply := c.said(request)
		if want := append(append([]string{"status busy"}, k.public...), "status idle"); !slices.Equal(public, want) || reply["execution_count"] != k.count {
			t.Errorf("%v: %q, and %v, want %q and %v", request, public, reply, want, k.count)
		}
	}
	if got := fmt.Sprint(c.ask("history_request", map[string]any{"hist_access_type": "tail"}).content["history"]); got != "[[1 1 10 + 1] [1 2 10 + 2] [1 4 %time 10 + 6] [1 5 %time 10 // 0] [1 6 len?]]" {
		t.Errorf("history is %s", got)
	}
	file := filepath.Join(t.TempDir(), "kept.star")
	c.execute(fmt.Sprintf("save(%q)", file))
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, cell := range []string{"10 + 1", "10 + 2", "10 + 6"} {
		if !strings.Contains(string(text), cell) {
			t.Errorf("the script has no %s:\n%s", cell, text)
		}
	}
	for _, cell := range []string{"10 + 3", "10 + 4", "10 + 5", "len"} {
		if strings.Contains(string(text), cell) {
			t.Errorf("the script has %s:\n%s", cell, text)
		}
	}
}

func (d dry) Terminal(display.Caps) string { return "dry\n" }

// pictured is a value that is shown as a picture.
type pictured struct{ dry }

func (p pictured) Shown() display.Figure { return p.dry }

// unshowable is a value without a text.
type unshowable struct{ starlark.Value }

func (unshowable) Type() string          { return "trap" }
func (unshowable) String() string        { panic("no way") }
func (unshowable) Freeze()               {}
func (unshowable) Truth() starlark.Bool  { return true }
func (unshowable) Hash() (uint32, error) { return 0, nil }

// A value that cannot be shown is the cell's error, wherever it is to be shown, and one
// that is saved is told to the log.
func TestWhatCannotBeShown(t *testing.T) {
	logged := make(chan error, 10)
	k, c, _ := startWith(t, Options{Log: func(err error) { logged <- err }})
	class := &script.Class[pictured]{Name: "picture"}
	k.session.Set("broken", class.Of(&script.Call{Session: k.session}, pictured{}))
	k.session.Set("trap", unshowable{})
	for source, want := range map[string]string{"broken": errPen.Error(), "show(broken)": errPen.Error(), "print(broken)": errPen.Error(), "trap": "a trap cannot be shown: no way", "show(trap)": "a trap cannot be shown: no way"} {
		a := c.execute(source)
		if a.content["status"] != "error" || !strings.Contains(fmt.Sprint(a.content["evalue"]), want) || len(a.outputs) != 1 || a.outputs[0].kind != "error" {
			t.Errorf("%s gives %v", source, a)
		}
	}
	values := c.ask("execute_request", map[string]any{"code": "", "user_expressions": map[string]string{"a": "broken", "b": "trap", "c": "1 // 0"}}).content["user_expressions"].(map[string]any)
	for name, want := range map[string]string{"a": errPen.Error(), "b": "a trap cannot be shown: no way", "c": "floored division by zero"} {
		if v := values[name].(map[string]any); v["status"] != "error" || v["ename"] != "Error" || v["evalue"] != want {
			t.Errorf("the expression %s gives %v, want %s", name, v, want)
		}
	}
	k.saved(dry{})
	if err := <-logged; err != errPen {
		t.Errorf("logged is %v", err)
	}
	if a := c.execute("1"); len(a.outputs) != 1 {
		t.Errorf("afterwards: %v", a)
	}
}

// What was printed before something is shown, saved or under way comes before it.
func TestPrintedBefore(t *testing.T) {
	t.Chdir(t.TempDir())
	k, c, _ := start(t)
	for _, source := range []string{"print('a')\nshow(3)", "print('a')\ntable([[1]]).save('a.csv')"} {
		var got []string
		for _, o := range c.execute(source).outputs {
			got = append(got, o.kind)
		}
		if !slices.Equal(got, []string{"stream", "display_data"}) {
			t.Errorf("%q gives %v", source, got)
		}
	}
	_, _ = k.session.Stdout.Write([]byte("a"))
	k.session.OnProgress(script.Progress{Name: "graphs", Done: 1, Total: 2})
	for _, want := range []string{"stream", "display_data"} {
		if m, _, _, err := c.receive(c.iopub); err != nil || m.header.Type != want {
			t.Errorf("of a line and progress: %v, %v, want %s", m, err, want)
		}
	}
}

// A cell that begins when the kernel is about to stop ends at once.
func TestCellsOfAKernelThatStops(t *testing.T) {
	k := alone()
	k.stopping = make(chan struct{})
	close(k.stopping)
	if v, err := k.run("while True: pass", false); v != nil || err == nil || k.describe(err).Name != "Interrupted" {
		t.Errorf("%v, %v", v, err)
	}
}

// gathered collects what streams send.
type gathered []string

func (g *gathered) send(name, text string) { *g = append(*g, name+": "+text) }

// What is printed waits until it is large, until another stream is written to, until it is
// asked for, or a while; each byte of it is sent once, by the stream's name.
func TestStreamsGather(t *testing.T) {
	var got gathered
	s := newStreams(got.send)
	s.timer = time.AfterFunc(time.Hour, func() {}) // so that nothing is sent by itself
	out, err := s.writer("stdout"), s.writer("stderr")
	large := strings.Repeat("x", gatherSize)
	for _, step := range []struct {
		do   func()
		sent []string
	}{
		{func() { _, _ = out.Write([]byte("a")) }, nil},
		{s.flush, []string{"stdout: a"}},
		{s.flush, nil},
		{func() { s.timer = time.AfterFunc(time.Hour, func() {}); _, _ = out.Write([]byte("a")) }, nil},
		{func() { _, _ = out.Write([]byte("b")) }, nil},
		{func() { _, _ = err.Write([]byte("c\xff")) }, []string{"stdout: ab"}},
		{s.flush, []string{"stderr: c\uFFFD"}},
		{func() {
			s.timer = time.AfterFunc(time.Hour, func() {})
			_, _ = err.Write([]byte(large[1:]))
		}, nil},
		{func() { _, _ = err.Write([]byte("y")) }, []string{"stderr: " + large[1:] + "y"}},
		{s.flush, nil},
		{func() { _, _ = err.Write([]byte(large)) }, []string{"stderr: " + large}},
		{s.flush, nil},
	} {
		got = nil
		step.do()
		if !slices.Equal(got, step.sent) {
			t.Errorf("sent are %.40q, want %.40q", got, step.sent)
		}
	}
	if n, err := out.Write([]byte("abc")); n != 3 || err != nil {
		t.Errorf("Write = %d, %v", n, err)
	}
}

// What nobody asks for is sent after a while, again and again, and a wait that is over is
// not kept.
func TestStreamsSendByThemselves(t *testing.T) {
	sent := make(chan string, 1)
	s := newStreams(func(_, text string) { sent <- text })
	for _, text := range []string{"a", "b", "c"} {
		s.write("stdout", []byte(text))
		if got := <-sent; got != text {
			t.Errorf("sent is %q, want %q", got, text)
		}
	}
	waiting := time.AfterFunc(time.Hour, func() {})
	s.mu.Lock()
	s.timer = waiting
	s.mu.Unlock()
	s.flush()
	if waiting.Stop() {
		t.Error("who was asked still waits")
	}
}
