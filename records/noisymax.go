package records

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"

	"dpworkbench/evidence"
	"dpworkbench/internal/parameter"
	"dpworkbench/internal/sampling"
	"dpworkbench/interval"
	"dpworkbench/mechanism"
)

// factors holds the coefficients of a product of factors a + b·v with a, b ≥ 0.
type factors []interval.Interval

func (f factors) times(a, b interval.Interval) factors {
	out := make(factors, len(f)+1)
	for k := range out {
		out[k] = interval.Int(0)
		if k < len(f) {
			out[k] = f[k].Mul(a)
		}
		if k > 0 {
			out[k] = out[k].Add(f[k-1].Mul(b))
		}
	}
	return out
}

// without divides the product by one of its factors. It starts from the end at which rounding errors do not grow.
func (f factors) without(a, b interval.Interval) factors {
	out := make(factors, len(f)-1)
	if b.Mid() <= a.Mid() {
		for k := range out {
			out[k] = f[k]
			if k > 0 {
				out[k] = out[k].Sub(out[k-1].Mul(b))
			}
			out[k] = interval.Max(out[k].Quo(a), interval.Int(0))
		}
		return out
	}
	for k := len(out) - 1; k >= 0; k-- {
		out[k] = f[k+1]
		if k+1 < len(out) {
			out[k] = out[k].Sub(out[k+1].Mul(a))
		}
		out[k] = interval.Max(out[k].Quo(b), interval.Int(0))
	}
	return out
}

// mostNoisy bounds the categories of noisy max with Laplace noise.
const mostNoisy = 1 << 7

// newLaplaceMax returns noisy max with Laplace noise. Its law is enclosed, and its draws are exact.
func newLaplaceMax(q *Query, eps evidence.Epsilon) (Law, error) {
	counts, unit, err := countsOf(q, eps, "noisy_max")
	if err != nil {
		return nil, err
	}
	if len(counts) > mostNoisy {
		return nil, parameter.Errorf(`%d categories, want at most %d for noisy_max with noise "laplace"`, len(counts), mostNoisy)
	}
	one, err := q.singleton()
	if err != nil {
		return nil, err
	}
	title, claim := "noisy_max, laplace(eps="+eps.String()+")", mechanism.Claim(eps, "Dwork and Roth 2014, Claim 3.9")
	m := &Choice{base: base{q, title, claim, func(q *Query) (Law, error) { return newLaplaceMax(q, eps) }}}
	gap := gaps(counts)
	row := noisyMax(gap, unit.Enclosure())
	if m.finite, err = mechanism.NewEnclosedTable(mechanism.Info{Name: title, Query: one, Claimed: claim}, [][]interval.Interval{row}, nil, nil); err != nil {
		return nil, err
	}
	m.draw = func(src rand.Source) (int, error) {
		src = sampling.Or(src)
		var best int
		var top sampling.Number
		for j, g := range gap {
			noise := sampling.Exponential(src).Number()
			if src.Uint64()&1 == 0 {
				noise = noise.Neg()
			}
			// the noisy count in units of the noise's scale
			v := sampling.Sum(sampling.Epsilon(unit).Mul(sampling.Int(-int64(g))), noise).Known()
			if top != nil {
				more, err := sampling.Less(top, v)
				if err != nil {
					return 0, err
				}
				if !more {
					continue
				}
			}
			best, top = j, v
		}
		return best, nil
	}
	return m, nil
}

// searchDepth bounds how far below the largest count the winning noisy count is sought, in scales of the noise. It is
// lower still with probability e^{−searchDepth}/2.
const searchDepth = 80

