package records_test

import (
	"fmt"
	"math/big"
	"slices"
	"sort"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/records"
)

// ordered are records with the ends of their range beyond both ends.
type ordered struct {
	x      []*big.Rat
	lo, hi *big.Rat
}

func (o ordered) at(k int) *big.Rat {
	switch {
	case k < 1:
		return o.lo
	case k > len(o.x):
		return o.hi
	}
	return o.x[k-1]
}

// ends of layer t of the record of place m: the records t places away, a radius further, within the range.
func (o ordered) ends(m, t int, radius *big.Rat) (a, b *big.Rat) {
	a, b = new(big.Rat).Sub(o.at(m-t), radius), new(big.Rat).Add(o.at(m+t), radius)
	return largest(a, o.lo), smallest(b, o.hi)
}

// rung is how far rung t of Ladder reaches: Σ_{s<t} max_{0≤k≤s+1} x_(m+k) − x_(m+k−s−1).
func (o ordered) rung(m, t int) *big.Rat {
	sum := new(big.Rat)
	for s := range t {
		best := new(big.Rat)
		for k := range s + 2 {
			best = largest(best, new(big.Rat).Sub(o.at(m+k), o.at(m+k-s-1)))
		}
		sum.Add(sum, best)
	}
	return sum
}

func largest(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

func smallest(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return a
	}
	return b
}

// powers are e^{−t·decay}.
func powers(decay evidence.Epsilon) func(t int) *big.Float {
	z, known := expOf(fresh().Neg(value(decay))), []*big.Float{fresh().SetInt64(1)}
	return func(t int) *big.Float {
		for len(known) <= t {
			known = append(known, times(known[len(known)-1], z))
		}
		return known[t]
	}
}

// listed is the law of a lattice from lo to hi with a weight for each value.
func listed(lo, hi, step *big.Rat, weight func(v *big.Rat) *big.Float) *reference {
	out := new(reference)
	for v := lo; v.Cmp(hi) <= 0; v = new(big.Rat).Add(v, step) {
		out.atoms = append(out.atoms, atom{v, weight(v)})
	}
	return out
}

// layered is the law with weight e^{−t·decay} in layer t and not before, of which ends are given: on a lattice, or of a density.
func layered(lo, hi, step *big.Rat, decay evidence.Epsilon, ends func(t int) (a, b *big.Rat)) *reference {
	power := powers(decay)
	var known [][2]*big.Rat // of all layers up to the one that is everything
	for t := 0; ; t++ {
		a, b := ends(t)
		known = append(known, [2]*big.Rat{a, b})
		if a.Cmp(lo) <= 0 && b.Cmp(hi) >= 0 {
			break
		}
	}
	layer := func(v *big.Rat) int {
		return sort.Search(len(known), func(t int) bool { return known[t][0].Cmp(v) <= 0 && v.Cmp(known[t][1]) <= 0 })
	}
	if step != nil {
		return listed(lo, hi, step, func(v *big.Rat) *big.Float { return power(layer(v)) })
	}
	corners := []*big.Rat{lo, hi}
	for _, e := range known {
		corners = append(corners, e[0], e[1])
	}
	slices.SortFunc(corners, (*big.Rat).Cmp)
	corners = slices.CompactFunc(corners, func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })
	out := new(reference)
	for i, a := range corners[:len(corners)-1] {
		b := corners[i+1]
		mid := new(big.Rat).Add(a, b)
		out.flats = append(out.flats, flat{a, b, times(power(layer(mid.Mul(mid, rat(1, 2)))), realOf(new(big.Rat).Sub(b, a)))})
	}
	return out
}

var (
	ln3  = must.Be(evidence.LogEpsilon("decay", big.NewRat(3, 1)))
	some = must.Be(evidence.NewEpsilon("decay", 0.7))
)

// spots are values on a lattice of 1/4 from 0 to 4, between its values and beyond them.
var spots = []*big.Rat{rat(-3, 1), rat(0, 1), rat(1, 100), rat(1, 2), rat(9, 8), rat(5, 4), rat(2, 1), rat(17, 8), rat(9, 4), rat(23, 10), rat(15, 4), rat(39, 10), rat(4, 1), rat(41, 10), rat(9, 1)}

// datasets of quarters: in the middle, at the ends, with ties, and one record.
var quarters = [][]int64{{2, 4, 5, 9, 14}, {0, 0, 1, 16}, {9}, {16, 16, 16}, {3, 3, 8, 8, 8, 8, 15}}

// scattered is a dataset of quarters, as numbers, as records on their grid or without it.
func scattered(t *testing.T, of []int64, grid *big.Rat, neighbors records.Neighbors) (ordered, *records.Records) {
	o := ordered{lo: rat(0, 1), hi: rat(4, 1)}
	var x []float64
	for _, v := range of {
		o.x = append(o.x, rat(v, 4))
		x = append(x, float64(v)/4)
	}
	return o, must.For(records.New(x, records.Options{Lo: o.lo, Hi: o.hi, Grid: grid, Neighbors: neighbors}))(t)
}

// What layered mechanisms of order statistics say is what their definition does, to 210 bits: on a lattice and between, with
// rational weights and others.
func TestLayeredLaws(t *testing.T) {
	for _, grid := range []*big.Rat{rat(1, 4), nil} {
		for n, x := range quarters {
			for k, p := range []*big.Rat{rat(1, 2), rat(0, 1), rat(4, 5)} {
				for _, decay := range []evidence.Epsilon{ln3, some}[(n+k)%2:][:1] {
					o, r := scattered(t, x, grid, records.Replace)
					q := must.For(r.Quantile(p))(t)
					m := 1
					for ; new(big.Rat).Mul(p, rat(int64(len(x)), 1)).Cmp(rat(int64(m), 1)) > 0; m++ {
					}
					what := fmt.Sprintf("dataset %d, grid %v, quantile %v, decay %v", n, grid, p, decay)
					judge(t, "purest, "+what, must.For(records.NewPurest(q, decay))(t), layered(o.lo, o.hi, grid, decay, func(t int) (a, b *big.Rat) { return o.ends(m, t, new(big.Rat)) }), spots, 210)
					for _, radius := range []*big.Rat{rat(3, 8), rat(1, 2), rat(0, 1)} {
						judge(t, fmt.Sprintf("radius %v, %s", radius, what), must.For(records.NewDeltaNeighborhood(q, decay, radius))(t),
							layered(o.lo, o.hi, grid, decay, func(t int) (a, b *big.Rat) { return o.ends(m, t, radius) }), spots, 210)
					}
					judge(t, "all alike, "+what, must.For(records.NewDeltaNeighborhood(q, decay, nil))(t), layered(o.lo, o.hi, grid, decay, func(int) (a, b *big.Rat) { return o.lo, o.hi }), spots, 210)
					judge(t, "ladder, "+what, must.For(records.NewLadder(q, decay.Times(2)))(t), layered(o.lo, o.hi, grid, decay, func(t int) (a, b *big.Rat) {
						s := o.rung(m, t)
						return largest(new(big.Rat).Sub(q.Value(), s), o.lo), smallest(new(big.Rat).Add(q.Value(), s), o.hi)
					}), spots, 210)
				}
			}
		}
	}
}
