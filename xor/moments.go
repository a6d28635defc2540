package xor

import (
	"context"
	"math"
	"sync/atomic"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Moments are the first two moments of every bit, bit (i, j) being number i·P + j.
type Moments struct {
	// Marginals[k] is Pr[b_k = 1].
	Marginals []evidence.Certified
	parts     []*momentPart
	where     [][2]int // where[k]: the part of bit k, and its place in the part

	column *evidence.Certified // E[b_i b_j] in one column of p, for the closed form
	p      int
}

type momentPart struct {
	pairs [][]scaledFloat // Σ over the states with both bits, lower triangle with diagonal
	total scaledFloat     // over all states
	rel   float64         // relative error of each
	off   float64         // largest effect of the reading on an exponent, in nats
}

// of encloses E[b_i b_j] for the bits in places i and j of the part.
func (p *momentPart) of(i, j int) evidence.Certified {
	return ratio(p.pairs[max(i, j)][min(i, j)], p.total, 1, p.rel, p.off, math.Inf(1), allStates, "equation (2)")
}

// Pair returns E[b_i b_j]. It returns an error wrapping evidence.ErrParameter unless bits i and j exist.
func (m *Moments) Pair(i, j int) (evidence.Certified, error) {
	if d := len(m.Marginals); i < 0 || i >= d || j < 0 || j >= d {
		return evidence.Certified{}, parameter.Errorf("bits %d and %d, want 0 to %d", i, j, d-1)
	}
	return m.pair(i, j), nil
}

func (m *Moments) pair(i, j int) evidence.Certified {
	x, y := m.Marginals[i], m.Marginals[j]
	switch {
	case i == j:
		return x
	case m.column != nil && i%m.p == j%m.p:
		return *m.column
	case m.column != nil || m.where[i][0] != m.where[j][0]:
		both := interval.EndsOf(x.Lo, x.Hi).Mul(interval.EndsOf(y.Lo, y.Hi)) // independent
		x.Lo, x.Hi = both.Lo, both.Hi
		return atMost(1, x)
	}
	return m.parts[m.where[i][0]].of(m.where[i][1], m.where[j][1])
}

// Products returns the values of E[b_i b_j], with the marginals on the diagonal. It returns nil if m is nil.
func (m *Moments) Products() [][]float64 {
	if m == nil {
		return nil
	}
	out := make([][]float64, len(m.Marginals))
	for i := range out {
		out[i] = make([]float64, len(out))
		for j := range out[i] {
			out[i][j] = m.pair(i, j).Float()
		}
	}
	return out
}

// MaxMarginals is the number of bits up to which moments are listed.
const MaxMarginals = 1 << 20

// Moments returns the moments of the law. It uses the closed form or enumerates each independent part, which takes
// about three times as long as Enumerate. Relative errors are at most 1e-12, plus the effect of the parameters'
// reading. It returns the errors of LogNormalizer, and one wrapping evidence.ErrParameter if NP exceeds MaxMarginals.
func (b *Bernoulli) Moments(ctx context.Context) (*Moments, error) {
	d := b.Dim()
	if d > MaxMarginals {
		return nil, parameter.Errorf("%d bits, want at most %d to list the moments of each", d, MaxMarginals)
	}
	if b.cols != nil {
		return b.cols.moments(ctx)
	}
	m := &Moments{Marginals: make([]evidence.Certified, d), where: make([][2]int, d)}
	parts, err := b.components(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range parts {
		if err := checkStates(len(c.bits)); err != nil {
			return nil, err
		}
		diag, rows := b.dense(c.bits)
		s, err := newSplit(diag, rows, lowBits)
		if err != nil {
			return nil, err
		}
		part, err := s.moments(ctx)
		if err != nil {
			return nil, err
		}
		part.off = b.reading.exponents(diag, rows)
		for copy := range c.copies {
			by := b.shift(c, copy)
			for place, k := range c.bits {
				m.where[k+by] = [2]int{len(m.parts), place}
				m.Marginals[k+by] = part.of(place, place)
			}
			m.parts = append(m.parts, part)
		}
	}
	return m, nil
}

// moments enumerates one component.
func (s *split) moments(ctx context.Context) (*momentPart, error) {
	base, ratio := newVector(s.base), []vector(nil)
	for _, r := range s.ratio {
		ratio = append(ratio, newVector(r))
	}
	f := newFast(s)
	plain := f != nil && f.unguarded
	d, t := s.low+s.high, s.first
	parts, size := 1<<t, uint64(1)<<(d-t)
	walkers := make([]*momentWalker, parts)
	if _, err := runParts(ctx, parts, size, func(i int, stop *atomic.Bool) bool {
		w := &momentWalker{s: s, base: base, ratio: ratio, stop: stop}
		if plain {
			w.fast = f
		}
		walkers[i] = w.condense(uint(i), t)
		return true
	}); err != nil {
		return nil, err
	}
	out := &momentPart{pairs: make([][]scaledFloat, d), rel: s.relative() + gamma(s.high*s.high+1<<s.low+16) + 4*unit}
	for i := range out.pairs {
		for j := range i + 1 {
			sum := scaledSum{e: none}
			for _, w := range walkers {
				sum.addSum(w.sums[i][j])
			}
			out.pairs[i] = append(out.pairs[i], sum.rounded())
		}
	}
	z := scaledSum{e: none}
	for _, w := range walkers {
		z.addSum(w.total)
	}
	out.total = z.rounded()
	return out, nil
}

// momentWalker walks the high patterns below one prefix. For every subtree it returns the vector of weights summed over
// all patterns, and over the patterns with each of the later high bits. The sums form a tree, so that no term is part
// of more than high² additions.
type momentWalker struct {
	s     *split
	fast  *fast // nil if weights need separate exponents
	base  vector
	ratio []vector
	stop  *atomic.Bool

	at    []vector // by depth: weights; without exponents if fast is set
	coef  [][]scaledFloat
	sub   []subtree // by depth
	class []float64

	total scaledSum
	sums  [][]scaledSum // sums[i][j], j ≤ i: over states with bits i and j; low bits first
}

// subtree holds sums over the patterns of a subtree: all[l] over all of them, and with[k][l] over those with bit k.
type subtree struct {
	all  vector
	with []vector
}

// blank returns a vector of zeros.
func (w *momentWalker) blank() vector {
	v := vector{m: make([]float64, 1<<w.s.low)}
	if w.fast == nil {
		v.e = make([]int64, len(v.m))
	}
	return v
}

// condense walks the prefix and turns the vectors into pair sums.
func (w *momentWalker) condense(pattern uint, t int) *momentWalker {
	s := w.s
	d := s.low + s.high
	w.total.e = none
	w.sums = make([][]scaledSum, d)
	for i := range w.sums {
		w.sums[i] = make([]scaledSum, i+1)
		for j := range w.sums[i] {
			w.sums[i][j].e = none
		}
	}
	for range s.high + 1 {
		w.at = append(w.at, w.blank())
		w.coef = append(w.coef, make([]scaledFloat, s.high))
		sub := subtree{all: w.blank(), with: make([]vector, s.high)}
		for k := range sub.with {
			sub.with[k] = w.blank()
		}
		w.sub = append(w.sub, sub)
	}
	w.class = make([]float64, s.low+1)

	coef, ones := s.diag, 0
	if w.fast != nil {
		copy(w.at[0].m, w.fast.base)
	} else {
		w.at[0].set(w.base)
	}
	for k := range t {
		if pattern>>k&1 == 0 {
			continue
		}
		next := w.coef[ones]
		w.step(ones, k, coef[k])
		for i := k + 1; i < s.high; i++ {
			next[i] = coef[i].mul(s.cross[k][i])
		}
		coef, ones = next, ones+1
	}
	w.descend(t, ones, coef)
	if w.stop.Load() {
		return w
	}
	w.project(&w.sub[ones], pattern, t)
	w.at, w.sub, w.coef = nil, nil, nil
	return w
}

// step multiplies the weights at depth by the factors for setting high bit k, into the weights at depth + 1.
func (w *momentWalker) step(depth, k int, c scaledFloat) {
	dst, src := w.at[depth+1], w.at[depth]
	if w.fast != nil {
		v, _ := w.fast.coefficient(k, c)
		advance(dst.m, src.m, w.fast.ratio[k], v, w.s.ends, w.class)
		return
	}
	r := w.ratio[k]
	for i := range dst.m {
		p := scaledFloat{src.m[i], src.e[i]}.mul(scaledFloat{r.m[i], r.e[i]}).mul(c)
		dst.m[i], dst.e[i] = p.m, p.e
	}
}

// descend fills sub[depth] with the sums over the patterns that add some of the high bits k, k+1, … to the current
// pattern.
func (w *momentWalker) descend(k, depth int, coef []scaledFloat) {
	here := &w.sub[depth]
	here.all.set(w.at[depth])
	for i := k; i < w.s.high; i++ {
		clear(here.with[i].m)
	}
	for j := k; j < w.s.high && !w.stop.Load(); j++ {
		next := w.coef[depth]
		w.step(depth, j, coef[j])
		if j == w.s.high-1 {
			here.all.add(w.at[depth+1])
			here.with[j].add(w.at[depth+1])
			w.high(j, j, w.at[depth+1])
			return
		}
		for i := j + 1; i < w.s.high; i++ {
			next[i] = coef[i].mul(w.s.cross[j][i])
		}
		w.descend(j+1, depth+1, next)
		child := &w.sub[depth+1]
		here.all.add(child.all)
		here.with[j].add(child.all)
		w.high(j, j, child.all)
		for i := j + 1; i < w.s.high; i++ {
			here.with[i].add(child.with[i])
			w.high(i, j, child.with[i])
		}
	}
}

// high adds the weight of a subtree whose patterns all have both high bits i and j, i ≥ j.
func (w *momentWalker) high(i, j int, v vector) {
	low := w.s.low
	w.sums[low+i][low+j].addScaled(v.total())
}

// project turns the vectors of the whole prefix into pair sums with low bits,
// and adds the prefix's own bits.
func (w *momentWalker) project(sub *subtree, pattern uint, t int) {
	low := w.s.low
	w.total.addScaled(sub.all.total())
	for place, l := range w.s.order {
		v := sub.all.entry(place)
		for i := range low {
			for j := 0; j <= i && l>>i&1 == 1; j++ {
				if l>>j&1 == 1 {
					w.sums[i][j].addScaled(v)
				}
			}
		}
	}
	for k := range w.s.high {
		v := sub.all
		if k >= t {
			v = sub.with[k]
		} else if pattern>>k&1 == 0 {
			continue
		}
		for j := range low {
			for place, l := range w.s.order {
				if l>>j&1 == 1 {
					w.sums[low+k][j].addScaled(v.entry(place))
				}
			}
		}
		for j := 0; j < min(k+1, t); j++ { // every pattern has the bits of the prefix
			if pattern>>j&1 == 1 {
				w.sums[low+k][low+j].addScaled(v.total())
			}
		}
	}
}
