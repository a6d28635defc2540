package study

import (
	"math"
	"testing"
)

// Numeric columns are read for every content and driver.
func TestReadNumericColumns(t *testing.T) {
	for _, c := range []struct {
		stored any
		want   float64
		damage string
	}{
		{1.5, 1.5, ""}, {float32(.25), .25, ""}, {int64(-7), -7, ""}, {[]byte("2.5"), 2.5, ""}, {"1e3", 1000, ""},
		{nil, math.NaN(), "nothing"}, {true, math.NaN(), "a bool"}, {"much", math.NaN(), `the text "much"`}, {"", math.NaN(), `the text ""`},
		{math.Inf(1), math.Inf(1), "+Inf"}, {"-inf", math.Inf(-1), "-Inf"}, {"nan", math.NaN(), "NaN"}, {[]byte("x"), math.NaN(), `the text "x"`},
	} {
		n := number{7, "before"}
		if err := n.Scan(c.stored); err != nil || n.damage != c.damage || n.v != c.want && !(math.IsNaN(n.v) && math.IsNaN(c.want)) {
			t.Errorf("%#v is read as %+v, %v", c.stored, n, err)
		}
	}
}
