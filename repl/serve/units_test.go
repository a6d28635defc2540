package serve

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"dpworkbench/display"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// served returns a server without a client, and the buffer it writes to.
func served(t *testing.T) (*server, *bytes.Buffer) {
	var out bytes.Buffer
	s := script.New(script.Vocabulary{})
	return &server{session: s, out: sender{w: &out}, handles: newHandles(), waiting: map[uint32]chan<- answer{}, all: t.Context()}, &out
}

// sent returns the sent frames, as kind, number and text.
func sent(t *testing.T, out *bytes.Buffer) (frames []string) {
	t.Helper()
	for {
		f, err := readFrame(out)
		if err == io.EOF {
			return frames
		}
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, fmt.Sprintf("%c %d %s", f.kind, f.number, f.text))
	}
}

func greeting(text string) []byte {
	var b bytes.Buffer
	s := sender{w: &b}
	_ = s.send(frame{kind: kindHello, number: 3, text: []byte(text)}) // into memory
	return b.Bytes()
}

// The reply to a greeting is the version, or an error if the client speaks another protocol. Values are formatted for
// the terminal that the greeting describes.
func TestGreetingsAreAnswered(t *testing.T) {
	for text, c := range map[string]struct {
		frames []string
		caps   display.Caps
		err    string
	}{
		`{"protocol":1,"width":70,"height":30,"unicode":true}`: {[]string{`h 3 {"protocol":1,"version":"9"}`}, display.Caps{Width: 70, Height: 30, Unicode: true}, ""},
		`{"protocol":1,"width":-1,"height":-1}`:                {[]string{`h 3 {"protocol":1,"version":"9"}`}, display.Caps{}, ""},
		`{"protocol":2}`:                                       {[]string{`e 3 {"kind":"protocol","text":"the client uses protocol 2, want 1: the Python package and the program have different versions"}`}, display.Caps{}, ""},
		`{"protocol":1,`:                                       {nil, display.Caps{}, "the first frame is 'H', want a greeting (hello)"},
		`{"protocol":"1"}`:                                     {nil, display.Caps{}, "the first frame is 'H', want a greeting (hello)"},
		"":                                                     {nil, display.Caps{}, ""},
	} {
		s := script.New(script.Vocabulary{})
		s.Terminal = display.Caps{}
		var out bytes.Buffer
		in := greeting(text)
		if text == "" {
			in = nil
		}
		err := Serve(s, bytes.NewReader(in), &out, Options{Version: "9"})
		if got := sent(t, &out); !slices.Equal(got, c.frames) || c.err == "" && err != nil || c.err != "" && (err == nil || err.Error() != c.err) || s.Terminal != c.caps {
			t.Errorf("%s: %q, %v, for %+v; want %q, %s, for %+v", text, got, err, s.Terminal, c.frames, c.err, c.caps)
		}
		if c.frames == nil {
			continue
		}
		if err := Serve(s, bytes.NewReader(in), gone{}, Options{}); !errors.Is(err, errGone) {
			t.Errorf("%s: an answer that cannot be sent: %v", text, err)
		}
	}
}

