package privacy

import (
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// maxLatticeBuckets bounds the buckets of a common lattice, and maxWords the words that the masses of all buckets take.
const (
	maxLatticeBuckets = 1 << 17
	maxBucketIndex    = 1 << 60 // the largest |index| of a bucket; fits an int64
	maxWords          = 1 << 18
)

// sumWidth estimates the width of an interval that contains the sum of the lattice losses with probability 1 − 2^−prec.
// It returns the smaller of two estimates, from the ranges of the uses and from a normal law with their variance. It
// serves to choose a step and is not a bound.
func sumWidth(factors []factor, prec uint) float64 {
	width, square := 0.0, 0.0
	for _, f := range factors {
		lo, hi := f.pair.truncatedRange(prec)
		n := float64(f.times)
		width += n * (hi - lo)
		square += n * f.pair.(latticePair).variance()
	}
	if square = 2 * math.Sqrt(2*square*math.Ln2*float64(prec)); square < width { // false for NaN
		return square
	}
	return width
}

// variance implements latticePair.
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

// commonLattice returns grids of one lattice for all factors, and nil if there is none of moderate size.
func (p *composition) commonLattice(prec uint) []grid {
	var unit evidence.Epsilon
	var lattices []*lattice
	shares := make([]*big.Rat, len(p.factors))
	step := new(big.Rat) // the greatest common divisor of all units
	for i, f := range p.factors {
		var lat *lattice
		if l, ok := f.pair.(latticePair); ok {
			lat = l.lattice()
		}
		lattices = append(lattices, lat)
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
	if unit.IsZero() { // every factor has a single loss
		unit, _ = evidence.NewEpsilon("unit", 1)
		step = big.NewRat(1, 1)
	}
	out, maxAbs := make([]grid, len(p.factors)), 0.0 // the largest |index| of the sum
	for i, f := range p.factors {
		lat := lattices[i]
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

// words returns the approximate number of words of all masses at a precision.
func (p *composition) words(prec uint) float64 {
	if g := p.commonLattice(prec); g != nil {
		return wordsPerProduct(prec) * (1 + sumWidth(p.factors, prec)/g[0].step.Mid())
	}
	return math.Inf(1)
}

// wordsPerProduct returns the number of words of the product of two masses.
func wordsPerProduct(prec uint) float64 { return math.Ceil((2*float64(prec) + 24) / 64) }

// rationalGCD returns the largest rational of which a and b are integer multiples.
func rationalGCD(a, b *big.Rat) *big.Rat {
	den := new(big.Int).Mul(a.Denom(), b.Denom())
	num := new(big.Int).GCD(nil, nil, new(big.Int).Mul(a.Num(), b.Denom()), new(big.Int).Mul(b.Num(), a.Denom()))
	return new(big.Rat).SetFrac(num, den)
}
