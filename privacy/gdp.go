package privacy

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"slices"
	"sort"

	"dpworkbench/evidence"
	"dpworkbench/gaussian"
	"dpworkbench/interval"
)

// GDP encloses the least μ for which the trade-off function G_μ of two normal laws μ apart is at most the trade-off
// function of every two neighbors: Gaussian differential privacy (Dong, Roth and Su 2022).
//
// The trade-off function of finitely many losses is a polygon with corners at the events {loss ≥ l}, and G_μ is convex.
// G_μ is below the polygon if and only if it is below the corners. Hence μ is the largest Φ⁻¹(P(E)) − Φ⁻¹(Q(E)) over
// these events. It is infinite if an output is possible at only one of two neighbors. A composition needs at most √Σμ²
// (Corollary 2 of the same paper). The law of its loss, if computed, may give less.
func (a *Account) GDP(ctx context.Context) (n evidence.Number, err error) {
	defer a.cite(&n, &err)
	const source = "largest Φ⁻¹(P(E)) − Φ⁻¹(Q(E)) (Dong, Roth and Su 2022)"
	most, _, err := a.maxOverPairs(ctx, (*candidate).gdpBound, func(p *composition, _ float64) (evidence.RatOrInterval, error) {
		mu, err := p.gdp(ctx)
		return evidence.RatOrInterval{Enclosure: mu}, err
	})
	if err != nil {
		return nil, err
	}
	n, err = a.asNumber(most, source, func(u *Account) (evidence.Number, error) { return u.GDP(ctx) })
	return withMethod(n, "normal quantiles in intervals, at the corners of the trade-off function"), err
}

// gdp encloses the least μ of a composition.
func (p *composition) gdp(ctx context.Context) (interval.Interval, error) {
	square, least := interval.Int(0), interval.Int(0)
	for _, f := range p.factors {
		mu := f.pair.gdp()
		square = square.Add(mu.Mul(mu).Mul(interval.Int(int64(f.times))))
		least = interval.Max(least, mu)
	}
	root := square.Sqrt()
	if least.CmpLo(infinite) >= 0 {
		return infinite, nil
	}
	if p.single() != nil {
		return least, nil
	}
	if l, err := p.exactPair(ctx); l != nil || err != nil {
		if err != nil {
			return root, err
		}
		return l.gdp(), nil
	}
	_, hi := root.Bounds()
	if hi == 0 {
		return least, nil
	}
	// Only mass below depth is truncated. For events that small, the bound by the largest loss needs no larger μ than
	// √Σμ².
	top := interval.Int(0)
	for _, f := range p.factors {
		top = top.Add(f.pair.LossRange().Mul(interval.Int(int64(f.times))))
	}
	_, far := interval.Max(top, top.Neg()).Bounds()
	nats := (far / hi) * (far / hi) / 2
	if !(nats < 700) {
		nats = 100
	}
	depth := math.Exp(-nats)
	var reached, bound interval.Interval
	var err error
	if p.commonLattice(workingPrecision(1, 1)) == nil {
		if math.IsInf(hi, 1) {
			return interval.Hull(least.Lower(), infinite), nil
		}
		reached, bound, err = p.gdpOfTangents(ctx, far, depth)
	} else {
		reached, bound, err = p.gdpOnLattice(ctx, far, depth)
	}
	if err != nil {
		return root, err
	}
	low := interval.Max(reached, least.Lower())
	if math.IsInf(hi, 1) { // no upper bound on the μ of a factor is known
		return interval.Hull(low, infinite), nil
	}
	if bound.CmpHi(root) < 0 {
		root = bound
	}
	return interval.Hull(low, root), nil
}

// gdpOnLattice returns the largest μ of the computed events, and an upper bound over all events of a composition whose
// losses are at most far. Masses are computed for events down to depth.
func (p *composition) gdpOnLattice(ctx context.Context, far, depth float64) (reached, bound interval.Interval, err error) {
	s, err := p.sumsAt(ctx, workingPrecision(depth, p.uses()))
	if err != nil {
		return reached, bound, err
	}
	reached, bound = s.gdp(far)
	return reached, bound, nil
}