// The session's output, pictures and progress are sent to the client.
func TestSessionOutputIsSent(t *testing.T) {
	v, out := served(t)
	if n, err := (stream{v, "stderr"}).Write([]byte("a\n")); n != 2 || err != nil {
		t.Errorf("Write = %d, %v", n, err)
	}
	v.progress(script.Progress{Name: "graphs", Done: 3, Total: 7, Elapsed: 1500 * time.Millisecond, Note: "n"})
	v.progress(script.Progress{Name: "graphs", Finished: true})
	if err := v.display(starlark.MakeInt(3)); err != nil {
		t.Error(err)
	}
	if got, want := sent(t, out), []string{
		`o 0 {"stream":"stderr","text":"a\n"}`,
		`p 0 {"name":"graphs","done":3,"total":7,"seconds":1.5,"note":"n","text":"graphs [==========              ] 42%, 2s; n"}`,
		`p 0 {"name":"graphs","done":0,"total":0,"seconds":0.0,"note":"","text":"graphs: 0s","finished":true}`,
		`s 0 {"value":3}`,
	}; !slices.Equal(got, want) {
		t.Errorf("sent are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	v.out = sender{w: gone{}}
	if _, err := (stream{v, "stdout"}).Write([]byte("a")); !errors.Is(err, errGone) {
		t.Errorf("printed without a request: %v", err)
	}
}

// An error has its kind, its message and, if it comes from a script, its back-trace. A result lists once the functions
// of the client that the server has dropped.
func TestAnswers(t *testing.T) {
	v, out := served(t)
	evaluate := func(number uint32, source string) []string {
		text, err := json.Marshal(map[string]string{"source": source})
		if err != nil {
			t.Fatal(err)
		}
		q := v.begin(number)
		v.answer(q, frame{kind: kindEvaluate, number: number, text: text})
		if q.ctx.Err() == nil || len(v.asked) > 0 {
			t.Errorf("%s: %d requests are still running", source, len(v.asked))
		}
		return sent(t, out)
	}
	for i, c := range []struct {
		source, want string
		dropped      []int64
	}{
		{"1", `r 5 {"value":1}`, nil},
		{"2", `r 5 {"value":2,"dropped":[7,8]}`, []int64{7, 8}},
		{"3", `r 5 {"value":3}`, nil},
		{"4", `r 5 {"value":4,"dropped":[9]}`, []int64{9}},
		{"1 // 0", `e 5 {"kind":"error","text":"floored division by zero","trace":"\u003cscript\u003e:1:3:\n    1 // 0\nerror: floored division by zero\n"}`, []int64{6}},
		{"5", `r 5 {"value":5,"dropped":[6]}`, nil},
		{"exit(2)", "", nil},
	} {
		v.drop(c.dropped)
		if got := evaluate(5, c.source); c.want != "" && !slices.Equal(got, []string{c.want}) {
			t.Errorf("%d: %s is answered by %q, want %s", i, c.source, got, c.want)
		}
	}
	v.fail(4, errGone)
	v.fail(4, fmt.Errorf("within: %w", &raised{8, "ValueError"}))
	if got, want := sent(t, out), []string{`e 4 {"kind":"error","text":"the other side has gone"}`, `e 4 {"kind":"raised","text":"within: ValueError","callback":8}`}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Nested requests end one by one, whatever the order of their answers.
func TestNestedRequests(t *testing.T) {
	v, _ := served(t)
	var all []*request
	for n := range uint32(4) {
		all = append(all, v.begin(n))
	}
	for _, n := range []int{2, 1, 3, 0} {
		v.answer(all[n], frame{kind: kindEvaluate, number: uint32(n), text: []byte(`{"source":"1"}`)})
		left := slices.DeleteFunc(slices.Clone(all), func(q *request) bool { return q == nil || q == all[n] })
		all[n] = nil
		if !slices.Equal(v.asked, left) {
			t.Errorf("after %d there are %d requests, want %d", n, len(v.asked), len(left))
		}
	}
}

// failing is a value whose attribute fails and whose picture cannot be drawn.
type failing struct{ display.Picture }

func (failing) SVG() ([]byte, error)         { return nil, errGone }
func (failing) PNG() ([]byte, error)         { return nil, errGone }
func (f failing) Shown() display.Figure      { return f }
func (failing) Terminal(display.Caps) string { return "" }

// A request returns an error if its attribute, picture or text fails. The attributes of a value are listed.
func TestRequestsThatFail(t *testing.T) {
	v, _ := served(t)
	class := &script.Class[failing]{Name: "trouble", Attrs: []script.Attr[failing]{
		script.Do("bad -> int", "", "", func(*script.Call, failing) (any, error) { return nil, errGone }),
		script.Get("good -> int", "", "", func(failing) any { return 3 }),
	}}
	n := v.handles.hold(class.Of(&script.Call{Session: v.session}, failing{}))
	endless := starlark.NewList(nil)
	_ = endless.Append(endless)
	m := v.handles.hold(endless)
	for _, c := range []struct {
		kind       kind
		text, want string
	}{
		{kindGet, `{"of":{"$h":N},"name":"good"}`, "3"},
		{kindGet, `{"of":{"$h":N},"name":"bad"}`, "error: trouble.bad: the other side has gone"},
		{kindGet, `{"of":{"$h":99},"name":"bad"}`, "error: no value has the number 99"},
		{kindShow, `{"of":{"$h":N},"as":"svg"}`, "error: the other side has gone"},
		{kindShow, `{"of":{"$h":N},"as":"png"}`, "error: the other side has gone"},
		{kindShow, `{"of":{"$h":N},"as":"html"}`, "None"},
		{kindShow, `{"of":{"$h":N},"as":"names"}`, `["bad", "good"]`},
		{kindShow, `{"of":1,"as":"names"}`, "[]"},
		{kindShow, `{"of":{"$t":[1,2]},"as":"items"}`, "[1, 2]"},
		{kindShow, `{"of":1,"as":"data"}`, "None"},
		{kindShow, `{"of":[1],"as":"text"}`, `"[1]"`},
		{kindShow, `{"of":[1],"as":"json"}`, `"[1]"`},
		{kindShow, `{"of":{"$h":M},"as":"json"}`, "error: x contains itself"},
		{kindShow, `{"of":{"$n":"` + strings.Repeat("f", 1e6) + `"},"as":"text"}`, "error: an int of 1204120 digits"},
		{kindOperate, `{"operator":"+","x":1,"y":{"$h":99}}`, "error: no value has the number 99"},
		{kindOperate, `{"operator":"+","x":{"$h":99},"y":1}`, "error: no value has the number 99"},
		{kindOperate, `{"operator":"<","x":1,"y":"a"}`, "error: "},
		{kindOperate, `{"operator":"+","x":1,"y":2}`, "3"},
		{kindEvaluate, `{"source":"x + 1","names":["x",2,"y"]}`, "3"},
		{kindEvaluate, `{"source":"x + 1","names":["x",2,"x",3]}`, "4"},
		{kindEvaluate, `{"source":"x","names":[1,2]}`, "3"},
		{kindEvaluate, `{"source":"x","names":["x",4]}`, "4"},
		{kindCall, `{"of":{"$h":N},"name":"bad","args":[],"kwargs":[]}`, "error: trouble.bad: the other side has gone"},
		{kindCall, `{"of":{"$h":99},"args":[],"kwargs":[]}`, "error: no value has the number 99"},
		{kindCall, `{"name":"len","args":[[1]],"kwargs":["x"]}`, "1"},
		{kindCall, `[]`, "error: a frame's text is not a JSON object"},
	} {
		c.text = strings.NewReplacer("N", fmt.Sprint(n), "M", fmt.Sprint(m)).Replace(c.text)
		x, err := v.run(new(starlark.Thread), frame{kind: c.kind, text: []byte(c.text)})
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = x.String()
		}
		if got != c.want && !(strings.HasPrefix(c.want, "error: ") && strings.HasPrefix(got, c.want)) {
			t.Errorf("%c %.80s gives %.120s, want %s", c.kind, c.text, got, c.want)
		}
	}
}

// A request runs in the client's folder.
func TestFolders(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(t.TempDir())
	v, _ := served(t)
	if _, err := v.run(new(starlark.Thread), frame{kind: kindShow, text: fmt.Appendf(nil, `{"folder":%q,"of":1,"as":"text"}`, folder)}); err != nil {
		t.Fatal(err)
	}
	got, err := os.Getwd()
	want, err2 := filepath.EvalSymlinks(folder)
	if err != nil || err2 != nil || got != want && got != folder {
		t.Errorf("it runs in %s, want %s", got, folder)
	}
}

// The client is told to drop a function that the server no longer references.
func TestUnreferencedFunctionsAreDropped(t *testing.T) {
	v, _ := served(t)
	func() { v.newFunction(12, "f", 0) }()
	for {
		runtime.GC()
		v.mu.Lock()
		dropped := slices.Clone(v.dropped)
		v.mu.Unlock()
		if len(dropped) > 0 {
			if !slices.Equal(dropped, []int64{12}) {
				t.Errorf("dropped functions: %v", dropped)
			}
			return
		}
		runtime.Gosched()
	}
}

// Neither the lines around an error nor its message show a password. A frame whose source is unknown is one line.
func TestTracesWithoutPasswords(t *testing.T) {
	const location = "postgres://u:Zq7w@h/d"
	v := &server{notebook: &notebook{cells: map[string]string{"<cell 1>": "url = \"" + location + "\"\n1 / 0\nsame = \"mysql://u:\" + \\\n  \"Zq7w\" + \"@h\""}}}
	said := v.describe(errors.New(location))
	for _, text := range []string{v.frame(script.Frame{File: "<cell 1>", Line: 2}), strings.Join(said["traceback"].([]string), ""), said["evalue"].(string)} {
		if !strings.Contains(text, "u:xxxxx@h/d") || strings.Contains(text, "Zq7") {
			t.Errorf("%q", text)
		}
	}
	if got := v.frame(script.Frame{File: "m.star", Line: 4, Col: 1}); strings.Contains(got, "\n") || strings.Contains(got, ", in ") {
		t.Errorf("frame without its source line: %q", got)
	}
	if trace := v.describe(&script.ScriptError{Msg: "broken", Err: errors.New("broken")})["traceback"].([]string); len(trace) != 1 || !strings.Contains(trace[0], "broken") {
		t.Errorf("no calls are shown as %q", trace)
	}
}
