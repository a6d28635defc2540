package callall_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/big"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dpworkbench/evidence"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

const (
	bound   = 1 << 30               // memory limit of a call, in bytes
	patient = 30 * time.Millisecond // timeout of a call's context
	more    = 8                     // most rounds added while a function is not called
)

var hang = 2 * time.Minute // a longer call counts as endless

// callee is a function, or a method with its receiver's type.
type callee struct {
	name     string
	fn       reflect.Value // the method of the pointer type if recv is set
	recv     reflect.Type
	sig      signature
	may      bool // its comment, or one that it inherits, documents a panic
	tries    int
	calls    int
	answered int // calls without an error
	longest  time.Duration
	missing  string // a parameter type without a value

	interrupted map[ctxtest.Place]bool // the places at which calls were interrupted
}

// pending reports whether f was never called, though no list says why.
func (f *callee) pending() bool {
	_, skip := skipped[f.name]
	_, never := uncalled[f.name]
	return f.calls == 0 && !skip && !never
}

// caller makes the calls and collects the findings.
type caller struct {
	seed     uint64
	patience time.Duration // timeout of the next call's context
	pool     *pool
	all      []*callee
	known    map[reflect.Type]bool // types whose methods are in all
	last     *os.File
	now      atomic.Pointer[string] // the current call
	since    atomic.Int64
	failures map[string]string // findings that fail the test
	notes    map[string]string // other findings
	polled   map[string]bool   // the places at which calls were interrupted
}

// TestCalls makes the calls. It runs only in the binary that TestEveryFunction builds.
func TestCalls(t *testing.T) {
	if functions == nil {
		t.Skip("TestEveryFunction builds the table of exported functions")
	}
	var err error
	rounds, seed := usualRounds, uint64(1)
	if s := os.Getenv(roundsKey); s != "" {
		if rounds, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	if s := os.Getenv(seedKey); s != "" {
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getenv(strictKey) != "" {
		clear(offenders)
		clear(doubtful)
	}
	memory.SetLimit(bound)
	c := &caller{
		seed: seed, pool: newPool(), known: map[reflect.Type]bool{},
		failures: map[string]string{}, notes: map[string]string{}, polled: map[string]bool{},
	}
	if c.last, err = os.OpenFile(os.Getenv(lastKey), os.O_WRONLY|os.O_CREATE, 0o600); err != nil {
		t.Fatal(err)
	}
	defer c.last.Close()
	c.prepare()
	go c.watch()
	c.run(rounds)
	c.report(t)
}

// composed returns the δ of two uses of a mechanism, since random calls rarely produce its statement.
func composed() evidence.Number {
	ctx := context.Background()
	ln3 := must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 1)))
	q := must.Be(query.NewNumeric("f", must.Be(query.NewPathSpace(2, [][2]int{{0, 1}})), []float64{0, 1}, nil))
	uses := privacy.New(mechanism.Pairs(must.Be(mechanism.NewExponential(ctx, q, ln3))))
	return must.Be(must.Be(privacy.Compose(ctx, []*privacy.Account{uses}, []int{2})).Delta(ctx, ln3))
}

// finite is a mechanism of a user's own type: a fair coin at two datasets.
type finite struct{ q *query.Query }

func (finite) Name() string          { return "coin" }
func (f finite) Query() *query.Query { return f.q }
func (finite) Law(int) ([]evidence.RatOrInterval, error) {
	half := evidence.ExactRat(big.NewRat(1, 2))
	return []evidence.RatOrInterval{half, half}, nil
}

func (c *caller) prepare() {
	space := must.Be(query.NewPathSpace(2, [][2]int{{0, 1}}))
	coin := reflect.ValueOf(finite{must.Be(query.NewNumeric("f", space, []float64{0, 1}, nil))})
	c.pool.keep(coin.Type(), coin, rand.New(rand.NewPCG(c.seed, 0)))
	c.pool.add(reflect.ValueOf(composed().Citation().Statement), rand.New(rand.NewPCG(c.seed, 0)), 0)
	for _, v := range constants {
		v := reflect.ValueOf(v)
		if isOurs(v.Type()) {
			constantOf[v.Type()] = append(constantOf[v.Type()], v)
		}
	}
	for _, f := range functions {
		c.all = append(c.all, &callee{name: f.name, fn: f.value, sig: f.signature, may: f.panics})
	}
	for _, n := range types {
		if n.of.Kind() != reflect.Interface {
			c.methods(n.of)
		}
	}
}

// methods adds the methods of t and *t.
func (c *caller) methods(t reflect.Type) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if c.known[t] {
		return
	}
	c.known[t] = true
	p := reflect.PointerTo(t)
	for i := range p.NumMethod() {
		m := p.Method(i)
		name := nameOf(t) + "." + m.Name
		c.all = append(c.all, &callee{name: name, fn: m.Func, recv: t, sig: c.signature(t, m.Name), may: documented(t, m.Name)})
	}
}

