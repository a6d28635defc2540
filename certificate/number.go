package certificate

import (
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// longDyadic is the number of bits of a denominator above which a dyadic rational is written as n*2^-k.
const longDyadic = 32

// rational formats a rational number.
func rational(q *big.Rat) string {
	if den := q.Denom(); den.BitLen() > longDyadic && den.TrailingZeroBits() == uint(den.BitLen()-1) {
		return fmt.Sprintf("%s*2^-%d", q.Num(), den.BitLen()-1)
	}
	return q.RatString()
}

// float formats a float64 exactly. The float64 must not be NaN.
func float(v float64) string {
	switch {
	case math.IsInf(v, 1):
		return "inf"
	case math.IsInf(v, -1):
		return "-inf"
	}
	q := new(big.Rat).SetFloat64(v)
	if zeros := q.Num().TrailingZeroBits(); q.IsInt() && q.Num().BitLen() > 2*longDyadic {
		return fmt.Sprintf("%s*2^%d", new(big.Int).Rsh(q.Num(), zeros), zeros)
	}
	return rational(q)
}

// epsilon encodes a privacy parameter.
func epsilon(e evidence.Epsilon) object {
	if q, ok := e.Rational(); ok {
		return object{"rational": rational(q)}
	}
	base, times := e.Logarithm()
	out := object{"ln": rational(base)}
	if times.Cmp(big.NewRat(1, 1)) != 0 {
		out["times"] = rational(times)
	}
	return out
}

// listOf encodes each value by the function write.
func listOf[T, W any](values []T, write func(T) W) list {
	out := make(list, len(values))
	for i, v := range values {
		out[i] = write(v)
	}
	return out
}

func rationals(row []*big.Rat) list { return listOf(row, rational) }

// floats encodes float64s exactly.
func floats(v []float64) list { return listOf(v, float) }

// decimals encodes data: each float64 stands for its shortest decimal.
func decimals(v []float64) list {
	return listOf(v, func(x float64) string { return rational(interval.Decimal(x)) })
}

// ints encodes integers.
func ints(v []int) list { return listOf(v, func(k int) int { return k }) }

// is encodes a number: its exact value, the argument of its logarithm, or its enclosure.
func is(n evidence.Number) object {
	switch n := n.(type) {
	case evidence.Exact:
		return object{"equal": rational(n.Value)}
	case evidence.ExactLog:
		return object{"ln": rational(n.Argument)}
	}
	lo, hi := n.Bounds()
	return object{"lo": float(lo), "hi": float(hi)}
}
