package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"dpworkbench/display"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/redact"
	"dpworkbench/internal/yield"

	"go.starlark.net/starlark"
)

// ErrStopped is the error of an interrupted computation.
var ErrStopped = errors.New("interrupted")

// tableKey is the thread-local key of the running chunk's table of names.
const tableKey = "table"

// sessionKey is the thread-local key of the session.
const sessionKey = "session"

// CallerKey is the thread-local key of the caller of what a thread and its workers run.
const CallerKey = "caller"

// maxDepth bounds the depth of calls, well below what fills Go's stack.
const maxDepth = 5000

// Session executes chunks of source with one table of names. Its fields may be set before the first Exec. Only one
// goroutine may use it at a time.
type Session struct {
	Stdout   io.Writer    // what print writes to
	Stderr   io.Writer    // progress and warnings
	DataDirs []string     // where data sets are searched, in order
	Seed     uint64       // default of every seed parameter, unless 0
	Dir      string       // relative paths in open chunks without a file start here
	Terminal display.Caps // what the terminal can show

	// OnProgress, if set, receives the progress of built-ins that run for more than a second.
	OnProgress func(Progress)

	// ShowsLines makes OnProgress also receive the current line of a script that has run for more than a second without
	// such a built-in.
	ShowsLines bool

	// OnShow, if set, receives the values that scripts show, instead of Stdout.
	OnShow func(starlark.Value) error

	// Folds makes print break collections and matrices that are wider than the terminal into lines, as Show does.
	Folds bool

	// OnText, if set, receives help texts, which may be longer than a screen, instead of Stdout.
	OnText func(text string)

	// OnSave, if set, receives the figures that scripts save.
	OnSave func(display.Figure)

	// OnWrite, if set, receives the paths of the files that scripts write.
	OnWrite func(path string)

	// WholeCalls keeps the expressions that values remember at full length.
	WholeCalls bool

	// OnShown, if set, receives every number that becomes part of a text, possibly several times.
	OnShown func(e *Evidence)

	// OnExhausted, if set, is called if a chunk uses more than twice the memory limit although it was told to stop.
	OnExhausted func(error)

	// NoteInputs enables Inputs.
	NoteInputs bool

	// Owner holds what the vocabulary keeps for this session besides the names.
	Owner Owner

	vocabulary Vocabulary
	kinds      sync.Map                  // kinds of parameters, by the way declarations write them
	table      starlark.StringDict       // "$name" and "%name", see live.go
	base       map[string]starlark.Value // the vocabulary
	guarding   map[string]*guard         // see operators.go
	manual     map[string]*Doc           // help on types, attributes and Starlark's names
	args       *starlark.Dict            // --set, seen as args
	entries    []entry                   // what was entered at the prompt
	sources    map[string][]string       // lines by file name, for back-traces
	rewritten  map[string]bool           // file names that two sources have used
	modules    map[string]*module

	lines scriptLines // where statements begin
	at    atomic.Pointer[scriptLine]

	showing progress

	grace   time.Duration // how long an interrupted built-in may wind down before the session goes on without it
	sandbox *sandbox      // nil if scripts may open any file of the user
	inputs  inputs

	Seen func(c *Call, v starlark.Value) // if set, called with every result

	loaded   sync.Map // the paths of libraries; atomic since an abandoned chunk may still write
	current  atomic.Pointer[context.Context]
	caller   atomic.Pointer[any] // who last asked for what runs now, or nil
	watching atomic.Pointer[watch]
	warned   sync.Map // the texts of warnings
	crash    sync.Mutex
	Crashed  []string // panics of built-ins, with their stacks
}

// Warn writes a line to standard error, at most once in a session.
func (s *Session) Warn(text string) {
	if _, told := s.warned.LoadOrStore(text, true); !told {
		fmt.Fprintln(s.Stderr, "warning: "+text)
	}
}

// Owner is the state that a vocabulary keeps for a session besides the names.
type Owner interface {
	Forget() // called after every name has been forgotten
}

