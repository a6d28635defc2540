package workload

import (
	"context"
	"math"

	"dpworkbench/evidence"
	"dpworkbench/internal/parallel"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/products"
	"dpworkbench/interval"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"
)

// SharpWidth is the relative width up to which the ends of a sensitivity count as equal.
const SharpWidth = 1e-9

// mostListed bounds the steps in all patterns of MinSeparation that Sensitivity lists.
const mostListed = 1 << 16

// Sensitivity encloses the largest distance by which one person moves Cx; the columns of C are the steps of the
// stream. It is sharp if the relative width is at most SharpWidth.
//
// The ends meet for Once. For Fixed they meet as a rule, and always if CᵀC has no negative entries. For MinSeparation
// they meet in three cases: there are few patterns; columns that can be in one pattern are orthogonal, as for a banded
// C; or CᵀC decreases with time and with distance, as for decreasing Toeplitz matrices. Otherwise the upper end sums
// the worst pattern of each step. Scalar contributions have the same bounds, except if the patterns are listed. Then a
// search over signs is exact up to about thirty steps in a pattern; beyond that the upper end is that of vectors.
//
// It returns an error wrapping evidence.ErrParameter unless C's entries are below 2¹⁰⁰ and its stream can have the
// pattern.
func Sensitivity(ctx context.Context, c *mat.Dense, p Participation) (value evidence.Certified, sharp bool, err error) {
	if c == nil || c.IsEmpty() {
		return value, false, parameter.Errorf("the strategy's matrix has no entries")
	}
	_, n := c.Dims()
	if err := p.Check(n); err != nil {
		return value, false, err
	}
	if !allBelow(c, largest) {
		return value, false, parameter.Errorf("the strategy's matrix has an entry that is not finite, or above 2¹⁰⁰")
	}
	lo, hi, err := newGram(c).moved(ctx, p)
	if err != nil {
		return value, false, err
	}
	lo, hi = max(0, interval.Down(math.Sqrt(max(0, lo)))), interval.Up(math.Sqrt(hi))
	method := "bounds on all patterns"
	if sharp = hi-lo <= SharpWidth*lo || hi <= 0x1p-300; sharp {
		method = "worst pattern"
	}
	from := evidence.From("sensitivity of a strategy, " + p.String())
	return evidence.Certified{Lo: lo, Hi: hi, Provenance: from.By(method)}, sharp, nil
}

// gram encloses X = CᵀC. Entry (i, j) of X is within error·norms_i·norms_j of that of x, and its absolute value is at
// most that of size.
type gram struct {
	c, x, size *mat.Dense
	norms      []float64 // norms of C's columns, rounded up
	error      float64
}

func newGram(c *mat.Dense) *gram {
	rows, n := c.Dims()
	g := &gram{c: c, norms: columnNorms(c), error: gamma(rows + 2)}
	g.x, g.size = mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	products.Add(g.x.RawMatrix(), 1, blas.Trans, c.RawMatrix(), c.RawMatrix())
	for i := range n {
		to := g.size.RawRowView(i)
		for j, v := range g.x.RawRowView(i) {
			both := interval.Up(g.norms[i] * g.norms[j])
			to[j] = min(above(both, 0), above(math.Abs(v)+interval.Up(g.error*both), 4*interval.Unit))
		}
	}
	return g
}

// worst returns bounds of the squared distance by which one pattern moves Cx, the maximum of Σ X_ij G_ij. The bounds
// may be wide if the maximum is below known.
func (g *gram) worst(p Participation, steps []int, known float64) (lo, hi float64) {
	if p.Scalar {
		return g.signed(steps, known)
	}
	return g.relaxed(steps, known)
}