// noisyMax encloses, for each category, the probability that −gap_j·unit + Z_j is the largest, where Z has density
// e^{−|z|}/2.
//
// The line is cut at the counts c_j = −gap_j·unit, and between counts into panels [x, x + ℓ] with ℓ ≤ ln 2. On a panel
// let w = e^{−(t−x)}. For c_j ≤ x let p_j = e^{−(x−c_j)}; then Pr[c_j + Z_j ≤ t] = 1 − p_j w/2. For c_j above let r_j =
// e^{−(c_j−x−ℓ)}; then the probability is e^{−ℓ} r_j/(2w). Substitute s = (1 − w)/(1 − e^{−ℓ}). The first kind becomes
// (1 − p_j/2) + (p_j/2)(1 − e^{−ℓ})s, and powers of 1/w become series in s. No coefficient is negative. Above the
// largest count only the first kind occurs.
func noisyMax(gap []int32, unit interval.Interval) []interval.Interval {
	levels := slices.Clone(gap) // ascending: from the largest count down
	slices.Sort(levels)
	levels = slices.Compact(levels)
	count := make(map[int32]int)
	for _, g := range gap {
		count[g]++
	}
	one, half := interval.Int(1), interval.Rat(big.NewRat(1, 2))
	chance := slices.Repeat([]interval.Interval{interval.Int(0)}, len(levels)) // by level: probability of one of its categories
	at := func(i int) interval.Interval { return unit.Mul(interval.Int(int64(levels[i]))).Neg() }
	// below lists p_j/2 on the panel at x, for the levels from first on, and returns the product of their factors.
	below := func(x interval.Interval, first int, q interval.Interval) (p []interval.Interval, all factors) {
		all = factors{one}
		for i := first; i < len(levels); i++ {
			p = append(p, at(i).Sub(x).Exp().Mul(half))
			for range count[levels[i]] {
				all = all.times(one.Sub(p[i-first]), p[i-first].Mul(q))
			}
		}
		return p, all
	}
	// Above the largest count, w runs from 0 to 1, and q = 1.
	p, all := below(at(0), 0, one)
	for i := range levels {
		sum := interval.Int(0)
		for k, c := range all.without(one.Sub(p[i]), p[i]) {
			sum = sum.Add(c.Quo(interval.Int(int64(k + 1))))
		}
		chance[i] = chance[i].Add(sum.Mul(p[i]))
	}
	above := 0 // number of categories above the panel
	for i := 0; i < len(levels); i++ {
		above += count[levels[i]]
		top := at(i)
		if top.Neg().Mid() >= searchDepth {
			break
		}
		length := interval.Int(searchDepth).Add(top) // down to the next count, or to where the remaining probability is negligible
		if i+1 < len(levels) && at(i+1).Neg().Mid() < searchDepth {
			length = top.Sub(at(i + 1))
		}
		panels := panelsOf(length.Mid())
		ell := length.Quo(interval.Int(int64(panels)))
		q := ell.Neg().Expm1().Neg()
		shrunk := ell.Neg().Exp()
		same, other := integrals(above, len(gap)-above, q)
		for k := range panels {
			x := top.Sub(ell.Mul(interval.Int(int64(k + 1))))
			end := top.Sub(ell.Mul(interval.Int(int64(k))))
			// weight is the product of e^{−ℓ} r_j/2 over the categories above the panel.
			weight := one
			for j := range i + 1 {
				weight = weight.Mul(shrunk.Mul(end.Sub(at(j)).Exp()).Mul(half).Pow(count[levels[j]]))
			}
			if weight.Less(interval.Float(0x1p-370)) {
				break
			}
			p, all := below(x, i+1, q)
			sum := interval.Int(0) // for a winner among the categories above
			for j, c := range all {
				sum = sum.Add(c.Mul(same[j]))
			}
			for j := range i + 1 {
				chance[j] = chance[j].Add(sum.Mul(weight).Mul(q))
			}
			for j := range p {
				sum := interval.Int(0)
				for k, c := range all.without(one.Sub(p[j]), p[j].Mul(q)) {
					sum = sum.Add(c.Mul(other[k]))
				}
				chance[i+1+j] = chance[i+1+j].Add(sum.Mul(p[j]).Mul(weight).Mul(q))
			}
		}
	}
	left := interval.Hull(interval.Int(0), interval.Int(searchDepth-1).Neg().Exp())
	row := make([]interval.Interval, len(gap))
	for j, g := range gap {
		i, _ := slices.BinarySearch(levels, g)
		row[j] = inUnit(chance[i].Add(left))
	}
	return row
}

// panelsOf returns the smallest number of panels of length at most ln 2.
func panelsOf(length float64) int { return max(1, int(math.Ceil(length/math.Ln2))) }

// integrals encloses ∫₀¹ s^k (1 − qs)^{−m−1} ds and ∫₀¹ s^k (1 − qs)^{−m} ds for k = 0…n, q ≤ 1/2 and m ≤ mostNoisy, by
// the series of the power.
func integrals(m, n int, q interval.Interval) (same, other []interval.Interval) {
	series := func(a int) []interval.Interval { // Σ_j C(a + j − 1, j) q^j/(k + j + 1)
		out := slices.Repeat([]interval.Interval{interval.Int(0)}, n+1)
		term := interval.Int(1)
		for j := int64(0); ; j++ {
			for k := range out {
				out[k] = out[k].Add(term.Quo(interval.Int(int64(k) + j + 1)))
			}
			term = term.Mul(q).Mul(interval.Int(int64(a) + j)).Quo(interval.Int(j + 1))
			// The ratio of successive terms, q(a + j)/(j + 1), decreases. It exceeds 3/4 only for j < 2a, and until
			// then terms are above (3/4)^{2a}. So after a term below 2⁻²⁰⁰ every ratio is below 3/4.
			if term.Less(interval.Float(0x1p-200)) {
				rest := interval.Hull(interval.Int(0), term.Mul(interval.Int(4)))
				for k := range out {
					out[k] = out[k].Add(rest.Quo(interval.Int(int64(k) + j + 2)))
				}
				return out
			}
		}
	}
	return series(m + 1), series(m)
}
