package script

import (
	"sync"
	"testing"

	"dpworkbench/internal/locks"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// State shared by workers and an abandoned chunk is accessed under its lock.
func TestSharedStateIsLocked(t *testing.T) {
	s, m := New(Vocabulary{}), NewMatrix([][]float64{{1, 2}, {3, 4}})
	file := "a"
	s.noteLine(syntax.MakePosition(&file, 1, 1))
	ended, watched := &line{ended: true}, &watch{allowed: 1, stop: func(error) {}}
	for _, c := range []struct {
		what string
		lock sync.Locker
		do   func()
	}{
		{"noting an input", &s.inputs.mu, func() { _ = s.inputs.add("a", "a", "1") }},
		{"asking for the inputs", &s.inputs.mu, func() { s.Inputs() }},
		{"noting a line", &s.lines.mu, func() { s.noteLine(syntax.MakePosition(&file, 2, 1)) }},
		{"marking a line", &s.lines.mu, func() { _, _ = s.mark(starlark.MakeInt(0)) }},
		{"keeping a fault", &s.crash, func() { _ = s.Caught("here", "broken") }},
		{"a matrix's row", &m.mu, func() { m.Index(1) }},
		{"hearing of progress", &ended.mu, func() { ended.hear(1, 2, "") }},
		{"ending a line of progress", &ended.mu, ended.end},
		{"looking at the memory", &watched.mu, watched.check},
	} {
		locks.Awaited(t, c.what, c.lock, c.do)
	}
}
