package program

import (
	"math/big"

	"dpworkbench/internal/roots"
)

// Written is the law of one number of a symbolic program's output, or of whole outputs, as polynomials.
type Written struct {
	Outputs []string
	Rows    []WrittenRow
	Of      []int // index in Rows of each dataset's law
}

// WrittenRow is a law: output i has the probability Over[i]/Under at z. Under is positive on (0, 1).
type WrittenRow struct {
	Over  []roots.Polynomial
	Under roots.Polynomial
}

// Written returns the laws of a symbolic program as polynomials in z = e^{−ε/d}, where d is a multiple of Denominator.
// It returns one Written for each independent number, and usually a single one for whole outputs.
func (p *Program) Written(d int64) []Written {
	finer := d / p.rates.denom[0]
	out := make([]Written, len(p.tables))
	for i, t := range p.tables {
		w := Written{Outputs: t.cells, Of: newRatios(p.tables[i : i+1]).rows[0]}
		for x, n := range w.Of {
			if n == len(w.Rows) {
				w.Rows = append(w.Rows, p.rates.field.written(t.rows[x], finer))
			}
		}
		out[i] = w
	}
	return out
}

// written returns the row as polynomials with a common denominator, in the unit z with z^finer the program's unit.
func (f *field) written(row []fraction, finer int64) WrittenRow {
	var below []factor
	under := big.NewInt(1)
	for _, a := range row {
		below = both(below, a.below, larger)
		g := new(big.Int).GCD(nil, nil, under, a.bottom())
		under = new(big.Int).Mul(under, g.Quo(a.bottom(), g))
	}
	over := make([]laurent, len(row))
	first := int64(0)
	for i, a := range row {
		over[i] = f.over(a, below).scale(new(big.Int).Quo(under, a.bottom()))
		if len(over[i]) > 0 {
			first = min(first, over[i][0].e[0])
		}
	}
	bottom := f.over(fraction{num: whole(under)}, below)
	first = min(first, bottom[0].e[0])
	plain := func(l laurent) roots.Polynomial {
		var out roots.Polynomial
		for _, m := range l {
			at := (m.e[0] - first) * finer
			for int64(len(out)) <= at {
				out = append(out, new(big.Int))
			}
			out[at] = m.c
		}
		return out
	}
	w := WrittenRow{Under: plain(bottom)}
	for _, l := range over {
		w.Over = append(w.Over, plain(l))
	}
	return w
}
