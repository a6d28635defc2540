package script

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// comparing is a value that defines comparisons with values of any type, on either side.
type comparing interface {
	starlark.Value
	compare(op syntax.Token, y starlark.Value, right bool) (is, ok bool, err error)
}

// Unary implements starlark.HasUnary.
func (o *Object[T]) Unary(op syntax.Token) (starlark.Value, error) {
	if a := o.class.Algebra; a != nil && a.Unary != nil {
		if v, ok := a.Unary(op, o.v); ok {
			return &Object[T]{class: o.class, session: o.session, v: v}, nil
		}
	}
	return nil, nil
}

// Binary implements starlark.HasBinary.
func (o *Object[T]) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	if a := o.class.Algebra; a != nil && a.Binary != nil {
		if v, ok, err := a.Binary(op, o.v, y, side == starlark.Right); ok || err != nil {
			operands := starlark.Tuple{o, y}
			if side == starlark.Right {
				operands = starlark.Tuple{y, o}
			}
			return &Object[T]{class: o.class, session: o.session, v: v, operated: &Origin{Name: op.String(), Args: operands}}, err
		}
	}
	return nil, nil
}

// compares reports whether the class has comparisons of its own.
func (o *Object[T]) compares() bool { return o.class.Algebra != nil && o.class.Algebra.Compare != nil }

// compare implements comparing.
func (o *Object[T]) compare(op syntax.Token, y starlark.Value, right bool) (is, ok bool, err error) {
	if !o.compares() {
		return false, false, nil
	}
	return o.class.Algebra.Compare(op, o.v, y, right)
}

// CompareSameType implements starlark.Comparable: an object without comparisons equals only itself.
func (o *Object[T]) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	if is, ok, err := o.compare(op, y, false); ok || err != nil {
		return is, err
	}
	p, _ := y.(*Object[T])
	switch op {
	case syntax.EQL:
		return o == p, nil
	case syntax.NEQ:
		return o != p, nil
	}
	return false, fmt.Errorf("%s %s %s not implemented", o.Type(), op, y.Type())
}

// compareOwn compares if one side defines it; ok is false if neither does.
func compareOwn(op syntax.Token, x, y starlark.Value) (is, ok bool, err error) {
	if v, own := x.(comparing); own {
		if is, ok, err = v.compare(op, y, false); ok || err != nil {
			return is, true, err
		}
	}
	if w, own := y.(comparing); own {
		if is, ok, err = w.compare(op, x, true); ok || err != nil {
			return is, true, err
		}
	}
	return false, false, nil
}
