package kernel

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"dpworkbench/internal/zmtp"
	"dpworkbench/repl"
)

// alone returns a kernel that nobody talks to.
func alone() *Kernel {
	return &Kernel{session: repl.NewSession().Session, cells: map[string]string{}, options: Options{Version: "9"}}
}

// answerTo has a handler answer a request, whose reply comes back as JSON says it.
func answerTo(t *testing.T, k *Kernel, handle handler, content string) (map[string]any, error) {
	t.Helper()
	reply, err := handle(&request{kernel: k, message: &message{content: json.RawMessage(content), header: header{Type: "a_request"}}})
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(reply)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out, nil
}

// What cannot be read is an error that names the request.
func TestRequestsThatCannotBeRead(t *testing.T) {
	for name, handle := range map[string]handler{"complete": complete, "inspect": inspect, "is_complete": isComplete, "history": history, "shutdown": shutdown, "comm_open": commOpen, "execute": execute} {
		for _, content := range []string{"[1]", `"a"`, `{"cursor_pos": "x", "restart": 3, "comm_id": 4, "session": "a", "code": 5}`} {
			if out, err := answerTo(t, alone(), handle, content); !errors.Is(err, errMessage) || !strings.Contains(err.Error(), "a_request") {
				t.Errorf("%s of %s: %v, %v", name, content, out, err)
			}
		}
	}
}

// A cursor counts code points, and stops at the end.
func TestCursorsCountCodePoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	for range 300 {
		runes := make([]rune, rng.IntN(6))
		for i := range runes {
			runes[i] = []rune("aé漢🙂\n")[rng.IntN(5)]
		}
		for at := range len(runes) + 3 {
			want := len(string(runes[:min(at, len(runes))]))
			if got := (cursor{string(runes), at}).offset(); got != want {
				t.Errorf("place %d of %q is byte %d, want %d", at, string(runes), got, want)
			}
		}
	}
}

// A completion says what it completes, from where to where in code points, and of each name
// what it is.
func TestCompletionsOfCells(t *testing.T) {
	k := alone()
	if _, err := k.session.Exec(t.Context(), "a", "word = 1\ndef worker(a, b=2):\n  return a\nd = {}\n"); err != nil {
		t.Fatal(err)
	}
	for source, c := range map[string]struct {
		start int
		want  string
	}{
		"é + wor":         {4, "word instance; worker function (a, b=2)"},
		"worker(1, b":     {10, "b= param; basic function (q, decay, initial)"},
		"d.ite":           {2, "items function ()"},
		"math.pi":         {5, "pi property"},
		"nothing_at_all.": {15, ""},
		"lambd":           {0, "lambda keyword"},
	} {
		at := utf8.RuneCountInString(source)
		out, err := answerTo(t, k, complete, fmt.Sprintf(`{"code": %q, "cursor_pos": %d}`, source+" beyond", at))
		if err != nil {
			t.Fatal(err)
		}
		matches := out["matches"].([]any)
		var got []string
		for i, v := range out["metadata"].(map[string]any)["_jupyter_types_experimental"].([]any) {
			m := v.(map[string]any)
			if m["text"] != matches[i] || m["start"] != out["cursor_start"] || m["end"] != out["cursor_end"] {
				t.Errorf("%q: %v beside %v", source, m, matches)
			}
			got = append(got, strings.TrimSpace(fmt.Sprint(m["text"], " ", m["type"], " ", m["signature"])))
		}
		if text := strings.Join(got, "; "); !strings.HasPrefix(text, c.want) || c.want == "" && text != "" || len(got) != len(matches) || out["cursor_start"] != float64(c.start) || out["cursor_end"] != float64(at) || out["status"] != "ok" {
			t.Errorf("%q completes from %v to %v to %q, want %q", source, out["cursor_start"], out["cursor_end"], text, c.want)
		}
	}
	for source, want := range map[string]bool{"word": true, "nothing_at_all": false} {
		out, err := answerTo(t, k, inspect, fmt.Sprintf(`{"code": %q, "cursor_pos": 2}`, source))
		if err != nil || out["found"] != want || out["status"] != "ok" || (len(out["data"].(map[string]any)) == 1) != want {
			t.Errorf("%s: %v, %v", source, out, err)
		}
	}
}

