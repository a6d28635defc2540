package continuous

import (
	"container/heap"
	"context"
	"math"
	"math/big"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/interval"
	"dpworkbench/privacy"
)

// A shift v ∈ V changes the layer by at most 1, so the loss is the decay, 0 or −decay. The loss is the decay with
// probability
//
//	g(v) = Pr[L(r + v) = L(r) + 1] = Σ z^i D_i(v) / α,   D_i(v) = |A_i \ (A_i − v)| = |A_i \ (A_i + v)|,
//
// which by symmetry is the same for −v. It is −decay with probability z·g(v). A pair of laws with a smaller g
// results from one with a larger g by post-processing with a coin. So the shift with the largest g is the worst at
// every ε and for any number of uses.
//
// If layers count points, V is finite. Otherwise D_i is linear between breakpoints, the v at which an end of A_i +
// v meets one of A_i. Breakpoints are differences of nodes of the ring, up to multiples of Δ. So the largest g over
// a segment of V is at one of its ends or at a breakpoint. Δ is not always the worst shift: V = {0, ±1, ±2, ±4, …,
// ±10} has D_1(1) = 9 and D_1(10) = 7. On a part [a, b] of a segment g is at most
//
//	(g(a) + g(b) + K(b − a))/2,
//
// where 2(1 − z)αK is the variation of z^L: per unit of v, ∫|h(r) − h(r − v)| changes by at most this variation,
// with h = z^L.

// slack is a generous bound on the relative error of a float64 sum of at most 2²² positive terms, each an exponential
// whose argument has a size of at most 745.
const slack = 1e-8

// worstBudget bounds the number of pairs of cells that the search for the worst shift visits. worstTies bounds the
// number of shifts that it finally sums exactly.
const (
	worstBudget = 1 << 23
	worstTies   = 32
)

// grows returns the largest probability, over shifts in V, that the layer grows.
func (m *Layered) grows(ctx context.Context) (evidence.RatOrInterval, error) {
	if known := m.worst.Load(); known != nil {
		return *known, nil
	}
	if _, err := m.Certify(ctx); err != nil {
		return evidence.RatOrInterval{}, err
	}
	g, err := m.largestGrowth(ctx, worstBudget)
	if err != nil {
		return evidence.RatOrInterval{}, err
	}
	m.worst.Store(&g)
	return g, nil
}

// largestGrowth computes what grows returns, within a budget of visited pairs of cells.
func (m *Layered) largestGrowth(ctx context.Context, budget int) (evidence.RatOrInterval, error) {
	mass := m.reachable()
	if gridBits(m.length, new(big.Int)) < 63 {
		all := float64(mass.Int64())
		return largestGrowth(ctx, m, budget, func(v *big.Int) gridInt64 { return gridInt64(v.Int64()) }, func(v gridInt64) float64 { return float64(v) / all })
	}
	return largestGrowth(ctx, m, budget, func(v *big.Int) gridBig { return gridBig{v} }, func(v gridBig) float64 {
		share, _ := new(big.Rat).SetFrac(v.v, mass).Float64()
		return share
	})
}

// stretchOfShifts is a segment of shifts a ≤ v ≤ b. It has the growth at both ends, the distance from a to the next
// breakpoint, and an upper bound on the growth between.
type stretchOfShifts[T any] struct {
	a, b, ahead T
	atA, atB    float64
	most        float64
}

// frontier is a heap of stretches. The first has the largest upper bound on its growth.
type frontier[T any] []stretchOfShifts[T]

func (f frontier[T]) Len() int           { return len(f) }
func (f frontier[T]) Less(i, j int) bool { return f[i].most > f[j].most }
func (f frontier[T]) Swap(i, j int)      { f[i], f[j] = f[j], f[i] }
func (f *frontier[T]) Push(x any)        { *f = append(*f, x.(stretchOfShifts[T])) }
func (f *frontier[T]) Pop() any {
	last := len(*f) - 1
	x := (*f)[last]
	*f = (*f)[:last]
	return x
}

// candidateShift is a shift and its growth.
type candidateShift[T any] struct {
	v T
	g float64
}