// gdpOfTangents returns the same as gdpOnLattice for losses without a common lattice. A polygon is a lower bound of the
// trade-off function, and its corners give the upper bound of μ.
func (p *composition) gdpOfTangents(ctx context.Context, far, depth float64) (reached, bound interval.Interval, err error) {
	lines, events, err := p.tangents(ctx, new(big.Rat).SetFloat64(min(depth, 1e-12)))
	if err != nil {
		return reached, bound, err
	}
	muOf := func(e point) (mu interval.Interval, ok bool) {
		if e.q.Sign() <= 0 || e.p.Cmp(one) >= 0 || e.p.Cmp(e.q) <= 0 {
			return mu, false
		}
		at := func(x *big.Rat) interval.Interval {
			return quantile(interval.Rat(x), interval.Rat(new(big.Rat).Sub(one, x)))
		}
		return at(e.q).Sub(at(e.p)), true
	}
	reached, bound = interval.Int(0), interval.Int(0)
	for _, e := range events {
		if mu, ok := muOf(e); ok {
			reached = interval.Max(reached, mu.Lower())
		}
	}
	if math.IsInf(far, 1) {
		return reached, infinite, nil
	}
	ends := interval.Float(far).Neg().Exp() // for losses ≤ far: P(E) ≤ e^far Q(E), and 1 − P(E) ≥ e^−far (1 − Q(E))
	for _, of := range [2][2]interval.Interval{{interval.Int(0), interval.Float(far).Exp()}, {interval.Int(1).Sub(ends), ends}} {
		l, ok := lineOf(of[0], of[1])
		if !ok {
			return reached, infinite, nil
		}
		lines = append(lines, l)
	}
	for _, e := range envelope(lines) {
		if mu, ok := muOf(e); ok {
			bound = interval.Max(bound, mu)
		}
	}
	return reached, bound, nil
}

// gdpBound returns √Σμ² of the uses in float64, an upper bound on μ.
func (c *candidate) gdpBound() float64 {
	if c.infinityMass() > 0 {
		return math.Inf(1)
	}
	sum := 0.0
	for k, r := range c.screens {
		mu := r.gdp()
		sum += float64(c.times[k]) * mu * mu
	}
	return math.Sqrt(sum) * (1 + 1e-9)
}

// gdp returns a close upper bound on the μ of a pair.
func (r *Screen) gdp() float64 {
	if r.logMomentFunc != nil {
		return math.Inf(1)
	}
	order := make([]int, len(r.Loss))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(r.Loss[i], r.Loss[j]) })
	n := len(order)
	belowP, belowQ := make([]float64, n+1), make([]float64, n+1)
	for k, i := range order {
		if q := r.P[i] * math.Exp(-r.Loss[i]); !(min(r.P[i], q) > minScreenMass) {
			return math.Inf(1) // masses too small for an accurate bound
		}
		belowP[k+1], belowQ[k+1] = belowP[k]+r.P[i], belowQ[k]+r.P[i]*math.Exp(-r.Loss[i])
	}
	aboveP, aboveQ, most := 0.0, 0.0, 0.0
	z := func(p, rest float64) float64 {
		if p > rest {
			return -gaussian.FastQuantile(rest)
		}
		return gaussian.FastQuantile(min(p, 0.5))
	}
	for k := n - 1; k > 0; k-- {
		i := order[k]
		aboveP, aboveQ = aboveP+r.P[i], aboveQ+r.P[i]*math.Exp(-r.Loss[i])
		mu := z(aboveQ, belowQ[k]) - z(aboveP, belowP[k])
		if math.IsNaN(mu) {
			return math.Inf(1)
		}
		most = max(most, mu)
	}
	return most*(1+1e-9) + 1e-9 + 100*r.Error
}

// gdp implements Pair.
func (l *DiscretePair) gdp() interval.Interval {
	switch {
	case certain(l.infinityMass) || certain(l.qOnlyMass):
		return infinite
	case sign(l.infinityMass) != 0 || sign(l.qOnlyMass) != 0:
		return interval.Hull(interval.Int(0), infinite)
	}
	// The masses of {loss ≥ l} and of its complement are summed separately, so small masses have small errors.
	n := len(l.atoms)
	above, below := make([][2]interval.Interval, n+1), make([][2]interval.Interval, n+1)
	zero := interval.Int(0)
	above[n], below[0] = [2]interval.Interval{zero, zero}, [2]interval.Interval{zero, zero}
	for j, a := range l.atoms {
		below[j+1] = [2]interval.Interval{below[j][0].Add(a.P.Enclosure), below[j][1].Add(a.Q.Enclosure)}
	}
	for j, a := range slices.Backward(l.atoms) {
		above[j] = [2]interval.Interval{above[j+1][0].Add(a.P.Enclosure), above[j+1][1].Add(a.Q.Enclosure)}
	}
	most := zero
	for j := 1; j < n; j++ {
		most = interval.Max(most, quantile(above[j][1], below[j][1]).Sub(quantile(above[j][0], below[j][0])))
	}
	return most
}

