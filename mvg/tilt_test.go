package mvg

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// planeMoments is a plane with two of its reflections, and those orthogonal to them.
type planeMoments struct {
	w, s, e, t, f *mat.SymDense
	omega         *mat.Dense // abᵀ − baᵀ
}

func drawMoments(n int, rng *rand.Rand) planeMoments {
	v := leading(randomBasis(n, rng))
	m := planeMoments{omega: mat.NewDense(n, n, nil)}
	form := func(aa, ab, bb float64) *mat.SymDense {
		out := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				out.SetSym(i, j, aa*v[0][i]*v[0][j]+ab*(v[0][i]*v[1][j]+v[1][i]*v[0][j])+bb*v[1][i]*v[1][j])
			}
		}
		return out
	}
	for i := range n {
		for j := range n {
			m.omega.Set(i, j, v[0][i]*v[1][j]-v[1][i]*v[0][j])
		}
	}
	m.w = form(1, 0, 1)
	sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
	m.s, m.e = form(cos, sin, -cos), form(-sin, cos, sin)
	sin, cos = math.Sincos(2 * math.Pi * rng.Float64())
	m.t, m.f = form(cos, sin, -cos), form(-sin, cos, sin)
	return m
}

func coordinates(k int, a *mat.SymDense, border bool) *mat.VecDense {
	var out []float64
	if border {
		out = append(out, 1)
	}
	for _, i := range entriesOf(k) {
		out = append(out, width(i[0], i[1])*a.At(i[0], i[1]))
	}
	return mat.NewVecDense(len(out), out)
}

func outerOf(x *mat.VecDense) *mat.SymDense {
	out := mat.NewSymDense(x.Len(), nil)
	out.SymOuterK(1, x)
	return out
}

// blocksOf returns what the plane makes of itself in a tilting program.
func (m planeMoments) blocksOf(p *tilting) []*mat.SymDense {
	n := p.m
	sum := func(a, b *mat.SymDense, sign float64) *mat.SymDense {
		out := mat.NewSymDense(n, nil)
		combine(out, 1, top(a, n), sign, top(b, n))
		return out
	}
	id := multiple(n, 1)
	out := []*mat.SymDense{sum(m.w, m.s, -1), sum(m.w, m.s, 1), sum(m.w, m.t, -1), sum(m.w, m.t, 1), sum(id, m.w, -1)}
	k := p.k
	if k == 0 {
		return out
	}
	for _, a := range []*mat.SymDense{m.w, m.s, m.t} {
		out = append(out, outerOf(coordinates(k, a, true)))
	}
	for _, a := range []*mat.SymDense{m.e, m.f} {
		out = append(out, outerOf(coordinates(k, a, false)))
	}
	var omega []float64
	for _, i := range pairsOf(k) {
		omega = append(omega, m.omega.At(i[0], i[1]))
	}
	out = append(out, outerOf(mat.NewVecDense(len(omega), omega)))
	for _, a := range []*mat.SymDense{m.w, m.s, m.t} {
		inner := top(a, k)
		var square mat.Dense
		square.Mul(inner, inner)
		x := symmetrized(&square)
		combine(x, 1, top(m.w, k), -1, x)
		out = append(out, x)
	}
	return out
}

func inner(a, b *mat.SymDense) float64 {
	sum := 0.0
	for i := range a.SymmetricDim() {
		for j := range a.SymmetricDim() {
			sum += a.At(i, j) * b.At(i, j)
		}
	}
	return sum
}

func drawReflected(n int, rng *rand.Rand) reflected {
	draw := func() *mat.SymDense {
		out := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				out.SetSym(i, j, rng.NormFloat64())
			}
		}
		return out
	}
	return reflected{h: draw(), a: draw(), b: draw()}
}

