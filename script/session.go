package script

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"dpworkbench/display"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/redact"

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

// Interrupted reports whether the running script has been interrupted.
func (s *Session) Interrupted() bool { return s.context().Err() != nil }

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
