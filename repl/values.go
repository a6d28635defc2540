package repl

import (
	"fmt"
	"math"

	"dpworkbench/query"
	"dpworkbench/script"

	"go.starlark.net/starlark"
)

// scriptValue is a point of a value metric space in scripts: an int where it is
// whole, a float, a string (a name, or a fraction that no float is), or a tuple of
// counts.
func scriptValue(v query.Value) starlark.Value {
	switch v := v.(type) {
	case query.Number:
		if f := float64(v); f == math.Trunc(f) && math.Abs(f) < 1e19 {
			q, _ := query.RationalOf(v)
			return starlark.MakeBigInt(q.Num()) // a whole float has a whole shortest decimal
		}
		return starlark.Float(v)
	case query.Fraction:
		if q := v.Rational(); q.IsInt() {
			return starlark.MakeBigInt(q.Num())
		}
	case interface{ Counts() query.Counts }:
		counts := v.Counts()
		t := make(starlark.Tuple, len(counts))
		for i, n := range counts {
			t[i] = starlark.MakeInt(n)
		}
		return t
	}
	return starlark.String(v.String())
}

// scriptNumber is an int where v is whole, a float elsewhere.
func scriptNumber(v float64) starlark.Value {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return starlark.MakeInt64(int64(v))
	}
	return starlark.Float(v)
}

// scriptValues is a list of values.
func scriptValues(vs []query.Value) *starlark.List { return script.List(vs, scriptValue) }

// queryValue reads a value: a number, a string, or a list of whole numbers. Where
// values are numbers, a string that spells one is that number.
func queryValue(v starlark.Value, numbers bool) (query.Value, bool) {
	text, isText := starlark.AsString(v)
	if q, ok := script.ToRational(v); ok && (numbers || !isText) {
		return query.RationalValue(q), true
	}
	if isText {
		return query.Name(text), true
	}
	parts, ok := script.Elements(v)
	if !ok {
		return nil, false
	}
	counts := make(query.Counts, len(parts))
	for i, p := range parts {
		if counts[i], ok = script.ToInt(p); !ok {
			return nil, false
		}
	}
	return counts, true
}

// queryValues reads a list of values.
func queryValues(c *script.Call, name string, numbers bool) []query.Value {
	list := c.List(name)
	out := make([]query.Value, len(list))
	for i, v := range list {
		var ok bool
		if out[i], ok = queryValue(v, numbers); !ok {
			c.Fail(fmt.Sprintf("%s[%d]", name, i), v, "a number, a string or a list of counts"+script.Inexact(v))
		}
	}
	return out
}

// place returns where the value of the named parameter stands in the range.
func place(c *script.Call, name string, q *query.Query) int {
	return placeOf(c, name, c.Value(name), q)
}

func placeOf(c *script.Call, name string, v starlark.Value, q *query.Query) int {
	for _, numbers := range []bool{false, true} { // a string is a name first, and then a number
		if value, ok := queryValue(v, numbers); ok {
			if r, ok := q.Find(value); ok {
				return r
			}
		}
	}
	c.Fail(name, v, "a value of the query's range (q.range)")
	return 0
}

// places returns the places in the range of a list of values.
func places(c *script.Call, name string, v starlark.Value, q *query.Query) []int {
	list, ok := script.Elements(v)
	if !ok {
		c.Fail(name, v, "a list of values")
	}
	out := make([]int, len(list))
	for i, v := range list {
		out[i] = placeOf(c, fmt.Sprintf("%s[%d]", name, i), v, q)
	}
	return out
}
