package signrp

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// Data and β are read as their shortest decimals, so that 0.8 and 0.7 differ by exactly 0.1. Entries of W are exact
// float64s. A float64 filter decides nearly every comparison. The others are decided in integers, after scaling all
// decimals by one power of ten.

// decimal is digits·10^exponent.
type decimal struct {
	digits   int64
	exponent int
}

// decimalOf returns the shortest decimal that stands for the finite number v.
func decimalOf(v float64) decimal {
	text := strconv.FormatFloat(v, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(text, "e")
	whole, part, _ := strings.Cut(mantissa, ".")
	digits, _ := strconv.ParseInt(whole+part, 10, 64) // at most 17 digits
	e, _ := strconv.Atoi(exponent)
	return decimal{digits, e - len(part)}
}

// scaled returns d·10^places as an integer, places being at least the number
// of decimals of d.
func (d decimal) scaled(places int) *big.Int {
	v := big.NewInt(d.digits)
	return v.Mul(v, powerOfTen(d.exponent+places))
}

func (d decimal) places() int {
	if d.digits == 0 {
		return 0
	}
	return max(0, -d.exponent)
}

func powerOfTen(n int) *big.Int {
	if n <= 0 {
		return big.NewInt(1)
	}
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// exactDecimal returns the shortest decimal that stands for v, as a rational.
func exactDecimal(v float64) *big.Rat { return interval.Decimal(v) }

// move is the displacement of one coordinate: by β, or to the end of its range.
type move struct {
	hi, err float64 // hi is the signed displacement, err a bound on its error
	kind    moveKind
}

type moveKind int

const (
	stays moveKind = iota
	byBeta
	toEnd
)

func (m move) isZero() bool { return m.kind == stays }

// moves returns the two extreme moves of a coordinate at v that stay in [−1, 1] and within β: up ≥ 0 and down ≤ 0.
func moves(v, beta float64) (up, down move) {
	room := func(v float64) move { // 1 − v for |v| ≤ 1
		if v == 1 {
			return move{}
		}
		s := 1 - v
		err := ulp * (s + math.Abs(v)) // the error of the difference, and of reading v as a decimal
		switch slack := err + ulp*beta; {
		case beta < s-slack:
			return move{beta, ulp * beta, byBeta}
		case beta <= s+slack:
			sum := exactDecimal(beta)
			if sum.Add(sum, exactDecimal(v)).Cmp(big.NewRat(1, 1)) <= 0 {
				return move{beta, ulp * beta, byBeta}
			}
		}
		return move{s, err, toEnd}
	}
	up, down = room(v), room(-v)
	down.hi = -down.hi
	return up, down
}

// after returns the exact position after the move of a coordinate at v.
func (m move) after(v, beta float64) *big.Rat {
	switch to := exactDecimal(v); {
	case m.kind == byBeta && m.hi > 0:
		return to.Add(to, exactDecimal(beta))
	case m.kind == byBeta:
		return to.Sub(to, exactDecimal(beta))
	case m.kind == toEnd:
		return big.NewRat(int64(math.Copysign(1, m.hi)), 1)
	default:
		return to
	}
}

// short returns the float64 nearest to end whose decimal is no further from v than end is.
func short(end *big.Rat, v float64) float64 {
	to, _ := end.Float64()
	for direction := end.Cmp(exactDecimal(v)); direction != 0 && exactDecimal(to).Cmp(end) == direction; {
		to = math.Nextafter(to, v)
	}
	return to
}

// Paper names the source in evidence.
const Paper = "Sign projections"

// IndividualLabel is part of the evidence and the output of every iDP release.
const IndividualLabel = "individual, data-dependent: not differential privacy"

const (
	ulp  = interval.Unit
	tiny = 0x1p-1000
)

// asWritten returns the shortest decimal of v as exact evidence.
func asWritten(v float64, source string) evidence.Exact {
	return evidence.Exact{Value: exactDecimal(v), Provenance: evidence.From(source)}
}

// exactMultiple returns n·ε, exact if ε is.
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
