package mvg

import (
	"context"
	"math"
	"math/bits"
	"math/rand/v2"

	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
)

// Standard normal numbers by the ziggurat method (Marsaglia and Tsang, J. Stat. Softw. 5(8), 2000) with 256 layers. One
// 64-bit word gives the layer, the sign and 54 bits of the abscissa. Words come from a xoshiro256++ stream (Blackman
// and Vigna, ACM Trans. Math. Softw. 47(4), 2021), which the caller's source seeds.

const zigguratTail = 3.6541528853610088 // the start of the lowest layer's tail

// zigguratX[i] is the right end of layer i, and zigguratF[i] the density there.
var zigguratX, zigguratF = func() (x, f [257]float64) {
	density := func(x float64) float64 { return math.Exp(-x * x / 2) }
	area := zigguratTail*density(zigguratTail) + math.Sqrt(math.Pi/2)*math.Erfc(zigguratTail/math.Sqrt2)
	x[0], x[1] = area/density(zigguratTail), zigguratTail
	for i := 2; i < 256; i++ {
		x[i] = math.Sqrt(-2 * math.Log(area/x[i-1]+density(x[i-1])))
	}
	for i := range f {
		f[i] = density(x[i])
	}
	return x, f
}()

// zigguratLayer describes a layer in units of the signed 55-bit abscissa. A point of absolute value below inner lies
// under the curve.
type zigguratLayer struct {
	inner uint64
	scale float64 // x per unit
}

var zigguratLayers = func() (t [256]zigguratLayer) {
	for i := range t {
		t[i] = zigguratLayer{uint64(zigguratX[i+1] / zigguratX[i] * 0x1p54), zigguratX[i] * 0x1p-54}
	}
	return t
}()

type stream struct{ a, b, c, d uint64 }

// newStream expands a seed by splitmix64 (Steele, Lea and Flood 2014).
func newStream(seed uint64) *stream {
	next := func() uint64 {
		seed += 0x9e3779b97f4a7c15
		z := seed
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return z ^ z>>31
	}
	return &stream{next(), next(), next(), next()}
}

func (s *stream) uint64() uint64 {
	out := bits.RotateLeft64(s.a+s.d, 23) + s.a
	t := s.b << 17
	s.c ^= s.a
	s.d ^= s.b
	s.b ^= s.c
	s.a ^= s.d
	s.c ^= t
	s.d = bits.RotateLeft64(s.d, 45)
	return out
}

func (s *stream) uniform() float64 { return float64(s.uint64()>>11) * 0x1p-53 }

// fill writes independent N(0, scale²) numbers to dst.
func (s *stream) fill(dst []float64, scale float64) {
	a, b, c, d := s.a, s.b, s.c, s.d // kept in registers
	table := &zigguratLayers
	for i := range dst {
		word := bits.RotateLeft64(a+d, 23) + a
		t := b << 17
		c ^= a
		d ^= b
		b ^= c
		a ^= d
		c ^= t
		d = bits.RotateLeft64(d, 45)
		layer := &table[word&255]
		j := int64(word) >> 9 // the top bit is the sign
		if sign := j >> 63; uint64((j^sign)-sign) < layer.inner {
			dst[i] = float64(j) * layer.scale * scale
			continue
		}
		s.a, s.b, s.c, s.d = a, b, c, d
		dst[i] = s.edge(int(word&255), float64(j)*layer.scale) * scale
		a, b, c, d = s.a, s.b, s.c, s.d
	}
	s.a, s.b, s.c, s.d = a, b, c, d
}

// edge accepts or rejects a point at a layer's edge or in the tail, and draws another point after a rejection.
func (s *stream) edge(layer int, x float64) float64 {
	for {
		if layer == 0 {
			for { // Marsaglia 1964
				e := -math.Log1p(-s.uniform()) / zigguratTail
				if y := -math.Log1p(-s.uniform()); 2*y > e*e {
					return math.Copysign(zigguratTail+e, x)
				}
			}
		}
		if low := zigguratF[layer]; low+s.uniform()*(zigguratF[layer+1]-low) < math.Exp(-x*x/2) {
			return x
		}
		word := s.uint64()
		layer = int(word & 255)
		x = float64(int64(word)>>9) * zigguratLayers[layer].scale
		if math.Abs(x) < zigguratX[layer+1] {
			return x
		}
	}
}

// rowBlock is the number of normals from one stream. It does not depend on the number of processors, so a seed
// gives the same draws everywhere.
const rowBlock = 1 << 14

// fillRows writes scale(i)·N(0, 1) numbers to rows of the given width, one stream per block of rows, on all
// processors. If then is not nil, it is called with every finished row.
func fillRows(data []float64, rows, width int, scale func(i int) float64, then func(i int, row []float64), src rand.Source) {
	per := max(1, rowBlock/width)
	blocks := (rows + per - 1) / per
	seed := src.Uint64()
	work := func(b int) error {
		s := newStream(seed + uint64(b)*0xd1342543de82ef95)
		for i := b * per; i < min(rows, (b+1)*per); i++ {
			row := data[i*width : (i+1)*width]
			if s.fill(row, scale(i)); then != nil {
				then(i, row)
			}
		}
		return nil
	}
	if err := parallel.Each(context.Background(), blocks, work); err != nil {
		panic(err) // a bug: the caller's goroutine can recover it
	}
}

var small = interval.Float(0x1p-90)

// log1p encloses ln(1 + t) for t > −1, with a relative error of 2⁻⁸⁹ however small t is: for t ≥ −½ the logarithm lies
// between t − t² and t.
func log1p(t interval.Interval) interval.Interval {
	if t.Less(small) && small.Neg().Less(t) {
		squared := t.Mul(t)
		return interval.Hull(t, t.Sub(interval.Max(squared, squared.Neg())))
	}
	return interval.Int(1).Add(t).Log()
}

// logTotal encloses Σ ln(1 + t_i) for t_i ≥ 0. It takes the logarithm of products of many factors at a time. Terms
// too small to register in a product are summed separately.
type logTotal struct {
	product, total interval.Interval
	factors        int
}

func newLogTotal() *logTotal { return &logTotal{product: interval.Int(1), total: interval.Int(0)} }

func (s *logTotal) add(t interval.Interval) {
	if t.Less(small) {
		s.total = s.total.Add(log1p(t))
		return
	}
	s.product = s.product.Mul(interval.Int(1).Add(t))
	if s.factors++; s.factors == 256 {
		s.total, s.product, s.factors = s.total.Add(s.product.Log()), interval.Int(1), 0
	}
}

func (s *logTotal) sum() interval.Interval {
	if s.factors == 0 {
		return s.total
	}
	return s.total.Add(s.product.Log())
}
