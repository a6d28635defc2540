package script

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"dpworkbench/internal/parallel"
	"dpworkbench/internal/redact"
	"dpworkbench/internal/yield"

	"go.starlark.net/starlark"
)

// Run runs f as Exec runs a chunk, on a thread of the given name.
func (s *Session) Run(ctx context.Context, name string, f func(*starlark.Thread) (starlark.Value, error)) (starlark.Value, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer s.watchMemory(cancel)()
	ctx = yield.Context(parallel.WithPartial(ctx))
	previous := s.current.Swap(&ctx)
	defer s.current.Store(previous)
	if previous == nil && s.ShowsLines {
		defer s.follow(ctx)()
	}
	return s.attend(ctx, name, f)
}

// RunInside is Run for code called from inside Run. It ends when the outer Run does.
func (s *Session) RunInside(name string, f func(*starlark.Thread) (starlark.Value, error)) (starlark.Value, error) {
	return s.attend(s.context(), name, f)
}

// attend runs f until it returns, or until ctx has ended and the grace period is over.
func (s *Session) attend(ctx context.Context, name string, f func(*starlark.Thread) (starlark.Value, error)) (starlark.Value, error) {
	thread := s.newThread(name)
	var v starlark.Value
	var err error
	done := make(chan bool)
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				v, err = nil, s.Caught(name, r)
			}
		}()
		v, err = f(thread)
	}()
	select {
	case <-done:
		s.keep(err)
		return v, s.ended(ctx, err)
	case <-ctx.Done():
	}
	thread.Cancel(ErrStopped.Error())
	select {
	case <-done:
		s.keep(err)
		return v, s.ended(ctx, err) // no error if it finished at that moment
	case <-time.After(s.grace):
		err := &ScriptError{Msg: ErrStopped.Error(), Interrupted: true}
		_ = s.ended(ctx, err)
		if known := Partial(nil); errors.As(parallel.Partial(ctx), &known) {
			err.Msg = (&stoppedWith{known}).Error()
		}
		err.Msg += " (a built-in is still winding down)"
		return nil, err
	}
}

// keep binds _ to the partial result of an interrupted call.
func (s *Session) keep(err error) {
	if stopped := new(stoppedWith); errors.As(err, &stopped) {
		if known, ok := stopped.known.(interface{ Value() starlark.Value }); ok {
			s.Set("_", known.Value())
		}
	}
}

// newThread returns a thread that limits the depth of calls.
func (s *Session) newThread(file string) *starlark.Thread {
	thread := &starlark.Thread{Name: file}
	thread.SetLocal(sessionKey, s)
	thread.Print = func(_ *starlark.Thread, msg string) {
		s.ClearProgress()
		fmt.Fprintln(s.Stdout, redact.Text(msg))
	}
	const stride = 1000 // steps between two checks of the stack
	checks := 0
	thread.SetMaxExecutionSteps(stride)
	thread.OnMaxSteps = func(t *starlark.Thread) {
		if t.CallStackDepth() > maxDepth {
			t.Cancel(fmt.Sprintf("more than %d calls inside each other", maxDepth))
		}
		if checks++; checks%16 == 0 { // the goroutine of watchMemory may be late on a busy machine
			if w := s.watching.Load(); w != nil {
				w.check()
			}
			if s.context().Err() != nil {
				t.Cancel(ErrStopped.Error())
			}
		}
		t.SetMaxExecutionSteps(t.ExecutionSteps() + stride)
	}
	return thread
}

// Ask records the caller of what a thread runs, until the returned function is called.
func (s *Session) Ask(thread *starlark.Thread, caller any) (answered func()) {
	thread.SetLocal(CallerKey, caller)
	previous := s.caller.Swap(&caller)
	return func() { s.caller.Store(previous) }
}

// Worker returns a thread that runs beside the caller's and shares its names.
func (c *Call) Worker(name string) *starlark.Thread {
	t := c.Session.newThread(name)
	for _, key := range []string{tableKey, CallerKey} {
		t.SetLocal(key, c.Thread.Local(key))
	}
	return t
}

// Caught turns a panic into an error and keeps its stack for a report. r is the recovered value, or the fault of a
// worker.
func (s *Session) Caught(where string, r any) error {
	if t, ok := r.(thrown); ok {
		return t.err
	}
	if text := fmt.Sprint(r); text == "rangeLen: zero step" { // Starlark, if a product of steps overflows
		return errors.New("the step of a slice of a range overflows")
	}
	fault, ok := r.(*parallel.Fault)
	if !ok {
		fault = &parallel.Fault{Value: r, Stack: debug.Stack()}
	}
	s.crash.Lock()
	defer s.crash.Unlock()
	s.Crashed = append(s.Crashed, fmt.Sprintf("%s: %v\n%s", where, fault.Value, fault.Stack))
	return fault
}

// Chunk is Exec on a thread made by Run.
func (s *Session) Chunk(thread *starlark.Thread, file, source string) (starlark.Value, error) {
	return s.runChunk(thread, s.table, file, source, true)
}

// runChunk parses, compiles and runs source against a table of names.
func (s *Session) runChunk(thread *starlark.Thread, table starlark.StringDict, file, source string, lenient bool) (v starlark.Value, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, err = nil, s.Caught(file, r)
		}
	}()
	lines := strings.Split(source, "\n")
	if before, ok := s.sources[file]; ok && !slices.Equal(before, lines) {
		s.rewritten[file] = true
	}
	s.sources[file] = lines
	f, err := parse(file, source, 0)
	if err != nil {
		return nil, err
	}
	known := func(name string) bool { _, ok := table[livePrefix+name]; return ok }
	valued, err := prepare(f, known, plainNames(table), lenient, s.noteLine)
	if err != nil {
		return nil, err
	}
	prog, err := compile(f) // f was already resolved by prepare
	if err != nil {
		return nil, err
	}
	defer thread.SetLocal(tableKey, thread.Local(tableKey))
	thread.SetLocal(tableKey, table)
	if _, err := prog.Init(thread, table); err != nil {
		return nil, err
	}
	if !valued {
		return starlark.None, nil
	}
	defer delete(table, valueKey)
	return table[valueKey], nil
}
