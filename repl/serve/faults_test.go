package serve

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"dpworkbench/internal/locks"
	"dpworkbench/internal/memory"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

var errGone = errors.New("the other side has gone")

type gone struct{}

func (gone) Write([]byte) (int, error) { return 0, errGone }

// deep returns a list nested deeper than a frame may be.
func deep() starlark.Value {
	x := starlark.NewList(nil)
	for range maxDepth + 2 {
		x = starlark.NewList([]starlark.Value{x})
	}
	return x
}

// Calling a function of the client returns an error if the client does not wait for a request, if the request is
// interrupted before or while the call waits for its turn, or if the call cannot be sent.
func TestCallErrors(t *testing.T) {
	v := &server{out: sender{w: gone{}}, handles: newHandles(), waiting: map[uint32]chan<- answer{}}
	f := &function{server: v, id: 1, name: "f"}
	thread := new(starlark.Thread)
	ask := func() error {
		_, err := f.CallInternal(thread, nil, nil)
		return err
	}
	if err := ask(); err == nil || !strings.Contains(err.Error(), "no longer waits") {
		t.Error(err)
	}
	q := &request{server: v, ctx: t.Context(), turn: make(chan struct{}, 1)}
	thread.SetLocal(script.CallerKey, q)
	if err := ask(); !errors.Is(err, errGone) || len(v.waiting) > 0 {
		t.Errorf("%v, and %d answers are awaited", err, len(v.waiting))
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	q.ctx = ended
	for range 20 { // if both cases of a select are ready, Go chooses one at random
		if err := ask(); !errors.Is(err, script.ErrStopped) || len(q.turn) > 0 {
			t.Error(err)
		}
	}
	q.turn <- struct{}{}
	if err := ask(); !errors.Is(err, script.ErrStopped) || len(q.turn) == 0 {
		t.Error(err)
	}
}

// References that were counted while a frame was being written are released if the frame is not sent, because a value
// does not fit or because the client has gone.
func TestUnsentFramesReleaseHandles(t *testing.T) {
	s := script.New(script.Vocabulary{})
	for _, to := range []io.Writer{gone{}, io.Discard} {
		v := &server{session: s, out: sender{w: to}, handles: newHandles(), waiting: map[uint32]chan<- answer{}, all: t.Context()}
		f := &function{server: v, id: 1, name: "f"}
		kept := starlark.NewBuiltin("kept", nil)
		both := starlark.NewList([]starlark.Value{kept, kept, deep()})
		thread := new(starlark.Thread)
		thread.SetLocal(script.CallerKey, &request{server: v, ctx: t.Context(), turn: make(chan struct{}, 1)})
		for i, call := range []func() error{
			func() error { return v.display(both) },
			func() error { _, err := f.CallInternal(thread, starlark.Tuple{both}, nil); return err },
			func() error {
				_, err := f.CallInternal(thread, starlark.Tuple{kept}, []starlark.Tuple{{starlark.String("x"), both}})
				return err
			},
			func() error {
				s.Set("x", both)
				v.answer(v.begin(3), frame{kind: kindEvaluate, number: 3, text: []byte(`{"source":"x"}`)})
				return errGone
			},
		} {
			if err := call(); err == nil || len(v.handles.held) > 0 || len(v.handles.number) > 0 || len(v.waiting) > 0 {
				t.Errorf("%d: %v, and %d values are held, %d answers waited for", i, err, len(v.handles.held), len(v.waiting))
			}
		}
		if v.handles.hold(kept); len(v.handles.held) != 1 {
			t.Error("hold does not hold the value")
		}
	}
}

// readFrame and Serve return read errors. Sending returns write errors, and an error for a value that does not fit a
// frame or memory.
func TestReadAndWriteErrors(t *testing.T) {
	whole := []byte{11, 0, 0, 0, 'C', 1, 0, 0, 0, 2, 0, 0, 0, '{', '}'}
	for n := range whole {
		_, err := readFrame(io.MultiReader(strings.NewReader(string(whole[:n])), iotest.ErrReader(errGone)))
		if !errors.Is(err, errGone) {
			t.Errorf("after %d bytes: %v", n, err)
		}
		in := io.MultiReader(strings.NewReader(string(whole[:n])), iotest.ErrReader(errGone))
		if err := Serve(script.New(script.Vocabulary{}), in, io.Discard, Options{}); !errors.Is(err, errGone) {
			t.Errorf("served after %d bytes: %v", n, err)
		}
	}
	out := sender{w: gone{}}
	if err := out.send(frame{kind: kindResult, data: []byte{1}}); !errors.Is(err, errGone) {
		t.Error(err)
	}
	v := &server{session: script.New(script.Vocabulary{}), handles: newHandles(), out: sender{w: io.Discard}}
	if err := v.display(deep()); err == nil || !strings.Contains(err.Error(), "nested more than") {
		t.Error(err)
	}
	if err := v.display(starlark.None); err != nil {
		t.Error(err)
	}
	if _, err := parse([]byte("{} 1")); err == nil || !strings.Contains(err.Error(), "has text after") {
		t.Error(err)
	}
	before := memory.SetLimit(1)
	defer memory.SetLimit(before)
	rows := make([][]float64, 512)
	for i := range rows {
		rows[i] = make([]float64, 512)
	}
	if err := new(packer).value(script.NewMatrix(rows), 0); !errors.Is(err, memory.Err) {
		t.Error(err)
	}
}

// broken is a value whose methods panic.
type broken struct{ starlark.Value }

func (broken) Type() string { panic("no type") }

// Writing a value that panics returns an error and keeps no reference to the value.
func TestBrokenValues(t *testing.T) {
	v := &server{session: script.New(script.Vocabulary{}), handles: newHandles(), out: sender{w: io.Discard}}
	if err := v.display(starlark.NewList([]starlark.Value{starlark.MakeInt(1), broken{}})); err == nil || !strings.Contains(err.Error(), "internal error: no type") {
		t.Error(err)
	}
	if len(v.session.Crashed) != 1 || len(v.handles.held) > 0 {
		t.Errorf("recorded panics %q, %d values are held", v.session.Crashed, len(v.handles.held))
	}
}

// A wrong length allocates little memory before the data has arrived.
func TestWrongLengthsAllocateLittle(t *testing.T) {
	var before, after runtime.MemStats
	for _, n := range []int64{maxFrame, 200 << 20} {
		runtime.ReadMemStats(&before)
		if b, err := readBytes(strings.NewReader("abc"), n); !errors.Is(err, io.ErrUnexpectedEOF) || b != nil {
			t.Errorf("%d bytes, %v", len(b), err)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 130<<20 {
			t.Errorf("%d MiB are allocated for three bytes of %d", took>>20, n)
		}
	}
}

// State shared by requests is accessed under its lock.
func TestSharedStateIsLocked(t *testing.T) {
	h := newHandles()
	v := &server{handles: h, waiting: map[uint32]chan<- answer{}, all: t.Context()}
	kept := starlark.NewBuiltin("kept", nil)
	n := h.hold(kept)
	for _, c := range []struct {
		what string
		lock sync.Locker
		do   func()
	}{
		{"holding a value", &h.mu, func() { h.hold(kept) }},
		{"asking for a value", &h.mu, func() { _, _ = h.get(n) }},
		{"letting a value go", &h.mu, func() { h.drop(n, 1) }},
		{"beginning a request", &v.mu, func() { v.begin(1) }},
		{"forgetting functions", &v.mu, func() { v.drop([]int64{1}) }},
		{"forgetting a callback", &v.mu, func() { v.forget(1) }},
		{"an answer", &v.mu, func() { _ = v.take(frame{kind: kindAnswer}) }},
		{"an interrupt", &v.mu, func() { _ = v.take(frame{kind: kindInterrupt}) }},
	} {
		locks.Awaited(t, c.what, c.lock, c.do)
	}
	out := &sender{w: io.Discard}
	locks.Awaited(t, "sending", &out.mu, func() { _ = out.send(frame{}) })
}
