package signrp

import (
	"context"
	"math"

	"dpworkbench/evidence"
)

// canLeave reports whether some data vector has a sign outside of A.
func (r *Release) canLeave(ctx context.Context) (bool, error) {
	sums := make([]float64, r.w.k)
	if err := r.w.eachRow(ctx, func(_ int, row []float64) {
		for j, v := range row {
			sums[j] += math.Abs(v)
		}
	}); err != nil {
		return false, err
	}
	for j, largest := range r.w.largests() {
		threshold := r.beta * largest
		if math.Abs(sums[j]-threshold) > float64(r.w.p+6)*ulp*(sums[j]+threshold) {
			if sums[j] > threshold {
				return true, nil
			}
			continue
		}
		u, err := r.farthest(ctx, j)
		if err != nil {
			return false, err
		}
		at, err := r.w.at(ctx, u, r.beta)
		if err != nil {
			return false, err
		}
		if !within(at, j, r.beta, largest) {
			return true, nil
		}
	}
	return false, nil
}

// farthest returns the vector with the largest d_j: the signs of column j.
func (r *Release) farthest(ctx context.Context, j int) ([]float64, error) {
	u := make([]float64, r.p)
	err := r.w.eachRow(ctx, func(i int, row []float64) { u[i] = math.Copysign(1, row[j]) })
	return u, err
}

// worstCorner encloses the public ε at δ = 0 of signs of noisy numbers whose noise does not depend on the data:
// DP-SignRP-G, and iDP-SignRP-G if A always holds every sign.
//
// For a move of one coordinate by a given step, the loss is convex in u. Indeed ln Φ(z+d) − ln Φ(z) is convex, because
// φ/Φ is (Sampford 1953), and a sign's loss is the maximum of two of these. So the maximum is at a corner of the cube
// and the longest step, as in Neighbors. If at most twelve coordinates reach a sign, all corners are enumerated.
// Otherwise the upper end sums over signs the loss of each at its own worst corner. The lower end is the largest loss
// that all signs have together at one of those corners.
func (r *Release) worstCorner(ctx context.Context, sigma float64, source string) (evidence.Number, error) {
	const most = 12
	var live []int
	sums := make([]float64, r.w.k)
	if err := r.w.eachRow(ctx, func(i int, row []float64) {
		reaches := false
		for j, v := range row {
			sums[j] += math.Abs(v)
			reaches = reaches || v != 0
		}
		if reaches {
			live = append(live, i)
		}
	}); err != nil {
		return nil, err
	}
	step := math.Min(r.beta, 2)
	lo, hi := 0.0, 0.0
	visit := func(u []float64, i int) error { // coordinate i moves inwards from its end u_i
		v := append([]float64(nil), u...)
		v[i] = u[i] - math.Copysign(step, u[i])
		pair, err := r.Pair(u, v).Epsilon(ctx, evidence.Delta{})
		if err != nil {
			return err
		}
		below, above := pair.Bounds()
		lo, hi = math.Max(lo, below), math.Max(hi, above)
		return nil
	}
	out := evidence.Certified{Side: evidence.Up, Provenance: evidence.From(source)}
	unit := r.w.scale() * sigma
	if len(live) <= most {
		u := make([]float64, r.p)
		for corner := range 1 << len(live) {
			for n, i := range live {
				if corner>>n&1 == 1 {
					u[i] = 1
				} else {
					u[i] = -1
				}
			}
			for _, i := range live {
				if err := visit(u, i); err != nil {
					return nil, err
				}
			}
		}
		// v has an error of an ulp of 1, which changes a sign's loss by at most (|z| + 1) times that.
		for j, largest := range r.w.largests() {
			if unit > 0 {
				hi += (sums[j]/unit + 2) * 4 * ulp * largest / unit
			}
		}
		out.Lo, out.Hi, out.Method = lo, hi, "all corners of the cube, float64 with its error bound"
		return out, nil
	}
	for j := range r.w.k {
		u, err := r.farthest(ctx, j)
		if err != nil {
			return nil, err
		}
		if err := visit(u, live[0]); err != nil {
			return nil, err
		}
	}
	if err := r.w.eachRow(ctx, func(_ int, row []float64) {
		sum := 0.0
		for j, v := range row {
			if v == 0 {
				continue
			}
			z := -sums[j] / unit
			f, _, e := normalBitLoss(logsAt(z+step*math.Abs(v)/unit, 8*ulp*math.Abs(z)), logsAt(z, 4*float64(r.p)*ulp*math.Abs(z)))
			sum += f + e
		}
		hi = math.Max(hi, sum*(1+float64(r.w.k+2)*ulp))
	}); err != nil {
		return nil, err
	}
	out.Lo, out.Hi, out.Method = lo, math.Max(lo, hi), "corners of the cube below, every sign by itself at its worst corner above"
	return out, nil
}