// moved returns bounds of the squared sensitivity.
//
// Contributions x_i of norm at most 1 in the steps i of a pattern move Cx by ‖Σ c_i x_iᵀ‖_F, c_i being C's columns.
// The square is Σ X_ij G_ij, where G_ij = ⟨x_i, x_j⟩. So it is at most Σ|X_ij|, which equal contributions attain if X
// ≥ 0.
func (g *gram) moved(ctx context.Context, p Participation) (lo, hi float64, err error) {
	_, n := g.c.Dims()
	var patterns [][]int
	if p.once() || p.Kind == Fixed {
		patterns = p.fixedPatterns(n)
	} else {
		listed, all := p.separatedPatterns(n, mostListed)
		if !all {
			return g.separated(ctx, p)
		}
		patterns = listed
	}
	los, his := make([]float64, len(patterns)), make([]float64, len(patterns))
	err = parallel.Each(ctx, len(patterns), func(i int) error {
		los[i] = g.attained(patterns[i], nil, 1)
		his[i] = g.absolute(patterns[i])
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	for _, v := range los {
		lo = max(lo, v)
	}
	// Only patterns that could be worse than the worst so far need more than Σ|X_ij|.
	for i, steps := range patterns {
		if his[i] > lo*(1+SharpWidth) {
			if err := ctx.Err(); err != nil {
				return 0, 0, err
			}
			l, h := g.worst(p, steps, lo)
			lo, his[i] = max(lo, l), min(his[i], h)
		}
		hi = max(hi, his[i])
	}
	return lo, hi, nil
}

// absolute returns an upper bound of Σ|X_ij| over a pattern.
func (g *gram) absolute(steps []int) (s float64) {
	for _, i := range steps {
		row := g.size.RawRowView(i)
		for _, j := range steps {
			s += row[j]
		}
	}
	return above(s, gamma(len(steps)*len(steps)))
}

// attained returns a lower bound of the squared distance ‖Σ c_i v_iᵀ‖²_F. The v_i are the rows of v, of length k,
// scaled to norms of at most 1. If v is nil, all v_i are 1.
func (g *gram) attained(steps []int, v []float64, k int) float64 {
	rows, _ := g.c.Dims()
	longest, allNorms := 1.0, make([]float64, len(steps))
	for i, s := range steps {
		if v != nil {
			longest = max(longest, normAbove(v[i*k:(i+1)*k]))
		}
		allNorms[i] = g.norms[s]
	}
	sums := make([]float64, k)
	norms := make([]float64, rows)
	for r := range norms {
		clear(sums)
		row := g.c.RawRowView(r)
		for i, s := range steps {
			for l := range sums {
				if v == nil {
					sums[l] += row[s]
				} else {
					sums[l] += float64(row[s] * v[i*k+l])
				}
			}
		}
		norms[r] = normAbove(sums)
	}
	// The computed norm has a relative error of at most γ of the number of sums. Each sum has an error of at most γ of
	// the number of steps, times the norms of its terms.
	total := normAbove(norms)
	off := above(gamma(2*len(steps)+2)*normAbove(allNorms)*math.Sqrt(float64(len(steps)))*longest, 8*interval.Unit)
	total = max(0, total*(1-2*gamma(2*rows+2*k+24))-off-0x1p-340) / longest
	return max(0, interval.Down(total*total*(1-16*interval.Unit)))
}

// separated returns bounds for MinSeparation with too many patterns to list. A pattern moves Cx by at most the root of
// Σ r_i over its steps i, where r_i is the maximum of Σ_j|X_ij| over patterns with step i. Dynamic programming finds
// r_i and the largest such sum. The upper bound is the smaller of this one and that of earliest.
func (g *gram) separated(ctx context.Context, p Participation) (lo, hi float64, err error) {
	_, n := g.c.Dims()
	weights := make([]float64, n)
	err = parallel.Each(ctx, n, func(i int) error {
		row := g.size.RawRowView(i)
		others, _ := p.heaviest(row, 1, i)
		weights[i] = interval.Up(row[i] + others)
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	hi, steps := p.heaviest(weights, 0, -1)
	hi = min(hi, g.earliest(p))
	starts := [][]int{steps}
	fixed := p
	fixed.Kind = Fixed
	starts = append(starts, fixed.fixedPatterns(n)...)
	for _, steps := range starts {
		if err := ctx.Err(); err != nil {
			return 0, 0, err
		}
		lo = max(lo, g.climb(p, steps))
	}
	return lo, hi, nil
}

// earliest returns an upper bound of the squared sensitivity for MinSeparation. The earliest pattern 0, b, 2b, …
// attains the bound if |X_ij|, i ≤ j, decreases with the distance j − i and with j, as for nonnegative decreasing
// Toeplitz matrices (Kalinin and Lampert, arXiv:2405.13763). In any pattern, step number l is at lb or later, and step
// number m < l is at least (l − m)b before it. So each term is at most the largest |X_ij| at distances and steps that
// are no smaller.
func (g *gram) earliest(p Participation) float64 {
	_, n := g.c.Dims()
	count := min(p.Epochs, (n-1)/p.Separation+1)
	most := make([]float64, n+1) // most[j] is the largest size from step j on, at this or a larger distance
	var sum float64
	for distance := n - 1; distance >= 0; distance-- {
		for j := n - 1; j >= distance; j-- {
			most[j] = max(most[j], most[j+1], g.size.At(j-distance, j))
		}
		if distance%p.Separation > 0 {
			continue
		}
		for l := distance / p.Separation; l < count; l++ {
			sum += most[l*p.Separation]
			if distance > 0 {
				sum += most[l*p.Separation]
			}
		}
	}
	return above(sum, gamma(2*count*count))
}

// climb returns the squared distance by which a locally best pattern moves Cx, found from the given steps. The square
// is convex in the contributions, so the pattern and signs that maximise its linear approximation move Cx at least as
// far.
func (g *gram) climb(p Participation, steps []int) float64 {
	_, n := g.c.Dims()
	u := make([]float64, len(steps))
	for i := range u {
		u[i] = 1
	}
	best := g.attained(steps, u, 1)
	slope, weights := make([]float64, n), make([]float64, n)
	for range 20 {
		for i := range n {
			slope[i] = 0
			row := g.x.RawRowView(i)
			for k, s := range steps {
				slope[i] += row[s] * u[k]
			}
			weights[i] = math.Abs(slope[i])
		}
		_, next := p.heaviest(weights, 0, -1)
		signs := make([]float64, len(next))
		for k, s := range next {
			signs[k] = math.Copysign(1, slope[s])
		}
		v := g.attained(next, signs, 1)
		if !(v > best*(1+1e-12)) {
			break
		}
		best, steps, u = v, next, signs
	}
	return best
}
