package repl

import (
	"fmt"

	"dpworkbench/internal/symmetric"
	"dpworkbench/mvg"
	"dpworkbench/script"

	"go.starlark.net/starlark"
	"gonum.org/v1/gonum/mat"
)

// matrixKinds are matrices as the mathematics takes them: a *mat.Dense, a
// *mat.SymDense of what is symmetric up to rounding, and an mvg.Covariance.
func matrixKinds() []script.Kind {
	kind := func(name string, of func(name string, a *mat.Dense) (any, error)) script.Kind {
		return script.Kind{Name: name, Read: func(c *script.Call, name string, v starlark.Value) any {
			a, err := of(name, denseOf(c.MatrixOf(name, v)))
			if err != nil {
				c.Refuse(err)
			}
			return a
		}}
	}
	return []script.Kind{
		kind("dense", func(_ string, a *mat.Dense) (any, error) { return a, nil }),
		kind("symmetric", func(name string, a *mat.Dense) (any, error) { return symmetric.Of(name, a) }),
		kind("covariance", func(name string, a *mat.Dense) (any, error) {
			k, err := mvg.NewDense(a)
			if err != nil {
				err = fmt.Errorf("%s: %w", name, err)
			}
			return k, err
		}),
	}
}

func denseOf(rows [][]float64) *mat.Dense {
	d := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, row := range rows {
		d.SetRow(i, row)
	}
	return d
}

// dense returns an argument declared as dense, nil for None.
func dense(c *script.Call, name string) mat.Matrix {
	a, _ := c.Arg(name).(mat.Matrix)
	return a
}
