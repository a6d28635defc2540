package records_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/records"
)

// gained is the most that t changes can add to a sum: the largest number there can be, as often as one likes, or the removal of negative ones.
func gained(x []*big.Rat, hi *big.Rat, t int) *big.Rat {
	gains := make([]*big.Rat, t)
	for i := range gains {
		gains[i] = largest(hi, new(big.Rat))
	}
	for _, v := range x {
		gains = append(gains, new(big.Rat).Neg(v))
	}
	slices.SortFunc(gains, func(a, b *big.Rat) int { return b.Cmp(a) })
	sum := new(big.Rat)
	for _, g := range gains[:t] {
		sum.Add(sum, largest(g, new(big.Rat)))
	}
	return sum
}

func negated(x []*big.Rat) []*big.Rat {
	var out []*big.Rat
	for _, v := range x {
		out = append(out, new(big.Rat).Neg(v))
	}
	return out
}

// What laws on a range without an end say is what a list that is long enough does: layered ones to 75 bits, as the rest is bounded, and
// noise to 200. Where there is no upper end, and no end at all.
func TestLawsWithoutAnEnd(t *testing.T) {
	for n, c := range []struct {
		lo, hi int64
		x      []int64
		grid   *big.Rat
	}{
		{-2, 3, []int64{-2, -1, -1, 0, 3}, rat(1, 1)},
		{-2, 3, []int64{2}, nil},
		{1, 4, []int64{1, 1, 3}, rat(1, 1)},
		{-3, -1, []int64{-1, -3}, rat(1, 2)},
		{0, 2, []int64{0, 2, 2}, nil},
	} {
		var x []*big.Rat
		var floats []float64
		sum := new(big.Rat)
		for _, v := range c.x {
			x, floats = append(x, rat(v, 1)), append(floats, float64(v))
			sum.Add(sum, rat(v, 1))
		}
		lo, hi := rat(c.lo, 1), rat(c.hi, 1)
		q := must.For(must.For(records.New(floats, records.Options{Lo: lo, Hi: hi, Grid: c.grid, Neighbors: records.AddRemove}))(t).Total())(t)
		if q.Value().Cmp(sum) != 0 {
			t.Fatalf("%v sum to %v", c.x, q.Value())
		}
		low, high := rat(-250, 1), rat(250, 1) // beyond them a density weighs less than 2⁻²⁰⁰
		if c.lo >= 0 {
			low = rat(0, 1)
		}
		if c.hi <= 0 {
			high = rat(0, 1)
		}
		end := func(v *big.Rat, side int64) *big.Rat {
			if v.Sign() == 0 {
				return v
			}
			return nil
		}
		if g := q.Range(); (g.Lo == nil) != (c.lo < 0) || (g.Hi == nil) != (c.hi > 0) {
			t.Fatalf("totals of numbers from %v to %v have the range %v", lo, hi, g)
		}
		wide := func(v *big.Rat) *big.Rat { return new(big.Rat).Mul(v, rat(3, 1)) } // for the slower fall of the exponential mechanism
		global := largest(new(big.Rat).Abs(lo), new(big.Rat).Abs(hi))
		cut := func(up, down *big.Rat) (a, b *big.Rat) {
			return largest(new(big.Rat).Sub(sum, down), low), smallest(new(big.Rat).Add(sum, up), high)
		}
		points := []*big.Rat{rat(-50, 1), rat(-8, 1), rat(-5, 2), rat(-1, 1), rat(0, 1), rat(1, 3), rat(2, 1), rat(7, 2), rat(5, 1), rat(30, 1)}
		for _, decay := range []evidence.Epsilon{must.Be(evidence.LogEpsilon("decay", rat(9, 1))), must.Be(evidence.NewEpsilon("decay", 2))}[n%2:][:1] {
			what := fmt.Sprintf("%v on [%v, %v], grid %v, decay %v", c.x, lo, hi, c.grid, decay)
			judge(t, "purest, "+what, must.For(records.NewPurest(q, decay))(t), layered(low, high, c.grid, decay, func(t int) (a, b *big.Rat) {
				return cut(gained(x, hi, t), gained(negated(x), new(big.Rat).Neg(lo), t))
			}), points, 75)
			judge(t, "ladder, "+what, must.For(records.NewLadder(q, decay.Times(2)))(t), layered(low, high, c.grid, decay, func(t int) (a, b *big.Rat) {
				d := new(big.Rat).Mul(global, rat(int64(t), 1))
				return cut(d, d)
			}), points, 75)
			eps := decay.Times(2)
			rate := over(value(eps), realOf(global))
			var law truth = &doubled{f: sum, lo: end(low, -1), hi: end(high, 1), rate: rate, moved: true}
			var weighed truth = &doubled{f: sum, lo: end(low, -1), hi: end(high, 1), rate: over(rate, fresh().SetInt64(2))}
			if c.grid != nil {
				law = movedTo(&doubled{f: rat(0, 1), rate: rate}, sum, low, high, c.grid)
				weighed = listed(wide(low), wide(high), c.grid, func(v *big.Rat) *big.Float {
					d := new(big.Rat).Sub(v, sum)
					return expOf(fresh().Neg(times(rate, realOf(d.Abs(d).Mul(d, rat(1, 2))))))
				})
			}
			judge(t, "laplace, "+what, must.For(records.NewLaplace(q, eps))(t), law, points, 200)
			judge(t, "exponential, "+what, must.For(records.NewExponential(q, eps))(t), weighed, points, 200)
			if c.grid != nil {
				judge(t, "staircase, "+what, must.For(records.NewStaircase(q, eps, rat(1, 4)))(t), movedTo(stairs(eps, rat(1, 4), global, 120), sum, low, high, c.grid), points, 200)
			}
		}
	}
}
