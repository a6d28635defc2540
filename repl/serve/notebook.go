package serve

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"dpworkbench/display"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// notebook is the state of a notebook.
type notebook struct {
	cells map[string]string // sources by file name, for back-traces

	mu    sync.Mutex
	shown map[string]bool // the figures that the running cell has saved, as displayed
}

// question is a request of a notebook's kernel. Its answer is the content of a reply in Jupyter's messaging protocol.
type question struct {
	Ask    string `json:"ask"`
	Source string `json:"source"`

	At int `json:"at"` // for complete and inspect: a position in the source, in code points

	Count       int               `json:"count"` // Count and the fields below are for run: the cell's number
	Silent      bool              `json:"silent"`
	Store       bool              `json:"store"` // save writes the cell
	Expressions map[string]string `json:"expressions"`
}

// content answers a request of a notebook's kernel. A panic becomes an error, because it must not end the session.
func (v *server) content(ctx context.Context, f frame) (content map[string]any, err error) {
	defer func() {
		if r := recover(); r != nil {
			content, err = nil, v.session.Caught("notebook", r)
		}
	}()
	var in question
	if err := json.Unmarshal(f.text, &in); err != nil {
		return nil, fmt.Errorf("a notebook request cannot be read: %w", err)
	}
	switch in.Ask {
	case "run":
		content = v.runCell(ctx, in)
	case "complete":
		content = v.complete(in.Source, in.Source[:in.offset()])
	case "inspect":
		content = map[string]any{"data": map[string]any{}, "metadata": map[string]any{}}
		text, found := v.session.Inspect(in.Source, in.offset())
		if content["found"] = found; found {
			content["data"] = map[string]any{"text/plain": text}
		}
	case "whole":
		return whole(in.Source), nil
	default:
		return nil, fmt.Errorf("a notebook request asks for %q, want run, complete, inspect or whole", in.Ask)
	}
	if content["status"] == nil {
		content["status"] = "ok"
	}
	return content, nil
}

// reply sends the answer to a request of a notebook's kernel.
func (v *server) reply(q *request, f frame) {
	var content map[string]any
	var err error
	switch {
	case v.notebook == nil:
		err = errors.New("this server does not serve a notebook: start it with --notebook")
	case q.cancel == nil:
		err = errors.New("a notebook request was sent within another request")
	default:
		content, err = v.content(q.ctx, f)
		q.cancel()
	}
	v.drop(v.end(q))
	if err == nil {
		err = v.sendContent(kindResult, q.number, map[string]any{"value": content})
	}
	if err != nil {
		v.fail(q.number, err)
	}
}

// offset returns the position At as an offset in bytes.
func (q question) offset() int {
	n := 0
	for i := range q.Source {
		if n == q.At {
			return i
		}
		n++
	}
	return len(q.Source)
}

// runCell runs a cell and then evaluates the question's expressions.
func (v *server) runCell(ctx context.Context, in question) map[string]any {
	v.notebook.mu.Lock()
	v.notebook.shown = make(map[string]bool)
	v.notebook.mu.Unlock()
	x, err := v.execute(ctx, in)
	out := map[string]any{"payload": []any{}}
	var exit *script.Exit
	switch {
	case errors.As(err, &exit):
		out["payload"] = []any{map[string]any{"source": "ask_exit", "keepkernel": false}}
	case err == nil && x != nil && x != starlark.None:
		var result map[string]any
		if result, err = v.bundle(x); err == nil && !in.Silent {
			out["result"] = result
			v.session.Set("_", x)
		}
	}
	if err != nil && exit == nil {
		return v.describe(err)
	}
	values := map[string]any{}
	for name, source := range in.Expressions {
		var content map[string]any
		x, err := v.session.Exec(ctx, "<expression>", source)
		if err == nil {
			content, err = v.bundle(x)
		}
		if err != nil {
			content = v.describe(err)
		} else {
			content["status"] = "ok"
		}
		values[name] = content
	}
	out["user_expressions"] = values
	return out
}

