package repl

import (
	"math"
	"math/big"
	"slices"
	"strconv"

	"dpworkbench/evidence"

	"go.starlark.net/starlark"
)

// toFloat reads a number or the value of evidence.
func toFloat(v starlark.Value) (float64, bool) {
	switch v := v.(type) {
	case starlark.Float:
		return float64(v), true
	case starlark.Int:
		return float64(v.Float()), true
	case *Evidence:
		return v.Float(), true
	}
	return 0, false
}

// toInt reads a whole number that fits an int.
func toInt(v starlark.Value) (int, bool) {
	switch w := v.(type) {
	case *Evidence:
		v = starlark.Float(w.Float())
	case starlark.Int, starlark.Float:
	default:
		return 0, false
	}
	if f, ok := v.(starlark.Float); ok {
		if float64(f) != math.Trunc(float64(f)) || math.Abs(float64(f)) > 1<<53 {
			return 0, false
		}
		return int(f), true
	}
	n, ok := v.(starlark.Int).Int64()
	return int(n), ok
}

// toRational reads a number exactly; see call.rational.
func toRational(v starlark.Value) (*big.Rat, bool) {
	text := ""
	switch v := v.(type) {
	case starlark.Int:
		return new(big.Rat).SetInt(v.BigInt()), true
	case starlark.Float:
		text = strconv.FormatFloat(float64(v), 'g', -1, 64)
	case starlark.String:
		text = string(v)
	case *Evidence:
		if e, ok := v.number.(evidence.Exact); ok {
			return new(big.Rat).Set(e.Value), true
		}
		text = strconv.FormatFloat(v.Float(), 'g', -1, 64)
	}
	// big.Rat would expand any power of ten: keep numbers to a sane size.
	if len(text) > 4096 || !saneExponent(text) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// saneExponent reports whether the exponent of a decimal is below 10000.
func saneExponent(text string) bool {
	i := len(text)
	for k, r := range text {
		if r == 'e' || r == 'E' || r == 'p' || r == 'P' {
			i = k + 1
			break
		}
	}
	if i == len(text) {
		return true
	}
	n, err := strconv.Atoi(text[i:])
	return err == nil && n < 10000 && n > -10000
}

// elements returns what a list, tuple, matrix, set or range holds.
func elements(v starlark.Value) ([]starlark.Value, bool) {
	switch v := v.(type) {
	case starlark.Tuple:
		return v, true
	case *starlark.Dict:
		return nil, false
	case starlark.Iterable:
		if n := starlark.Len(v); n < 0 || n > 1<<31 {
			return nil, false
		}
		out := make([]starlark.Value, 0, starlark.Len(v))
		for x := range starlark.Elements(v) {
			out = append(out, x)
		}
		return out, true
	}
	return nil, false
}

// known is the script value of a number with its evidence.
func known(n evidence.Number) starlark.Value { return &Evidence{number: n} }

// knownEpsilon is the script value of a privacy parameter: a float where it is
// one, exact evidence elsewhere.
func knownEpsilon(e evidence.Epsilon) starlark.Value {
	if q, ok := e.Rational(); ok {
		if v, whole := q.Float64(); whole {
			return starlark.Float(v)
		}
	}
	return known(evidence.Given{Epsilon: e})
}

// floatList returns a list of floats.
func floatList(xs []float64) *starlark.List {
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
func intList[T integer](xs []T) *starlark.List {
	vs := make([]starlark.Value, len(xs))
	for i, x := range xs {
		vs[i] = starlark.MakeInt64(int64(x))
	}
	return starlark.NewList(vs)
}

// stringList returns a list of strings.
func stringList(xs []string) *starlark.List {
	vs := make([]starlark.Value, len(xs))
	for i, x := range xs {
		vs[i] = starlark.String(x)
	}
	return starlark.NewList(vs)
}

// pairList returns a list of tuples of two ints.
func pairList(xs [][2]int) *starlark.List {
	vs := make([]starlark.Value, len(xs))
	for i, x := range xs {
		vs[i] = starlark.Tuple{starlark.MakeInt(x[0]), starlark.MakeInt(x[1])}
	}
	return starlark.NewList(vs)
}

// listOf returns a list of converted elements.
func listOf[T any](xs []T, convert func(T) starlark.Value) *starlark.List {
	vs := make([]starlark.Value, len(xs))
	for i, x := range xs {
		vs[i] = convert(x)
	}
	return starlark.NewList(vs)
}

// fieldsOf returns a dict with string keys, in the keys' order.
func fieldsOf(fields map[string]starlark.Value) *starlark.Dict {
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
