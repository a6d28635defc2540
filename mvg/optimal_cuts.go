package mvg

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// A cut is a plane aᵀz ≤ b that all allowed p of a region satisfy, from constraints with weights y_k
// and a point p̄. With M = Σ y_k B_k, Σy ≥ pᵀMp is at least
//
//	pᵀNp + 2cᵀp − … − Σ D_i p_i², N = diag M + θ(M − diag M) + D,
//
// p_i p_j off the diagonal being, for the rest of it, above the plane that touches it at l or u, which
// has slopes c ≥ 0. Where N + diag(r) ⪰ 0, r_i the least of λ_i(Np + c)_i/(1 + λ_i p_i) in the
// region, pᵀNp + 2cᵀp is convex in z and above its tangent at p̄, and D_i p_i² is below its chord.
// Either D = 0 or θ = 1.
//
// A logarithmic one has ln pᵀB_kp above its tangent in ln p, and ln p_i above its chord in z, of
// the rows with l_i > 0.
type cut struct {
	logarithmic bool
	y           []weighted
	at          []float64 // p̄
	d           []float64 // D
	theta       float64   // θ
	a           []float64
	b           float64
}

// weighted is the weight of a constraint.
type weighted struct {
	k int
	y float64
}

// A planesProof is multipliers of planes in a region.
type planesProof struct {
	l, u        []float64
	cuts        []*cut
	multipliers []float64
}

// cuts makes planes for a region.
type cutter struct {
	*regions
	l, u, zl, zu []float64
}

func (g *regions) cutter(r *region) *cutter {
	c := &cutter{regions: g, l: r.l, u: r.u, zl: make([]float64, len(r.l)), zu: make([]float64, len(r.l))}
	for i, l := range g.gains {
		c.zl[i], c.zu[i] = math.Log1p(l*r.l[i]), math.Log1p(l*r.u[i])
	}
	return c
}

// sum returns Σ y_k B_k.
func (g *regions) sum(y []weighted) *mat.SymDense {
	m := len(g.gains)
	out := mat.NewSymDense(m, nil)
	for _, w := range y {
		for i := range m {
			for j := i; j < m; j++ {
				out.SetSym(i, j, out.At(i, j)+w.y*g.forms[w.k][i*m+j])
			}
		}
	}
	return out
}

// bend returns λ_i x/(1 + λ_i p) for x = rest + square·p where that is less of the two ends.
func bend(gain, square, rest, l, u float64) float64 {
	return math.Min(gain*(rest+square*l)/(1+gain*l), gain*(rest+square*u)/(1+gain*u))
}

// mended returns planes of pᵀMp at p̄, one for each way to make it convex.
func (c *cutter) mended(y []weighted, at []float64) []*cut {
	m := len(at)
	form := c.sum(y)
	h, scaled := mat.NewSymDense(m, nil), mat.NewSymDense(m, nil)
	widths, diagonal := make([]float64, m), make([]float64, m)
	for i := range m {
		widths[i] = math.Max(c.u[i]-c.l[i], 1e-3*c.u[i])
		rest := 0.0
		for j := range m {
			if j != i {
				rest += form.At(i, j) * c.l[j]
			}
		}
		diagonal[i] = form.At(i, i) + bend(c.gains[i], form.At(i, i), rest, c.l[i], c.u[i])
	}
	for i := range m {
		for j := i; j < m; j++ {
			v := form.At(i, j)
			if i == j {
				v = diagonal[i]
			} else if root := math.Sqrt(diagonal[i]) * math.Sqrt(diagonal[j]); v != 0 {
				scaled.SetSym(i, j, v/root)
			}
			h.SetSym(i, j, v*widths[i]*widths[j])
		}
	}
	var out []*cut
	var e mat.EigenSym
	if !e.Factorize(h, false) {
		return nil
	}
	values := e.Values(nil)
	d := make([]float64, m)
	low := values[0] - 1e-11*values[m-1]
	if low < 0 {
		for i, w := range widths {
			d[i] = -low / w / w
		}
	}
	if k := c.quadratic(form, y, at, d, 1); k != nil {
		out = append(out, k)
	}
	if sum := mat.Sum(scaled); low < 0 && sum-sum == 0 && e.Factorize(scaled, false) { // numbers all of them
		if least := e.Values(nil)[0]; least < -1e-300 {
			theta := math.Min(1, -1/least) * (1 - 1e-10)
			if k := c.quadratic(form, y, at, make([]float64, m), theta); k != nil {
				out = append(out, k)
			}
		}
	}
	return out
}

