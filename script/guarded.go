package script

import (
	"fmt"
	"math"
	"reflect"

	"dpworkbench/internal/memory"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// few is the number of repetitions that cannot do harm to what is short.
const few = 16

// Sequences of at least so many bytes or elements are long: an operation that
// makes one of them longer is looked at before it runs.
const (
	longText = 1 << 16
	longList = 1 << 12
)

// guard is what guard.go has put into a script: indexed with a value, it returns
// what stands for it.
type guard struct {
	name string
	take func(starlark.Value) (starlark.Value, error)
}

func (g *guard) String() string        { return "<guard>" }
func (g *guard) Type() string          { return "guard" }
func (g *guard) Freeze()               {}
func (g *guard) Truth() starlark.Bool  { return true }
func (g *guard) Hash() (uint32, error) { return 0, fmt.Errorf("unhashable type: guard") }

// Get implements starlark.Mapping.
func (g *guard) Get(v starlark.Value) (starlark.Value, bool, error) {
	v, err := g.take(v)
	return v, true, err
}

// guards returns the guards of a session by name.
func (s *Session) guards() map[string]*guard {
	out := make(map[string]*guard)
	for name, take := range map[string]func(starlark.Value) (starlark.Value, error){
		guardPlus:   s.guardPlus,
		guardTimes:  s.guardTimes,
		guardRepeat: s.guardRepeat,
		guardFormat: s.guardFormat,
		guardMore:   s.guardMore,
		guardArgs:   s.guardArgs,
		guardTuple:  keptTuple,
		guardSlice:  s.guardSlice,
		guardOf:     s.guardOf(),
		guardSpread: s.guardSpread,
		guardCount:  guardCounting,
		guardIn:     membersOf,
		guardInt:    beside("int"),
		guardFloat:  beside("float"),
	} {
		out[name] = &guard{name, take}
	}
	return out
}

// guardPlus takes an operand of +, or of a repetition a few times.
func (s *Session) guardPlus(v starlark.Value) (starlark.Value, error) {
	long := false
	switch w := v.(type) {
	case starlark.Float, starlark.Int:
		return v, nil
	case starlark.String:
		long = len(w) >= longText
	case *starlark.List:
		long = w.Len() >= longList
	case starlark.Tuple:
		long = len(w) >= longList
	case starlark.Bytes:
		long = len(w) >= longText
	default:
		return v, nil
	}
	if long || memory.Scarce() {
		return &operand{s, v}, nil
	}
	return v, nil
}

// guardTimes takes an operand of *, whose other one may be anything.
func (s *Session) guardTimes(v starlark.Value) (starlark.Value, error) {
	switch w := v.(type) {
	case starlark.Float:
		return v, nil
	case starlark.Int:
		if n, ok := w.Int64(); ok && n <= few && !memory.Scarce() {
			return v, nil
		}
		return factor{w}, nil
	}
	return s.guardRepeat(v)
}

// guardRepeat takes an operand of *, whose other one is a number.
func (s *Session) guardRepeat(v starlark.Value) (starlark.Value, error) {
	switch v.(type) {
	case starlark.String, starlark.Bytes, *starlark.List, starlark.Tuple:
		return &operand{s, v}, nil
	}
	return v, nil
}

// guardFormat takes the left side of %.
func (s *Session) guardFormat(v starlark.Value) (starlark.Value, error) {
	if _, ok := v.(starlark.String); ok {
		return &operand{s, v}, nil
	}
	return v, nil
}

// guardMore takes the right side of +=.
func (s *Session) guardMore(v starlark.Value) (starlark.Value, error) {
	switch w := v.(type) {
	case starlark.Float, starlark.Int, *Evidence:
		return v, nil
	case starlark.String, starlark.Bytes, *starlark.List, starlark.Tuple:
		return s.guardPlus(v)
	case starlark.Iterable:
		if n := starlark.Len(w); n < 0 || n >= longList {
			return &operand{s, v}, nil
		}
	}
	return v, nil
}

// guardArgs takes the right side of a % whose left one is known to name each
// argument once, and of %=.
func (s *Session) guardArgs(v starlark.Value) (starlark.Value, error) {
	if short(0, v) {
		return v, nil
	}
	f := &formatting{session: s, throws: true, now: true}
	v = f.arguments(v)
	return v, f.err
}

// guardSlice takes what is sliced.
func (s *Session) guardSlice(v starlark.Value) (starlark.Value, error) {
	switch w := v.(type) {
	case *starlark.List:
		if w.Len() >= longList {
			return &sliced{w}, nil
		}
	case starlark.Tuple:
		if len(w) >= longList {
			return &sliced{w}, nil
		}
	}
	return v, nil
}

// guardSpread takes what *args spreads over the arguments of a call.
func (s *Session) guardSpread(v starlark.Value) (starlark.Value, error) {
	if _, ok := v.(starlark.Tuple); ok {
		return v, nil
	}
	items, ok := v.(starlark.Iterable)
	if !ok {
		return v, nil
	}
	t, err := s.collect("arguments", items, 16)
	return starlark.Tuple(t), err
}

// guardCounting takes what a loop over range(…) runs over, in case that range is
// no longer what it was when the loop was compiled without guards on its number.
func guardCounting(v starlark.Value) (starlark.Value, error) {
	if reflect.TypeOf(v) == rangeType {
		return v, nil
	}
	items, ok := v.(starlark.Iterable)
	if !ok || starlark.Len(v) < 0 || starlark.Len(v) > longList {
		return nil, fmt.Errorf("range was redefined after this loop was written, and gives a %s: write the loop anew", v.Type())
	}
	for x := range starlark.Elements(items) {
		switch x.(type) {
		case starlark.Int, starlark.Float:
		default:
			return nil, fmt.Errorf("range was redefined after this loop was written, and gives a %s: write the loop anew", x.Type())
		}
	}
	return v, nil
}

var rangeType = func() reflect.Type {
	v, err := starlark.Call(&starlark.Thread{}, starlark.Universe["range"], starlark.Tuple{starlark.MakeInt(1)}, nil)
	if err != nil {
		panic(err) // range(1) is a range
	}
	return reflect.TypeOf(v)
}()

// operand is a value that stands in an operator: it looks at both sides before
// the operator runs.
type operand struct {
	session *Session
	v       starlark.Value
}

func (o *operand) String() string        { return o.v.String() }
func (o *operand) Type() string          { return o.v.Type() }
func (o *operand) Freeze()               { o.v.Freeze() }
func (o *operand) Truth() starlark.Bool  { return o.v.Truth() }
func (o *operand) Hash() (uint32, error) { return o.v.Hash() }

// Binary implements starlark.HasBinary.
func (o *operand) Binary(op syntax.Token, other starlark.Value, side starlark.Side) (starlark.Value, error) {
	x, y := o.v, other
	if side == starlark.Right {
		x, y = other, o.v
		if list, ok := x.(*starlark.List); ok && op == syntax.PLUS {
			if _, ok := y.(starlark.Iterable); ok {
				return o.session.extend(list, y.(starlark.Iterable)) // only += comes here with a list on the left
			}
		}
	}
	return o.session.binary(op, x, y)
}

// factor is an int that is about to be multiplied. It takes no memory of its own.
type factor struct{ starlark.Int }

// Binary implements starlark.HasBinary.
func (f factor) Binary(op syntax.Token, other starlark.Value, side starlark.Side) (starlark.Value, error) {
	if side == starlark.Right {
		return product(op, other, f.Int)
	}
	if g, ok := other.(factor); ok {
		other = g.Int
	}
	return product(op, f.Int, other)
}

// binary is starlark.Binary for what may take much memory.
func (s *Session) binary(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	var err error
	switch op {
	case syntax.PLUS:
		a, each, sequence := sizeOf(x)
		b, _, same := sizeOf(y)
		if sequence && same && x.Type() == y.Type() {
			err = needs(x, a+b, each)
		}
	case syntax.STAR:
		return product(op, x, y)
	case syntax.PERCENT:
		if format, ok := x.(starlark.String); ok {
			return s.percent(format, y)
		}
	}
	if err != nil {
		return nil, err
	}
	return starlark.Binary(op, x, y)
}

// product is x * y, op being the *.
func product(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	n, ok := y.(starlark.Int)
	repeated := x
	if !ok {
		n, ok = x.(starlark.Int)
		repeated = y
	}
	if length, each, sequence := sizeOf(repeated); ok && sequence {
		if err := needs(repeated, length*max(0, float64(n.Float())), each); err != nil {
			return nil, err
		}
	}
	return starlark.Binary(op, x, y)
}

// sizeOf returns the length of a string, bytes, a list or a tuple, and the bytes
// of one element.
func sizeOf(v starlark.Value) (length, each float64, ok bool) {
	switch v := v.(type) {
	case starlark.String:
		return float64(len(v)), 1, true
	case starlark.Bytes:
		return float64(len(v)), 1, true
	case *starlark.List:
		return float64(v.Len()), 16, true
	case starlark.Tuple:
		return float64(len(v)), 16, true
	}
	return 0, 0, false
}

// needs asks for the memory of a sequence like v of the given length.
func needs(v starlark.Value, length, each float64) error {
	bytes := length * each
	if bytes < longText { // no need to word it
		return nil
	}
	unit := "elements"
	if each == 1 {
		unit = "bytes"
	}
	return memory.Need(fmt.Sprintf("a %s of %.15g %s", v.Type(), length, unit), bytes)
}

// extend is list += items, items being long.
func (s *Session) extend(list *starlark.List, items starlark.Iterable) (starlark.Value, error) {
	extra := items
	if l, ok := items.(*starlark.List); ok {
		if n := l.Len(); n >= longText { // less is less than what growing keeps in reserve
			if err := needs(list, float64(list.Len()+n), 16); err != nil {
				return nil, err
			}
		}
	} else {
		vs, err := s.collect("a list", items, 16)
		if err != nil {
			return nil, err
		}
		extra = starlark.Tuple(vs)
		if err := needs(list, float64(list.Len()+len(vs)), 16); err != nil {
			return nil, err
		}
	}
	extend, err := list.Attr("extend")
	if err == nil {
		_, err = extend.(*starlark.Builtin).CallInternal(nil, starlark.Tuple{extra}, nil)
	}
	return list, err
}

// collect returns the elements of an iterable, which take so many bytes each in
// what is made of them. It can be interrupted.
func (s *Session) collect(what string, items starlark.Iterable, each float64) ([]starlark.Value, error) {
	n := starlark.Len(items)
	if n > 0 {
		if err := memory.Need(fmt.Sprintf("%s of %d elements", what, n), float64(n)*each); err != nil {
			return nil, err
		}
	}
	out := make([]starlark.Value, 0, max(n, 0))
	for x := range starlark.Elements(items) {
		if len(out) == cap(out) { // it grows by a quarter
			if err := memory.Need(fmt.Sprintf("%s of more than %d elements", what, len(out)), 1.25*float64(len(out))*each); err != nil {
				return nil, err
			}
		}
		if out = append(out, x); len(out)%(1<<16) == 0 && s.context().Err() != nil {
			return nil, ErrStopped
		}
	}
	return out, nil
}

// sliced is a long list or tuple that a slice copies from.
type sliced struct{ starlark.Sliceable }

// Slice implements starlark.Sliceable, which has no error to return.
func (v *sliced) Slice(start, end, step int) starlark.Value {
	n := math.Abs(float64(end-start) / float64(step))
	if _, tuple := v.Sliceable.(starlark.Tuple); !tuple || step != 1 { // a tuple shares its elements
		if err := needs(v.Sliceable, n, 16); err != nil {
			panic(thrown{err})
		}
	}
	return v.Sliceable.Slice(start, end, step)
}
