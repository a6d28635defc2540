package pld

import (
	"math"

	"dpworkbench/internal/elementary"
)

// radius returns an A such that on a disk of radius A about s both densities are at most e^{3/2} times as large as at
// s. The density of a normal law with variance μ², whose mean is at distance d from s, is on this disk at most e^{(2dA
// + A²)/(2μ²)} times its value at s.
func (g segment) radius(s float64) float64 {
	mu := g.m.Mu
	if mu == 0 {
		return 1
	}
	return mu * min(1, mu/(math.Abs(s)+mu*mu/2))
}

// rule is a Gauss–Legendre rule: the positive nodes on [−1, 1], and their weights (Abramowitz and Stegun, Table 25.4).
type rule struct{ nodes, weights []float64 }

// Rules of four, six and sixteen nodes.
var (
	four = rule{
		[]float64{0.3399810435848562648026658, 0.8611363115940525752239465},
		[]float64{0.6521451548625461426269361, 0.3478548451374538573730639},
	}
	six = rule{
		[]float64{0.2386191860831969086305017, 0.6612093864662645136613996, 0.9324695142031520278123016},
		[]float64{0.4679139345726910473898703, 0.3607615730481386075698335, 0.1713244923791703450402961},
	}
	sixteen = rule{
		[]float64{
			0.0950125098376374401853193, 0.2816035507792589132304605, 0.4580167776572273863424194, 0.6178762444026437484466718,
			0.7554044083550030338951012, 0.8656312023878317438804679, 0.9445750230732325760779884, 0.9894009349916499325961542,
		},
		[]float64{
			0.1894506104550684962853967, 0.1826034150449235888667637, 0.1691565193950025381893121, 0.1495959888165767320815017,
			0.1246289712555338720524763, 0.0951585116824927848099251, 0.0622535239386478928628438, 0.0271524594117540948517806,
		},
	}
)

// fine is the largest half-width of a panel, relative to the radius, for which the four-point rule suffices.
const fine = 1e-2

// panel calls add with the loss and the mass at each node of a rule between a and b. Masses are relative to e^ref. A
// sum that is linear in both densities has three errors. The densities at the nodes and the sum have the relative error
// err. The rule has the error remainder times the sum of the masses times the largest value, relative to P, on the
// disk. remainder is (64/15)e^{3/2}ρ^{−2n}/(1 − ρ^{−2}) of half the width, where n is the number of nodes, and ρ >
// 1.99·radius over half the width.
func (g segment) panel(a, b float64, add func(loss, mass float64)) (ref, err, lossErr, remainder float64) {
	c, r := a+(b-a)/2, (b-a)/2
	ref, err = g.log(c, g.loss(c))
	q := r / min(g.radius(a), g.radius(b))
	rule := &six
	if q < fine {
		rule = &four
	}
	rule.nodesOf(c, r, func(s, w float64) {
		l := g.loss(s)
		log, e := g.log(s, l)
		add(l, elementary.Exp(log-ref)*w)
		err = max(err, e)
		lossErr = max(lossErr, g.m.lossError(l, s))
	})
	q = q / 1.99 * (q / 1.99)
	remainder = 12 * q * q * q * q
	if rule == &six {
		remainder *= q * q
	}
	return ref, 2*err + 30*u, lossErr, remainder
}

// spread bounds how much the losses on the disk of panel differ from the losses between a and b. The disk may be 1/16
// larger than the disk of steep.
func (g segment) spread(a, b float64) float64 {
	return g.steep(a+(b-a)/2) * (min(g.radius(a), g.radius(b)) + (b - a)) * 1.1
}

// nodesOf calls do with the nodes and weights on the interval of radius r about c.
func (rule *rule) nodesOf(c, r float64, do func(s, w float64)) {
	for i, x := range rule.nodes {
		x, w := r*x, r*rule.weights[i]
		do(c-x, w)
		do(c+x, w)
	}
}

// panels divides the segment between a and b into panels whose half-widths are at most a sixteenth of the radius.
func (g segment) panels(a, b float64, do func(from, to float64)) {
	for a < b {
		to := min(b, a+g.radius(a)/8)
		if r := g.radius(to) / 8; to-a > r {
			to = a + r
		}
		if !(to > a) {
			to = b
		}
		do(a, to)
		a = to
	}
}
