package mvg

import "dpworkbench/interval"

// small is 2⁻⁹⁰.
var small = interval.Float(0x1p-90)

// log1p encloses ln(1 + t) for t > −1, to 2⁻⁸⁹ of itself however small t is: it lies
// between t − t² and t for t ≥ −½.
func log1p(t interval.Interval) interval.Interval {
	if t.Less(small) && small.Neg().Less(t) {
		squared := t.Mul(t)
		return interval.Hull(t, t.Sub(interval.Max(squared, squared.Neg())))
	}
	return interval.Int(1).Add(t).Log()
}

// logTotal encloses Σ ln(1 + t_i) for t_i ≥ 0: the logarithm of a product of many at a
// time, and what is too small to be seen in a product by itself.
type logTotal struct {
	product, total interval.Interval
	factors        int
}

func newLogTotal() *logTotal {
	return &logTotal{product: interval.Int(1), total: interval.Int(0)}
}

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
