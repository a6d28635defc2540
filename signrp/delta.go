package signrp

import (
	"context"
	"math"
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/interval"
)

// smallestDelta returns the least δ with P ≤ e^ε Q + δ and Q ≤ e^ε P + δ, sets
// of patterns in place of patterns, for the laws of independent bits a and b.
func smallestDelta(ctx context.Context, a, b *law, eps evidence.Epsilon, source string) (evidence.Number, error) {
	if a.contradicts(b) {
		return evidence.Exact{Value: big.NewRat(1, 1), Source: source}, nil
	}
	if covers(eps, smallestEpsilon(a, b, source)) {
		return evidence.Exact{Value: new(big.Rat), Source: source}, nil
	}
	if a.normal {
		return normalDelta(ctx, a, b, eps, source)
	}
	if !a.separates(b) && sameEpsilon(a.eps, b.eps) {
		if d, ok := exactDelta(ctx, a, b, eps, source); ok {
			return d, nil
		}
	}
	forward, err := levelDelta(ctx, a, b, eps)
	if err != nil {
		return nil, err
	}
	backward, err := levelDelta(ctx, b, a, eps)
	if err != nil {
		return nil, err
	}
	d := interval.Max(forward, backward)
	out := evidence.EnclosedLoss(d, "hockey-stick over the lattice of losses, 256-bit outward rounding", source)
	out.Hi = min(out.Hi, 1)
	return out, nil
}

// contradicts reports whether some bit is fixed to + by one law and to − by the
// other: then the laws have no pattern in common.
func (l *law) contradicts(m *law) bool {
	for j := range l.level {
		if l.isFixed(j) && m.isFixed(j) && (l.level[j] < 0) != (m.level[j] < 0) {
			return true
		}
	}
	return false
}

// number is what the lattice computes with.
type number[T any] interface {
	Add(T) T
	Mul(T) T
}

// coin is one random bit under two laws, up to common factors: weights of + and
// −, and by how much + rather than − raises the position on the lattice.
type coin[T number[T]] struct {
	plusP, minusP, plusQ, minusQ T
	step                         int
}

// lattice returns the joint weights of the coins by position, the smallest
// position first, for the weights of + and − that of picks.
func lattice[T number[T]](ctx context.Context, coins []coin[T], unit, zero T, of func(coin[T]) (plus, minus T)) ([]T, error) {
	law := []T{unit}
	for _, c := range coins {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		high, low := of(c) // position 0 of the result is the old one with the lower outcome
		step := c.step
		if step < 0 {
			low, high, step = high, low, -step
		}
		law = shiftAdd(law, low, high, step, zero)
	}
	return law, nil
}

func shiftAdd[T number[T]](law []T, low, high T, step int, zero T) []T {
	out := make([]T, len(law)+step)
	for n := range out {
		out[n] = zero
	}
	for n, v := range law {
		out[n] = out[n].Add(v.Mul(low))
		out[n+step] = out[n+step].Add(v.Mul(high))
	}
	return out
}

