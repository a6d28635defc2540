package records

import (
	"math/big"
	"sync"

	"dpworkbench/internal/lists"
	"dpworkbench/query"
)

// sums holds partial sums of the records above Lo and of their squares, in integer multiples of a unit.
type sums struct {
	once   sync.Once
	unit   *big.Rat   // unit of the sums
	top    *big.Int   // (Hi − Lo)/unit
	first  []*big.Int // first[k] is the sum of the k smallest
	second []*big.Int // second[k] is the sum of the squares of the k smallest
	float1 []float64  // float1[k] is first[k]/top, rounded, or 0 if top is 0
	float2 []float64  // float2[k] is second[k]/top², rounded, or 0 if top is 0
}

// running computes the partial sums.
func (r *Records) running() *sums {
	s := &r.sums
	s.once.Do(func() {
		n := r.Len()
		s.unit = r.opts.Grid
		if s.unit == nil {
			s.unit = new(big.Rat).SetFrac(big.NewInt(1), commonDenominator(append([]*big.Rat{r.opts.Lo, r.opts.Hi}, r.all()...)))
		}
		whole := func(k int) *big.Int {
			if r.opts.Grid != nil {
				return big.NewInt(r.place(k))
			}
			v := new(big.Rat).Sub(r.at(k), r.opts.Lo)
			v.Quo(v, s.unit)
			return new(big.Int).Set(v.Num())
		}
		s.top = whole(n + 1)
		square := new(big.Int).Mul(s.top, s.top)
		s.first, s.second = make([]*big.Int, n+1), make([]*big.Int, n+1)
		s.float1, s.float2 = make([]float64, n+1), make([]float64, n+1)
		s.first[0], s.second[0] = new(big.Int), new(big.Int)
		for k := 1; k <= n; k++ {
			v := whole(k)
			s.first[k] = new(big.Int).Add(s.first[k-1], v)
			s.second[k] = v.Mul(v, v)
			s.second[k].Add(s.second[k], s.second[k-1])
			if s.top.Sign() > 0 {
				s.float1[k], _ = new(big.Rat).SetFrac(s.first[k], s.top).Float64()
				s.float2[k], _ = new(big.Rat).SetFrac(s.second[k], square).Float64()
			}
		}
	})
	return s
}

// commonDenominator returns the least common denominator of some numbers.
func commonDenominator(of []*big.Rat) *big.Int {
	d := big.NewInt(1)
	for _, v := range of {
		if new(big.Int).Rem(d, v.Denom()).Sign() != 0 {
			d = query.CommonDenominator(d, v)
		}
	}
	return d
}

// all lists the records of a dataset without a grid as rationals.
func (r *Records) all() []*big.Rat {
	return lists.Of(len(r.sorted), func(i int) *big.Rat { return r.at(i + 1) })
}

// window returns the sum, above Lo, of the records of ranks a…b. Ranks before the first record count as Lo, ranks after
// the last as Hi.
func (s *sums) window(a, b int) *big.Int {
	n := len(s.first) - 1
	out := new(big.Int)
	if over := b - max(a-1, n); over > 0 {
		out.Mul(s.top, big.NewInt(int64(over)))
	}
	from, to := min(max(a-1, 0), n), min(max(b, 0), n)
	if to > from {
		out.Add(out, s.first[to]).Sub(out, s.first[from])
	}
	return out
}
