package privacy

import (
	"math"
	"math/big"
	"sort"

	"dpworkbench/interval"
)

// sums is a ladder with what its answers are read from.
type sums struct {
	*ladder
	cut   *big.Int // rest
	tails []tail   // of every rung and of none, beyond the last
	below *sums    // what lower ends are read from: of the ladder under it on a grid, itself on a lattice
}

// tail is the mass of the rungs from j on, as it is and weighed by e^{loss j − loss}:
// δ(ε) = A − e^{ε − loss j} C where j is the first rung above ε, and nowhere less.
type tail struct{ a, cLo, cHi *big.Int }

// newSums sums tails by Horner's rule in whole numbers, cut off and rounded up.
func newSums(l *ladder) *sums {
	s := tailsOf(l)
	s.below = s
	return s
}

func tailsOf(l *ladder) *sums {
	s := &sums{ladder: l, cut: l.rest(), tails: make([]tail, len(l.mass)+1)}
	decay := l.step.Neg().Exp()
	zLo := cut(decay, l.prec)
	zHi := new(big.Int).Sub(l.whole(), cut(interval.Int(1).Sub(decay), l.prec))
	s.tails[len(l.mass)] = tail{new(big.Int), new(big.Int), new(big.Int)}
	up := new(big.Int).Sub(l.whole(), big.NewInt(1))
	for j := len(l.mass) - 1; j >= 0; j-- {
		next := s.tails[j+1]
		lo, hi := new(big.Int).Mul(next.cLo, zLo), new(big.Int).Mul(next.cHi, zHi)
		lo.Rsh(lo, l.prec)
		hi.Rsh(hi.Add(hi, up), l.prec)
		s.tails[j] = tail{new(big.Int).Add(next.a, l.mass[j]), lo.Add(lo, l.mass[j]), hi.Add(hi, l.mass[j])}
	}
	return s
}

// share encloses n·2^−prec for n from lo to hi.
func (s *sums) share(lo, hi *big.Int) interval.Interval {
	return interval.Hull(scaled(lo, s.prec), scaled(hi, s.prec))
}

func scaled(n *big.Int, prec uint) interval.Interval {
	v := new(big.Float).SetPrec(uint(max(n.BitLen(), 1))).SetInt(n)
	return interval.Big(v.SetMantExp(v, -int(prec)))
}

// above returns the first rung whose loss is certainly above ε.
func (s *sums) above(eps interval.Interval) int {
	return sort.Search(len(s.mass), func(j int) bool { return eps.Less(s.at(j)) })
}

// from encloses A − e^{ε − loss j} C, which is at most δ(ε), and it where j is the
// first rung above ε.
func (s *sums) from(j int, eps interval.Interval) interval.Interval {
	if j == len(s.mass) {
		return interval.Int(0)
	}
	t := s.tails[j]
	down := eps.Sub(s.at(j)).Exp()
	return scaled(t.a, s.prec).Sub(down.Mul(s.share(t.cLo, t.cHi)))
}

// delta encloses the hockey-stick divergence of order e^ε.
func (s *sums) delta(eps interval.Interval) interval.Interval {
	above := s.kept(eps)
	least := s.below.kept(eps)
	if s.below != s {
		least = interval.Max(least, above.Sub(s.blur(eps, above)).Sub(s.lent))
	}
	least = least.Add(scaled(s.below.sure, s.prec))
	return interval.Hull(least, above.Add(scaled(new(big.Int).Add(s.sure, s.cut), s.prec)))
}

// blur bounds by how much splitting losses between rungs may have raised δ(ε) = d. With V the sum of the squares of the
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
func (s *sums) blur(eps, d interval.Interval) interval.Interval {
	v := s.moved
	_, size := d.Bounds()
	tiny := math.Max(-math.Log(max(size, 1e-300))+12, 12) // −ln τ wanted
	out := v.Mul(interval.Float(tiny / 2)).Sqrt()         // u − V/8
	tau := out.Mul(out).Mul(interval.Int(-2)).Quo(v).Exp()
	u := out.Add(v.Quo(interval.Int(8)))
	gain := v.Quo(interval.Int(4)).Expm1().Sqrt().Quo(interval.Int(2))
	two := u.Mul(interval.Int(2))
	from := sort.Search(len(s.mass), func(j int) bool { return !s.at(j).Less(eps.Sub(two)) })
	to := s.above(eps.Add(two))
	within := new(big.Int).Add(s.tails[from].a, s.cut)
	within.Sub(within, s.tails[to].a)
	return gain.Mul(scaled(within, s.prec).Add(tau).Add(tau)).Add(tau)
}

// kept encloses what the rungs add to the divergence. The rung before the first that is certainly above ε may be above
// it too.
func (s *sums) kept(eps interval.Interval) interval.Interval {
	j := s.above(eps)
	d := interval.Max(s.from(j, eps), interval.Int(0))
	for ; j > 0 && !s.at(j-1).Less(eps); j-- {
		d = interval.Max(d, s.from(j-1, eps))
	}
	return d
}

// epsilon encloses the least ε ≥ 0 at which δ(ε) is at most the given δ ≥ 0, not bounded
// above where none is known.
func (s *sums) epsilon(delta *big.Rat) interval.Interval {
	target := interval.Rat(delta)
	less := func(infinite *big.Int) *big.Rat {
		return new(big.Rat).Sub(delta, new(big.Rat).SetFrac(infinite, s.whole()))
	}
	least, most := s.below.solve(less(s.below.sure)), s.solve(less(new(big.Int).Add(s.sure, s.cut)))
	if s.below == s {
		return interval.Hull(least, most)
	}
	// Where the lower end of δ exceeds the target, ε is larger: bisected, as that end need not fall evenly.
	lo, up := least.Mid(), most.Mid()
	if math.IsInf(up, 1) && len(s.mass) > 0 {
		up = max(s.at(len(s.mass)-1).Mid(), 0) + 1
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

// solve encloses the least ε ≥ 0 at which the rungs alone give at most the given δ: beyond all numbers where it is negative. For ε between the losses of two rungs next
// to each other the rungs give A − e^{ε − loss j} C, whose root is a logarithm.
func (s *sums) solve(most *big.Rat) interval.Interval {
	if most.Sign() < 0 {
		return infinite
	}
	least, delta := interval.Int(0), interval.Rat(most)
	at := func(j int) (lo, hi interval.Interval) { // δ at the loss of rung j
		t := s.tails[j]
		return scaled(new(big.Int).Sub(t.a, t.cHi), s.prec), scaled(new(big.Int).Sub(t.a, t.cLo), s.prec)
	}
	from := sort.Search(len(s.mass), func(j int) bool { lo, _ := at(j); return !delta.Less(lo) })
	to := sort.Search(len(s.mass), func(j int) bool { _, hi := at(j); return !delta.Less(hi) })
	for j := from; j <= to; j++ { // beyond the last there is nothing over
		t := s.tails[j]
		over := scaled(t.a, s.prec).Sub(delta)
		if sign, _ := over.Sign(); sign > 0 {
			least = interval.Max(least, s.at(j).Add(over.Quo(s.share(t.cLo, t.cHi)).Log()))
		}
	}
	return least
}
