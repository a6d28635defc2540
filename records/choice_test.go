package records_test

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/must"
	"dpworkbench/records"
	"dpworkbench/smooth"
)

// laurent is a Laurent polynomial in w = e^{−t}.
type laurent map[int]*big.Float

func (p laurent) times(q laurent) laurent {
	out := laurent{}
	for i, a := range p {
		for j, b := range q {
			if out[i+j] == nil {
				out[i+j] = fresh()
			}
			out[i+j].Add(out[i+j], times(a, b))
		}
	}
	return out
}

// over integrates the polynomial over t from a to b; a nil end is infinite.
func (p laurent) over(a, b *big.Float) *big.Float {
	sum := fresh()
	for k, c := range p {
		power := func(t *big.Float) *big.Float { return expOf(times(fresh().SetInt64(int64(-k)), t)) }
		switch {
		case k == 0:
			sum.Add(sum, times(c, minus(b, a)))
		case b == nil && k > 0:
			sum.Add(sum, over(times(c, power(a)), fresh().SetInt64(int64(k))))
		case a == nil && k < 0:
			sum.Sub(sum, over(times(c, power(b)), fresh().SetInt64(int64(k))))
		case a != nil && b != nil:
			sum.Add(sum, over(times(c, minus(power(a), power(b))), fresh().SetInt64(int64(k))))
		}
	}
	return sum
}

// noisyMaxLaw returns Pr[i wins] = ∫ f(t − c_i) Π_{j≠i} F(t − c_j) dt, where f and F are the density and the
// distribution function of Laplace noise. Between two counts, each factor is linear in w or in 1/w, so the product is a
// Laurent polynomial. The precision covers the cancellation.
func noisyMaxLaw(counts []int, unit *big.Float) []*big.Float {
	at := func(c int) *big.Float { return times(unit, fresh().SetInt64(int64(c))) }
	half := func(v *big.Float) *big.Float { return times(fresh().SetFloat64(0.5), expOf(v)) }
	cuts := slices.Compact(slices.Sorted(slices.Values(counts)))
	out := make([]*big.Float, len(counts))
	for i := range counts {
		out[i] = fresh()
		for k := range len(cuts) + 1 { // between cuts[k−1] and cuts[k]
			product := laurent{0: fresh().SetInt64(1)}
			for j, c := range counts {
				above := k > 0 && cuts[k-1] >= c
				var f laurent
				switch {
				case above && j == i:
					f = laurent{1: half(at(c))}
				case above:
					f = laurent{0: fresh().SetInt64(1), 1: fresh().Neg(half(at(c)))}
				default:
					f = laurent{-1: half(fresh().Neg(at(c)))}
				}
				product = product.times(f)
			}
			var a, b *big.Float
			if k > 0 {
				a = at(cuts[k-1])
			}
			if k < len(cuts) {
				b = at(cuts[k])
			}
			out[i].Add(out[i], product.over(a, b))
		}
	}
	return out
}

// permuteAndFlipLaw returns the law of permute-and-flip from its algorithm: draw a remaining category uniformly, accept
// it with its probability or drop it. A state is the number of categories left at each count.
func permuteAndFlipLaw(counts []int, unit *big.Float) []*big.Float {
	levels := slices.Compact(slices.Sorted(slices.Values(counts)))
	slices.Reverse(levels)
	start := make([]int, len(levels))
	chance := make([]*big.Float, len(levels))
	for i, c := range levels {
		chance[i] = expOf(times(unit, fresh().SetInt64(int64(c-levels[0]))))
		for _, d := range counts {
			if d == c {
				start[i]++
			}
		}
	}
	known := map[string][]*big.Float{}
	var wins func(left []int) []*big.Float // by count
	wins = func(left []int) []*big.Float {
		key := fmt.Sprint(left)
		if v, ok := known[key]; ok {
			return v
		}
		out, all := make([]*big.Float, len(levels)), 0
		for i := range out {
			out[i] = fresh()
			all += left[i]
		}
		for i, n := range left {
			if n == 0 {
				continue
			}
			share := realOf(rat(int64(n), int64(all)))
			out[i].Add(out[i], times(share, chance[i]))
			if i == 0 {
				continue // always accepted
			}
			less := slices.Clone(left)
			less[i]--
			for j, v := range wins(less) {
				out[j].Add(out[j], times(share, minus(fresh().SetInt64(1), chance[i]), v))
			}
		}
		known[key] = out
		return out
	}
	all := wins(start)
	out := make([]*big.Float, len(counts))
	for j, c := range counts {
		i := slices.Index(levels, c)
		out[j] = over(all[i], fresh().SetInt64(int64(start[i])))
	}
	return out
}

