package signrp

import (
	"math"
	"math/big"
	"sync"
)

// exactBits holds any sum of products of three float64 numbers below 2³⁰⁰
// without rounding.
const exactBits = 3600

// dotter knows the numbers d_j = Wᵀ_j u to float64 and, where that leaves a
// comparison open, exactly.
type dotter interface {
	near(j int) (v, bound float64) // |v − d_j| ≤ bound
	exact(j int) *big.Float        // d_j; the caller must not change it
}

// point is Wᵀu at one u.
type point struct {
	w     *Projection
	u     []float64
	d     []float64
	bound []float64

	guard sync.Mutex
	known []*big.Float
}

func (w *Projection) at(u []float64) *point {
	p := &point{w: w, u: u, d: make([]float64, w.k), bound: make([]float64, w.k), known: make([]*big.Float, w.k)}
	w.dots(p.d, u, new(tables))
	norm1 := 0.0
	for _, v := range u {
		norm1 += math.Abs(v)
	}
	for j := range p.bound {
		p.bound[j] = w.dotsError(norm1, j)
	}
	if w.kind == OPORP { // by bins: an empty bin is 0 exactly
		clear(p.bound)
		for i, place := range w.place {
			p.bound[place>>1] += math.Abs(u[i])
		}
		for j, norm1 := range p.bound {
			p.bound[j] = w.dotsError(norm1, j)
		}
	}
	return p
}

func (p *point) near(j int) (v, bound float64) { return p.d[j], p.bound[j] }

func (p *point) exact(j int) *big.Float {
	p.guard.Lock()
	defer p.guard.Unlock()
	if p.known[j] == nil {
		sum := new(big.Float).SetPrec(exactBits)
		for i, place := range p.w.place {
			if int(place>>1) == j {
				addProduct(sum, p.u[i], float64(1-2*(place&1)))
			}
		}
		for b := 0; p.w.kind != OPORP && b*blockRows < p.w.p; b++ {
			rows := p.w.block(b)
			for i := 0; i*p.w.k < len(rows); i++ {
				addProduct(sum, p.u[b*blockRows+i], rows[i*p.w.k+j])
			}
		}
		p.known[j] = sum
	}
	return p.known[j]
}

func addProduct(sum *big.Float, a, b float64) {
	if a == 0 || b == 0 {
		return
	}
	x := new(big.Float).SetPrec(exactBits).SetFloat64(a)
	sum.Add(sum, x.Mul(x, big.NewFloat(b)))
}

// move is how far one coordinate goes: the number hi + lo, lo a rounding error
// of hi.
type move struct{ hi, lo float64 }

func (m move) isZero() bool { return m.hi == 0 && m.lo == 0 }

// moves returns the two ends of the moves of a coordinate at v that stay in
// [−1, 1] and within β: up ≥ 0 and down ≤ 0, exactly.
func moves(v, beta float64) (up, down move) {
	room := func(v float64) move { // 1 − v for |v| ≤ 1
		s := 1 - v
		back := s - 1
		e := (1 - (s - back)) + (-v - back) // Knuth's two-sum
		if beta < s || beta == s && e >= 0 {
			return move{hi: beta}
		}
		return move{s, e}
	}
	up, down = room(v), room(-v)
	return up, move{-down.hi, -down.lo}
}

// shifted is Wᵀu after coordinate i went by m.
type shifted struct {
	*point
	row []float64 // row i of W
	m   move
}

func (s *shifted) near(j int) (v, bound float64) {
	step := s.m.hi * s.row[j]
	v = s.d[j] + step
	return v, s.bound[j] + 2*ulp*(math.Abs(step)+math.Abs(v)) + tiny
}

func (s *shifted) exact(j int) *big.Float {
	sum := new(big.Float).SetPrec(exactBits).Set(s.point.exact(j))
	addProduct(sum, s.m.hi, s.row[j])
	addProduct(sum, s.m.lo, s.row[j])
	return sum
}

// sign returns the sign of d_j, +1 for zero.
func sign(d dotter, j int) int {
	v, bound := d.near(j)
	switch {
	case v > bound:
		return 1
	case v < -bound:
		return -1
	case bound == 0:
		return 1
	}
	if d.exact(j).Sign() < 0 {
		return -1
	}
	return 1
}

// within reports whether |d_j| ≤ β·largest.
func within(d dotter, j int, beta, largest float64) bool {
	v, bound := d.near(j)
	threshold := beta * largest
	slack := bound + threshold*2*ulp + tiny
	switch v = math.Abs(v); {
	case v <= threshold-slack:
		return true
	case v > threshold+slack:
		return false
	}
	return new(big.Float).Abs(d.exact(j)).Cmp(product(beta, largest, 1)) <= 0
}

// level returns the signed level of d_j: sign(d_j)·⌈|d_j|/(β·largest)⌉, and 0
// where d_j = 0.
func level(d dotter, j int, beta, largest float64) int {
	if largest == 0 { // a column of zeros
		return 0
	}
	v, bound := d.near(j)
	if v == 0 && bound == 0 {
		return 0
	}
	unit := beta * largest
	q := math.Abs(v) / unit
	slack := bound/unit*(1+4*ulp) + q*4*ulp + tiny
	lo, hi := math.Ceil(q-slack), math.Ceil(q+slack)
	if q > slack && lo == hi {
		if v < 0 {
			return -int(lo)
		}
		return int(lo)
	}
	exact := d.exact(j)
	if exact.Sign() == 0 {
		return 0
	}
	size := new(big.Float).Abs(exact)
	n := max(1, int(lo))
	for size.Cmp(product(beta, largest, n)) > 0 { // the level is the least n with |d| ≤ nβ·largest
		n++
	}
	return n * exact.Sign()
}

func product(a, b float64, n int) *big.Float {
	x := new(big.Float).SetPrec(exactBits).SetFloat64(a)
	x.Mul(x, big.NewFloat(b))
	return x.Mul(x, new(big.Float).SetInt64(int64(n)))
}
