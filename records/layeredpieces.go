package records

import (
	"context"
	"math/big"
)

// Piece is a part of the range on which the law is uniform.
type Piece struct {
	Lo, Hi float64
	Layer  int
	Weight float64 // the probability of the part
}

// Pieces lists the pieces of the law in ascending order of values. It leaves out pieces whose total weight is below
// 2⁻⁸⁰.
func (m *Layered) Pieces(ctx context.Context) ([]Piece, error) {
	l, err := m.listedLaw(ctx)
	if err != nil {
		return nil, err
	}
	return m.pieces(l), nil
}

func (m *Layered) pieces(l *layerLaw) []Piece {
	if l.sides[0].far != nil {
		return m.q.orderLayers.pieces(l)
	}
	cells := l.cells()
	out := make([]Piece, 0, len(cells))
	add := func(c cell) {
		from := c.from
		if l.step.Sign() > 0 {
			from = new(big.Rat).Add(c.from, l.step)
		}
		a, b := from, c.to
		if c.side == 1 {
			a, b = new(big.Rat).Neg(c.to), new(big.Rat).Neg(from)
		}
		lo, _ := new(big.Rat).Add(m.q.value, a).Float64()
		hi, _ := new(big.Rat).Add(m.q.value, b).Float64()
		out = append(out, Piece{lo, hi, c.layer, c.weight.Quo(l.mass).Mid()})
	}
	for k := len(cells) - 1; k >= 0; k-- {
		if cells[k].side == 1 {
			add(cells[k])
		}
	}
	for _, c := range cells {
		if c.side == 0 {
			add(c)
		}
	}
	return out
}

// Density returns the corners (x, y) of the density, which is a step function, in ascending order. y is per unit of the
// values. It covers the pieces nearest to f(x) that have the share p of the probability, 0 < p < 1. On a lattice each
// probability is spread over its step.
func (m *Layered) Density(ctx context.Context, p *big.Rat) (x, y []float64, err error) {
	l, err := m.listedLaw(ctx)
	if err != nil {
		return nil, nil, err
	}
	far, err := ErrorQuantile(ctx, m, p)
	if err != nil {
		return nil, nil, err
	}
	f, _ := m.q.value.Float64()
	half, _ := l.step.Float64()
	half /= 2
	for _, c := range m.pieces(l) {
		lo, hi := c.Lo-half, c.Hi+half
		if d := far.Float() + half; hi < f-d || lo > f+d {
			continue
		}
		if width := hi - lo; width > 0 {
			x, y = append(x, lo, hi), append(y, c.Weight/width, c.Weight/width)
		}
	}
	return x, y, nil
}