// exponentialLaw returns the law with weight e^{unit·count} for each count.
func exponentialLaw(counts []int, unit *big.Float) []*big.Float {
	out, sum := make([]*big.Float, len(counts)), fresh()
	for j, c := range counts {
		out[j] = expOf(times(unit, fresh().SetInt64(int64(c))))
		sum.Add(sum, out[j])
	}
	for j := range out {
		out[j] = over(out[j], sum)
	}
	return out
}

// Every result about a mode matches its definition: exactly if probabilities are rational, to 200 bits otherwise, and
// to 100 bits for Laplace noise, which is truncated.
func TestLawsOfModes(t *testing.T) {
	many := make([]int, 30)
	for j := range many {
		many[j] = 7
	}
	many[3], many[11] = 6, 4
	for _, counts := range [][]int{{1, 0}, {5, 5}, {3, 1, 2}, {2, 9, 9, 9}, {40, 12, 39, 0, 41}, {300, 1}, {0, 5, 1, 4, 2}, many} {
		for _, neighbors := range []records.Neighbors{records.Replace, records.AddRemove} {
			for i, eps := range []evidence.Epsilon{must.Be(evidence.LogEpsilon("eps", rat(9, 4))), must.Be(evidence.NewEpsilon("eps", 1)), must.Be(evidence.NewEpsilon("eps", 0.05))} {
				if !cases.Every(2, i) {
					continue
				}
				q := modeOf(t, counts, neighbors)
				unit := value(eps)
				if neighbors == records.Replace { // a replacement can change two counts
					unit = over(unit, fresh().SetInt64(2))
				}
				laws := map[string][]*big.Float{"exponential": exponentialLaw(counts, unit), "gumbel": exponentialLaw(counts, unit), "permute_and_flip": permuteAndFlipLaw(counts, unit), "flips": permuteAndFlipLaw(counts, unit)}
				if len(counts) < 10 {
					laws["laplace"] = noisyMaxLaw(counts, unit)
				}
				for name, want := range laws {
					m := must.For(modal[name](q, eps))(t).(*records.Choice)
					what := fmt.Sprintf("%s of %v under %s", m.Name(), counts, neighbors)
					exact := eps.IsExact() && name != "laplace"
					if name == "permute_and_flip" || name == "flips" {
						exact = (exact || slices.Min(counts) == slices.Max(counts)) && len(counts) <= 24
					}
					bits := 200
					if name == "laplace" {
						bits = 100
					}
					law := must.For(m.Law())(t)
					best := slices.Index(counts, slices.Max(counts))
					off := &reference{}
					for j, w := range want {
						miss := rat(1, 1)
						if j == best {
							miss = rat(0, 1)
						}
						off.atoms = append(off.atoms, atom{miss, w})
						n := m.Of(j)
						if bits == 200 {
							containsTightly(t, fmt.Sprintf("%s: category %d", what, j), n, w, 0)
						}
						if x, ok := n.(evidence.Exact); ok != exact || ok && x.Source != "the law at this dataset" {
							t.Errorf("%s: category %d is %v", what, j, n)
						}
						if v, _ := w.Float64(); math.Abs(law[j]-v) > 1e-13 {
							t.Errorf("%s: category %d has %g, want %g", what, j, law[j], v)
						}
						for k := j; k < len(want); k += 1 + k/4 {
							encloses(t, fmt.Sprintf("%s: from %d to %d", what, j, k), must.For(m.Between(ctx, rat(int64(j), 1), rat(int64(k), 1)))(t), atIndices(want).between(rat(int64(j), 1), rat(int64(k), 1)), bits)
						}
						if m.At(j).Cmp(rat(int64(j), 1)) != 0 {
							t.Errorf("place %d holds %v", j, m.At(j))
						}
					}
					if bits == 200 {
						containsTightly(t, what+": the error", must.For(m.Distortion(ctx))(t), off.off(rat(0, 1)), 1)
					}
					for e, p := range map[*big.Rat]*big.Float{rat(-1, 9): fresh(), rat(0, 1): want[best], rat(9, 10): want[best], rat(1, 1): fresh().SetInt64(1), rat(7, 1): fresh().SetInt64(1)} {
						encloses(t, fmt.Sprintf("%s: within %v", what, e), must.For(m.Within(ctx, e))(t), p, bits)
					}
					half := must.For(records.ErrorQuantile(ctx, m, rat(1, 2)))(t)
					if x, ok := half.(evidence.Exact); want[best].Cmp(fresh().SetFloat64(0.5)) != 0 && (!ok || (x.Value.Sign() == 0) != (want[best].Cmp(fresh().SetFloat64(0.5)) > 0)) {
						t.Errorf("%s: the median error is %v, and the mode has probability %v", what, half, want[best])
					}
					if m.IsLayered() || m.Query() != q || len(m.Names()) != len(counts) || m.Names()[1] != "c1" {
						t.Errorf("%s: layered %t, names %v", what, m.IsLayered(), m.Names())
					}
				}
			}
		}
	}
}

