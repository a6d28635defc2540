package repl

import (
	"sync"
	"testing"

	"dpworkbench/internal/locks"
	"dpworkbench/script"
	"dpworkbench/study"
	"dpworkbench/xor"
)

// Functions that workers share wait for their lock.
func TestSharedStateIsLocked(t *testing.T) {
	n, _, _ := newNews(t)
	g := &network{bits: must(xor.NewBits(3, 3))}
	s := NewSession()
	kept := s.Certify()
	for _, c := range []struct {
		what string
		lock sync.Locker
		do   func()
	}{
		{"a trial's end", &n.mu, func() { n.ended(study.Result{State: "failed"}) }},
		{"whether all failed", &n.mu, func() { _ = n.fruitless(t.Context()) }},
		{"the best so far", &n.mu, func() { n.close(t.Context()) }},
		{"a trial's parameters", &n.search.mu, func() { n.search.params(study.Result{}) }},
		{"statistics of a network", &g.mu, func() { g.describe(&script.Call{Context: t.Context()}) }},
		{"its degrees", &g.mu, func() { g.degreeList() }},
		{"a number that is printed", &kept.guard, func() { s.OnShown(&script.Evidence{}) }},
	} {
		locks.Awaited(t, c.what, c.lock, c.do)
	}
}
