package privacy

import (
	"context"
	"math/big"
	"slices"

	"dpworkbench/interval"
)

// How finitely many losses are laid on the rungs of a lattice or a grid.

// lattice implements Pair.
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

// discretize implements Pair.
func (l *DiscretePair) discretize(ctx context.Context, g grid, prec uint) (*lossPMF, error) {
	out := &lossPMF{grid: g, base: interval.Int(0), prec: prec, infinityMass: floorFixed(l.infinityMass.Enclosure, prec), discVar: interval.Int(0), unassigned: interval.Int(0)}
	if len(l.atoms) == 0 {
		return out, nil
	}
	if g.stepsPerUnit == nil {
		if g.optimistic {
			out.base = slackBelow
		}
		return l.discretizeOnGrid(ctx, out)
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

// discretizeOnGrid fills a ladder over or under the losses.
func (l *DiscretePair) discretizeOnGrid(ctx context.Context, out *lossPMF) (*lossPMF, error) {
	add, finish := out.discretizer(l.LossRange())
	for i, a := range slices.Backward(l.atoms) {
		if err := pollContext(ctx, i); err != nil {
			return nil, err
		}
		add(l.Loss(a), a.P.Enclosure)
	}
	if !out.optimistic && sign(l.infinityMass) == 0 { // what enclosures leave open belongs to one of the losses
		out.unassigned = fromFixed(out.truncated(), out.prec)
		add(l.LossRange().Upper(), out.unassigned)
	}
	return finish(), nil
}
