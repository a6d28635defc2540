package mvg

import (
	"container/heap"
	"context"
	"math"

	"dpworkbench/internal/parallel"
	"gonum.org/v1/gonum/floats"
)

// regions is branch and bound for: maximise Σ ln(1 + λ_i p_i) over p ≥ 0 with pᵀB_kp ≤ 1, B_k ≥ 0
// entrywise. Its coordinates are z_i = ln(1 + λ_i p_i), in which the objective is Σz and
//
//	∂²(pᵀBp)/∂z² = 2 diag(p')(B + diag(λ_i(Bp)_i/(1 + λ_i p_i)))diag(p'),  p' = (1 + λp)/λ:
//
// a constraint that is not convex in p is so in z where signals are strong, whatever B is, and
// around the optimum as a rule. A region l ≤ p ≤ u is bounded by planes in z (optimal_cuts.go) and halved
// where they lose most, until what is left has no more than the best design known, and a little.
type regions struct {
	ctx    context.Context
	gains  []float64   // λ
	forms  [][]float64 // B_k by rows, each the float64 nearest to
	ends   [][]bound   // of them
	best   float64
	share  float64 // of the best, that regions are left with
	bestAt []float64
	limit  float64 // on what is in regions left behind
}

const (
	// closeRegions is the share of the best that regions are left with, and closest it is while
	// no more than lookedClosely were looked at.
	closeRegions, closest, lookedClosely = 0.009, 1e-4, 200
	// entriesLooked over m² is how many regions of order m are looked at, up to mostRegions.
	entriesLooked, mostRegions = 400_000, 4000
	// mostLooks is how often a region's planes are added to.
	mostLooks = 12
	// thinnest is the least width of a region, relative to its upper end.
	thinnest = 1e-6
)

// A region is l ≤ p ≤ u with a bound.
type region struct {
	l, u  []float64
	bound float64
	proof *planesProof
	at    []float64 // p where the bound is
	// split is where the planes lose most, and weights are of the constraints that held there.
	split   int
	weights []weighted
}

type byBound []*region

func (h byBound) Len() int           { return len(h) }
func (h byBound) Less(i, j int) bool { return h[i].bound > h[j].bound }
func (h byBound) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byBound) Push(x any)        { *h = append(*h, x.(*region)) }
func (h *byBound) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}

// form returns pᵀB_kp.
func (g *regions) form(k int, p []float64) float64 {
	sum, m := 0.0, len(p)
	for i, x := range p {
		if x != 0 {
			sum += x * floats.Dot(g.forms[k][i*m:(i+1)*m], p)
		}
	}
	return sum
}

// surely is a number that pᵀBp has for sure passed where float64 has it: the terms are not
// negative, and each of the products and sums rounds by 2⁻⁵³ of what it is.
func surely(m int) float64 { return 1 + float64(4*m*m+20)*unit }

// spent returns the largest pᵀB_kp.
func (g *regions) spent(p []float64) float64 {
	top := 0.0
	for k := range g.forms {
		top = math.Max(top, g.form(k, p))
	}
	return top
}

// offer brings p onto the constraints and keeps it where it is the best.
func (g *regions) offer(p []float64) {
	over := math.Sqrt(g.spent(p))
	if !positiveNumber(over) {
		return
	}
	v := 0.0
	for i, x := range p {
		v += math.Log1p(g.gains[i] * (x / over))
	}
	if v > g.best {
		g.best = v
		g.bestAt = append([]float64(nil), p...)
		floats.Scale(1/over, g.bestAt)
	}
}

func (g *regions) target() float64 { return g.best * (1 + g.share) }

// most returns the largest p_i alone with the others at l, over all constraints, rounded up.
func (g *regions) most(l []float64, i int) float64 {
	m, most := len(l), math.Inf(1)
	for _, b := range g.forms {
		square, cross, rest := b[i*m+i], 0.0, 0.0
		for j, x := range l {
			if j == i || x == 0 {
				continue
			}
			row := b[j*m : (j+1)*m]
			cross += row[i] * x
			rest += x * (floats.Dot(row, l) - row[i]*l[i])
		}
		// square·p² + 2 cross·p + rest = 1
		room := 1 - rest
		if room <= 0 {
			return 0
		}
		if x := room / (cross + math.Sqrt(cross*cross+square*room)); x < most {
			most = x
		}
	}
	return most
}

