package repl

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
func (c *call) float(name string) float64 { return c.floatOf(name, c.value(name)) }

func (c *call) floatOf(name string, v starlark.Value) float64 {
	f, ok := toFloat(v)
	if !ok {
		c.fail(name, v, "a number"+unread(v))
	}
	if math.IsNaN(f) {
		c.fail(name, v, "a number")
	}
	return f
}

// finite returns a finite number.
func (c *call) finite(name string) float64 {
	f := c.float(name)
	if math.IsInf(f, 0) {
		c.fail(name, c.value(name), "a finite number")
	}
	return f
}

// floatIn returns a number in [lo, hi].
func (c *call) floatIn(name string, lo, hi float64) float64 {
	v := c.value(name)
	f, ok := toFloat(v)
	if !ok {
		c.fail(name, v, fmt.Sprintf("a number in [%g, %g]", lo, hi)+unread(v))
	}
	if !(f >= lo && f <= hi) {
		c.fail(name, v, fmt.Sprintf("a number in [%g, %g]", lo, hi))
	}
	return f
}

// positive returns a positive finite number.
func (c *call) positive(name string) float64 {
	v := c.value(name)
	f, ok := toFloat(v)
	if !ok {
		c.fail(name, v, "a positive finite number"+unread(v))
	}
	if !(f > 0) || math.IsInf(f, 1) {
		c.fail(name, v, "a positive finite number")
	}
	return f
}

// int returns a whole number in [lo, hi]; 3.0 counts as 3.
func (c *call) int(name string, lo, hi int) int {
	n, ok := toInt(c.value(name))
	if !ok || n < lo || n > hi {
		switch {
		case hi == math.MaxInt && lo == math.MinInt:
			c.fail(name, c.value(name), "a whole number"+inexact(c.value(name)))
		case hi == math.MaxInt:
			c.fail(name, c.value(name), fmt.Sprintf("a whole number, at least %d", lo)+inexact(c.value(name)))
		}
		c.fail(name, c.value(name), fmt.Sprintf("a whole number from %d to %d", lo, hi)+inexact(c.value(name)))
	}
	return n
}

// count returns a whole number ≥ 0.
func (c *call) count(name string) int { return c.int(name, 0, math.MaxInt) }

// index returns a whole number in 0 … size−1.
func (c *call) index(name string, size int) int { return c.int(name, 0, size-1) }

// bool returns a truth value; 0 and 1 are accepted.
func (c *call) bool(name string) bool {
	switch v := c.value(name).(type) {
	case starlark.Bool:
		return bool(v)
	case starlark.Int:
		if n, ok := toInt(v); ok && (n == 0 || n == 1) {
			return n == 1
		}
	}
	c.fail(name, c.value(name), "True or False")
	return false
}

// string returns a string.
func (c *call) string(name string) string {
	s, ok := starlark.AsString(c.value(name))
	if !ok {
		c.fail(name, c.value(name), "a string")
	}
	return s
}

// choice returns one of the given strings.
func (c *call) choice(name string, options ...string) string {
	s, ok := starlark.AsString(c.value(name))
	for _, o := range options {
		if ok && s == o {
			return s
		}
	}
	want := `"` + strings.Join(options, `", "`) + `"`
	if i := strings.LastIndex(want, ", "); i >= 0 {
		want = want[:i] + " or " + want[i+2:]
	}
	c.stop("%s = %s, want %s%s", name, brief(c.value(name)), want, nearest.Hint(s, options))
	return ""
}

// rational returns a number exactly: an int, "7/2", "0.1", an exact evidence,
// or the shortest decimal of a float.
func (c *call) rational(name string) *big.Rat { return c.rationalOf(name, c.value(name)) }

func (c *call) rationalOf(name string, v starlark.Value) *big.Rat {
	q, ok := toRational(v)
	if !ok {
		c.fail(name, v, `a finite number or a fraction like "7/2"`+inexact(v))
	}
	return q
}

// rationals returns a list of exact numbers, possibly empty.
func (c *call) rationals(name string) []*big.Rat {
	vs := c.list(name)
	out := make([]*big.Rat, len(vs))
	for i, v := range vs {
		out[i] = c.rationalOf(fmt.Sprintf("%s[%d]", name, i), v)
	}
	return out
}

// rationalRows returns a list of lists of exact numbers, of any lengths.
func (c *call) rationalRows(name string) [][]*big.Rat {
	vs := c.list(name)
	out := make([][]*big.Rat, len(vs))
	for i, v := range vs {
		row, ok := elements(v)
		if !ok {
			c.fail(fmt.Sprintf("%s[%d]", name, i), v, "a list of numbers")
		}
		out[i] = make([]*big.Rat, len(row))
		for j, v := range row {
			out[i][j] = c.rationalOf(fmt.Sprintf("%s[%d][%d]", name, i, j), v)
		}
	}
	return out
}

// list returns the elements of a list, tuple, matrix or other finite iterable.
func (c *call) list(name string) []starlark.Value {
	vs, ok := elements(c.value(name))
	if !ok {
		c.fail(name, c.value(name), "a list")
	}
	return vs
}