// levelDelta encloses the hockey-stick divergence of a from b for bits with
// levels: the sum over patterns of P·max(0, 1 − e^{ε − L}), L = ln(P/Q) the loss of
// the pattern, so that no e^ε is formed.
//
// A bit fixed by a alone multiplies b's weight of every pattern of a by b's
// probability of it. A bit fixed by b alone leaves b nothing of the patterns
// that disagree. With one ε' for both laws the loss of a pattern is a constant
// plus ε'·Σ (level_a − level_b)[bit = +], so patterns are summed by that whole
// number; with two, there are signs only, and patterns are summed by how many
// agreeing and how many differing bits follow a.
func levelDelta(ctx context.Context, a, b *law, eps evidence.Epsilon) (interval.Interval, error) {
	unit, zero := interval.Int(1), interval.Int(0)
	agree, shift := unit, zero // P of agreeing with b's fixed bits; ln of it, less ln Q of a's fixed bits
	var coins []coin[interval.Interval]
	same, differ, lowest := 0, 0, 0
	probA, probB := levelProbs(a.eps), levelProbs(b.eps)
	signs := onlySigns(a, b)
	for j := range a.level {
		la, lb := a.level[j], b.level[j]
		switch {
		case a.isFixed(j) && b.isFixed(j):
		case a.isFixed(j):
			shift = shift.Sub(probB(lb * sgn(la)).log)
		case b.isFixed(j):
			p := probA(la * sgn(lb))
			agree, shift = agree.Mul(p.p), shift.Add(p.log)
		case !signs:
			if la != lb {
				coins = append(coins, coin[interval.Interval]{plusP: probA(la).p, minusP: probA(-la).p, step: la - lb})
				shift = shift.Add(probA(-la).log).Sub(probB(-lb).log)
				lowest += min(0, la-lb)
			}
		case la == lb:
			same++
		default:
			differ++
		}
	}
	if sameEpsilon(a.eps, b.eps) {
		same = 0 // whatever they are, they lose nothing
	}
	if !signs && positions(coins) > manyPositions {
		d, err := signPair(a, b, nil).Delta(ctx, eps)
		if err != nil || d.Enclosure.Narrow(53) || positions(coins) > mostWork {
			return d.Enclosure, err
		} // a tiny δ is known better term by term
	}
	if float64(same+1)*float64(differ+1) > mostWork {
		lo, hi, err := roundedDelta(ctx, a, b, eps)
		return interval.Between(lo, hi), err
	}
	budget := eps.Enclosure()
	sum := unit.Sub(agree)
	excess := func(p, loss interval.Interval) {
		over := budget.Sub(loss)
		if sign, _ := over.Sign(); sign > 0 {
			return
		}
		if over.CmpHi(unit) > 0 { // the loss is hardly known: no more than all of p
			over = interval.Hull(over.Lower(), zero)
		}
		gain := unit.Sub(over.Exp())
		sum = sum.Add(p.Mul(agree).Mul(interval.Max(gain, zero)))
	}
	if !signs {
		slope := a.eps.Enclosure()
		law, err := lattice(ctx, coins, unit, zero, func(c coin[interval.Interval]) (interval.Interval, interval.Interval) { return c.plusP, c.minusP })
		for n, p := range law {
			if n%1024 == 0 && ctx.Err() != nil {
				return sum, ctx.Err()
			}
			excess(p, shift.Add(slope.Mul(interval.Int(int64(lowest+n)))))
		}
		return sum, err
	}
	keepA, flipA, keepB, flipB := probA(1), probA(-1), probB(1), probB(-1)
	kept, flipped := keepA.log.Sub(keepB.log), flipA.log.Sub(flipB.log) // losses of an agreeing bit
	against, with := keepA.log.Sub(flipB.log), flipA.log.Sub(keepB.log) // of a differing one
	times := func(x interval.Interval, n int) interval.Interval { return x.Mul(interval.Int(int64(n))) }
	ways := binomials(differ, keepA.p, flipA.p)
	for m, pm := range binomials(same, keepA.p, flipA.p) {
		loss := shift.Add(times(kept, m)).Add(times(flipped, same-m))
		for n, pn := range ways {
			if n%1024 == 0 && ctx.Err() != nil {
				return sum, ctx.Err()
			}
			excess(pm.Mul(pn), loss.Add(times(against, n)).Add(times(with, differ-n)))
		}
	}
	return sum, nil
}

// mostWork is about how many terms are summed in intervals, manyPositions how many are before the powers of few
// different bits are faster: from about 64 signs with levels on, a hundred times at 1024.
const (
	mostWork      = 1 << 22
	manyPositions = 1 << 13
)

