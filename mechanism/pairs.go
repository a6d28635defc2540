package mechanism

import (
	"context"
	"math"
	"math/big"
	"strconv"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// Pairs implements privacy.Private.
func (m *Layered) Pairs(context.Context) (*privacy.DominatingPairs, error) { return Pairs(m), nil }

// Pairs implements privacy.Private.
func (t *Table) Pairs(context.Context) (*privacy.DominatingPairs, error) { return Pairs(t), nil }

// Pairs returns the ordered pairs of laws that m gives neighboring datasets. The method Pairs of every mechanism
// calls it. Mechanisms on the same universe, or on universes with the same neighbors, have the same pairs of
// datasets in the same order. Datasets are given as query.Dataset, and outputs as values of the range.
func Pairs(m Mechanism) *privacy.DominatingPairs {
	space := m.Query().Space()
	at := func(i int) (x, y int) { return space.Pair(int64(i)) }
	f := &privacy.DominatingPairs{
		Name: m.Name(), Universe: universe{space}, Size: int(2 * space.Pairs()), Source: "every value of every two neighbors",
		Profile: newFiltered(m), Mechanism: m,
		Datasets: func(i int) (x, y any) { a, b := at(i); return space.Dataset(a), space.Dataset(b) },
		Output:   func(tag int) any { return m.Query().Range()[tag] },
	}
	f.Pair = func(_ context.Context, i int) (privacy.Pair, error) {
		x, y := at(i)
		return lossesOf(m, x, y), nil
	}
	if records, ok := space.Records(0); ok { // neighbors have the same number of records, or numbers that differ by 1
		f.Relation = query.Replace
		for _, y := range space.Neighbors(0) {
			if n, _ := space.Records(int(y)); n != records {
				f.Relation = query.AddRemove
			}
		}
		f.Removes = func(i int) bool {
			x, y := at(i)
			a, _ := space.Records(x)
			b, _ := space.Records(y)
			return a > b
		}
	}
	if m.LogError() < 1e-3 {
		f.Screen = func(i int) *privacy.Screen { return floatPair(m, i) }
	}
	f.Key = func(i int) string {
		x, y := at(i)
		if g, ok := m.(grouped); ok {
			key, _ := g.outcomes(x, y)
			return key
		}
		return strconv.Itoa(m.Class(x)) + " " + strconv.Itoa(m.Class(y))
	}
	return f
}

// floatPair returns the i-th pair in float64. The error of a loss is the sum of the errors of its two logarithms and a
// rounding error below a hundredth of that sum (see logError).
func floatPair(m Mechanism, i int) *privacy.Screen {
	x, y := m.Query().Space().Pair(int64(i))
	out := &privacy.Screen{Error: 2.01*m.LogError() + 0x1p-50}
	for _, o := range outcomesOf(m, x, y) {
		a, b := m.LogProb(x, o.r), m.LogProb(y, o.r)
		p := math.Exp(a) * float64(len(o.values))
		if math.IsInf(b, -1) {
			out.InfinityMass += max(p, math.SmallestNonzeroFloat64)
			continue
		}
		out.Loss, out.P = append(out.Loss, a-b), append(out.P, p)
	}
	return out
}

// universe is the adjacency universe of a space.
type universe struct{ space *query.Space }

// Same implements privacy.Universe.
func (u universe) Same(o privacy.Universe) bool {
	v, ok := o.(universe)
	return ok && u.space.SameNeighbors(v.space)
}

func (u universe) CheckCompatible(o privacy.Universe) error {
	if v, ok := o.(universe); ok && !u.Same(o) {
		return parameter.Errorf("one universe has %d datasets and %d pairs of neighbors, the other %d and %d, want mechanisms on the same universe",
			u.space.Size(), u.space.Pairs(), v.space.Size(), v.space.Pairs())
	}
	return nil
}

// grouped is a mechanism that groups the values with the same probabilities at both of two datasets. Pairs with
// the same key have the same losses.
type grouped interface {
	outcomes(x, y int) (key string, out []outcome)
}

// outcome is a group of values with the same probabilities at both of two datasets.
type outcome struct {
	r      int   // the first value of the group
	values []int // all of them
}

// outcomesOf returns the values that x outputs, in groups if m is grouped.
func outcomesOf(m Mechanism, x, y int) []outcome {
	if g, ok := m.(grouped); ok {
		_, out := g.outcomes(x, y)
		return out
	}
	var out []outcome
	for r := range m.Query().Range() {
		if !isImpossible(m, x, r) {
			out = append(out, outcome{r, []int{r}})
		}
	}
	return out
}

// probability returns p^x(r), rational where that is known.
func probability(m Mechanism, x, r int) evidence.RatOrInterval {
	out := evidence.RatOrInterval{Enclosure: m.Enclose(x, r)}
	if p, ok := m.Rational(x, r); ok {
		out.Rational = p
	}
	return out
}

// lossesOf returns the privacy losses of the laws at x and y.
func lossesOf(m Mechanism, x, y int) *privacy.DiscretePair {
	var atoms []privacy.Atom
	zero := evidence.ExactRat(new(big.Rat))
	infinite, qOnly, unit := zero, zero, evidence.Epsilon{}
	law, onLattice := m.(interface {
		lossOnLattice(x, y, r int) (k int64, unit evidence.Epsilon, rest interval.Interval)
	})
	var tags []int
	for _, o := range outcomesOf(m, x, y) {
		n := evidence.ExactRat(big.NewRat(int64(len(o.values)), 1))
		p := probability(m, x, o.r).Mul(n)
		if isImpossible(m, y, o.r) {
			infinite = infinite.Add(p)
			tags = append(tags, o.values...)
			continue
		}
		a := privacy.Atom{P: p, Q: probability(m, y, o.r).Mul(n), Tags: o.values}
		if onLattice {
			a.Steps, unit, a.Offset = law.lossOnLattice(x, y, o.r)
		} else {
			a.Offset = lossOf(m, x, y, o.r)
		}
		atoms = append(atoms, a)
	}
	for _, o := range outcomesOf(m, y, x) {
		if isImpossible(m, x, o.r) {
			qOnly = qOnly.Add(probability(m, y, o.r).Mul(evidence.ExactRat(big.NewRat(int64(len(o.values)), 1))))
		}
	}
	return privacy.NewDiscretePair(atoms, infinite, qOnly, unit, privacy.Hooks{
		Sign:             func(tag int, eps evidence.Epsilon) (int, error) { return compareNeighbors(m, x, y, tag, eps) },
		EpsilonMinusLoss: func(tag int, eps evidence.Epsilon) (interval.Interval, bool) { return excessInUnits(m, x, y, tag, eps) },
	}).WithInfinityTags(tags)
}

// excessInUnits returns an enclosure of ε − ln p^x(r)/p^y(r) if the loss is known as k·unit + rest. It subtracts
// multiples of the unit exactly, since a large multiple would use all digits of an enclosure.
func excessInUnits(m Mechanism, x, y, r int, eps evidence.Epsilon) (interval.Interval, bool) {
	law, ok := m.(interface {
		lossInUnits(x, y, r int) (k *big.Rat, unit evidence.Epsilon, rest interval.Interval, ok bool)
	})
	if !ok {
		return interval.Interval{}, false
	}
	k, unit, rest, ok := law.lossInUnits(x, y, r)
	if !ok {
		return interval.Interval{}, false
	}
	k.Neg(k)
	if !eps.IsZero() {
		ratio, ok := eps.Quotient(unit)
		if !ok {
			return interval.Interval{}, false
		}
		k.Add(k, ratio)
	}
	return unit.Enclosure().Mul(interval.Rat(k)).Sub(rest), true
}

// compareNeighbors returns the sign of p^x(r) − e^ε p^y(r).
func compareNeighbors(m Mechanism, x, y, r int, eps evidence.Epsilon) (int, error) {
	i := 1
	if eps.IsZero() {
		i = 0
	}
	sign, err := CompareProbabilities(m, Outcome{y, r}, Outcome{x, r}, i, eps) // compares q with p e^{−ε}
	return -sign, err
}
