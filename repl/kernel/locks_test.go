package kernel

import (
	"sync"
	"testing"

	"dpworkbench/display"
	"dpworkbench/internal/locks"
	"dpworkbench/repl"
	"dpworkbench/script"
)

// What a cell, its output and an interrupt share is used under its lock.
func TestSharedStateIsLocked(t *testing.T) {
	k, err := New(repl.NewSession().Session, Connection{Transport: "tcp", IP: "127.0.0.1"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.close()
	k.shown = map[string]bool{}
	table, err := display.NewTable(display.TableSpec{Header: []string{"a"}, Rows: [][]string{{"1"}}})
	if err != nil {
		t.Fatal(err)
	}
	seen := &signatures{}
	execution := func() {
		_, _ = execute(&request{kernel: k, message: &message{content: []byte(`{"code": "1", "silent": true}`)}})
	}
	for _, c := range []struct {
		what string
		lock sync.Locker
		do   func()
	}{
		{"an interrupt", &k.mu, k.Interrupt},
		{"publishing", &k.mu, func() { k.publish("status", map[string]string{}) }},
		{"a cell", &k.mu, execution},
		{"a run", &k.mu, func() { _, _ = k.run("1", false) }},
		{"a figure that is saved", &k.mu, func() { k.saved(table) }},
		{"a signature", &seen.mu, func() { seen.fresh([]byte("a")) }},
		{"printing", &k.streams.mu, func() { k.streams.write("stdout", []byte("a")) }},
		{"sending what was printed", &k.streams.mu, k.streams.flush},
		{"progress", &k.progress.mu, func() { k.progress.report(script.Progress{Name: "a"}) }},
		{"the end of progress", &k.progress.mu, k.progress.reset},
	} {
		locks.Awaited(t, c.what, c.lock, c.do)
	}
}

// While somebody else looks at what a cell's output belongs to, a cell does not change it.
func TestCellsWaitToBegin(t *testing.T) {
	k, err := New(repl.NewSession().Session, Connection{Transport: "tcp", IP: "127.0.0.1"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.close()
	k.mu.Lock()
	before := &message{}
	k.parent, k.shown = before, map[string]bool{"a": true}
	done := make(chan bool)
	go func() {
		defer close(done)
		_, _ = execute(&request{kernel: k, message: &message{content: []byte(`{"code": "1", "silent": true}`)}})
	}()
	if !waitsIn(done, "Mutex).", "kernel.execute(") || k.parent != before || !k.shown["a"] {
		t.Error("a cell begins while its lock is held")
	}
	k.mu.Unlock()
	<-done
}
