package mechanism_test

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/layers"
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// A float64 pair has the mass of outputs that only one dataset has, and never 0 if there is any.
func TestFloatPairInfinityMass(t *testing.T) {
	ctx := context.Background()
	tiny := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(400), nil))
	for _, sure := range []*big.Rat{big.NewRat(1, 4), big.NewRat(1, 1000), tiny} {
		rest := new(big.Rat).Sub(big.NewRat(1, 1), sure)
		m := must.For(mechanism.NewFinite(ctx, pathQuery(t, 2), [][]*big.Rat{{sure, rest}, {new(big.Rat), big.NewRat(1, 1)}}, nil))(t)
		f := mechanism.Pairs(m)
		want, _ := sure.Float64()
		found := 0.0
		for i := range f.Size {
			r := f.Screen(i)
			if r.InfinityMass > 0 {
				found = r.InfinityMass
			}
		}
		if !(found > 0) || math.Abs(found-want) > 1e-15 {
			t.Errorf("a mass of %g that one dataset gives is %g in float64", want, found)
		}
	}
}

// Pairs with unreached values have the divergences and the infinity mass of rational arithmetic, in both
// directions.
func TestPairsWithUnreachedValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 7))
	for range 2 {
		const n = 3
		q := pathQuery(t, n)
		rows, table := make([][]*big.Rat, n), make([]int32, 0, n*n)
		for x := range rows {
			weights, sum := make([]*big.Rat, n), new(big.Rat)
			for r := range weights {
				level := int32(rng.IntN(4))
				weights[r] = big.NewRat(1, 1<<level)
				if r == x { // so that a value is reached, at level 0
					level, weights[r] = 0, big.NewRat(1, 1)
				} else if level == 3 {
					level, weights[r] = query.Unreached, new(big.Rat)
				}
				table = append(table, level)
				sum.Add(sum, weights[r])
			}
			for _, w := range weights {
				w.Quo(w, sum)
			}
			rows[x] = weights
		}
		levels := must.For(mechanism.NewLayerTable(t.Context(), q, table))(t)
		finite := must.For(mechanism.NewFinite(t.Context(), q, rows, nil))(t)
		layered := mechanism.NewLayered("levels", levels, ln(t, 2, 1), evidence.Claimed{Value: 1})
		for _, m := range []mechanism.Mechanism{finite, layered} {
			f := mechanism.Pairs(m)
			for i := range f.Size {
				x, y := q.Space().Pair(int64(i))
				pair := must.For(f.Pair(t.Context(), i))(t)
				reverse := pair.Reverse()
				sure, never := new(big.Rat), new(big.Rat)
				for r := range n {
					if rows[y][r].Sign() == 0 {
						sure.Add(sure, rows[x][r])
					}
					if rows[x][r].Sign() == 0 {
						never.Add(never, rows[y][r])
					}
				}
				same := func(what string, got evidence.RatOrInterval, want *big.Rat) {
					t.Helper()
					if got.Rational != nil && got.Rational.Cmp(want) != 0 || got.Rational == nil && !isAround(got.Enclosure, want) {
						t.Errorf("%s %v: %s of pair %d is %v, want %v", m.Name(), rows, what, i, got, want)
					}
				}
				same("what is sure", pair.InfinityMass(), sure)
				same("what is sure the other way round", reverse.InfinityMass(), never)
				for _, ratio := range []int64{1, 2, 3, 50} {
					var e evidence.Epsilon
					if ratio > 1 {
						e = ln(t, ratio, 1)
					}
					for _, way := range []struct {
						delta func() (evidence.RatOrInterval, error)
						p, q  []*big.Rat
					}{
						{func() (evidence.RatOrInterval, error) { return pair.Delta(t.Context(), e) }, rows[x], rows[y]},
						{func() (evidence.RatOrInterval, error) { return reverse.Delta(t.Context(), e) }, rows[y], rows[x]},
					} {
						want := new(big.Rat)
						for r := range n {
							if gap := new(big.Rat).Sub(way.p[r], new(big.Rat).Mul(big.NewRat(ratio, 1), way.q[r])); gap.Sign() > 0 {
								want.Add(want, gap)
							}
						}
						same("δ", must.For(way.delta())(t), want)
					}
				}
			}
		}
	}
}

