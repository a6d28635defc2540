package serve

import (
	"errors"
	"fmt"
	"runtime"

	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// function is a function of the client as a script value.
type function struct {
	server *server
	id     int64
	name   string
	params int // the number of positional parameters; −1 if unknown
}

var _ starlark.Callable = (*function)(nil)

// newFunction returns the client's function with this number. The client may forget the number once the server no
// longer refers to the function.
func (v *server) newFunction(id int64, name string, params int) *function {
	f := &function{v, id, name, params}
	runtime.AddCleanup(f, func(id int64) { v.drop([]int64{id}) }, id)
	return f
}

// String implements starlark.Value.
func (f *function) String() string { return "<function " + f.name + ">" }

// Type implements starlark.Value.
func (f *function) Type() string { return "function" }

// Freeze implements starlark.Value. It does nothing, because the function's state is in the client.
func (f *function) Freeze() {}

// Truth implements starlark.Value.
func (f *function) Truth() starlark.Bool { return true }

// Hash implements starlark.Value.
func (f *function) Hash() (uint32, error) { return starlark.MakeInt64(f.id).Hash() }

// Name implements starlark.Callable.
func (f *function) Name() string { return f.name }

// NumParams returns the number of positional parameters, or −1 if it is unknown.
func (f *function) NumParams() int { return f.params }

// answer is the result of a callback.
type answer struct {
	frame  frame
	raised bool
}

// raised is the error of a client's function. The client identifies it by the callback's number.
type raised struct {
	number uint32
	text   string
}

func (e *raised) Error() string { return e.text }

// CallInternal implements starlark.Callable. A request, with its workers, has at most one callback at a time, because
// the client runs it on the thread that made the request.
func (f *function) CallInternal(thread *starlark.Thread, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	q, _ := thread.Local(script.CallerKey).(*request)
	if q == nil {
		return nil, fmt.Errorf("%s is a function of the client, which no longer waits for this request", f.name)
	}
	select {
	case q.turn <- struct{}{}:
	case <-q.ctx.Done():
		return nil, script.ErrStopped
	}
	defer func() { <-q.turn }()
	if q.ctx.Err() != nil {
		return nil, script.ErrStopped
	}
	v := f.server
	back := make(chan answer, 1)
	v.mu.Lock()
	v.last++
	number := v.last
	v.waiting[number] = back
	v.mu.Unlock()
	if err := f.ask(q, number, args, kwargs); err != nil {
		v.forget(number)
		return nil, err
	}
	select {
	case a := <-back:
		return v.read(a, number)
	case <-q.ctx.Done():
		v.forget(number)
		return nil, script.ErrStopped
	}
}

// ask sends the client a request to call the function.
func (f *function) ask(q *request, number uint32, args starlark.Tuple, kwargs []starlark.Tuple) error {
	p := &packer{server: f.server}
	p.raw(`{"function":`).int(f.id).raw(`,"args":`)
	err := p.items("", args, 0, "")
	if err == nil {
		p.raw(`,"kwargs":`)
		var flat []starlark.Value
		for _, kw := range kwargs {
			flat = append(flat, kw[0], kw[1])
		}
		err = p.items("", flat, 0, "")
	}
	if err == nil {
		err = f.server.out.send(p.raw(`,"request":`).int(int64(q.number)).raw("}").frame(kindCallback, number))
	}
	if err != nil {
		p.forget()
	}
	return err
}

// forget stops waiting for a callback's answer.
func (v *server) forget(number uint32) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.waiting, number)
}

// read returns the value or the error that the client's answer holds.
func (v *server) read(a answer, number uint32) (starlark.Value, error) {
	in, err := parse(a.frame.text)
	if err != nil {
		return nil, err
	}
	if a.raised {
		text, _ := in["text"].(string)
		return nil, &raised{number, text}
	}
	if _, ok := in["value"]; !ok {
		return nil, errors.New("the client answered a callback without a value")
	}
	u := unpacker{v, a.frame.data}
	return u.value(in["value"])
}