// Whatever the unknowns are, ⟨h, W⟩ + ⟨a, S⟩ + ⟨b, T⟩ of a plane of Z is the cost less
// Σ ⟨B, X⟩ for its moments X, which are positive semi-definite; and the moments at the
// start, the means over planes, satisfy the equations too.
func TestPlanesSatisfyTiltings(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 92))
	for _, c := range [][2]int{{4, 3}, {6, 4}, {7, 3}, {5, 0}} {
		l := drawReflected(c[0], rng)
		p := newTilting(l.h, l.a, l.b, c[1])
		y := make([]float64, len(p.unknowns))
		for range 5 {
			for i := range y {
				y[i] = rng.NormFloat64()
			}
			m := drawMoments(c[0], rng)
			sum := p.base + p.cost(y)
			moments := m.blocksOf(p)
			for b, form := range p.slack(y, false) {
				sum -= inner(form, moments[b])
				if trace := mat.Trace(moments[b]); trace > p.blocks[b].trace+1e-12 {
					t.Errorf("m, k = %v: moment %d has trace %v, want at most %v", c, b, trace, p.blocks[b].trace)
				}
				if low := eigenCeiling(negated(moments[b])); low > 1e-12 {
					t.Errorf("m, k = %v: moment %d has an eigenvalue −%v", c, b, low)
				}
			}
			want := inner(l.h, m.w) + inner(l.a, m.s) + inner(l.b, m.t)
			if math.Abs(sum-want) > 1e-10 {
				t.Errorf("m, k = %v: cost less Σ ⟨B, X⟩ = %v, want %v", c, sum, want)
			}
		}
		start := make([]*mat.Dense, len(p.blocks))
		for b := range start {
			start[b] = mat.DenseCopyOf(p.blocks[b].moment)
			if low := eigenCeiling(negated(p.blocks[b].moment)); low >= 0 {
				t.Errorf("m, k = %v: moment %d at the start is not positive definite", c, b)
			}
		}
		image := mat.NewVecDense(len(y), nil)
		p.adjoint(start, image)
		for i := range y {
			y[i] = p.unknowns[i].start
			if want := p.unknowns[i].cost; math.Abs(image.AtVec(i)-want) > 1e-13 {
				t.Errorf("m, k = %v: ⟨A, X⟩ = %v at the start for unknown %d, want %v", c, image.AtVec(i), i, want)
			}
		}
		for b, form := range p.slack(y, false) {
			if low := eigenCeiling(negated(form)); low >= 0 {
				t.Errorf("m, k = %v: block %d at the start is not positive definite", c, b)
			}
		}
	}
}

// A tilt never takes from a plane of any space, whatever its unknowns are; nor does
// what continues a cover fall below a plane.
func TestTiltsAreValid(t *testing.T) {
	rng := rand.New(rand.NewPCG(93, 94))
	for _, c := range [][3]int{{9, 6, 4}, {8, 5, 3}} {
		n, m, k := c[0], c[1], c[2]
		f := unitForms(drawCovariance(t, n, 1, rng), drawCovariance(t, n, 1, rng))
		s := newRitz(f, leading(randomBasis(n, rng)))
		l := s.weighted([4]float64{0.5, 0.5, 0.2, 0.3})
		most := math.Inf(-1)
		for range 200 {
			most = math.Max(most, l.at(s.climb([4]float64{0.5, 0.5, 0.2, 0.3}, leading(randomBasis(n, rng)))))
		}
		z := columns(randomBasis(n, rng), 0, m)
		p := newTilting(turn(l.h, z), turn(l.a, z), turn(l.b, z), k)
		x, err := p.interior(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, size := range []float64{0, 1e-6, 1e-2, 1} {
			y := append([]float64(nil), x.y...)
			for i := range y {
				y[i] += size * rng.NormFloat64()
			}
			tilted := p.tilt(l, y, columns(z, 0, k), skew(z))
			least := math.Inf(1)
			for range 200 {
				m := drawMoments(n, rng)
				gain := tilted.constant + inner(tilted.h, m.w) + inner(tilted.a, m.s) + inner(tilted.b, m.t) -
					inner(l.h, m.w) - inner(l.a, m.s) - inner(l.b, m.t)
				least = math.Min(least, gain)
			}
			if least < 0 {
				t.Errorf("order %d: unknowns off by %g take %v from a plane", n, size, -least)
			}
			for _, spare := range []float64{1e-6, 1e-3, 1e-1} {
				if at, ok := p.continued(tilted, x, z, spare); ok {
					if got := tilted.certify(at); got < most {
						t.Errorf("order %d: a level of %v, a plane has %v", n, got, most)
					}
				}
			}
		}
	}
}
