package mvg

import (
	"context"
	"math"
	"slices"

	"dpworkbench/internal/elementary"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/mathext"
)

// angles partitions [−1, 1] into intervals of the cosine c, symmetric about 0, with bounds on their probabilities.
type angles struct {
	cuts        []float64
	least, most []float64
}

// newAngles returns a partition into an even number of parts. Any cut points are valid; about equal probabilities work
// best.
func newAngles(ctx context.Context, dimension, parts int) (*angles, error) {
	half := parts / 2
	s := &angles{cuts: make([]float64, parts+1), least: make([]float64, parts), most: make([]float64, parts)}
	s.cuts[0] = -1
	for j := 1; j < half; j++ {
		if c := cosineQuantile(dimension, float64(j)/float64(parts)); c >= -1 && c <= 0 {
			s.cuts[j] = c
		}
	}
	slices.Sort(s.cuts[:half+1])
	for j := range half {
		s.cuts[parts-j] = -s.cuts[j]
	}
	law := newCosines(dimension)
	low, high := 0.0, 0.0
	for j := range half {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		lo, hi := law.below(s.cuts[j+1])
		other := parts - 1 - j
		s.least[j], s.most[j] = math.Max(0, interval.Down(lo-high)), interval.Up(hi-low)
		s.least[other], s.most[other] = s.least[j], s.most[j]
		low, high = lo, hi
	}
	return s, nil
}

// cosineQuantile approximates the quantile of c at probability p. In high dimensions it uses the normal limit of
// c√M.
func cosineQuantile(dimension int, p float64) float64 {
	a := float64(dimension-1) / 2
	if dimension <= 2000 {
		return 2*mathext.InvRegIncBeta(a, a, p) - 1
	}
	z := math.Sqrt2 * math.Erfinv(2*p-1)
	return z / math.Sqrt(2*a+z*z)
}

// cosines is the law of c: (1 + c)/2 is Beta(a, a) with a = (M−1)/2. By the
// hypergeometric series of the incomplete beta function, whose terms are positive, and
// since half of the law is below 0,
//
//	Pr[c ≤ C] = ½(1 − C²)^a S((1 + C)/2)/S(½) for C ≤ 0,  S(x) = Σ_n Π_{k<n} x(2a + k)/(a + 1 + k).
type cosines struct {
	a      float64
	lo, hi float64 // of S(½)
}

func newCosines(dimension int) *cosines {
	l := &cosines{a: float64(dimension-1) / 2}
	l.lo, l.hi = l.series(0.5)
	return l
}

// series encloses S(x) at a number of at most ½ that x approximates within a unit of rounding. Each term is the
// previous one with 5 roundings. The ratios of terms decrease for a ≥ 1 and are below x otherwise, so the remainder is
// below a geometric series.
func (l *cosines) series(x float64) (lo, hi float64) {
	sum, term := 0.0, 1.0
	for n := 0.0; ; n++ {
		sum += term
		ratio := x * ((2*l.a + n) / (l.a + 1 + n))
		term *= ratio
		if ratio = math.Max(ratio, x); ratio < 0.999999 && term <= 0x1p-60*sum*(1-ratio) {
			off := 6*(n+4)*unit + 0x1p-58
			return sum * (1 - off), sum * (1 + off)
		}
	}
}

// below encloses Pr[c ≤ C] for C ≤ 0.
func (l *cosines) below(c float64) (lo, hi float64) {
	if c == -1 {
		return 0, 0
	}
	at := interval.Float(c)
	power := interval.Int(1).Sub(at.Mul(at)).Log().Mul(interval.Float(l.a)).Exp()
	least, most := power.Bounds()
	under, over := l.series((1 + c) / 2)
	return 0.5 * least * (under / l.hi) * (1 - 4*unit), math.Min(0.5, 0.5*most*(over/l.lo)*(1+4*unit)) + math.SmallestNonzeroFloat64
}

// losses bounds the gain (1 − e^{ε−L})⁺ over norms of the noise.
type losses struct {
	half        float64 // (M−1)/2
	shift       float64 // a, within two units of rounding
	least, most float64 // bounds on ε
}

// gains returns bounds on the gain over x in [x1, x2] at a cosine. With d = a/x − c, whose error is 4 units of
// |a/x| + |c|, the logarithm's argument is d² + (1 − c)(1 + c).
func (l *losses) gains(x1, x2, c float64) (least, most float64) {
	s1, s2 := l.shift/x2, l.shift/x1
	d1, d2 := s1-c, s2-c // d1 ≤ d2
	off := 4 * unit * (s2 + math.Abs(c))
	far := math.Max(math.Abs(d1), math.Abs(d2)) + off
	near := math.Max(0, math.Max(d1, -d2)-off)
	rest := (1 - c) * (1 + c)
	w1, w2 := l.shift*(l.shift/2-c*x1), l.shift*(l.shift/2-c*x2)
	wOff := 8 * unit * l.shift * (l.shift + x2)

	most = l.gain(far*far+rest, 8*unit, math.Max(w1, w2)+wOff)
	least = l.gain(near*near+rest, -8*unit, math.Min(w1, w2)-wOff)
	return least, most
}

// gain returns a bound on the gain, given the logarithm's argument and the loss's second term. off is the relative
// error of the argument: a positive one gives an upper bound, a negative one a lower bound.
func (l *losses) gain(argument, off, second float64) float64 {
	argument *= 1 + off
	if argument < 0x1p-1000 { // the loss is below −600(M−1)/2
		if off > 0 {
			argument = 0x1p-1000
		} else {
			return 0
		}
	}
	side, eps := math.Copysign(1, off), l.most
	if off > 0 {
		eps = l.least
	}
	log := elementary.Log(argument)
	first := l.half * (log + side*2*elementary.LogError*math.Abs(log))
	loss := first + second
	loss += side * 4 * unit * (math.Abs(first) + math.Abs(second) + eps)
	switch rest := eps - loss; {
	case rest >= 0:
		return 0
	case rest < -600:
		if off > 0 {
			return 1
		}
		return math.Nextafter(1, 0)
	default:
		return math.Max(0, 1-elementary.Exp(rest)*(1-side*2*elementary.ExpError)) // and 1 − t rounds by a unit of 1
	}
}
