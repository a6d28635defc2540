package script

import (
	"fmt"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// comparing is a value that defines its own comparisons with values of any type. In compare, right says that the value
// is the right operand.
type comparing interface {
	starlark.Value
	compare(op syntax.Token, y starlark.Value, right bool) (is, ok bool, err error)
}

// untyped returns the operators as functions of values of type any.
func (a *Algebra[T]) untyped() (u Algebra[any]) {
	if a.Unary != nil {
		u.Unary = func(op syntax.Token, v any) (any, bool) { return a.Unary(op, as[T](v)) }
	}
	if a.Binary != nil {
		u.Binary = func(op syntax.Token, v any, y starlark.Value, right bool) (any, bool, error) {
			return a.Binary(op, as[T](v), y, right)
		}
	}
	if a.Compare != nil {
		u.Compare = func(op syntax.Token, v any, y starlark.Value, right bool) (is, ok bool, err error) {
			return a.Compare(op, as[T](v), y, right)
		}
	}
	if a.Truth != nil {
		u.Truth = func(v any) { a.Truth(as[T](v)) }
	}
	return u
}

// Unary implements starlark.HasUnary.
func (o *Object) Unary(op syntax.Token) (starlark.Value, error) {
	if unary := o.class.algebra.Unary; unary != nil {
		if v, ok := unary(op, o.v); ok {
			return &Object{class: o.class, session: o.session, v: v}, nil
		}
	}
	return nil, nil
}

// Binary implements starlark.HasBinary.
func (o *Object) Binary(op syntax.Token, y starlark.Value, side starlark.Side) (starlark.Value, error) {
	if binary := o.class.algebra.Binary; binary != nil {
		if v, ok, err := binary(op, o.v, y, side == starlark.Right); ok || err != nil {
			operands := starlark.Tuple{o, y}
			if side == starlark.Right {
				operands = starlark.Tuple{y, o}
			}
			return &Object{class: o.class, session: o.session, v: v, operated: &Origin{Name: op.String(), Args: operands}}, err
		}
	}
	return nil, nil
}

// compares reports whether the class defines comparisons.
func (o *Object) compares() bool { return o.class.algebra.Compare != nil }

// compare implements comparing.
func (o *Object) compare(op syntax.Token, y starlark.Value, right bool) (is, ok bool, err error) {
	if !o.compares() {
		return false, false, nil
	}
	return o.class.algebra.Compare(op, o.v, y, right)
}

// CompareSameType implements starlark.Comparable. An object of a class without comparisons equals only itself.
func (o *Object) CompareSameType(op syntax.Token, y starlark.Value, _ int) (bool, error) {
	if is, ok, err := o.compare(op, y, false); ok || err != nil {
		return is, err
	}
	p, _ := y.(*Object)
	switch op {
	case syntax.EQL:
		return o == p, nil
	case syntax.NEQ:
		return o != p, nil
	}
	return false, fmt.Errorf("%s %s %s not implemented", o.Type(), op, y.Type())
}

// compareOwn compares x and y by the comparisons that one of them defines. ok is false if neither value defines this
// one.
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