// A cell goes on with the indent that its block wants, is whole, or is none.
func TestWholeCells(t *testing.T) {
	for source, want := range map[string]string{
		"1 + 1": "complete", "f(": "incomplete ", "def f():": "incomplete     ", "def f():\n    if x:": "incomplete         ", "def f():\n    return 1": "incomplete     ",
		"def f():\n    return 1\n": "incomplete     ", "def f():\n    return 1\n\n": "complete", "f(\n  1,": "incomplete   ", "1 +": "invalid", "%time 1 +": "complete", "x?": "complete", "": "complete", "'''a": "incomplete ",
	} {
		out, err := answerTo(t, alone(), isComplete, fmt.Sprintf(`{"code": %q}`, source))
		got := fmt.Sprint(out["status"])
		if indent, ok := out["indent"]; ok {
			got += fmt.Sprint(" ", indent)
		}
		if err != nil || got != want {
			t.Errorf("%q is %q, %v, want %q", source, got, err, want)
		}
	}
}

// like reports whether a text matches a pattern of * and ?, by trying all there is.
func like(pattern, text []rune) bool {
	switch {
	case len(pattern) == 0:
		return len(text) == 0
	case pattern[0] == '*':
		return like(pattern[1:], text) || len(text) > 0 && like(pattern, text[1:])
	}
	return len(text) > 0 && (pattern[0] == '?' || pattern[0] == text[0]) && like(pattern[1:], text[1:])
}

// History is asked for by range, by pattern and from the tail, with or without repeats.
func TestHistoryOfCells(t *testing.T) {
	k, rng := alone(), rand.New(rand.NewPCG(8, 9))
	for line := range 12 {
		k.history = append(k.history, record{line + 1, []string{"a", "b/c", "a[1]", "x\\y", "ab", "a\nb"}[rng.IntN(6)]})
	}
	for range 800 {
		in := historyContent{Access: []string{"range", "tail", "search"}[rng.IntN(3)], Session: rng.IntN(3), Start: rng.IntN(14), Stop: rng.IntN(14), N: rng.IntN(15), Unique: rng.IntN(2) == 0, Output: rng.IntN(2) == 0,
			Pattern: []string{"*", "a*", "?", "*c", "a[1]", "x\\y", "*[*", "", "a?b", "*/*"}[rng.IntN(10)]}
		var want []record
		for _, h := range k.history {
			ranged := (in.Session == 0 || in.Session == 1) && h.line >= in.Start && (in.Stop <= 0 || h.line < in.Stop)
			if in.Access == "range" && ranged || in.Access == "search" && like([]rune(in.Pattern), []rune(h.source)) || in.Access == "tail" {
				if in.Unique {
					want = slices.DeleteFunc(want, func(r record) bool { return r.source == h.source })
				}
				want = append(want, h)
			}
		}
		if in.Access != "range" && in.N > 0 {
			want = want[max(0, len(want)-in.N):]
		}
		text, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		out, err := answerTo(t, k, history, string(text))
		if err != nil || out["status"] != "ok" {
			t.Fatal(out, err)
		}
		var got []record
		for _, v := range out["history"].([]any) {
			row := v.([]any)
			source, ok := row[2].(string)
			if in.Output {
				pair := row[2].([]any)
				source, ok = pair[0].(string), len(pair) == 2 && pair[1] == nil
			}
			if row[0] != 1.0 || !ok {
				t.Errorf("%+v: a row is %v", in, row)
			}
			got = append(got, record{int(row[1].(float64)), source})
		}
		if !slices.Equal(got, want) {
			t.Errorf("%+v of %v:\n%v, want\n%v", in, k.history, got, want)
		}
	}
	if _, err := answerTo(t, k, history, `{"hist_access_type": "all"}`); !errors.Is(err, errMessage) {
		t.Errorf("a way that there is not: %v", err)
	}
}

