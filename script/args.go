package script

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"

	"dpworkbench/internal/nearest"

	"go.starlark.net/starlark"
)

// The getters read one parameter each. All stop the call where the value does
// not fit (see call.fail).

// float returns a finite or infinite number; NaN is refused.
func (c *Call) Float(name string) float64 { return c.floatOf(name, c.Value(name)) }

func (c *Call) floatOf(name string, v starlark.Value) float64 {
	f, ok := ToFloat(v)
	if !ok {
		c.Fail(name, v, "a number"+unread(v))
	}
	if math.IsNaN(f) {
		c.Fail(name, v, "a number")
	}
	return f
}

// finite returns a finite number.
func (c *Call) Finite(name string) float64 {
	f := c.Float(name)
	if math.IsInf(f, 0) {
		c.Fail(name, c.Value(name), "a finite number")
	}
	return f
}

// floatIn returns a number in [lo, hi].
func (c *Call) FloatIn(name string, lo, hi float64) float64 {
	v := c.Value(name)
	f, ok := ToFloat(v)
	if !ok {
		c.Fail(name, v, fmt.Sprintf("a number in [%g, %g]", lo, hi)+unread(v))
	}
	if !(f >= lo && f <= hi) {
		c.Fail(name, v, fmt.Sprintf("a number in [%g, %g]", lo, hi))
	}
	return f
}

// positive returns a positive finite number.
func (c *Call) Positive(name string) float64 {
	v := c.Value(name)
	f, ok := ToFloat(v)
	if !ok {
		c.Fail(name, v, "a positive finite number"+unread(v))
	}
	if !(f > 0) || math.IsInf(f, 1) {
		c.Fail(name, v, "a positive finite number")
	}
	return f
}

// int returns a whole number in [lo, hi]; 3.0 counts as 3.
func (c *Call) Int(name string, lo, hi int) int {
	n, ok := ToInt(c.Value(name))
	if !ok || n < lo || n > hi {
		switch {
		case hi == math.MaxInt && lo == math.MinInt:
			c.Fail(name, c.Value(name), "a whole number"+Inexact(c.Value(name)))
		case hi == math.MaxInt:
			c.Fail(name, c.Value(name), fmt.Sprintf("a whole number, at least %d", lo)+Inexact(c.Value(name)))
		}
		c.Fail(name, c.Value(name), fmt.Sprintf("a whole number from %d to %d", lo, hi)+Inexact(c.Value(name)))
	}
	return n
}

// count returns a whole number ≥ 0.
func (c *Call) Count(name string) int { return c.Int(name, 0, math.MaxInt) }

// index returns a whole number in 0 … size−1.
func (c *Call) Index(name string, size int) int { return c.Int(name, 0, size-1) }

// bool returns a truth value; 0 and 1 are accepted.
func (c *Call) Bool(name string) bool {
	switch v := c.Value(name).(type) {
	case starlark.Bool:
		return bool(v)
	case starlark.Int:
		if n, ok := ToInt(v); ok && (n == 0 || n == 1) {
			return n == 1
		}
	}
	c.Fail(name, c.Value(name), "True or False")
	return false
}

// string returns a string.
func (c *Call) Text(name string) string {
	s, ok := starlark.AsString(c.Value(name))
	if !ok {
		c.Fail(name, c.Value(name), "a string")
	}
	return s
}

// choice returns one of the given strings.
func (c *Call) Choice(name string, options ...string) string {
	s, ok := starlark.AsString(c.Value(name))
	for _, o := range options {
		if ok && s == o {
			return s
		}
	}
	want := `"` + strings.Join(options, `", "`) + `"`
	if i := strings.LastIndex(want, ", "); i >= 0 {
		want = want[:i] + " or " + want[i+2:]
	}
	c.Stop("%s = %s, want %s%s", name, Brief(c.Value(name)), want, nearest.Hint(s, options))
	return ""
}

// rational returns a number exactly: an int, "7/2", "0.1", an exact evidence,
// or the shortest decimal of a float.
func (c *Call) Rational(name string) *big.Rat { return c.RationalOf(name, c.Value(name)) }

func (c *Call) RationalOf(name string, v starlark.Value) *big.Rat {
	q, ok := ToRational(v)
	if !ok {
		c.Fail(name, v, `a finite number or a fraction like "7/2"`+Inexact(v))
	}
	return q
}

// rationals returns a list of exact numbers, possibly empty.
func (c *Call) Rationals(name string) []*big.Rat {
	vs := c.List(name)
	out := make([]*big.Rat, len(vs))
	for i, v := range vs {
		out[i] = c.RationalOf(fmt.Sprintf("%s[%d]", name, i), v)
	}
	return out
}

// rationalRows returns a list of lists of exact numbers, of any lengths.
func (c *Call) RationalRows(name string) [][]*big.Rat {
	vs := c.List(name)
	out := make([][]*big.Rat, len(vs))
	for i, v := range vs {
		row, ok := Elements(v)
		if !ok {
			c.Fail(fmt.Sprintf("%s[%d]", name, i), v, "a list of numbers")
		}
		out[i] = make([]*big.Rat, len(row))
		for j, v := range row {
			out[i][j] = c.RationalOf(fmt.Sprintf("%s[%d][%d]", name, i, j), v)
		}
	}
	return out
}

