package signrp

import (
	"context"
	"math"
	"sync"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// Public returns the privacy of r over all pairs of neighbors for this W: differential privacy with public W.
//
// For randomised response, with or without smoothing, ε at δ = 0 is ε'·max_i #{j : W_ij ≠ 0}. For an i that attains the
// maximum, the vectors u = −t e_i and t e_i with 2t ≤ β differ in each of those signs. Each sign costs ε' there, and no
// sign ever costs more (Theorem 4.6). So ε' = ε/k is the largest that a Rademacher or Gaussian W allows, and an even
// split of ε is optimal. For DP-SignRP-G a corner of the cube is the worst: see worstCorner.
//
// For the iDP releases ε is infinite if some sign can leave A, that is Σ_i |W_ij| > β max_i |W_ij| for some j, which is
// decided exactly. On a path of steps of at most β out of A, some two neighbors have different A. One of them has a
// sign that is never flipped, while the other flips it. If no sign can leave A, A always holds every sign, and the
// noise is the same for all data.
//
// For numbers, δ and ε at δ > 0 are those of the analytic Gaussian curve at the largest move. For signs the lower bound
// comes from a pair of neighbors. The upper bound comes from post-processing or, for randomised response, from the
// theorem that this pair dominates every other.
func (r *Release) Public() privacy.Profile {
	p := &public{threatModel: &threatModel{r: r, source: r.name + ", " + readingPublic, many: true, statement: r.states(nil, nil)}}
	p.pure, p.at = p.smallest, p.profile
	p.move = func(context.Context) (interval.Interval, error) { return r.largestMove(), nil }
	if r.rule == noisySigns {
		p.inverse = p.postProcessed
	}
	return p
}

// public is the privacy profile with public W.
type public struct {
	*threatModel

	guard  sync.Mutex
	centre privacy.Profile // of the pair −t e_i, t e_i; nil until needed
}

// centred returns the curve of the pair −t e_i, t e_i.
func (p *public) centred(ctx context.Context) (privacy.Profile, error) {
	p.guard.Lock()
	defer p.guard.Unlock()
	if p.centre == nil {
		if err := p.r.w.prepare(ctx); err != nil {
			return nil, err
		}
		p.centre = p.r.Pair(p.r.centredPair())
	}
	return p.centre, nil
}

// smallest is ε at δ = 0 for signs.
func (p *public) smallest(ctx context.Context) (evidence.Number, error) {
	r := p.r
	if err := r.w.prepare(ctx); err != nil {
		return nil, err
	}
	switch {
	case r.rule == noisySigns:
		return r.worstCorner(ctx, r.sigma.Hi, p.source)
	case r.Individual():
		leaves, err := r.canLeave(ctx)
		if err != nil {
			return nil, err
		}
		if leaves {
			return infinite(p.source), nil
		}
		if r.rule == individualRR {
			return exactMultiple(r.perSign(r.w.k), r.w.nonZero(), r.w.p, p.source), nil
		}
		sigma, err := r.individualSigma(ctx, make([]bool, r.w.k), r.w.k)
		if err != nil {
			return nil, err
		}
		return r.worstCorner(ctx, sigma, p.source)
	case r.DataDependent():
		return r.sharedPublic(p.source), nil
	}
	return exactMultiple(r.perSign(r.sharedBy(0)), r.w.nonZero(), r.w.p, p.source), nil
}

// postProcessed encloses ε(δ), δ > 0, for signs of noisy numbers. By post-processing it is at most ε(δ) of the numbers.
func (p *public) postProcessed(ctx context.Context, delta evidence.Delta) (evidence.Number, error) {
	post, err := p.numbersEpsilon(p.r.largestMove(), delta)
	if err != nil {
		return nil, err
	}
	c, err := p.centred(ctx)
	if err != nil {
		return nil, err
	}
	inner, err := c.Epsilon(ctx, delta)
	if err != nil {
		return nil, err
	}
	lo, _ := inner.Bounds()
	return evidence.Certified{Lo: math.Min(lo, upper(post)), Hi: upper(post), Side: evidence.Up, Provenance: evidence.From(p.source).By("a pair of neighbors below, post-processing above")}, nil
}

// profile is δ(ε) for signs.
func (p *public) profile(ctx context.Context, eps evidence.Epsilon) (evidence.Number, error) {
	c, err := p.centred(ctx)
	if err != nil {
		return nil, err
	}
	d, err := c.Delta(ctx, eps)
	if err != nil {
		return nil, err
	}
	out := evidence.Certified{Hi: 1, Side: evidence.Up, Provenance: evidence.From(p.source).By("a pair of neighbors below")}
	out.Lo, _ = d.Bounds()
	switch {
	case p.r.rule == noisySigns:
		out.Hi = gaussian.DeltaAt(eps, p.r.ratio(p.r.largestMove())).Hi
		out.Method += ", post-processing above"
	case !p.r.DataDependent():
		// A pair that flips signs one by one dominates every other: each bit's pair of laws is a post-processing of
		// (e^ε', 1) against (1, e^ε').
		_, out.Hi = d.Bounds()
		out.Method = "the pair −t e_i, t e_i, which dominates every other"
	}
	return out, nil
}

// largestMove encloses max ‖x(u) − x(u')‖ over all pairs of neighbors. No coordinate can move by more than 2.
func (r *Release) largestMove() interval.Interval {
	m := evidence.Enclosure(r.sensitivity)
	if r.beta > 2 {
		m = m.Mul(interval.Int(2)).Quo(interval.Readings(r.beta))
	}
	return m
}

// centredPair returns −t e_i and t e_i for the row i of W with the most nonzero entries, and the largest t that is
// certainly allowed.
func (r *Release) centredPair() (u, v []float64) {
	best := r.w.measures().widest
	// t is an ulp below the half of min(β, 2). So the decimals of −t and t differ by at most β: the decimal of a
	// float64 has an error of at most half an ulp.
	t := math.Nextafter(math.Min(r.beta, 2)/2, 0)
	u, v = make([]float64, r.p), make([]float64, r.p)
	u[best], v[best] = -t, t
	return u, v
}

// sharedPublic bounds the public ε at δ = 0 if N₊ depends on ‖u‖. The lower end is the ε of the pair −t e_i, t e_i,
// whose vectors have equal norms. The upper end counts every sign at the smallest N₊.
func (r *Release) sharedPublic(source string) evidence.Number {
	most, least := r.sharedBy(math.Min(r.beta, 2)/2), r.sharedBy(math.Sqrt(float64(r.p))*(1+1e-12))
	lo, _ := exactMultiple(r.perSign(most), r.w.nonZero(), 0, source).Bounds()
	// A sign costs at most the larger of the two ε'.
	hi := upper(exactMultiple(r.perSign(least), r.w.k, 0, source))
	return evidence.Certified{Lo: lo, Hi: hi, Side: evidence.Up, Provenance: evidence.From(source).By("a pair of neighbors below, every sign at the smallest N₊ above")}
}