// execute runs the source of a cell, or its magic command.
func (v *server) execute(ctx context.Context, in question) (starlark.Value, error) {
	source, keep, timed := in.Source, in.Source, false
	if m, ok := script.ParseMagic(source); ok {
		if m.Source == "" {
			return nil, errors.New(m.Problem)
		}
		source, keep, timed = m.Source, m.Keep, m.Timed
	}
	if text := strings.TrimLeft(source, "\n"); text != "" && (text[0] == ' ' || text[0] == '\t') {
		source = script.Dedent(source) // pasted from inside a block
	}
	file := fmt.Sprintf("<cell %d>", in.Count)
	v.notebook.cells[file] = source
	begin := time.Now()
	x, err := v.session.Exec(ctx, file, source)
	if in.Store && keep != "" {
		v.session.Record(keep, x, err)
	}
	if timed && err == nil {
		fmt.Fprintf(v.session.Stdout, "time: %v\n", time.Since(begin).Round(time.Microsecond))
	}
	return x, err
}

// complete returns the completions of the text before the cursor.
func (v *server) complete(all, source string) map[string]any {
	found := v.session.Complete(source)
	start, end := utf8.RuneCountInString(source[:found.Start]), utf8.RuneCountInString(source)
	matches, types := found.Candidates, []any{}
	if matches == nil {
		matches = []string{}
	}
	for _, text := range matches {
		kind, signature := "keyword", ""
		if strings.HasSuffix(text, "=") {
			kind = "param"
		} else if strings.HasSuffix(source[:found.Start], ".") {
			kind = "property"
		} else if v.session.Get(text) != nil {
			kind = "instance"
		}
		if title := v.session.Signature(source[:found.Start] + text + "("); title != "" {
			kind = "function"
			if _, arguments, ok := strings.Cut(title, "("); ok {
				signature = "(" + arguments
			}
		}
		types = append(types, map[string]any{"start": start, "end": end, "text": text, "type": kind, "signature": signature})
	}
	return map[string]any{
		"matches": matches, "cursor_start": start, "cursor_end": end,
		"metadata": map[string]any{"_jupyter_types_experimental": types},
	}
}

// whole reports whether a cell is complete, and otherwise how its next line is indented.
func whole(code string) map[string]any {
	source := strings.TrimSuffix(code, "\n")
	last := source[strings.LastIndexByte(source, '\n')+1:]
	if script.Completeness(source) != script.InputComplete && !strings.HasSuffix(code, "\n\n") {
		indent := last[:len(last)-len(strings.TrimLeft(last, " "))]
		if strings.HasSuffix(strings.TrimSpace(last), ":") {
			indent += "    "
		}
		return map[string]any{"status": "incomplete", "indent": indent}
	}
	if _, err := script.Parse("<cell>", code); err != nil {
		if _, magic := script.ParseMagic(code); !magic {
			return map[string]any{"status": "invalid"}
		}
	}
	return map[string]any{"status": "complete"}
}

// show sends a value that a cell shows.
func (v *server) show(x starlark.Value) error {
	content, err := v.bundle(x)
	if err != nil {
		return err
	}
	return v.sendContent(kindBundle, 0, content)
}

// saved displays a figure that a cell saves. Figures that look the same are shown once per cell, because scripts save
// them in several formats.
func (v *server) saved(f display.Figure) {
	content := map[string]any{"text/plain": strings.TrimRight(f.Terminal(v.session.Terminal), "\n")}
	metadata := map[string]any{}
	if err := drawInto(content, metadata, f); err != nil {
		return // the file is written, and only the picture beside the cell is missing
	}
	look := fmt.Sprint(content["text/html"], content["image/svg+xml"])
	v.notebook.mu.Lock()
	seen := v.notebook.shown[look]
	if v.notebook.shown == nil {
		v.notebook.shown = make(map[string]bool)
	}
	v.notebook.shown[look] = true
	v.notebook.mu.Unlock()
	if !seen {
		_ = v.sendContent(kindBundle, 0, map[string]any{"data": content, "metadata": metadata}) // if the client has gone, the reader notices
	}
}

// sendContent sends JSON without binary data.
func (v *server) sendContent(k kind, number uint32, content map[string]any) error {
	text, _ := json.Marshal(content) // cannot fail: strings and numbers only
	return v.out.send(frame{kind: k, number: number, text: text})
}
