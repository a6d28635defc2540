package privacy

import (
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// mostRungs bounds the rungs of a common lattice, mostWords the words of all masses.
const (
	maxLatticeBuckets = 1 << 17
	maxBucketIndex    = 1 << 60 // rungs from 0, whose numbers are int64
	maxWords          = 1 << 18
)

// Grids have gridRungs rungs at most, and where many different losses are summed fewer, all of them together about
// allRungs, but fewestRungs at least.
const (
	maxGridBuckets   = 1 << 16
	totalGridBuckets = 1 << 21
	minGridBuckets   = 1 << 11
)

// sumWidth returns, roughly, how wide the losses spread that the sum has with more than a chance of 2^−prec, by
// the uses' ends and as a normal law of their variance would. It is for choosing a step, no claim.
func sumWidth(factors []factor, prec uint) float64 {
	width, square := 0.0, 0.0
	for _, f := range factors {
		lo, hi := f.pair.truncatedRange(prec)
		n := float64(f.times)
		width += n * (hi - lo)
		square += n * f.pair.variance()
	}
	if square = 2 * math.Sqrt(2*square*math.Ln2*float64(prec)); square < width { // no NaN, as of masses that nobody knows
		return square
	}
	return width
}

// gridFactor is a factor of a sum on grids.
type gridFactor struct {
	factor
	lattice []grid // the lattice of many uses, nil where there is none
	// Losses are counted in 2^scale units while uses of the part add up, and in 2^common then.
	unit                     interval.Interval
	scaledUnit               bool // the unit is not 1
	exponent, commonExponent int
}

// gridFactors returns the parts that factors make.
func gridFactors(factors []factor, prec uint) []gridFactor {
	var out []gridFactor
	for _, f := range mergeSmall(factors) {
		at := gridFactor{factor: f, unit: interval.Int(1)}
		if f.times > 1 {
			at.lattice = (&composition{factors: []factor{f}}).commonLattice(prec)
		}
		if s, ok := f.pair.(*closedForm); ok && len(s.pointMasses) > 0 && f.times > 1 {
			at.unit, at.scaledUnit = s.pointMasses[0].loss, true // a rung, and its negative
		}
		out = append(out, at)
	}
	return out
}

// setSteps sets the steps of parts, and returns how many rungs a grid has. With n sums to add up and R rungs for
// all of them, steps of 1/√n of the last one's keep the variance that is lost at every doubling the same; and one part has no more
// than R rungs.
func setSteps(parts []gridFactor, prec uint) (most int) {
	most = max(min(maxGridBuckets, totalGridBuckets/len(parts)), minGridBuckets)
	most = max(min(most, int(4*maxWords/wordsPerProduct(prec))), minGridBuckets)
	var factors []factor
	loose := 1.0 // sums on a grid
	for _, f := range parts {
		factors = append(factors, f.factor)
		if f.lattice == nil {
			loose += float64(f.times)
		}
	}
	last := sumWidth(factors, min(prec, 200)) / float64(most)
	log := func(h float64) int { return int(math.Floor(math.Log2(h))) }
	for i, f := range parts {
		lo, hi := f.pair.truncatedRange(prec)
		far := max(math.Abs(lo), math.Abs(hi)) * 0x1p-40 * float64(f.times) // rungs are counted from a loss of 0 in an int64
		own := sumWidth([]factor{f.factor}, prec)
		listed := 2 * (hi - lo) / float64(most)                                                     // the rungs of one use are all there
		final := max(5.6*last/math.Sqrt(float64(len(parts))), 5.6*own/float64(most), far, 0x1p-900) // split once or twice
		parts[i].commonExponent = log(final)
		if f.times == 1 { // and split once
			parts[i].exponent = log(max(final, listed))
		} else {
			parts[i].exponent = log(max(last/math.Sqrt(loose), listed, far, 0x1p-900) / f.unit.Mid())
		}
	}
	return most
}

// mergeSmall returns the factors with small ones that are used once made one, whose losses are those of all their outputs: such as the
// bits of a vector.
func mergeSmall(factors []factor) []factor {
	const mostAtoms = 64
	var out []factor
	var bundle *DiscretePair
	flush := func() {
		if bundle != nil {
			out = append(out, factor{bundle, 1})
		}
		bundle = nil
	}
	for _, f := range factors {
		l, ok := f.pair.(*DiscretePair)
		switch {
		case !ok || f.times > 1 || len(l.atoms) > mostAtoms/2:
			out = append(out, f)
		case bundle == nil || len(bundle.atoms)*len(l.atoms) > mostAtoms:
			flush()
			bundle = l
		default:
			bundle = bundle.productWith(l)
		}
	}
	flush()
	return out
}

// productWith returns the pair of both outputs of two, known by enclosures.
func (l *DiscretePair) productWith(m *DiscretePair) *DiscretePair {
	var atoms []Atom
	for _, a := range l.atoms {
		for _, b := range m.atoms {
			mass := func(x, y evidence.RatOrInterval) evidence.RatOrInterval {
				return evidence.RatOrInterval{Enclosure: x.Enclosure.Mul(y.Enclosure)}
			}
			atoms = append(atoms, Atom{P: mass(a.P, b.P), Q: mass(a.Q, b.Q), Offset: l.Loss(a).Add(m.Loss(b))})
		}
	}
	return NewDiscretePair(atoms, unionMass(l.infinityMass, m.infinityMass), unionMass(l.qOnlyMass, m.qOnlyMass), evidence.Epsilon{}, Hooks{})
}

// variance implements Pair.
func (l *DiscretePair) variance() float64 {
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

// truncatedRange implements Pair.
func (l *DiscretePair) truncatedRange(uint) (lo, hi float64) { return l.LossRange().Bounds() }

// commonLattice returns the grids of a lattice for all factors, nil where there is none of
// moderate size.
func (p *composition) commonLattice(prec uint) []grid {
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
		step = rationalGCD(step, share)
	}
	if unit.IsZero() { // one loss each
		unit, _ = evidence.NewEpsilon("unit", 1)
		step = big.NewRat(1, 1)
	}
	out, maxAbs := make([]grid, len(p.factors)), 0.0 // that the sum of all may come from 0
	for i, f := range p.factors {
		lat := f.pair.lattice()
		whole := new(big.Rat).Quo(shares[i], step).Num()
		if !whole.IsInt64() || whole.Int64() > maxLatticeBuckets {
			return nil
		}
		from, to := float64(whole.Int64())*float64(lat.minIndex), float64(whole.Int64())*float64(lat.maxIndex)
		maxAbs += float64(f.times) * max(math.Abs(from), math.Abs(to))
		if to-from > maxLatticeBuckets || maxAbs > maxBucketIndex {
			return nil
		}
		out[i] = grid{step: interval.Rat(step).Mul(unit.Enclosure()), stepsPerUnit: whole}
	}
	if !(sumWidth(p.factors, prec) <= maxLatticeBuckets*out[0].step.Mid()) {
		return nil
	}
	return out
}

// words returns, roughly, how many words all masses of so many bits take.
func (p *composition) words(prec uint) float64 {
	if g := p.commonLattice(prec); g != nil {
		return wordsPerProduct(prec) * (1 + sumWidth(p.factors, prec)/g[0].step.Mid())
	}
	return wordsPerProduct(prec) * minGridBuckets
}

// wordsPerProduct returns how many words the product of two masses takes.
func wordsPerProduct(prec uint) float64 { return math.Ceil((2*float64(prec) + 24) / 64) }

// rationalGCD returns the largest rational of which both are multiples, 0 counting as
// a multiple of all.
func rationalGCD(a, b *big.Rat) *big.Rat {
	den := new(big.Int).Mul(a.Denom(), b.Denom())
	num := new(big.Int).GCD(nil, nil, new(big.Int).Mul(a.Num(), b.Denom()), new(big.Int).Mul(b.Num(), a.Denom()))
	return new(big.Rat).SetFrac(num, den)
}
