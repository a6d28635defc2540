package script

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/memory"

	"go.starlark.net/starlark"
	"gonum.org/v1/gonum/mat"
)

// Elements returns the elements of a list, tuple, matrix, set or range. If they do not fit in memory, Elements ends the
// built-in's call with an error.
func Elements(v starlark.Value) ([]starlark.Value, bool) {
	switch v := v.(type) {
	case starlark.Tuple:
		return v, true
	case *starlark.Dict:
		return nil, false
	case starlark.Iterable:
		n := starlark.Len(v)
		if n < 0 {
			return nil, false
		}
		if err := memory.Need(fmt.Sprintf("a list of %d elements", n), 16*float64(n)); err != nil {
			panic(thrown{err})
		}
		return slices.AppendSeq(make([]starlark.Value, 0, n), starlark.Elements(v)), true
	}
	return nil, false
}

// Known returns a number with its evidence as a script value.
func Known(n evidence.Number) starlark.Value { return &Evidence{number: evidence.Identify(n)} }

// ofEpsilon returns a privacy parameter as a script value: a float if that is exact, and otherwise exact evidence.
func ofEpsilon(e evidence.Epsilon) starlark.Value {
	if q, ok := e.Rational(); ok {
		if v, whole := q.Float64(); whole {
			return starlark.Float(v)
		}
	}
	return Known(e.Number())
}

// floats returns a list of floats.
func floats(xs []float64) *starlark.List {
	return List(xs, func(x float64) starlark.Value { return starlark.Float(x) })
}

// integer is any Go integer type that the mathematics uses.
type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32
}

// Ints returns a list of ints.
func Ints[T integer](xs []T) *starlark.List {
	return List(xs, func(x T) starlark.Value { return starlark.MakeInt64(int64(x)) })
}

// List returns a list of converted elements.
func List[T any](xs []T, convert func(T) starlark.Value) *starlark.List {
	return starlark.NewList(each(xs, convert))
}

// fieldsOf returns a dict with string keys, sorted by key.
func fieldsOf(fields map[string]starlark.Value) *starlark.Dict {
	d := starlark.NewDict(len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		_ = d.SetKey(starlark.String(name), fields[name])
	}
	return d
}

// Give returns the script value of a Go value: a number, a text, or a list or tuple of such.
func (c *Call) Give(v any) starlark.Value { return c.give(v) }

// give converts the result of a built-in to a script value. Script values are returned unchanged. Go values are
// converted by the cases below, or by the class that the declaration names.
func (c *Call) give(v any) starlark.Value {
	switch v := v.(type) {
	case nil:
		return starlark.None
	case starlark.Value:
		return v
	case evidence.Number:
		return Known(v)
	case evidence.Epsilon:
		return ofEpsilon(v)
	case bool:
		return starlark.Bool(v)
	case int:
		return starlark.MakeInt(v)
	case int64:
		return starlark.MakeInt64(v)
	case uint64:
		return starlark.MakeUint64(v)
	case *big.Int:
		return starlark.MakeBigInt(v)
	case float64:
		return starlark.Float(v)
	case string:
		return starlark.String(v)
	case []float64:
		return floats(v)
	case []evidence.Number:
		return List(v, func(n evidence.Number) starlark.Value { return Known(n) })
	case [][]evidence.Number:
		return List(v, func(row []evidence.Number) starlark.Value { return c.give(row) })
	case []int:
		return Ints(v)
	case []string:
		return List(v, func(x string) starlark.Value { return starlark.String(x) })
	case [][2]int:
		return List(v, func(x [2]int) starlark.Value { return starlark.Tuple{starlark.MakeInt(x[0]), starlark.MakeInt(x[1])} })
	case [][]float64:
		if c.declaration.returns == "matrix" {
			return NewMatrix(v)
		}
		return List(v, func(row []float64) starlark.Value { return floats(row) })
	case [][]any:
		return List(v, func(row []any) starlark.Value { return c.give(row) })
	case []any:
		return List(v, c.give)
	case Tuple:
		return starlark.Tuple(each(v, c.give))
	case map[string]any:
		fields := make(map[string]starlark.Value, len(v))
		for name, x := range v {
			fields[name] = c.give(x)
		}
		return fieldsOf(fields)
	case Record:
		d := starlark.NewDict(len(v) / 2)
		for i := 0; i < len(v); i += 2 {
			_ = d.SetKey(starlark.String(v[i].(string)), c.give(v[i+1])) // not frozen
		}
		return d
	case dense:
		return matrixFrom(v)
	}
	for _, name := range c.declaration.results() {
		if t := c.Session.typeOf(name); t != nil {
			if out := t.wrap(c, v); out != nil {
				return out
			}
		}
	}
	panic(fmt.Sprintf("script: %s returns a %T, which is no %s", c.Name, v, c.declaration.returns))
}

// dense is a matrix of a library such as gonum.
type dense interface {
	Dims() (rows, columns int)
	At(i, j int) float64
}

// matrixFrom returns the script value of a matrix.
func matrixFrom(a dense) *Matrix {
	m, n := a.Dims()
	rows := make([][]float64, m)
	if d, ok := a.(*mat.Dense); ok {
		for i := range rows {
			rows[i] = slices.Clone(d.RawRowView(i))
		}
		return NewMatrix(rows)
	}
	for i := range rows {
		rows[i] = make([]float64, n)
		for j := range rows[i] {
			rows[i][j] = a.At(i, j)
		}
	}
	return NewMatrix(rows)
}

// ToValue returns the script value of a Go value whose type belongs to no class.
func ToValue(v any) starlark.Value { return new(Call).give(v) }

// Tuple becomes a tuple of script values.
type Tuple []any

// Record becomes a dict with the keys in this order. Its elements are alternately names and values.
type Record []any

// Each returns f(x) for every element x, as a slice that becomes a list of script values.
func Each[T any](xs []T, f func(x T) any) []any { return each(xs, f) }

func each[T, U any](xs []T, f func(x T) U) []U {
	return lists.Of(len(xs), func(i int) U { return f(xs[i]) })
}
