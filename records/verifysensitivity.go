package records

import (
	"context"
	"math/big"
)

// sensitivities compares the global sensitivity, and the local ones at every distance, with the largest changes between
// neighbors in the universe. No sensitivity may be smaller than these changes. I_t must not decrease with t, and a
// neighbor's I_t must be at most I_{t+1}.
func (v *Verification) sensitivities(ctx context.Context, u *universe, queries []*Query) error {
	near := make([][]int32, len(queries)) // listed once: graphs compute their neighbors at every call
	moved, most := make([]*big.Rat, len(queries)), new(big.Rat)
	for x, q := range queries {
		near[x], moved[x] = u.space.Neighbors(x), new(big.Rat)
		for _, y := range near[x] {
			moved[x] = larger(moved[x], q.change(queries[y]))
		}
		most = larger(most, moved[x])
	}
	first := queries[0]
	if first.global != nil {
		v.Global = exactly
		if c := first.global.Cmp(most); c != 0 {
			v.Global = validBound
			if c > 0 && u.cap == 0 && !first.unattained {
				v.Gap = &Gap{u.data[0], nil, -1, first.global, most}
			}
		}
		for x, q := range queries {
			if q.global.Cmp(moved[x]) < 0 {
				v.Global, v.Gap = wrong, &Gap{u.data[x], nil, -1, q.global, moved[x]}
				break
			}
		}
	}
	if first.local == nil {
		return nil
	}
	v.Local = exactly
	var before []*big.Rat // I_{t−1}
	for t := 0; t <= u.far; t++ {
		now := make([]*big.Rat, len(queries))
		for x, q := range queries {
			if x%64 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			now[x] = q.local(t)
			v.changes++
		}
		grown := make([]*big.Rat, len(queries))
		for x := range queries {
			bound, gap := now[x], (*Gap)(nil)
			compare := func(y int) {
				grown[x] = larger(grown[x], moved[y])
				if t > 0 && less(bound, before[y]) {
					gap = &Gap{u.data[x], &u.data[y], t, bound, before[y]}
				}
			}
			grown[x] = moved[x]
			compare(x)
			for _, y := range near[x] {
				compare(int(y))
			}
			if less(bound, moved[x]) {
				gap = &Gap{u.data[x], nil, t, bound, moved[x]}
			}
			if gap != nil {
				v.Local = wrong
				if v.Global != wrong {
					v.Gap = gap
				}
				return nil
			}
			known := u.cap == 0 || len(u.data[x].Records)+t < u.cap // whether the universe has all neighbors of all datasets within t changes
			if known && less(moved[x], bound) {
				v.Local = validBound
				if v.Gap == nil && queries[x].LocalIsExact(t) {
					v.Gap = &Gap{u.data[x], nil, t, bound, moved[x]}
				}
			}
		}
		before, moved = now, grown
	}
	return nil
}

// change returns the distance between two queries' values.
func (q *Query) change(other *Query) *big.Rat {
	d := new(big.Rat).Sub(q.value, other.value)
	if q.listed != nil && q.listed.names != nil { // any two categories have distance 1
		return d.SetInt64(int64(d.Sign() * d.Sign()))
	}
	return d.Abs(d)
}

func larger(a, b *big.Rat) *big.Rat {
	if less(a, b) {
		return b
	}
	return a
}

func less(a, b *big.Rat) bool { return a != b && a.Cmp(b) < 0 }
