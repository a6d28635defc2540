package script

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
)

// A tuple hashes by recursion over its elements wherever it is a key, and the
// interpreter hashes without asking. So no tuple is made that is nested more than
// maxNesting deep, or that counts more than maxParts parts, parts that several
// tuples share counted as often: t = (t, t), thirty times, takes a thousand bytes
// and a billion steps.
const maxParts = 1 << 26

// measure is how deep and how large a tuple is. It stands behind the last element
// of a tuple that holds tuples, in an array one longer than the tuple, where
// only code that looks for it sees it: so that a tuple of tuples need not walk
// over them all.
type measure struct {
	starlark.NoneType
	depth int
	parts float64
}

// Type implements starlark.Value.
func (measure) Type() string { return "measure" }

// measured returns how deep and how large a value is, as far as tuples go. A
// value that is no tuple is one part, and not deep.
func measured(v starlark.Value) measure {
	t, ok := v.(starlark.Tuple)
	if !ok {
		return measure{parts: 1}
	}
	if cap(t) > len(t) {
		if m, ok := t[:len(t)+1][len(t)].(measure); ok {
			return m
		}
	}
	m := measure{depth: 1, parts: float64(len(t) + 1)}
	for _, x := range t {
		if _, nested := x.(starlark.Tuple); !nested {
			continue
		}
		inner := measured(x)
		m.depth, m.parts = max(m.depth, inner.depth+1), m.parts+inner.parts-1
		if m.depth > MaxNesting || m.parts > maxParts {
			break
		}
	}
	return m
}

// keptTuple returns v, or where that is a tuple of tuples one that is equal and
// knows its measure. The error says that it is nested too deeply, or too large.
func keptTuple(v starlark.Value) (starlark.Value, error) {
	m := measured(v)
	switch {
	case m.depth < 2:
		return v, nil
	case m.depth > MaxNesting:
		return nil, errNested("a tuple")
	case m.parts > maxParts:
		return nil, fmt.Errorf("a tuple has more than %d elements, including those of nested tuples", maxParts)
	}
	t := v.(starlark.Tuple)
	return slices.Concat(t, starlark.Tuple{m})[:len(t)], nil
}
