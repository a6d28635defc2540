package script

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strconv"

	"dpworkbench/evidence"
	"dpworkbench/internal/draw"
	"dpworkbench/internal/lists"
	"dpworkbench/internal/parameter"

	"go.starlark.net/starlark"
)

// The getters return an argument converted to a Go type, or the zero value if the argument is None.

// Float returns a number, which may be infinite.
func (c *Call) Float(name string) float64 { return arg[float64](c, name) }

// Int returns an integer; 3.0 counts as 3.
func (c *Call) Int(name string) int { return arg[int](c, name) }

// Bool returns a truth value; 0 and 1 are accepted.
func (c *Call) Bool(name string) bool { return arg[bool](c, name) }

// Text returns a string. If the declaration lists words, it is one of them.
func (c *Call) Text(name string) string { return arg[string](c, name) }

// Rational returns a number exactly: an int, "7/2", "0.1", an exact evidence,
// or the shortest decimal of a float.
func (c *Call) Rational(name string) *big.Rat { return arg[*big.Rat](c, name) }

// Epsilon returns a privacy parameter, exactly.
func (c *Call) Epsilon(name string) evidence.Epsilon { return arg[evidence.Epsilon](c, name) }

// Delta returns the δ of a guarantee, exactly.
func (c *Call) Delta(name string) evidence.Delta { return arg[evidence.Delta](c, name) }

// List returns the elements of a list, tuple, matrix or other finite iterable.
func (c *Call) List(name string) []starlark.Value { return arg[[]starlark.Value](c, name) }

// Floats returns a list of numbers, possibly empty.
func (c *Call) Floats(name string) []float64 { return arg[[]float64](c, name) }

// Rationals returns a list of exact numbers, possibly empty.
func (c *Call) Rationals(name string) []*big.Rat { return arg[[]*big.Rat](c, name) }

// Epsilons returns a list of ε, without rounding. The number 0 becomes the zero Epsilon.
func (c *Call) Epsilons(name string) []evidence.Epsilon { return arg[[]evidence.Epsilon](c, name) }

// Ints returns a list of integers.
func (c *Call) Ints(name string) []int { return arg[[]int](c, name) }

// Pairs returns a list of pairs of integers, such as edges.
func (c *Call) Pairs(name string) [][2]int { return arg[[][2]int](c, name) }

// Rows returns a list of lists of numbers. The lists of a parameter of kind rows may have any lengths. Those of a
// parameter of kind matrix have one length, and there is at least one row and one column.
func (c *Call) Rows(name string) [][]float64 { return arg[[][]float64](c, name) }

// RationalRows returns a list of lists of exact numbers, of any lengths.
func (c *Call) RationalRows(name string) [][]*big.Rat { return arg[[][]*big.Rat](c, name) }

// Function returns a script function.
func (c *Call) Function(name string) starlark.Callable { return arg[starlark.Callable](c, name) }

// Callable returns a Go function that calls a script function. The Go function must run on the goroutine of the
// built-in's call and before that call ends. [Call.Kept] has no such limits.
func (c *Call) Callable(name string) func(args ...starlark.Value) (starlark.Value, error) {
	f := c.Function(name)
	return func(args ...starlark.Value) (starlark.Value, error) {
		if err := c.Context.Err(); err != nil {
			return nil, ErrStopped
		}
		return starlark.Call(c.Thread, f, args, nil)
	}
}

// Kept returns a Go function that calls a script function. It may be called from any goroutine, also after the
// built-in's call has ended. Everything that the script function can reach is frozen. Each call runs on a thread of its
// own, for the session's current client.
func (c *Call) Kept(name string) func(args ...starlark.Value) (starlark.Value, error) {
	f, s, table := c.Function(name), c.Session, c.Thread.Local(tableKey)
	if err := s.FreezeReached(f); err != nil {
		Refuse(err)
	}
	return func(args ...starlark.Value) (starlark.Value, error) {
		if s.context().Err() != nil {
			return nil, ErrStopped
		}
		t := s.newThread(f.Name())
		t.SetLocal(tableKey, table)
		if caller := s.caller.Load(); caller != nil {
			t.SetLocal(CallerKey, *caller)
		}
		return starlark.Call(t, f, args, nil)
	}
}

