package xor

import (
	"context"
	"errors"
	"math"
	"sync/atomic"

	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
)

// fast is a split with plain float64 vectors. ratio_k is scaled by 2^{−shift_k} so that its least and greatest entries
// are equally far from 1.
type fast struct {
	*split
	base      []float64
	ratio     [][]float64
	shift     []int64
	ends2     [][2]float64 // least and greatest entry of each scaled ratio
	unguarded bool         // the bounds show that no weight can overflow or underflow
	both      []float64    // product of the last two ratios, if fold is safe
}

// newFast returns the plain vectors of s, or nil if one overflows.
func newFast(s *split) *fast {
	f := &fast{split: s, unguarded: s.least > -660 && s.most < 660}
	for _, w := range s.base {
		v, ok := w.float()
		if !ok || w.e < -guardBits || w.e > guardBits {
			return nil
		}
		f.base = append(f.base, v)
	}
	for _, ratio := range s.ratio {
		least, most := ratio[0], ratio[0]
		for _, w := range ratio {
			if w.e < least.e || w.e == least.e && w.m < least.m {
				least = w
			}
			if w.e > most.e || w.e == most.e && w.m > most.m {
				most = w
			}
		}
		shift := (least.e + most.e) / 2
		out := make([]float64, len(ratio))
		for i, w := range ratio {
			v, ok := scaledFloat{w.m, w.e - shift}.float()
			if !ok {
				return nil
			}
			out[i] = v
		}
		lo, _ := scaledFloat{least.m, least.e - shift}.float()
		hi, _ := scaledFloat{most.m, most.e - shift}.float()
		f.ratio, f.shift, f.ends2 = append(f.ratio, out), append(f.shift, shift), append(f.ends2, [2]float64{lo, hi})
	}
	// If all weights are within 600 nats (2^±866) of each other, a product of a weight without the last two bits and
	// the centred ratios of both bits is in the same range.
	if n := s.high; n >= 2 && s.most-s.least < 600 {
		f.both = make([]float64, len(f.base))
		for i, v := range f.ratio[n-1] {
			f.both[i] = v * f.ratio[n-2][i]
		}
	}
	return f
}

// coefficient returns c scaled to high bit k's vector. ok reports whether every product with the vector is a normal
// number.
func (f *fast) coefficient(k int, c scaledFloat) (v float64, ok bool) {
	v, ok = scaledFloat{c.m, c.e + f.shift[k]}.float()
	if !ok {
		return 0, false
	}
	lo, hi := v*f.ends2[k][0], v*f.ends2[k][1]
	return v, lo > 0x1p-1020 && hi < 0x1p1020
}

// exponentBounds returns bounds, in nats, of all exponents bᵀΠb. They are sums of the least and the most that each bit
// can add.
func exponentBounds(diag []float64, rows [][]float64) (lo, hi float64) {
	for k, d := range diag {
		under, over := d, d
		for j, v := range rows[k] {
			if j < k {
				under, over = under+2*math.Min(v, 0), over+2*math.Max(v, 0)
			}
		}
		lo, hi = lo+math.Min(under, 0), hi+math.Max(over, 0)
	}
	return lo, hi
}

// errRange is returned if a weight overflows or underflows.
var errRange = errors.New("a weight is outside the range of float64")

// runParts calls part(i) for 0 ≤ i < parts on all processors, until a call returns false or ctx is done. ok is false if
// a call returned false. It reports size states per part as progress. The parts poll stop and return early if it is
// set.
func runParts(ctx context.Context, parts int, size uint64, part func(i int, stop *atomic.Bool) bool) (ok bool, err error) {
	var stop atomic.Bool
	defer context.AfterFunc(ctx, func() { stop.Store(true) })()
	done := parallel.Count(ctx, int64(parts)*int64(size), "")
	err = parallel.Each(ctx, parts, func(i int) error {
		fits := part(i, &stop)
		if err := ctx.Err(); err != nil && stop.Load() {
			return err
		}
		if !fits {
			stop.Store(true)
			return errRange
		}
		done(int64(size))
		return nil
	})
	if errors.Is(err, errRange) {
		return false, nil
	}
	return true, err
}

// walker walks the high patterns below one prefix with plain weights.
type walker struct {
	f    *fast
	stop *atomic.Bool
	sums []float64
	last [3][]float64            // class sums of the last two high bits
	acc  []interval.DoubleDouble // by number of ones
	bufs [][]float64
	coef [][]scaledFloat
}