// above says whether p_i p_j is nearer to its plane at u than to that at l.
func (c *cut) above(i, j int, l, u []float64) bool {
	p, q := c.at[i], c.at[j]
	return u[j]*p+u[i]*q-u[i]*u[j] > l[j]*p+l[i]*q-l[i]*l[j]
}

func (c *cutter) quadratic(form *mat.SymDense, y []weighted, at, d []float64, theta float64) *cut {
	m := len(at)
	out := &cut{y: y, at: at, d: d, theta: theta, a: make([]float64, m)}
	for _, w := range y {
		out.b += w.y
	}
	for i, x := range at {
		row := d[i]*x + form.At(i, i)*x
		linear := 0.0
		for j, v := range at {
			if j == i {
				continue
			}
			row += theta * form.At(i, j) * v
			if theta < 1 {
				rest := (1 - theta) * form.At(i, j)
				corner := c.l
				if out.above(i, j, c.l, c.u) {
					corner = c.u
				}
				linear += rest * corner[j]
				out.b += rest * corner[i] * corner[j]
			}
		}
		slope := 2 * (row + linear) * (1 + c.gains[i]*x) / c.gains[i]
		chord := 0.0
		if d[i] > 0 {
			chord = d[i] * (c.u[i] - c.l[i]) * (c.u[i] + c.l[i]) / (c.zu[i] - c.zl[i])
		}
		out.a[i] = slope - chord
		out.b += slope*math.Log1p(c.gains[i]*x) - (row+2*linear)*x + d[i]*c.l[i]*c.l[i] - chord*c.zl[i]
	}
	return out.finite()
}

// logarithm returns the plane of ln pᵀB_kp at p̄; nil where l is 0.
func (c *cutter) logarithm(y []weighted, at []float64) *cut {
	m := len(at)
	out := &cut{logarithmic: true, y: y, at: at, a: make([]float64, m)}
	for _, w := range y {
		b := c.forms[w.k]
		rows, sum := make([]float64, m), 0.0
		for i, x := range at {
			if c.l[i] > 0 {
				for j, v := range at {
					if c.l[j] > 0 {
						rows[i] += x * b[i*m+j] * v
					}
				}
				sum += rows[i]
			}
		}
		if !(sum > 0) {
			continue
		}
		out.b -= w.y * math.Log(sum)
		for i, v := range rows {
			if v == 0 {
				continue
			}
			weight := 2 * w.y * v / sum
			slope := weight * math.Log(c.u[i]/c.l[i]) / (c.zu[i] - c.zl[i])
			out.a[i] += slope
			out.b += weight*math.Log(at[i]/c.l[i]) + slope*c.zl[i]
		}
	}
	return out.finite()
}

// finite returns the plane where it says something.
func (c *cut) finite() *cut {
	size := 0.0
	for _, v := range c.a {
		size = math.Max(size, math.Abs(v))
	}
	if !(size > 1e-200 && size < 1e200) || math.IsNaN(c.b) || math.IsInf(c.b, 0) {
		return nil
	}
	return c
}