// floats returns a list of numbers, possibly empty; NaN is refused.
func (c *call) floats(name string) []float64 {
	vs := c.list(name)
	out := make([]float64, len(vs))
	for i, v := range vs {
		out[i] = c.floatOf(fmt.Sprintf("%s[%d]", name, i), v)
	}
	return out
}

// ints returns a list of whole numbers.
func (c *call) ints(name string) []int {
	vs := c.list(name)
	out := make([]int, len(vs))
	for i, v := range vs {
		n, ok := toInt(v)
		if !ok {
			c.fail(fmt.Sprintf("%s[%d]", name, i), v, "a whole number"+inexact(v))
		}
		out[i] = n
	}
	return out
}

// strings returns a list of strings.
func (c *call) strings(name string) []string {
	vs := c.list(name)
	out := make([]string, len(vs))
	for i, v := range vs {
		s, ok := starlark.AsString(v)
		if !ok {
			c.fail(fmt.Sprintf("%s[%d]", name, i), v, "a string")
		}
		out[i] = s
	}
	return out
}

// rows returns a list of lists of numbers, of any lengths; NaN is refused.
func (c *call) rows(name string) [][]float64 { return c.rowsOf(name, c.value(name)) }

// rowsOf is rows for a value inside another one.
func (c *call) rowsOf(name string, v starlark.Value) [][]float64 {
	if m, ok := v.(*Matrix); ok {
		return m.copyRows()
	}
	vs, ok := elements(v)
	if !ok {
		c.fail(name, v, "a list")
	}
	out := make([][]float64, len(vs))
	for i, v := range vs {
		row, ok := elements(v)
		if !ok {
			c.fail(fmt.Sprintf("%s[%d]", name, i), v, "a list of numbers")
		}
		out[i] = make([]float64, len(row))
		for j, v := range row {
			out[i][j] = c.floatOf(fmt.Sprintf("%s[%d][%d]", name, i, j), v)
		}
	}
	return out
}

// matrix returns a matrix with at least one row and one column, as rows.
func (c *call) matrix(name string) [][]float64 { return c.matrixOf(name, c.value(name)) }

// matrixOf is matrix for a value inside another one.
func (c *call) matrixOf(name string, v starlark.Value) [][]float64 {
	rows := c.rowsOf(name, v)
	if len(rows) == 0 || len(rows[0]) == 0 {
		c.fail(name, v, "a matrix with at least one row and one column")
	}
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			c.stop("%s[%d] has %d entries, want %d like the rows before", name, i, len(row), len(rows[0]))
		}
	}
	return rows
}

// pairs returns a list of pairs of whole numbers, such as edges.
func (c *call) pairs(name string) [][2]int {
	vs := c.list(name)
	out := make([][2]int, len(vs))
	for i, v := range vs {
		pair, ok := elements(v)
		if !ok || len(pair) != 2 {
			c.fail(fmt.Sprintf("%s[%d]", name, i), v, "a pair of whole numbers")
		}
		for j := range pair {
			if out[i][j], ok = toInt(pair[j]); !ok {
				c.fail(fmt.Sprintf("%s[%d]", name, i), v, "a pair of whole numbers")
			}
		}
	}
	return out
}

// callable returns a Go function that calls the script function of the named
// parameter. It must be called from the goroutine of the call.
func (c *call) callable(name string) func(args ...starlark.Value) (starlark.Value, error) {
	f, ok := c.value(name).(starlark.Callable)
	if !ok {
		c.fail(name, c.value(name), "a function")
	}
	return func(args ...starlark.Value) (starlark.Value, error) {
		if err := c.ctx.Err(); err != nil {
			return nil, errStopped
		}
		return starlark.Call(c.thread, f, args, nil)
	}
}

// function returns the script function of the named parameter, nil for None.
func (c *call) function(name string) starlark.Callable {
	if !c.given(name) {
		return nil
	}
	f, ok := c.value(name).(starlark.Callable)
	if !ok {
		c.fail(name, c.value(name), "a function")
	}
	return f
}

// seed returns the seed of the named parameter, a whole number ≥ 0; where the
// caller wrote none, the session's (--seed) counts before the default.
func (c *call) seed(name string) uint64 {
	if !c.spelled(name) && c.session.Seed != 0 {
		return c.session.Seed
	}
	if i, ok := c.value(name).(starlark.Int); ok {
		if n, ok := i.Uint64(); ok {
			return n
		}
	}
	c.fail(name, c.value(name), "a whole number from 0 to 2^64-1")
	return 0
}

// source returns the generator that the named seed starts.
func (c *call) source(name string) rand.Source { return rand.NewPCG(c.seed(name), 0) }

// streams returns the generators that the named seed starts, by number.
func (c *call) streams(name string) func(n uint64) rand.Source {
	seed := c.seed(name)
	return func(n uint64) rand.Source { return rand.NewPCG(seed, n) }
}
