package xor

import (
	"math"
	"slices"
)

// denseOrder is the number of bits up to which the rows of a component are stored.
const denseOrder = 2048

// coupling is the law on the bits of one component, renumbered 0 … m−1. The best flip of some bits is the one with the
// largest loss.
type coupling struct {
	search *lossSearch
	bits   []int // of the whole law, ascending
	own    []float64
	rows   [][]float64 // rows[j][k] = 2Π_jk; nil above denseOrder
	buffer []float64
	pos    []float64 // Σ_k max(2Π_jk, 0)
	neg    []float64 // Σ_k min(2Π_jk, 0)
}

// coupling returns the law on the bits of a component, given in ascending order.
func (s *lossSearch) coupling(bits []int) (*coupling, error) {
	c := &coupling{search: s, bits: bits}
	m := len(bits)
	c.own, c.pos, c.neg = make([]float64, m), make([]float64, m), make([]float64, m)
	if m <= denseOrder {
		c.rows = make([][]float64, m)
	}
	for j, k := range c.bits {
		if err := s.ctx.Err(); err != nil {
			return nil, err
		}
		var row []float64
		if c.rows != nil {
			row = c.read(k, make([]float64, m))
			c.rows[j] = row
		} else {
			if c.buffer == nil {
				c.buffer = make([]float64, m)
			}
			row = c.read(k, c.buffer)
		}
		c.own[j] = s.law.Diagonal(k)
		terms, off := 0, s.law.reading.of(c.own[j])+2*s.law.reading.least*float64(s.law.Dim())
		for _, v := range row {
			c.pos[j] += math.Max(v, 0)
			c.neg[j] += math.Min(v, 0)
			if v != 0 { // adding zero does not round
				terms++
				off += s.law.reading.of(v)
			}
		}
		if off > 0 {
			s.off = math.Max(s.off, off*(1+float64(terms+4)*unit))
		}
		s.terms = max(s.terms, terms)
		s.sizes = math.Max(s.sizes, math.Abs(c.own[j])+c.pos[j]-c.neg[j])
	}
	return c, nil
}

// read fills dst with row k of 2Π on the component's bits, which include every bit that k is coupled to.
func (c *coupling) read(k int, dst []float64) []float64 {
	clear(dst)
	if len(c.bits) == c.search.law.Dim() {
		c.search.law.AddRow(k, 2, dst)
		return dst
	}
	c.search.law.couplings(k, func(j int, v float64) {
		if at, ok := slices.BinarySearch(c.bits, j); ok {
			dst[at] = 2 * v
		}
	})
	return dst
}

func (c *coupling) row(j int) []float64 {
	if c.rows != nil {
		return c.rows[j]
	}
	return c.read(c.bits[j], make([]float64, len(c.bits)))
}

// local converts bits of the whole law to places in the component, which must contain them.
func (c *coupling) local(bits []int) []int {
	out := make([]int, len(bits))
	for i, k := range bits {
		out[i], _ = slices.BinarySearch(c.bits, k)
	}
	return out
}

// single returns the loss of the best flip of bit j alone, and sigma, +1 if the flip is from 0 to 1.
func (c *coupling) single(j int) (value float64, sigma int8) {
	rise, fall := c.own[j]+c.pos[j], -c.own[j]-c.neg[j]
	if rise >= fall {
		return rise, 1
	}
	return fall, -1
}

// alone returns the best flip of bit j alone, with the state of the other bits.
func (c *coupling) alone(j int) found {
	v, sigma := c.single(j)
	return found{v, v, c.flip([]int{j}, []int8{sigma})}
}

// flip returns the worst state for complementing the places in set, where place i has σ_i = +1 if it was 0.
func (c *coupling) flip(set []int, sigma []int8) Flip {
	pull := make([]float64, len(c.bits))
	for i, j := range set {
		for k, v := range c.row(j) {
			pull[k] += float64(sigma[i]) * v
		}
	}
	for i, j := range set { // bits that are flipped are not free
		pull[j] = -float64(sigma[i])
	}
	var f Flip
	for k, v := range pull {
		if v > 0 {
			f.On = append(f.On, c.bits[k])
		}
	}
	for _, j := range set {
		f.Bits = append(f.Bits, c.bits[j])
	}
	return f
}

// whole returns the best flip of all given bits at once.
func (c *coupling) whole(bits []int) (found, error) {
	set := c.local(bits)
	if len(set) == 1 {
		return c.alone(set[0]), nil
	}
	if len(set) == 2 {
		v, sigma := c.double(set[0], set[1])
		return found{v, v, c.flip(set, sigma[:])}, nil
	}
	w := newBranch(c, set, len(set), true)
	if err := w.run(); err != nil {
		return found{}, err
	}
	return w.result(len(set)), nil
}

// double returns the best flip of bits i and j together. It tries all four values of the two bits in one pass over the
// other bits k: opposite values have opposite coefficients c_k, and share Σ|c_k|.
func (c *coupling) double(i, j int) (value float64, sigma [2]int8) {
	a, b := c.row(i), c.row(j)
	b = b[:len(a)]
	var plus, plusAbs, minus, minusAbs float64
	for k, v := range a {
		s, d := v+b[k], v-b[k]
		plus += s
		plusAbs += math.Abs(s)
		minus += d
		minusAbs += math.Abs(d)
	}
	c.search.work -= float64(len(a))
	v := a[j] // the sums include k = i and k = j, which are not free
	plus, plusAbs = plus-2*v, plusAbs-2*math.Abs(v)
	minusAbs -= 2 * math.Abs(v) // −v at i and +v at j cancel in minus
	both, diff := c.own[i]+c.own[j]+v, c.own[i]-c.own[j]
	for _, way := range [4]struct {
		v     float64
		sigma [2]int8
	}{
		{both + (plusAbs+plus)/2, [2]int8{1, 1}},
		{-both + (plusAbs-plus)/2, [2]int8{-1, -1}},
		{diff + (minusAbs+minus)/2, [2]int8{1, -1}},
		{-diff + (minusAbs-minus)/2, [2]int8{-1, 1}},
	} {
		if way.v > value {
			value, sigma = way.v, way.sigma
		}
	}
	return value, sigma
}

// upTo returns, for t = 0, …, most, the best flip of at most t of the bits.
func (c *coupling) upTo(bits []int, most int) ([]found, error) {
	set := c.local(bits)
	out := make([]found, most+1)
	if most == 1 {
		best, at := math.Inf(-1), 0
		for _, j := range set {
			if v, _ := c.single(j); v > best {
				best, at = v, j
			}
		}
		out[1] = c.alone(at)
		return out, nil
	}
	w := newBranch(c, set, most, false)
	if err := w.run(); err != nil {
		return nil, err
	}
	for t := 1; t <= most; t++ {
		out[t] = w.result(t)
	}
	return out, nil
}
