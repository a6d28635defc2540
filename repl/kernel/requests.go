package kernel

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"dpworkbench/script"
)

// kernelInfo tells what the kernel is. Editors colour the language as Python,
// of which it is a dialect.
func kernelInfo(r *request) (any, error) {
	version := r.kernel.options.Version
	return map[string]any{
		"status": "ok", "protocol_version": protocolVersion,
		"implementation": "dpworkbench", "implementation_version": version,
		"language_info": map[string]any{
			"name": "starlark", "version": "1", "mimetype": "text/x-python", "file_extension": ".star",
			"pygments_lexer": "python", "codemirror_mode": map[string]any{"name": "python", "version": 3},
		},
		"banner":     "dpworkbench " + version + "\nhelp() lists the vocabulary, name? explains.",
		"help_links": []any{}, "debugger": false,
	}, nil
}

// cursor is a text with a place in it, which clients count in code points.
type cursor struct {
	Code string `json:"code"`
	At   int    `json:"cursor_pos"`
}

// offset returns the place in bytes.
func (c cursor) offset() int {
	n := 0
	for i := range c.Code {
		if n == c.At {
			return i
		}
		n++
	}
	return len(c.Code)
}

func complete(r *request) (any, error) {
	var in cursor
	if err := r.read(&in); err != nil {
		return nil, err
	}
	source := in.Code[:in.offset()]
	found := r.kernel.session.Complete(source)
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
		} else if r.kernel.session.Get(text) != nil {
			kind = "instance"
		}
		if title := r.kernel.session.Signature(source[:found.Start] + text + "("); title != "" {
			kind = "function"
			if _, arguments, ok := strings.Cut(title, "("); ok {
				signature = "(" + arguments
			}
		}
		types = append(types, map[string]any{"start": start, "end": end, "text": text, "type": kind, "signature": signature})
	}
	return map[string]any{
		"status": "ok", "matches": matches, "cursor_start": start, "cursor_end": end,
		"metadata": map[string]any{"_jupyter_types_experimental": types},
	}, nil
}

func inspect(r *request) (any, error) {
	var in cursor
	if err := r.read(&in); err != nil {
		return nil, err
	}
	data := map[string]any{}
	text, found := r.kernel.session.Inspect(in.Code, in.offset())
	if found {
		data["text/plain"] = text
	}
	return map[string]any{"status": "ok", "found": found, "data": data, "metadata": map[string]any{}}, nil
}

func isComplete(r *request) (any, error) {
	var in cursor
	if err := r.read(&in); err != nil {
		return nil, err
	}
	source := strings.TrimSuffix(in.Code, "\n")
	state, indent := script.Completeness(source), ""
	last := source[strings.LastIndexByte(source, '\n')+1:]
	if state != script.InputComplete && !strings.HasSuffix(in.Code, "\n\n") {
		indent = last[:len(last)-len(strings.TrimLeft(last, " "))]
		if strings.HasSuffix(strings.TrimSpace(last), ":") {
			indent += "    "
		}
		return map[string]string{"status": "incomplete", "indent": indent}, nil
	}
	if _, err := script.Parse("<cell>", in.Code); err != nil {
		if _, magic := script.ParseMagic(in.Code); !magic {
			return statusContent{"invalid"}, nil
		}
	}
	return statusContent{"complete"}, nil
}

// thisSession is the number that history gives to the running session.
const thisSession = 1

// record is a cell that was executed.
type record struct {
	line   int
	source string
}

type historyContent struct {
	Output  bool   `json:"output"`
	Access  string `json:"hist_access_type"` // "range", "tail" or "search"
	Session int    `json:"session"`
	Start   int    `json:"start"`
	Stop    int    `json:"stop"`
	N       int    `json:"n"`
	Pattern string `json:"pattern"` // * stands for anything, ? for one character
	Unique  bool   `json:"unique"`
}

// history returns cells of this session: a kernel keeps none of earlier ones.
func history(r *request) (any, error) {
	var in historyContent
	if err := r.read(&in); err != nil {
		return nil, err
	}
	if !slices.Contains([]string{"range", "tail", "search"}, in.Access) {
		return nil, fmt.Errorf(`%w: hist_access_type = %q, want "range", "tail" or "search"`, errMessage, in.Access)
	}
	var chosen []record
	seen := make(map[string]int)
	for _, h := range r.kernel.history {
		switch in.Access {
		case "range":
			if in.Session != 0 && in.Session != thisSession || h.line < in.Start || in.Stop > 0 && h.line >= in.Stop {
				continue
			}
		case "search":
			if ok, _ := path.Match(plainGlob.Replace(in.Pattern), plainGlob.Replace(h.source)); !ok { // no pattern is bad
				continue
			}
		}
		if at, again := seen[h.source]; in.Unique && again {
			chosen[at].line = 0 // the last of equal ones stays
		}
		seen[h.source] = len(chosen)
		chosen = append(chosen, h)
	}
	lines := []any{}
	for _, h := range chosen {
		switch {
		case h.line == 0:
		case in.Output:
			lines = append(lines, []any{thisSession, h.line, []any{h.source, nil}})
		default:
			lines = append(lines, []any{thisSession, h.line, h.source})
		}
	}
	if in.Access != "range" && in.N > 0 && len(lines) > in.N {
		lines = lines[len(lines)-in.N:]
	}
	return map[string]any{"status": "ok", "history": lines}, nil
}

// plainGlob leaves only * and ? special, and makes * reach over slashes.
var plainGlob = strings.NewReplacer("/", "\x00", "[", "\x01", "\\", "\x02")

// The kernel has no widgets: it knows no comms and closes what is opened.
func commInfo(*request) (any, error) {
	return map[string]any{"status": "ok", "comms": map[string]any{}}, nil
}

func commOpen(r *request) (any, error) {
	var in struct {
		ID string `json:"comm_id"`
	}
	if err := r.read(&in); err != nil {
		return nil, err
	}
	r.kernel.publishTo(r.message, "comm_close", map[string]any{"comm_id": in.ID, "data": map[string]any{}})
	return nil, nil
}

func ignore(*request) (any, error) { return nil, nil }

func interrupt(r *request) (any, error) {
	r.kernel.Interrupt()
	return statusContent{"ok"}, nil
}

// shutdown answers; handle stops the kernel once the answer is queued.
func shutdown(r *request) (any, error) {
	var in struct {
		Restart bool `json:"restart"`
	}
	if err := r.read(&in); err != nil {
		return nil, err
	}
	return map[string]any{"status": "ok", "restart": in.Restart}, nil
}
