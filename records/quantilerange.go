package records

import (
	"math/big"

	"dpworkbench/internal/parameter"
)

// QuantileRange returns the query for x_(b) − x_(a), where b = ⌈qn⌉ and a = ⌈pn⌉ (1 for p = 0), under replacement. It
// is the interquartile range for 1/4 and 3/4. It returns an error wrapping evidence.ErrParameter unless 0 ≤ p ≤ q ≤ 1
// and a < b.
//
// Replacing a record moves either rank by at most one, and never both towards each other. Of t replaced records, k
// raise the upper statistic and t − k lower the lower statistic, or the reverse. So t changes reach from the least
// x_{b−t+k} − x_{a+k} to the largest x_{b+k} − x_{a−t+k}, and small steps of one record reach all values between. A
// change that crosses one of the two statistics moves it alone. A change that crosses both moves them in the same
// direction. So the local sensitivity is the larger of the two statistics' local sensitivities.
func (r *Records) QuantileRange(p, q *big.Rat) (*Query, error) {
	if err := r.needsReplace("quantile_range", "places change with the number of records"); err != nil {
		return nil, err
	}
	if p.Sign() < 0 || q.Cmp(big.NewRat(1, 1)) > 0 {
		return nil, parameter.Errorf("p = %s and q = %s, want numbers from 0 to 1", text(p), text(q))
	}
	a, b := placeOf(p, r.Len()), placeOf(q, r.Len())
	if a >= b {
		return nil, parameter.Errorf("p = %s and q = %s select the records %d and %d of %d in order, want the second above the first", text(p), text(q), a, b, r.Len())
	}
	width := new(big.Rat).Sub(r.opts.Hi, r.opts.Lo)
	f := r.query("quantile_range("+text(p)+", "+text(q)+")", r.between(a, b), Range{new(big.Rat), width, r.opts.Grid})
	f.again = tabular(r, func(r *Records) (*Query, error) { return r.QuantileRange(p, q) })
	f.exact, f.ground = true, "order statistics move by at most one place a change, never both towards each other"
	f.moves = func(t int) (up, down *big.Rat) {
		t = min(t, r.Len())
		high := r.gap(a, b, t-1)
		return high.Sub(high, f.value), new(big.Rat).Sub(f.value, r.narrowest(a, b, t))
	}
	f.local, f.attained = func(t int) *big.Rat {
		t = min(t, r.Len())
		return larger(r.gap(a, a, t), r.gap(b, b, t))
	}, always
	f.global = width
	return f, nil
}

// narrowest returns the least x_{b−t+k} − x_{a+k} for 0 ≤ k ≤ t. It is 0 if t records can fill the ranks from a to b.
func (r *Records) narrowest(a, b, t int) *big.Rat {
	if t >= b-a {
		return new(big.Rat)
	}
	near := func(k int) float64 { return r.near(b-t+k) - r.near(a+k) }
	best := near(0)
	for k := 1; k <= t; k++ {
		best = min(best, near(k))
	}
	best += 0x1p-50 * max(abs(r.near(0)), abs(r.near(r.Len()+1)))
	var exact *big.Rat
	for k := 0; k <= t; k++ {
		if near(k) > best {
			continue
		}
		if d := r.between(a+k, b-t+k); exact == nil || d.Cmp(exact) < 0 {
			exact = d
		}
	}
	return exact
}
