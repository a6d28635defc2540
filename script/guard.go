package script

import (
	"cmp"
	"fmt"
	"strings"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/internal/memory"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// guard is a value that guardOperators inserts into a script. Indexing it with a value returns that value, or a wrapper
// of it.
type guard struct {
	starlark.NoneType
	take func(starlark.Value) (starlark.Value, error)
}

// Get implements starlark.Mapping.
func (g *guard) Get(v starlark.Value) (starlark.Value, bool, error) {
	v, err := g.take(v)
	return v, true, err
}

// operand wraps one side of an operator, so that the interpreter calls its Binary to compute the operator.
type operand struct {
	starlark.Value
	op syntax.Token
}

// Binary implements starlark.HasBinary.
func (o *operand) Binary(_ syntax.Token, other starlark.Value, side starlark.Side) (starlark.Value, error) {
	x, y := o.Value, other
	if side == starlark.Right {
		x, y = other, o.Value
	} else if p, ok := other.(*operand); ok {
		y = p.Value
	}
	switch o.op {
	case syntax.IN, syntax.NOT_IN:
		is, err := contains(y, x)
		return starlark.Bool(is == (o.op == syntax.IN)), err
	case syntax.PLUS_EQ:
		return extend(x, y)
	case syntax.PERCENT:
		return percent(x, y)
	case syntax.PLUS, syntax.STAR:
		return binary(o.op, x, y)
	}
	op := o.op
	o.Value = nil
	operands.Put(o)
	is, err := compareQuickly(op, x, y)
	return starlark.Bool(is), err
}

// comparand returns the guard of the left side of a comparison.
func comparand(op syntax.Token) func(starlark.Value) (starlark.Value, error) {
	return func(v starlark.Value) (starlark.Value, error) {
		o := operands.Get().(*operand)
		o.Value, o.op = v, op
		return o, nil
	}
}

// operands are reused: the interpreter evaluates the left side of a comparison once, and nothing else refers to it.
var operands = sync.Pool{New: func() any { return new(operand) }}

// compareQuickly returns the same as compareValues, with shortcuts for two ints, two floats and two strings.
func compareQuickly(op syntax.Token, x, y starlark.Value) (bool, error) {
	switch x := x.(type) {
	case starlark.Int:
		if y, ok := y.(starlark.Int); ok {
			order, err := x.Cmp(y, 1)
			return holds(op, order), err
		}
	case starlark.Float:
		if y, ok := y.(starlark.Float); ok && x == x && y == y { // not NaN
			return holds(op, cmp.Compare(x, y)), nil
		}
	case starlark.String:
		if y, ok := y.(starlark.String); ok {
			return holds(op, strings.Compare(string(x), string(y))), nil
		}
	}
	return compareValues(op, x, y)
}

// contains reports whether x is in y. An undecided comparison with one element does not end the search, because a later
// element may still be equal.
func contains(y, x starlark.Value) (bool, error) {
	switch y.(type) {
	case *starlark.List, starlark.Tuple:
		return search(true, starlark.CompareLimit, func(yield func(v, w starlark.Value) bool) {
			for w := range starlark.Elements(y.(starlark.Iterable)) {
				if !yield(x, w) {
					return
				}
			}
		})
	}
	v, err := starlark.Binary(syntax.IN, x, y)
	return v == starlark.True, err
}

// longText is the number of bytes from which a sequence counts as long. Making or extending a long one checks the
// memory first.
const longText = 1 << 16

// elementSize is the number of bytes of one element in a list or a tuple.
const elementSize = 16

// sizeOf returns the length of a string, bytes, list or tuple, and the bytes of one element. Both are 0 for any other
// value.
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

// summand is the guard of the right side of a sum. With +=, a list may be extended by any iterable, so the lengths of
// all iterables are checked.
func summand(op syntax.Token) func(starlark.Value) (starlark.Value, error) {
	return func(v starlark.Value) (starlark.Value, error) {
		length, each := sizeOf(v)
		if each == 0 && op == syntax.PLUS_EQ {
			length, each = float64(starlark.Len(v)), elementSize
		}
		if length*each < longText {
			return v, nil
		}
		return &operand{v, op}, nil
	}
}

// factor is the guard of either side of a product.
func factor(v starlark.Value) (starlark.Value, error) {
	if _, each := sizeOf(v); each == 0 {
		return v, nil
	}
	return &operand{v, syntax.STAR}, nil
}

// multiplier is the guard of the right side of x *= y. It cannot see whether x is a sequence, so it wraps every y but a
// float.
func multiplier(v starlark.Value) (starlark.Value, error) {
	if _, ok := v.(starlark.Float); ok {
		return v, nil
	}
	return &operand{v, syntax.STAR}, nil
}

// needs returns an error if memory does not suffice for a sequence of v's type with the given length.
func needs(v starlark.Value, length float64) error {
	_, each := sizeOf(v)
	if length*each < longText { // small: skip making an error
		return nil
	}
	unit := "elements"
	if each == 1 {
		unit = "bytes"
	}
	return memory.Need(fmt.Sprintf("a %s of %.15g %s", v.Type(), length, unit), length*each)
}

// binary returns x + y or x * y as starlark.Binary does, after checking the memory if the result is a sequence.
func binary(op syntax.Token, x, y starlark.Value) (starlark.Value, error) {
	a, eachA := sizeOf(x)
	b, eachB := sizeOf(y)
	var err error
	switch {
	case op == syntax.PLUS && x.Type() == y.Type():
		err = needs(x, a+b)
	case op == syntax.STAR && eachA > 0:
		if y, err = count(y); err == nil {
			err = needs(x, a*times(y))
		}
	case op == syntax.STAR && eachB > 0:
		if x, err = count(x); err == nil {
			err = needs(y, b*times(x))
		}
	}
	if err != nil {
		return nil, err
	}
	return starlark.Binary(op, x, y)
}

// times returns how often multiplication by v repeats a sequence: v itself, or 0 if v is negative or not an int.
func times(v starlark.Value) float64 {
	if n, ok := v.(starlark.Int); ok {
		return max(0, float64(n.Float()))
	}
	return 0
}

// extend returns x += y. It changes x in place if x is a list and y is iterable.
func extend(x, y starlark.Value) (starlark.Value, error) {
	list, ok := x.(*starlark.List)
	items, iterable := y.(starlark.Iterable)
	if !ok || !iterable {
		return binary(syntax.PLUS, x, y)
	}
	if err := needs(list, float64(list.Len()+max(0, starlark.Len(y)))); err != nil {
		return nil, err
	}
	method, _ := list.Attr("extend") // every list has it
	_, err := method.(*starlark.Builtin).CallInternal(nil, starlark.Tuple{items}, nil)
	return list, err
}

// spread is the guard of the value v in a call f(*v). It checks the memory for the arguments.
func (s *Session) spread(v starlark.Value) (starlark.Value, error) {
	length := starlark.Len(v)
	return v, memory.Need(fmt.Sprintf("a list of %d arguments", length), float64(length)*elementSize)
}

// orders are the outcomes of a comparison, −1, 0 and 1, in that order.
var orders = [...]evidence.Order{evidence.Less, evidence.Equal, evidence.Greater}

// holds reports whether the outcome order, −1, 0 or 1, of a comparison satisfies op.
func holds(op syntax.Token, order int) bool { return ways[op]&orders[order+1] != 0 }
