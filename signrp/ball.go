package signrp

import (
	"context"
	"fmt"
	"math"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// Ball returns an enclosure of the privacy of r between u and the vectors of [−1, 1]^p within ℓ1 distance β of u. The
// lower end is the privacy of the worst β-neighbor, which is one of these vectors. The upper end takes each sign
// separately to its extreme over the ball.
//
// For an iDP release ε is infinite if some vector of the ball has another set A. This is decided exactly, because |Wᵀ_j
// v| takes every value between its extremes over the ball. Otherwise A, and with it the noise, is constant over the
// ball. With N₊(‖u‖) shared by data, the upper end is the largest loss at any N₊ for norms in ‖u‖ ± β. Errors are those
// of Neighbors.
func (r *Release) Ball(u []float64) privacy.Profile {
	b := &ballAccountant{threatModel: &threatModel{r: r, source: r.name + ", " + readingBall, caveat: r.caveat(), many: true}, near: r.Neighbors(u)}
	b.move, b.pure, b.at = b.farthest, b.smallest, b.profile
	b.method = "the worst β-neighbor below; every sign by itself above"
	return b
}

// ballAccountant is the privacy profile over an ℓ1 ball.
type ballAccountant struct {
	*threatModel
	near *Neighbors

	guard sync.Mutex
	found evidence.Number // ε at δ = 0 for signs, nil until computed
}

// farthest encloses the largest ‖x(u) − x(v)‖ over the ball. The length is convex, so a corner of the ball attains the
// maximum. That corner is a neighbor of u unless it lies outside the domain. No move of ℓ1 length β changes x by more
// than the sensitivity.
func (b *ballAccountant) farthest(ctx context.Context) (interval.Interval, error) {
	m, err := b.near.longest(ctx)
	if err != nil || b.r.beta <= 1 { // then u plus β or u minus β stays inside [−1, 1] in every coordinate
		return m.distance, err
	}
	return interval.Hull(m.distance, evidence.Enclosure(b.r.sensitivity)), nil
}

// profile is δ(ε) for signs.
func (b *ballAccountant) profile(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	pure, err := b.smallest(ctx)
	if err != nil {
		return nil, err
	}
	if covers(eps, pure) {
		return evidence.Exact{Value: zeroRat(), Side: evidence.Up, Provenance: evidence.From(b.source)}, nil
	}
	inner, err := b.near.Delta(ctx, eps)
	if err != nil {
		return nil, err
	}
	out := privacy.PureDelta(pure, eps, b.source)
	out.Method = "the worst β-neighbor below, " + out.Method
	if b.r.rule == noisySigns {
		m, err := b.farthest(ctx)
		if err != nil {
			return nil, err
		}
		out.Hi = min(out.Hi, gaussian.DeltaAt(eps, b.r.ratio(m)).Hi)
		out.Method += ", and post-processing"
	}
	lo, _ := inner.Bounds()
	out.Lo = min(lo, out.Hi)
	return out, nil
}

// smallest is ε at δ = 0 for signs.
func (b *ballAccountant) smallest(ctx context.Context) (evidence.Number, error) {
	b.guard.Lock()
	defer b.guard.Unlock()
	var err error
	if b.found == nil {
		b.found, err = b.enclose(ctx)
	}
	return b.found, err
}

func (b *ballAccountant) enclose(ctx context.Context) (evidence.Number, error) {
	r, u := b.r, b.near.u
	inner, err := b.near.Epsilon(ctx, evidence.Delta{})
	if err != nil {
		return nil, err
	}
	out := evidence.Certified{Side: evidence.Up, Provenance: evidence.From(b.source).By(b.method)}
	if out.Lo, _ = inner.Bounds(); math.IsInf(out.Lo, 1) {
		out.Hi = out.Lo
		return out, nil
	}
	at, err := r.w.at(ctx, u, r.beta)
	if err != nil {
		return nil, err
	}
	lowest, highest, err := at.ball(ctx, r.beta)
	if err != nil {
		return nil, err
	}
	own, err := r.law(ctx, at, norm(u))
	if err != nil {
		return nil, err
	}
	if own.fixed != nil && r.otherA(at, lowest, highest) {
		out.Lo, out.Hi = math.Inf(1), math.Inf(1)
		out.Method = "a vector of the ball has another A: a sign that one law fixes and the other draws"
		return out, nil
	}
	if r.shared() {
		flips := 0
		for j, level := range own.level {
			if sign(lowest, j) != level || sign(highest, j) != level {
				flips++
			}
		}
		length := norm(u)
		most, fewest := math.Max(0, length-r.beta)*(1-1e-12), math.Min(length+r.beta, math.Sqrt(float64(r.p)))*(1+1e-12)
		v, least, largest := r.lossAtShares(own, flips, most, fewest)
		_, out.Hi = v.Bounds()
		out.Method = fmt.Sprintf("the worst β-neighbor below; every sign that can flip flips, at the worst N₊ between %d and %d, above", least, largest)
		return out, nil
	}
	most := 0.0
	for j := range own.level {
		worst := 0.0
		for _, d := range []*extremes{lowest, highest} {
			worst = math.Max(worst, r.apart(own, d, j))
		}
		most += worst
	}
	out.Hi = most * (1 + float64(r.w.k+4)*ulp)
	return out, nil
}

// otherA reports whether a vector of the ball has another A than its centre.
func (r *Release) otherA(at *point, lowest, highest *extremes) bool {
	for j, largest := range r.w.largests() {
		// Sign j is in A if |d_j| ≤ β·largest, so the values of d_j in A form an interval. If j is in A, some vector
		// leaves the interval only if an extreme of d_j does. If not, an extreme must enter it, because no move is
		// longer than half the interval.
		inside := within(at, j, r.beta, largest)
		low, high := within(lowest, j, r.beta, largest), within(highest, j, r.beta, largest)
		if inside && !(low && high) || !inside && (low || high) {
			return true
		}
	}
	return false
}

// apart returns an upper bound on the loss of sign j between u's own law and the law at d.
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

// lossAtShares encloses from above the loss between own, which is randomised response at its vector's N₊, and the
// law at other vectors. These have a norm between shortest and longest, and at most flips of their signs differ. It
// also returns the range of their N₊.
func (r *Release) lossAtShares(own *law, flips int, shortest, longest float64) (worst interval.Interval, least, most int) {
	most, least = r.sharedBy(shortest), r.sharedBy(longest)
	counts := countedPairs{{1, 1}: len(own.level) - flips, {1, -1}: flips}
	for n := least; n <= most; n++ {
		other := r.perSign(n)
		v := interval.Max(enclosedLoss(counts, own.eps, other), enclosedLoss(counts, other, own.eps))
		if n > least {
			v = interval.Max(v, worst)
		}
		worst = v
	}
	return worst, least, most
}