// The error of a choice among numbers is the distance of the chosen number from the query's value.
func TestNumericChoiceErrorIsDistance(t *testing.T) {
	eps := must.For(evidence.NewEpsilon("eps", 0.5))(t)
	r := must.For(records.New([]float64{-1, 0.25, 0.5, 1.75, 2}, records.Options{Lo: rat(-1, 1), Hi: rat(2, 1), Grid: rat(1, 4), Neighbors: records.AddRemove}))(t)
	q := must.For(r.Quantile(rat(1, 3)))(t)
	m := must.For(records.NewPurest(q, eps))(t).(*records.Choice)
	if s, err := records.NewSmooth(ctx, q, must.Be(smooth.Calibrate(must.Be(smooth.Student(rat(3, 1))), eps, evidence.Delta{}, nil))); s == nil || err != nil {
		t.Errorf("NewSmooth of a query with listed values: %v", err)
	}
	for _, e := range []*big.Rat{rat(-1, 8), rat(0, 1), rat(1, 8), rat(1, 4), rat(3, 4), rat(1, 1), rat(5, 4), rat(3, 2), rat(9, 1)} {
		want := 0.0
		for i := range 13 {
			if d := new(big.Rat).Sub(m.At(i), q.Value()); d.Abs(d).Cmp(e) <= 0 {
				want += m.Of(i).Float()
			}
		}
		if have := must.For(m.Within(ctx, e))(t).Mid(); math.Abs(have-want) > 1e-14 {
			t.Errorf("within %v with probability %g, want %g", e, have, want)
		}
	}
}

// atIndices returns the law with weight w[j] at the value j.
func atIndices(w []*big.Float) *reference {
	out := new(reference)
	for j, v := range w {
		out.atoms = append(out.atoms, atom{rat(int64(j), 1), v})
	}
	return out
}

// modeOf returns the mode query for the given counts.
func modeOf(t *testing.T, counts []int, neighbors records.Neighbors) *records.Query {
	var x, names []string
	for j, n := range counts {
		names = append(names, fmt.Sprint("c", j))
		for range n {
			x = append(x, names[j])
		}
	}
	return must.For(must.For(records.NewCategories(x, names, neighbors))(t).Mode())(t)
}
