package callall

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
	"dpworkbench/internal/memory"
	"dpworkbench/internal/must"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

const (
	bound   = 1 << 30               // bytes that a call may take
	patient = 30 * time.Millisecond // the deadline of a call's context
	more    = 8                     // rounds at most that are added while something was not called
)

var hang = 2 * time.Minute // a call that takes longer does not end

// callee is a function, or a method with its receiver's type.
type callee struct {
	name     string
	fn       reflect.Value // the method of the receiver's pointer type where recv is set
	recv     reflect.Type
	sig      signature
	may      bool // panic: its comment says so
	tries    int
	calls    int
	answered int // calls without an error
	longest  time.Duration
	missing  string // a type of which no value was to be had
}

// waits tells whether f is to be called, and was not yet.
func (f *callee) waits() bool {
	_, skip := skipped[f.name]
	_, never := uncalled[f.name]
	return f.calls == 0 && !skip && !never
}

// caller calls.
type caller struct {
	seed     uint64
	patience time.Duration // the deadline of the next call's context
	pool     *pool
	all      []*callee
	known    map[reflect.Type]bool // types whose methods are in all
	last     *os.File
	now      atomic.Pointer[string] // the call under way
	since    atomic.Int64
	failures map[string]string // what must not be
	notes    map[string]string // what is only told
}

// TestCalls runs in the binary that TestEveryFunction makes.
func TestCalls(t *testing.T) {
	if functions == nil {
		t.Skip("the table of what is exported is made by TestEveryFunction")
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
		failures: map[string]string{}, notes: map[string]string{},
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

// composed returns the δ of two uses, whose statement chance would seldom come by.
func composed() evidence.Number {
	ctx := context.Background()
	ln3 := must.Be(evidence.LogEpsilon("eps", big.NewRat(3, 1)))
	q := must.Be(query.NewNumeric("f", must.Be(query.NewPathSpace(2, [][2]int{{0, 1}})), []float64{0, 1}, nil))
	uses := privacy.New(mechanism.Pairs(must.Be(mechanism.NewExponential(ctx, q, ln3))))
	return must.Be(must.Be(privacy.Compose(ctx, []*privacy.Account{uses}, []int{2})).Delta(ctx, ln3))
}

// finite is a mechanism from outside of the module: a fair coin at two datasets.
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

// methods adds those of t and of a pointer to it.
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

// signature finds the names of a method's parameters, in what t embeds where it is
// promoted.
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

// run calls everything in each of so many rounds, more often what has not answered yet. It adds rounds where
// something was not called: on a busy machine the deadline may have ended what makes its arguments, so each of them
// has twice the time.
func (c *caller) run(rounds int) {
	c.patience = patient
	for n := 0; n < rounds || n < rounds+more && slices.ContainsFunc(c.all, (*callee).waits); n++ {
		if n >= rounds {
			c.patience *= 2
		}
		for i := 0; i < len(c.all); i++ { // all grows
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

// call makes arguments and calls.
func (c *caller) call(f *callee) {
	ctx, cancel := context.WithTimeout(context.Background(), c.patience)
	defer cancel()
	rng := c.stream(f)
	m := &maker{rng: rng, pool: c.pool, ctx: ctx, size: 1 + rng.IntN(4), wild: pickWild(rng), same: map[reflect.Type]reflect.Value{}, bad: new(atomic.Bool)}
	m.wide, m.whole = m.size, m.chance(0.3)
	_, m.few = large[f.name]
	if m.chance(0.02) {
		cancel()
	}
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
			return
		}
	}
	text := f.name + describe(args)
	c.now.Store(&text)
	c.last.WriteAt(append([]byte(text), 0), 0)

	start := time.Now()
	c.since.Store(start.UnixNano())
	out, caught := invoke(f.fn, args)
	c.since.Store(0)
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
	c.judge(f, text, out, m)
}

// judge looks at what came out.
func (c *caller) judge(f *callee, text string, out []reflect.Value, m *maker) {
	if n := len(out); n > 0 && f.fn.Type().Out(n-1) == errorType {
		if err, ok := out[n-1].Interface().(error); ok && f.name != "evidence.Check" {
			if !explained(err) {
				c.note(fmt.Sprintf("error of %s: %T", f.name, err), text+"\n\t"+err.Error())
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
		return // what stands before a false is no answer
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

// stream is a call's own, so that what one function takes does not hang on how
// often others were called.
func (c *caller) stream(f *callee) *rand.Rand {
	h := fnv.New64a()
	fmt.Fprint(h, f.name, f.tries)
	f.tries++
	return rand.New(rand.NewPCG(c.seed, h.Sum64()))
}

// pickWild says how wild a call's arguments are: mostly hardly, so that it gets
// past the first check.
func pickWild(rng *rand.Rand) float64 {
	return []float64{0, 0, 0.05, 0.05, 0.15, 0.4}[rng.IntN(6)]
}

// invoke calls, and says what a panic was and where.
func invoke(fn reflect.Value, args []reflect.Value) (out []reflect.Value, caught string) {
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
	if fn.Type().IsVariadic() {
		return fn.CallSlice(args), ""
	}
	return fn.Call(args), ""
}

// explained tells whether a caller can make out what an error is: it wraps one that
// the rooms or the standard library export.
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

// watch ends the process where a call does not end, or takes too much memory.
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
