package workload

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// With patterns of several steps the squared sensitivity of C is the maximum of Σ X_ij G_ij, X = CᵀC, over positive
// semidefinite G that are 0 outside of a pattern and at most 1 on the diagonal. So the least error is the largest
// ‖D_p^½ W H^½‖_* over sums H of λ_π G_π, Σλ = 1. If no step is in two patterns, these are the positive semidefinite
// matrices
//
//	H = Σ λ_π 1_π1_πᵀ − N,  N_ij ≥ 0 for the pairs i ≠ j in a pattern, and 0 elsewhere,
//
// since then |H_ij| ≤ λ_π. N_ij is the multiplier of X_ij ≥ 0: an optimal X has no negative entry in a pattern
// (Choquette-Choo and others, arXiv:2211.06530, require that of theirs). If patterns share steps, each has its own
// N_π. If these are too many, H still gives a factorisation, and a part of H a lower bound.
//
// If contributions are numbers, H is Σ λ_u·uuᵀ over signs u of patterns.

// epochs holds the patterns, and describes the variables y of H: λ for each pattern, then N for each pair.
type epochs struct {
	steps    int
	patterns [][]int
	signs    [][]float64 // signs of the steps of each pattern, or nil
	pairs    [][2]int
	of       [][]int // the patterns that contain each pair
	// If W has fewer independent rows than steps, the best C can answer more than W. Then the search maximises ln f +
	// barrier·ln det H, and X has the additional term 2·barrier·f·H^{−1}.
	deficient bool
	barrier   float64
	// Pair a of pattern k is pairs[own[k][a]]. If sharing, each pattern has its own N, from y[first[k]] on.
	own     [][]int
	first   []int
	sharing bool
	// conjugate reports whether Newton steps are computed by conjugate gradients, with an N for each pattern.
	conjugate bool
	blocks    *blocks
}

func newEpochs(patterns [][]int, scalar bool, n int) *epochs {
	e := &epochs{steps: n, patterns: patterns}
	if scalar {
		e.addSigns()
		return e
	}
	index := map[[2]int]int{}
	weights := len(patterns)
	for k, steps := range e.patterns {
		var own []int
		for i, s := range steps {
			for _, r := range steps[:i] {
				pair := [2]int{r, s}
				at, ok := index[pair]
				if !ok {
					at = len(e.pairs)
					index[pair] = at
					e.pairs = append(e.pairs, pair)
					e.of = append(e.of, nil)
				}
				e.of[at] = append(e.of[at], k)
				own = append(own, at)
			}
		}
		e.own, e.first = append(e.own, own), append(e.first, weights)
		weights += len(own)
	}
	e.sharing = e.order() > n
	return e
}

// ownVariables returns the number of variables if each pattern has its own pairs.
func ownVariables(patterns [][]int) (n int) {
	for _, steps := range patterns {
		n += 1 + len(steps)*(len(steps)-1)/2
	}
	return n
}

// size returns the number of variables.
func (e *epochs) size() int {
	if e.sharing {
		last := len(e.own) - 1
		return e.first[last] + len(e.own[last])
	}
	return len(e.patterns) + len(e.pairs)
}

// joint returns λ, and the sum of N over patterns for each pair.
func (e *epochs) joint(y []float64) []float64 {
	if !e.sharing {
		return y
	}
	first := len(e.patterns)
	u := make([]float64, first+len(e.pairs))
	copy(u, y[:first])
	for k, own := range e.own {
		for a, at := range own {
			u[first+at] += y[e.first[k]+a]
		}
	}
	return u
}

// start returns equal λ_π, and N at half of the maximum that each pair allows.
func (e *epochs) start() []float64 {
	y := make([]float64, e.size())
	for i := range e.patterns {
		y[i] = 1 / float64(len(e.patterns))
	}
	for i := len(e.patterns); i < len(y); i++ {
		y[i] = 1 / float64(2*len(e.patterns))
		if !e.sharing {
			y[i] *= float64(len(e.of[i-len(e.patterns)]))
		}
	}
	return y
}

// weights returns H.
func (e *epochs) weights(y []float64) *mat.SymDense {
	y = e.joint(y)
	h := mat.NewSymDense(e.steps, nil)
	for k, steps := range e.patterns {
		for i, s := range steps {
			h.SetSym(s, s, h.At(s, s)+y[k])
			for j := 0; j < i && e.signs != nil; j++ {
				h.SetSym(steps[j], s, h.At(steps[j], s)+y[k]*e.sign(k, i)*e.sign(k, j))
			}
		}
	}
	for at, pair := range e.pairs {
		v := -y[len(e.patterns)+at]
		for _, k := range e.of[at] {
			v += y[k]
		}
		h.SetSym(pair[0], pair[1], h.At(pair[0], pair[1])+v)
	}
	return h
}

