package ehmc

import (
	"math"
	"math/rand/v2"

	"dpworkbench/internal/draw"
	"dpworkbench/internal/parameter"
)

// MaxTable is the largest dimension that NewTable accepts.
const MaxTable = 20

// Table is the whole law of few bits. State s stands for the bits b_k = s>>k & 1.
type Table struct {
	d   int
	p   []float64
	law draw.Law
}

// NewTable computes all 2^d probabilities in float64, each with a relative error
// of the order of 1e-16 times the largest exponent: for looking at a law, and for
// draws that tests judge. It returns an error wrapping evidence.ErrParameter where d
// exceeds MaxTable or exponents leave the range of float64.
func NewTable(q Quadratic) (*Table, error) {
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
	t := &Table{d: d, p: e, law: pull[:0]}
	var sum float64
	for s, v := range e {
		e[s] = math.Exp(v - top)
		sum += e[s]
	}
	for s := range e {
		e[s] /= sum
		t.law.Add(e[s])
	}
	return t, nil
}

// Probabilities returns Pr[s] for every state. The slice is the table's own and
// must not be changed.
func (t *Table) Probabilities() []float64 { return t.p }

// Sample returns a state, by inversion with the high 53 bits of a word: its law is
// within 2^(d−51) < 1e-9 of the table's in total variation (see [draw.Law]), which no
// release should lean on.
func (t *Table) Sample(src rand.Source) uint32 {
	return uint32(t.law.At(float64(src.Uint64()>>11) / (1 << 53)))
}

// Bits spells out a state.
func (t *Table) Bits(s uint32) []bool {
	b := make([]bool, t.d)
	for k := range b {
		b[k] = s>>k&1 == 1
	}
	return b
}

// Index returns the number of a state, the inverse of Bits. It returns an error
// wrapping evidence.ErrParameter beyond 32 bits.
func Index(b []bool) (uint32, error) {
	if len(b) > 32 {
		return 0, parameter.Errorf("a state of %d bits has no number, want at most 32 bits", len(b))
	}
	var s uint32
	for k, on := range b {
		if on {
			s |= 1 << k
		}
	}
	return s, nil
}
