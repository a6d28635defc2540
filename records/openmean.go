package records

import (
	"math/big"
	"sort"
)

// openMean returns the query for the mean under addition and removal. docs/records.md has the proofs.
func (r *Records) openMean() (*Query, error) {
	n, s := r.Len(), r.running()
	width := new(big.Rat).Sub(r.opts.Hi, r.opts.Lo)
	above := func(sum *big.Int, records int) *big.Rat { // a mean minus Lo, given the sum above Lo of the records
		v := new(big.Rat).SetFrac(sum, big.NewInt(int64(records)))
		return v.Mul(v, s.unit)
	}
	here := above(s.first[n], n)
	q := r.query("mean", new(big.Rat).Add(r.opts.Lo, here), Range{Lo: r.opts.Lo, Hi: r.opts.Hi})
	if width.Sign() == 0 { // a range of one value counts as a lattice
		q.rng.Step = r.opts.Grid
	}
	q.again = tabular(r, (*Records).Mean)
	q.ground = "the largest and the least mean within t changes (docs/records.md)"
	high := func(t, k int) *big.Rat { // after removing the k smallest records and adding t − k at Hi
		v := new(big.Int).Mul(s.top, big.NewInt(int64(t-k)))
		return above(v.Add(v, s.first[n]).Sub(v, s.first[k]), n+t-2*k)
	}
	low := func(t, k int) *big.Rat { return above(new(big.Int).Set(s.first[n-k]), n+t-2*k) } // after removing the k largest records and adding t − k at Lo
	q.moves = func(t int) (up, down *big.Rat) {
		// high and low are unimodal in the number k of removed records, and constant only around the optimum.
		last := min(t, n, (n+t-1)/2)
		k := sort.Search(last, func(k int) bool { return high(t, k+1).Cmp(high(t, k)) <= 0 })
		up = high(t, k)
		k = sort.Search(last, func(k int) bool { return low(t, k+1).Cmp(low(t, k)) >= 0 })
		down = low(t, k)
		return up.Sub(up, here), down.Sub(here, down)
	}
	// The means of m records and of m − 1 of these records differ by at most (Hi − Lo)/m. Within t changes m is at
	// least n − t, and it is always at least 2.
	q.local = func(t int) *big.Rat { return new(big.Rat).Mul(width, big.NewRat(1, int64(max(2, n-min(t, n))))) }
	q.global = new(big.Rat).Mul(width, big.NewRat(1, 2))
	q.openMean = r
	return q, nil
}
