package smooth

import (
	"container/heap"
	"math"

	"dpworkbench/internal/elementary"
)

// The privacy loss of a pair: outputs of density p(z) ∝ e^{−g(z/s)}/s against
// e^{−g((z − Δ)/t)}/t. In units of s, with δ = Δ/s ≥ 0 and r = t/s,
//
//	L(u) = ln r + g((u − δ)/r) − g(u),
//
// whose supremum over the line is the smallest ε of that direction, since densities are continuous. Potentials g are
// even and increase from 0. On the right half their slopes increase to one peak and then decrease, so the slope of L
// can be enclosed on every piece of the line. That bounds L with an error of the order of the squared length of the
// piece. The search halves the pieces with the largest bounds. The tail is monotone towards the limit (index)·ln(1/r)
// + ln r once the contribution of the shift is bounded by (1 + δ/T)^index.

// slack covers the rounding of L. A power z^γ = e^{γ ln z} has a relative error of at most 2⁻⁴⁰, since |γ ln z| ≤
// 700, and so has the parameter of each potential. A relative change of its argument changes a potential by at most
// index times as much.
func (n Noise) slack() float64 { return 0x1p-37 * (2 + n.index()) }

// index returns the exponent of the decreasing density, γ or d + 1.
func (n Noise) index() float64 {
	v, _ := n.shape.Float64()
	if n.family == student {
		return v + 1
	}
	return v
}

// potential returns g(u) = −ln of the density that is 1 at 0, and its slope, for u ≥ 0.
func (n Noise) potential(u float64) (value, slope float64) {
	if u == 0 {
		return 0, 0
	}
	shape, _ := n.shape.Float64()
	if n.family == student {
		q := u / shape * u
		if math.IsInf(q, 1) {
			return (shape + 1) / 2 * (2*elementary.Log(u) - elementary.Log(shape)), (shape + 1) / u
		}
		return (shape + 1) / 2 * log1p(q), (shape + 1) * u / (shape + u*u)
	}
	e := shape * elementary.Log(u)
	switch {
	case e > 700:
		return e, shape / u
	case e < -700:
		return 0, 0
	}
	w := elementary.Exp(e)
	return log1p(w), shape / u * (w / (1 + w))
}

func log1p(x float64) float64 {
	if x <= 1 {
		return elementary.Log1p(x)
	}
	return elementary.Log(1 + x)
}

// peak returns the u > 0 at which the slope of g is largest: u^γ = γ − 1, or u² = d.
func (n Noise) peak() float64 {
	shape, _ := n.shape.Float64()
	if n.family == student {
		return math.Sqrt(shape)
	}
	return math.Pow(shape-1, 1/shape)
}

// slopes encloses the slope of g over [a, b], which does not contain 0 in its interior.
func (n Noise) slopes(a, b float64) (lo, hi float64) {
	if b <= 0 && a < 0 {
		lo, hi = n.slopes(-b, -a)
		return -hi, -lo
	}
	_, s := n.potential(a)
	_, t := n.potential(b)
	_, hi = n.potential(min(max(n.peak(), a), b)) // the slope is flat at its peak, so rounding the position of the peak does not matter
	lo = min(s, t)
	return lo * (1 - 1e-10), hi * (1 + 1e-10)
}

// pairLoss holds the parameters of the privacy loss L of a pair.
type pairLoss struct {
	n        Noise
	delta, r float64
	logR     float64
}

func (l *pairLoss) at(u float64) float64 {
	a, _ := l.n.potential(math.Abs(u-l.delta) / l.r)
	b, _ := l.n.potential(math.Abs(u))
	return l.logR + a - b
}

// limit returns the limit of L at infinity.
func (l *pairLoss) limit() float64 { return (1 - l.n.index()) * l.logR }

// piece is an interval of u ≤ 0, whose left end may be −∞, with an upper bound on L. Pieces with u ≤ 0 suffice, because
// L(−u) ≥ L(u) for u ≥ 0: the first potential is at least as large at −u, since |−u − δ| ≥ |u − δ| for u, δ ≥ 0, and
// the second is equal.
type piece struct{ a, b, fa, fb, bound float64 }

// bounded returns the piece with its bound.
func (l *pairLoss) bounded(p piece) piece {
	if math.IsInf(p.a, -1) {
		p.bound = max(p.fb, l.limit()+l.n.index()*log1p(min(1, l.delta/-p.b)))
		if -p.b < l.delta {
			p.bound = math.Inf(1)
		}
		return p
	}
	a1, a2 := l.n.slopes((p.a-l.delta)/l.r, (p.b-l.delta)/l.r)
	b1, b2 := l.n.slopes(p.a, p.b)
	low, high, w := a1/l.r-b2, a2/l.r-b1, p.b-p.a
	switch {
	case high <= 0:
		p.bound = p.fa
	case low >= 0:
		p.bound = p.fb
	default:
		x := (p.fb - p.fa - low*w) / (high - low)
		p.bound = max(p.fa, p.fb, p.fa+high*min(max(x, 0), w)*(1+1e-10))
	}
	return p
}

type pieces []piece

func (p pieces) Len() int           { return len(p) }
func (p pieces) Less(i, j int) bool { return p[i].bound > p[j].bound }
func (p pieces) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *pieces) Push(x any)        { *p = append(*p, x.(piece)) }
func (p *pieces) Pop() any {
	old := *p
	x := old[len(old)-1]
	*p = old[:len(old)-1]
	return x
}

// supremum encloses sup L, or proves that it is at most enough. shift = Δ/s ≥ 0 and r = t/s > 0 may have a relative
// error of 2⁻⁴⁸.
func (n Noise) supremum(shift, r, enough float64) (lo, hi float64) {
	l := &pairLoss{n: n, delta: shift, r: r, logR: elementary.Log(r)}
	if shift == 0 && r == 1 {
		return 0, 0
	}
	best := max(l.limit(), 0) // the mean of L under p is at least 0
	var queue pieces
	add := func(a, b float64) {
		p := piece{a: a, b: b}
		if !math.IsInf(a, -1) {
			p.fa = l.at(a) // also the neighboring piece's fb
		}
		p.fb = l.at(b)
		best = max(best, p.fb)
		heap.Push(&queue, l.bounded(p))
	}
	start := 2 * (1 + shift + r)
	add(math.Inf(-1), -start)
	add(-start, 0)
	slack := n.slack()
	tolerance := 1e-10 * (1 + best)
	for range 1 << 18 {
		p := queue[0]
		if p.bound <= max(best+tolerance, enough) || !math.IsInf(p.a, -1) && p.b-p.a <= -1e-13*p.a {
			break
		}
		heap.Pop(&queue)
		switch {
		case math.IsInf(p.a, -1):
			add(math.Inf(-1), 8*p.b)
			add(8*p.b, p.b)
		case p.b < 0 && p.a < 4*p.b:
			add(p.a, -math.Sqrt(p.a*p.b))
			add(-math.Sqrt(p.a*p.b), p.b)
		default:
			m := p.a + (p.b-p.a)/2
			add(p.a, m)
			add(m, p.b)
		}
	}
	return max(best-slack, 0), max(best, queue[0].bound) + slack
}
