package signrp

import (
	"cmp"
	"math"
	"math/big"
	"slices"
)

// reached is Wᵀu where every d_j is by itself as high, or as low, as the vectors
// of [−1, 1]^p within ℓ1 distance β of u take it: the coordinates with the largest
// |W_ij| go first, each as far as it has room. Each end is reached by some vector,
// not all of them by one.
type reached struct {
	*point
	beta float64
	up   bool
	by   []float64 // |change of d_j|, rounded
	err  []float64 // bounds on its error
}

// ball returns the lower and the upper ends.
func (p *point) ball(beta float64) (lower, upper *reached) {
	make := func(up bool) *reached {
		r := &reached{point: p, beta: beta, up: up, by: make([]float64, p.w.k), err: make([]float64, p.w.k)}
		for j, largest := range p.w.largests() {
			steps := 0
			r.spend(j, func(m, w float64) {
				r.by[j] += m * w
				steps++
			}, func(left, m float64) float64 { return left - m })
			r.err[j] = float64(4*steps+4) * ulp * math.Min(beta, 2*float64(p.w.p)) * largest
		}
		return r
	}
	return make(false), make(true)
}

// room returns how far coordinate i can go in the direction that moves d_j the
// right way, given its entry of W.
func (r *reached) room(i int, w float64) move {
	up, down := moves(r.u[i], r.beta)
	if (w > 0) == r.up {
		return up
	}
	return move{-down.hi, -down.lo}
}

// spend calls step with each move and |W_ij| in turn until β is spent.
func (r *reached) spend(j int, step func(m, w float64), rest func(left, m float64) float64) {
	left := r.beta
	for _, e := range r.entries(j) {
		m := math.Min(r.room(e.i, e.w).hi, left)
		if m <= 0 {
			continue
		}
		step(m, math.Abs(e.w))
		if left = rest(left, m); left <= 0 {
			return
		}
	}
}

type entry struct {
	i int
	w float64
}

// entries returns the entries of column j that are not zero, the largest first.
func (r *reached) entries(j int) []entry {
	w := r.point.w
	out := make([]entry, 0, min(w.p, 64))
	for b := 0; w.kind != OPORP && b*blockRows < w.p; b++ {
		rows := w.block(b)
		for i := 0; i*w.k < len(rows); i++ {
			if v := rows[i*w.k+j]; v != 0 {
				out = append(out, entry{b*blockRows + i, v})
			}
		}
	}
	for i, place := range w.place {
		if int(place>>1) == j {
			out = append(out, entry{i, float64(1 - 2*(place&1))})
		}
	}
	if w.kind != Rademacher && w.kind != OPORP {
		slices.SortStableFunc(out, func(a, b entry) int { return cmp.Compare(math.Abs(b.w), math.Abs(a.w)) })
	}
	return out
}

func (r *reached) near(j int) (v, bound float64) {
	v, bound = r.point.near(j)
	by := r.by[j]
	if !r.up {
		by = -by
	}
	v += by
	return v, bound + r.err[j] + 2*ulp*math.Abs(v) + tiny
}

func (r *reached) exact(j int) *big.Float {
	sum := new(big.Float).SetPrec(exactBits).Set(r.point.exact(j))
	left := new(big.Float).SetPrec(exactBits).SetFloat64(r.beta)
	for _, e := range r.entries(j) {
		m := r.room(e.i, e.w)
		by := new(big.Float).SetPrec(exactBits).SetFloat64(m.hi)
		by.Add(by, big.NewFloat(m.lo))
		if by.Cmp(left) > 0 {
			by.Set(left)
		}
		left.Sub(left, by)
		w := math.Abs(e.w)
		if !r.up {
			w = -w
		}
		sum.Add(sum, by.Mul(by, big.NewFloat(w)))
		if left.Sign() <= 0 {
			break
		}
	}
	return sum
}
