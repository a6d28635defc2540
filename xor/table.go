package xor

import (
	"context"
	"math"
	"math/bits"

	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// maxTable is the largest number of bits of a part whose states are listed.
const maxTable = 20

// table is the sampler of one part's states. Bit k of the part is bit k of the state's number.
type table struct{ *inversion }

// newTable computes the law of d bits. A weight is a product of at most d(d + 1) factors in double-double
// arithmetic; each factor and each product has an error of scaledDoubleUnit. It keeps its arguments. It returns an
// error wrapping evidence.ErrParameter if d exceeds maxTable or exponents exceed 2⁶⁰, and ctx's error.
func newTable(ctx context.Context, diag []float64, rows [][]float64) (*table, error) {
	d := len(diag)
	if d > maxTable {
		return nil, parameter.Errorf(`method = "enumerate" keeps all states of each independent part; one has %d bits, 2^%d = %.3g states, want at most %d bits`, d, d, math.Ldexp(1, d), maxTable)
	}
	weight, top, err := stateWeights(ctx, diag, rows)
	if err != nil {
		return nil, err
	}
	t := &table{newInversion(weight, top, float64(d*(d+1))*scaledDoubleUnit)}
	t.guard = uint(bits.Len(uint(3 * d * (d + 1))))
	t.weights = func(ctx context.Context, prec uint, visit func(w scaledBigFloat) bool) error {
		return eachState(ctx, diag, rows, prec, visit)
	}
	return t, nil
}

// eachState calls visit with the weights of all states in order of their numbers, as long as visit returns true. A
// weight is a product of d(d + 1)/2 exponentials. Each has an error of a factor 1 ± 2^(1−prec), and its product half of
// that: less than 1 ± 3d(d + 1)2^−prec in all. It returns ctx's error.
func eachState(ctx context.Context, diag []float64, rows [][]float64, prec uint, visit func(w scaledBigFloat) bool) error {
	exp := scaledBigExps{prec, map[float64]scaledBigFloat{}}
	pulls := make([]scaledBigFloat, len(diag)) // pulls[j] is the factor for setting bit j, given the bits above j
	for j, v := range diag {
		pulls[j] = exp.of(1, v)
	}
	visited := 0
	var walk func(w scaledBigFloat, pulls []scaledBigFloat) bool
	walk = func(w scaledBigFloat, pulls []scaledBigFloat) bool {
		k := len(pulls) - 1
		if k < 0 {
			visited++
			return (visited&0xfff != 0 || ctx.Err() == nil) && visit(w)
		}
		if !walk(w, pulls[:k]) {
			return false
		}
		given := make([]scaledBigFloat, k)
		for j := range given {
			if given[j] = pulls[j]; rows[k][j] != 0 {
				given[j] = pulls[j].mul(exp.of(2, rows[k][j]))
			}
		}
		return walk(w.mul(pulls[k]), given)
	}
	walk(scaledBigOne(prec), pulls)
	return ctx.Err()
}

// stateWeights returns the weights of all states of d bits, in order of their numbers, and the greatest binary exponent
// among them. Bit k of a state is bit k of its number. It returns an error wrapping evidence.ErrParameter if exponents
// bᵀΠb exceed 2⁶⁰, and ctx's error.
func stateWeights(ctx context.Context, diag []float64, rows [][]float64) (weight []scaledDouble, top int64, err error) {
	if err := checkExponents(diag, rows); err != nil {
		return nil, 0, err
	}
	d := len(diag)
	weight, pull := make([]scaledDouble, 1<<d), make([]scaledDouble, 1<<d)
	weight[0] = newScaledDouble(1, 0, 0)
	top = weight[0].e
	for k := range d {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		pull[0] = scaledDoubleExp(interval.Float(diag[k])) // pull[s] is the factor for setting bit k in state s
		for j := range k {
			f := scaledDoubleExp(interval.Float(2 * rows[k][j]))
			for s := range 1 << j {
				pull[s|1<<j] = pull[s].mul(f)
			}
		}
		for s := range 1 << k {
			w := weight[s].mul(pull[s])
			weight[s|1<<k] = w
			top = max(top, w.e)
		}
	}
	return weight, top, nil
}
