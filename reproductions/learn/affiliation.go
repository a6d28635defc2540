package learn

import (
	"math"
	"slices"
)

// affiliationFit is the state of the ascent. Each node has a list of its nonzero affiliations, and only these are
// visited.
type affiliationFit struct {
	*adjacency
	k      int
	base   float64     // −ln(1 − background)
	linear [][]float64 // the vectors of BigclamOptions.Linear, or nil
	size   []int32     // the length of each node's list: communities at[u·k …] with affiliations val[u·k …]
	at     []int32
	val    []float64
	row    []float64 // F, row by row
	sum    []float64 // the sum over all nodes, by community

	x, w, y                        []float64 // for each neighbor: base + F_u·F_v, 1/(e^x − 1), and the change of x along the step
	fu, rest, gradient, bend, move []float64 // one entry for each community
}

func newAffiliationFit(g *adjacency, k int, base float64, linear [][]float64) *affiliationFit {
	n := len(g.first) - 1
	floats := func(n int) []float64 { return make([]float64, n) }
	return &affiliationFit{
		adjacency: g, k: k, base: base, linear: linear,
		size: make([]int32, n), at: make([]int32, n*k), val: floats(n * k), row: floats(n * k), sum: floats(k),
		x: floats(g.most), w: floats(g.most), y: floats(g.most),
		fu: floats(k), rest: floats(k), gradient: floats(k), bend: floats(k), move: floats(k),
	}
}

// put adds a community to a node's list.
func (m *affiliationFit) put(u, c int, v float64) {
	i := u*m.k + int(m.size[u])
	m.at[i], m.val[i] = int32(c), v
	m.row[u*m.k+c] = v
	m.size[u]++
}

// drop empties a node's list.
func (m *affiliationFit) drop(u int) {
	m.size[u] = 0
	clear(m.row[u*m.k : (u+1)*m.k])
}

// alongAll sets out to the inner products of a vector with the nodes' affiliations.
func (m *affiliationFit) alongAll(a []float64, nodes []int32, out []float64) {
	for i, v := range nodes {
		out[i] = m.along(a, int(v))
	}
}

// gather adds the contributions of neighbors with weights w to gradient, rest and bend.
func (m *affiliationFit) gather(nodes []int32, w []float64) {
	for i, v := range nodes {
		bend := w[i] * (1 + w[i]) // e^x/(e^x − 1)²
		at, val := m.list(int(v))
		for j, c := range at {
			m.gradient[c] += w[i] * val[j]
			m.rest[c] -= val[j]
			m.bend[c] += bend * val[j] * val[j]
		}
	}
}

// list returns a node's communities and its affiliations with them.
func (m *affiliationFit) list(u int) ([]int32, []float64) {
	i, j := u*m.k, u*m.k+int(m.size[u])
	return m.at[i:j], m.val[i:j]
}

// open copies a node's affiliations to fu.
func (m *affiliationFit) open(u int) {
	clear(m.fu)
	at, val := m.list(u)
	for i, c := range at {
		m.fu[c] = val[i]
	}
}

// along returns the inner product of a vector with a node's affiliations.
func (m *affiliationFit) along(a []float64, v int) (s float64) {
	at, val := m.list(v)
	for i, c := range at {
		s += a[c] * val[i]
	}
	return s
}

// likelihood returns Σ_{edges} ln(1 − e^{−x}) − Σ_{other pairs} x with x = base + F_u·F_v, plus the linear term. The
// factors 1 − e^{−x} of a node's edges are multiplied before taking logarithms, while the product is at least 1e-12.
func (m *affiliationFit) likelihood() float64 {
	n := len(m.size)
	var joined, within, own, linear float64
	for u := range n {
		m.open(u)
		product := 1.0
		near := m.of(u)
		first, _ := slices.BinarySearch(near, int32(u))
		near = near[first:] // without u itself
		m.alongAll(m.fu, near, m.x)
		for i := range near {
			x := m.base + m.x[i]
			if product *= -math.Expm1(-x); product < 1e-280 {
				joined += math.Log(product)
				product = 1
			}
			within += x
		}
		joined += math.Log(product)
		own += m.along(m.fu, u)
		if m.linear != nil {
			linear += m.along(m.linear[u], u)
		}
	}
	pairs := float64(n) * float64(n-1) / 2
	all := (dot(m.sum, m.sum)-own)/2 + pairs*m.base
	return joined - (all - within) + linear
}

// farthest is the largest step of one node's affiliations.
const farthest = 10.0

// step moves one node's affiliations.
func (m *affiliationFit) step(u int) {
	m.open(u)
	near := m.of(u)
	x, w, y := m.x[:len(near)], m.w[:len(near)], m.y[:len(near)]
	clear(m.gradient)
	clear(m.bend)
	for c := range m.rest {
		m.rest[c] = m.sum[c] - m.fu[c]
		if m.linear != nil {
			m.rest[c] -= m.linear[u][c]
		}
	}
	m.alongAll(m.fu, near, x)
	for i := range near {
		x[i] = m.base + x[i]
		w[i] = 1 / (math.Exp(x[i]) - 1)
	}
	m.gather(near, w)
	var slope, bend, norm float64
	for c := range m.gradient {
		if m.gradient[c] -= m.rest[c]; m.fu[c] == 0 && m.gradient[c] < 0 {
			m.gradient[c] = 0
		}
		m.move[c] = m.gradient[c]
		if m.bend[c] > 0 {
			m.move[c] /= m.bend[c]
		}
		slope += m.move[c] * m.gradient[c]
		norm += m.move[c] * m.move[c]
	}
	if norm == 0 {
		return
	}
	m.alongAll(m.move, near, y)
	for i := range near {
		bend += y[i] * y[i] * w[i] * (1 + w[i])
	}
	length := farthest / math.Sqrt(norm)
	if bend > 0 {
		length = min(length, slope/bend)
	}
	cut, begin := false, 0.0
	for c, v := range m.gradient {
		m.move[c] *= length
		if m.move[c] < -m.fu[c] {
			m.move[c], cut = -m.fu[c], true
		}
		begin += m.move[c] * v
	}
	t := 1.0
	for i := range y {
		y[i] *= length
	}
	if cut {
		bend = 0
		m.alongAll(m.move, near, y)
		for i := range near {
			bend += y[i] * y[i] * w[i] * (1 + w[i])
		}
		if begin < bend {
			t = begin / bend
		}
	}
	m.apply(u, m.reach(x, y, begin, t))
}

// reach returns t, or the largest earlier point along the move at which the likelihood still rises. The likelihood is
// concave along the move, so it is larger at the returned point than at the beginning.
func (m *affiliationFit) reach(x, y []float64, begin, t float64) float64 {
	rest := dot(m.move, m.rest)
	for range 40 {
		rise := -rest
		for i, a := range y {
			if a != 0 {
				rise += a / (math.Exp(x[i]+t*a) - 1)
			}
		}
		if rise >= 0 {
			break
		}
		t *= min(max(begin/(begin-rise), .1), .9)
	}
	return t
}

// apply moves a node's affiliations by the fraction t of the move.
func (m *affiliationFit) apply(u int, t float64) {
	m.drop(u)
	for c, v := range m.move {
		now := m.fu[c] + t*v
		if now < faintest {
			now = 0
		}
		m.sum[c] += now - m.fu[c]
		if now > 0 {
			m.put(u, c, now)
		}
	}
}

// faintest is the threshold below which affiliations are set to 0.
const faintest = 1e-9
