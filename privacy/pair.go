package privacy

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Pair is an ordered pair of laws (P, Q) of an output, as two neighboring datasets
// give it, seen through the privacy loss ln dP/dQ of the output under P. All that
// privacy asks is a function of the law of that loss: what a mechanism promises is
// the worst of its pairs, and independent uses on the same two datasets add their
// losses up. Implementations are those of this package; they are immutable.
type Pair interface {
	// Delta returns the hockey-stick divergence sup_E P(E) − e^ε Q(E) of order e^ε.
	Delta(ctx context.Context, eps evidence.Epsilon) (evidence.RatOrInterval, error)
	// LogMoment encloses ln ∫ (dP/dQ)^s dP over the finite losses for s > 0: where no
	// loss is infinite, s times the Rényi divergence of order 1 + s.
	LogMoment(s interval.Interval) interval.Interval
	// Mean encloses ∫ ln dP/dQ dP over the finite losses: where no loss is infinite, the
	// relative entropy.
	Mean() interval.Interval
	// VarianceBound bounds the second derivative of LogMoment from above: a variance of the loss.
	VarianceBound() interval.Interval
	// LossRange encloses the least and the largest finite loss, infinite where the
	// losses have no bound.
	LossRange() interval.Interval
	// InfinityMass returns the mass under P of the outputs that Q never gives, an infinite loss.
	InfinityMass() evidence.RatOrInterval
	// Reverse returns (Q, P).
	Reverse() Pair

	// float64Pair returns the pair in float64, less than about 2^−prec of which is cut off.
	float64Pair(ctx context.Context, prec uint) (*float64Pair, error)
	// truncatedRange returns the finite losses that the pair has with more than a probability of 2^−bits.
	truncatedRange(bits uint) (lo, hi float64)
	// screen returns the pair in float64, off by roundings and by what enclosures leave open.
	screen() *Screen
	// gdp encloses the least μ of two normal laws that tell no less.
	gdp() interval.Interval
	// zcdp encloses the largest D_α/α, infinite where a loss is: no less than its limit as α grows.
	zcdp() interval.Interval
}

// latticePair is a pair whose losses may lie on a lattice.
type latticePair interface {
	Pair
	// variance returns, roughly, that of the finite losses.
	variance() float64
	// lattice returns the lattice that the losses lie on, nil where they do not.
	lattice() *lattice
	// discretize returns the law of the loss on a lattice that holds the pair's own.
	discretize(ctx context.Context, g grid, prec uint) (*lossPMF, error)
}

// lattice is the set of losses offset + k·unit, k whole, that a pair's losses lie on.
type lattice struct {
	unit               evidence.Epsilon // 0 where there is one loss
	offset             interval.Interval
	minIndex, maxIndex int64 // the least and the largest k
}

// grid is a lattice that losses are counted on.
type grid struct {
	step         interval.Interval // > 0
	stepsPerUnit *big.Int          // the unit of the pair's own lattice in steps
}

// one is the number 1.
var one = big.NewRat(1, 1)

// zero is the amount 0.
var zero = evidence.ExactRat(new(big.Rat))

// sign returns the sign of an amount that is not negative: 1 where it is open.
func sign(a evidence.RatOrInterval) int {
	if a.Rational != nil {
		return a.Rational.Sign()
	}
	if s, exact := a.Enclosure.Sign(); s == 0 && exact {
		return 0
	}
	return 1
}

// certain reports whether an amount that is not negative is positive for sure.
func certain(a evidence.RatOrInterval) bool {
	s, _ := a.Enclosure.Sign()
	return s > 0
}

// infinite stands for a loss that is infinite, itself: what is equal to it is no enclosure of large
// numbers.
var infinite = interval.Float(math.Inf(1))
