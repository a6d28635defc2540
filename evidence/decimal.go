package evidence

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"dpworkbench/interval"
)

const (
	mostDigits = 767 // the most significant digits of a float64
	fullDigits = 15  // a decimal of this many digits survives conversion to float64 and back
	fewDigits  = 8   // a float64 whose shortest decimal has fewer digits was probably written as that decimal
)

// Decimal is a number to be formatted in decimal digits, rounded to a side.
type Decimal struct {
	x    *real
	side Side
}

// Rounded returns v as a Decimal that is rounded to side.
func Rounded(v float64, side Side) Decimal { return Decimal{&real{float: v}, side} }

// Text formats the number as strconv.FormatFloat does, in the format 'e', 'f' or 'g'. It rounds to the side of d, by
// less than one unit of the last digit. Precision −1 gives the fewest digits that read back as the same float64.
// Precisions above 10,000 count as 10,000.
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

// shortest formats q, whose nearest float64 is v. It uses the fewest digits that read back as v and lie on the given
// side of q.
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

// digitsBehind returns the number of digits after the decimal point of a number in scientific notation.
func digitsBehind(text string) int {
	mantissa, _, _ := strings.Cut(text, "e")
	_, behind, _ := strings.Cut(mantissa, ".")
	return len(behind)
}

// decimal formats a rational other than 0, rounded to a side, or to the nearest decimal for Neither.
func decimal(q *big.Rat, format byte, precision int, side Side) string {
	unit := -precision // exponent of ten of the last digit
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
	const far = 400
	shift := 0 // big.Float takes minutes for large exponents: it formats with a smaller one, which is replaced below
	if p := unit + len(digits); format != 'f' && (p < -far || p > far) {
		shift = p - far
	}
	v, _, _ := big.ParseFloat(digits+"e"+strconv.Itoa(unit-shift), 10, uint(64+4*len(digits)), big.ToNearestEven)
	text := v.Text(format, precision)
	if shift == 0 {
		return text
	}
	mantissa, exponent, _ := strings.Cut(text, "e")
	n, _ := strconv.Atoi(exponent)
	return fmt.Sprintf("%se%+d", mantissa, n+shift)
}

// power returns the largest p with 10^p ≤ |q|, q ≠ 0.
func power(q *big.Rat) int {
	num, den := new(big.Int).Abs(q.Num()), q.Denom()
	above := func(p int) bool { // 10^p > |q|
		ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(p, -p))), nil)
		if p < 0 {
			return den.Cmp(ten.Mul(ten, num)) > 0
		}
		return ten.Mul(ten, den).Cmp(num) > 0
	}
	p := int(float64(num.BitLen()-den.BitLen()) * (math.Ln2 / math.Ln10)) // off by at most 1
	for above(p) {
		p--
	}
	for !above(p + 1) {
		p++
	}
	return p
}

// rational returns the number as a rational, and nil for a float64. For a logarithm it returns a rational on the given
// side that agrees with it to at least 30 digits.
func (x *real) rational(side Side) *big.Rat {
	if x.scale == nil || x.base == nil {
		return x.scale
	}
	for bits := uint(interval.Prec); ; bits += bits {
		log, off := fixedLog(x.base, bits)
		if log.BitLen() < interval.Prec/2 {
			continue // too few significant bits
		}
		if (side == Up) == (x.scale.Sign() > 0) {
			log.Add(log, off)
		} else {
			log.Sub(log, off)
		}
		v := new(big.Rat).SetFrac(log, new(big.Int).Lsh(big.NewInt(1), bits))
		return v.Mul(v, x.scale)
	}
}

// FormatFloat formats v with at most the given significant digits, as scripts write numbers: 2.0, 1e-07, inf. digits =
// −1 gives the fewest digits that read back as v.
func FormatFloat(v float64, digits int) string { return scripted(Rounded(v, Neither), digits) }

// FormatDown is FormatFloat rounded down.
func FormatDown(v float64, digits int) string { return scripted(Rounded(v, Down), digits) }

// FormatUp is FormatFloat rounded up.
func FormatUp(v float64, digits int) string { return scripted(Rounded(v, Up), digits) }

// scripted formats a number as scripts do, integers with a decimal point.
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
