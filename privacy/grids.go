package privacy

import (
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// mostRungs bounds the rungs of a common lattice, gridRungs those of a grid, mostWords the words of all masses.
const (
	mostRungs = 1 << 17
	gridRungs = 1 << 15
	mostWords = 1 << 18
)

// window returns, roughly, how wide the losses spread that the sum has with more than a chance of 2^−prec, by
// the uses' ends and as a normal law of their variance would, and how far from 0 they lie. It is for choosing a step, no claim.
func (p *product) window(prec uint) (wide, far float64) {
	square := 0.0
	for _, f := range p.factors {
		lo, hi := reach(f.pair, prec)
		n := float64(f.times)
		wide += n * (hi - lo)
		far += n * max(hi, -lo)
		square += n * variance(f.pair)
	}
	return min(wide, 2*math.Sqrt(2*square*math.Ln2*float64(prec))), far
}

// grids returns what the losses of each factor are counted in: the unit of the lattice
// that all of them lie on, else a step that the sum of the losses has about gridRungs of.
func (p *product) grids(prec uint) []grid {
	if g := p.common(prec); g != nil {
		return g
	}
	rungs := min(gridRungs, max(mostWords/wordsOf(prec), 1<<10))
	wide, far := p.window(min(prec, 200))
	wide = max(wide, far*0x1p-40) // rungs are counted from a loss of 0 in an int64
	for _, f := range p.factors {
		lo, hi := reach(f.pair, prec)
		wide = max(wide, (hi-lo)*rungs/mostRungs) // and those of a use are listed
	}
	step := math.Exp2(math.Floor(math.Log2(wide / rungs)))
	if !(step > 0x1p-900) {
		step = 0x1p-40
	}
	out := make([]grid, len(p.factors))
	for i := range out {
		out[i].step = interval.Float(step)
	}
	return out
}

// coarse reports whether splitting losses between rungs of a step hides what is asked, or the rungs of a use are too
// many to list.
func (p *product) coarse(prec uint, step float64) bool {
	for _, f := range p.factors {
		if lo, hi := reach(f.pair, prec); !(hi-lo <= 4*mostRungs*step) {
			return true
		}
	}
	return !(p.uses()*step*step <= 64)
}

// variance returns, roughly, that of the finite losses.
func variance(p Pair) float64 {
	l, ok := p.(*Losses)
	if !ok {
		return p.Curvature().Mid()
	}
	mass, mean, square := 0.0, 0.0, 0.0
	for _, a := range l.atoms {
		w, x := a.P.Enclosure.Mid(), l.Loss(a).Mid()
		mass, mean, square = mass+w, mean+w*x, square+w*x*x
	}
	if !(mass > 0) {
		return 0
	}
	return max(square/mass-mean*mean/(mass*mass), 0)
}

// reach returns the finite losses that a pair has with more than a chance of 2^−prec.
func reach(p Pair, prec uint) (lo, hi float64) {
	if s, ok := p.(*smooth); ok {
		return s.window(prec)
	}
	lo, hi = p.Spread().Bounds()
	return lo, hi
}

// common returns the grids of a lattice for all factors, nil where there is none of
// moderate size.
func (p *product) common(prec uint) []grid {
	var unit evidence.Epsilon
	shares := make([]*big.Rat, len(p.factors))
	step := new(big.Rat) // the largest of which all shares are multiples
	for i, f := range p.factors {
		lat := f.pair.lattice()
		switch {
		case lat == nil:
			return nil
		case lat.unit.IsZero():
			shares[i] = new(big.Rat)
			continue
		case unit.IsZero():
			unit = lat.unit
		}
		share, ok := lat.unit.Quotient(unit)
		if !ok {
			return nil
		}
		shares[i] = share
		step = commonMeasure(step, share)
	}
	if unit.IsZero() { // one loss each
		unit, _ = evidence.NewEpsilon("unit", 1)
		step = big.NewRat(1, 1)
	}
	out := make([]grid, len(p.factors))
	for i, f := range p.factors {
		lat := f.pair.lattice()
		whole := new(big.Rat).Quo(shares[i], step).Num()
		if !whole.IsInt64() || whole.Int64() > mostRungs {
			return nil
		}
		if span := whole.Int64() * (lat.to - lat.from); span > mostRungs {
			return nil
		}
		out[i] = grid{interval.Rat(step).Mul(unit.Enclosure()), whole}
	}
	if wide, _ := p.window(prec); !(wide <= mostRungs*out[0].step.Mid()) {
		return nil
	}
	return out
}

// words returns, roughly, how many words all masses of so many bits take.
func (p *product) words(prec uint) float64 {
	if g := p.common(prec); g != nil {
		wide, _ := p.window(prec)
		return wordsOf(prec) * (1 + wide/g[0].step.Mid())
	}
	return wordsOf(prec) * gridRungs
}

// wordsOf returns how many words the product of two masses takes.
func wordsOf(prec uint) float64 { return math.Ceil((2*float64(prec) + 24) / 64) }

// commonMeasure returns the largest rational of which both are multiples, 0 counting as
// a multiple of all.
func commonMeasure(a, b *big.Rat) *big.Rat {
	den := new(big.Int).Mul(a.Denom(), b.Denom())
	num := new(big.Int).GCD(nil, nil, new(big.Int).Mul(a.Num(), b.Denom()), new(big.Int).Mul(b.Num(), a.Denom()))
	return new(big.Rat).SetFrac(num, den)
}
