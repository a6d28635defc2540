package workload

import (
	"math"

	"dpworkbench/interval"
)

// normUp returns an upper bound of the Euclidean norm of x, and normDown a lower one.
func normUp(x []float64) float64   { return norm(x).hi }
func normDown(x []float64) float64 { return norm(x).lo }

type ends struct{ lo, hi float64 }

// norm encloses the Euclidean norm of x. It scales the entries by a power of two so that no square overflows, and
// bounds the squares that underflow.
func norm(x []float64) ends {
	most := 0.0
	for _, v := range x {
		most = max(most, math.Abs(v))
	}
	if most == 0 {
		return ends{}
	}
	if math.IsInf(most, 1) {
		return ends{most, most}
	}
	_, exp := math.Frexp(most)
	exp = max(exp, -1020)
	sum := 0.0
	for _, v := range x {
		s := math.Ldexp(v, -exp)
		sum += float64(s * s)
	}
	g := gamma(len(x) + 2)
	lost := float64(len(x)) * 0x1p-1022
	lo := math.Sqrt(max(0, interval.Down(interval.Down(sum*interval.Down(1-g))-lost)))
	hi := math.Sqrt(interval.Up(interval.Up(sum*interval.Up(1+g)) + lost))
	return ends{math.Ldexp(interval.Down(lo), exp), interval.Up(math.Ldexp(interval.Up(hi), exp))}
}

// around returns e widened by off at both ends, cut off at 0.
func (e ends) around(off float64) ends {
	return ends{max(0, interval.Down(e.lo-off)), interval.Up(e.hi + off)}
}

func (e ends) interval() interval.Interval { return interval.Between(e.lo, e.hi) }

// timesUp returns an upper bound of ab, and sumUp one of a + b, for upper bounds a and b.
func timesUp(a, b float64) float64 { return interval.Up(a * b) }

func sumUp(x ...float64) float64 {
	s := 0.0
	for _, v := range x {
		s = interval.Up(s + v)
	}
	return s
}
