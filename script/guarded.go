package script

import (
	"fmt"
	"math"

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
	longList = longText / elementSize
)

// elementSize is the bytes of one element of a list or a tuple.
const elementSize = 16

// guard is what guard.go has put into a script: indexed with a value, it returns
// what stands for it.
type guard struct {
	silent
	take func(starlark.Value) (starlark.Value, error)
}

// Get implements starlark.Mapping.
func (g *guard) Get(v starlark.Value) (starlark.Value, bool, error) {
	v, err := g.take(v)
	return v, true, err
}

// guards returns the guards of a session by name.
func (s *Session) guards() map[string]*guard {
	return map[string]*guard{
		guardPlus:   {take: s.guardPlus},
		guardTimes:  {take: s.guardTimes},
		guardRepeat: {take: s.guardRepeat},
		guardFormat: {take: s.guardFormat},
		guardMore:   {take: s.guardMore},
		guardArgs:   {take: s.guardArgs},
		guardTuple:  {take: keptTuple},
		guardSlice:  {take: slicing},
		guardOf:     {take: s.guardOf()},
		guardSpread: {take: s.guardSpread},
		guardCount:  {take: guardCounting},
		guardIn:     {take: membersOf},
		guardInt:    {take: beside("int")},
		guardFloat:  {take: beside("float")},
	}
}

// guardPlus takes an operand of +, or of a repetition a few times.
func (s *Session) guardPlus(v starlark.Value) (starlark.Value, error) {
	switch v.(type) {
	case starlark.Float, starlark.Int:
		return v, nil
	}
	if length, each := sizeOf(v); each > 0 && (length*each >= longText || memory.Scarce()) {
		return &operand{v, s}, nil
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
	if _, each := sizeOf(v); each > 0 {
		return &operand{v, s}, nil
	}
	return v, nil
}

// guardFormat takes the left side of %.
func (s *Session) guardFormat(v starlark.Value) (starlark.Value, error) {
	if _, ok := v.(starlark.String); ok {
		return &operand{v, s}, nil
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
			return &operand{v, s}, nil
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

// slicing takes what is sliced.
func slicing(v starlark.Value) (starlark.Value, error) {
	if length, each := sizeOf(v); each == elementSize && length >= longList {
		return &sliced{v.(starlark.Sliceable)}, nil
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
	t, err := s.collect("arguments", items, elementSize)
	return starlark.Tuple(t), err
}

// guardCounting takes what a loop over range(…) runs over, in case that range is
// no longer what it was when the loop was compiled without guards on its number.
func guardCounting(v starlark.Value) (starlark.Value, error) {
	if v.Type() == "range" { // no other value is of a type of that name
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

// operand is a value that stands in an operator: it looks at both sides before
// the operator runs.
type operand struct {
	starlark.Value
	session *Session
}

// Binary implements starlark.HasBinary.
func (o *operand) Binary(op syntax.Token, other starlark.Value, side starlark.Side) (starlark.Value, error) {
	if side == starlark.Left {
		return o.session.binary(op, o.Value, other)
	}
	list, ok1 := other.(*starlark.List)
	if items, ok2 := o.Value.(starlark.Iterable); ok1 && ok2 && op == syntax.PLUS {
		return o.session.extend(list, items) // only += comes here with a list on the left
	}
	return o.session.binary(op, other, o.Value)
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
	switch format, ok := x.(starlark.String); {
	case op == syntax.PLUS && x.Type() == y.Type():
		a, _ := sizeOf(x)
		b, _ := sizeOf(y)
		if err := needs(x, a+b); err != nil {
			return nil, err
		}
	case op == syntax.STAR:
		return product(op, x, y)
	case op == syntax.PERCENT && ok:
		return s.percent(format, y)
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
	if length, each := sizeOf(repeated); ok && each > 0 {
		if err := needs(repeated, length*max(0, float64(n.Float()))); err != nil {
			return nil, err
		}
	}
	return starlark.Binary(op, x, y)
}

// sizeOf returns the length of a string, bytes, a list or a tuple, and the bytes
// of one element, 0 for anything else.
func sizeOf(v starlark.Value) (length, each float64) {
	switch v := v.(type) {
	case starlark.String:
		return float64(len(v)), 1
	case starlark.Bytes:
		return float64(len(v)), 1
	case *starlark.List:
		return float64(v.Len()), elementSize
	case starlark.Tuple:
		return float64(len(v)), elementSize
	}
	return 0, 0
}

// needs asks for the memory of a sequence like v of the given length.
func needs(v starlark.Value, length float64) error {
	_, each := sizeOf(v)
	if length*each < longText { // no need to word it
		return nil
	}
	unit := "elements"
	if each == 1 {
		unit = "bytes"
	}
	return memory.Need(fmt.Sprintf("a %s of %.15g %s", v.Type(), length, unit), length*each)
}

// extend is list += items, items being long.
func (s *Session) extend(list *starlark.List, items starlark.Iterable) (starlark.Value, error) {
	_, known := items.(*starlark.List)
	if !known {
		vs, err := s.collect("a list", items, elementSize)
		if err != nil {
			return nil, err
		}
		items = starlark.Tuple(vs)
	}
	if n := starlark.Len(items); !known || n >= longText { // less is less than what growing keeps in reserve
		if err := needs(list, float64(list.Len()+n)); err != nil {
			return nil, err
		}
	}
	extend, _ := list.Attr("extend") // every list has it
	_, err := extend.(*starlark.Builtin).CallInternal(nil, starlark.Tuple{items}, nil)
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
		if err := needs(v.Sliceable, n); err != nil {
			throw(err)
		}
	}
	return v.Sliceable.Slice(start, end, step)
}