// tighten lowers u to what the constraints leave at l, and raises l to where there could be more than
// the target. It returns false where nothing is left.
func (g *regions) tighten(r *region) bool {
	m := len(r.l)
	sure := surely(m)
	if g.spent(r.l) > sure {
		return false
	}
	p := append([]float64(nil), r.l...)
	for i := range p {
		x := math.Max(g.most(r.l, i)*(1+1e-9), r.l[i]*(1+thinnest))
		if !(x < r.u[i]) {
			continue
		}
		if p[i] = x; g.spent(p) > sure {
			r.u[i] = x
		}
		p[i] = r.l[i]
	}
	sum := 0.0
	for i, x := range r.u {
		sum += math.Log1p(g.gains[i] * x)
	}
	if sum <= g.target() {
		g.include(g.whole(r.u))
		return false
	}
	for i, x := range r.u {
		if z := g.target() - (sum - math.Log1p(g.gains[i]*x)); z > 0 {
			if low := math.Min(math.Expm1(z)/g.gains[i], x*(1-thinnest)); low > r.l[i] {
				p := append([]float64(nil), r.u...)
				p[i] = low
				g.include(g.whole(p))
				r.l[i] = low
			}
		}
	}
	return g.spent(r.l) <= sure
}

// whole is Σ ln(1 + λ_i p_i), rounded up.
func (g *regions) whole(p []float64) float64 {
	var sum bound
	for i, x := range p {
		sum = sum.plus(point(g.gains[i]).times(point(x)).log1p())
	}
	return sum.hi
}

// include keeps the largest limit; NaN is as good as none.
func (g *regions) include(v float64) {
	if !(v <= g.limit) {
		g.limit = v
	}
}

// fathom leaves a region with what is proven of it.
func (g *regions) fathom(r *region) {
	v := g.whole(r.u)
	if r.proof != nil {
		if w := g.certified(r.proof); w < v {
			v = w
		}
	}
	g.include(v)
}

// search looks at regions p ≤ u. What it found is best, bestAt and limit.
func (g *regions) search(u []float64) error {
	g.limit, g.share = 0, closest
	first := &region{l: make([]float64, len(u)), u: append([]float64(nil), u...)}
	h := &byBound{}
	if err := g.enter(h, first, math.Inf(1), nil); err != nil {
		return err
	}
	looked := 1
	most := min(mostRegions, entriesLooked/(len(u)*len(u)))
	for h.Len() > 0 && looked < most && (*h)[0].bound > g.target() {
		if looked > lookedClosely {
			g.share = closeRegions
		}
		parallel.Report(g.ctx, int64(looked), 0, "regions, %.2g %% apart", 100*((*h)[0].bound/g.best-1))
		r := heap.Pop(h).(*region)
		i, x := g.halving(r)
		for side := range 2 {
			if err := g.ctx.Err(); err != nil {
				return err
			}
			part := &region{l: append([]float64(nil), r.l...), u: append([]float64(nil), r.u...), weights: r.weights}
			if side == 0 {
				part.u[i] = x
			} else {
				part.l[i] = x
			}
			looked++
			if err := g.enter(h, part, r.bound, r.proof); err != nil {
				return err
			}
		}
	}
	for _, r := range *h {
		g.fathom(r)
	}
	return nil
}

// enter bounds a region and keeps it where that is more than the target.
func (g *regions) enter(h *byBound, r *region, bound float64, proof *planesProof) error {
	if !g.tighten(r) {
		return nil
	}
	if err := g.enclose(r); err != nil {
		return err
	}
	if !(r.bound < bound) && proof != nil { // that of the whole is as good
		r.bound, r.proof = bound, proof
	}
	if r.bound <= g.target() {
		g.fathom(r)
		return nil
	}
	heap.Push(h, r)
	return nil
}

// halving returns where to divide a region: the coordinate in which its planes lose most, near
// where its bound is.
func (g *regions) halving(r *region) (int, float64) {
	i := r.split
	lo, hi := math.Log1p(g.gains[i]*r.l[i]), math.Log1p(g.gains[i]*r.u[i])
	z := math.Log1p(g.gains[i] * r.at[i])
	z = math.Min(math.Max(z, lo+0.2*(hi-lo)), hi-0.2*(hi-lo))
	return i, math.Expm1(z) / g.gains[i]
}
