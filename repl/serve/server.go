package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"

	"dpworkbench/display"
	"dpworkbench/evidence"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/redact"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// Options configure a server.
type Options struct {
	Version  string
	Notebook bool // the client is a notebook's kernel
}

// server serves one client.
type server struct {
	session *script.Session
	options Options
	out     sender
	handles *handles

	notebook *notebook // nil if the client is not a notebook's kernel

	mu      sync.Mutex
	asked   []*request               // unanswered requests, each nested in the one before
	waiting map[uint32]chan<- answer // callbacks by number
	last    uint32                   // the number of the last callback
	dropped []int64                  // functions that the server no longer refers to
	ended   context.CancelCauseFunc  // cancels all requests
	all     context.Context          // the context of all requests
	wg      sync.WaitGroup           // counts running requests
}

// request is a request that has not been answered yet.
type request struct {
	server *server
	number uint32
	cancel context.CancelFunc // cancels the outermost request; nil for nested ones
	ctx    context.Context
	turn   chan struct{} // a semaphore: the request has at most one callback at a time
}

// readAhead is the size of the read buffer in bytes.
const readAhead = 1 << 16

// Serve answers requests until the input ends. It takes over the session: what the session prints and shows goes to the
// client.
func Serve(s *script.Session, in io.Reader, out io.Writer, o Options) error {
	v := &server{session: s, options: o, out: sender{w: out}, handles: newHandles(), waiting: make(map[uint32]chan<- answer)}
	v.all, v.ended = context.WithCancelCause(context.Background())
	s.Stdout, s.Stderr = stream{v, "stdout"}, stream{v, "stderr"}
	s.OnProgress, s.OnShow, s.OnText = v.progress, v.display, func(text string) { _, _ = io.WriteString(s.Stdout, text) }
	if o.Notebook {
		v.notebook = &notebook{cells: make(map[string]string)}
		s.Stderr = s.Stdout // s.Stderr carries the progress of studies, and notebooks would mark it as an error
		s.OnShow, s.OnSave, s.OnText = v.show, v.saved, nil
	}
	r := bufio.NewReaderSize(in, readAhead)
	if err := v.greet(r); err != nil {
		return err
	}
	defer v.wg.Wait()
	defer v.ended(script.ErrStopped)
	for {
		f, err := readFrame(r)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := v.take(f); err != nil {
			return err
		}
	}
}

// greet reads the first frame and answers it. It answers with an error if the client speaks another version of the
// protocol.
func (v *server) greet(r io.Reader) error {
	f, err := readFrame(r)
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	var hello struct {
		Protocol int  `json:"protocol"`
		Width    int  `json:"width"` // columns for values drawn as text; 0 for no limit
		Height   int  `json:"height"`
		Unicode  bool `json:"unicode"`
	}
	if f.kind != kindHello || json.Unmarshal(f.text, &hello) != nil {
		return fmt.Errorf("the first frame is %q, want a greeting (hello)", byte(f.kind))
	}
	if hello.Protocol != Protocol {
		p := new(packer)
		p.raw(`{"kind":"protocol","text":`).quoted(fmt.Sprintf("the client uses protocol %d, want %d: the Python package and the program have different versions", hello.Protocol, Protocol)).raw("}")
		return v.out.send(p.frame(kindError, f.number))
	}
	v.session.Terminal = display.Caps{Width: max(hello.Width, 0), Height: max(hello.Height, 0), Unicode: hello.Unicode}
	p := new(packer)
	p.raw(`{"protocol":`).int(Protocol).raw(`,"version":`).quoted(v.options.Version).raw("}")
	return v.out.send(p.frame(kindWelcome, f.number))
}

// take handles one frame. It never waits until a request is answered.
func (v *server) take(f frame) error {
	switch f.kind {
	case kindCall, kindGet, kindEvaluate, kindOperate, kindShow:
		q := v.begin(f.number)
		v.wg.Go(func() { v.answer(q, f) })
	case kindNotebook:
		q := v.begin(f.number)
		v.wg.Go(func() { v.reply(q, f) })
	case kindAnswer, kindRaised:
		v.mu.Lock()
		to := v.waiting[f.number]
		delete(v.waiting, f.number)
		v.mu.Unlock()
		if to != nil { // to is nil if the request was interrupted
			to <- answer{f, f.kind == kindRaised}
		}
	case kindInterrupt:
		v.mu.Lock()
		defer v.mu.Unlock()
		if len(v.asked) > 0 && v.asked[0].number == f.number { // any other request has been answered meanwhile
			v.asked[0].cancel()
		}
	case kindRelease:
		v.handles.release(f.data)
	default:
		return fmt.Errorf("a frame of kind %q is not known", byte(f.kind))
	}
	return nil
}

