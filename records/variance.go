package records

import (
	"math/big"

	"dpworkbench/internal/parameter"
)

// Variance returns the query for the population variance, under replacement. How far t changes can move it is known
// exactly. Without a grid the layers are distances. On a grid they are bounds, because the attainable variances leave
// gaps.
func (r *Records) Variance() (*Query, error) {
	if err := r.needsReplace("variance", "the lattice of variances changes with the number of records"); err != nil {
		return nil, err
	}
	n := r.Len()
	if n < 2 {
		return nil, parameter.Errorf("x has one record, whose variance is always 0: want at least two")
	}
	s := r.running()
	square := big.NewInt(int64(n))
	square.Mul(square, square)
	unit := new(big.Rat).Mul(s.unit, s.unit) // of n²·variance
	unit.Quo(unit, new(big.Rat).SetInt(square))
	scaled := func(v *big.Rat) *big.Rat { return new(big.Rat).Mul(v, unit) }
	here := s.spread(0, 0, 0)
	half := big.NewInt(int64(n/2) * int64(n-n/2))
	most := new(big.Int).Mul(s.top, s.top)
	rng := Range{Lo: new(big.Rat), Hi: scaled(new(big.Rat).SetInt(most.Mul(most, half)))}
	if r.opts.Grid != nil {
		rng.Step = unit
	}
	q := r.query("variance", scaled(new(big.Rat).SetInt(here)), rng)
	q.again = tabular(r, (*Records).Variance)
	q.exact = r.opts.Grid == nil
	q.ground = "the largest and the least variance within t changes (docs/records.md)"
	q.moves = func(t int) (up, down *big.Rat) {
		t = min(t, n)
		high := new(big.Rat).SetInt(s.widest(t))
		low := s.narrowest(t)
		at := new(big.Rat).SetInt(here)
		return scaled(high.Sub(high, at)), scaled(low.Sub(at, low))
	}
	width := new(big.Rat).Sub(r.opts.Hi, r.opts.Lo)
	factor := big.NewRat(int64(n-1), 1)
	factor.Quo(factor, new(big.Rat).SetInt(square))
	q.global = new(big.Rat).Mul(width, width)
	q.global.Mul(q.global, factor)
	// With n − 1 other records of mean m, one record moves n²·V by at most (n − 1)·max((hi − m)², (m − lo)²).
	q.local = func(t int) *big.Rat {
		t = min(t, n-1)
		others := big.NewRat(int64(n-1), 1)
		low := new(big.Rat).SetInt(s.window(1-t, n-1-t)) // sum of t records at Lo and the n − 1 − t smallest
		high := new(big.Rat).SetInt(s.window(2+t, n+t))
		top := new(big.Rat).SetInt(s.top)
		above, below := top.Sub(top, low.Quo(low, others)), high.Quo(high, others)
		if above.Cmp(below) < 0 {
			above = below
		}
		v := above.Mul(above, above)
		v.Mul(v, new(big.Rat).Mul(s.unit, s.unit))
		return v.Mul(v, factor)
	}
	return q, nil
}

// spread returns n²·variance, in squared units, after the records of ranks b+1…b+t are replaced. The number of them at
// Hi is at, and the others are at Lo.
func (s *sums) spread(b, t, at int) *big.Int {
	n := len(s.first) - 1
	a := new(big.Int).Mul(s.top, big.NewInt(int64(at)))
	first := new(big.Int).Sub(s.first[n], s.first[b+t])
	first.Add(first, s.first[b]).Add(first, a)
	second := new(big.Int).Sub(s.second[n], s.second[b+t])
	second.Add(second, s.second[b]).Add(second, a.Mul(a, s.top))
	second.Mul(second, big.NewInt(int64(n)))
	return second.Sub(second, first.Mul(first, first))
}

// widest returns the largest n²·variance within t changes. The variance is convex in each record, so the t replaced
// records go to the ends. They can be adjacent in order: if i < j < k, i and k are replaced and j stays, the variance
// is convex in the value that stays at j, so keeping x_i or x_k instead does no worse. For ranks b+1…b+t the variance
// is concave in the number of records at Hi. The best number is one of the two integers next to n/2 − S/(Hi − Lo),
// where S is the sum above Lo of the records that stay.
func (s *sums) widest(t int) *big.Int {
	n := len(s.first) - 1
	size := float64(n)*s.float2[n] + s.float1[n]*s.float1[n] + 2*float64(n)*float64(n)
	slack := size * 0x1p-40
	estimate := func(b, at int) float64 { // in units of top²
		first := s.float1[n] - s.float1[b+t] + s.float1[b] + float64(at)
		return float64(n)*(s.float2[n]-s.float2[b+t]+s.float2[b]+float64(at)) - first*first
	}
	guess := func(b int) int {
		kept := s.float1[n] - s.float1[b+t] + s.float1[b]
		return int(min(max(float64(n)/2-kept, 0), float64(t)))
	}
	best := 0.0
	for b := 0; b <= n-t; b++ {
		at := guess(b)
		best = max(best, estimate(b, at), estimate(b, min(at+1, t)))
	}
	var exact *big.Int
	for b := 0; b <= n-t; b++ {
		at := guess(b)
		for k := max(at-1, 0); k <= min(at+2, t); k++ {
			if estimate(b, k) < best-slack {
				continue
			}
			if v := s.spread(b, t, k); exact == nil || v.Cmp(exact) > 0 {
				exact = v
			}
		}
	}
	return exact
}

// narrowest returns the least n²·variance within t changes, for numbers without a grid: n − t adjacent records
// stay, and the others move to their mean.
func (s *sums) narrowest(t int) *big.Rat {
	n := len(s.first) - 1
	m := n - t
	if m < 1 {
		return new(big.Rat)
	}
	estimate := func(b int) float64 {
		first, second := s.float1[b+m]-s.float1[b], s.float2[b+m]-s.float2[b]
		return float64(m)*second - first*first
	}
	slack := (float64(m)*s.float2[n]+s.float1[n]*s.float1[n])*0x1p-40 + 0x1p-1000 // rounded squares may be subnormal
	best := estimate(0)
	for b := 1; b <= t; b++ {
		best = min(best, estimate(b))
	}
	var exact *big.Int
	for b := 0; b <= t; b++ {
		if estimate(b) > best+slack {
			continue
		}
		first, second := new(big.Int).Sub(s.first[b+m], s.first[b]), new(big.Int).Sub(s.second[b+m], s.second[b])
		second.Mul(second, big.NewInt(int64(m)))
		if v := second.Sub(second, first.Mul(first, first)); exact == nil || v.Cmp(exact) < 0 {
			exact = v
		}
	}
	v := new(big.Rat).SetInt(exact)
	return v.Mul(v, big.NewRat(int64(n), int64(m)))
}
