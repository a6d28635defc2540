package privacy

import (
	"math/big"
	"sort"

	"dpworkbench/interval"
)

// tailSums is a loss distribution on a lattice together with the sums over its tails.
type tailSums struct {
	*lossPMF
	truncation *big.Int // truncated mass
	tails      []tail   // tails[j] starts at bucket j; the last one is empty
}

// tail holds two sums over the buckets from j on: a is the mass A, and cLo and cHi enclose C, the mass weighted by
// e^{loss j − loss}. For every j, A − e^{ε − loss j} C is at most δ(ε), and equal to it if j is the first bucket above
// ε.
type tail struct{ a, cLo, cHi *big.Int }

// newTailSums computes the sums by Horner's rule in integers, rounded down and up.
func newTailSums(l *lossPMF) *tailSums {
	s := &tailSums{lossPMF: l, truncation: l.truncated(), tails: make([]tail, len(l.mass)+1)}
	decay := l.step.Neg().Exp()
	zLo := floorFixed(decay, l.prec)
	zHi := new(big.Int).Sub(l.oneFixed(), floorFixed(interval.Int(1).Sub(decay), l.prec))
	s.tails[len(l.mass)] = tail{new(big.Int), new(big.Int), new(big.Int)}
	up := new(big.Int).Sub(l.oneFixed(), big.NewInt(1))
	for j := len(l.mass) - 1; j >= 0; j-- {
		next := s.tails[j+1]
		lo, hi := new(big.Int).Mul(next.cLo, zLo), new(big.Int).Mul(next.cHi, zHi)
		lo.Rsh(lo, l.prec)
		hi.Rsh(hi.Add(hi, up), l.prec)
		s.tails[j] = tail{new(big.Int).Add(next.a, l.mass[j]), lo.Add(lo, l.mass[j]), hi.Add(hi, l.mass[j])}
	}
	return s
}

// fromFixedRange encloses n·2^−prec for n in [lo, hi].
func (s *tailSums) fromFixedRange(lo, hi *big.Int) interval.Interval {
	return interval.Hull(fromFixed(lo, s.prec), fromFixed(hi, s.prec))
}

func fromFixed(n *big.Int, prec uint) interval.Interval {
	v := new(big.Float).SetPrec(uint(max(n.BitLen(), 1))).SetInt(n)
	return interval.Big(v.SetMantExp(v, -int(prec)))
}

// firstAbove returns the first bucket whose loss certainly exceeds ε.
func (s *tailSums) firstAbove(eps interval.Interval) int {
	return sort.Search(len(s.mass), func(j int) bool { return eps.Less(s.lossAt(j)) })
}

// hockeyStickFrom encloses A − e^{ε − loss j} C for the tail at bucket j.
func (s *tailSums) hockeyStickFrom(j int, eps interval.Interval) interval.Interval {
	if j == len(s.mass) {
		return interval.Int(0)
	}
	t := s.tails[j]
	down := eps.Sub(s.lossAt(j)).Exp()
	return fromFixed(t.a, s.prec).Sub(down.Mul(s.fromFixedRange(t.cLo, t.cHi)))
}

// delta encloses the hockey-stick divergence of order e^ε.
func (s *tailSums) delta(eps interval.Interval) interval.Interval {
	d := s.finiteDelta(eps)
	return interval.Hull(d.Add(fromFixed(s.infinityMass, s.prec)), d.Add(fromFixed(new(big.Int).Add(s.infinityMass, s.truncation), s.prec)))
}

// finiteDelta encloses the contribution of finite losses to the divergence. Buckets before the first one that certainly
// exceeds ε may exceed ε too.
func (s *tailSums) finiteDelta(eps interval.Interval) interval.Interval {
	j := s.firstAbove(eps)
	d := interval.Max(s.hockeyStickFrom(j, eps), interval.Int(0))
	for ; j > 0 && !s.lossAt(j-1).Less(eps); j-- {
		d = interval.Max(d, s.hockeyStickFrom(j-1, eps))
	}
	return d
}

// epsilon encloses the least ε ≥ 0 with δ(ε) at most the given δ ≥ 0. The upper end is +Inf if no such ε is known.
func (s *tailSums) epsilon(delta *big.Rat) interval.Interval {
	less := func(infinite *big.Int) *big.Rat {
		return new(big.Rat).Sub(delta, new(big.Rat).SetFrac(infinite, s.oneFixed()))
	}
	return interval.Hull(s.invertFinite(less(s.infinityMass)), s.invertFinite(less(new(big.Int).Add(s.infinityMass, s.truncation))))
}

// invertFinite encloses the least ε ≥ 0 at which the divergence of finite losses alone is at most most. It returns +Inf
// if most is negative. Between the losses of two consecutive buckets the divergence is A − e^{ε − loss j} C, whose root
// is a logarithm.
func (s *tailSums) invertFinite(most *big.Rat) interval.Interval {
	if most.Sign() < 0 {
		return infinite
	}
	least, delta := interval.Int(0), interval.Rat(most)
	at := func(j int) (lo, hi interval.Interval) { // δ at the loss of bucket j
		t := s.tails[j]
		return fromFixed(new(big.Int).Sub(t.a, t.cHi), s.prec), fromFixed(new(big.Int).Sub(t.a, t.cLo), s.prec)
	}
	from := sort.Search(len(s.mass), func(j int) bool { lo, _ := at(j); return !delta.Less(lo) })
	to := sort.Search(len(s.mass), func(j int) bool { _, hi := at(j); return !delta.Less(hi) })
	for j := from; j <= to; j++ { // beyond the last bucket no mass remains
		t := s.tails[j]
		over := fromFixed(t.a, s.prec).Sub(delta)
		if sign, _ := over.Sign(); sign > 0 {
			least = interval.Max(least, s.lossAt(j).Add(over.Quo(s.fromFixedRange(t.cLo, t.cHi)).Log()))
		}
	}
	return least
}
