package mechanism

import (
	"math"
	"math/big"

	"dpworkbench/internal/parameter"
)

// Law returns the probabilities of the values of the range at dataset x, 0 only where
// the value is never output. The error wraps evidence.ErrParameter where there is no
// such dataset.
func Law(m Mechanism, x int) ([]float64, error) {
	if x < 0 || x >= m.Query().Size() {
		return nil, parameter.Bad("x", x, "a dataset, 0…%d", m.Query().Size()-1)
	}
	law := make([]float64, len(m.Query().Range()))
	for r := range law {
		if !math.IsInf(m.LogProb(x, r), -1) {
			law[r] = max(m.Enclose(x, r).Mid(), math.SmallestNonzeroFloat64)
		}
	}
	return law, nil
}

// RationalLaws returns the probabilities of the values of the range at every dataset,
// nil where one of them is not known as a rational number.
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
