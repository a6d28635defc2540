package xor

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"sync/atomic"

	"dpworkbench/ehmc"
	"dpworkbench/internal/memory"
	"dpworkbench/internal/parameter"
	"dpworkbench/interval"
)

// Pair names two objects i < j, counted from 0.
type Pair struct{ I, J int }

// Bernoulli is the matrix-valued Bernoulli law on {0, 1}^{N×P} with quadratic
// exponential dependence (Definition 4). Π is never built: rows come from Θ and
// the Λ_ij that are present. It is immutable and safe for concurrent use.
type Bernoulli struct {
	n, p    int
	theta   []float64           // P × P, row by row
	coupled []int               // the objects with associations, ascending
	near    map[int][]link      // near[i]: the objects that i is coupled to, ascending
	links   [][]link            // near as a slice, which is faster; nil above fewObjects
	lam     map[Pair][]float64  // P × P each, the blocks of links
	cols    *Columns            // the closed form, where Θ = θI and every Λ_ij = λI
	reading reading             // which exact parameters Θ and Λ may be
	cache   atomic.Pointer[sum] // the enumeration, once it has run
	answers atomic.Pointer[answer]
}

type link struct {
	object int
	block  []float64
}

var _ ehmc.Quadratic = (*Bernoulli)(nil)

// fewObjects is the number of objects up to which links are kept in a slice.
const fewObjects = 1 << 16

func (b *Bernoulli) linksOf(object int) []link {
	if b.links != nil {
		return b.links[object]
	}
	return b.near[object]
}

// NewBernoulli returns the law of n objects with features Θ (P × P) and associations Λ_ij = lam[{i, j}] (P × P, i < j),
// zero for absent pairs. It copies its arguments. It returns an error wrapping evidence.ErrParameter, naming the entry,
// unless 1 ≤ n < 2³¹, Θ and every Λ_ij are symmetric and finite of the same order P ≥ 1, Σ|Π| ≤ 1e307, and 0 ≤ i < j <
// n. Parameters are exact float64s: see [Bernoulli.ForDecimals].
func NewBernoulli(theta [][]float64, lam map[Pair][][]float64, n int) (*Bernoulli, error) {
	if n < 1 || n > math.MaxInt32 {
		return nil, parameter.Errorf("n = %d objects, want 1 to 2³¹ − 1", n)
	}
	p := len(theta)
	if p < 1 {
		return nil, parameter.Errorf("theta is empty, want a square matrix")
	}
	flat, err := flatten("theta", theta, p)
	if err != nil {
		return nil, err
	}
	b := &Bernoulli{n: n, p: p, theta: flat, near: make(map[int][]link), lam: make(map[Pair][]float64, len(lam))}
	for pair, block := range lam {
		if pair.I < 0 || pair.J >= n || pair.I >= pair.J {
			return nil, parameter.Errorf("lam has the pair (%d, %d), want 0 ≤ i < j < %d", pair.I, pair.J, n)
		}
		name := fmt.Sprintf("lam[(%d, %d)]", pair.I, pair.J)
		flat, err := flatten(name, block, p)
		if err != nil {
			return nil, err
		}
		b.lam[pair] = flat
	}
	for pair, block := range b.lam {
		b.near[pair.I] = append(b.near[pair.I], link{pair.J, block})
		b.near[pair.J] = append(b.near[pair.J], link{pair.I, block})
	}
	total := float64(n) * size(flat)
	for _, block := range b.lam {
		total += 2 * size(block)
	}
	if !(total <= maxTotal) {
		return nil, parameter.Errorf("the entries of Π add up to %.3g, want at most %g", total, float64(maxTotal))
	}
	b.coupled = slices.Sorted(maps.Keys(b.near))
	for _, links := range b.near { // in order of objects, so that rows do not depend on map order
		slices.SortFunc(links, func(x, y link) int { return x.object - y.object })
	}
	if n <= fewObjects {
		b.links = make([][]link, n)
		for i, links := range b.near {
			b.links[i] = links
		}
	}
	b.cols = b.findColumns()
	return b, nil
}

// NewUniform returns the law with Θ = θI and every Λ_ij = λI, in O(1) space. It returns the errors of NewColumns.
func NewUniform(n, p int, theta, lambda float64) (*Bernoulli, error) {
	c, err := NewColumns(n, p, theta, lambda)
	if err != nil {
		return nil, err
	}
	return &Bernoulli{n: n, p: p, cols: c}, nil
}