// enclose sets the bound of a region, its proof, where it is and where its planes lose most.
func (g *regions) enclose(r *region) error {
	c := g.cutter(r)
	m := len(r.l)
	r.bound = floats.Sum(c.zu)
	r.at = append([]float64(nil), r.u...)
	var cuts []*cut
	add := func(y []weighted, at []float64) {
		cuts = append(cuts, c.mended(y, at)...)
		if k := c.logarithm(y, at); k != nil {
			cuts = append(cuts, k)
		}
	}
	for i := range m {
		r.at[i] = (r.l[i] + r.u[i]) / 2
	}
	y := r.weights
	for range mostLooks {
		if err := g.ctx.Err(); err != nil {
			return err
		}
		// Planes where the ray through the point meets the constraints.
		over := math.Sqrt(g.spent(r.at))
		at := make([]float64, m)
		for i, x := range r.at {
			at[i] = math.Min(math.Max(x/over, r.l[i]), r.u[i])
			if r.l[i] == 0 {
				at[i] = math.Max(at[i], 1e-9*r.u[i])
			}
		}
		for _, k := range g.tightest(at, 3) {
			add([]weighted{{k, 1}}, at)
		}
		if len(y) > 0 {
			add(y, at)
		}
		p := &program{cuts: cuts, lo: c.zl, hi: c.zu}
		z, multipliers, v := p.solve(g.target())
		if z == nil {
			break
		}
		before := r.bound
		if v < r.bound {
			r.bound = v
			r.proof = &planesProof{l: r.l, u: r.u}
			for i, k := range cuts {
				if multipliers[i] > 0 {
					r.proof.cuts, r.proof.multipliers = append(r.proof.cuts, k), append(r.proof.multipliers, multipliers[i])
				}
			}
		}
		for i, x := range z {
			r.at[i] = math.Min(math.Max(math.Expm1(x)/g.gains[i], r.l[i]), r.u[i])
		}
		g.offer(r.at)
		if r.bound <= g.target() || before-r.bound < 0.02*(r.bound-g.best) {
			break
		}
		y = y[:0:0]
		weights := make(map[int]float64)
		var kept []*cut
		for i, k := range cuts {
			if multipliers[i] > 1e-9 {
				kept = append(kept, k)
				for _, w := range k.y {
					weights[w.k] += w.y * multipliers[i]
				}
			}
		}
		cuts = kept
		for k := range g.forms {
			if w := weights[k]; w > 0 {
				y = append(y, weighted{k, w})
			}
		}
	}
	r.weights, r.split = y, c.losing(r)
	return nil
}

// tightest returns the constraints with the largest pᵀBp, up to so many.
func (g *regions) tightest(p []float64, count int) []int {
	var out []int
	var sizes []float64
	for k := range g.forms {
		v := g.form(k, p)
		at := len(out)
		for at > 0 && sizes[at-1] < v {
			at--
		}
		if at < count {
			out = append(out[:at], append([]int{k}, out[at:]...)...)
			sizes = append(sizes[:at], append([]float64{v}, sizes[at:]...)...)
			if len(out) > count {
				out, sizes = out[:count], sizes[:count]
			}
		}
	}
	return out
}

// losing returns the coordinate, none of the thin ones, whose chords are farthest from what they stand
// for at the point of the bound; the widest where none is.
func (c *cutter) losing(r *region) int {
	m := len(r.l)
	loss := make([]float64, m)
	if r.proof != nil {
		for n, k := range r.proof.cuts {
			for i := range loss {
				w := c.zu[i] - c.zl[i]
				if !(w > 0) {
					continue
				}
				share := (math.Log1p(c.gains[i]*r.at[i]) - c.zl[i]) / w
				if !k.logarithmic {
					chord := c.l[i]*c.l[i] + share*(c.u[i]*c.u[i]-c.l[i]*c.l[i])
					loss[i] += r.proof.multipliers[n] * (k.d[i]*(chord-r.at[i]*r.at[i]) + k.bilinear(c, i, r.at))
				} else if c.l[i] > 0 {
					log := math.Log(c.u[i] / c.l[i])
					loss[i] += r.proof.multipliers[n] * k.a[i] * w / log * (math.Log(r.at[i]/c.l[i]) - share*log)
				}
			}
		}
	}
	widest := 0.0
	for i := range loss {
		widest = math.Max(widest, c.zu[i]-c.zl[i])
	}
	best := 0
	for i := range loss {
		w := c.zu[i] - c.zl[i]
		if loss[i] = math.Max(loss[i], 0) + 1e-9*w; w < 0.3*widest {
			loss[i] = 0
		}
		if loss[i] > loss[best] {
			best = i
		}
	}
	return best
}

// bilinear is what the planes of p_i p_j lose at a point, over all j.
func (k *cut) bilinear(c *cutter, i int, p []float64) float64 {
	if k.theta == 1 {
		return 0
	}
	m := len(p)
	sum := 0.0
	for _, w := range k.y {
		for j := range m {
			if j == i {
				continue
			}
			off := (p[i] - c.l[i]) * (p[j] - c.l[j])
			if k.above(i, j, c.l, c.u) {
				off = (c.u[i] - p[i]) * (c.u[j] - p[j])
			}
			sum += (1 - k.theta) * w.y * c.forms[w.k][i*m+j] * off
		}
	}
	return sum
}
