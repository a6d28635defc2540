package mechanism

import (
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// Mechanism is a finite mechanism: a law p^x on a query's range for each dataset x of the query. Datasets and
// values are indices, and an index out of range panics. Implementations are immutable.
type Mechanism interface {
	// Private returns the pairs of laws of all neighboring datasets. The function Pairs implements it.
	privacy.Private
	// Name returns the mechanism's name and parameters.
	Name() string
	// Query returns the query that the mechanism answers.
	Query() *query.Query
	// ClaimedEpsilon returns the ε that the theory guarantees.
	ClaimedEpsilon() evidence.Number
	// LogProb returns ln p^x(r) with an absolute error of at most LogError. It returns −Inf if and only if p^x(r)
	// = 0.
	LogProb(x, r int) float64
	// LogError bounds the error of LogProb. It is at least the rounding error of LogProb, and +Inf if some ln p
	// exceeds the range of float64.
	LogError() float64
	// Enclose returns an enclosure of p^x(r). Its lower end may be 0 for a very small positive p.
	Enclose(x, r int) interval.Interval
	// EncloseLog returns an enclosure of ln p^x(r) for any positive p, however small.
	EncloseLog(x, r int) interval.Interval
	// Rational returns p^x(r), and ok = false if it is not known as a rational number.
	Rational(x, r int) (p *big.Rat, ok bool)
	// Class returns the class of x, 0 … Classes()−1. Datasets of one class have the same law.
	Class(x int) int
	Classes() int
}

// Claim returns a theorem's guarantee of ε. Its Value is +Inf if ε exceeds the range of float64.
func Claim(eps evidence.Epsilon, source string) evidence.Claimed {
	return evidence.Claimed{Value: eps.Enclosure().Mid(), Epsilon: eps, Provenance: evidence.From(source)}
}

// Law returns the law of dataset x in float64. An entry is 0 only if the value is never output. It returns an
// error wrapping evidence.ErrParameter unless x is a dataset of the query.
func Law(m Mechanism, x int) ([]float64, error) {
	if x < 0 || x >= m.Query().Size() {
		return nil, parameter.Bad("x", x, "a dataset, 0…%d", m.Query().Size()-1)
	}
	law := make([]float64, len(m.Query().Range()))
	for r := range law {
		if !isImpossible(m, x, r) {
			law[r] = max(m.Enclose(x, r).Mid(), math.SmallestNonzeroFloat64)
		}
	}
	return law, nil
}

// RationalLaws returns the laws of all datasets, or nil if some probability is not known as a rational number.
func RationalLaws(m Mechanism) [][]*big.Rat {
	laws := make([][]*big.Rat, m.Query().Size())
	for x := range laws {
		for r := range m.Query().Range() {
			p, ok := m.Rational(x, r)
			if !ok {
				return nil
			}
			laws[x] = append(laws[x], p)
		}
	}
	return laws
}
