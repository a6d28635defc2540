package learn

import (
	"math"
	"slices"
)

// affiliationFit is the state of an ascent. Where few affiliations of a node are not 0, these alone are
// visited, in a list; where many are, whole rows, those of four neighbors at once. Either way sums are of the same
// numbers in the same order, so that they are the same.
type affiliationFit struct {
	*adjacency
	k      int
	base   float64     // −ln(1 − background)
	linear [][]float64 // nil for none
	size   []int32     // of each node's list: communities at[u·k …] with affiliations val[u·k …]
	at     []int32
	val    []float64
	row    []float64 // all of F, row by row
	listed int       // how many affiliations are not 0
	sum    []float64 // of all nodes, by community

	x, w, y                        []float64 // for each neighbor: base + F_u·F_v, 1/(e^x − 1), and the change of x along the step
	fu, rest, gradient, bend, move []float64 // by community
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
	m.listed++
}

// drop empties a node's list.
func (m *affiliationFit) drop(u int) {
	m.listed -= int(m.size[u])
	m.size[u] = 0
	clear(m.row[u*m.k : (u+1)*m.k])
}

// dense reports whether rows cost less than lists.
func (m *affiliationFit) dense() bool { return 4*m.listed > len(m.row) }

// rows4 returns the rows of four nodes.
func (m *affiliationFit) rows4(v []int32) (a, b, c, d []float64) {
	of := func(u int32) []float64 { return m.row[int(u)*m.k:][:m.k] }
	return of(v[0]), of(v[1]), of(v[2]), of(v[3])
}

// alongAll sets out to the inner products of a vector with the affiliations of nodes.
func (m *affiliationFit) alongAll(a []float64, nodes []int32, out []float64) {
	i := 0
	if m.dense() {
		for ; i+4 <= len(nodes); i += 4 {
			f0, f1, f2, f3 := m.rows4(nodes[i:])
			f0, f1, f2, f3 = f0[:len(a)], f1[:len(a)], f2[:len(a)], f3[:len(a)]
			var s0, s1, s2, s3 float64
			for c, v := range a {
				s0 += v * f0[c]
				s1 += v * f1[c]
				s2 += v * f2[c]
				s3 += v * f3[c]
			}
			out[i], out[i+1], out[i+2], out[i+3] = s0, s1, s2, s3
		}
	}
	for ; i < len(nodes); i++ {
		out[i] = m.along(a, int(nodes[i]))
	}
}

// gather adds to gradient, rest and bend what neighbors with weights w bring.
func (m *affiliationFit) gather(nodes []int32, w []float64) {
	i := 0
	if m.dense() {
		gradient, rest, bend := m.gradient, m.rest[:len(m.gradient)], m.bend[:len(m.gradient)]
		for ; i+4 <= len(nodes); i += 4 {
			f0, f1, f2, f3 := m.rows4(nodes[i:])
			f0, f1, f2, f3 = f0[:len(gradient)], f1[:len(gradient)], f2[:len(gradient)], f3[:len(gradient)]
			w0, w1, w2, w3 := w[i], w[i+1], w[i+2], w[i+3]
			b0, b1, b2, b3 := w0*(1+w0), w1*(1+w1), w2*(1+w2), w3*(1+w3) // e^x/(e^x − 1)²
			for c, g := range gradient {
				v0, v1, v2, v3 := f0[c], f1[c], f2[c], f3[c]
				gradient[c] = (((g + w0*v0) + w1*v1) + w2*v2) + w3*v3
				rest[c] = (((rest[c] - v0) - v1) - v2) - v3
				bend[c] = (((bend[c] + b0*v0*v0) + b1*v1*v1) + b2*v2*v2) + b3*v3*v3
			}
		}
	}
	for ; i < len(nodes); i++ {
		bend := w[i] * (1 + w[i])
		at, val := m.list(int(nodes[i]))
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

// open sets fu to the node's affiliations.
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

// likelihood is Σ_{edges} ln(1 − e^{−x}) − Σ_{other pairs} x, x = base + F_u·F_v, and the
// linear term. Of the edges of a node, products of 1 − e^{−x} ≥ 1e-12 have one logarithm.
func (m *affiliationFit) likelihood() float64 {
	n := len(m.size)
	var joined, within, own, linear float64
	for u := range n {
		m.open(u)
		product := 1.0
		near := m.of(u)
		first, _ := slices.BinarySearch(near, int32(u))
		near = near[first:] // u itself is not among them
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

// farthest bounds a step of one node's affiliations.
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

// reach returns t, or how far before it along the move the likelihood still rises: it is
// concave there, so that it is larger than where the move begins.
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

// apply moves a node's affiliations by a share t of the move.
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

// faintest is the least affiliation that is told from 0.
const faintest = 1e-9
