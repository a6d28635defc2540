package audit

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
)

// Numerals compare like rational numbers, in any notation.
func TestNumeralsAgainstRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	spell := func() string {
		digits := fmt.Sprint(rng.Int64N([]int64{3, 40, 1 << 62}[rng.IntN(3)]))
		text := digits
		if k := rng.IntN(len(digits) + 3); k < len(digits) {
			text = "0." + digits[k:]
			if k > 0 {
				text = digits[:k] + text[1:]
			}
		}
		if rng.IntN(2) == 0 {
			text += fmt.Sprintf("e%+d", rng.IntN(7)-3)
		}
		if rng.IntN(3) == 0 {
			text = "-" + text
		}
		return text
	}
	read := func(text string) (numeral, *big.Rat) {
		n, ok := parseNumeral(text)
		q, okRat := new(big.Rat).SetString(text)
		if !ok || !okRat {
			t.Fatalf("%s parses as %v, %v", text, n, ok)
		}
		return n, q
	}
	equal := 0
	for range 20000 {
		x, y := spell(), spell()
		a, p := read(x)
		b, q := read(y)
		want := p.Cmp(q)
		if got := a.compare(b); got != want {
			t.Fatalf("%s against %s compares %d, want %d", x, y, got, want)
		}
		if same := a.key() == b.key(); same != (want == 0) {
			t.Fatalf("%s and %s have the same key: %v", x, y, same)
		}
		if want == 0 {
			equal++
		}
	}
	if equal < 100 {
		t.Errorf("only %d pairs of 20000 are equal", equal)
	}
}

// Outputs that round to the same float64 keep their order, and fall into the right bins.
func TestLongNumbersKeepTheirOrder(t *testing.T) {
	var s Samples
	for _, output := range []string{"9007199254740993", "9007199254740992", "0.29999999999999999", "0.3", "1e400", "word"} {
		for _, dataset := range []string{"x", "y"} {
			if err := s.Add(dataset, output, 10); err != nil {
				t.Fatal(err)
			}
		}
	}
	d := s.layOut()
	if got := fmt.Sprint(d.labels); got != "[0.29999999999999999 0.3 9007199254740992 9007199254740993 1e400 word]" || len(d.values) != 5 {
		t.Errorf("outputs sorted as %s, with %d numbers", got, len(d.values))
	}
	edges := must.Be(edgesOf([]float64{0.3, 9007199254740994}))
	g := d.group(edges)
	var counts []int64
	for _, c := range g.tallies[0] {
		counts = append(counts, c.confirm)
	}
	if fmt.Sprint(counts) != "[10 30 10 10]" || fmt.Sprintf("%q", g.labels) != `["below 0.3" "[0.3, 9.007199254740994e+15)" "from 9.007199254740994e+15" "word"]` {
		t.Errorf("bins %v have the counts %v, want 10, 30, 10 and 10", g.labels, counts)
	}
}

// Each value is the float64 nearest to e^ε for a float64 ε: mpmath 1.3 at 60 digits.
func TestExpFloat(t *testing.T) {
	for eps, text := range map[float64]string{
		1e-300:             "1",
		0.1:                "1.10517091807564763095",
		1:                  "2.71828182845904523536",
		7.3:                "1480.29992758454495988",
		399.5:              "3.16698145560216560618e173",
		1e9:                "3.77302030092993982340e260", // e⁶⁰⁰
		0.6931471805599453: "1.99999999999999995362",
	} {
		e := must.Be(evidence.NewEpsilon("eps", eps))
		want, _ := new(big.Rat).SetString(text)
		near, _ := want.Float64()
		if got := expFloat(e); math.Abs(got-near) > math.Nextafter(near, math.Inf(1))-near {
			t.Errorf("e^%v = %v, want %v", eps, got, near)
		}
	}
}