// signature returns the signature of a method. If the method is promoted, it is the one in the embedded type.
func (c *caller) signature(t reflect.Type, method string) signature {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s, ok := methods[nameOf(t)+"."+method]; ok || t.Kind() != reflect.Struct {
		return s
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous {
			if s := c.signature(f.Type, method); s.params != nil {
				return s
			}
		}
	}
	return signature{}
}

// run calls every function in the given number of rounds, and functions that have only returned errors more often.
// While some function was never called, it adds rounds with twice the timeout each: on a busy machine the timeout may
// end the calls that make its arguments.
func (c *caller) run(rounds int) {
	c.patience = patient
	for n := 0; n < rounds || n < rounds+more && slices.ContainsFunc(c.all, (*callee).pending); n++ {
		if n >= rounds {
			c.patience *= 2
		}
		for i := 0; i < len(c.all); i++ { // c.all grows
			f := c.all[i]
			if _, ok := skipped[f.name]; ok {
				continue
			}
			share, times := 3*time.Millisecond, 3
			if f.answered == 0 {
				share, times = 15*time.Millisecond, 20
			}
			stop := time.Now().Add(share)
			for range times {
				c.call(f)
				if time.Now().After(stop) {
					break
				}
			}
			for _, t := range c.pool.fresh {
				c.methods(t)
			}
			c.pool.fresh = nil
		}
	}
}

// call makes arguments and calls f. If f returns no error, it calls f again with each interrupt.
func (c *caller) call(f *callee) {
	ctx, cancel := context.WithTimeout(context.Background(), c.patience)
	defer cancel()
	try := f.tries
	f.tries++
	polls := ctxtest.Record(ctx)
	m, args := c.arguments(f, try, polls)
	if args == nil {
		return
	}
	if m.late {
		cancel()
	}
	text := f.name + describe(args)
	c.now.Store(&text)
	c.last.WriteAt(append([]byte(text), 0), 0)

	start := time.Now()
	out, caught := c.invoke(f, args)
	f.longest = max(f.longest, time.Since(start))
	f.calls++

	if caught != "" {
		switch _, known := offenders[f.name]; {
		case f.may:
			c.note("documented panic "+f.name, text+"\n\t"+caught)
		case known:
			c.note("known panic "+f.name, text+"\n\t"+caught)
		default:
			c.fail("panic "+f.name, text+"\n\t"+caught)
		}
		return
	}
	if returnsError(f) && out[len(out)-1].IsNil() {
		c.interrupt(f, try, polls.Places())
	}
	c.checkResults(f, text, out, m)
}

// arguments makes the arguments for a numbered try of f. It returns nil if there is no value of a parameter's type.
func (c *caller) arguments(f *callee, try int, ctx context.Context) (*maker, []reflect.Value) {
	rng := c.stream(f, try)
	m := &maker{rng: rng, pool: c.pool, ctx: ctx, size: 1 + rng.IntN(4), wild: pickWild(rng), same: map[reflect.Type]reflect.Value{}, bad: new(atomic.Bool)}
	m.wide, m.whole = m.size, m.chance(0.3)
	_, m.few = large[f.name]
	m.late = m.chance(0.02)
	t := f.fn.Type()
	args := make([]reflect.Value, t.NumIn())
	for i := range args {
		name, from := "", 0
		if f.recv != nil {
			from = 1
		}
		var ok bool
		if i < from {
			args[i], ok = c.receiver(m, f.recv)
		} else {
			if i-from < len(f.sig.params) {
				name = f.sig.params[i-from]
			}
			args[i], ok = m.value(t.In(i), name, 0)
		}
		if !ok {
			f.missing = t.In(i).String()
			return nil, nil
		}
	}
	return m, args
}

// interrupt repeats a call that returned no error. The context of each repetition ends at one of the places that polled
// it, and f must return the context's error. Each place is tried once for each function.
func (c *caller) interrupt(f *callee, try int, places []ctxtest.Place) {
	stop := time.Now().Add(c.patience)
	for _, p := range places {
		if f.interrupted[p] || time.Now().After(stop) {
			continue
		}
		ctx := ctxtest.EndAt(context.Background(), p)
		_, args := c.arguments(f, try, ctx)
		out, caught := c.invoke(f, args)
		if !ctx.Ended() || caught != "" { // the result was cached, or callbacks returned other results
			continue
		}
		if f.interrupted == nil {
			f.interrupted = map[ctxtest.Place]bool{}
		}
		f.interrupted[p] = true
		c.polled[p.String()] = true
		_, late := stopsLater[f.name]
		if err, _ := out[len(out)-1].Interface().(error); !late && !errors.Is(err, context.Canceled) && !errors.Is(err, errCaller) {
			c.fail(fmt.Sprintf("interrupted %s at %s", f.name, p), fmt.Sprintf("%s\n\t%v, want context.Canceled", f.name+describe(args), err))
		}
	}
}

// returnsError reports whether the last result of f is an error.
func returnsError(f *callee) bool {
	t := f.fn.Type()
	return t.NumOut() > 0 && t.Out(t.NumOut()-1) == errorType && f.name != "evidence.Check"
}

