package records

import (
	"math/big"
	"sort"
)

// openMean is the mean where records come and go. docs/records.md has the proofs.
func (r *Records) openMean() (*Query, error) {
	n, s := r.Len(), r.running()
	width := new(big.Rat).Sub(r.opts.Hi, r.opts.Lo)
	above := func(sum *big.Int, records int) *big.Rat { // the mean of so many records above Lo
		v := new(big.Rat).SetFrac(sum, big.NewInt(int64(records)))
		return v.Mul(v, s.unit)
	}
	here := above(s.first[n], n)
	q := r.query("mean", new(big.Rat).Add(r.opts.Lo, here), Range{Lo: r.opts.Lo, Hi: r.opts.Hi})
	if width.Sign() == 0 { // one value is a lattice
		q.rng.Step = r.opts.Grid
	}
	q.again = tabular(r, (*Records).Mean)
	q.ground = "the largest and the least mean within t changes (docs/records.md)"
	high := func(t, k int) *big.Rat { // without the k smallest, and with t − k more at Hi
		v := new(big.Int).Mul(s.top, big.NewInt(int64(t-k)))
		return above(v.Add(v, s.first[n]).Sub(v, s.first[k]), n+t-2*k)
	}
	low := func(t, k int) *big.Rat { return above(new(big.Int).Set(s.first[n-k]), n+t-2*k) } // without the k largest, and with t − k more at Lo
	q.moves = func(t int) (up, down *big.Rat) {
		// Both are unimodal in the number k of records that are removed, and level at their best value alone.
		last := min(t, n, (n+t-1)/2)
		k := sort.Search(last, func(k int) bool { return high(t, k+1).Cmp(high(t, k)) <= 0 })
		up = high(t, k)
		k = sort.Search(last, func(k int) bool { return low(t, k+1).Cmp(low(t, k)) >= 0 })
		down = low(t, k)
		return up.Sub(up, here), down.Sub(here, down)
	}
	// A record more or less of m moves their mean by at most (Hi − Lo)/m, and some dataset has two.
	q.local = func(t int) *big.Rat { return new(big.Rat).Mul(width, big.NewRat(1, int64(max(2, n-min(t, n))))) }
	q.global = new(big.Rat).Mul(width, big.NewRat(1, 2))
	q.open = r
	return q, nil
}
