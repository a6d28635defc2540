package serve_test

import (
	"encoding/base64"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"dpworkbench/repl/serve"
)

// notebook returns a client that acts as a notebook's kernel.
func notebook(t testing.TB) *client {
	c := bareWith(t, serve.Options{Version: "test", Notebook: true})
	c.send('H', 0, object{"protocol": serve.Protocol, "width": 80, "height": 20, "unicode": true}, nil)
	if m := c.read(); m.kind != 'h' {
		t.Fatalf("greeted with %c %v", m.kind, m.body)
	}
	return c
}

// put sends a request as a kernel does. It returns the content of the answer and the messages before it.
func (c *client) put(ask string, more object) (content object, before []message) {
	c.t.Helper()
	more["ask"] = ask
	c.send('N', 1, more, nil)
	for {
		switch m := c.read(); m.kind {
		case 'r':
			return m.body["value"].(object), before
		case 'o', 'd', 'p':
			before = append(before, m)
		default:
			c.t.Fatalf("%v is answered by %c %v", more, m.kind, m.body)
		}
	}
}

// cell runs a cell with its execution count.
func (c *client) cell(count int, source string) (object, []message) {
	return c.put("run", object{"source": source, "count": count, "store": true})
}

// printed returns the text that a cell printed.
func printed(before []message) (text string) {
	for _, m := range before {
		if m.kind == 'o' {
			text += m.body["text"].(string)
		}
	}
	return text
}

func data(content object) object { return content["data"].(object) }

// A kernel gets every value as text. Tables, evidence and plots also come as HTML or as a picture, whether they are a
// cell's result, shown, or printed alone.
func TestCellsGiveRichForms(t *testing.T) {
	c := notebook(t)
	for source, forms := range map[string][]string{
		`table([[1, "<b>"]], title="T")`: {"text/html", "text/plain"},
		`ln(3)`:                          {"text/html", "text/plain"},
		`line_plot([1, 4, 9])`:           {"image/png", "image/svg+xml", "text/plain"},
		`heatmap([[1, 2], [3, 4]])`:      {"image/png", "image/svg+xml", "text/plain"},
		`[1, 2]`:                         {"text/plain"},
	} {
		result, _ := c.cell(1, source)
		_, shown := c.cell(1, "show("+source+")")
		if len(shown) != 1 || shown[0].kind != 'd' {
			t.Fatalf("show(%s): %v", source, shown)
		}
		for _, content := range []object{result["result"].(object), shown[0].body} {
			var got []string
			for form, text := range data(content) {
				if got = append(got, form); text == "" {
					t.Errorf("%s has an empty %s", source, form)
				}
			}
			if slices.Sort(got); !slices.Equal(got, forms) {
				t.Errorf("%s has the forms %v, want %v", source, got, forms)
			}
			if text, ok := data(content)["image/png"].(string); ok {
				if _, err := png.Decode(base64.NewDecoder(base64.StdEncoding, strings.NewReader(text))); err != nil {
					t.Errorf("%s: %v", source, err)
				}
			}
			if text, ok := data(content)["text/html"].(string); ok && strings.Contains(text, "<b>\"") {
				t.Errorf("%s is not escaped: %s", source, text)
			}
		}
	}
	out, before := c.cell(2, "print(table([[1]]))\nprint('t', table([[1]]))\nln(3)")
	if len(before) != 2 || before[0].kind != 'd' || !strings.HasPrefix(printed(before), "t ") {
		t.Errorf("printed: %v", before)
	}
	if text := fmt.Sprint(data(out["result"].(object))["text/plain"]); text != "1.09861228866811 (exact: ln(3))" {
		t.Errorf("ln(3) is shown as %s", text)
	}
}

// A figure that a cell saves is shown once, whatever the number of formats. The next cell may show it again. Text
// printed before comes first.
func TestCellsShowSavedFigures(t *testing.T) {
	t.Chdir(t.TempDir())
	c := notebook(t)
	for range 2 {
		_, before := c.cell(1, "print('a')\nfor end in ['svg', 'png']: line_plot([1, 2]).save('a.' + end)\ntable([[1]]).save('a.csv')")
		if len(before) != 3 || before[0].kind != 'o' || data(before[1].body)["image/png"] == nil || data(before[2].body)["text/html"] == nil {
			t.Errorf("saving shows %v", before)
		}
	}
}