// maxTotal bounds Σ|Π|, so that no sum of entries overflows.
const maxTotal = 1e307

// size returns the sum of |v| over the entries v of m.
func size(m []float64) float64 {
	var s float64
	for _, v := range m {
		s += math.Abs(v)
	}
	return s
}

func flatten(name string, m [][]float64, p int) ([]float64, error) {
	flat := make([]float64, 0, p*p)
	if len(m) != p {
		return nil, parameter.Errorf("%s has %d rows, want %d, the order of theta", name, len(m), p)
	}
	for i, row := range m {
		if len(row) != p {
			return nil, parameter.Errorf("%s[%d] has %d entries, want %d", name, i, len(row), p)
		}
		for j, v := range row {
			if !(math.Abs(v) <= maxTotal) {
				return nil, parameter.Errorf("%s[%d][%d] = %g, want a finite number within ±%g", name, i, j, v, float64(maxTotal))
			}
			if j < i && v != m[j][i] {
				return nil, parameter.Errorf("%s is not symmetric: [%d][%d] = %g, [%d][%d] = %g", name, i, j, v, j, i, m[j][i])
			}
		}
		flat = append(flat, row...)
	}
	return flat, nil
}

// findColumns returns the closed form of a law given by blocks, if it has one.
func (b *Bernoulli) findColumns() *Columns {
	pairs := b.n * (b.n - 1) / 2
	theta, ok := scalar(b.theta, b.p)
	if !ok || len(b.lam) != 0 && len(b.lam) != pairs {
		return nil
	}
	var lambda float64
	first := true
	for _, block := range b.lam {
		v, ok := scalar(block, b.p)
		if !ok || !first && v != lambda {
			return nil
		}
		lambda, first = v, false
	}
	c, _ := NewColumns(b.n, b.p, theta, lambda) // nil if theta or lambda is too large
	return c
}

// scalar returns v if m = vI. ok reports whether it is.
func scalar(m []float64, p int) (v float64, ok bool) {
	for i, e := range m {
		if i%(p+1) == 0 {
			if e != m[0] {
				return 0, false
			}
		} else if e != 0 {
			return 0, false
		}
	}
	return m[0], true
}

// Shape returns the numbers of objects and of features.
func (b *Bernoulli) Shape() (n, p int) { return b.n, b.p }

// Columns returns the closed form of the law, nil if it has none.
func (b *Bernoulli) Columns() *Columns { return b.cols }

// Dim implements ehmc.Quadratic. It returns NP.
func (b *Bernoulli) Dim() int { return b.n * b.p }

// Diagonal implements ehmc.Quadratic. It returns 0 if there is no bit k.
func (b *Bernoulli) Diagonal(k int) float64 {
	if k < 0 || k >= b.Dim() {
		return 0
	}
	if b.theta == nil {
		return b.cols.theta
	}
	return b.theta[k%b.p*(b.p+1)]
}

// AddRow implements ehmc.Quadratic. It adds nothing if bit k does not exist or dst is too short.
func (b *Bernoulli) AddRow(k int, scale float64, dst []float64) {
	if k < 0 || k >= b.Dim() || len(dst) < b.Dim() {
		return
	}
	object, feature := k/b.p, k%b.p
	if b.theta == nil {
		step := scale * b.cols.lambda
		for j := feature; j < len(dst); j += b.p {
			if j != k {
				dst[j] += step
			}
		}
		return
	}
	add := func(object int, block []float64) {
		row, out := block[feature*b.p:(feature+1)*b.p], dst[object*b.p:(object+1)*b.p]
		for j, v := range row {
			out[j] += scale * v
		}
	}
	keep := dst[k]
	add(object, b.theta)
	dst[k] = keep
	for _, l := range b.linksOf(object) {
		add(l.object, l.block)
	}
}