// checkResults checks the results of a call, and adds them to the pool.
func (c *caller) checkResults(f *callee, text string, out []reflect.Value, m *maker) {
	if n := len(out); returnsError(f) {
		if err, ok := out[n-1].Interface().(error); ok {
			if !explained(err) {
				c.fail(fmt.Sprintf("error of %s: %T", f.name, err), text+"\n\t"+err.Error())
			}
			for _, v := range out[:n-1] {
				if _, ok := partial[f.name]; holdsResult(v) && !ok {
					c.fail("result beside an error: "+f.name, text+"\n\t"+err.Error()+"\n\t"+spell(v, 0))
				}
			}
			return
		}
		out = out[:n-1]
		for i, v := range out {
			if (v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface) && v.IsNil() {
				c.note(fmt.Sprintf("nil without an error: result %d of %s", i, f.name), text)
			}
		}
	}
	f.answered++
	if n := len(out); n > 1 && out[n-1].Kind() == reflect.Bool && !out[n-1].Bool() {
		return // the results beside false are meaningless
	}
	for _, v := range out {
		if m.bad.Load() {
			break
		}
		if bad := badEvidence(v, 0); bad != "" {
			if _, ok := doubtful[f.name]; ok {
				c.note("known evidence of "+f.name, text+"\n\t"+bad)
			} else {
				c.fail("evidence of "+f.name, text+"\n\t"+bad)
			}
			continue
		}
		c.pool.add(v, m.rng, 0)
	}
}

// holdsResult reports whether a value is a pointer, slice, map or interface that is not nil.
func holdsResult(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Interface:
		return !v.IsNil()
	}
	return false
}

// receiver returns a pointer to a value of type t.
func (c *caller) receiver(m *maker, t reflect.Type) (reflect.Value, bool) {
	p, plain := c.pool.values[reflect.PointerTo(t)], len(c.pool.values[t]) > 0
	if len(p) > 0 && (!plain || m.chance(0.5)) {
		v := pick(m, p...)
		m.measure(v, 0)
		return v, true
	}
	if zeroWorks(t) && len(p) == 0 {
		c.pool.add(reflect.New(t), m.rng, 0)
	}
	if !plain && !zeroWorks(t) && (opaque(t) || !exported(t)) {
		return reflect.Value{}, false
	}
	v, ok := m.value(t, "", 0)
	if !ok {
		return v, false
	}
	r := reflect.New(t)
	r.Elem().Set(v)
	m.measure(r, 0)
	return r, true
}

func exported(t reflect.Type) bool {
	return slices.ContainsFunc(types, func(n namedType) bool { return n.of == t })
}

// stream returns the generator for one call of f. It does not depend on how often other functions were called.
func (c *caller) stream(f *callee, try int) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, f.name, try)
	return rand.New(rand.NewPCG(c.seed, h.Sum64()))
}

// pickWild returns the probability of an extreme argument. It is mostly low, so that calls pass the first checks.
func pickWild(rng *rand.Rand) float64 {
	return []float64{0, 0, 0.05, 0.05, 0.15, 0.4}[rng.IntN(6)]
}

// invoke calls f, and returns its results, or the message and place of a panic. Each call has its own goroutine, so
// that repeated calls poll with equal stacks.
func (c *caller) invoke(f *callee, args []reflect.Value) (out []reflect.Value, caught string) {
	c.since.Store(time.Now().UnixNano())
	defer c.since.Store(0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil {
				caught = fmt.Sprint(r)
				for line := range strings.Lines(string(debug.Stack())) {
					if strings.Contains(line, ".go:") && !strings.Contains(line, "callall") && !strings.Contains(line, "runtime/") && !strings.Contains(line, "reflect/") && !strings.Contains(line, "testing/") {
						where, _, _ := strings.Cut(strings.TrimSpace(line), " +0x")
						caught += "\n\t" + where
					}
				}
			}
		}()
		if f.fn.Type().IsVariadic() {
			out = f.fn.CallSlice(args)
		} else {
			out = f.fn.Call(args)
		}
	}()
	<-done
	return out, caught
}

// explained reports whether a user can identify an error: the error wraps an error that a public package or the
// standard library exports, or has a type of a public package.
func explained(err error) bool {
	for _, want := range []error{evidence.ErrParameter, context.Canceled, context.DeadlineExceeded, memory.Err, errCaller} {
		if errors.Is(err, want) {
			return true
		}
	}
	for _, v := range constants {
		if e, ok := v.(error); ok && errors.Is(err, e) {
			return true
		}
	}
	return isOurs(reflect.TypeOf(err))
}

// watch ends the process if a call takes too long or too much memory.
func (c *caller) watch() {
	for range time.Tick(20 * time.Millisecond) {
		since := c.since.Load()
		if since == 0 {
			continue
		}
		long, took := time.Since(time.Unix(0, since)), memory.InUse()
		if long > hang || took > 3*bound {
			fmt.Printf("after %s, with %d MiB: %s\n", long.Round(time.Millisecond), took>>20, *c.now.Load())
			debug.SetTraceback("all")
			panic("a call that does not end, or takes more memory than there is")
		}
	}
}
