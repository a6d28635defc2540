package records_test

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/records"
)

// ordered holds sorted records and the ends of their range. Ranks outside 1…n stand for the ends.
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

// ends returns the interval of layer t around record m. It is bounded by the records t ranks away, widened by the
// radius and clamped to the range.
func (o ordered) ends(m, t int, radius *big.Rat) (a, b *big.Rat) {
	a, b = new(big.Rat).Sub(o.at(m-t), radius), new(big.Rat).Add(o.at(m+t), radius)
	return largest(a, o.lo), smallest(b, o.hi)
}

// rung returns the distance that rung t of Ladder reaches: Σ_{s<t} max_{0≤k≤s+1} x_(m+k) − x_(m+k−s−1).
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

// powers returns e^{−t·decay}.
func powers(decay evidence.Epsilon) func(t int) *big.Float {
	z, known := expOf(fresh().Neg(value(decay))), []*big.Float{fresh().SetInt64(1)}
	return func(t int) *big.Float {
		for len(known) <= t {
			known = append(known, times(known[len(known)-1], z))
		}
		return known[t]
	}
}

// listed returns the law on the lattice from lo to hi with the given weight at each value.
func listed(lo, hi, step *big.Rat, weight func(v *big.Rat) *big.Float) *reference {
	out := new(reference)
	for v := lo; v.Cmp(hi) <= 0; v = new(big.Rat).Add(v, step) {
		out.atoms = append(out.atoms, atom{v, weight(v)})
	}
	return out
}

// layered returns the law with weight e^{−t·decay} in layer t, on a lattice or as a density. ends returns the ends of
// layer t.
func layered(lo, hi, step *big.Rat, decay evidence.Epsilon, ends func(t int) (a, b *big.Rat)) *reference {
	power := powers(decay)
	var known [][2]*big.Rat // all layers up to the one that covers the range
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
		out.segments = append(out.segments, segment{a, b, times(power(layer(mid.Mul(mid, rat(1, 2)))), realOf(new(big.Rat).Sub(b, a)))})
	}
	return out
}

var (
	ln3  = must.Be(evidence.LogEpsilon("decay", big.NewRat(3, 1)))
	some = must.Be(evidence.NewEpsilon("decay", 0.7))
)

// testPoints are values on and between the points of a lattice of 1/4 from 0 to 4, and outside it.
var testPoints = []*big.Rat{rat(-3, 1), rat(0, 1), rat(1, 100), rat(1, 2), rat(9, 8), rat(5, 4), rat(2, 1), rat(17, 8), rat(9, 4), rat(23, 10), rat(15, 4), rat(39, 10), rat(4, 1), rat(41, 10), rat(9, 1)}

// quarters are datasets in units of 1/4: inside the range, at its ends, with ties, and with a single record.
var quarters = [][]int64{{2, 4, 5, 9, 14}, {0, 0, 1, 16}, {9}, {16, 16, 16}, {3, 3, 8, 8, 8, 8, 15}}

// quarterRecords returns a dataset of quarters, sorted and as records with or without a grid.
func quarterRecords(t *testing.T, of []int64, grid *big.Rat, neighbors records.Neighbors) (ordered, *records.Records) {
	o := ordered{lo: rat(0, 1), hi: rat(4, 1)}
	var x []float64
	for _, v := range of {
		o.x = append(o.x, rat(v, 4))
		x = append(x, float64(v)/4)
	}
	return o, must.For(records.New(x, records.Options{Lo: o.lo, Hi: o.hi, Grid: grid, Neighbors: neighbors}))(t)
}

// Layered mechanisms of order statistics agree with their definition to 210 bits, on a lattice and between its
// points, with rational and other weights.
func TestLayeredLaws(t *testing.T) {
	for _, grid := range []*big.Rat{rat(1, 4), nil} {
		for n, x := range quarters {
			for k, p := range []*big.Rat{rat(1, 2), rat(0, 1), rat(4, 5)} {
				if !cases.Every(2, n+k) {
					continue
				}
				for _, decay := range []evidence.Epsilon{ln3, some}[(n+k)/2%2:][:1] {
					o, r := quarterRecords(t, x, grid, records.Replace)
					q := must.For(r.Quantile(p))(t)
					m := 1
					for ; new(big.Rat).Mul(p, rat(int64(len(x)), 1)).Cmp(rat(int64(m), 1)) > 0; m++ {
					}
					what := fmt.Sprintf("dataset %d, grid %v, quantile %v, decay %v", n, grid, p, decay)
					compareLaw(t, "purest, "+what, must.For(records.NewPurest(q, decay))(t), layered(o.lo, o.hi, grid, decay, func(t int) (a, b *big.Rat) { return o.ends(m, t, new(big.Rat)) }), testPoints, 210)
					for _, radius := range []*big.Rat{rat(3, 8), rat(1, 2), rat(0, 1)} {
						compareLaw(t, fmt.Sprintf("radius %v, %s", radius, what), must.For(records.NewDeltaNeighborhood(q, decay, radius))(t),
							layered(o.lo, o.hi, grid, decay, func(t int) (a, b *big.Rat) { return o.ends(m, t, radius) }), testPoints, 210)
					}
					compareLaw(t, "one layer, "+what, must.For(records.NewDeltaNeighborhood(q, decay, nil))(t), layered(o.lo, o.hi, grid, decay, func(int) (a, b *big.Rat) { return o.lo, o.hi }), testPoints, 210)
					compareLaw(t, "ladder, "+what, must.For(records.NewLadder(q, decay.Times(2)))(t), layered(o.lo, o.hi, grid, decay, func(t int) (a, b *big.Rat) {
						s := o.rung(m, t)
						return largest(new(big.Rat).Sub(q.Value(), s), o.lo), smallest(new(big.Rat).Add(q.Value(), s), o.hi)
					}), testPoints, 210)
				}
			}
		}
	}
}

