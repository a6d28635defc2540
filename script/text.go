package script

import (
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"dpworkbench/internal/memory"
	"dpworkbench/internal/redact"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Starlark writes a value by recursion of any depth. A list that holds one list twice, which holds another one twice,
// and so on, takes exponentially many bytes. The functions here write the same text, with limits on depth and memory.

// TextOf returns the text of a value, as str does. It returns an error if the value is nested too deeply or its text
// does not fit into memory. If poll is not nil, it is called now and then, and its error ends the work.
func TextOf(v starlark.Value, poll func() error) (string, error) {
	if s, ok := v.(starlark.String); ok {
		return string(s), nil
	}
	return QuotedOf(v, poll)
}

// QuotedOf is TextOf with quotes around a string, as in repr.
func QuotedOf(v starlark.Value, poll func() error) (string, error) {
	w := writer{root: v, poll: poll, open: make(map[starlark.Value]bool)}
	w.value(v, 0)
	return w.out.String(), w.err
}

// startOf returns about the first most bytes of a value's text, with quotes around a string, and whether the text was
// cut.
func startOf(v starlark.Value, most int) (text string, cut bool) {
	w := writer{most: most, open: make(map[starlark.Value]bool)}
	w.value(v, 0)
	return w.out.String(), w.err != nil
}

// writer writes values as text.
type writer struct {
	out  strings.Builder
	root starlark.Value // nil if most bounds the text
	most int            // the number of bytes after which it stops; 0 means that only memory limits it
	poll func() error
	err  error

	open  map[starlark.Value]bool // lists and dicts being written
	count int                     // values written
}

// errCut ends a writer that has reached its bound.
var errCut = fmt.Errorf("cut")

// write appends text.
func (w *writer) write(text string) {
	if w.err != nil {
		return
	}
	if w.most > 0 && w.out.Len() > w.most {
		w.err = errCut
		return
	}
	if room := w.out.Cap() - w.out.Len(); room < len(text) {
		more := w.out.Cap() + len(text) // strings.Builder doubles its buffer
		if w.err = memory.Need("the text of a value", float64(w.out.Cap()+more)); w.err != nil {
			return
		}
		w.out.Grow(more - room)
	}
	w.out.WriteString(text)
}

// value appends the text of v, which is depth levels deep.
func (w *writer) value(v starlark.Value, depth int) {
	if w.count++; w.err == nil && w.count%4096 == 0 && w.poll != nil {
		w.err = w.poll()
	}
	if w.err == nil && w.count == manyValues && w.root != nil {
		w.err = needsText(w.root)
	}
	if w.err == nil && depth > MaxNesting {
		w.err = errNested("the value")
	}
	if w.err != nil {
		return
	}
	switch v := v.(type) {
	case starlark.String:
		w.quoted(string(v), false)
	case starlark.Bytes:
		w.quoted(string(v), true)
	case starlark.Int:
		text, err := digitsOf(v)
		w.err = err
		w.write(text)
	case *starlark.List:
		w.all("[", v, "]", depth)
	case starlark.Tuple:
		if len(v) == 1 {
			w.all("(", v, ",)", depth)
			return
		}
		w.all("(", v, ")", depth)
	case *starlark.Set:
		w.all("set([", v, "])", depth)
	case *starlark.Dict:
		w.all("{", v, "}", depth)
	default: // a value that has its own String method and shows no other values
		w.write(v.String())
	}
}

// all appends the contents of a container between start and end. A container inside itself is written as "...".
func (w *writer) all(start string, v starlark.Iterable, end string, depth int) {
	w.write(start)
	defer w.write(end)
	if _, tuple := v.(starlark.Tuple); !tuple { // a tuple is not hashable here, and cannot contain itself
		if w.open[v] {
			w.write("...")
			return
		}
		w.open[v] = true
		defer delete(w.open, v)
	}
	_, dict := v.(*starlark.Dict)
	i := 0
	for x := range contents(v) {
		switch {
		case w.err != nil:
			return
		case dict && i%2 == 1:
			w.write(": ")
		case i > 0:
			w.write(", ")
		}
		w.value(x, depth+1)
		i++
	}
}

// contents yields the elements of a list, tuple or set, or the keys and values of a dict in turn.
func contents(v starlark.Iterable) iter.Seq[starlark.Value] {
	d, ok := v.(*starlark.Dict)
	if !ok {
		return starlark.Elements(v)
	}
	return func(yield func(starlark.Value) bool) {
		for k, x := range d.Entries() {
			if !yield(k) || !yield(x) {
				return
			}
		}
	}
}

// quoted appends a string in quotes.
func (w *writer) quoted(s string, bytes bool) {
	cut := w.most > 0 && len(s) > w.most
	if w.most > 0 {
		const more = 1 << 12 // bytes beyond the bound, so that a password is not cut before it is recognised
		s = redact.Text(s[:min(len(s), w.most+more)])
	}
	if cut {
		s = s[:min(len(s), w.most)]
		for len(s) > 0 && !utf8.RuneStart(s[len(s)-1]) {
			s = s[:len(s)-1]
		}
	} else if w.err = memory.Need("the text of a value", 4*float64(len(s))); w.err != nil { // four bytes an escape
		return
	}
	w.write(syntax.Quote(s, bytes))
	if cut && w.err == nil {
		w.err = errCut
	}
}

// digitsOf writes an int. It checks the length first, because the time is quadratic in it.
func digitsOf(i starlark.Int) (string, error) {
	if _, ok := i.Int64(); !ok {
		if digits := float64(i.BigInt().BitLen()) * 0.30103; digits > maxPrinted {
			return "", fmt.Errorf("an int of %.0f digits, want at most %d to write it", digits, maxPrinted)
		}
	}
	return i.String(), nil
}

// manyValues is the number of values after which the remaining length is estimated.
const manyValues = 1 << 16

// needsText checks the memory for the least length of a value's text. It visits shared lists once, so a value with an
// exponentially long text is refused at once.
func needsText(v starlark.Value) error { return memory.Need("the text of a value", lengths{}.of(v, 0)) }

// lengths are the least lengths of texts by value. A value whose length is still being computed has 0, so a value
// inside itself counts nothing.
type lengths map[starlark.Value]float64

func (l lengths) of(v starlark.Value, depth int) float64 {
	if depth > MaxNesting {
		return 0
	}
	switch w := v.(type) {
	case starlark.String:
		return float64(len(w))
	case starlark.Tuple: // not hashable here
		return l.all(w, depth)
	case *starlark.List, *starlark.Dict, *starlark.Set:
		if _, seen := l[v]; !seen {
			l[v] = 0
			l[v] = l.all(v.(starlark.Iterable), depth)
		}
		return l[v]
	}
	return 1
}

// all returns the least length of a container's text.
func (l lengths) all(v starlark.Iterable, depth int) float64 {
	total := 2.0
	for x := range contents(v) {
		total += 1 + l.of(x, depth+1)
	}
	return total
}