// The name _ has the value of the last cell that was not silent. Magics, indented pasted blocks and expressions work. A
// failed cell reports the place of its error.
func TestCells(t *testing.T) {
	c := notebook(t)
	c.cell(1, "def f(x):\n    y = x\n    return ln(y)\n")
	for _, k := range []struct{ source, result, printed string }{
		{"6 * 7", "42", ""}, {"_ + 1", "43", ""}, {"    x = 5\n    x", "5", ""}, {"None", "", ""}, {"", "", ""}, {"print('a')\n'b'", `"b"`, "a\n"},
		{"%time 1 + 1", "2", "time: "}, {"purest?", "", "purest(q, decay)\n"},
	} {
		out, before := c.cell(2, k.source)
		got := ""
		if result, ok := out["result"].(object); ok {
			got = data(result)["text/plain"].(string)
		}
		if out["status"] != "ok" || got != k.result || !strings.HasPrefix(printed(before), k.printed) || k.printed == "" && len(before) > 0 {
			t.Errorf("%q gives %v, %v", k.source, out, before)
		}
	}
	if out, _ := c.put("run", object{"source": "7", "count": 2, "silent": true}); out["result"] != nil {
		t.Errorf("a silent cell gives %v", out)
	}
	for source, want := range map[string][]string{
		"a = 1\nf(0)":     {"Error", "ln: x = 0", "Cell [3]\x1b[0m, line 2, column 2", "----> 2\x1b[0m f(0)", "----> 3\x1b[0m     return ln(y)", "in \x1b[34mf", "Cell [1]", "      1\x1b[0m def f(x):"},
		"x = (":           {"SyntaxError", "got end of file"},
		"lader(1)":        {"Error", "did you mean ladder?"},
		"input('name? ')": {"Error", "a script asks no questions"},
		"%foo":            {"Error", "%foo is not known"},
	} {
		out, _ := c.cell(3, source)
		text := fmt.Sprint(out["evalue"], out["traceback"])
		if out["status"] != "error" || out["ename"] != want[0] {
			t.Errorf("%q gives %v", source, out)
		}
		for _, part := range want[1:] {
			if !strings.Contains(text, part) {
				t.Errorf("%q: the trace lacks %q:\n%s", source, part, text)
			}
		}
	}
	out, _ := c.put("run", object{"source": "", "count": 4, "expressions": object{"good": "_ + 1", "bad": "nope", "none": "fail('no')"}})
	values := out["user_expressions"].(object)
	if good, bad := values["good"].(object), values["bad"].(object); good["status"] != "ok" || bad["status"] != "error" || bad["ename"] != "Error" {
		t.Errorf("expressions %v", values)
	}
	if out, _ := c.cell(5, "exit()"); fmt.Sprint(out["payload"]) != "[map[keepkernel:false source:ask_exit]]" || out["status"] != "ok" {
		t.Errorf("exit() gives %v", out)
	}
}

// save writes the stored cells as statements of a script.
func TestCellsAreSaved(t *testing.T) {
	c := notebook(t)
	file := filepath.Join(t.TempDir(), "kept.star")
	for i, source := range []string{"10 + 1", "%time 10 + 2", "len?", "10 // 0"} {
		c.cell(i+1, source)
	}
	c.put("run", object{"source": "10 + 3", "count": 4})
	c.cell(5, fmt.Sprintf("save(%q)", file))
	text, err := os.ReadFile(file)
	want := "_ = 10 + 1\nshow(_)\n_ = 10 + 2\nshow(_)\n# failed: 10 // 0\n"
	if err != nil || !strings.Contains(string(text), want) || strings.Contains(string(text), "10 + 3") || strings.Contains(string(text), "len") {
		t.Errorf("%v: the script is\n%s", err, text)
	}
}