// list returns the elements of a list, tuple, matrix or other finite iterable.
func (c *Call) List(name string) []starlark.Value {
	vs, ok := Elements(c.Value(name))
	if !ok {
		c.Fail(name, c.Value(name), "a list")
	}
	return vs
}

// floats returns a list of numbers, possibly empty; NaN is refused.
func (c *Call) Floats(name string) []float64 {
	vs := c.List(name)
	out := make([]float64, len(vs))
	for i, v := range vs {
		out[i] = c.floatOf(fmt.Sprintf("%s[%d]", name, i), v)
	}
	return out
}

// ints returns a list of whole numbers.
func (c *Call) Ints(name string) []int {
	vs := c.List(name)
	out := make([]int, len(vs))
	for i, v := range vs {
		n, ok := ToInt(v)
		if !ok {
			c.Fail(fmt.Sprintf("%s[%d]", name, i), v, "a whole number"+Inexact(v))
		}
		out[i] = n
	}
	return out
}

// strings returns a list of strings.
func (c *Call) Texts(name string) []string {
	vs := c.List(name)
	out := make([]string, len(vs))
	for i, v := range vs {
		s, ok := starlark.AsString(v)
		if !ok {
			c.Fail(fmt.Sprintf("%s[%d]", name, i), v, "a string")
		}
		out[i] = s
	}
	return out
}

// rows returns a list of lists of numbers, of any lengths; NaN is refused.
func (c *Call) Rows(name string) [][]float64 { return c.rowsOf(name, c.Value(name)) }

// rowsOf is rows for a value inside another one.
func (c *Call) rowsOf(name string, v starlark.Value) [][]float64 {
	if m, ok := v.(*Matrix); ok {
		return m.copyRows()
	}
	vs, ok := Elements(v)
	if !ok {
		c.Fail(name, v, "a list")
	}
	out := make([][]float64, len(vs))
	for i, v := range vs {
		row, ok := Elements(v)
		if !ok {
			c.Fail(fmt.Sprintf("%s[%d]", name, i), v, "a list of numbers")
		}
		out[i] = make([]float64, len(row))
		for j, v := range row {
			out[i][j] = c.floatOf(fmt.Sprintf("%s[%d][%d]", name, i, j), v)
		}
	}
	return out
}

// matrix returns a matrix with at least one row and one column, as rows.
func (c *Call) Matrix(name string) [][]float64 { return c.MatrixOf(name, c.Value(name)) }

// matrixOf is matrix for a value inside another one.
func (c *Call) MatrixOf(name string, v starlark.Value) [][]float64 {
	rows := c.rowsOf(name, v)
	if len(rows) == 0 || len(rows[0]) == 0 {
		c.Fail(name, v, "a matrix with at least one row and one column")
	}
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			c.Stop("%s[%d] has %d entries, want %d like the rows before", name, i, len(row), len(rows[0]))
		}
	}
	return rows
}

// pairs returns a list of pairs of whole numbers, such as edges.
func (c *Call) Pairs(name string) [][2]int {
	vs := c.List(name)
	out := make([][2]int, len(vs))
	for i, v := range vs {
		pair, ok := Elements(v)
		if !ok || len(pair) != 2 {
			c.Fail(fmt.Sprintf("%s[%d]", name, i), v, "a pair of whole numbers")
		}
		for j := range pair {
			if out[i][j], ok = ToInt(pair[j]); !ok {
				c.Fail(fmt.Sprintf("%s[%d]", name, i), v, "a pair of whole numbers")
			}
		}
	}
	return out
}

// callable returns a Go function that calls the script function of the named
// parameter. It must be called from the goroutine of the call.
func (c *Call) Callable(name string) func(args ...starlark.Value) (starlark.Value, error) {
	f, ok := c.Value(name).(starlark.Callable)
	if !ok {
		c.Fail(name, c.Value(name), "a function")
	}
	return func(args ...starlark.Value) (starlark.Value, error) {
		if err := c.Context.Err(); err != nil {
			return nil, ErrStopped
		}
		return starlark.Call(c.Thread, f, args, nil)
	}
}

// function returns the script function of the named parameter, nil for None.
func (c *Call) Function(name string) starlark.Callable {
	if !c.Given(name) {
		return nil
	}
	f, ok := c.Value(name).(starlark.Callable)
	if !ok {
		c.Fail(name, c.Value(name), "a function")
	}
	return f
}

// seed returns the seed of the named parameter, a whole number ≥ 0; where the
// caller wrote none, the session's (--seed) counts before the default.
func (c *Call) Seed(name string) uint64 {
	if !c.Spelled(name) && c.Session.Seed != 0 {
		return c.Session.Seed
	}
	if i, ok := c.Value(name).(starlark.Int); ok {
		if n, ok := i.Uint64(); ok {
			return n
		}
	}
	c.Fail(name, c.Value(name), "a whole number from 0 to 2^64-1")
	return 0
}

// source returns the generator that the named seed starts.
func (c *Call) Source(name string) rand.Source { return rand.NewPCG(c.Seed(name), 0) }

// streams returns the generators that the named seed starts, by number.
func (c *Call) Streams(name string) func(n uint64) rand.Source {
	seed := c.Seed(name)
	return func(n uint64) rand.Source { return rand.NewPCG(seed, n) }
}