func (e *epochs) allowed(y []float64) bool {
	var c mat.Cholesky
	for k := 0; e.sharing && k < len(e.patterns); k++ {
		if !c.Factorize(e.block(y, k)) {
			return false
		}
	}
	return c.Factorize(e.weights(y))
}

// rooted is a singular value decomposition USVᵀ of D_p^½WR, where RRᵀ = H. rtv is R^{−T}V.
type rooted struct {
	spectrum
	r, rtv  *mat.Dense
	x       *mat.Dense // 2∂f/∂H
	inverse *mat.Dense // H^{−1} if W is deficient
}

func (e *epochs) decompose(w *mat.Dense, p, y []float64) (rooted, error) {
	var c mat.Cholesky
	if !c.Factorize(e.weights(y)) {
		return rooted{}, errSingular
	}
	var upper mat.TriDense
	c.UTo(&upper)
	r := mat.DenseCopyOf(upper.T())
	ones := make([]float64, e.steps)
	for i := range ones {
		ones[i] = 1
	}
	left := scaled(w, p, ones)
	m, _ := left.Dims()
	product := mat.NewDense(m, e.steps, nil)
	product.Mul(left, r)
	s, err := decompose(product)
	if err != nil {
		return rooted{}, err
	}
	var rtv mat.Dense
	if err := rtv.Solve(&upper, s.v); err != nil {
		if _, ok := err.(mat.Condition); !ok {
			return rooted{}, err
		}
	}
	x := rooted{spectrum: s, r: r, rtv: &rtv, x: times(&rtv, s.values, mat.DenseCopyOf(rtv.T()))}
	if e.deficient = len(s.values) < e.steps; e.deficient {
		var inverse mat.SymDense
		if c.InverseTo(&inverse) != nil {
			return rooted{}, errSingular
		}
		x.inverse = mat.DenseCopyOf(&inverse)
		var more mat.Dense
		more.Scale(2*e.barrier*sum(s.values), &inverse)
		x.x.Add(x.x, &more)
	}
	return x, nil
}

// dual returns the dual over p, λ and N. The curvature along dH is (1/π)∫ tr(Y dH Y dH) dt with Y = (H +
// t²A^{−1})^{−1} = R^{−T}V S²/(S² + t²) VᵀR^{−1}, A = WᵀD_pW, and that between p_i and dH is −(1/π)∫ t_iᵀ dH t_i dt,
// where t_i are the columns of R^{−T}V St/(S² + t²) Uᵀ.
func (e *epochs) dual(w *mat.Dense, o Objective) *dual {
	m, _ := w.Dims()
	if e.signs == nil && len(e.patterns)+len(e.pairs) > mostReduced(o) {
		e.conjugate, e.sharing = true, true
	}
	d := &dual{rows: m, columns: e.size(), objective: o, epochs: e}
	offset := d.size() - d.columns
	d.at = func(ctx context.Context, p, y []float64) (local, error) {
		s, err := e.decompose(w, p, y)
		if err != nil {
			return local{}, err
		}
		y = e.joint(y)
		l := local{f: sum(s.values), rooted: s}
		if o == Max {
			l.slope = halfDiagonal(s.u, s.values)
		}
		for k := range e.patterns {
			l.slope = append(l.slope, y[k]*e.total(s.x, k)/2)
		}
		for i, pair := range e.pairs {
			l.slope = append(l.slope, -y[len(e.patterns)+i]*s.x.At(pair[0], pair[1]))
		}
		if e.conjugate && o == Mean {
			return l, nil
		}
		size := len(l.slope)
		if e.conjugate {
			size = m // the size of p alone
		}
		l.curvature = mat.NewSymDense(size, nil)
		if e.deficient && !e.conjugate {
			e.addCurvature(l.curvature, offset, e.barrier*l.f, s.inverse, y)
		}
		ut, vt := mat.DenseCopyOf(s.u.T()), mat.DenseCopyOf(s.rtv.T())
		least, most := s.values[len(s.values)-1], s.values[0]
		own, cross := make([]float64, len(s.values)), make([]float64, len(s.values))
		for _, node := range quadrature(least, most, nodesFor(least, most, 1e-4)) {
			if err := ctx.Err(); err != nil {
				return local{}, err
			}
			for i, v := range s.values {
				own[i], cross[i] = v*v/(v*v+node.t*node.t), v*node.t/(v*v+node.t*node.t)
			}
			factor := node.w / math.Pi
			if !e.conjugate {
				e.addCurvature(l.curvature, offset, factor, times(s.rtv, own, vt), y)
			}
			if o == Max {
				addSquares(l.curvature, block{}, factor, times(s.u, own, ut))
			}
			if o == Max && !e.conjugate {
				e.addCross(l.curvature, offset, -factor, times(s.rtv, cross, ut), y)
			}
		}
		return l, nil
	}
	return d
}