// Pairs have the same key only if their losses are the same.
func TestPairKeysDistinguishLayers(t *testing.T) {
	rng := rand.New(rand.NewPCG(513, 7))
	alike, apart := 0, 0
	for range 300 {
		const n = 6
		q := pathQuery(t, n)
		table := make([]int32, 0, n*n)
		for x := range n {
			for r := range n {
				level := int32(rng.IntN(3))
				if r == x {
					level = 0
				} else if level == 2 {
					level = query.Unreached
				}
				table = append(table, level)
			}
		}
		m := mechanism.NewLayered("layers", must.For(mechanism.NewLayerTable(t.Context(), q, table))(t), ln(t, 3, 1), evidence.Claimed{Value: 1})
		f := mechanism.Pairs(m)
		levels, laws := make([]string, f.Size), make([]string, f.Size)
		for i := range f.Size {
			x, y := q.Space().Pair(int64(i))
			var a, b []string
			for r := range n {
				p, _ := m.Rational(x, r)
				o, _ := m.Rational(y, r)
				a = append(a, fmt.Sprint(table[x*n+r], " ", table[y*n+r], " ", max(r-x, x-r), " ", max(r-y, y-r), ";"))
				b = append(b, fmt.Sprint(p, " ", o))
			}
			slices.Sort(a)
			slices.Sort(b)
			levels[i], laws[i] = fmt.Sprint(a), fmt.Sprint(b)
			for j := range i {
				same := f.Key(i) == f.Key(j)
				switch {
				case same && laws[i] != laws[j]:
					t.Errorf("one key for the laws %s and %s", laws[i], laws[j])
				case !same && levels[i] == levels[j]:
					t.Errorf("two keys for the levels and distances %s", levels[i])
				case same:
					alike++
				default:
					apart++
				}
			}
		}
	}
	if alike < 10 || apart < 1000 {
		t.Errorf("%d pairs of one key, %d of two", alike, apart)
	}
}

// A pair in float64 allows for the errors of both logarithms and for the rounding of each loss.
func TestFloatPairErrorBound(t *testing.T) {
	for _, u := range []float64{.1, 30, 600} {
		levels := must.For(mechanism.NewLayerTable(t.Context(), pathQuery(t, 3), []int32{0, 1, 90, 1, 0, 60, 90, 1, 0}))(t)
		m := mechanism.NewLayered("levels", levels, eps(t, u), evidence.Claimed{Value: 1})
		f := mechanism.Pairs(m)
		if f.Screen == nil {
			t.Fatalf("decay %v: no pair in float64", u)
		}
		for i := range f.Size {
			r := f.Screen(i)
			for _, loss := range r.Loss {
				if !(r.Error >= 2*m.LogError() && r.Error >= math.Abs(loss)*0x1p-50) {
					t.Errorf("decay %v: a loss of %v is off by %v at most, two logarithms by %v", u, loss, r.Error, 2*m.LogError())
				}
			}
		}
	}
}

// triangles returns the account of purest(ln 2) for the triangles of all graphs on n nodes.
func triangles(t *testing.T, n int) *privacy.Account {
	t.Helper()
	graphs := must.For(query.NewGraphs(t.Context(), n))(t)
	q := must.For(graphs.Count("triangle"))(t)
	ln2 := must.For(evidence.LogEpsilon("decay", big.NewRat(2, 1)))(t)
	m := must.For(layers.NewPurest(t.Context(), q, ln2))(t)
	return privacy.New(mechanism.Pairs(m))
}

