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
	"dpworkbench/mechanism"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// A float64 pair has the exact infinity mass, which is never 0 if an output belongs to only one dataset.
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
			t.Errorf("an infinity mass of %g is %g in float64", want, found)
		}
	}
}

// Pairs with equal keys have equal losses, and pairs with equal layers and distances have equal keys.
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
					t.Errorf("the laws %s and %s share a key", laws[i], laws[j])
				case !same && levels[i] == levels[j]:
					t.Errorf("equal layers and distances %s have two keys", levels[i])
				case same:
					alike++
				default:
					apart++
				}
			}
		}
	}
	if alike < 10 || apart < 1000 {
		t.Errorf("only %d pairs share a key, %d do not", alike, apart)
	}
}

// logOf returns ln n.
func logOf(t *testing.T, n int64) (eps evidence.Epsilon) {
	t.Helper()
	if n > 1 {
		eps = must.For(evidence.LogEpsilon("eps", big.NewRat(n, 1)))(t)
	}
	return eps
}

// Pairs derives the add/remove or replace relation from the record counts.
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
						t.Errorf("from %v to %v a record is removed: %t", x, y, f.Removes(i))
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
					t.Errorf("off by %g: a loss is off by %g, the stated error is %g", off, miss, pair.Error)
				}
			}
		}
		if largest < 1.99*off {
			t.Errorf("off by %g: the largest error is only %g", off, largest)
		}
	}
}

// The atoms of a pair are its two laws with their losses, output by output. Outputs of only one law count as
// infinite, and the reverse pair swaps the roles.
func TestPairsAtomsMatchLaws(t *testing.T) {
	q := pathQuery(t, 4)
	const u = query.Unreached
	rows := make([][]*big.Rat, 4)
	for x, weights := range [][]int64{{4, 2, 1, 0}, {0, 3, 3, 1}, {2, 2, 0, 0}, {1, 1, 1, 1}} {
		for _, w := range weights {
			rows[x] = append(rows[x], big.NewRat(w, weights[0]+weights[1]+weights[2]+weights[3]))
		}
	}
	ms := []mechanism.Mechanism{must.For(mechanism.NewFinite(t.Context(), q, rows, nil))(t)}
	layers := must.For(mechanism.NewLayerTable(t.Context(), q, []int32{0, 1, 2, u, 1, 0, u, 2, 3, 3, 0, 1, u, u, 1, 0}))(t)
	for _, e := range []evidence.Epsilon{eps(t, 0.7), ln(t, 3, 1)} {
		for _, name := range names {
			ms = append(ms, build(t, name, q, e))
		}
		ms = append(ms, mechanism.NewLayered("layers", layers, e, evidence.Claimed{}))
	}
	meets := func(a, b interval.Interval) bool { return !a.Less(b) && !b.Less(a) }
	for _, m := range append(ms, enclosed{ms[0]}) {
		f := mechanism.Pairs(m)
		for i := range f.Size {
			x, y := m.Query().Space().Pair(int64(i))
			pair := must.For(f.Pair(t.Context(), i))(t).(*privacy.DiscretePair)
			left := map[int]bool{}
			onlyX, onlyY := interval.Int(0), interval.Int(0)
			for r := range m.Query().Range() {
				switch a, b := math.IsInf(m.LogProb(x, r), -1), math.IsInf(m.LogProb(y, r), -1); {
				case !a && !b:
					left[r] = true
				case !a:
					onlyX = onlyX.Add(m.Enclose(x, r))
				case !b:
					onlyY = onlyY.Add(m.Enclose(y, r))
				}
			}
			for _, atom := range pair.Atoms() {
				p, q := interval.Int(0), interval.Int(0)
				for _, r := range atom.Tags {
					p, q = p.Add(m.Enclose(x, r)), q.Add(m.Enclose(y, r))
					delete(left, r)
				}
				loss := pair.Loss(atom)
				want := p.Log().Sub(q.Log())
				if lo, hi := loss.Bounds(); !meets(atom.P.Enclosure, p) || !meets(atom.Q.Enclosure, q) || !meets(loss, want) || hi-lo > 1e-12 {
					t.Errorf("%s, %d against %d: outputs %v of %v and %v have loss %v, want %v of %v and %v", m.Name(), x, y, atom.Tags, atom.P, atom.Q, loss, want, p, q)
				}
			}
			if len(left) > 0 || !meets(pair.InfinityMass().Enclosure, onlyX) || !meets(pair.QOnlyMass().Enclosure, onlyY) {
				t.Errorf("%s, %d against %d: %v, with %v left, wants infinite %v and %v", m.Name(), x, y, pair, left, onlyX, onlyY)
			}
			back := pair.Reverse().(*privacy.DiscretePair)
			if !meets(back.InfinityMass().Enclosure, onlyY) || !meets(back.QOnlyMass().Enclosure, onlyX) {
				t.Errorf("%s, %d against %d: the reverse of %v is %v", m.Name(), x, y, pair, back)
			}
		}
	}
}
