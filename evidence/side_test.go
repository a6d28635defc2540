package evidence_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
)

// Every text of an enclosure is on its safe side, whatever its size and the digits that are asked for.
func TestPrintersKeepTheSafeSide(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	for range 20000 {
		c := evidencetest.Random(rng)
		digits := 1 + rng.IntN(19)
		verb := fmt.Sprintf("%%%s%s.%d%c", []string{"", "+", "0", "-", " "}[rng.IntN(5)], []string{"", "12"}[rng.IntN(2)], digits, "efgEG"[rng.IntN(5)])
		texts := map[string]string{
			"String": c.String(), "FormatNumber": evidence.FormatNumber(c, digits), "Cite": evidence.Cite(c), "%v": fmt.Sprint(c), verb: fmt.Sprintf(verb, c),
			"%g": fmt.Sprintf("%g", c), "shortest": evidence.FormatNumber(c, -1),
		}
		if !evidence.IsWide(c) {
			texts["Brief"] = evidence.Brief(c)
			texts["Digits"] = evidence.Digits(c)
		}
		for name, text := range texts {
			if wrong := evidencetest.Misprint(c, text); wrong != "" {
				t.Fatalf("%s to %d digits: %s", name, digits, wrong)
			}
		}
		around := evidence.Certified{Lo: c.Lo, Hi: c.Hi}
		for name, text := range map[string]string{"Bounds": evidence.Bounds(c), "String": c.String()[1:]} {
			if wrong := evidencetest.Misprint(around, text); c.Lo < c.Hi && wrong != "" {
				t.Fatalf("%s: %s", name, wrong)
			}
		}
	}
}

// An exact number is rounded to its side from itself, not from the float64 next to it.
func TestExactLossesRoundUp(t *testing.T) {
	given, err := evidence.LogEpsilon("eps", big.NewRat(5, 2))
	if err != nil {
		t.Fatal(err)
	}
	tenth, err := evidence.NewEpsilon("eps", 0.1)
	if err != nil {
		t.Fatal(err)
	}
	up := evidence.Up
	for _, c := range []struct {
		n      evidence.Number
		digits int
		want   string
	}{
		{given.Number(), 3, "0.917"}, {given.Number(), 17, "0.91629073187415507"}, {evidence.ExactLog{Argument: big.NewRat(5, 2), Side: up}, 3, "0.917"},
		{evidence.ExactLog{Argument: big.NewRat(5, 2)}, 3, "0.916"}, {evidence.ExactLog{Argument: big.NewRat(2, 5), Side: up}, 3, "-0.916"},
		{evidence.ExactLog{Argument: big.NewRat(1000000001, 1000000000), Side: up}, 30, "9.99999999500000000333333333084e-10"},
		{evidence.Exact{Value: big.NewRat(1, 3), Side: up}, 4, "0.3334"}, {evidence.Exact{Value: big.NewRat(1, 3)}, 4, "0.3333"},
		{evidence.Exact{Value: big.NewRat(1, 3), Side: evidence.Down}, 4, "0.3333"}, {evidence.Exact{Value: big.NewRat(1, 2), Side: up}, 4, "0.5"},
		{tenth.Number(), 6, "0.1"}, {evidence.Claimed{Value: given.Value(), Epsilon: given}, 3, "0.917"}, {evidence.Claimed{Value: 0.91629}, 3, "0.916"},
		{evidence.Certified{Lo: 0.1, Hi: 0.1, Side: up}, 6, "0.1"}, {evidence.Certified{Lo: 0, Hi: 0.1, Side: up}, 6, "0.100001"},
		{evidence.Certified{Lo: 1.1324091, Hi: 1.1324336, Side: up}, 5, "1.1325"}, {evidence.Certified{Lo: 1.1324091, Hi: 1.1324336}, 9, "1.1324"},
		{evidence.Certified{Lo: 1, Hi: 2}, 3, "[1.0, 2.0]"}, {evidence.Certified{Lo: math.NaN(), Hi: 2, Side: up}, 3, "inf"}, {evidence.FromFloat(math.NaN()), 3, "nan"},
		{evidence.Exact{Value: new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(3), big.NewInt(1000), nil)), Side: up}, 3, "1.33e+477"},
	} {
		if got := evidence.FormatNumber(c.n, c.digits); got != c.want {
			t.Errorf("%v to %d digits is %s, want %s", c.n, c.digits, got, c.want)
		}
	}
}

// However many digits are asked for, text has at most 10,000 behind the point, and still lies on its side.
func TestDigitsAreBounded(t *testing.T) {
	for _, format := range []byte{'e', 'f', 'g', 4} {
		if text := evidence.Rounded(1.0/3, evidence.Up).Text(format, 1<<31); len(text) > 10_020 {
			t.Errorf("%q writes %d characters", format, len(text))
		}
	}
	text := evidence.Rounded(1.0/3, evidence.Up).Text('f', 1<<31)
	if shown, ok := new(big.Rat).SetString(text); !ok || shown.Cmp(new(big.Rat).SetFloat64(1.0/3)) < 0 {
		t.Errorf("%.40s… is below 1/3 in float64", text)
	}
}