// logOf returns ln n, 0 for 1.
func logOf(t *testing.T, n int64) (eps evidence.Epsilon) {
	t.Helper()
	if n > 1 {
		eps = must.For(evidence.LogEpsilon("eps", big.NewRat(n, 1)))(t)
	}
	return eps
}

// Non-adaptive composition has one worst pair; adaptive composition uses the dominating pair. An independent program
// computed the fractions in rational arithmetic.
func TestCompositionOfTriangleCounts(t *testing.T) {
	one := triangles(t, 4)
	two := must.For(privacy.Compose(t.Context(), []*privacy.Account{one}, []int{2}))(t)
	chosen := must.For(two.Adaptive(t.Context()))(t)
	for _, c := range []struct {
		of    *privacy.Account
		ratio int64
		delta string
	}{
		{one, 1, "44/135"}, {one, 2, "1/10"}, {two, 1, "39/100"}, {two, 2, "3808/18225"}, {two, 4, "9/100"}, {chosen, 2, "481/2025"},
	} {
		d, err := c.of.Delta(t.Context(), logOf(t, c.ratio))
		if e, ok := d.(evidence.Exact); err != nil || !ok || e.Value.RatString() != c.delta {
			t.Errorf("%s at e^ε = %d: %v, %v, want %s", c.of.Name(), c.ratio, d, err, c.delta)
		}
	}
}

// Pairs derives add/remove or replace from the numbers of records.
func TestPairsRelation(t *testing.T) {
	for _, kind := range []query.Relation{query.Replace, query.AddRemove} {
		for records := 1; records < 4; records++ {
			for types := 2; types < 4; types++ {
				h := must.For(query.NewHistograms(t.Context(), types, records, kind))(t)
				q := must.For(query.NewNumeric("0", h.Space(), make([]float64, h.Space().Size()), nil))(t)
				f := mechanism.Pairs(build(t, "ladder", q, eps(t, 1)))
				want := map[query.Relation]query.Relation{query.Replace: query.Replace, query.AddRemove: query.AddRemove}[kind]
				if f.Relation != want {
					t.Errorf("%v histograms of %d records: relation %v, want %v", kind, records, f.Relation, want)
				}
				count := func(d any) (n int) {
					for _, c := range d.(query.Dataset).Name.([]int) {
						n += c
					}
					return n
				}
				for i := range f.Size {
					if x, y := f.Datasets(i); f.Removes(i) != (count(x) > count(y)) {
						t.Errorf("from %v to %v a record goes: %t", x, y, f.Removes(i))
					}
				}
			}
		}
	}
	if f := mechanism.Pairs(build(t, "ladder", pathQuery(t, 3), eps(t, 1))); f.Relation != "" || f.Removes != nil {
		t.Errorf("datasets without records have relation %v", f.Relation)
	}
}

// The losses of a float64 pair are within the stated error, and the error is not much larger than needed.
func TestFloatPairMatchesPair(t *testing.T) {
	m := build(t, "laplace", pathQuery(t, 5), eps(t, 0.7))
	for _, off := range []float64{0, 1e-9, 4e-4} {
		f := mechanism.Pairs(rough{m, off, 0x5ca1ab1e0ddba11})
		largest := 0.0
		for i := range f.Size {
			x, y := m.Query().Space().Pair(int64(i))
			pair := f.Screen(i)
			for r, got := range pair.Loss {
				miss := math.Abs(interval.Float(got).Sub(m.EncloseLog(x, r).Sub(m.EncloseLog(y, r))).Mid())
				largest = max(largest, miss)
				if miss > pair.Error || pair.Error > 2.1*(off+m.LogError())+1e-14 {
					t.Errorf("off by %g: a loss by %g, of which %g is admitted", off, miss, pair.Error)
				}
			}
		}
		if largest < 1.99*off {
			t.Errorf("off by %g: no loss is off by more than %g", off, largest)
		}
	}
}
