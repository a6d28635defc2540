package privacy

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Pair is an ordered pair of laws (P, Q) of an output, at two neighboring datasets. Privacy depends only on the law of
// the privacy loss ln dP/dQ under P. A mechanism's guarantee is the worst over its pairs, and the losses of independent
// uses on the same two datasets add up. Only this package implements Pair. Implementations are immutable.
type Pair interface {
	// Delta returns the hockey-stick divergence sup_E P(E) − e^ε Q(E) of order e^ε.
	Delta(ctx context.Context, eps evidence.Epsilon) (evidence.RatOrInterval, error)
	// LogMoment encloses ln ∫ (dP/dQ)^s dP over the finite losses, for s > 0. If no loss is infinite, this is s times
	// the Rényi divergence of order 1 + s.
	LogMoment(s interval.Interval) interval.Interval
	// Mean encloses ∫ ln dP/dQ dP over the finite losses. If no loss is infinite, this is the relative entropy.
	Mean() interval.Interval
	// VarianceBound returns an upper bound on the second derivative of LogMoment, which is the variance of the tilted
	// loss.
	VarianceBound() interval.Interval
	// LossRange encloses the least and the largest finite loss. An end is infinite if the losses are unbounded.
	LossRange() interval.Interval
	// InfinityMass returns the P-mass of the outputs with Q = 0, whose loss is infinite.
	InfinityMass() evidence.RatOrInterval
	// Reverse returns (Q, P).
	Reverse() Pair

	// float64Pair bounds the pair in float64. It truncates a mass of less than about 2^−prec.
	float64Pair(ctx context.Context, prec uint) (*float64Pair, error)
	// truncatedRange returns finite losses lo and hi. The losses below lo have mass less than about 2^−bits, and so do
	// the losses above hi.
	truncatedRange(bits uint) (lo, hi float64)
	// screen returns a float64 approximation of the pair.
	screen() *Screen
	// gdp encloses the least μ for which the pair is μ-GDP.
	gdp() interval.Interval
	// zcdp encloses the supremum over α of the Rényi divergence D_α divided by α. It is infinite if a loss is infinite.
	zcdp() interval.Interval
}

// latticePair is a pair whose losses may lie on a lattice.
type latticePair interface {
	Pair
	// variance returns the approximate variance of the finite losses.
	variance() float64
	// lattice returns the lattice of the losses, and nil if they have none.
	lattice() *lattice
	// discretize returns the law of the loss on a lattice that contains the lattice of the pair.
	discretize(ctx context.Context, g grid, prec uint) (*lossPMF, error)
}

// lattice is the set of all offset + k·unit for integers k. It contains the losses of a pair.
type lattice struct {
	unit               evidence.Epsilon // 0 if there is only one loss
	offset             interval.Interval
	minIndex, maxIndex int64 // the least and the largest k
}

// grid is a lattice for the losses of a composition.
type grid struct {
	step         interval.Interval // > 0
	stepsPerUnit *big.Int          // unit of the pair's own lattice, in steps
}

// one is the number 1.
var one = big.NewRat(1, 1)

// zero is the number 0.
var zero = evidence.ExactRat(new(big.Rat))

// sign returns 0 for a nonnegative number that is exactly 0, and 1 if it is or may be positive.
func sign(a evidence.RatOrInterval) int {
	if a.Rational != nil {
		return a.Rational.Sign()
	}
	if s, exact := a.Enclosure.Sign(); s == 0 && exact {
		return 0
	}
	return 1
}

// certain reports whether a nonnegative number is certainly positive.
func certain(a evidence.RatOrInterval) bool {
	s, _ := a.Enclosure.Sign()
	return s > 0
}

// infinite is the interval that stands for an infinite loss. It is this one value, unlike an enclosure of a large loss
// that reaches up to +Inf.
var infinite = interval.Float(math.Inf(1))
