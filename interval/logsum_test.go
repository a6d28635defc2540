package interval_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"dpworkbench/interval"
)

// LogSum agrees with float64 where float64 does not overflow. For two equal terms with logarithms near −10²⁵⁰, the sum
// has the ends of one logarithm, since adding ln 2 is below their precision.
func TestLogSum(t *testing.T) {
	for _, empty := range [][2][]interval.Interval{{nil, nil}, {{interval.Int(1)}, nil}, {nil, {interval.Int(1)}}, {{interval.Int(1)}, {interval.Int(1), interval.Int(2)}}} {
		if got := interval.LogSum(empty[0], empty[1]); got.CmpLo(interval.Whole()) != 0 || got.CmpHi(interval.Whole()) != 0 {
			t.Errorf("%d logarithms of %d factors: %v", len(empty[0]), len(empty[1]), got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		var logs, factors []interval.Interval
		want := 0.0
		for range n {
			l, f := rapid.Float64Range(-300, 300).Draw(t, "log"), rapid.Float64Range(1e-3, 1e3).Draw(t, "factor")
			logs, factors = append(logs, interval.Float(l)), append(factors, interval.Float(f))
			want += f * math.Exp(l)
		}
		lo, hi := interval.LogSum(logs, factors).Bounds()
		if v := math.Log(want); lo > v+1e-12*(1+math.Abs(v)) || hi < v-1e-12*(1+math.Abs(v)) || hi-lo > 1e-12 {
			t.Fatalf("[%v, %v], want %v", lo, hi, v)
		}
	})
	wide := interval.Between(-1.0000000001e250, -1e250)
	lo, hi := interval.LogSum([]interval.Interval{wide, wide}, []interval.Interval{interval.Int(1), interval.Int(1)}).Bounds()
	if lo != -1.0000000001e250 || hi != math.Nextafter(-1e250, 0) {
		t.Errorf("[%v, %v], want the ends given", lo, hi)
	}
}
