package xor

import (
	"context"
	"math"
	"math/rand/v2"

	"dpworkbench/ehmc"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// maxTable is the number of bits of a part up to which its states are listed.
const maxTable = 20

// table is the law of one part: upTo[s] is Pr[a state numbered at most s] as a
// 128-bit fraction, bit k of the part being bit k of the number.
type table struct{ upTo ehmc.Thresholds }

// newTable computes the law of d bits. A weight is a product of at most d(d + 1)
// factors in double-word arithmetic, each off by quadUnit and its product by as
// much, and thresholds err by 2⁻¹⁰⁰ more: at most 20 bits have a law within 2⁻⁸⁰ of
// the wanted one in total variation. It returns an error wrapping evidence.ErrParameter
// where d exceeds maxTable or exponents 2⁶⁰, and ctx's error.
func newTable(ctx context.Context, diag []float64, rows [][]float64) (*table, error) {
	d := len(diag)
	if d > maxTable {
		return nil, parameter.Errorf(`method = "enumerate" keeps all states of each independent part; one has %d bits, 2^%d = %.3g states, want at most %d bits`, d, d, math.Ldexp(1, d), maxTable)
	}
	weight, top, err := stateWeights(ctx, diag, rows)
	if err != nil {
		return nil, err
	}
	var z, run pair
	for _, w := range weight {
		z.addPair(w.scaledTo(top))
	}
	t := &table{make(ehmc.Thresholds, len(weight))}
	for s, w := range weight {
		run.addPair(w.scaledTo(top))
		t.upTo[s] = run.over(z)
	}
	t.upTo[len(weight)-1] = ehmc.Threshold{Hi: math.MaxUint64, Lo: math.MaxUint64}
	return t, nil
}

// stateWeights returns the weights of all states of d bits, bit k being bit k of the
// state's number, and the greatest exponent among them. It returns an error wrapping
// evidence.ErrParameter where exponents exceed 2⁶⁰, and ctx's error.
func stateWeights(ctx context.Context, diag []float64, rows [][]float64) (weight []quad, top int64, err error) {
	if err := checkExponents(diag, rows); err != nil {
		return nil, 0, err
	}
	d := len(diag)
	weight, pull := make([]quad, 1<<d), make([]quad, 1<<d)
	weight[0] = quad{.5, 0, 1}
	top = weight[0].e
	for k := range d {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		pull[0] = quadExp(interval.Float(diag[k])) // pull[s]: what bit k multiplies the weight of s by
		for j := range k {
			f := quadExp(interval.Float(2 * rows[k][j]))
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

// draw returns a state.
func (t *table) draw(src rand.Source) uint32 { return uint32(t.upTo.Draw(src)) }