// New returns a session with a vocabulary. If the process has no memory limit yet, it sets the default one of the
// commands.
func New(v Vocabulary) *Session {
	memory.SetDefault()
	s := &Session{
		vocabulary: v,
		Stdout:     os.Stdout,
		Stderr:     os.Stderr,
		sources:    make(map[string][]string),
		rewritten:  make(map[string]bool),
		modules:    make(map[string]*module),
		grace:      700 * time.Millisecond,
	}
	s.base = s.universe()
	s.manual = languageDocs()
	s.base["math"], s.base["json"] = mathModule(s), jsonModule(s)
	for _, r := range s.sections() {
		for _, b := range r.Builtins {
			s.base[b.doc.Name] = NewFunction(s, b)
		}
	}
	for _, t := range s.types() {
		for _, d := range t.manual() {
			if s.manual[d.Name] == nil || d.Callable() {
				s.manual[d.Name] = d
			}
		}
	}
	s.args = starlark.NewDict(0)
	s.guarding = s.guards()
	s.table = s.newTable()
	return s
}

// newTable returns a new table of names that holds the vocabulary alone.
func (s *Session) newTable() starlark.StringDict {
	t := make(starlark.StringDict, len(s.base)+8)
	for name, v := range s.base {
		t[livePrefix+name] = v
	}
	t[livePrefix+"args"] = s.args
	t[namesName] = names{t}
	t[loadName] = starlark.NewBuiltin(loadName, s.load)
	for name, g := range s.guarding {
		t[name] = g
	}
	t[lineName] = &guard{take: s.mark}
	return t
}

// Reset deletes every name that scripts defined.
func (s *Session) Reset() {
	s.table = s.newTable()
	s.modules = make(map[string]*module)
	s.entries = nil
	if s.Owner != nil {
		s.Owner.Forget()
	}
}

// SetArg sets args[name] to the value of a Starlark literal such as 0.5, True, [1, 2] or "a", or to the text itself if
// it is not a literal.
func (s *Session) SetArg(name, text string) {
	if redact.Text(text) != text {
		redact.Keep(text)
	}
	v, err := constant("args", text)
	if err != nil {
		v = starlark.String(text)
	}
	_ = s.args.SetKey(starlark.String(name), v) // cannot fail: a string is hashable
}

// Get returns the value of a name, or nil if it is not defined.
func (s *Session) Get(name string) starlark.Value { return s.table[livePrefix+name] }

// Set defines a name.
func (s *Session) Set(name string, v starlark.Value) { s.table[livePrefix+name] = v }

// Names returns every name that has a value, sorted.
func (s *Session) Names() []string { return plainNames(s.table) }

// Defined returns the names that chunks have defined, sorted. Names of the vocabulary count only if they were
// redefined.
func (s *Session) Defined() []string {
	return slices.DeleteFunc(s.Names(), func(name string) bool {
		v, ok := s.base[name]
		return ok && v == s.Get(name) || name == "args" && s.Get(name) == s.args
	})
}

// context returns the context of the running chunk.
func (s *Session) context() context.Context {
	if p := s.current.Load(); p != nil {
		return *p
	}
	return context.Background()
}

// Exec runs a chunk of source. It returns the value of the last statement if that is an expression, and None otherwise.
// file names the chunk in back-traces, and load is relative to its folder. A function may use a name that a later chunk
// defines.
//
// A failing chunk returns a [*ScriptError]; names that it defined before remain. If ctx ends, the chunk stops within a
// second and the session can be used again. A built-in that does not stop is abandoned and goes on in the background.
func (s *Session) Exec(ctx context.Context, file, source string) (starlark.Value, error) {
	return s.exec(ctx, file, source, true)
}

// ExecScript is Exec for a whole script, in which every name that a function uses must be defined.
func (s *Session) ExecScript(ctx context.Context, file, source string) (starlark.Value, error) {
	return s.exec(ctx, file, source, false)
}

func (s *Session) exec(ctx context.Context, file, source string, lenient bool) (starlark.Value, error) {
	return s.Run(ctx, file, func(thread *starlark.Thread) (starlark.Value, error) {
		return s.runChunk(thread, s.table, file, source, lenient)
	})
}

// Run runs f as Exec runs a chunk, on a thread of the given name.
func (s *Session) Run(ctx context.Context, name string, f func(*starlark.Thread) (starlark.Value, error)) (starlark.Value, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer s.watchMemory(cancel)()
	ctx = yield.Context(ctx)
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
	looks := 0
	thread.SetMaxExecutionSteps(stride)
	thread.OnMaxSteps = func(t *starlark.Thread) {
		if t.CallStackDepth() > maxDepth {
			t.Cancel(fmt.Sprintf("more than %d calls inside each other", maxDepth))
		}
		if looks++; looks%16 == 0 { // the goroutine of watchMemory may be late on a busy machine
			if w := s.watching.Load(); w != nil {
				w.look()
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