// An identifier has the form of RFC 9562, every digit of it that is free.
func TestIdentifiers(t *testing.T) {
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	var seen [36]map[byte]bool
	for range 1000 { // one digit of 16 is missing with probability 36·16·e^−64
		id := newID()
		if !form.MatchString(id) {
			t.Fatal(id)
		}
		for i := range len(id) {
			if seen[i] == nil {
				seen[i] = map[byte]bool{}
			}
			seen[i][id[i]] = true
		}
	}
	for i, digits := range seen {
		want := 16
		switch i {
		case 8, 13, 14, 18, 23:
			want = 1
		case 19:
			want = 4
		}
		if len(digits) != want {
			t.Errorf("digit %d has %d values, want %d", i, len(digits), want)
		}
	}
}

// The latest signatures are known again, so many and no more.
func TestSignaturesAreForgottenInTurn(t *testing.T) {
	s := &signatures{}
	name := func(i int) []byte { return fmt.Appendf(nil, "signature %d", i) }
	for i := range remembered + 3 {
		if !s.fresh(name(i)) {
			t.Fatalf("signature %d has been here before", i)
		}
	}
	for _, i := range []int{3, 4, 100, remembered - 1, remembered, remembered + 2} {
		if s.fresh(name(i)) {
			t.Errorf("signature %d of %d is forgotten", i, remembered+3)
		}
	}
	for i := range 3 {
		if !s.fresh(name(i)) {
			t.Errorf("signature %d is known still", i)
		}
	}
	if len(s.seen) != remembered || len(s.order) != remembered {
		t.Errorf("%d signatures are kept in %d places, want %d", len(s.seen), len(s.order), remembered)
	}
}

