package signrp

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Paper names the source in evidence.
const Paper = "Sign projections"

// IndividualLabel is what every iDP release carries, in its evidence and in
// print.
const IndividualLabel = "individual, data-dependent: not differential privacy"

const (
	ulp  = interval.Unit
	tiny = 0x1p-1000
)

// asWritten is the number that v stands for.
func asWritten(v float64, source string) evidence.Exact {
	return evidence.Exact{Value: exactDecimal(v), Provenance: evidence.From(source)}
}

// exactMultiple is n·ε, as exactly as ε is known.
func exactMultiple(eps evidence.Epsilon, n, cases int, source string) evidence.Number {
	if n == 0 {
		return evidence.Exact{Value: new(big.Rat), Side: evidence.Up, Cases: uint64(cases), Provenance: evidence.From(source)}
	}
	e := eps.Times(int64(n))
	if q, ok := e.Rational(); ok {
		return evidence.Exact{Value: q, Side: evidence.Up, Cases: uint64(cases), Provenance: evidence.From(source)}
	}
	if q, ok := e.Exp(); ok {
		return evidence.ExactLog{Argument: q, Cases: uint64(cases), Side: evidence.Up, Provenance: evidence.From(source)}
	}
	return evidence.EnclosedLoss(e.Enclosure(), "256-bit outward rounding", source)
}

// upper returns the upper end of a number.
func upper(n evidence.Number) float64 {
	if e, ok := n.(evidence.Exact); ok {
		if v, exact := e.Value.Float64(); exact {
			return v
		}
	}
	_, hi := n.Bounds()
	return hi
}

func zeroRat() *big.Rat { return new(big.Rat) }
