package signrp

import (
	"context"
	"fmt"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// numbersNeighbor is NeighborEpsilon for released numbers: the longest move.
func (r *Release) numbersNeighbor(ctx context.Context, u []float64, source string) (Worst, error) {
	var (
		worst   = -1
		length  = 0.0 // of the longest, times a power of two that keeps any β in range
		by      move
		rowNorm = 1.0
	)
	visit := func(i int, norm float64) { // a longest move is as long as min(β, 1), and known to 3 ulp
		longest, down := moves(u[i], r.beta)
		if -down.hi > longest.hi {
			longest = down
		}
		if l := math.Ldexp(math.Abs(longest.hi), 500) * norm; l > length {
			worst, length, by, rowNorm = i, l, longest, norm
		}
	}
	switch {
	case r.w == nil || r.w.kind == OPORP || r.w.kind == Rademacher:
		for i := range u {
			visit(i, 1)
		}
	default:
		for b := 0; b*blockRows < r.p; b++ {
			if err := ctx.Err(); err != nil {
				return Worst{}, err
			}
			rows := r.w.block(b)
			for i := 0; len(rows) > 0; i, rows = i+1, rows[r.w.k:] {
				sum := 0.0
				for _, v := range rows[:r.w.k] {
					sum += float64(v * v)
				}
				visit(b*blockRows+i, math.Sqrt(sum))
			}
		}
	}
	if worst < 0 {
		return Worst{Epsilon: evidence.Exact{Value: zeroRat(), Source: source}, Coordinate: -1}, nil
	}
	to := by.after(u[worst], r.beta)
	size := new(big.Rat).Sub(to, exactDecimal(u[worst]))
	distance := interval.Rat(size.Abs(size))
	if r.w != nil {
		distance = distance.Mul(r.w.rowNorm(rowNorm))
	}
	// Another may be longer by the roundings of the comparison.
	slack := interval.Float(1 + float64(r.K()+16)*ulp)
	eps, err := r.numbersEpsilon(interval.Hull(distance, distance.Mul(slack)), source)
	return Worst{Epsilon: eps, Coordinate: worst, To: short(to, u[worst])}, err
}

// BallEpsilon encloses the largest PairEpsilon between u and the vectors of
// [−1, 1]^p within ℓ1 distance β of it: from the worst β-neighbor below, which is
// one of them; above, every sign by itself as far as the ball takes it.
//
// For an iDP release it is infinite as soon as some vector of the ball has another
// A, and that is decided exactly: |Wᵀ_j v| takes every value between its ends over
// the ball. Otherwise A, and with it the noise, is the same all over the ball. With
// N₊(‖u‖) shared by data the largest loss at any N₊ between those of norms ‖u‖ ± β
// bounds it.
//
// Errors as NeighborEpsilon.
func (r *Release) BallEpsilon(ctx context.Context, u []float64) (e evidence.Certified, err error) {
	defer func() { e = evidence.Warned(e, r.caveat()) }()
	inner, err := r.NeighborEpsilon(ctx, u)
	if err != nil {
		return evidence.Certified{}, err
	}
	source := r.name + ", reading (i), individual: W and u given, ℓ1 ball of radius β around u"
	out := evidence.Certified{Loss: true, Method: "the worst β-neighbor below; every sign by itself above", Source: source}
	out.Lo, _ = inner.Epsilon.Bounds()
	switch {
	case r.rule == numbers: // a convex function of the move is largest at a corner
		out.Hi = upper(inner.Epsilon)
		if r.beta > 1 { // the ball's corners may lie outside the domain, its edges inside
			eps, err := r.PublicEpsilon()
			if err != nil {
				return out, err
			}
			out.Hi = upper(eps)
		}
		return out, nil
	case math.IsInf(out.Lo, 1):
		out.Hi = out.Lo
		return out, nil
	}
	at, err := r.w.at(ctx, u, r.beta)
	if err != nil {
		return out, err
	}
	lowest, highest, err := at.ball(ctx, r.beta)
	if err != nil {
		return out, err
	}
	own, err := r.law(at, norm(u))
	if err != nil {
		return out, err
	}
	if own.fixed != nil && r.otherA(at, lowest, highest) {
		out.Lo, out.Hi = math.Inf(1), math.Inf(1)
		out.Method = "a vector of the ball has another A: a sign that one law fixes and the other draws"
		return out, nil
	}
	if r.DataDependent() && !r.Individual() {
		flips := 0
		for j, level := range own.level {
			if sign(lowest, j) != level || sign(highest, j) != level {
				flips++
			}
		}
		length := norm(u)
		most, fewest := math.Max(0, length-r.beta)*(1-1e-12), math.Min(length+r.beta, math.Sqrt(float64(r.p)))*(1+1e-12)
		v, least, largest, err := r.lossAtShares(own, flips, most, fewest)
		if err != nil {
			return out, err
		}
		_, out.Hi = v.Bounds()
		out.Method = fmt.Sprintf("the worst β-neighbor below; every sign that can flip flips, at the worst N₊ between %d and %d, above", least, largest)
		return out, nil
	}
	most := 0.0
	for j := range own.level {
		worst := 0.0
		for _, d := range []*reached{lowest, highest} {
			worst = math.Max(worst, r.apart(own, d, j))
		}
		most += worst
	}
	out.Hi = math.Max(out.Lo, most*(1+float64(r.w.k+4)*ulp))
	return out, nil
}

// otherA reports whether a vector of the ball has another A than its centre.
func (r *Release) otherA(at *point, lowest, highest *reached) bool {
	for j, largest := range r.w.largests() {
		// A is |d_j| ≤ β·largest: an interval, which the ends leave, or which lies
		// between them or at one of them.
		inside := within(at, j, r.beta, largest)
		low, high := within(lowest, j, r.beta, largest), within(highest, j, r.beta, largest)
		switch {
		case inside && !(low && high), !inside && (low || high):
			return true
		case !inside && sign(lowest, j) != sign(highest, j): // 0 lies between
			return true
		}
	}
	return false
}

// apart bounds the loss of sign j between u's law and the law at d.
func (r *Release) apart(own *law, d dotter, j int) float64 {
	if own.isFixed(j) {
		return 0
	}
	if own.normal {
		v, bound := d.near(j)
		unit := r.w.scale() * own.sigma
		f, g, e := normalBitLoss(own.logs(j), logsAt(v/unit, bound/unit*(1+4*ulp)+4*ulp*math.Abs(v/unit)))
		return math.Max(f, g) + e
	}
	other := 0
	if r.rule == smoothSigns {
		other = level(d, j, r.beta, r.w.largests()[j])
	} else {
		other = sign(d, j)
	}
	_, forward := bitLoss(levelPair{own.level[j], other}, own.eps, own.eps).Bounds()
	_, backward := bitLoss(levelPair{other, own.level[j]}, own.eps, own.eps).Bounds()
	return math.Max(forward, backward)
}

// lossAtShares encloses from above the loss between own, randomised response at
// N₊ of its vector, and the law at any vector with a norm between shortest and
// longest of which at most flips signs differ. It returns the N₊ between.
func (r *Release) lossAtShares(own *law, flips int, shortest, longest float64) (worst interval.Interval, least, most int, err error) {
	if most, err = r.sharedBy(shortest); err != nil {
		return worst, 0, 0, err
	}
	if least, err = r.sharedBy(longest); err != nil {
		return worst, 0, 0, err
	}
	counts := countedPairs{{1, 1}: len(own.level) - flips, {1, -1}: flips}
	for n := least; n <= most; n++ {
		other := r.perSign(n)
		v := interval.Max(enclosedLoss(counts, own.eps, other), enclosedLoss(counts, other, own.eps))
		if n > least {
			v = interval.Max(v, worst)
		}
		worst = v
	}
	return worst, least, most, nil
}
