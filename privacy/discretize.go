package privacy

import (
	"context"
	"math/big"

	"dpworkbench/interval"
)

// This file puts finitely many losses on a lattice.

// lattice implements latticePair.
func (l *DiscretePair) lattice() *lattice {
	switch {
	case len(l.atoms) == 0:
		return &lattice{offset: interval.Int(0)}
	case l.onLattice():
		first, last := l.atoms[0], l.atoms[len(l.atoms)-1]
		offset := first.Offset
		for _, a := range l.atoms {
			offset = interval.Hull(offset, a.Offset)
		}
		return &lattice{l.unit, offset, first.Steps, last.Steps}
	case len(l.atoms) == 1:
		return &lattice{offset: l.atoms[0].Offset}
	}
	return nil
}

// discretize implements latticePair.
func (l *DiscretePair) discretize(_ context.Context, g grid, prec uint) (*lossPMF, error) {
	out := &lossPMF{grid: g, base: interval.Int(0), prec: prec, infinityMass: floorFixed(l.infinityMass.Enclosure, prec)}
	if len(l.atoms) == 0 {
		return out, nil
	}
	lat := l.lattice()
	out.base, out.first = lat.offset, lat.minIndex*g.stepsPerUnit.Int64()
	out.mass = make([]*big.Int, (lat.maxIndex-lat.minIndex)*g.stepsPerUnit.Int64()+1)
	for i := range out.mass {
		out.mass[i] = new(big.Int)
	}
	for _, a := range l.atoms {
		m := out.mass[(a.Steps-lat.minIndex)*g.stepsPerUnit.Int64()]
		m.Add(m, floorFixed(a.P.Enclosure, prec))
	}
	return out.dropEmptyTails(), nil
}
