package mvg

import (
	"cmp"
	"context"
	"math"
	"slices"

	"dpworkbench/internal/parallel"
	"dpworkbench/interval"
)

// A shared problem is: maximise Σ ln(1 + λ_i p_i) over p ≥ 0 with a(p)·c(p) ≤ 1, where a and c are maxima of linear
// forms. It arises for information under a box sensitivity with Ψ = Σ, where a is vᵀPv over the vertices and c the
// largest P_jj.
//
// For a fixed share s > 0, the problem with a(p) ≤ 1/s and c(p) ≤ s is concave. It remains to find the best share.
// Multipliers y of rows of a and z of rows of c, with prices x_i = Σ y a_i + Σ z c_i, bound all shares at once:
//
//	Σ ln(1 + λ_i p_i) ≤ Σ max_p (ln(1 + λ_i p) − x_i p) + Σy/s + s·Σz.
//
// The bound is convex in s, so on an interval of shares it is at most the larger of its ends. The multipliers of
// the optimum at one share attain it there. So the optima at finitely many shares (knots), and the bounds of
// neighboring knots between them, enclose the optimum to any accuracy.
type shared struct {
	ctx context.Context
	// solve returns the optimum at a share and its bound, without the rows of a if dropA, or those of c if dropC.
	solve func(s float64, dropA, dropC bool) (*knot, error)
}

// A knot is the optimum at a share.
type knot struct {
	share        float64
	p            []float64 // precisions scaled to the constraint of the whole problem
	value        float64   // of p
	surplus      float64   // Σ max_p (ln(1 + λ_i p) − x_i p)
	paidA, paidC float64   // Σy, Σz
	prove        func() (proof, error)
	proven       *proof // computed at the first call
}

// A proof is a knot's bound in interval arithmetic.
type proof struct{ surplus, y, z interval.Interval }

// at returns the bound at a share in float64.
func (k *knot) at(s float64) float64 {
	v := k.surplus
	if k.paidA > 0 {
		v += k.paidA / s
	}
	if k.paidC > 0 {
		v += k.paidC * s
	}
	return v
}

// limit returns the bound at a share, in interval arithmetic.
func (k *knot) limit(s float64) (interval.Interval, error) {
	if k.proven == nil {
		p, err := k.prove()
		if err != nil {
			return interval.Interval{}, err
		}
		k.proven = &p
	}
	share := interval.Float(s)
	return k.proven.surplus.Add(k.proven.y.Quo(share)).Add(k.proven.z.Mul(share)), nil
}

// meeting returns the share between two knots at which their bounds are approximately equal.
func meeting(a, b *knot) float64 {
	lo, hi := a.share, b.share
	for range 50 {
		if mid := math.Sqrt(lo) * math.Sqrt(hi); a.at(mid) < b.at(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return math.Sqrt(lo) * math.Sqrt(hi)
}

// Stop when the relative gap is below closeShares or after mostShares.
const (
	closeShares = 1e-9
	mostShares  = 400
)

// best returns the best precisions found and a bound on all.
func (g *shared) best() (p []float64, limit interval.Interval, err error) {
	best := &knot{value: math.Inf(-1)}
	look := func(s float64, dropA, dropC bool) (*knot, error) {
		k, err := g.solve(s, dropA, dropC)
		if err == nil && k.value > best.value {
			best = k
		}
		return k, err
	}
	first, err := look(1, false, false)
	if err != nil {
		return nil, limit, err
	}
	knots := []*knot{first}
	// Smaller shares are bounded by c alone, larger ones by a alone.
	end := func(factor float64, dropA bool) (*knot, error) {
		for s := 1.0; ; {
			k, err := look(s, dropA, !dropA)
			if err != nil {
				return nil, err
			}
			if k.at(s) <= best.value*(1+closeShares) {
				return k, nil
			}
			if s *= factor; !(s > 1e-300 && s < 1e300) {
				return nil, errScale
			}
			if k, err = look(s, false, false); err != nil {
				return nil, err
			}
			knots = append(knots, k)
		}
	}
	below, err := end(0.5, true)
	if err != nil {
		return nil, limit, err
	}
	above, err := end(2, false)
	if err != nil {
		return nil, limit, err
	}
	slices.SortFunc(knots, func(a, b *knot) int { return cmp.Compare(a.share, b.share) })
	for range mostShares {
		at, top := -1, best.value*(1+closeShares)
		for i := range len(knots) - 1 {
			a, b := knots[i], knots[i+1]
			if v := a.at(meeting(a, b)); v > top && b.share > a.share*(1+1e-12) {
				at, top = i, v
			}
		}
		if at < 0 {
			break
		}
		parallel.Report(g.ctx, 0, 0, "shares, %.0g apart", top/best.value-1)
		// Keep away from the knots, so that intervals shrink.
		a, b := knots[at], knots[at+1]
		tenth := math.Pow(b.share/a.share, 0.1)
		k, err := look(math.Min(math.Max(meeting(a, b), a.share*tenth), b.share/tenth), false, false)
		if err != nil {
			return nil, limit, err
		}
		knots = slices.Insert(knots, at+1, k)
	}
	limit, err = certifiedShares(below, above, knots)
	return best.p, limit, err
}

// certifiedShares returns the largest bound over all shares. It uses the bound of below up to the share of below, and
// the bound of above from the share of above on. Between neighboring knots it uses the bound of either knot on that
// knot's side of the crossing.
func certifiedShares(below, above *knot, knots []*knot) (interval.Interval, error) {
	type place struct {
		*knot
		at float64
	}
	places := []place{{below, below.share}, {above, above.share}}
	for i, k := range knots {
		places = append(places, place{k, k.share})
		if i > 0 {
			x := meeting(knots[i-1], k)
			places = append(places, place{knots[i-1], x}, place{k, x})
		}
	}
	top := interval.Int(0)
	for _, p := range places {
		v, err := p.limit(p.at)
		if err != nil {
			return interval.Interval{}, err
		}
		top = interval.Max(top, v.Upper())
	}
	return top, nil
}