// total returns 1_πᵀX1_π for pattern k, where 1_π has the value 1 at the steps of the pattern, or their signs.
func (e *epochs) total(x *mat.Dense, k int) (s float64) {
	for i, from := range e.patterns[k] {
		for j, to := range e.patterns[k] {
			s += e.sign(k, i) * e.sign(k, j) * x.At(from, to)
		}
	}
	return s
}

// sums returns Y1_π for every pattern, as rows.
func (e *epochs) sums(y *mat.Dense) [][]float64 {
	_, n := y.Dims()
	all := make([][]float64, len(e.patterns))
	for k, steps := range e.patterns {
		all[k] = make([]float64, n)
		for i, s := range steps {
			axpy(all[k], e.sign(k, i), y.RawRowView(s))
		}
	}
	return all
}

func (e *epochs) addCurvature(c *mat.SymDense, offset int, factor float64, y *mat.Dense, at []float64) {
	raw := c.RawSymmetric()
	sums := e.sums(y)
	first := len(e.patterns)
	for k, row := range sums {
		to := raw.Data[(offset+k)*raw.Stride+offset:]
		for l := k; l < first; l++ {
			v := 0.0
			for i, s := range e.patterns[l] {
				v += e.sign(l, i) * row[s]
			}
			to[l] += factor * at[k] * at[l] * v * v
		}
		for a, pair := range e.pairs {
			to[first+a] -= factor * at[k] * at[first+a] * 2 * row[pair[0]] * row[pair[1]]
		}
	}
	for a, pair := range e.pairs {
		to := raw.Data[(offset+first+a)*raw.Stride+offset+first:]
		scale := 2 * factor * at[first+a]
		left, right := y.RawRowView(pair[0]), y.RawRowView(pair[1])
		for b := a; b < len(e.pairs); b++ {
			i, j := e.pairs[b][0], e.pairs[b][1]
			to[b] += scale * at[first+b] * (left[i]*right[j] + left[j]*right[i])
		}
	}
}

func (e *epochs) addCross(c *mat.SymDense, offset int, factor float64, t *mat.Dense, at []float64) {
	raw := c.RawSymmetric()
	first := len(e.patterns)
	for k, row := range e.sums(t) {
		for i, v := range row {
			raw.Data[i*raw.Stride+offset+k] += factor * at[k] * v * v
		}
	}
	for a, pair := range e.pairs {
		left, right := t.RawRowView(pair[0]), t.RawRowView(pair[1])
		for i, v := range left {
			raw.Data[i*raw.Stride+offset+first+a] -= 2 * factor * at[first+a] * v * right[i]
		}
	}
}

// ends does the work of dual.ends for several participations.
func (e *epochs) ends(d *dual, x []float64, l local) (lo, hi float64) {
	p, y := d.split(x)
	slopes := l.slope[d.size()-d.columns:]
	first := len(e.patterns)
	lo = l.f / math.Sqrt(sum(y[:first]))
	rows := l.f
	if d.objective == Max {
		lo /= math.Sqrt(sum(p))
		rows = 0
		for i, v := range p {
			rows = max(rows, 2*l.slope[i]/v)
		}
	}
	most := 0.0
	for k, steps := range e.patterns {
		reach := 2 * slopes[k] / y[k]
		if e.signs == nil {
			part := principal(l.x, steps)
			if slices.Min(part.RawSymmetric().Data) < 0 {
				_, d := relax(part, most)
				reach = sum(d)
			}
		}
		most = max(most, reach)
	}
	return lo, math.Sqrt(rows * most)
}

// mostReduced returns the number of patterns and pairs up to which solving for them directly is faster than conjugate
// gradients.
func mostReduced(o Objective) int {
	if o == Max {
		return 1200
	}
	return 2000
}
