package evidence_test

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/evidence"

	"pgregory.net/rapid"
)

// Printing down or up rounds in that direction by less than one unit of the last digit. A number with few enough
// digits prints exactly.
func TestFormatUpAndDownRoundOutwardByOneUnit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := math.Ldexp(rapid.Float64Range(-1, 1).Draw(t, "mantissa"), rapid.IntRange(-900, 900).Draw(t, "exponent"))
		if rapid.Bool().Draw(t, "decimal") { // few digits, near powers of ten
			v = rapid.SampledFrom([]float64{1, 9.9, 9.99, 9.9999, 9.99999, 1.0001, 1.00001, 0.1, 99999, 100000, 100001, 0.3, 2.5}).Draw(t, "v") *
				math.Pow(10, float64(rapid.IntRange(-20, 20).Draw(t, "power")))
			if rapid.Bool().Draw(t, "beside") { // where Log10 rounds wrongly
				v = math.Nextafter(math.Pow10(rapid.IntRange(-300, 300).Draw(t, "power")), rapid.SampledFrom([]float64{0, math.Inf(1)}).Draw(t, "to"))
			}
		}
		digits := rapid.IntRange(1, 17).Draw(t, "digits")
		q := new(big.Rat).SetFloat64(v)
		for name, c := range map[string]struct {
			text string
			side int
		}{
			"down": {evidence.FormatDown(v, digits), -1}, "up": {evidence.FormatUp(v, digits), 1},
		} {
			shown, ok := new(big.Rat).SetString(c.text)
			if !ok {
				t.Fatalf("%v %s is %q", v, name, c.text)
			}
			if shown.Cmp(q) == -c.side {
				t.Fatalf("%v %s to %d digits is %s", v, name, digits, c.text)
			}
			if v == 0 {
				return
			}
			_, exponent, _ := strings.Cut(strconv.FormatFloat(v, 'e', -1, 64), "e")
			power, _ := strconv.Atoi(exponent)
			unit, _ := new(big.Rat).SetString(fmt.Sprintf("1e%d", power-(digits-1)))
			if d := new(big.Rat).Sub(shown, q); d.Abs(d).Cmp(unit.Mul(unit, big.NewRat(1000001, 1000000))) > 0 {
				t.Fatalf("%v %s to %d digits is %s, more than a unit away", v, name, digits, c.text)
			}
		}
	})
	for _, c := range []struct {
		v        float64
		digits   int
		down, up string
	}{
		{0.45, 4, "0.45", "0.4501"}, {0.123456, 3, "0.123", "0.124"}, {-0.123456, 3, "-0.124", "-0.123"}, {0, 3, "0.0", "0.0"},
		{math.NaN(), 3, "nan", "nan"}, {math.Inf(1), 3, "inf", "inf"}, {math.Inf(-1), 3, "-inf", "-inf"}, {9.9996, 4, "9.999", "10.0"}, {1234.5, 2, "1.2e+03", "1.3e+03"},
		{0.1, 900, "0.1000000000000000055511151231257827021181583404541015625", "0.1000000000000000055511151231257827021181583404541015625"},
		{1000000000000000.125, 1, "1e+15", "2e+15"}, {0x1p-24, 16, "5.960464477539062e-08", "5.960464477539063e-08"}, {1e-7, -1, "9.999999999999999e-08", "1e-07"}, {100000, 17, "100000.0", "100000.0"},
	} {
		if down, up := evidence.FormatDown(c.v, c.digits), evidence.FormatUp(c.v, c.digits); down != c.down || up != c.up {
			t.Errorf("%v to %d digits: down %s, up %s, want %s, %s", c.v, c.digits, down, up, c.down, c.up)
		}
	}
	// Logarithms of numbers just above 1 are far below the smallest float64: ln(1 + t) = t(1 − t/2 + …).
	for _, k := range []int{1060, 1330, 1500, 1 << 14, 1 << 19} {
		t1 := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(k)))
		text, _, _ := strings.Cut(evidence.ExactLog{Argument: t1.Add(t1, big.NewRat(1, 1)), Side: evidence.Up}.String(), " ")
		mantissa, exponent, _ := strings.Cut(text, "e-")
		m, _ := strconv.ParseFloat(mantissa, 64)
		p, _ := strconv.Atoi(exponent)
		if off := math.Log10(m) - float64(p) + float64(k)*math.Log10(2); len(mantissa) < 15 || !(m >= 1 && m < 10) || math.Abs(off) > 1e-9 {
			t.Errorf("ln(1 + 2^-%d) prints %q", k, text)
		}
	}
	for _, p := range []int{-2000, -401, -400, -399, 400, 2000} {
		q, _ := new(big.Rat).SetString(fmt.Sprintf("1e%d", p))
		above := new(big.Rat).Mul(q, big.NewRat(1000001, 1000000))
		below := new(big.Rat).Mul(q, big.NewRat(999999, 1000000))
		for want, q := range map[string]*big.Rat{fmt.Sprintf("1e%+d", p): q, fmt.Sprintf("1.000001e%+d", p): above, fmt.Sprintf("9.99999e%+d", p-1): below} {
			if text, _, _ := strings.Cut(evidence.FromRat(q).String(), " "); text != want {
				t.Errorf("%s prints %s", want, text)
			}
		}
	}
	if got := evidence.FormatFloat(math.NaN(), 3); got != "nan" {
		t.Errorf("NaN prints %q", got)
	}
}
