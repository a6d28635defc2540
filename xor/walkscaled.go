package xor

import "sync/atomic"

// scaledWalker is walker for laws whose weights overflow float64.
type scaledWalker struct {
	s     *split
	base  vector
	ratio []vector
	stop  *atomic.Bool
	acc   []scaledSum
	bufs  []vector
	coef  [][]scaledFloat
}

func newScaledWalker(s *split, base vector, ratio []vector, stop *atomic.Bool) *scaledWalker {
	w := &scaledWalker{s: s, base: base, ratio: ratio, stop: stop, acc: make([]scaledSum, s.low+s.high+1)}
	for i := range w.acc {
		w.acc[i].e = none
	}
	for range s.high + 1 {
		w.bufs = append(w.bufs, vector{make([]float64, len(base.m)), make([]int64, len(base.m))})
		w.coef = append(w.coef, make([]scaledFloat, s.high))
	}
	return w
}

// prefix walks all patterns whose first t high bits are those of pattern.
func (w *scaledWalker) prefix(pattern uint, t int) {
	src, coef, ones := w.base, w.s.diag, 0
	if pattern == 0 {
		start := 0
		for i, end := range w.s.ends {
			for j := start; j < end; j++ {
				w.acc[i].add(src.m[j], src.e[j])
			}
			start = end
		}
	}
	scratch := make([]scaledSum, w.s.low+1)
	for k := range t {
		if pattern>>k&1 == 0 {
			continue
		}
		ones++
		acc := scratch
		if pattern>>k == 1 {
			acc = w.acc[ones:]
		}
		next := w.coef[ones-1]
		advanceScaled(w.bufs[ones-1], src, w.ratio[k], coef[k], w.s.ends, acc)
		for i := k + 1; i < w.s.high; i++ {
			next[i] = coef[i].mul(w.s.cross[k][i])
		}
		src, coef = w.bufs[ones-1], next
	}
	w.descend(t, ones, src, coef)
}

func (w *scaledWalker) descend(k, ones int, src vector, coef []scaledFloat) {
	for j := k; j < w.s.high && !w.stop.Load(); j++ {
		dst, next := w.bufs[ones], w.coef[ones]
		advanceScaled(dst, src, w.ratio[j], coef[j], w.s.ends, w.acc[ones+1:])
		if j == w.s.high-1 {
			return
		}
		for i := j + 1; i < w.s.high; i++ {
			next[i] = coef[i].mul(w.s.cross[j][i])
		}
		w.descend(j+1, ones+1, dst, next)
	}
}
