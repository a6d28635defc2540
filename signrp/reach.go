package signrp

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"
)

// extremes holds Wᵀu with every d_j separately at its maximum, or at its minimum, over the vectors of [−1, 1]^p within
// ℓ1 distance β of u. The coordinates with the largest |W_ij| move first, each as far as it can. Each extreme is
// attained by some vector, but in general no vector attains all of them.
type extremes struct {
	*point
	beta float64
	up   bool
	by   []float64 // |change of d_j|, rounded
	err  []float64 // bounds on its error
}

// ball returns the minima and the maxima of all d_j over the ball of ℓ1 radius β. It polls ctx.
func (p *point) ball(ctx context.Context, beta float64) (lower, upper *extremes, err error) {
	k := p.w.k
	lower = &extremes{point: p, beta: beta, by: make([]float64, k), err: make([]float64, k)}
	upper = &extremes{point: p, beta: beta, up: true, by: make([]float64, k), err: make([]float64, k)}
	largest := p.w.largests()
	at := max(1, storeLimit/p.w.p) // columns at a time
	for first := 0; first < k; first += at {
		columns, err := p.w.columns(ctx, first, min(first+at, k))
		if err != nil {
			return nil, nil, err
		}
		for n, column := range columns {
			lower.spend(first+n, column, largest[first+n])
			upper.spend(first+n, column, largest[first+n])
		}
	}
	return lower, upper, nil
}

// spend sets by and err of column j. It distributes β to the coordinates of column, largest entry first.
func (r *extremes) spend(j int, column []entry, largest float64) {
	left, steps := r.beta, 0
	for _, e := range column {
		if left <= 0 {
			break
		}
		m := math.Min(r.room(e.i, e.w).hi, left)
		r.by[j] += float64(m * math.Abs(e.w))
		left -= m
		steps++
	}
	// Sums and remainders have rounding errors relative to β. A move to the end of a range also has the error of
	// reading the coordinate, at most an ulp of 1.
	r.err[j] = (float64(4*steps+6)*math.Min(r.beta, 2*float64(len(r.u))) + 2*float64(steps)) * ulp * largest
}

// room returns the largest move of coordinate i in the direction that moves d_j towards its extreme, where w = W_ij.
func (r *extremes) room(i int, w float64) move {
	up, down := moves(r.u[i], r.beta)
	if (w > 0) == r.up {
		return up
	}
	down.hi = -down.hi
	return down
}

// entry holds W_ij and its row i, for some column j.
type entry struct {
	i int
	w float64
}

// columns returns the nonzero entries of columns first to last − 1, the largest first. It polls ctx.
func (w *Projection) columns(ctx context.Context, first, last int) ([][]entry, error) {
	out := make([][]entry, last-first)
	if err := w.eachRow(ctx, func(i int, row []float64) {
		for n, v := range row[first:last] {
			if v != 0 {
				out[n] = append(out[n], entry{i, v})
			}
		}
	}); err != nil {
		return nil, err
	}
	if w.kind != Rademacher && w.kind != OPORP {
		for _, column := range out {
			slices.SortStableFunc(column, func(a, b entry) int { return cmp.Compare(math.Abs(b.w), math.Abs(a.w)) })
		}
	}
	return out, nil
}

func (r *extremes) near(j int) (v, bound float64) {
	v, bound = r.point.near(j)
	by := r.by[j]
	if !r.up {
		by = -by
	}
	v += by
	return v, bound + r.err[j] + 2*ulp*math.Abs(v) + tiny
}

func (r *extremes) exact(j int) *big.Float {
	sum := new(big.Float).SetPrec(exactBits).Set(r.point.exact(j))
	left := r.threshold(r.beta, 1, 1)
	columns, _ := r.w.columns(context.Background(), j, j+1)
	for _, e := range columns[0] {
		m := r.room(e.i, e.w)
		if (e.w > 0) != r.up {
			m.hi = -m.hi
		}
		by := r.point.room(e.i, m)
		if by.Cmp(left) > 0 {
			by.Set(left)
		}
		left.Sub(left, by)
		w := math.Abs(e.w)
		if !r.up {
			w = -w
		}
		addProduct(sum, by, w)
		if left.Sign() <= 0 {
			break
		}
	}
	return sum
}
