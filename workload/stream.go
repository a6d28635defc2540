package workload

import (
	"math"

	"dpworkbench/interval"
)

// decodeSeries returns b̃ ≈ w/c with bounds on the row norms of the Toeplitz matrix of the exact quotient b: the
// largest, and the root of the mean of their squares.
//
// Let r = w − b̃c, h̃ ≈ 1/c and e = ‖1 − h̃c‖₁ < 1, for series up to degree n − 1. Then b − b̃ = r/c and ‖b − b̃‖₂ ≤
// ‖r‖₂‖h̃‖₁/(1 − e), so each row norm differs from that of b̃ by at most this. ok is false unless e < ½.
func decodeSeries(w, c series) (b series, most, mean ends, ok bool) {
	n := len(c)
	b = w.over(c)
	one := make(series, n)
	one[0] = 1
	h := one.over(c)
	e := sumAbs(remainder(one, h, c))
	if !(e < 0.5) {
		return b, most, mean, false
	}
	inverse := interval.Up(sumAbs(h) / interval.Down(1-e))
	off := timesUp(normUp(remainder(w, b, c)), inverse)
	weighted := make(series, n)
	for j, v := range b {
		weighted[j] = v * math.Sqrt(float64(n-j)/float64(n)) // to 3 relative units
	}
	m := norm(weighted)
	m = ends{interval.Down(m.lo * (1 - 4*interval.Unit)), interval.Up(m.hi * (1 + 4*interval.Unit))}
	return b, norm(b).around(off), m.around(off), !math.IsInf(off, 1)
}

// remainder returns upper bounds of the absolute coefficients of x − ab.
func remainder(x, a, b series) series {
	n := len(x)
	back := make([]float64, n)
	size := make([]float64, n)
	for i, v := range b {
		back[n-1-i], size[n-1-i] = -v, math.Abs(v)
	}
	absolute := make([]float64, n)
	for i, v := range a {
		absolute[i] = math.Abs(v)
	}
	out := make(series, n)
	for k := range out {
		sum := interval.DoubleDouble{Hi: x[k]}.AddProducts(a[:k+1], back[n-1-k:]).Float()
		bulk := math.Abs(x[k])
		for j, v := range size[n-1-k:] {
			bulk += float64(absolute[j] * v)
		}
		g := gamma(k + 3)
		rounded := timesUp(math.Abs(sum), 1+2*interval.Unit)
		out[k] = sumUp(rounded, timesUp(timesUp(g, timesUp(g, 2)), bulk), float64(k+1)*0x1p-1000)
	}
	return out
}

// sumAbs returns an upper bound of Σ|a_k|.
func sumAbs(a series) float64 {
	s := 0.0
	for _, v := range a {
		s = interval.Up(s + math.Abs(v))
	}
	return s
}
