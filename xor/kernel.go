package xor

import (
	"math"

	"dpworkbench/interval"
)

// guardBits bounds weights to 2^±guardBits: then sums of 2³⁶ of them are finite, and none has lost digits to underflow.
const guardBits = 960

// advance sets dst[i] = src[i]·(ratio[i]·c), and sums[k] to the sum of class k of dst, which ends at ends[k]. An
// enumeration spends nearly all its time in advance and dot3. Four accumulators per class keep the adder busy and
// shorten the chains of roundings.
func advance(dst, src, ratio []float64, c float64, ends []int, sums []float64) {
	start := 0
	for k, end := range ends {
		s, r, d := src[start:end], ratio[start:end], dst[start:end]
		r, d = r[:len(s)], d[:len(s)]
		var a0, a1, a2, a3 float64
		i := 0
		for ; i+3 < len(s); i += 4 {
			w0, w1, w2, w3 := s[i]*(r[i]*c), s[i+1]*(r[i+1]*c), s[i+2]*(r[i+2]*c), s[i+3]*(r[i+3]*c)
			d[i], d[i+1], d[i+2], d[i+3] = w0, w1, w2, w3
			a0, a1, a2, a3 = a0+w0, a1+w1, a2+w2, a3+w3
		}
		for ; i < len(s); i++ {
			d[i] = s[i] * (r[i] * c)
			a0 += d[i]
		}
		sums[k] = (a0 + a1) + (a2 + a3)
		start = end
	}
}

// dot3 sets a[k], b[k] and c[k] to the inner products of src with three vectors over class k.
func dot3(src, x, y, z []float64, ends []int, a, b, c []float64) {
	start := 0
	for k, end := range ends {
		s := src[start:end]
		p, q, r := x[start:end][:len(s)], y[start:end][:len(s)], z[start:end][:len(s)]
		var a0, a1, b0, b1, c0, c1 float64
		i := 0
		for ; i+1 < len(s); i += 2 {
			v, w := s[i], s[i+1]
			a0 += v * p[i]
			b0 += v * q[i]
			c0 += v * r[i]
			a1 += w * p[i+1]
			b1 += w * q[i+1]
			c1 += w * r[i+1]
		}
		if i < len(s) {
			v := s[i]
			a0 += v * p[i]
			b0 += v * q[i]
			c0 += v * r[i]
		}
		a[k], b[k], c[k] = a0+a1, b0+b1, c0+c1
		start = end
	}
}

// advanceGuarded does what advance does, and reports whether every weight stayed within 2^±guardBits. dst must not be
// nil.
func advanceGuarded(dst, src, ratio []float64, c float64, ends []int, sums []float64) bool {
	const least, most = (1023 - guardBits) << 52, (1023 + guardBits) << 52
	start := 0
	var flags uint64 // the top bit of a difference is set where a weight leaves the range
	for k, end := range ends {
		s, r, d := src[start:end], ratio[start:end], dst[start:end]
		r, d = r[:len(s)], d[:len(s)]
		var a0, a1 float64
		i := 0
		for ; i+1 < len(s); i += 2 {
			w0, w1 := s[i]*(r[i]*c), s[i+1]*(r[i+1]*c)
			d[i], d[i+1] = w0, w1
			b0, b1 := math.Float64bits(w0), math.Float64bits(w1)
			flags |= (b0 - least) | (most - b0) | (b1 - least) | (most - b1)
			a0, a1 = a0+w0, a1+w1
		}
		if i < len(s) {
			d[i] = s[i] * (r[i] * c)
			bits := math.Float64bits(d[i])
			flags |= (bits - least) | (most - bits)
			a0 += d[i]
		}
		sums[k] = a0 + a1
		start = end
	}
	return flags>>63 == 0
}

// scaledSum is v·2ᵉ, a sum of positive terms of any size.
type scaledSum struct {
	e int64
	v interval.DoubleDouble
}

// none is the exponent of a sum without terms.
const none = math.MinInt64 / 2

// add adds m·2ᵉ with ½ ≤ m < 1. Terms below 2⁻⁹⁰⁰ of the scale are dropped: a
// relative error below 2⁻⁵⁰⁰ for 2³⁶ of them.
func (s *scaledSum) add(m float64, e int64) {
	d := e - s.e
	if d > 400 {
		s.rescale(e)
		d = 0
	}
	if d > -900 {
		s.v.Accumulate(math.Float64frombits(math.Float64bits(m) + uint64(d)<<52))
	}
}

func (s *scaledSum) rescale(e int64) {
	down := int(max(s.e-e, -3000))
	s.v = s.v.Scale(down)
	s.e = e
}

// addSum adds t.
func (s *scaledSum) addSum(t scaledSum) {
	if t.v.Hi == 0 {
		return
	}
	if t.e > s.e {
		s.rescale(t.e)
	}
	down := int(max(t.e-s.e, -3000))
	s.v.AccumulateSum(t.v.Scale(down))
}

// rounded returns the sum, rounded once, or zero if there are no terms.
func (s scaledSum) rounded() scaledFloat {
	w := newScaledFloat(s.v.Float())
	w.e += s.e
	return w
}

// addScaled adds w ≥ 0.
func (s *scaledSum) addScaled(w scaledFloat) {
	if w.m > 0 {
		s.add(w.m, w.e)
	}
}

func newVector(v []scaledFloat) vector {
	out := vector{make([]float64, len(v)), make([]int64, len(v))}
	for i, w := range v {
		out.m[i], out.e[i] = w.m, w.e
	}
	return out
}

// advanceScaled is advance for numbers of any size. It adds the sum of class k of dst to acc[k].
func advanceScaled(dst, src, ratio vector, c scaledFloat, ends []int, acc []scaledSum) {
	start := 0
	for k, end := range ends {
		for i := start; i < end; i++ {
			m := src.m[i] * (ratio.m[i] * c.m) // in [1/8, 1)
			e := src.e[i] + ratio.e[i] + c.e
			if m < .5 {
				m, e = 2*m, e-1
			}
			if m < .5 {
				m, e = 2*m, e-1
			}
			dst.m[i], dst.e[i] = m, e
			acc[k].add(m, e)
		}
		start = end
	}
}