// Seed returns a seed.
func (c *Call) Seed(name string) uint64 { return arg[uint64](c, name) }

// Source returns the random source with the given seed and stream number 0.
func (c *Call) Source(name string) rand.Source { return draw.Source(c.Seed(name), 0) }

// Streams returns a function that maps a stream number n to the random source with the given seed and that number.
func (c *Call) Streams(name string) func(n uint64) rand.Source {
	seed := c.Seed(name)
	return func(n uint64) rand.Source { return draw.Source(seed, n) }
}

// The readers convert a value to a Go type. They stop the call if it does not fit (see [Call.Fail]).

func (c *Call) floatOf(name string, v starlark.Value) float64 {
	return c.floatWhere(name, v, "a number", func(float64) bool { return true })
}

// floatWhere returns a float64 that satisfies a test, which NaN never does.
func (c *Call) floatWhere(name string, v starlark.Value, want string, fits func(float64) bool) float64 {
	f, ok := toFloat(v)
	if !ok {
		c.Fail(name, v, want+unread(v))
	}
	if math.IsNaN(f) || !fits(f) {
		c.Fail(name, v, want)
	}
	return f
}

func (c *Call) finiteOf(name string, v starlark.Value) float64 {
	f := c.floatOf(name, v)
	if math.IsInf(f, 0) {
		c.Fail(name, v, "a finite number")
	}
	return f
}

// choiceOf reads a design choice. No guarantee rests on its exact value, because the privacy of what is made with it is
// computed afterwards. Evidence is read as its float64 value, and a fraction such as "1/1000" as the float64 nearest to
// it.
func (c *Call) choiceOf(name string, v starlark.Value) float64 {
	switch w := v.(type) {
	case *Evidence:
		v = starlark.Float(w.Float())
	case starlark.String:
		if q, ok := ToRational(w); ok {
			f, _ := q.Float64()
			v = starlark.Float(f)
		}
	}
	return c.finiteOf(name, v)
}

// rationalChoiceOf reads a design choice without rounding. Evidence that is not a rational number is read as its
// float64 value, as in choiceOf.
func (c *Call) rationalChoiceOf(name string, v starlark.Value) *big.Rat {
	if e, ok := v.(*Evidence); ok {
		if _, exact := ToRational(e); !exact {
			v = starlark.Float(e.Float())
		}
	}
	return c.RationalOf(name, v)
}

// levelOf reads a confidence, a power or another level of a test, by the rules of choiceOf.
func (c *Call) levelOf(name string, v starlark.Value) float64 {
	f := c.choiceOf(name, v)
	if !(f > 0 && f < 1) {
		c.Fail(name, v, "0 < "+name+" < 1")
	}
	return f
}

func (c *Call) positiveOf(name string, v starlark.Value) float64 {
	return c.floatWhere(name, v, "a positive finite number", func(f float64) bool { return f > 0 && !math.IsInf(f, 1) })
}

// IntOf reads an integer.
func (c *Call) IntOf(name string, v starlark.Value) int {
	return c.intOf(name, v, math.MinInt, math.MaxInt)
}

func (c *Call) intOf(name string, v starlark.Value, lo, hi int) int {
	n, ok := ToInt(v)
	if !ok || n < lo || n > hi {
		want := fmt.Sprintf("a whole number from %d to %d", lo, hi)
		switch {
		case hi == math.MaxInt && lo == math.MinInt:
			want = "a whole number"
		case hi == math.MaxInt:
			want = fmt.Sprintf("a whole number, at least %d", lo)
		}
		c.Fail(name, v, want+Inexact(v))
	}
	return n
}

// Index returns an integer in 0 … size−1.
func (c *Call) Index(name string, size int) int { return c.IndexOf(name, c.Value(name), size) }

// IndexOf reads an integer in 0 … size−1.
func (c *Call) IndexOf(name string, v starlark.Value, size int) int {
	return c.intOf(name, v, 0, size-1)
}

func (c *Call) boolOf(name string, v starlark.Value) bool {
	switch v := v.(type) {
	case starlark.Bool:
		return bool(v)
	case starlark.Int:
		if n, ok := ToInt(v); ok && (n == 0 || n == 1) {
			return n == 1
		}
	}
	c.Fail(name, v, "True or False")
	return false
}

