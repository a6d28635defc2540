package script

import (
	"math"

	"dpworkbench/evidence"

	"go.starlark.net/starlark"
)

// What stands here goes once every parameter is declared.

func argOr[T any](c *Call, name string, read func(name string, v starlark.Value) T) T {
	i := c.find(name)
	if c.declaration.params[i].kind != "" {
		return arg[T](c, name)
	}
	if c.values[i] == starlark.None && c.declaration.params[i].fallback == starlark.None {
		return *new(T)
	}
	return read(name, c.values[i])
}

func listFor[T any](c *Call, each func(name string, v starlark.Value) T) func(name string, v starlark.Value) []T {
	return func(name string, v starlark.Value) []T { return ListOf(c, name, v, each) }
}

func (c *Call) Finite(name string) float64   { return argOr(c, name, c.finiteOf) }
func (c *Call) Positive(name string) float64 { return argOr(c, name, c.positiveOf) }
func (c *Call) Count(name string) int        { return c.Int(name, 0, math.MaxInt) }
func (c *Call) Upper(name string) float64    { return argOr(c, name, c.upperOf) }
func (c *Call) FloatIn(name string, lo, hi float64) float64 {
	return argOr(c, name, func(name string, v starlark.Value) float64 { return c.floatBetween(name, v, lo, hi) })
}
func (c *Call) Choice(name string, options ...string) string {
	return argOr(c, name, func(name string, v starlark.Value) string {
		return Words("", func() []string { return options }).Read(c, name, v).(string)
	})
}
func (c *Call) Matrix(name string) [][]float64 { return argOr(c, name, c.MatrixOf) }
func (c *Call) EpsilonOrZero(name string) evidence.Epsilon {
	return argOr(c, name, c.epsilonOrZeroOf)
}
