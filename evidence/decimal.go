package evidence

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"dpworkbench/interval"
)

const (
	mostDigits = 767 // significant digits that a float64 has at most
	fullDigits = 15  // significant digits that every decimal keeps as a float64
	fewDigits  = 8   // significant digits of a float64 that somebody wrote as a decimal, such as 0.1
)

// Decimal is a number to be written with digits, rounded to a side.
type Decimal struct {
	x    *real
	side Side
}

// Rounded returns a float64 to be written, rounded to a side.
func Rounded(v float64, side Side) Decimal { return Decimal{&real{float: v}, side} }

// Text writes the number as strconv.FormatFloat writes float64s, in the format 'e', 'f' or 'g'. The text, read
// as a decimal, lies on the number's side, by less than one unit of its last digit. Precision −1 asks for as few
// digits as a float64 takes to be read back, and no more than 10,000 are written.
func (d Decimal) Text(format byte, precision int) string {
	precision = min(precision, 10_000)
	q := d.x.rational(d.side)
	v := d.x.float
	switch {
	case q == nil && (d.side == Neither || v == 0 || math.IsInf(v, 0) || math.IsNaN(v)):
		return strconv.FormatFloat(v, format, precision, 64)
	case q == nil:
		q = new(big.Rat).SetFloat64(v)
	case q.Sign() == 0:
		return strconv.FormatFloat(0, format, precision, 64)
	}
	if precision >= 0 {
		return decimal(q, format, precision, d.side)
	}
	if d.x.scale != nil {
		v, _ = q.Float64()
	}
	return shortest(v, q, format, d.side)
}

// shortest writes the float64 v, which is next to q, with as few digits as are read as v and lie on the side of q.
func shortest(v float64, q *big.Rat, format byte, side Side) string {
	text := strconv.FormatFloat(v, 'e', -1, 64)
	for places := digitsBehind(text); side != Neither && places < mostDigits; places++ {
		shown, _ := new(big.Rat).SetString(text)
		if read, _ := strconv.ParseFloat(text, 64); read == v && shown.Cmp(q) != -int(side) {
			break
		}
		text = decimal(q, 'e', places, side)
	}
	_, exponent, _ := strings.Cut(text, "e")
	power, _ := strconv.Atoi(exponent)
	if format == 'e' || format == 'g' && (power < -4 || power >= 6) {
		return text
	}
	shown, _ := new(big.Rat).SetString(text)
	return decimal(shown, 'f', max(digitsBehind(text)-power, 0), Neither)
}

// digitsBehind returns how many digits stand behind the point of a number in scientific notation.
func digitsBehind(text string) int {
	mantissa, _, _ := strings.Cut(text, "e")
	_, behind, _ := strings.Cut(mantissa, ".")
	return len(behind)
}

// decimal writes a rational other than 0 with so many digits, rounded to a side; to Neither, to the nearest decimal.
func decimal(q *big.Rat, format byte, precision int, side Side) string {
	unit := -precision // of the last digit, as a power of ten
	switch format {
	case 'g':
		precision = min(max(precision, 1), mostDigits)
		unit = power(q) - precision + 1
	case 'e':
		unit += power(q)
	}
	num, den := new(big.Int).Set(q.Num()), q.Denom()
	if ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(unit, -unit))), nil); unit < 0 {
		num.Mul(num, ten)
	} else {
		den = ten.Mul(ten, den)
	}
	units, rest := new(big.Int).DivMod(num, den, new(big.Int)) // rounded down
	if rest.Sign() > 0 {
		half := rest.Lsh(rest, 1).Cmp(den)
		if side == Up || side == Neither && (half > 0 || half == 0 && units.Bit(0) == 1) {
			units.Add(units, big.NewInt(1))
		}
	}
	digits := units.String()
	v, _, _ := big.ParseFloat(digits+"e"+strconv.Itoa(unit), 10, uint(64+4*len(digits)), big.ToNearestEven)
	return v.Text(format, precision)
}

// power returns the largest p with 10^p ≤ |q|, q ≠ 0.
func power(q *big.Rat) int {
	abs := new(big.Rat).Abs(q)
	_, exponent, _ := strings.Cut(new(big.Float).SetPrec(64).SetRat(abs).Text('e', 17), "e")
	p, _ := strconv.Atoi(exponent)
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(p, -p))), nil)
	at := new(big.Rat).SetInt(ten)
	if p < 0 {
		at.Inv(at)
	}
	if at.Cmp(abs) > 0 { // rounded up to a power of ten
		p--
	}
	return p
}

// rational returns the number as a rational, nil for a float64: of a logarithm one beyond it on the given side,
// nearer than any digits that are asked for.
func (x *real) rational(side Side) *big.Rat {
	if x.scale == nil || x.base == nil {
		return x.scale
	}
	for bits := uint(interval.Prec); ; bits += bits {
		low, high := x.fixed(bits)
		if min(low.BitLen(), high.BitLen()) < interval.Prec/2 {
			continue // too near to 0 to have many digits
		}
		if side == Up {
			low = high
		}
		return new(big.Rat).SetFrac(low, new(big.Int).Lsh(big.NewInt(1), bits))
	}
}

// FormatFloat prints v with at most the given significant digits, or as few as
// determine it where digits is −1, as scripts write numbers: 2.0, 1e-07, inf.
func FormatFloat(v float64, digits int) string { return scripted(Rounded(v, Neither), digits) }

// FormatDown is FormatFloat rounded down, so that a bound from below prints as
// one.
func FormatDown(v float64, digits int) string { return scripted(Rounded(v, Down), digits) }

// FormatUp is FormatFloat rounded up.
func FormatUp(v float64, digits int) string { return scripted(Rounded(v, Up), digits) }

// scripted writes a number as scripts do, whole numbers with a point.
func scripted(d Decimal, digits int) string {
	text := unpointed(d, digits)
	if strings.Trim(text, "-0123456789") == "" {
		text += ".0"
	}
	return text
}

func unpointed(d Decimal, digits int) string {
	text := d.Text('g', min(digits, mostDigits))
	switch text {
	case "+Inf", "-Inf", "NaN":
		return strings.ToLower(strings.TrimPrefix(text, "+"))
	}
	return text
}