// positions returns the sum of the lengths of the partial laws.
func positions[T number[T]](coins []coin[T]) float64 {
	length, work := 1.0, 0.0
	for _, c := range coins {
		length += math.Abs(float64(c.step))
		work += length
	}
	return work
}

// onlySigns reports whether random bits have levels ±1 alone.
func onlySigns(a, b *law) bool {
	for j := range a.level {
		if !a.isFixed(j) && abs(a.level[j]) != 1 || !b.isFixed(j) && abs(b.level[j]) != 1 {
			return false
		}
	}
	return true
}

// binomials returns C(n, m) xᵐ yⁿ⁻ᵐ for every m, x being positive.
func binomials(n int, x, y interval.Interval) []interval.Interval {
	out := make([]interval.Interval, n+1)
	out[n] = x.Pow(n)
	odds := y.Quo(x)
	for m := n; m > 0; m-- {
		out[m-1] = out[m].Mul(odds).Mul(interval.Int(int64(m))).Quo(interval.Int(int64(n - m + 1)))
	}
	return out
}

// roundedDelta is levelDelta in float64, for so many positions that intervals
// would take too long: see hockeyStick.
func roundedDelta(ctx context.Context, a, b *law, eps evidence.Epsilon) (lo, hi float64, err error) {
	probA, probB := levelProbs(a.eps), levelProbs(b.eps)
	agree, rest := interval.Int(0), interval.Int(0) // logarithms
	var bits []coinLoss
	slack, steps := 0.0, interval.Int(0)
	point := func(x interval.Interval) float64 {
		lo, hi := x.Bounds()
		slack = (slack + (hi - lo)) * (1 + 4*ulp)
		return x.Mid()
	}
	for j := range a.level {
		la, lb := a.level[j], b.level[j]
		switch {
		case a.isFixed(j) && b.isFixed(j):
		case a.isFixed(j):
			rest = rest.Add(probB(lb * sgn(la)).log)
		case b.isFixed(j):
			agree = agree.Add(probA(la * sgn(lb)).log)
		case la == lb && sameEpsilon(a.eps, b.eps):
		default:
			base := probA(-la).log.Sub(probB(-lb).log)
			step := probA(la).log.Sub(probB(lb).log).Sub(base)
			c := coinLoss{plusP: probA(la).p.Mid(), minusP: probA(-la).p.Mid(), base: point(base), step: point(step)}
			bits = append(bits, c)
			steps = steps.Add(interval.Float(math.Abs(c.base) + math.Abs(c.step)))
		}
	}
	threshold := point(eps.Enclosure().Add(rest).Sub(agree))
	slack += float64(4*len(bits)+8) * ulp * (math.Abs(threshold) + steps.Mid())
	g, cut := agree.Exp(), interval.Int(1).Sub(agree.Exp())
	below, above, err := hockeyStick(ctx, bits, threshold, slack)
	lo, _ = cut.Add(g.Mul(interval.Float(below * (1 - float64(4*len(bits)+8)*ulp)))).Bounds()
	_, hi = cut.Add(g.Mul(interval.Float(above * (1 + float64(4*len(bits)+8)*ulp)))).Bounds()
	return math.Max(0, lo), math.Max(math.Max(0, lo), math.Min(1, hi)), err
}

// chance is a probability and its logarithm.
type chance struct{ p, log interval.Interval }

// levelProbs returns Pr[+1] by signed level, remembered.
func levelProbs(eps evidence.Epsilon) func(level int) chance {
	known := make(map[int]chance)
	unit := interval.Int(1)
	return func(level int) chance {
		v, ok := known[level]
		if !ok {
			v.log = logOnePlusExp(levelLogit(-level, eps)).Neg()
			if lo, _ := levelLogit(level, eps).Bounds(); lo >= 0 {
				v.p = unit.Quo(unit.Add(levelLogit(-level, eps).Exp()))
			} else {
				e := levelLogit(level, eps).Exp()
				v.p = e.Quo(unit.Add(e))
			}
			known[level] = v
		}
		return v
	}
}

