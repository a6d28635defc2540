package privacy

import (
	"context"
	"math/big"
	"slices"

	"dpworkbench/interval"
)

// How finitely many losses are laid on the rungs of a lattice or a grid.

// lattice implements Pair.
func (l *Losses) lattice() *lattice {
	switch {
	case len(l.atoms) == 0:
		return &lattice{offset: interval.Int(0)}
	case l.onLattice():
		first, last := l.atoms[0], l.atoms[len(l.atoms)-1]
		offset := first.Rest
		for _, a := range l.atoms {
			offset = interval.Hull(offset, a.Rest)
		}
		return &lattice{l.unit, offset, first.Steps, last.Steps}
	case len(l.atoms) == 1:
		return &lattice{offset: l.atoms[0].Rest}
	}
	return nil
}

// ladder implements Pair.
func (l *Losses) ladder(ctx context.Context, g grid, prec uint) (*ladder, error) {
	out := &ladder{grid: g, base: interval.Int(0), prec: prec, sure: cut(l.sure.Enclosure, prec), moved: interval.Int(0), lent: interval.Int(0)}
	if len(l.atoms) == 0 {
		return out, nil
	}
	if g.share == nil {
		if g.under {
			out.base = hairBelow
		}
		return l.onGrid(ctx, out)
	}
	lat := l.lattice()
	out.base, out.first = lat.offset, lat.from*g.share.Int64()
	out.mass = make([]*big.Int, (lat.to-lat.from)*g.share.Int64()+1)
	for i := range out.mass {
		out.mass[i] = new(big.Int)
	}
	for _, a := range l.atoms {
		m := out.mass[(a.Steps-lat.from)*g.share.Int64()]
		m.Add(m, cut(a.P.Enclosure, prec))
	}
	return out.trim(), nil
}

// onGrid fills a ladder over or under the losses.
func (l *Losses) onGrid(ctx context.Context, out *ladder) (*ladder, error) {
	place, done := out.filled(l.Spread())
	for i, a := range slices.Backward(l.atoms) {
		if err := due(ctx, i); err != nil {
			return nil, err
		}
		place(l.Loss(a), a.P.Enclosure)
	}
	if !out.under && sign(l.sure) == 0 { // what enclosures leave open belongs to one of the losses
		out.lent = scaled(out.rest(), out.prec)
		place(l.Spread().Upper(), out.lent)
	}
	return done(), nil
}
