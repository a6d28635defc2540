// Package evidencetest checks in tests that numbers agree with their evidence.
package evidencetest

import (
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Fault describes an inconsistency of a number, or returns "". It checks that Lo ≤ value ≤ Hi, and that the value is
// the bound on the safe side if there is one. An exact number must lie between its bounds, which are equal or adjacent
// float64s; a rational is compared exactly. Fault shares no code with evidence.Check.
func Fault(n evidence.Number) string {
	switch n := n.(type) {
	case nil:
		return "no number"
	case evidence.Exact:
		if n.Value == nil {
			return "exact without a rational"
		}
	case evidence.ExactLog:
		if n.Argument == nil || n.Argument.Sign() <= 0 {
			return "exact without the argument of a logarithm"
		}
	}
	v := n.Float()
	lo, hi := n.Bounds()
	switch {
	case math.IsNaN(v) || math.IsNaN(lo) || math.IsNaN(hi):
		return "NaN"
	case !(lo <= v && v <= hi):
		return "the value lies outside its ends"
	case math.IsInf(hi, -1), math.IsInf(lo, 1) && n.Kind() == evidence.KindExact:
		return "infinite, and no number"
	}
	switch n := n.(type) {
	case evidence.Claimed:
		if lo != v || hi != v {
			return "a claim with ends of its own"
		}
	case evidence.Exact:
		return exactly(lo, v, hi, n.Value)
	case evidence.ExactLog:
		return logarithm(lo, v, hi, interval.Rat(n.Argument).Log())
	case evidence.InputEpsilon:
		if q, ok := n.Rational(); ok {
			return exactly(lo, v, hi, q)
		}
		return logarithm(lo, v, hi, n.Enclosure())
	case evidence.Certified:
		switch {
		case n.Lo != lo || n.Hi != hi:
			return "ends that enclose nothing"
		case n.Side == evidence.Up && v != hi || n.Side == evidence.Down && v != lo:
			return "a value that is not the end on the safe side"
		}
	case evidence.Estimated:
		if !(n.Confidence >= 0 && n.Confidence < 1) {
			return "an estimate of confidence 1"
		}
	}
	return ""
}

// Sourceless names what is missing from a number's provenance, or returns "".
func Sourceless(n evidence.Number) string {
	switch n := n.(type) {
	case evidence.Claimed:
		if n.Source == "" {
			return "a claim without a source"
		}
	case evidence.Certified:
		if n.Method == "" && n.Source == "" {
			return "certified without a method"
		}
	}
	return ""
}

func exactly(lo, v, hi float64, q *big.Rat) string {
	below, above := new(big.Rat).SetFloat64(lo), new(big.Rat).SetFloat64(hi)
	near, _ := q.Float64()
	switch {
	case below != nil && below.Cmp(q) > 0 || above != nil && above.Cmp(q) < 0:
		return "the ends do not enclose the rational"
	case hi > math.Nextafter(lo, math.Inf(1)):
		return "the ends of a rational lie apart"
	case v != near && !math.IsInf(near, 0) && near != 0: // an ε is never 0 or infinite
		return "the value is not the float64 nearest to the rational"
	}
	return ""
}

func logarithm(lo, v, hi float64, log interval.Interval) string {
	switch {
	case log.Less(interval.Between(lo, lo)) || interval.Between(hi, hi).Less(log):
		return "the ends do not enclose the logarithm"
	case hi > math.Nextafter(lo, math.Inf(1)):
		return "the ends of a logarithm lie apart"
	case v != log.Mid() && !math.IsInf(log.Mid(), 0) && log.Mid() != 0: // an ε is never 0 or infinite
		return "the value is not the float64 nearest to the logarithm"
	}
	return ""
}