// Pi returns Π of equation (3) as a full NP × NP matrix. It returns an error wrapping evidence.ErrParameter where NP
// exceeds 2¹⁶, and memory.Err where there is no room.
func (b *Bernoulli) Pi() ([][]float64, error) {
	d := b.Dim()
	if err := checkOrder("Π", d); err != nil {
		return nil, err
	}
	flat := make([]float64, d*d)
	pi := make([][]float64, d)
	for k := range pi {
		pi[k] = flat[k*d : (k+1)*d]
		b.AddRow(k, 1, pi[k])
		pi[k][k] += b.Diagonal(k)
	}
	return pi, nil
}

// checkOrder returns an error if a square matrix of this order is too large to be listed.
func checkOrder(name string, order int) error {
	const most = 1 << 16
	if order > most {
		return parameter.Errorf("%s has order %d, want at most %d to list its entries", name, order, most)
	}
	return memory.Need(fmt.Sprintf("%s of order %d", name, order), 8*float64(order)*float64(order))
}

// Theta returns Θ, P × P. It returns an error wrapping evidence.ErrParameter where P exceeds 2¹⁶, and memory.Err where
// there is no room.
func (b *Bernoulli) Theta() ([][]float64, error) {
	if err := checkOrder("Θ", b.p); err != nil {
		return nil, err
	}
	m := make([][]float64, b.p)
	for i := range m {
		m[i] = make([]float64, b.p)
		if b.theta == nil {
			m[i][i] = b.cols.theta
		} else {
			copy(m[i], b.theta[i*b.p:])
		}
	}
	return m, nil
}

// Exponent returns bᵀΠb for the noise matrix m, in nats, rounded: the
// log-density up to the normaliser. It returns an error wrapping evidence.ErrParameter
// unless m is N × P.
func (b *Bernoulli) Exponent(m *Bits) (float64, error) {
	if err := b.checkShape(m); err != nil {
		return 0, err
	}
	if b.cols != nil {
		var e float64
		for j := range b.p {
			e += b.cols.exponent(m.ColumnOnes(j))
		}
		return e, nil
	}
	return ehmc.Exponent(b, m.Flat())
}

func (b *Bernoulli) checkShape(m *Bits) error {
	if n, p := m.Shape(); n != b.n || p != b.p {
		return parameter.Errorf("the matrix is %d × %d, want %d × %d, the noise's shape", n, p, b.n, b.p)
	}
	return nil
}

// Scale returns the law with Θ and every Λ_ij multiplied by factor, which multiplies its smallest ε for any
// neighbors by |factor|. So a law can be scaled to spend a budget exactly. Its certified numbers include the
// rounding of the products. It returns an error wrapping evidence.ErrParameter unless factor is finite.
func (b *Bernoulli) Scale(factor float64) (*Bernoulli, error) {
	if math.IsNaN(factor) || math.IsInf(factor, 0) {
		return nil, parameter.Bad("factor", factor, "a finite number")
	}
	var loose reading
	if factor != 1 {
		loose.units = 2 // the product may round, and factor may be a decimal
	}
	product := func(v float64) float64 {
		w := factor * v
		if math.Abs(w) < 0x1p-1022 && v != 0 && factor != 0 {
			loose.least = math.SmallestNonzeroFloat64
		}
		return w
	}
	if b.theta == nil {
		theta, lambda := product(b.cols.theta), product(b.cols.lambda)
		c, err := NewColumns(b.n, b.p, theta, lambda)
		if err != nil {
			return nil, err
		}
		c = c.read(reading{decimals: b.reading.decimals}.and(loose))
		c.offTheta = interval.Up(c.offTheta + interval.Up(math.Abs(factor)*b.cols.offTheta))
		c.offLambda = c.offLambda + math.Abs(factor)*b.cols.offLambda
		if c.offLambda > 0 {
			c.offLambda *= 1 + 4*unit
		}
		return &Bernoulli{n: b.n, p: b.p, cols: c, reading: b.reading.and(loose)}, nil
	}
	times := func(flat []float64) [][]float64 {
		m := make([][]float64, b.p)
		for i := range m {
			for _, v := range flat[i*b.p : (i+1)*b.p] {
				m[i] = append(m[i], product(v))
			}
		}
		return m
	}
	lambda := make(map[Pair][][]float64, len(b.lam))
	for pair, block := range b.lam {
		lambda[pair] = times(block)
	}
	out, err := NewBernoulli(times(b.theta), lambda, b.n)
	if err != nil {
		return nil, err
	}
	return out.read(b.reading.and(loose)), nil
}
