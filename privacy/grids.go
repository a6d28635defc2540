package privacy

import (
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// mostRungs bounds the rungs of a common lattice, mostWords the words of all masses.
const (
	mostRungs = 1 << 17
	mostFar   = 1 << 60 // rungs from 0, whose numbers are int64
	mostWords = 1 << 18
)

// Grids have gridRungs rungs at most, and where many different losses are summed fewer, all of them together about
// allRungs, but fewestRungs at least.
const (
	gridRungs   = 1 << 16
	allRungs    = 1 << 21
	fewestRungs = 1 << 11
)

// window returns, roughly, how wide the losses spread that the sum has with more than a chance of 2^−prec, by
// the uses' ends and as a normal law of their variance would. It is for choosing a step, no claim.
func window(factors []factor, prec uint) float64 {
	wide, square := 0.0, 0.0
	for _, f := range factors {
		lo, hi := f.pair.window(prec)
		n := float64(f.times)
		wide += n * (hi - lo)
		square += n * f.pair.variance()
	}
	if square = 2 * math.Sqrt(2*square*math.Ln2*float64(prec)); square < wide { // no NaN, as of masses that nobody knows
		return square
	}
	return wide
}

// part is a factor of a sum on grids.
type part struct {
	factor
	own []grid // the lattice of many uses, nil where there is none
	// Losses are counted in 2^scale units while uses of the part add up, and in 2^common then.
	unit          interval.Interval
	foreign       bool // the unit is not 1
	scale, common int
}

// partsOf returns the parts that factors make.
func partsOf(factors []factor, prec uint) []part {
	var out []part
	for _, f := range bundled(factors) {
		at := part{factor: f, unit: interval.Int(1)}
		if f.times > 1 {
			at.own = (&product{factors: []factor{f}}).common(prec)
		}
		if s, ok := f.pair.(*smooth); ok && len(s.jumps) > 0 && f.times > 1 {
			at.unit, at.foreign = s.jumps[0].loss, true // a rung, and its negative
		}
		out = append(out, at)
	}
	return out
}

// setScales sets the steps of parts, and returns how many rungs a grid has. With n sums to add up and R rungs for
// all of them, steps of 1/√n of the last one's keep the variance that is lost at every doubling the same; and one part has no more
// than R rungs.
func setScales(parts []part, prec uint) (most int) {
	most = max(min(gridRungs, allRungs/len(parts)), fewestRungs)
	most = max(min(most, int(4*mostWords/wordsOf(prec))), fewestRungs)
	var factors []factor
	loose := 1.0 // sums on a grid
	for _, f := range parts {
		factors = append(factors, f.factor)
		if f.own == nil {
			loose += float64(f.times)
		}
	}
	last := window(factors, min(prec, 200)) / float64(most)
	log := func(h float64) int { return int(math.Floor(math.Log2(h))) }
	for i, f := range parts {
		lo, hi := f.pair.window(prec)
		far := max(math.Abs(lo), math.Abs(hi)) * 0x1p-40 * float64(f.times) // rungs are counted from a loss of 0 in an int64
		own := window([]factor{f.factor}, prec)
		listed := 2 * (hi - lo) / float64(most)                                                     // the rungs of one use are all there
		final := max(5.6*last/math.Sqrt(float64(len(parts))), 5.6*own/float64(most), far, 0x1p-900) // split once or twice
		parts[i].common = log(final)
		if f.times == 1 { // and split once
			parts[i].scale = log(max(final, listed))
		} else {
			parts[i].scale = log(max(last/math.Sqrt(loose), listed, far, 0x1p-900) / f.unit.Mid())
		}
	}
	return most
}

// bundled returns the factors with small ones that are used once made one, whose losses are those of all their outputs: such as the
// bits of a vector.
func bundled(factors []factor) []factor {
	const mostAtoms = 64
	var out []factor
	var bundle *Losses
	flush := func() {
		if bundle != nil {
			out = append(out, factor{bundle, 1})
		}
		bundle = nil
	}
	for _, f := range factors {
		l, ok := f.pair.(*Losses)
		switch {
		case !ok || f.times > 1 || len(l.atoms) > mostAtoms/2:
			out = append(out, f)
		case bundle == nil || len(bundle.atoms)*len(l.atoms) > mostAtoms:
			flush()
			bundle = l
		default:
			bundle = bundle.with(l)
		}
	}
	flush()
	return out
}

// with returns the pair of both outputs of two, known by enclosures.
func (l *Losses) with(m *Losses) *Losses {
	var atoms []Atom
	for _, a := range l.atoms {
		for _, b := range m.atoms {
			mass := func(x, y evidence.Amount) evidence.Amount {
				return evidence.Amount{Enclosure: x.Enclosure.Mul(y.Enclosure)}
			}
			atoms = append(atoms, Atom{P: mass(a.P, b.P), Q: mass(a.Q, b.Q), Rest: l.Loss(a).Add(m.Loss(b))})
		}
	}
	return NewLosses(atoms, either(l.sure, m.sure), either(l.never, m.never), evidence.Epsilon{}, Hooks{})
}

// variance implements Pair.
func (l *Losses) variance() float64 {
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

// window implements Pair.
func (l *Losses) window(uint) (lo, hi float64) { return l.Spread().Bounds() }

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
	out, furthest := make([]grid, len(p.factors)), 0.0 // that the sum of all may come from 0
	for i, f := range p.factors {
		lat := f.pair.lattice()
		whole := new(big.Rat).Quo(shares[i], step).Num()
		if !whole.IsInt64() || whole.Int64() > mostRungs {
			return nil
		}
		from, to := float64(whole.Int64())*float64(lat.from), float64(whole.Int64())*float64(lat.to)
		furthest += float64(f.times) * max(math.Abs(from), math.Abs(to))
		if to-from > mostRungs || furthest > mostFar {
			return nil
		}
		out[i] = grid{step: interval.Rat(step).Mul(unit.Enclosure()), share: whole}
	}
	if !(window(p.factors, prec) <= mostRungs*out[0].step.Mid()) {
		return nil
	}
	return out
}

// words returns, roughly, how many words all masses of so many bits take.
func (p *product) words(prec uint) float64 {
	if g := p.common(prec); g != nil {
		return wordsOf(prec) * (1 + window(p.factors, prec)/g[0].step.Mid())
	}
	return wordsOf(prec) * fewestRungs
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
