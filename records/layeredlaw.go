package records

import (
	"context"
	"math/big"
	"sort"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Distortion implements Law.
func (m *Layered) Distortion(ctx context.Context) (evidence.Number, error) {
	l, err := m.listedLaw(ctx)
	if err != nil {
		return nil, err
	}
	const source = "Wu et al., (40), at this dataset"
	if l.exact != nil {
		return evidence.Exact{Value: l.exact, Cases: uint64(len(l.weight)), Provenance: evidence.From(source)}, nil
	}
	return evidence.Enclosed(l.moment.Quo(l.mass), method, source), nil
}

// from encloses E|r − c|, where c is given as a signed distance from f(x).
func (l *layerLaw) from(c *big.Rat) (interval.Interval, error) {
	if l.sides[0].full == nil || l.sides[1].full == nil {
		return interval.Int(0), parameter.Errorf("the range is unbounded, so the error is known only relative to the query's value")
	}
	sum, two := interval.Int(0), big.NewRat(1, 2)
	for _, cell := range l.cells() {
		a, b := cell.from, cell.to // the cell is (a, b], or the lattice points in it
		if cell.side == 1 {
			a, b = new(big.Rat).Neg(cell.to), new(big.Rat).Neg(cell.from)
			if l.step.Sign() > 0 {
				a, b = a.Sub(a, l.step), b.Sub(b, l.step)
			}
		}
		// at is the length of the cell up to c; below and above are the mean distances to c on either side of c.
		at := new(big.Rat).Sub(c, a)
		all := new(big.Rat).Sub(b, a)
		if l.step.Sign() > 0 {
			at = floorTo(at, l.step)
		}
		if at.Sign() < 0 {
			at.SetInt64(0)
		} else if at.Cmp(all) > 0 {
			at.Set(all)
		}
		mean := func(from, to *big.Rat) *big.Rat { // |distance to c| over (from, to] above a
			v := new(big.Rat).Add(from, to)
			v.Add(v, l.step).Mul(v, two).Add(v, a).Sub(v, c)
			return v.Abs(v)
		}
		below := mean(new(big.Rat), at)
		above := mean(at, all)
		moment := new(big.Rat).Mul(at, below)
		moment.Add(moment, above.Mul(above, new(big.Rat).Sub(all, at)))
		sum = sum.Add(cell.weight.Mul(interval.Rat(moment.Quo(moment, all))))
	}
	span := interval.Rat(new(big.Rat).Add(l.sides[0].full, l.sides[1].full)).Add(interval.Rat(new(big.Rat).Abs(c)))
	sum = sum.Add(interval.Hull(interval.Int(0), l.rest.Mul(span)))
	return sum.Quo(l.mass), nil
}

// upTo encloses the weight of side i up to distance e ≥ 0; on a lattice, of its points up to e.
func (l *layerLaw) upTo(i int, e *big.Rat) interval.Interval {
	s := &l.sides[i]
	k := sort.Search(len(s.sum), func(k int) bool { return s.end(k).Cmp(e) > 0 })
	sum, from := interval.Int(0), new(big.Rat)
	if i == 1 {
		from = new(big.Rat).Neg(l.step)
	}
	if k > 0 {
		sum, from = s.sum[k-1], s.end(k-1)
	}
	if k == len(s.sum) {
		if reaches(s.full, s.end(k-1)) {
			return sum
		}
		return interval.Hull(sum, sum.Add(l.rest))
	}
	n := l.measure(from, e)
	if l.step.Sign() > 0 {
		n = new(big.Rat).SetInt(interval.RationalFloor(n))
	}
	return sum.Add(l.weight[k].Mul(interval.Rat(n)))
}

// Within implements Law.
func (m *Layered) Within(ctx context.Context, e *big.Rat) (interval.Interval, error) {
	l, err := m.listedLaw(ctx)
	if err != nil || e.Sign() < 0 {
		return interval.Int(0), err
	}
	return inUnit(l.upTo(0, e).Add(l.upTo(1, e)).Quo(l.mass)), nil
}

// Between implements Law.
func (m *Layered) Between(ctx context.Context, lo, hi *big.Rat) (interval.Interval, error) {
	l, err := m.listedLaw(ctx)
	if err != nil {
		return interval.Int(0), err
	}
	// below returns the weight of values at most v, or below v if open, minus the weight of all values below f(x).
	below := func(v *big.Rat, open bool) interval.Interval {
		d := new(big.Rat).Sub(v, m.q.value)
		if d.Sign() > 0 || d.Sign() == 0 && !open {
			if open && l.step.Sign() > 0 {
				d = d.Sub(d, l.step)
				d = ceilTo(d, l.step)
			}
			return l.upTo(0, d)
		}
		d.Neg(d) // exclude distances up to d, or below d
		if l.step.Sign() == 0 {
			return l.upTo(1, d).Neg()
		}
		if !open { // r ≤ v means distances ≥ d: exclude distances up to d − step
			d = ceilTo(d, l.step)
			d.Sub(d, l.step)
		} else {
			d = floorTo(d, l.step)
		}
		if d.Sign() < 0 {
			return interval.Int(0)
		}
		return l.upTo(1, d).Neg()
	}
	return inUnit(below(hi, false).Sub(below(lo, true)).Quo(l.mass)), nil
}

// floorTo and ceilTo return the largest multiple of step that is at most d, and the smallest that is at least d.
func floorTo(d, step *big.Rat) *big.Rat {
	k := new(big.Rat).Quo(d, step)
	return k.Mul(k.SetInt(interval.RationalFloor(k)), step)
}

func ceilTo(d, step *big.Rat) *big.Rat {
	k := floorTo(new(big.Rat).Neg(d), step)
	return k.Neg(k)
}

// inUnit intersects the enclosure of a probability with [0, 1].
func inUnit(p interval.Interval) interval.Interval {
	p = interval.Max(p, interval.Int(0))
	return interval.Max(p.Neg(), interval.Int(-1)).Neg()
}