// gaps returns the law for record m without a grid, from the definition: the gap between two neighboring records is in
// the layer of the record that is farther from record m.
func (o ordered) gaps(m int, decay evidence.Epsilon) (law *reference, layers []int) {
	power := powers(decay)
	law = new(reference)
	for i := range len(o.x) + 1 {
		a, b, t := o.at(i), o.at(i+1), i+1-m
		if i < m {
			t = m - i
		}
		if a.Cmp(b) < 0 {
			law.segments = append(law.segments, segment{a, b, times(power(t), realOf(new(big.Rat).Sub(b, a)))})
			layers = append(layers, t)
		}
	}
	return law, layers
}

// wide returns decimals of all sizes between −1000 and 10⁶, with ties, integers, and some outside.
func wide(n int, seed uint64) []float64 {
	rng := rand.New(rand.NewPCG(seed, 8))
	x := make([]float64, n)
	for i := range x {
		switch i % 7 {
		case 0:
			x[i] = float64(rng.IntN(2000) - 1000)
		case 1:
			x[i] = rng.Float64() * 1e-12
		case 2:
			x[i] = -rng.Float64() * math.Pow(10, float64(rng.IntN(6)-3))
		case 3:
			x[i] = math.Round(rng.Float64()*1e4) / 100
		case 4:
			x[i] = rng.Float64() * 1e6
		case 5:
			x[i] = x[i/2]
		case 6:
			x[i] = (rng.Float64() - 0.5) * 3e6 // many of these are clipped
		}
	}
	return x
}

// Without a grid, the law of an order statistic is the law of the gaps between records. The cases are large enough for
// orderLaw: with all layers or a bounded tail, and with a rational decay above and below the limit of rational sums.
func TestLawsByPlaces(t *testing.T) {
	quick, slow := must.Be(evidence.NewEpsilon("decay", 1.5)), must.Be(evidence.NewEpsilon("decay", 0.013))
	for i, c := range []struct {
		n     int
		p     *big.Rat
		decay evidence.Epsilon
		bits  int
	}{{64, rat(1, 2), quick, 210}, {65, rat(1, 2), slow, 210}, {65, rat(1, 64), quick, 75}, {300, rat(2, 3), quick, 75}, {300, rat(1, 1), slow, 210}, {300, rat(0, 1), quick, 75},
		{4200, rat(1, 1000), ln3, 75}, {4097, rat(1, 1), ln3, 75}, {100, rat(1, 2), ln3, 210}} {
		if !cases.Every(2, i) {
			continue
		}
		o := ordered{lo: rat(-1000, 1), hi: rat(1000000, 1)}
		x := wide(c.n, uint64(c.n))
		for _, v := range x {
			o.x = append(o.x, smallest(largest(interval.Decimal(v), o.lo), o.hi))
		}
		slices.SortFunc(o.x, (*big.Rat).Cmp)
		m := 1
		for new(big.Rat).Mul(c.p, rat(int64(c.n), 1)).Cmp(rat(int64(m), 1)) > 0 {
			m++
		}
		q := must.For(must.For(records.New(x, records.Options{Lo: o.lo, Hi: o.hi, Neighbors: records.Replace, Clip: true}))(t).Quantile(c.p))(t)
		if q.Value().Cmp(o.at(m)) != 0 {
			t.Fatalf("the quantile %v of %d records is %v, want %v", c.p, c.n, q.Value(), o.at(m))
		}
		law, layers := o.gaps(m, c.decay)
		l := must.For(records.NewPurest(q, c.decay))(t).(*records.Layered)
		what := fmt.Sprintf("%v of %d, decay %v", c.p, c.n, c.decay)
		near := []*big.Rat{o.lo, o.at(m - 3), o.at(m - 1), q.Value(), new(big.Rat).Add(q.Value(), rat(1, 1000)), o.at(m + 2), o.at(m + 40), o.hi}
		slices.SortFunc(near, (*big.Rat).Cmp)
		compareLaw(t, what, l, law, near, c.bits)
		// The pieces are the gaps in order, without the gaps in the tail.
		pieces := must.For(l.Pieces(ctx))(t)
		at, sum, all := 0, 0.0, law.total()
		for _, p := range pieces {
			for ; at < len(law.segments); at++ {
				lo, _ := law.segments[at].lo.Float64()
				hi, _ := law.segments[at].hi.Float64()
				if math.Abs(lo-p.Lo) <= 0x1p-40*math.Abs(lo) && math.Abs(hi-p.Hi) <= 0x1p-40*math.Abs(hi) {
					break
				}
			}
			if at == len(law.segments) {
				t.Errorf("%s: the piece %+v is not the next gap", what, p)
				break
			}
			want, _ := over(law.segments[at].weight, all).Float64()
			if layers[at] != p.Layer || math.Abs(p.Weight-want) > 1e-13*want {
				t.Errorf("%s: the piece %+v, want layer %d and weight %g", what, p, layers[at], want)
			}
			at++
			sum += p.Weight
		}
		if math.Abs(sum-1) > 1e-12 || c.bits > 200 && len(pieces) != len(law.segments) {
			t.Errorf("%s: %d pieces of %d, with total weight %g", what, len(pieces), len(law.segments), sum)
		}
	}
}