func largestGrowth[T scale[T]](ctx context.Context, m *Layered, budget int, of func(*big.Int) T, share func(T) float64) (evidence.RatOrInterval, error) {
	s := &shifting[T]{m: m, zero: of(new(big.Int)), length: of(m.length), share: share, rest: -math.Expm1(-m.decay.Value())}
	for _, n := range m.nodes {
		s.at = append(s.at, of(n.at))
		sites := n.gap
		if m.counting {
			sites = n.point
		}
		s.progressions = append(s.progressions, progressions(sites))
	}
	var tried []candidateShift[T]
	best, open := 0.0, 0.0
	try := func(v T) (g float64, ahead T) {
		g, ahead = s.growth(v)
		best = max(best, g)
		if g >= best*(1-slack) {
			tried = append(tried, candidateShift[T]{v, g})
		}
		return g, ahead
	}
	slope := s.slope()
	front := &frontier[T]{}
	push := func(a, b, ahead T, atA, atB float64) {
		if ahead.cmp(b.minus(a)) < 0 { // otherwise the growth is linear from a to b
			heap.Push(front, stretchOfShifts[T]{a, b, ahead, atA, atB, (atA + atB + slope*share(b.minus(a))) / 2 * (1 + slack)})
		}
	}
	for _, v := range slices.Backward(m.query.NeighboringSet().Segments()) {
		if v.Hi.Sign() <= 0 {
			break
		}
		if err := ctx.Err(); err != nil {
			return evidence.RatOrInterval{}, err
		}
		if v.IsPoint() && s.visits > budget {
			open = math.Inf(1)
			break
		}
		b := of(m.grid(v.Hi))
		atB, _ := try(b)
		if v.IsPoint() {
			continue
		}
		a := s.zero
		if v.Lo.Sign() > 0 {
			a = of(m.grid(v.Lo))
		}
		atA, ahead := try(a)
		push(a, b, ahead, atA, atB)
	}
	for front.Len() > 0 {
		if err := ctx.Err(); err != nil {
			return evidence.RatOrInterval{}, err
		}
		t := heap.Pop(front).(stretchOfShifts[T])
		if !(t.most > best*(1-slack)) {
			break
		}
		if s.visits > budget {
			open = max(open, t.most)
			break
		}
		mid := of(new(big.Int).Rsh(new(big.Int).Add(t.a.whole(), t.b.whole()), 1))
		ahead, back := s.cells(mid, nil)
		switch left := mid.minus(back); { // move mid to a breakpoint; the stretch contains one
		case mid.plus(ahead).cmp(t.b) < 0:
			mid = mid.plus(ahead)
		case left.cmp(t.a) > 0:
			mid = left
		}
		g, ahead := try(mid)
		push(t.a, mid, t.ahead, t.atA, g)
		push(mid, t.b, ahead, g, t.atB)
	}
	return s.enclosed(ctx, tried, best, open)
}

// enclosed returns the largest growth. It computes full sums for the shifts that float64 cannot distinguish from the
// best. If the search left segments open, the result is an enclosure.
func (s *shifting[T]) enclosed(ctx context.Context, tried []candidateShift[T], best, open float64) (evidence.RatOrInterval, error) {
	m := s.m
	if !(best > 0x1p-900) { // float64 underflows
		open = math.Inf(1)
	}
	z, exact := m.exactly(m.decay)
	r := rateOf(m.decay)
	sums, _ := m.polynomials(r)
	slices.SortStableFunc(tried, func(a, b candidateShift[T]) int {
		switch {
		case a.g > b.g:
			return -1
		case a.g < b.g:
			return 1
		}
		return 0
	})
	top := evidence.ExactRat(new(big.Rat))
	var seen []series
	searched := s.visits
	for _, t := range tried {
		if t.g < best*(1-2*slack) {
			break
		}
		if err := ctx.Err(); err != nil {
			return evidence.RatOrInterval{}, err
		}
		if len(seen) == worstTies || len(seen) > 0 && s.visits-searched > worstBudget/4 {
			open = max(open, best*(1+slack))
			break
		}
		d := s.series(t.v)
		if slices.ContainsFunc(seen, d.equal) {
			continue
		}
		seen = append(seen, d)
		var g evidence.RatOrInterval
		if exact && len(d.second)*z.Denom().BitLen() <= maxExactBits {
			q := d.rational(z)
			g = evidence.ExactRat(q.Quo(q, m.weights.rational(z)))
		} else {
			g.Enclosure = d.total(r, m.first).Quo(sums)
		}
		top = privacy.Max(top, g)
	}
	most := interval.Int(1).Quo(interval.Int(1).Add(r.z)) // g + zg ≤ 1
	if m.closed && open == 0 {
		if top.Rational == nil {
			top.Enclosure = within(top.Enclosure, most)
		}
		return top, nil
	}
	hi := top.Enclosure
	if open > 0 {
		hi = most
		if !math.IsInf(open, 1) {
			unit := interval.Int(1)
			if !m.counting {
				unit = interval.Rat(new(big.Rat).SetInt(m.reachable()))
			}
			hi = interval.Max(top.Enclosure, interval.Float(open*(1+slack)).Mul(unit).Mul(r.rest).Quo(sums))
		}
	}
	lo := top.Enclosure
	if !m.closed {
		// All mass beyond the known layers may belong to numbers whose layer grows.
		scale := interval.Rat(m.weightUnit()).Quo(r.rest.Mul(r.rest))
		lost, _ := m.lost(r)
		beyond := lost.Add(r.z.Pow(m.known - m.first).Mul(interval.Rat(m.Weight(m.known))))
		known := sums.Mul(scale)
		if sign, _ := known.Sign(); sign == 0 {
			return evidence.RatOrInterval{Enclosure: interval.Hull(interval.Int(0), most)}, nil
		}
		lo = lo.Mul(known).Quo(known.Add(lost))
		hi = hi.Add(beyond.Quo(known))
	}
	return evidence.RatOrInterval{Enclosure: within(interval.Hull(lo, hi), most)}, nil
}

// within returns the part of the interval a between 0 and most.
func within(a, most interval.Interval) interval.Interval {
	a = interval.Max(a, interval.Int(0))
	return interval.Min(a, most.Upper())
}