// begin records a request, nested in the one whose callback is running.
func (v *server) begin(number uint32) *request {
	q := &request{server: v, number: number, turn: make(chan struct{}, 1)}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.asked) > 0 {
		q.ctx = v.asked[0].ctx
	} else {
		q.ctx, q.cancel = context.WithCancel(v.all)
	}
	v.asked = append(v.asked, q)
	return q
}

// answer runs a request and sends the result.
func (v *server) answer(q *request, f frame) {
	inner := q.cancel == nil
	run := func(thread *starlark.Thread) (starlark.Value, error) {
		defer v.session.Ask(thread, q)()
		return v.run(thread, f)
	}
	var x starlark.Value
	var err error
	if inner {
		x, err = v.session.RunInside("<python>", run)
	} else {
		x, err = v.session.Run(q.ctx, "<python>", run)
		q.cancel()
	}
	dropped := v.end(q)

	p := &packer{server: v}
	if err == nil {
		p.raw(`{"value":`)
		if err = v.pack(p, x); err == nil {
			if len(dropped) > 0 {
				b, _ := json.Marshal(dropped) // cannot fail: numbers only
				p.raw(`,"dropped":`).raw(string(b))
			}
			err = v.out.send(p.raw("}").frame(kindResult, q.number))
		}
	}
	if err != nil {
		p.forget()
		v.drop(dropped)
		v.fail(q.number, err)
	}
}

// end removes a request. It returns the functions of the client that the client may forget.
func (v *server) end(q *request) (dropped []int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked = slices.DeleteFunc(v.asked, func(r *request) bool { return r == q })
	dropped, v.dropped = v.dropped, nil
	return dropped
}

// pack encodes a value. A panic becomes an error.
func (v *server) pack(p *packer, x starlark.Value) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = v.session.Caught("result", r)
		}
	}()
	return p.value(x, 0)
}

func (v *server) drop(functions []int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.dropped = append(v.dropped, functions...)
}

// fail sends an error. A failed write means that the client has gone.
func (v *server) fail(number uint32, err error) {
	p := new(packer)
	failed, trace := new(script.ScriptError), ""
	text := redact.Text(err.Error())
	if errors.As(err, &failed) {
		text = failed.Msg
		if len(failed.Frames) > 0 {
			trace = failed.Backtrace()
		}
	}
	p.raw(`{"kind":`).quoted(kindOf(err)).raw(`,"text":`).quoted(text)
	if trace != "" {
		p.raw(`,"trace":`).quoted(trace)
	}
	if raised := new(raised); errors.As(err, &raised) {
		p.raw(`,"callback":`).int(int64(raised.number))
	}
	_ = v.out.send(p.raw("}").frame(kindError, number))
}

// kindOf returns the class of an error.
func kindOf(err error) string {
	failed, arguments, attribute, late := new(script.ScriptError), new(script.ArgumentsError), new(noAttribute), new(script.TimeLimit)
	var exit *script.Exit
	switch {
	case errors.As(err, &failed) && failed.Interrupted:
		return "interrupted"
	case errors.As(err, new(*raised)):
		return "raised"
	case errors.As(err, &arguments):
		return "arguments"
	case errors.As(err, &attribute):
		return "attribute"
	case errors.Is(err, evidence.ErrUndecided):
		return "undecided"
	case errors.Is(err, evidence.ErrParameter):
		return "parameter"
	case errors.Is(err, memory.Err):
		return "memory"
	case errors.Is(err, os.ErrNotExist):
		return "file"
	case errors.As(err, &late):
		return "time"
	case errors.As(err, &exit):
		return "exit"
	}
	return "error"
}

// stream sends the session's output as frames.
type stream struct {
	server *server
	name   string
}

// Write implements io.Writer.
func (s stream) Write(text []byte) (int, error) {
	p := new(packer)
	p.raw(`{"stream":`).quoted(s.name).raw(`,"text":`).quoted(string(text)).raw("}")
	return len(text), s.server.out.send(p.frame(kindOutput, 0))
}

// progress sends the progress of long work.
func (v *server) progress(at script.Progress) {
	p := new(packer)
	p.raw(`{"name":`).quoted(at.Name).raw(`,"done":`).int(at.Done).raw(`,"total":`).int(at.Total).raw(`,"seconds":`).float(at.Elapsed.Seconds())
	p.raw(`,"note":`).quoted(at.Note).raw(`,"text":`).quoted(at.String())
	if at.Finished {
		p.raw(`,"finished":true`)
	}
	_ = v.out.send(p.raw("}").frame(kindProgress, 0)) // if the client has gone, the reader notices
}

// display sends a table or a picture that a script shows.
func (v *server) display(x starlark.Value) error {
	p := &packer{server: v}
	p.raw(`{"value":`)
	err := v.pack(p, x)
	if err == nil {
		err = v.out.send(p.raw("}").frame(kindDisplay, 0))
	}
	if err != nil {
		p.forget()
	}
	return err
}
