package signrp

import (
	"math"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// PublicEpsilon returns the privacy of r over all pairs of neighbors for the W
// at hand, which is differential privacy with public W: for signs the smallest ε
// with δ = 0, for numbers and DP-SignRP-G the smallest ε at the release's δ.
//
// For randomised response, with or without smoothing, it is
// ε'·max_i #{j : W_ij ≠ 0}: u = −t e_i and its neighbor t e_i, 2t ≤ β, differ in
// each of those signs, every sign costs ε' there, and no sign ever costs more
// (Theorem 4.6). So ε' = ε/k is the most that a Rademacher or Gaussian W allows,
// and 1/k of ε a sign is optimal. For DP-SignRP-G post-processing bounds it from
// above, the worst of those pairs from below. For the iDP releases it is
// infinite as soon as some sign can leave A, that is Σ_i |W_ij| > β max_i |W_ij|
// for some j, decided exactly: on the way there in steps by β some two neighbors
// have another A, so one of them has a sign that it never flips and the other
// does. Otherwise A holds every sign always, and the noise is the same for all
// data: see fixedNoise.
func (r *Release) PublicEpsilon() (evidence.Number, error) {
	if r.w != nil {
		if err := r.w.Prepare(r.context()); err != nil {
			return nil, err
		}
	}
	source := r.name + ", " + readingPublic
	switch {
	case r.rule == numbers:
		return r.numbersEpsilon(r.largestMove(), source)
	case r.rule == noisySigns:
		post, err := r.numbersEpsilon(r.largestMove(), source)
		if err != nil {
			return nil, err
		}
		u, v := r.centredPair()
		inner, err := r.PairEpsilonAt(r.delta, u, v)
		out := evidence.Certified{Lo: math.Min(inner.Lo, upper(post)), Hi: upper(post), Loss: true, Method: "a pair of neighbors below, post-processing above", Source: source}
		return out, err
	case r.Individual():
		leaves, err := r.canLeave()
		if err != nil {
			return nil, err
		}
		if leaves {
			return infinite(source), nil
		}
		if r.rule == individualRR {
			return exactMultiple(r.perSign(r.w.k), r.w.NonZero(), r.w.p, source), nil
		}
		return r.fixedNoise(source)
	case r.DataDependent():
		return r.sharedPublic(source)
	}
	n, err := r.sharedBy(0)
	return exactMultiple(r.perSign(n), r.w.NonZero(), r.w.p, source), err
}

// PublicDelta encloses the least δ with which r is (ε, δ)-private over all pairs
// of neighbors for the W at hand: for numbers the analytic Gaussian curve at
// the largest move; for signs a pair of neighbors from below and a theorem from
// above (post-processing, or 0 from PublicEpsilon on).
func (r *Release) PublicDelta(eps evidence.Epsilon) (evidence.Certified, error) {
	if r.w != nil {
		if err := r.w.Prepare(r.context()); err != nil {
			return evidence.Certified{}, err
		}
	}
	source := r.name + ", " + readingPublic
	if r.rule == numbers {
		out := gaussian.DeltaAt(eps, r.ratio(r.largestMove()))
		out.Source = source
		return out, nil
	}
	u, v := r.centredPair()
	d, err := r.PairDelta(eps, u, v)
	if err != nil {
		return evidence.Certified{}, err
	}
	out := evidence.Certified{Hi: 1, Loss: true, Method: "a pair of neighbors below", Source: source}
	out.Lo, _ = d.Bounds()
	switch {
	case r.rule == noisySigns:
		out.Hi = gaussian.DeltaAt(eps, r.ratio(r.largestMove())).Hi
		out.Method += ", post-processing above"
	case !r.DataDependent():
		// A pair that flips signs one by one dominates every other: each bit's
		// pair of laws is a garbling of (e^ε', 1) against (1, e^ε').
		_, out.Hi = d.Bounds()
		out.Method = "the pair −t e_i, t e_i, which dominates every other"
	}
	out.Hi = math.Max(out.Lo, out.Hi)
	return out, nil
}

// largestMove encloses max ‖x(u) − x(u')‖ over neighbors: no coordinate can move
// by more than 2.
func (r *Release) largestMove() interval.Interval {
	m := enclose(r.sensitivity)
	if r.beta > 2 {
		m = m.Mul(interval.Int(2)).Quo(readings(r.beta))
	}
	return m
}

// centredPair returns −t e_i and t e_i for the largest t and the row i with most
// entries that are not zero.
func (r *Release) centredPair() (u, v []float64) {
	best := r.w.measures().widest
	// Two ulps short of the half, lest their decimals are further apart than β.
	t := math.Nextafter(math.Nextafter(math.Min(r.beta, 2)/2, 0), 0)
	u, v = make([]float64, r.p), make([]float64, r.p)
	u[best], v[best] = -t, t
	return u, v
}

// canLeave reports whether some sign is outside A for some data.
func (r *Release) canLeave() (bool, error) {
	sums := make([]float64, r.w.k)
	if err := r.w.eachBlock(r.context(), func(_ int, rows []float64) {
		for ; len(rows) > 0; rows = rows[r.w.k:] {
			for j, v := range rows[:r.w.k] {
				sums[j] += math.Abs(v)
			}
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
		u, err := r.farthest(j)
		if err != nil {
			return false, err
		}
		at, err := r.w.at(r.context(), u, r.beta)
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
func (r *Release) farthest(j int) ([]float64, error) {
	u := make([]float64, r.p)
	err := r.w.eachBlock(r.context(), func(first int, rows []float64) {
		for i := 0; i*r.w.k < len(rows); i++ {
			u[first+i] = math.Copysign(1, rows[i*r.w.k+j])
		}
	})
	return u, err
}

// fixedNoise is PublicEpsilon of iDP-SignRP-G, δ = 0, where A holds every sign for
// all data. The loss over a move of coordinate i by a given step is convex in u:
// ln Φ(z+d) − ln Φ(z) is, as φ/Φ is convex (Sampford 1953), and a sign's loss is
// the largest of two of these. So corners of the cube are worst, and the longest
// step, as in NeighborEpsilon. Up to twelve coordinates that reach a sign all
// corners are visited. Beyond, every sign by itself at its own worst corner bounds
// it from above, and the corners that are those from below.
func (r *Release) fixedNoise(source string) (evidence.Number, error) {
	const most = 12
	var live []int
	sums := make([]float64, r.w.k)
	if err := r.w.eachBlock(r.context(), func(first int, rows []float64) {
		for i := first; len(rows) > 0; i, rows = i+1, rows[r.w.k:] {
			reaches := false
			for j, v := range rows[:r.w.k] {
				sums[j] += math.Abs(v)
				reaches = reaches || v != 0
			}
			if reaches {
				live = append(live, i)
			}
		}
	}); err != nil {
		return nil, err
	}
	step := math.Min(r.beta, 2)
	lo, hi := 0.0, 0.0
	visit := func(u []float64, i int) error { // coordinate i leaves the end where it is
		v := append([]float64(nil), u...)
		v[i] = u[i] - math.Copysign(step, u[i])
		pair, err := r.PairEpsilon(u, v)
		if err != nil {
			return err
		}
		below, above := pair.Bounds()
		lo, hi = math.Max(lo, below), math.Max(hi, above)
		return nil
	}
	out := evidence.Certified{Loss: true, Source: source}
	sigma, err := r.individualSigma(make([]bool, r.w.k), r.w.k)
	if err != nil {
		return nil, err
	}
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
		// v is off by an ulp of 1, which moves a sign's loss by |z| + 1 times that.
		for j, largest := range r.w.largests() {
			if unit > 0 {
				hi += (sums[j]/unit + 2) * 4 * ulp * largest / unit
			}
		}
		out.Lo, out.Hi, out.Method = lo, hi, "all corners of the cube, float64 with its error bound"
		return out, nil
	}
	for j := range r.w.k {
		u, err := r.farthest(j)
		if err != nil {
			return nil, err
		}
		if err := visit(u, live[0]); err != nil {
			return nil, err
		}
	}
	if err := r.w.eachBlock(r.context(), func(_ int, rows []float64) {
		for ; len(rows) > 0; rows = rows[r.w.k:] {
			sum := 0.0
			for j, v := range rows[:r.w.k] {
				if v == 0 {
					continue
				}
				z := -sums[j] / unit
				f, _, e := normalBitLoss(logsAt(z+step*math.Abs(v)/unit, 8*ulp*math.Abs(z)), logsAt(z, 4*float64(r.p)*ulp*math.Abs(z)))
				sum += f + e
			}
			hi = math.Max(hi, sum*(1+float64(r.w.k+2)*ulp))
		}
	}); err != nil {
		return nil, err
	}
	out.Lo, out.Hi, out.Method = lo, math.Max(lo, hi), "corners of the cube below, every sign by itself at its worst corner above"
	return out, nil
}

// sharedPublic bounds PublicEpsilon where N₊ depends on ‖u‖: the pair −t e_i,
// t e_i, of one norm, from below; every sign at the smallest N₊ from above.
func (r *Release) sharedPublic(source string) (evidence.Number, error) {
	t := math.Min(r.beta, 2) / 2
	most, err := r.sharedBy(t)
	if err != nil {
		return nil, err
	}
	least, err := r.sharedBy(math.Sqrt(float64(r.p)) * (1 + 1e-12))
	if err != nil {
		return nil, err
	}
	lo, _ := exactMultiple(r.perSign(most), r.w.NonZero(), 0, source).Bounds()
	// A sign costs at most the larger of the two ε'.
	hi := upper(exactMultiple(r.perSign(least), r.w.k, 0, source))
	return evidence.Certified{Lo: lo, Hi: hi, Loss: true, Method: "a pair of neighbors below, every sign at the smallest N₊ above", Source: source}, nil
}
