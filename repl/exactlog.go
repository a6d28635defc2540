package repl

import (
	"math"

	"dpworkbench/evidence"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// exactly computes with logarithms made by ln: whole multiples, whole parts
// and sums stay exact.
func (e *Evidence) exactly(op syntax.Token, other starlark.Value, side starlark.Side) (starlark.Value, bool) {
	x, ok := e.number.(exactLog)
	if !ok {
		return nil, false
	}
	switch y := other.(type) {
	case starlark.Int:
		n, small := y.Int64()
		switch {
		case !small || n < 1 || n > math.MaxInt32:
		case op == syntax.STAR:
			return exactOrNot(x.Times(n))
		case op == syntax.SLASH && side == starlark.Left:
			return exactOrNot(x.Ratio(1, n))
		}
	case *Evidence:
		if y, ok := y.number.(exactLog); ok && op == syntax.PLUS {
			return exactOrNot(x.Add(y.Epsilon))
		}
	}
	return nil, false
}

func exactOrNot(e evidence.Epsilon) (starlark.Value, bool) {
	if !e.IsExact() {
		return nil, false
	}
	return &Evidence{number: exactLog{e}}, true
}

// exactLog is an exact ε as a number: what ln makes.
type exactLog struct{ evidence.Epsilon }

// Kind implements evidence.Number.
func (exactLog) Kind() evidence.Kind { return evidence.KindExact }

// Float implements evidence.Number.
func (l exactLog) Float() float64 { return l.Value() }

// Bounds implements evidence.Number.
func (l exactLog) Bounds() (lo, hi float64) { return l.Enclosure().Bounds() }

// Origin implements evidence.Number.
func (exactLog) Origin() string { return "written as a logarithm" }
