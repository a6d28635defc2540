package display_test

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dpworkbench/display"
	"dpworkbench/internal/must"

	"pgregory.net/rapid"
)

// Superscripts and subscripts that the font lacks are set as raised and lowered text.
func TestScriptsInPictures(t *testing.T) {
	l := must.For(display.NewLinePlot(display.LineSpec{Series: []display.Series{{Name: "P₊", Y: []float64{1, 2}}}, Title: "10⁻³", XLabel: "x⁻", YLabel: "y₋"}))(t)
	svg := must.For(l.SVG())(t)
	for _, want := range []string{">P<", ">+<", ">10<", ">-3<", ">x<", ">y<"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("the picture lacks %s", want)
		}
	}
}

// A picture spells out the characters that its font lacks, or has question marks for them.
func TestLegible(t *testing.T) {
	text := regexp.MustCompile(`<text [^>]*>([^<]*)</text>`)
	for title, want := range map[string]string{
		"P/P_L of δ = 1": "P/PL of δ = 1",
		"x₁² ≤ ‖Σ⁴‖₂ √3": "x12 ≤ ‖Σ4‖2 √3", // raised and lowered
		"∇f ∝ 𝒳":         "?f ~ ?",
		"":               "",
	} {
		l := must.For(display.NewLinePlot(display.LineSpec{Series: []display.Series{{Y: []float64{1, 2}}}, Title: title}))(t)
		svg := must.For(l.SVG())(t)
		got := ""
		for _, part := range text.FindAllStringSubmatch(string(svg), -1) {
			got += part[1]
		}
		if got, _, _ = strings.Cut(got, "0.00.20.4"); got != want { // the ticks of the axis follow
			t.Errorf("%q becomes %q, want %q", title, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for _, test := range []struct {
		v      float64
		digits int
		want   string
	}{
		{0, 3, "0"}, {math.Copysign(0, -1), 3, "0"},
		{math.Inf(1), 3, "inf"}, {math.Inf(-1), 3, "-inf"}, {math.NaN(), 3, "nan"},
		{1, 3, "1"}, {-1.5, 3, "-1.5"}, {0.99521, 4, "0.9952"}, {0.1 + 0.2, 3, "0.3"},
		{0.30000000000000004, 0, "0.30000000000000004"},
		{9.9996, 4, "10"}, {999999.7, 3, "1e6"}, {99999.7, 3, "100000"},
		{1044.4, 3, "1044"}, {1044, 1, "1044"}, {12005168, 3, "1.2e7"}, {12005168, 8, "12005168"},
		{12005168, 0, "12005168"}, {1e15, 0, "1e15"},
		{0.0001, 3, "0.0001"}, {0.00009994, 3, "9.99e-5"}, {0.00009996, 3, "0.0001"},
		{1.5e-7, 3, "1.5e-7"}, {-2e300, 3, "-2e300"}, {5e-324, 3, "4.94e-324"},
		{math.Pi, 99, "3.1415926535897931"},
	} {
		if got := display.Number(test.v, test.digits); got != test.want {
			t.Errorf("Number(%v, %d) = %q, want %q", test.v, test.digits, got, test.want)
		}
	}
}

// The output of Number parses to the value within half a unit of the last requested digit.
func TestNumberReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.Float64Range(-1e300, 1e300).Draw(t, "v")
		digits := rapid.IntRange(0, 20).Draw(t, "digits")
		s := display.Number(v, digits)
		got, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatalf("Number(%v, %d) = %q: %v", v, digits, s, err)
		}
		tolerance := 0.0
		if digits >= 1 {
			tolerance = 0.5000001*math.Pow(10, math.Floor(math.Log10(math.Abs(v)))+1-float64(min(digits, 17))) + 0x1p-52*math.Abs(v)
		}
		if math.Abs(got-v) > tolerance {
			t.Errorf("Number(%v, %d) = %q, off by %g", v, digits, s, got-v)
		}
	})
}

func TestLine(t *testing.T) {
	for in, want := range map[string]string{"Σ⁻¹ at 10⁻¹²": "Σ⁻¹ at 10⁻¹²", " a\tb\x1b ": "a b"} {
		if got := display.Line(in); got != want {
			t.Errorf("Line(%q) = %q, want %q", in, got, want)
		}
	}
}