// The specification is found and read by Jupyter: where to put it, what to start, a picture.
func TestInstallsWhereJupyterLooks(t *testing.T) {
	dir := t.TempDir()
	for name, value := range map[string]string{"JUPYTER_DATA_DIR": "", "XDG_DATA_HOME": "", "HOME": dir} {
		t.Setenv(name, value)
	}
	if got, err := DataDir(); err != nil || got != filepath.Join(dir, ".local", "share", "jupyter") && got != filepath.Join(dir, "Library", "Jupyter") {
		t.Errorf("%q, %v", got, err)
	}
	t.Setenv("XDG_DATA_HOME", filepath.Join(dir, "data"))
	if got, err := DataDir(); err != nil || got != filepath.Join(dir, "data", "jupyter") && got != filepath.Join(dir, "Library", "Jupyter") {
		t.Errorf("%q, %v", got, err)
	}
	t.Setenv("HOME", "")
	if got, err := DataDir(); err == nil {
		t.Errorf("without a home: %q", got)
	}
	t.Setenv("JUPYTER_DATA_DIR", filepath.Join(dir, "own"))
	if got, err := DataDir(); err != nil || got != filepath.Join(dir, "own") {
		t.Errorf("%q, %v", got, err)
	}
	for range 2 { // the second time it is there
		at, err := Install(dir, "/bin/workbench", "--seed", "4")
		if err != nil || at != filepath.Join(dir, "kernels", "dpworkbench") {
			t.Fatal(at, err)
		}
		text, err := os.ReadFile(filepath.Join(at, "kernel.json"))
		if err != nil {
			t.Fatal(err)
		}
		var spec struct {
			Argv     []string `json:"argv"`
			Name     string   `json:"display_name"`
			Language string   `json:"language"`
			Mode     string   `json:"interrupt_mode"`
		}
		if err := json.Unmarshal(text, &spec); err != nil || !slices.Equal(spec.Argv, []string{"/bin/workbench", "kernel", "-f", "{connection_file}", "--seed", "4"}) || spec.Name != "dpworkbench" || spec.Language != "starlark" || spec.Mode != "signal" || !strings.HasSuffix(string(text), "}\n") {
			t.Errorf("%s, %v", text, err)
		}
		if picture, err := os.ReadFile(filepath.Join(at, "logo-svg.svg")); err != nil || !slices.Equal(picture, logo) {
			t.Errorf("a picture of %d bytes, %v", len(picture), err)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "kernels")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "kernels"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if at, err := Install(dir, "/bin/workbench"); err == nil || at != "" {
		t.Errorf("below a file: %q", at)
	}
	if err := os.Remove(filepath.Join(dir, "kernels")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "kernels", "dpworkbench", "kernel.json", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "kernels", "dpworkbench", "logo-svg.svg", "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if at, err := Install(dir, "/bin/workbench"); err == nil || at != "" {
		t.Errorf("over folders: %q", at)
	}
}

// A connection file is read as it is, and what no kernel can serve is refused by name.
func TestConnectionFiles(t *testing.T) {
	file := filepath.Join(t.TempDir(), "connection.json")
	if _, err := ReadConnection(file); !errors.Is(err, ErrConnection) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	good := map[string]any{"transport": "tcp", "ip": "127.0.0.1", "shell_port": 65535, "control_port": 0, "iopub_port": 3, "stdin_port": 4, "hb_port": 5, "signature_scheme": "hmac-sha256", "key": "k"}
	for name, c := range map[string]struct {
		value any
		want  string
	}{"": {nil, ""}, "transport": {"udp", `transport = "udp"`}, "signature_scheme": {"md5", `signature_scheme = "md5"`}, "shell_port": {65536, "shell_port = 65536"}, "control_port": {-1, "control_port = -1"}, "iopub_port": {1 << 20, "iopub_port"},
		"stdin_port": {-7, "stdin_port"}, "hb_port": {99999, "hb_port"}, "ip": {7, file}} {
		from := maps.Clone(good)
		if name != "" {
			from[name] = c.value
		}
		text, err := json.Marshal(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := ReadConnection(file)
		if c.want == "" {
			if want := (Connection{"tcp", "127.0.0.1", 65535, 0, 3, 4, 5, "hmac-sha256", "k"}); err != nil || got != want {
				t.Errorf("%+v, %v, want %+v", got, err, want)
			}
			continue
		}
		if !errors.Is(err, ErrConnection) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s = %v: %v", name, c.value, err)
		}
		if name != "ip" {
			if k, err := New(repl.NewSession().Session, got, Options{}); k != nil || !errors.Is(err, ErrConnection) {
				t.Errorf("%s = %v is served: %v", name, c.value, err)
			}
		}
	}
	if err := (Connection{Transport: "ipc"}).check(); err != nil {
		t.Errorf("without a key, and so without a scheme: %v", err)
	}
	for _, c := range []struct {
		at               Connection
		network, address string
	}{{Connection{Transport: "ipc", IP: "/tmp/k"}, "unix", "/tmp/k-3"}, {Connection{Transport: "tcp", IP: "127.0.0.1"}, "tcp", "127.0.0.1:3"}, {Connection{Transport: "tcp", IP: "::1"}, "tcp", "[::1]:3"}} {
		if network, address := c.at.address(3); network != c.network || address != c.address {
			t.Errorf("%+v is %s %s", c.at, network, address)
		}
	}
}

// A reply that JSON cannot write is logged and not sent, and so is one of a port in use told.
func TestWhatCannotBeSent(t *testing.T) {
	w := &wire{session: "s"}
	if frames, err := w.encode(nil, nil, "a", make(chan int)); err == nil || frames != nil {
		t.Errorf("a channel is sent as %q", frames)
	}
	var logged []error
	k := &Kernel{options: Options{Log: func(err error) { logged = append(logged, err) }}}
	k.publishTo(nil, "a", make(chan int))
	k.log(nil)
	if len(logged) != 1 {
		t.Errorf("logged %v", logged)
	}
	(&Kernel{}).log(errors.New("nobody hears it"))
	taken, err := zmtp.Listen(zmtp.Router, "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	var port int
	if _, err := fmt.Sscanf(taken.Addr().String(), "127.0.0.1:%d", &port); err != nil {
		t.Fatal(err)
	}
	c := Connection{Transport: "tcp", IP: "127.0.0.1", HeartbeatPort: port, SignatureScheme: "hmac-sha256"}
	if k, err := New(repl.NewSession().Session, c, Options{}); err == nil || k != nil {
		t.Error("a port in use is served")
	}
}