// Pieces partition every law: they are in ascending order, each in one layer, and have total weight 1. The corners of
// the density are the ends of the pieces.
func TestPiecesPartitionTheLaw(t *testing.T) {
	for n, of := range quarters {
		for _, grid := range []*big.Rat{rat(1, 4), nil} {
			_, r := quarterRecords(t, of, grid, records.Replace)
			q := must.For(r.Median())(t)
			for _, name := range []string{"purest", "delta", "ladder"} {
				m := must.For(mechanisms[name](q, some))(t).(*records.Layered)
				what := fmt.Sprintf("%s, dataset %d, grid %v", name, n, grid)
				pieces := must.For(m.Pieces(ctx))(t)
				sum, half := 0.0, 0.0
				if grid != nil {
					half = 0.125
				}
				for i, p := range pieces {
					if i > 0 && p.Lo < pieces[i-1].Hi+half || p.Lo > p.Hi || half == 0 && p.Lo == p.Hi {
						t.Errorf("%s: the pieces %+v and %+v overlap or are empty", what, pieces[max(i-1, 0)], p)
					}
					in := must.For(m.Between(ctx, new(big.Rat).SetFloat64(p.Lo), new(big.Rat).SetFloat64(p.Hi)))(t)
					if math.Abs(in.Mid()-p.Weight) > 1e-15 {
						t.Errorf("%s: %+v, want weight %g", what, p, in.Mid())
					}
					for _, v := range []float64{p.Lo, p.Hi, (p.Lo + p.Hi) / 2} {
						if half == 0 {
							v = (p.Lo + p.Hi) / 2
						} else if v*4 != math.Round(v*4) {
							continue
						}
						if layer := must.For(m.Layer(new(big.Rat).SetFloat64(v)))(t); layer != p.Layer {
							t.Errorf("%s: %g of %+v is in layer %d", what, v, p, layer)
						}
					}
					sum += p.Weight
				}
				if math.Abs(sum-1) > 1e-14 {
					t.Errorf("%s: pieces have total weight %g", what, sum)
				}
				// Density returns two corners for each piece of the law, and for a share less than 1 only the pieces
				// near the value.
				x, y, err := m.Density(ctx, rat(999999999, 1000000000))
				if err != nil || len(x) != 2*len(pieces) || len(y) != len(x) {
					t.Fatalf("%s: %d and %d corners of %d pieces, %v", what, len(x), len(y), len(pieces), err)
				}
				for i, p := range pieces {
					lo, hi := p.Lo-half, p.Hi+half
					if x[2*i] != lo || x[2*i+1] != hi || y[2*i] != y[2*i+1] || math.Abs(y[2*i]*(hi-lo)-p.Weight) > 1e-15 {
						t.Errorf("%s: corners (%g, %g) and (%g, %g) of %+v", what, x[2*i], y[2*i], x[2*i+1], y[2*i+1], p)
					}
				}
				share := rat(1, 3)
				x, _, err = m.Density(ctx, share)
				if err != nil {
					t.Fatal(err)
				}
				far := must.For(records.ErrorQuantile(ctx, m, share))(t).Float() + half
				f, _ := q.Value().Float64()
				kept := 0
				for _, p := range pieces {
					if p.Hi+half >= f-far && p.Lo-half <= f+far {
						kept++
					}
				}
				if len(x) != 2*kept {
					t.Errorf("%s: %d corners near, want %d pieces", what, len(x), kept)
				}
			}
		}
	}
}
