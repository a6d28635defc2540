package script

import (
	"fmt"
	"slices"

	"go.starlark.net/starlark"
)

// Hashing a tuple recurs over its elements, and the interpreter hashes a key without any check. So a tuple nested
// deeper than MaxNesting, or with more than maxParts parts, is not made. Shared parts count each time: t = (t, t),
// thirty times, takes a thousand bytes but a billion steps to hash.
const maxParts = 1 << 26

// measure is the depth and size of a tuple. It is stored after the last element of a tuple of tuples, in an array that
// is one longer than the tuple, where only this file looks. So the depth of a tuple is known without walking over it.
type measure struct {
	starlark.NoneType
	depth int
	parts float64
}

// Type implements starlark.Value.
func (measure) Type() string { return "measure" }

// measured returns the depth and size of a value. A value that is not a tuple has depth 0 and is one part.
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

// keptTuple returns v, or for a tuple of tuples an equal tuple with its measure. It returns an error if the tuple is
// nested too deeply or too large.
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
