package xor

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// Losses of quadratic laws are sums of integer multiples of few numbers. They lie on a lattice if these numbers
// have a common unit.

// atom is a state under the laws of B and of B ⊕ d.
type atom struct {
	p, q, loss interval.Interval
	steps      int64 // the loss in units, if the lattice has a unit
	tag        int
}

// lattice describes numbers that are integer multiples of a unit, up to rounding.
type lattice struct {
	unit  float64 // 0 if there is no useful unit
	count []int64
}

// mostSteps bounds the integer multiples of a lattice's unit.
const mostSteps = 1 << 20

// latticeOf returns the lattice of numbers, whose unit is their greatest common divisor up to rounding, by Euclid's
// algorithm.
func latticeOf(numbers ...float64) lattice {
	most := 0.0
	for _, v := range numbers {
		most = math.Max(most, math.Abs(v))
	}
	if !(most > 0x1p-900 && most < 0x1p900) {
		return lattice{}
	}
	unit, at := 0.0, 0.0 // at is the number from which the unit was computed
	for _, v := range numbers {
		a, b := math.Abs(v), unit
		at = math.Max(at, a)
		for a > most*0x1p-40 {
			a, b = b-a*math.Round(b/a), a
			a = math.Abs(a)
		}
		unit = b
	}
	if !(unit > most/mostSteps) {
		return lattice{}
	}
	unit = at / math.Round(at/unit)
	out := lattice{unit: unit}
	for _, v := range numbers {
		n := math.Round(v / unit)
		if math.Abs(v-n*unit) > most*0x1p-48 {
			return lattice{}
		}
		out.count = append(out.count, int64(n))
	}
	return out
}

// lossesOf returns the pair of atoms, with atoms of equal loss merged.
//
// With a unit u, every loss is steps·u up to |r|, where r bounds the deviation of all atoms. Atoms with the same number
// of steps are merged although their losses may differ by 2r. Their masses are widened by a factor e^{±2r}, so that the
// upper end of P − e^ε Q of the sum is positive wherever the upper end of one atom is. Without a unit, atoms with equal
// enclosures of the loss are merged and widened in the same way. Sorting by midpoints then also sorts the ends.
func lossesOf(atoms []atom, on lattice) *privacy.DiscretePair {
	unit := interval.Float(on.unit)
	rest := func(a *atom) interval.Interval {
		if on.unit == 0 {
			return a.loss.Sub(interval.Float(a.loss.Mid()))
		}
		return a.loss.Sub(unit.Mul(interval.Int(a.steps)))
	}
	wide := 0.0
	for i := range atoms {
		lo, hi := rest(&atoms[i]).Bounds()
		wide = math.Max(wide, math.Max(hi, -lo))
	}
	var eps evidence.Epsilon
	if on.unit > 0 && wide < on.unit*0x1p-20 {
		eps, _ = evidence.NewEpsilon("unit", on.unit)
	}
	lattice := !eps.IsZero()
	same := func(a, b *atom) bool {
		if lattice {
			return a.steps == b.steps
		}
		return a.loss.CmpLo(b.loss) == 0 && a.loss.CmpHi(b.loss) == 0
	}
	slices.SortStableFunc(atoms, func(a, b atom) int {
		if lattice {
			return cmp.Compare(a.steps, b.steps)
		}
		return cmp.Compare(a.loss.Mid(), b.loss.Mid())
	})
	margin := interval.Between(-wide, wide)
	spread := interval.Between(-2*wide, 2*wide).Exp()
	var out []privacy.Atom
	for i := 0; i < len(atoms); {
		a := &atoms[i]
		p, q, tags := a.p, a.q, []int{a.tag}
		j := i + 1
		for ; j < len(atoms) && same(a, &atoms[j]); j++ {
			p, q, tags = p.Add(atoms[j].p), q.Add(atoms[j].q), append(tags, atoms[j].tag)
		}
		if wide > 0 {
			p, q = p.Mul(spread), q.Mul(spread)
		}
		of := privacy.Atom{P: evidence.RatOrInterval{Enclosure: p}, Q: evidence.RatOrInterval{Enclosure: q}, Steps: a.steps, Offset: margin, Tags: tags}
		if !lattice {
			of.Steps, of.Offset = 0, a.loss
			if wide > 0x1p-200*math.Abs(a.loss.Mid()) {
				of.Offset = interval.Float(a.loss.Mid()).Add(margin)
			}
		}
		out = append(out, of)
		i = j
	}
	none := evidence.ExactRat(new(big.Rat))
	return privacy.NewDiscretePair(out, none, none, eps, privacy.Hooks{})
}
