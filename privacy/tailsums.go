package privacy

import (
	"math"
	"math/big"
	"sort"

	"dpworkbench/interval"
)

// tailSums is a ladder with what its answers are read from.
type tailSums struct {
	*lossPMF
	truncation *big.Int  // rest
	tails      []tail    // of every rung and of none, beyond the last
	optimistic *tailSums // what lower ends are read from: of the ladder under it on a grid, itself on a lattice
}

// tail is the mass of the rungs from j on, as it is and weighed by e^{loss j − loss}:
// δ(ε) = A − e^{ε − loss j} C where j is the first rung above ε, and nowhere less.
type tail struct{ a, cLo, cHi *big.Int }

// newTailSums sums tails by Horner's rule in whole numbers, cut off and rounded up.
func newTailSums(l *lossPMF) *tailSums {
	s := sumTails(l)
	s.optimistic = s
	return s
}

func sumTails(l *lossPMF) *tailSums {
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

// fromFixedRange encloses n·2^−prec for n from lo to hi.
func (s *tailSums) fromFixedRange(lo, hi *big.Int) interval.Interval {
	return interval.Hull(fromFixed(lo, s.prec), fromFixed(hi, s.prec))
}

func fromFixed(n *big.Int, prec uint) interval.Interval {
	v := new(big.Float).SetPrec(uint(max(n.BitLen(), 1))).SetInt(n)
	return interval.Big(v.SetMantExp(v, -int(prec)))
}

// firstAbove returns the first rung whose loss is certainly above ε.
func (s *tailSums) firstAbove(eps interval.Interval) int {
	return sort.Search(len(s.mass), func(j int) bool { return eps.Less(s.lossAt(j)) })
}

// hockeyStickFrom encloses A − e^{ε − loss j} C, which is at most δ(ε), and it where j is the
// first rung above ε.
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
	above := s.finiteDelta(eps)
	least := s.optimistic.finiteDelta(eps)
	if s.optimistic != s {
		least = interval.Max(least, above.Sub(s.discretizationError(eps, above)).Sub(s.unassigned))
	}
	least = least.Add(fromFixed(s.optimistic.infinityMass, s.prec))
	return interval.Hull(least, above.Add(fromFixed(new(big.Int).Add(s.infinityMass, s.truncation), s.prec)))
}

// discretizationError bounds by how much splitting losses between rungs may have raised δ(ε) = d. With V the sum of the squares of the
// steps h of all splits, and M the product of their factors, each of mean 1 and in an interval of length h in its
// logarithm, given the output and the factors before it, E M = 1 and:
//
//   - (1 − yM)⁺ exceeds (1 − y)⁺ on average by at most E|M − 1|/2 ≤ √(E M² − 1)/2 ≤ √(e^{V/4} − 1)/2, a
//     factor with ends of ratio e^h having at most the second moment cosh²(h/2) ≤ e^{h²/4};
//   - for y ≥ e^u by at most P[ln M ≤ −u], and for y ≤ e^−u, being E(yM − 1)⁺ there, by at most the chance of ln M ≥ u
//     under the tilted law M dP. Both are at most τ = exp(−2(u − V/8)²/V): as each factor has the mean 1, Hoeffding's lemma has
//     the means of the terms of ln M at least −h²/8, those of −ln M under the tilted law too, and the inequality of Hoeffding and Azuma the tail;
//   - the loss L = ε − ln y lies within u of ε with at most the chance that the ladder's, L − ln M, does within 2u, plus
//     that of |ln M| > u, at most 2τ, as the means of the terms are at most 0.
//
// So it is at most gain·(P[ladder's within 2u] + 2τ) + τ.
func (s *tailSums) discretizationError(eps, d interval.Interval) interval.Interval {
	v := s.discVar
	_, size := d.Bounds()
	tiny := math.Max(-math.Log(max(size, 1e-300))+12, 12) // −ln τ wanted
	out := v.Mul(interval.Float(tiny / 2)).Sqrt()         // u − V/8
	tau := out.Mul(out).Mul(interval.Int(-2)).Quo(v).Exp()
	u := out.Add(v.Quo(interval.Int(8)))
	gain := v.Quo(interval.Int(4)).Expm1().Sqrt().Quo(interval.Int(2))
	two := u.Mul(interval.Int(2))
	from := sort.Search(len(s.mass), func(j int) bool { return !s.lossAt(j).Less(eps.Sub(two)) })
	to := s.firstAbove(eps.Add(two))
	within := new(big.Int).Add(s.tails[from].a, s.truncation)
	within.Sub(within, s.tails[to].a)
	return gain.Mul(fromFixed(within, s.prec).Add(tau).Add(tau)).Add(tau)
}

