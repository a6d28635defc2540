package mechanism

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// Mechanism is a finite mechanism: for each dataset x of a query a probability
// law p^x on the query's range. Values are named by their place in the range; a
// dataset or a place that the query does not have panics, as an index does.
// Implementations are immutable.
type Mechanism interface {
	// Private gives the pairs of laws of all neighboring datasets; the function Pairs makes them.
	privacy.Private
	// Name says which mechanism it is, with its parameters.
	Name() string
	// Query returns the query that the mechanism answers.
	Query() *query.Query
	// ClaimedEpsilon returns the guarantee that theory promises.
	ClaimedEpsilon() evidence.Number
	// LogProb returns ln p^x(r), with an absolute error of at most LogError: −Inf
	// where p is 0, and only there.
	LogProb(x, r int) float64
	// LogError bounds the error of LogProb, and is no less than its rounding. It is
	// +Inf where some ln p leaves the range of float64.
	LogError() float64
	// Enclose returns an enclosure of p^x(r), which may reach down to 0 where p is
	// positive but very small.
	Enclose(x, r int) interval.Interval
	// EncloseLog returns an enclosure of ln p^x(r) for a positive p, however small.
	EncloseLog(x, r int) interval.Interval
	// Rational returns p^x(r) where it is known to be rational.
	Rational(x, r int) (p *big.Rat, ok bool)
	// Class returns a number that datasets with the same law share, from 0 up;
	// Classes returns how many there are.
	Class(x int) int
	Classes() int
}

// Claim is the guarantee of a theorem, +Inf as a float64 where ε exceeds all of
// them.
func Claim(eps evidence.Epsilon, source string) evidence.Claimed {
	return evidence.Claimed{Value: eps.Enclosure().Mid(), Source: source, Epsilon: eps}
}
