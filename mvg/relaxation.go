package mvg

import (
	"context"
	"math"

	"dpworkbench/internal/lists"
	"dpworkbench/internal/parallel"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// relaxation is the problem: maximise Σ_i ln det(I + λ_i Q_i) over Q_i ⪰ 0 with Σ_i d_kiᵀQ_i d_ki ≤ 1. It solves the
// dual with a barrier,
//
//	min_y Σ_i ψ(A_i(y)) + Σ_k (y_k − τ ln y_k),   A_i = Σ_k y_k d_ki d_kiᵀ,
//
// for decreasing τ. ψ(A) is the sum, over the eigenvalues a of A, of max_q (ln(1 + λ_i q) − aq + τ ln q). At the
// optimum 1/(slack of k) is y_k/τ. The dual is smooth and convex, with one unknown for each difference.
type relaxation struct {
	gains   []float64
	vectors []*mat.Dense // for every i, the d_ki as columns
}

func newRelaxation(gains []float64, list []*mat.Dense) *relaxation {
	_, n := list[0].Dims()
	g := &relaxation{gains: gains}
	for i := range gains {
		v := mat.NewDense(n, len(list), nil)
		for k, d := range list {
			v.SetCol(k, d.RawRowView(i))
		}
		g.vectors = append(g.vectors, v)
	}
	return g
}

// spectrum returns the eigenvalues of A_i and the d_ki in coordinates of its eigenvectors. A singular value
// decomposition keeps small eigenvalues apart from larger ones. It returns nil if A_i is singular or overflows.
func (g *relaxation) spectrum(i int, y []float64) (a []float64, u *mat.Dense) {
	n, k := g.vectors[i].Dims()
	weighted := mat.NewDense(n, max(n, k), nil)
	for j := range k {
		root := math.Sqrt(y[j])
		for r := range n {
			weighted.Set(r, j, root*g.vectors[i].At(r, j))
		}
	}
	if _, err := finite(weighted); err != nil { // a decomposition of these might not terminate
		return nil, nil
	}
	var svd mat.SVD
	if !svd.Factorize(weighted, mat.SVDThinU) {
		return nil, nil
	}
	u = new(mat.Dense)
	svd.UTo(u)
	a = svd.Values(nil)
	for j, v := range a {
		if a[j] = v * v; !(a[j] > 0) || math.IsInf(a[j], 1) {
			return nil, nil
		}
	}
	return a, u
}

// precision returns the q of max_q (ln(1 + λq) − aq + τ ln q): aλq² + (a − λ − τλ)q − τ = 0.
func precision(lambda, a, tau float64) float64 {
	b := lambda + tau*lambda - a
	root := math.Sqrt(b*b + 4*a*lambda*tau)
	if b > 0 {
		return (b + root) / (2 * a * lambda)
	}
	return 2 * tau / (root - b)
}

// merit returns the value of the function to minimise, or +Inf outside its domain.
func (g *relaxation) merit(y []float64, tau float64) float64 {
	v := 0.0
	for _, x := range y {
		v += x - tau*math.Log(x)
	}
	for i, l := range g.gains {
		a, _ := g.spectrum(i, y)
		if a == nil {
			return math.Inf(1)
		}
		for _, x := range a {
			q := precision(l, x, tau)
			v += math.Log1p(l*q) - x*q + tau*math.Log(q)
		}
	}
	return v
}

// value returns the dual without a barrier.
func (g *relaxation) value(y []float64) float64 {
	v := floats.Sum(y)
	for i, l := range g.gains {
		a, _ := g.spectrum(i, y)
		if a == nil {
			return math.Inf(1)
		}
		for _, x := range a {
			if x < l {
				v += excess((l - x) / x)
			}
		}
	}
	return v
}

// solve returns the multipliers with the least dual value found.
func (g *relaxation) solve(ctx context.Context) ([]float64, error) {
	n, k := g.vectors[0].Dims()
	y := uniform(k, float64(len(g.gains)*n)/float64(k)) // Σ y is at most this at the optimum
	scale := g.value(y)
	for { // the best y is much smaller if there is little information
		less := make([]float64, k)
		floats.AddScaled(less, 1.0/16, y)
		v := g.value(less)
		if !(v < scale) {
			break
		}
		y, scale = less, v
	}
	best, least := y, scale
	for tau := 0.1 * scale; tau > 1e-13*scale; tau /= 5 {
		parallel.Report(ctx, 0, 0, "interior point method, barrier %.0g", tau/scale)
		for range 40 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			next, decrement := g.step(y, tau)
			if next == nil {
				break
			}
			if y = next; decrement < 1e-8*tau {
				break
			}
		}
		switch v := g.value(y); {
		case v < least:
			best, least = y, v
		case tau < 1e-6*scale:
			return best, nil // rounding exceeds what a smaller τ can gain
		}
	}
	return best, nil
}

// step returns Newton's step and the squared decrement, or nil if there is no descent direction.
func (g *relaxation) step(y []float64, tau float64) ([]float64, float64) {
	k := len(y)
	slope, h := mat.NewVecDense(k, nil), mat.NewSymDense(k, nil)
	for j, v := range y { // in units of y
		slope.SetVec(j, v-tau)
		h.SetSym(j, j, tau)
	}
	for i, l := range g.gains {
		a, u := g.spectrum(i, y)
		if a == nil {
			return nil, 0
		}
		n := len(a)
		q := lists.Each(a, func(x float64) float64 { return precision(l, x, tau) })
		turned := product(u.T(), g.vectors[i])
		// The derivative of ψ is −q(a), a spectral function: its divided differences are
		// −1/(λ²/((1 + λq)(1 + λr)) + τ/qr), as λ/(1 + λq) + τ/q = a.
		features := mat.NewDense(k, n*n, nil)
		for c, v := range y {
			sum := 0.0
			for j := range n {
				e := turned.At(j, c)
				sum += q[j] * e * e
				for r := range n {
					weight := math.Sqrt(1 / (l/(1+l*q[j])*(l/(1+l*q[r])) + tau/q[j]/q[r]))
					features.Set(c, j*n+r, v*weight*e*turned.At(r, c))
				}
			}
			slope.SetVec(c, slope.AtVec(c)-v*sum)
		}
		h.SymRankK(h, 1, features)
	}
	step, decrement := newtons(h, slope.RawVector().Data)
	if step == nil {
		return nil, 0
	}
	now := g.merit(y, tau)
	for size := 1.0; size > 1e-10; size /= 2 {
		next := make([]float64, k)
		ok := true
		for j, v := range y {
			next[j] = v * (1 - size*step[j])
			ok = ok && next[j] > 0
		}
		if ok && g.merit(next, tau) <= now-1e-4*size*decrement+1e-14*math.Abs(now) {
			return next, decrement
		}
	}
	return nil, 0
}

// blocks returns the Q_i that correspond to the multipliers y.
func (g *relaxation) blocks(y []float64) []*mat.SymDense {
	out := make([]*mat.SymDense, len(g.gains))
	n, _ := g.vectors[0].Dims()
	for i, l := range g.gains {
		out[i] = mat.NewSymDense(n, nil)
		a, u := g.spectrum(i, y)
		for j, x := range a {
			if x < l {
				out[i].SymRankOne(out[i], 1/x-1/l, u.ColView(j))
			}
		}
	}
	return out
}