func newWalker(f *fast, stop *atomic.Bool) *walker {
	w := &walker{f: f, stop: stop, sums: make([]float64, f.low+1), acc: make([]interval.DoubleDouble, f.low+f.high+1)}
	for i := range w.last {
		w.last[i] = make([]float64, f.low+1)
	}
	for range f.high + 1 {
		w.bufs = append(w.bufs, make([]float64, len(f.base)))
		w.coef = append(w.coef, make([]scaledFloat, f.high))
	}
	return w
}

// set multiplies src by the ratio of high bit k into dst, and adds the classes of dst to the sums. The new pattern has
// the given number of ones among its high bits. It reports whether all weights stayed in range.
func (w *walker) set(dst, src []float64, k, ones int, c scaledFloat) bool {
	v, ok := w.f.coefficient(k, c)
	if !ok {
		return false
	}
	if w.f.unguarded {
		advance(dst, src, w.f.ratio[k], v, w.f.ends, w.sums)
	} else if !advanceGuarded(dst, src, w.f.ratio[k], v, w.f.ends, w.sums) {
		return false
	}
	for i, s := range w.sums {
		w.acc[ones+i].Accumulate(s)
	}
	return true
}

// prefix walks all patterns whose first t high bits are those of pattern.
func (w *walker) prefix(pattern uint, t int) bool {
	src, coef, ones := w.f.base, w.f.diag, 0
	last := -1
	for k := range t {
		if pattern>>k&1 == 1 {
			last = k
		}
	}
	if last < 0 { // the empty pattern has the weights base
		start := 0
		for i, end := range w.f.ends {
			var s float64
			for _, v := range src[start:end] {
				s += v
			}
			w.acc[i].Accumulate(s)
			start = end
		}
	}
	saved := w.acc
	scratch := make([]interval.DoubleDouble, len(w.acc))
	for k := range t {
		if pattern>>k&1 == 0 {
			continue
		}
		ones++
		w.acc = scratch
		if k == last {
			w.acc = saved
		}
		if !w.set(w.bufs[ones-1], src, k, ones, coef[k]) {
			return false
		}
		next := w.coef[ones-1]
		for i := k + 1; i < w.f.high; i++ {
			next[i] = coef[i].mul(w.f.cross[k][i])
		}
		src, coef = w.bufs[ones-1], next
	}
	w.acc = saved
	return w.descend(t, ones, src, coef)
}

// descend walks all patterns that add some of the high bits k, k+1, … to the
// present one, whose weights are src.
func (w *walker) descend(k, ones int, src []float64, coef []scaledFloat) bool {
	for j := k; j < w.f.high; j++ {
		if w.stop.Load() {
			return true
		}
		if j == w.f.high-2 && w.f.both != nil {
			return w.fold(src, ones, coef)
		}
		if j == w.f.high-1 {
			return w.set(w.bufs[w.f.high], src, j, ones+1, coef[j])
		}
		dst, next := w.bufs[ones], w.coef[ones]
		if !w.set(dst, src, j, ones+1, coef[j]) {
			return false
		}
		for i := j + 1; i < w.f.high; i++ {
			next[i] = coef[i].mul(w.f.cross[j][i])
		}
		if !w.descend(j+1, ones+1, dst, next) {
			return false
		}
	}
	return true
}

// fold adds the sums of the three patterns that set one or both of the last two high bits of the current one, without
// building their vectors. Their coefficients are common to all entries, so they multiply the sums.
func (w *walker) fold(src []float64, ones int, coef []scaledFloat) bool {
	f := w.f
	a, b := f.high-2, f.high-1
	ca, oka := f.coefficient(a, coef[a])
	cb, okb := f.coefficient(b, coef[b])
	cab, okab := f.coefficient(b, coef[b].mul(f.cross[a][b]))
	if !oka || !okb || !okab {
		return false
	}
	dot3(src, f.ratio[a], f.ratio[b], f.both, f.ends, w.last[0], w.last[1], w.last[2])
	for i := range w.sums {
		w.acc[ones+1+i].Accumulate(w.last[0][i] * ca)
		w.acc[ones+1+i].Accumulate(w.last[1][i] * cb)
		w.acc[ones+2+i].Accumulate(w.last[2][i] * ca * cab)
	}
	return true
}
