package records_test

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/records"
)

// open is a law of which the chance of an error up to e alone is known, between two ends.
type open struct {
	records.Law
	q      *records.Query
	within func(e *big.Rat) interval.Interval
	fails  error
}

func (m open) Query() *records.Query { return m.q }

func (m open) Within(_ context.Context, e *big.Rat) (interval.Interval, error) {
	return m.within(e), m.fails
}

// Where chances are open the quantile of the error lies between the least e that may reach p and the least that surely does, on a lattice or not, with an end
// or without, and it is exact where both are one value of a lattice.
func TestQuantilesOfOpenLaws(t *testing.T) {
	f := rat(3, 2)
	own := must.For(records.NewOwn(records.Own{Value: func(records.Dataset) (*big.Rat, error) { return f, nil },
		Up: func(records.Dataset, int) (*big.Rat, error) { return rat(1, 1), nil }, Down: func(records.Dataset, int) (*big.Rat, error) { return rat(1, 1), nil }}))(t)
	r := recordsOf(t, []int64{0, 1, 2}, 3, rat(1, 1), records.Replace)
	one := rat(1, 1)
	for name, g := range map[string]records.Range{"a line": {}, "half a line": {Lo: rat(0, 1)}, "an interval": {Lo: rat(-7, 1), Hi: rat(2, 1)}, "a lattice": {Step: rat(1, 4)}, "half a lattice": {Hi: rat(2, 1), Step: rat(1, 4)},
		"ends of a lattice": {Lo: rat(-7, 1), Hi: rat(2, 1), Step: rat(1, 4)}, "a coarse lattice": {Lo: rat(-42, 1), Hi: rat(12, 1), Step: rat(3, 2)}} {
		q := must.For(own.OnRecords(r, g))(t)
		var end *big.Rat
		if g.Lo != nil && g.Hi != nil {
			end = new(big.Rat).Sub(f, g.Lo)
		}
		for _, wide := range []*big.Rat{rat(1, 64), new(big.Rat)} {
			m := open{q: q, within: func(e *big.Rat) interval.Interval { // e/(1 + e), or a little less or more
				if end != nil && e.Cmp(end) >= 0 {
					return interval.Int(1)
				}
				v := new(big.Rat).Quo(e, new(big.Rat).Add(e, one))
				return interval.Hull(interval.Rat(new(big.Rat).Sub(v, wide)), interval.Rat(new(big.Rat).Add(v, wide)))
			}}
			for _, p := range []*big.Rat{rat(1, 32), rat(1, 2), rat(3, 4), rat(5, 16), rat(15, 16)} {
				at := func(p *big.Rat) *big.Rat { // where e/(1 + e) is p
					e := new(big.Rat).Quo(p, new(big.Rat).Sub(one, p))
					if g.Step != nil { // the next on the lattice
						k := e.Quo(e, g.Step)
						if !k.IsInt() {
							k.SetInt(new(big.Int).Add(new(big.Int).Quo(k.Num(), k.Denom()), big.NewInt(1)))
						}
						e = new(big.Rat).Mul(k, g.Step)
					}
					if end != nil && e.Cmp(end) > 0 {
						return end
					}
					return e
				}
				least, most := at(new(big.Rat).Sub(p, wide)), at(new(big.Rat).Add(p, wide))
				what := fmt.Sprintf("%s, known to %v: the %v-quantile", name, wide, p)
				n := must.For(records.ErrorQuantile(ctx, m, p))(t)
				if e, ok := n.(evidence.Exact); ok != (g.Step != nil && least.Cmp(most) == 0) || ok && e.Value.Cmp(least) != 0 {
					t.Errorf("%s is %v, want %v to %v", what, n, least, most)
					continue
				}
				lo, hi := n.Bounds()
				a, _ := least.Float64()
				b, _ := most.Float64()
				if lo > a || hi < b || lo < a*(1-1e-15) || hi > b*(1+1e-15) {
					t.Errorf("%s is in [%v, %v], want [%v, %v]", what, lo, hi, a, b)
				}
			}
			m.fails = errors.New("gone")
			if n, err := records.ErrorQuantile(ctx, m, rat(1, 2)); n != nil || err != m.fails {
				t.Errorf("%s: %v, %v", name, n, err)
			}
		}
	}
	// A chance that is enclosed no better than p itself may lie below.
	q := must.For(own.OnRecords(r, records.Range{Step: one}))(t)
	third := interval.Rat(rat(1, 3))
	n := must.For(records.ErrorQuantile(ctx, open{q: q, within: func(e *big.Rat) interval.Interval {
		switch {
		case e.Cmp(rat(2, 1)) < 0:
			return interval.Int(0)
		case e.Cmp(rat(5, 1)) < 0:
			return third
		}
		return interval.Int(1)
	}}, rat(1, 3)))(t)
	if lo, hi := n.Bounds(); lo != 2 || hi != 5 {
		t.Errorf("the 1/3-quantile is %v, want from 2 to 5", n)
	}
}
