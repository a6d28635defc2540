package query

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"dpworkbench/interval"
)

// Value is a point of a value metric space: a Number, a Fraction, a Name, Counts or a Tuple.
type Value interface {
	// String formats the value.
	String() string
	key() string
}

// Number is a real number that stands for its shortest decimal: 0.1 is 1/10.
type Number float64

// Fraction is a rational number that is not the shortest decimal of a float64, such as 1/3 or 2⁵³ + 1.
// RationalValue returns it. The zero value is not a number, and queries reject it.
type Fraction struct{ q *big.Rat }

// Name is a value that is not a number.
type Name string

// Counts is a histogram. The outputs of an identity query have a method Counts.
type Counts []int

// Counts returns the counts.
func (v Counts) Counts() Counts { return v }

// RationalValue returns the value q: a Number if q is the shortest decimal of a float64, and a Fraction otherwise. So
// equal numbers are equal values. For nil it returns the zero Fraction.
func RationalValue(q *big.Rat) Value {
	if q == nil {
		return Fraction{}
	}
	v, exact := q.Float64()
	if exact && math.Abs(v) < 1<<53 && q.IsInt() || !math.IsInf(v, 0) && interval.Decimal(v).Cmp(q) == 0 {
		return Number(v)
	}
	return Fraction{new(big.Rat).Set(q)}
}

// RationalOf returns a numeric value as a rational number, and false for other values.
func RationalOf(v Value) (*big.Rat, bool) {
	switch v := v.(type) {
	case Number:
		if f := float64(v); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, false
		} else if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			return new(big.Rat).SetInt64(int64(f)), true
		}
		return interval.Decimal(float64(v)), true
	case Fraction:
		if v.q == nil {
			return nil, false
		}
		return new(big.Rat).Set(v.q), true
	}
	return nil, false
}

// String returns the shortest decimal.
func (v Number) String() string { return strconv.FormatFloat(float64(v), 'g', -1, 64) }

// String returns "1/3", or all digits of an integer.
func (v Fraction) String() string {
	if v.q == nil {
		return "no number"
	}
	return v.q.RatString()
}

// Rational returns the number, or nil for the zero Fraction.
func (v Fraction) Rational() *big.Rat {
	q, _ := RationalOf(v)
	return q
}

// String returns the name itself.
func (v Name) String() string { return string(v) }

// String returns "[2, 0, 1]".
func (v Counts) String() string { return strings.ReplaceAll(fmt.Sprint([]int(v)), " ", ", ") }

func (v Number) key() string {
	if v == 0 {
		return "n0" // +0 and −0 are equal
	}
	return "n" + v.String()
}
func (v Fraction) key() string { return "q" + v.String() }
func (v Name) key() string     { return "s" + string(v) }
func (v Counts) key() string   { return "c" + v.String() }

// compareNumbers compares two numeric values. It compares Numbers as float64s, whose order is that of their shortest
// decimals.
func compareNumbers(a, b Value) int {
	x, okX := a.(Number)
	y, okY := b.(Number)
	if okX && okY {
		return cmp.Compare(x, y)
	}
	p, _ := RationalOf(a)
	q, _ := RationalOf(b)
	return p.Cmp(q)
}

func isNumber(v Value) bool {
	switch v.(type) {
	case Number, Fraction:
		return true
	}
	return false
}

// distinctValues returns the distinct values: ascending if all are numbers, in order of appearance otherwise.
func distinctValues(values []Value) []Value {
	seen := make(map[string]bool, len(values))
	var out []Value
	numbers := true
	for _, v := range values {
		if k := v.key(); !seen[k] {
			seen[k] = true
			out = append(out, v)
		}
		numbers = numbers && isNumber(v)
	}
	if numbers {
		slices.SortFunc(out, compareNumbers)
	}
	return out
}

// CommonDenominator returns the least common multiple of d and the denominator of r.
func CommonDenominator(d *big.Int, r *big.Rat) *big.Int {
	g := new(big.Int).GCD(nil, nil, d, r.Denom())
	return g.Mul(new(big.Int).Quo(d, g), r.Denom())
}

// Scaled returns r·d, which must be an integer.
func Scaled(r *big.Rat, d *big.Int) *big.Int {
	n := new(big.Int).Quo(d, r.Denom())
	return n.Mul(n, r.Num())
}

// Distinct returns the numbers in ascending order without duplicates.
func Distinct(of []*big.Rat) []*big.Rat {
	out := slices.Clone(of)
	slices.SortFunc(out, (*big.Rat).Cmp)
	return slices.CompactFunc(out, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
}