// An interrupt ends a cell and keeps the session's values.
func TestCellsAreInterrupted(t *testing.T) {
	c := notebook(t)
	c.cell(1, "x = 41")
	for _, more := range []object{{"source": "print('on')\nwhile True: pass"}, {"source": "print('on')", "expressions": object{"a": "[0 for _ in range(1000) for _ in range(10000000)]"}}} {
		more["ask"], more["count"] = "run", 2
		c.send('N', 7, more, nil)
		if m := c.read(); m.kind != 'o' {
			t.Fatalf("%c %v", m.kind, m.body)
		}
		c.send('I', 7, object{}, nil)
		content := c.read().body["value"].(object)
		if values, ok := content["user_expressions"].(object); ok {
			content = values["a"].(object)
		}
		if content["ename"] != "Interrupted" {
			t.Errorf("interrupted, it gives %v", content)
		}
		if out, _ := c.cell(3, "x + 1"); data(out["result"].(object))["text/plain"] != "42" {
			t.Errorf("afterwards: %v", out)
		}
	}
}

// The answer to a completion has the range to replace, in code points, and the kind of each name. The answer to a help
// request has a text, or says that there is none.
func TestNotebookRequests(t *testing.T) {
	c := notebook(t)
	c.cell(1, "word = 1\ndef worker(a, b=2):\n  return a\nd = {}\n")
	for source, k := range map[string]struct {
		start float64
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
		out, _ := c.put("complete", object{"source": source + " beyond", "at": at})
		matches := out["matches"].(list)
		var got []string
		for i, v := range out["metadata"].(object)["_jupyter_types_experimental"].(list) {
			m := v.(object)
			if m["text"] != matches[i] || m["start"] != k.start || m["end"] != float64(at) {
				t.Errorf("%q: %v beside %v", source, m, matches)
			}
			got = append(got, strings.TrimSpace(fmt.Sprint(m["text"], " ", m["type"], " ", m["signature"])))
		}
		text := strings.Join(got, "; ")
		if !strings.HasPrefix(text, k.want) || k.want == "" && text != "" || out["cursor_start"] != k.start || out["cursor_end"] != float64(at) || out["status"] != "ok" {
			t.Errorf("%q completes to %q, want %q: %v", source, text, k.want, out)
		}
	}
	for source, want := range map[string]bool{"é; worker(3)": true, "nothing_at_all": false} {
		out, _ := c.put("inspect", object{"source": source, "at": 5})
		if text := fmt.Sprint(data(out)["text/plain"]); out["found"] != want || out["status"] != "ok" || strings.HasPrefix(text, "worker(a, b=2)") != want {
			t.Errorf("%s: %v", source, out)
		}
	}
	for source, want := range map[string]string{
		"1 + 1": "complete", "f(": "incomplete ", "def f():": "incomplete     ", "def f():\n    if x:": "incomplete         ", "def f():\n    return 1": "incomplete     ",
		"def f():\n    return 1\n": "incomplete     ", "def f():\n    return 1\n\n": "complete", "f(\n  1,": "incomplete   ", "1 +": "invalid", "%time 1 +": "complete", "x?": "complete", "": "complete", "'''a": "incomplete ",
	} {
		out, _ := c.put("whole", object{"source": source})
		got := fmt.Sprint(out["status"])
		if indent, ok := out["indent"]; ok {
			got += fmt.Sprint(" ", indent)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", source, got, want)
		}
	}
}

// Requests that a kernel does not support are rejected, and only a notebook's server accepts a notebook's requests.
func TestInvalidNotebookRequests(t *testing.T) {
	for _, k := range []struct {
		c    *client
		body object
		want string
	}{
		{notebook(t), object{"ask": "history"}, `"history", want run`},
		{notebook(t), object{"ask": 7}, "a notebook request"},
		{connect(t), object{"ask": "whole"}, "--notebook"},
	} {
		if m := k.c.ask('N', k.body, nil); m.kind != 'e' || !strings.Contains(fmt.Sprint(m.body["text"]), k.want) {
			t.Errorf("%v: %c %v", k.body, m.kind, m.body)
		}
	}
}
