package signrp

import (
	"math/big"

	"dpworkbench/evidence"
	"dpworkbench/internal/interval"
)

// smallestDelta returns the least δ with P ≤ e^ε Q + δ and Q ≤ e^ε P + δ, sets
// of patterns in place of patterns, for the laws of independent bits a and b.
func smallestDelta(a, b *law, eps evidence.Epsilon, source string) evidence.Number {
	if a.contradicts(b) {
		return evidence.Exact{Value: big.NewRat(1, 1), Source: source}
	}
	if upper(smallestEpsilon(a, b, source)) <= eps.Value() {
		return evidence.Exact{Value: new(big.Rat), Source: source}
	}
	if a.normal {
		return normalDelta(a, b, eps, source)
	}
	if !a.separates(b) && sameEpsilon(a.eps, b.eps) {
		if d, ok := exactDelta(a, b, eps, source); ok {
			return d
		}
	}
	d := interval.Max(levelDelta(a, b, eps), levelDelta(b, a, eps))
	out := evidence.EnclosedLoss(d, "hockey-stick over the lattice of losses, 256-bit outward rounding", source)
	out.Hi = min(out.Hi, 1)
	return out
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

// lattice returns the joint weights of two laws by position, the smallest
// position first.
func lattice[T number[T]](coins []coin[T], unit, zero T) (p, q []T) {
	p, q = []T{unit}, []T{unit}
	for _, c := range coins {
		// Position 0 of the result is the old one with the lower outcome.
		lowP, highP, lowQ, highQ, step := c.minusP, c.plusP, c.minusQ, c.plusQ, c.step
		if step < 0 {
			lowP, highP, lowQ, highQ, step = highP, lowP, highQ, lowQ, -step
		}
		p, q = shiftAdd(p, lowP, highP, step, zero), shiftAdd(q, lowQ, highQ, step, zero)
	}
	return p, q
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
// levels.
//
// A bit fixed by a alone multiplies b's weight of every pattern of a by b's
// probability of it. A bit fixed by b alone leaves b nothing of the patterns
// that disagree. With one ε' for both laws the loss of a pattern is a constant
// plus ε'·Σ (level_a − level_b)[bit = +], so patterns are summed by that whole
// number; with two, there are signs only, and patterns are summed by how many
// agreeing and how many differing bits follow a.
func levelDelta(a, b *law, eps evidence.Epsilon) interval.Interval {
	unit, zero := interval.Int(1), interval.Int(0)
	agree, rest := unit, unit // P of agreeing with b's fixed bits; Q of a's fixed bits
	var coins []coin[interval.Interval]
	same, differ := 0, 0
	probA, probB := levelProbs(a.eps), levelProbs(b.eps)
	one := sameEpsilon(a.eps, b.eps)
	for j := range a.level {
		la, lb := a.level[j], b.level[j]
		switch {
		case a.isFixed(j) && b.isFixed(j):
		case a.isFixed(j):
			rest = rest.Mul(probB(lb * sgn(la)))
		case b.isFixed(j):
			agree = agree.Mul(probA(la * sgn(lb)))
		case one:
			if la != lb {
				coins = append(coins, coin[interval.Interval]{probA(la), probA(-la), probB(lb), probB(-lb), la - lb})
			}
		case la == lb:
			same++
		default:
			differ++
		}
	}
	growth := eps.Enclosure().Exp().Mul(rest)
	sum := unit.Sub(agree)
	excess := func(p, q interval.Interval) {
		d := p.Mul(agree).Sub(q.Mul(growth))
		sum = sum.Add(interval.Max(d, zero))
	}
	if one {
		p, q := lattice(coins, unit, zero)
		for n := range p {
			excess(p[n], q[n])
		}
		return sum
	}
	keepA, flipA, keepB, flipB := probA(1), probA(-1), probB(1), probB(-1)
	for m, pm := range binomials(same, keepA, flipA) {
		qm := powers(keepB, flipB, m, same)
		for n, pn := range binomials(differ, keepA, flipA) {
			qn := powers(flipB, keepB, n, differ)
			count := new(big.Int).Mul(new(big.Int).Binomial(int64(same), int64(m)), new(big.Int).Binomial(int64(differ), int64(n)))
			excess(pm.Mul(pn), qm.Mul(qn).Mul(interval.Rat(new(big.Rat).SetInt(count))))
		}
	}
	return sum
}

// binomials returns C(n, m) xᵐ yⁿ⁻ᵐ for every m.
func binomials(n int, x, y interval.Interval) []interval.Interval {
	out := make([]interval.Interval, n+1)
	for m := range out {
		c := new(big.Int).Binomial(int64(n), int64(m))
		out[m] = powers(x, y, m, n).Mul(interval.Rat(new(big.Rat).SetInt(c)))
	}
	return out
}

// powers returns xᵐ yⁿ⁻ᵐ.
func powers(x, y interval.Interval, m, n int) interval.Interval { return x.Pow(m).Mul(y.Pow(n - m)) }

// levelProbs returns the enclosure of Pr[+1] by signed level, remembered.
func levelProbs(eps evidence.Epsilon) func(level int) interval.Interval {
	known := make(map[int]interval.Interval)
	unit := interval.Int(1)
	return func(level int) interval.Interval {
		v, ok := known[level]
		if !ok {
			lo, _ := levelLogit(level, eps).Bounds()
			if lo >= 0 {
				v = unit.Quo(unit.Add(levelLogit(-level, eps).Exp()))
			} else {
				e := levelLogit(level, eps).Exp()
				v = e.Quo(unit.Add(e))
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
func exactDelta(a, b *law, eps evidence.Epsilon, source string) (evidence.Exact, bool) {
	base, okB := a.eps.Exp()
	growth, okG := eps.Exp()
	if !okB || !okG {
		return evidence.Exact{}, false
	}
	var coins []coin[whole]
	totalP, totalQ := big.NewInt(1), big.NewInt(1)
	size := 0
	for j := range a.level {
		la, lb := a.level[j], b.level[j]
		if a.isFixed(j) || la == lb {
			continue
		}
		size += (abs(la) + abs(lb)) * ratBits(base)
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
	p, q := lattice(coins, whole{big.NewInt(1)}, whole{new(big.Int)})
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
