package verify

import (
	"math"
	"math/big"
	"strconv"

	"dpworkbench/evidence"
)

// prec is the precision of the big floats, in bits.
const prec = 192

// pi has more bits than prec.
const pi = "3.1415926535897932384626433832795028841971693993751058209749445923078164062862089986280348253421170679821"

func bigFloat(v float64) *big.Float { return new(big.Float).SetPrec(prec).SetFloat64(v) }

func bigRat(q *big.Rat) *big.Float { return new(big.Float).SetPrec(prec).SetRat(q) }

func sum(a, b *big.Float) *big.Float   { return new(big.Float).SetPrec(prec).Add(a, b) }
func minus(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Sub(a, b) }
func times(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(prec).Mul(a, b) }
func over(a, b *big.Float) *big.Float  { return new(big.Float).SetPrec(prec).Quo(a, b) }

// asWritten returns the value of v's shortest decimal.
func asWritten(v float64) *big.Rat {
	q, _ := new(big.Rat).SetString(strconv.FormatFloat(v, 'g', -1, 64))
	return q
}

// exponential returns eˣ: the Taylor series at x/2ᵏ, squared k times.
func exponential(x *big.Float) *big.Float {
	halvings := max(0, x.MantExp(nil)+16)
	y := new(big.Float).SetMantExp(x, -halvings)
	total, term := bigFloat(1), bigFloat(1)
	for n := 1; term.Sign() != 0 && term.MantExp(nil) > -prec; n++ {
		term = over(times(term, y), bigFloat(float64(n)))
		total = sum(total, term)
	}
	for range halvings {
		total = times(total, total)
	}
	return total
}

// logarithm returns ln x by Halley's iteration from the float64 logarithm.
func logarithm(x *big.Float) *big.Float {
	mantissa := new(big.Float)
	exponent := x.MantExp(mantissa)
	m, _ := mantissa.Float64()
	y := bigFloat(math.Log(m) + float64(exponent)*math.Ln2)
	for range 4 {
		e := exponential(y)
		y = sum(y, over(times(bigFloat(2), minus(x, e)), sum(x, e)))
	}
	return y
}

// normal returns Φ(z), by its Taylor series and, in the tail, by the continued fraction of Mills' ratio.
func normal(z *big.Float) *big.Float {
	square := times(z, z)
	circle, _, _ := big.ParseFloat(pi, 10, prec, big.ToNearestEven)
	density := over(exponential(over(square, bigFloat(-2))), new(big.Float).Sqrt(times(bigFloat(2), circle)))
	if size := new(big.Float).Abs(z); size.Cmp(bigFloat(4)) > 0 {
		below := size
		for n := 150; n > 0; n-- {
			below = sum(size, over(bigFloat(float64(n)), below))
		}
		if tail := over(density, below); z.Sign() < 0 {
			return tail
		}
		return minus(bigFloat(1), over(density, below))
	}
	total, term := bigFloat(0), z
	for n := 3; term.Sign() != 0 && term.MantExp(nil) > -prec; n += 2 {
		total = sum(total, term)
		term = over(times(term, square), bigFloat(float64(n)))
	}
	return sum(bigFloat(0.5), times(density, total))
}

// epsilonOf returns the value of ε, which is a rational number or a multiple of the logarithm of one.
func epsilonOf(e evidence.Epsilon) *big.Float {
	if base, scale := e.Logarithm(); base != nil {
		return times(logarithm(bigRat(base)), bigRat(scale))
	}
	q, _ := e.Rational()
	return bigRat(q)
}

// gaussianDelta returns δ(ε) of two normal laws whose means are mu standard deviations apart.
func gaussianDelta(mu, eps *big.Float) float64 {
	if mu.Sign() == 0 {
		return 0
	}
	half, shift := over(mu, bigFloat(2)), over(eps, mu)
	delta, _ := minus(normal(minus(half, shift)), times(exponential(eps), normal(minus(new(big.Float).Neg(half), shift)))).Float64()
	return delta
}
