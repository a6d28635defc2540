package script

import (
	"fmt"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/memory"

	"go.starlark.net/starlark"
)

// elements returns what a list, tuple, matrix, set or range holds. Where that does
// not fit into memory, the call ends with that error.
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
		out := make([]starlark.Value, 0, n)
		for x := range starlark.Elements(v) {
			out = append(out, x)
		}
		return out, true
	}
	return nil, false
}

// known is the script value of a number with its evidence.
func Known(n evidence.Number) starlark.Value { return &Evidence{number: n} }

// knownEpsilon is the script value of a privacy parameter: a float where it is
// one, exact evidence elsewhere.
func KnownEpsilon(e evidence.Epsilon) starlark.Value {
	if q, ok := e.Rational(); ok {
		if v, whole := q.Float64(); whole {
			return starlark.Float(v)
		}
	}
	return Known(e.Number())
}

// floatList returns a list of floats.
func Floats(xs []float64) *starlark.List {
	vs := make([]starlark.Value, len(xs))
	for i, x := range xs {
		vs[i] = starlark.Float(x)
	}
	return starlark.NewList(vs)
}

// integer is any Go integer type that the mathematics uses.
type integer interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32
}

// intList returns a list of ints.
func Ints[T integer](xs []T) *starlark.List {
	vs := make([]starlark.Value, len(xs))
	for i, x := range xs {
		vs[i] = starlark.MakeInt64(int64(x))
	}
	return starlark.NewList(vs)
}

// stringList returns a list of strings.
func Strings(xs []string) *starlark.List {
	vs := make([]starlark.Value, len(xs))
	for i, x := range xs {
		vs[i] = starlark.String(x)
	}
	return starlark.NewList(vs)
}

// pairList returns a list of tuples of two ints.
func Pairs(xs [][2]int) *starlark.List {
	vs := make([]starlark.Value, len(xs))
	for i, x := range xs {
		vs[i] = starlark.Tuple{starlark.MakeInt(x[0]), starlark.MakeInt(x[1])}
	}
	return starlark.NewList(vs)
}

// listOf returns a list of converted elements.
func List[T any](xs []T, convert func(T) starlark.Value) *starlark.List {
	vs := make([]starlark.Value, len(xs))
	for i, x := range xs {
		vs[i] = convert(x)
	}
	return starlark.NewList(vs)
}

// fieldsOf returns a dict with string keys, in the keys' order.
func Fields(fields map[string]starlark.Value) *starlark.Dict {
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	slices.Sort(names)
	d := starlark.NewDict(len(names))
	for _, name := range names {
		_ = d.SetKey(starlark.String(name), fields[name])
	}
	return d
}