func sgn(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

// whole is a big integer as a number of the lattice.
type whole struct{ *big.Int }

// Add implements number.
func (a whole) Add(b whole) whole { return whole{new(big.Int).Add(a.Int, b.Int)} }

// Mul implements number.
func (a whole) Mul(b whole) whole { return whole{new(big.Int).Mul(a.Int, b.Int)} }

// exactDelta is smallestDelta without rounding, for laws with one ε' and the
// same fixed bits; ok is false where e^ε' or e^ε is irrational or the numbers
// would grow beyond use.
func exactDelta(ctx context.Context, a, b *law, eps evidence.Epsilon, source string) (evidence.Exact, bool) {
	base, okB := a.eps.Exp()
	growth, okG := eps.Exp()
	if !okB || !okG {
		return evidence.Exact{}, false
	}
	var coins []coin[whole]
	totalP, totalQ := big.NewInt(1), big.NewInt(1)
	size := 0.0
	for j := range a.level {
		la, lb := a.level[j], b.level[j]
		if a.isFixed(j) || la == lb {
			continue
		}
		size += (math.Abs(float64(la)) + math.Abs(float64(lb))) * float64(ratBits(base))
		if size > 1<<13 {
			return evidence.Exact{}, false
		}
		c := coin[whole]{step: la - lb}
		c.plusP, c.minusP = levelWeights(la, base)
		c.plusQ, c.minusQ = levelWeights(lb, base)
		totalP.Mul(totalP, c.plusP.Add(c.minusP).Int)
		totalQ.Mul(totalQ, c.plusQ.Add(c.minusQ).Int)
		coins = append(coins, c)
	}
	one, none := whole{big.NewInt(1)}, whole{new(big.Int)}
	p, err := lattice(ctx, coins, one, none, func(c coin[whole]) (plus, minus whole) { return c.plusP, c.minusP })
	if err != nil {
		return evidence.Exact{}, false
	}
	q, err := lattice(ctx, coins, one, none, func(c coin[whole]) (plus, minus whole) { return c.plusQ, c.minusQ })
	if err != nil {
		return evidence.Exact{}, false
	}
	// Over the common denominator totalP·totalQ·den(growth).
	scaleP := new(big.Int).Mul(totalQ, growth.Denom())
	scaleQ := new(big.Int).Mul(totalP, growth.Num())
	forward, backward := new(big.Int), new(big.Int)
	for n := range p {
		addExcess(forward, p[n].Int, scaleP, q[n].Int, scaleQ)
	}
	swapP, swapQ := new(big.Int).Mul(totalP, growth.Denom()), new(big.Int).Mul(totalQ, growth.Num())
	for n := range p {
		addExcess(backward, q[n].Int, swapP, p[n].Int, swapQ)
	}
	if forward.Cmp(backward) < 0 {
		forward = backward
	}
	total := new(big.Int).Mul(totalP, totalQ)
	return evidence.Exact{
		Value: new(big.Rat).SetFrac(forward, total.Mul(total, growth.Denom())),
		Cases: uint64(len(p)), Source: source,
	}, true
}

// addExcess adds max(0, p·x − q·y) to sum.
func addExcess(sum, p, x, q, y *big.Int) {
	d := new(big.Int).Mul(p, x)
	if d.Sub(d, new(big.Int).Mul(q, y)).Sign() > 0 {
		sum.Add(sum, d)
	}
}

// levelWeights returns whole weights of + and − at a level: aˡ to 1.
func levelWeights(level int, a *big.Rat) (plus, minus whole) {
	e := big.NewInt(int64(abs(level)))
	plus, minus = whole{new(big.Int).Exp(a.Num(), e, nil)}, whole{new(big.Int).Exp(a.Denom(), e, nil)}
	if level < 0 {
		plus, minus = minus, plus
	}
	return plus, minus
}
