package xor

import (
	"cmp"
	"math"
	"slices"
)

// maxChoices bounds the table of the dynamic programme over components.
const maxChoices = 1 << 24

// options holds, for one part, best[k]: the best flip of at most k bits of a copy.
type options struct {
	part   component
	copies int // number of copies that can be used
	best   []found
}

// overComponents distributes at most t bits over the independent parts optimally.
func (s *lossSearch) overComponents(parts []component, t int) (found, error) {
	t = min(t, s.law.Dim())
	var all []options
	copies := 0
	for _, part := range parts {
		c, err := s.coupling(part.bits)
		if err != nil {
			return found{}, err
		}
		best, err := c.upTo(part.bits, min(t, len(part.bits)))
		if err != nil {
			return found{}, err
		}
		all = append(all, options{part, min(part.copies, t), best})
		copies += min(part.copies, t)
	}
	switch {
	case t == s.law.Dim():
		return s.everything(all)
	case float64(copies)*float64(t+1) > maxChoices:
		return s.greedily(all, t)
	}
	return s.byDynamicProgramme(all, t, copies)
}

// everything returns the flip that combines the best flips of all copies, without a limit on the bits.
func (s *lossSearch) everything(all []options) (found, error) {
	var total found
	for _, o := range all {
		for copy := range o.copies {
			if copy%1024 == 0 && s.ctx.Err() != nil {
				return found{}, s.ctx.Err()
			}
			total.absorb(o.best[len(o.best)-1].moved(s.law.shift(o.part, copy)))
		}
	}
	return total, nil
}

// byDynamicProgramme maximises over all distributions of t bits. have[n] is the largest loss of n bits, and choice the
// number of these bits in the last part.
func (s *lossSearch) byDynamicProgramme(all []options, t, copies int) (found, error) {
	value, most := make([]float64, t+1), make([]float64, t+1)
	choice := make([][]int32, 0, copies)
	for _, o := range all {
		for range o.copies {
			if err := s.ctx.Err(); err != nil {
				return found{}, err
			}
			mine := make([]int32, t+1)
			for n := t; n > 0; n-- { // from t down, so that each copy is used once
				top, bound := value[n], most[n]
				for k := 1; k < len(o.best) && k <= n; k++ {
					if v := value[n-k] + o.best[k].value; v > top {
						top, mine[n] = v, int32(k)
					}
					bound = math.Max(bound, most[n-k]+o.best[k].most)
				}
				value[n], most[n] = top, bound
			}
			choice = append(choice, mine)
		}
	}
	n := t
	var total found
	for i, at := len(all)-1, len(choice); i >= 0; i-- {
		for copy := all[i].copies - 1; copy >= 0; copy-- {
			at--
			if k := int(choice[at][n]); k > 0 {
				total.absorb(all[i].best[k].moved(s.law.shift(all[i].part, copy)))
				n -= k
			}
		}
	}
	total.value, total.most = value[t], most[t]
	return total, nil
}

// greedily flips the bits with the largest gains, and bounds every other distribution: at any price μ ≥ 0 per bit, the
// gain of a distribution is at most μt + Σ max_k(best_k − μk). It uses the gain of the last bits as μ.
func (s *lossSearch) greedily(all []options, t int) (found, error) {
	type lot struct{ part, bits int }
	lots := make([]lot, len(all))
	earns := func(l lot) float64 { return all[l.part].best[l.bits].value / float64(l.bits) }
	for i, o := range all {
		lots[i] = lot{i, 1}
		for k := 2; k < len(o.best); k++ {
			if earns(lot{i, k}) > earns(lots[i]) {
				lots[i].bits = k
			}
		}
	}
	slices.SortFunc(lots, func(a, b lot) int { return cmp.Compare(earns(b), earns(a)) })
	var total found
	left, price := t, 0.0
	for _, l := range lots {
		o := all[l.part]
		for copy := 0; copy < o.copies && left > 0; copy++ {
			if copy%1024 == 0 && s.ctx.Err() != nil {
				return found{}, s.ctx.Err()
			}
			k := min(l.bits, left)
			price = earns(l)
			total.absorb(o.best[k].moved(s.law.shift(o.part, copy)))
			left -= k
		}
	}
	if left > 0 {
		price = 0
	}
	total.most = price * float64(t)
	for _, o := range all {
		spare := 0.0
		for k := range o.best {
			spare = math.Max(spare, o.best[k].most-price*float64(k))
		}
		total.most += float64(o.copies) * spare
	}
	// The products and sums have rounding errors relative to their terms.
	total.most = math.Max(total.value, total.most*(1+float64(2*len(all)+8)*unit))
	if total.most > total.value*(1+1e-12) {
		s.gaveUp = true
	}
	return total, nil
}