// finiteDelta encloses what the rungs add to the divergence. The rung before the first that is certainly above ε may be above
// it too.
func (s *tailSums) finiteDelta(eps interval.Interval) interval.Interval {
	j := s.firstAbove(eps)
	d := interval.Max(s.hockeyStickFrom(j, eps), interval.Int(0))
	for ; j > 0 && !s.lossAt(j-1).Less(eps); j-- {
		d = interval.Max(d, s.hockeyStickFrom(j-1, eps))
	}
	return d
}

// epsilon encloses the least ε ≥ 0 at which δ(ε) is at most the given δ ≥ 0, not bounded
// above where none is known.
func (s *tailSums) epsilon(delta *big.Rat) interval.Interval {
	target := interval.Rat(delta)
	less := func(infinite *big.Int) *big.Rat {
		return new(big.Rat).Sub(delta, new(big.Rat).SetFrac(infinite, s.oneFixed()))
	}
	least, most := s.optimistic.invertFinite(less(s.optimistic.infinityMass)), s.invertFinite(less(new(big.Int).Add(s.infinityMass, s.truncation)))
	if s.optimistic == s {
		return interval.Hull(least, most)
	}
	// Where the lower end of δ exceeds the target, ε is larger: bisected, as that end need not fall evenly.
	lo, up := least.Mid(), most.Mid()
	if math.IsInf(up, 1) && len(s.mass) > 0 {
		up = max(s.lossAt(len(s.mass)-1).Mid(), 0) + 1
	}
	for range 60 {
		mid := (lo + up) / 2
		if !(up-lo > 1e-13*(1+up)) || math.IsInf(mid, 0) {
			break
		}
		if at := interval.Float(mid); target.Less(s.delta(at)) {
			lo, least = mid, at
		} else {
			up = mid
		}
	}
	return interval.Hull(least, most)
}

// invertFinite encloses the least ε ≥ 0 at which the rungs alone give at most the given δ: beyond all numbers where it is negative. For ε between the losses of two rungs next
// to each other the rungs give A − e^{ε − loss j} C, whose root is a logarithm.
func (s *tailSums) invertFinite(most *big.Rat) interval.Interval {
	if most.Sign() < 0 {
		return infinite
	}
	least, delta := interval.Int(0), interval.Rat(most)
	at := func(j int) (lo, hi interval.Interval) { // δ at the loss of rung j
		t := s.tails[j]
		return fromFixed(new(big.Int).Sub(t.a, t.cHi), s.prec), fromFixed(new(big.Int).Sub(t.a, t.cLo), s.prec)
	}
	from := sort.Search(len(s.mass), func(j int) bool { lo, _ := at(j); return !delta.Less(lo) })
	to := sort.Search(len(s.mass), func(j int) bool { _, hi := at(j); return !delta.Less(hi) })
	for j := from; j <= to; j++ { // beyond the last there is nothing over
		t := s.tails[j]
		over := fromFixed(t.a, s.prec).Sub(delta)
		if sign, _ := over.Sign(); sign > 0 {
			least = interval.Max(least, s.lossAt(j).Add(over.Quo(s.fromFixedRange(t.cLo, t.cHi)).Log()))
		}
	}
	return least
}
