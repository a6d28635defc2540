package ehmc

import (
	"math"

	"dpworkbench/internal/parameter"
)

// MaxTable is the largest dimension that [Probabilities] accepts.
const MaxTable = 20

// Probabilities returns all 2^d probabilities in float64, each with a relative error
// of the order of 1e-16 times the largest exponent: for looking at a law, and for
// judging draws. State s stands for the bits b_k = s>>k & 1. It returns an error wrapping evidence.ErrParameter where d
// exceeds MaxTable or exponents leave the range of float64.
func Probabilities(q Quadratic) ([]float64, error) {
	d := q.Dim()
	if d > MaxTable {
		return nil, parameter.Errorf("a table of %d bits has 2^%d states, want at most %d bits", d, d, MaxTable)
	}
	size := 1 << d
	e, pull := make([]float64, size), make([]float64, size)
	row := make([]float64, d)
	top := 0.0
	for k := range d {
		clear(row)
		q.AddRow(k, 2, row)
		pull[0] = q.Diagonal(k) // pull[s]: the logit of bit k given s in the bits below, zeros above
		for j := range k {
			for s := range 1 << j {
				pull[s|1<<j] = pull[s] + row[j]
			}
		}
		for s := range 1 << k {
			e[s|1<<k] = e[s] + pull[s]
			top = math.Max(top, e[s|1<<k])
		}
	}
	if math.IsInf(top, 1) || math.IsNaN(top) {
		return nil, parameter.Errorf("exponents bᵀΠb leave the range of numbers")
	}
	sum := 0.0
	for s, v := range e {
		e[s] = math.Exp(v - top)
		sum += e[s]
	}
	for s := range e {
		e[s] /= sum
	}
	return e, nil
}