// quantile encloses the x with 1 − Φ(x) = p. rest is 1 − p.
func quantile(p, rest interval.Interval) interval.Interval {
	if rest.Less(p) {
		return gaussian.Quantile(rest).Neg()
	}
	return gaussian.Quantile(p)
}

// gdp returns the largest μ of the events {loss ≥ l} of the buckets, and an upper bound over all events. The upper
// bound counts the truncated mass as infinite losses. For events with probability near 0 or 1 it uses far, the largest
// loss: an event with probability p under one law has probability at least p e^{−far} under the other. The difference
// of the two quantiles decreases with p, since the normal hazard rate increases.
func (s *tailSums) gdp(far float64) (reached, bound interval.Interval) {
	reached = interval.Int(0)
	n := len(s.mass)
	all, loss := s.oneFixed(), interval.Float(far)
	unseen := new(big.Int).Add(s.infinityMass, s.truncation)
	small := new(big.Int).Lsh(new(big.Int).Add(s.truncation, big.NewInt(1)), 30) // at least 2³⁰ times the truncated mass
	edge := func(p interval.Interval) interval.Interval {
		return gaussian.Quantile(p.Mul(loss.Neg().Exp())).Sub(gaussian.Quantile(p))
	}
	ends := func(j int) (p, q [2]interval.Interval) { // probabilities of {loss ≥ bucket j} and of its complement
		t := s.tails[j]
		rest := new(big.Int).Sub(new(big.Int).Sub(all, t.a), unseen)
		p[0] = interval.Hull(fromFixed(new(big.Int).Add(t.a, s.infinityMass), s.prec), fromFixed(new(big.Int).Add(t.a, unseen), s.prec))
		p[1] = interval.Hull(fromFixed(rest, s.prec), fromFixed(new(big.Int).Add(rest, s.truncation), s.prec))
		q[0] = s.lossAt(j).Neg().Exp().Mul(s.fromFixedRange(t.cLo, t.cHi))
		q[1] = interval.Int(1).Sub(q[0])
		return p, q
	}
	from := sort.Search(n, func(j int) bool { // first event whose complement is at least small
		rest := new(big.Int).Sub(new(big.Int).Sub(all, s.tails[j].a), unseen)
		return rest.Cmp(small) >= 0
	})
	to := sort.Search(n, func(j int) bool { return s.tails[j].a.Cmp(small) < 0 }) - 1 // last event that is at least small
	if from > to {
		return reached, interval.Float(math.Inf(1))
	}
	_, q := ends(from)
	p, _ := ends(to)
	bound = interval.Max(edge(q[1].Upper()), edge(p[0].Upper()))
	// For a run of buckets from i to j, P of the first event and Q of the last give an upper bound of μ. The search
	// halves the run with the largest bound. It ends when that bound is at most the largest μ found.
	type run struct {
		i, j  int
		bound interval.Interval
	}
	at := func(i, j int) run {
		p, _ := ends(i)
		_, q := ends(j)
		return run{i, j, quantile(q[0], q[1]).Sub(quantile(p[0], p[1]))}
	}
	runs := []run{at(from, to)}
	for len(runs) > 0 {
		top := 0
		for k, r := range runs {
			if r.bound.CmpHi(runs[top].bound) > 0 {
				top = k
			}
		}
		r := runs[top]
		if _, hi := r.bound.Bounds(); hi <= reached.Mid()*(1+1e-10) || len(runs) > 2000 {
			return reached, interval.Max(bound, r.bound)
		}
		runs[top] = runs[len(runs)-1]
		runs = runs[:len(runs)-1]
		if r.i == r.j {
			bound = interval.Max(bound, r.bound)
			reached = interval.Max(reached, r.bound.Lower())
			continue
		}
		mid := (r.i + r.j) / 2
		reached = interval.Max(reached, at(mid, mid).bound.Lower())
		runs = append(runs, at(r.i, mid), at(mid+1, r.j))
	}
	return reached, bound
}