// reader returns a function that reads a value, or fails with the description of what was wanted.
func reader[T any](want string, read func(v starlark.Value) (T, bool)) func(c *Call, name string, v starlark.Value) T {
	return func(c *Call, name string, v starlark.Value) T {
		x, ok := read(v)
		if !ok {
			c.Fail(name, v, want)
		}
		return x
	}
}

// RationalOf reads a number without rounding it.
func (c *Call) RationalOf(name string, v starlark.Value) *big.Rat {
	q, ok := ToRational(v)
	if !ok {
		c.Fail(name, v, `a finite number or a fraction like "7/2"`+Inexact(v))
	}
	return q
}

// PairOf reads a pair of integers.
func (c *Call) PairOf(name string, v starlark.Value) (out [2]int) {
	pair, ok := Elements(v)
	ok = ok && len(pair) == 2
	for j := 0; ok && j < 2; j++ {
		out[j], ok = ToInt(pair[j])
	}
	if !ok {
		c.Fail(name, v, "a pair of whole numbers")
	}
	return out
}

// ListOf reads a list. Each element is read under the name of its place, such as name[i].
func ListOf[T any](c *Call, name string, v starlark.Value, each func(name string, v starlark.Value) T) []T {
	vs := reader("a list", Elements)(c, name, v)
	return lists.Of(len(vs), func(i int) T { return each(name+"["+strconv.Itoa(i)+"]", vs[i]) })
}

// RowsOf reads a list of lists of numbers, of any lengths.
func RowsOf[T any](c *Call, name string, v starlark.Value, each func(name string, v starlark.Value) T) [][]T {
	return ListOf(c, name, v, func(name string, v starlark.Value) []T {
		if _, ok := Elements(v); !ok {
			c.Fail(name, v, "a list of numbers")
		}
		return ListOf(c, name, v, each)
	})
}

// rowsOf reads the rows of a matrix or of lists. Callers must not change them, because a matrix returns its own rows,
// not copies.
func (c *Call) rowsOf(name string, v starlark.Value) [][]float64 {
	if m, ok := v.(*Matrix); ok {
		return m.rows
	}
	return RowsOf(c, name, v, c.floatOf)
}

// MatrixOf reads a matrix with at least one row and one column, as rows that nobody may change.
func (c *Call) MatrixOf(name string, v starlark.Value) [][]float64 {
	rows := c.rowsOf(name, v)
	if len(rows) == 0 || len(rows[0]) == 0 {
		c.Fail(name, v, "a matrix with at least one row and one column")
	}
	for i, row := range rows {
		if len(row) != len(rows[0]) {
			place := fmt.Sprintf("%s[%d]", name, i)
			Refuse(&parameter.Error{Name: place, Text: fmt.Sprintf("%s has %d entries, want %d like the rows before", place, len(row), len(rows[0]))})
		}
	}
	if _, lent := v.(*Matrix); lent {
		return rows
	}
	flat := slices.Concat(rows...) // contiguous rows, which Flat returns without copying
	for i, row := range rows {
		rows[i] = flat[i*len(row) : (i+1)*len(row)]
	}
	return rows
}

// Flat returns the entries of rows of equal length as one slice. If the rows are contiguous in memory, the slice shares
// that memory, so callers must not change it.
func Flat(rows [][]float64) []float64 {
	n := len(rows[0])
	flat := rows[0][:cap(rows[0])]
	for i, row := range rows {
		if len(flat) < (i+1)*n || &flat[i*n] != &row[0] {
			return slices.Concat(rows...)
		}
	}
	return flat[:len(rows)*n]
}

// seedOf reads a seed, an integer ≥ 0. If the caller did not write the argument, the session's seed (--seed) replaces
// the default.
func (c *Call) seedOf(name string, v starlark.Value) uint64 {
	if !c.Spelled(name) && c.Session.Seed != 0 {
		return c.Session.Seed
	}
	if i, ok := v.(starlark.Int); ok {
		if n, ok := i.Uint64(); ok {
			return n
		}
	}
	c.Fail(name, v, "a whole number from 0 to 2^64-1")
	return 0
}
