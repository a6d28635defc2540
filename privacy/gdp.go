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

// GDP encloses the least μ for which the trade-off function of two normal laws μ apart lies below that
// of every two neighbors: Gaussian differential privacy (Dong, Roth and Su 2022).
//
// A trade-off function of finitely many losses is a polygon, and that of normal laws is convex: it
// lies below just where it does at the corners, which are the events {loss ≥ l}. So μ is the largest
// Φ⁻¹(P(E)) − Φ⁻¹(Q(E)) of them, infinite where one of two neighbors has an output that the other has not.
// Uses on the same dataset ask for at most √Σμ² (Corollary 2 there); where the law of their losses is known,
// its own corners may ask for less.
func (a *Account) GDP(ctx context.Context) (evidence.Number, error) {
	const source = "largest Φ⁻¹(P(E)) − Φ⁻¹(Q(E)) (Dong, Roth and Su 2022)"
	most, _, err := a.maxOverPairs(ctx, (*candidate).gdpBound, func(p *composition, _ float64) (evidence.RatOrInterval, error) {
		mu, err := p.gdp(ctx)
		return evidence.RatOrInterval{Enclosure: mu}, err
	})
	if err != nil {
		return nil, err
	}
	n, err := a.asNumber(most, source, func(u *Account) (evidence.Number, error) { return u.GDP(ctx) })
	return withMethod(n, "normal quantiles in intervals, at the corners of the trade-off function"), err
}

// gdp encloses the least μ of a product.
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
	// A depth such that what is cut off lies where the largest loss alone asks for no more.
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
	if math.IsInf(hi, 1) { // how far out events of one part ask for more is not told
		return interval.Hull(low, infinite), nil
	}
	if bound.CmpHi(root) < 0 {
		root = bound
	}
	return interval.Hull(low, root), nil
}

// gdpOnLattice returns what events ask for at least, and what none exceeds, of losses of at most far.
func (p *composition) gdpOnLattice(ctx context.Context, far, depth float64) (reached, bound interval.Interval, err error) {
	s, err := p.sumsAt(ctx, workingPrecision(depth, p.uses()))
	if err != nil {
		return reached, bound, err
	}
	reached, bound = s.gdp(far)
	return reached, bound, nil
}

// gdpOfTangents is gdpOnLattice for losses on no lattice: the trade-off function lies above a polygon, for which no event asks for more than its corners.
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
	ends := interval.Float(far).Neg().Exp() // P is at most e^far of Q, and what is left of P at least e^−far of what is left of Q
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

// gdpBound returns what μ is at most: √Σμ² of the uses in float64.
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

// gdp returns, roughly and not below, the μ that the events of a pair ask for.
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
			return math.Inf(1) // not known to its digits
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
	// Masses of {loss ≥ l} and of the rest, each summed on its own, so that small ones are narrow.
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

// quantile encloses where the normal tail is p, given 1 − p as well.
func quantile(p, rest interval.Interval) interval.Interval {
	if rest.Less(p) {
		return gaussian.Quantile(rest).Neg()
	}
	return gaussian.Quantile(p)
}

// gdp encloses what an event of buckets asks for at least, and bounds what any event does: by the
// events {loss ≥ l} of the loss distribution with what was cut off counted as infinite losses; beyond those that
// differ much from all or nothing by the largest loss, which is far: an event of chance p under one law has at
// least p e^{−far} under the other, and Φ⁻¹ of the two are the closer the smaller p is, as the normal
// hazard rate rises.
func (s *tailSums) gdp(far float64) (reached, bound interval.Interval) {
	reached = interval.Int(0)
	n := len(s.mass)
	all, loss := s.oneFixed(), interval.Float(far)
	unseen := new(big.Int).Add(s.infinityMass, s.truncation)
	small := new(big.Int).Lsh(new(big.Int).Add(s.truncation, big.NewInt(1)), 30) // of which what was cut off is a billionth
	edge := func(p interval.Interval) interval.Interval {
		return gaussian.Quantile(p.Mul(loss.Neg().Exp())).Sub(gaussian.Quantile(p))
	}
	ends := func(j int) (p, q [2]interval.Interval) { // of {loss ≥ bucket j} and of the rest
		t := s.tails[j]
		rest := new(big.Int).Sub(new(big.Int).Sub(all, t.a), unseen)
		p[0] = interval.Hull(fromFixed(new(big.Int).Add(t.a, s.infinityMass), s.prec), fromFixed(new(big.Int).Add(t.a, unseen), s.prec))
		p[1] = interval.Hull(fromFixed(rest, s.prec), fromFixed(new(big.Int).Add(rest, s.truncation), s.prec))
		q[0] = s.lossAt(j).Neg().Exp().Mul(s.fromFixedRange(t.cLo, t.cHi))
		q[1] = interval.Int(1).Sub(q[0])
		return p, q
	}
	from := sort.Search(n, func(j int) bool { // the first event that is not nearly all
		rest := new(big.Int).Sub(new(big.Int).Sub(all, s.tails[j].a), unseen)
		return rest.Cmp(small) >= 0
	})
	to := sort.Search(n, func(j int) bool { return s.tails[j].a.Cmp(small) < 0 }) - 1 // the last one that is not nearly nothing
	if from > to {
		return reached, interval.Float(math.Inf(1))
	}
	_, q := ends(from)
	p, _ := ends(to)
	bound = interval.Max(edge(q[1].Upper()), edge(p[0].Upper()))
	// Events from bucket i to bucket j ask for at most what P gives the first and Q the last. The run of buckets that
	// may ask for most is halved until it is one bucket, or no more than what is reached.
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
