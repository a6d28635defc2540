package interval

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// Sums that float64 holds agree with it, and both ends stay with their own where it
// does not: what e^{±10^74} of doubt leaves of two equal terms is ln 2 beside it.
func TestLogSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		var logs, factors []Interval
		want := 0.0
		for range n {
			l, f := rapid.Float64Range(-300, 300).Draw(t, "log"), rapid.Float64Range(1e-3, 1e3).Draw(t, "factor")
			logs, factors = append(logs, Float(l)), append(factors, Float(f))
			want += f * math.Exp(l)
		}
		lo, hi := LogSum(logs, factors).Bounds()
		if v := math.Log(want); lo > v+1e-12*(1+math.Abs(v)) || hi < v-1e-12*(1+math.Abs(v)) || hi-lo > 1e-12 {
			t.Fatalf("[%v, %v], want %v", lo, hi, v)
		}
	})
	wide := Between(-1.0000000001e250, -1e250)
	lo, hi := LogSum([]Interval{wide, wide}, []Interval{Int(1), Int(1)}).Bounds()
	if lo != -1.0000000001e250 || hi != math.Nextafter(-1e250, 0) {
		t.Errorf("[%v, %v], want the ends given", lo, hi)
	}
}

// The largest term alone counts beside others that are e^{10^12} times smaller, wherever it
// stands: no power of e beyond the range of the ends is taken.
func TestLogSumOfFarTerms(t *testing.T) {
	const far = 1e12
	for _, logs := range [][]Interval{{Float(0), Float(far)}, {Float(far), Float(0)}, {Float(-far), Float(far), Float(0)}, {Float(far), Float(-far), Float(-3 * far)}} {
		factors := make([]Interval, len(logs))
		for i := range factors {
			factors[i] = Int(1)
		}
		lo, hi := LogSum(logs, factors).Bounds()
		if lo != far || hi != math.Nextafter(far, 2*far) {
			t.Errorf("ln Σ exp %v is in [%v, %v], want %v and the float64 above", logs, lo, hi, far)
		}
	}
}

// Of no terms, and of factors that are not as many as the logarithms, nothing is said.
func TestLogSumOfNothing(t *testing.T) {
	one, two := []Interval{Int(1)}, []Interval{Int(1), Int(2)}
	for _, c := range [][2][]Interval{{nil, nil}, {one, nil}, {nil, one}, {one, two}, {two, one}} {
		if lo, hi := LogSum(c[0], c[1]).Bounds(); !math.IsInf(lo, -1) || !math.IsInf(hi, 1) {
			t.Errorf("%d logarithms and %d factors: [%v, %v]", len(c[0]), len(c[1]), lo, hi)
		}
	}
}
