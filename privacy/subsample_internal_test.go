package privacy

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// Sampling without replacement, an output's masses depend on which law makes it likelier. If an interval leaves that
// undecided, its masses and those of the remainder cover both cases. An output whose loss is exactly 0 keeps its
// precision.
func TestReplacementPairNearZeroLoss(t *testing.T) {
	third := big.NewRat(1, 3)
	drawn := func(p, q *big.Rat) (x, y, left *big.Rat) { // by definition; left has the mass of Q where P is less likely
		mix := func(a, b *big.Rat) *big.Rat {
			return new(big.Rat).Add(new(big.Rat).Mul(third, a), new(big.Rat).Mul(big.NewRat(2, 3), b))
		}
		gap := new(big.Rat).Sub(p, q)
		left = new(big.Rat).Mul(big.NewRat(2, 3), gap.Abs(gap))
		if p.Cmp(q) >= 0 {
			return mix(p, q), q, left
		}
		return p, mix(q, p), left
	}
	half := big.NewRat(1, 2)
	for _, bits := range []uint{2, 60, 300} {
		d := new(big.Rat).SetFrac(one.Num(), new(big.Int).Lsh(one.Num(), bits))
		p := []*big.Rat{new(big.Rat).Add(half, d), new(big.Rat).Sub(half, d)}
		got := must.For(NewRationalPair(p, []*big.Rat{half, half}))(t).replacementPair(third)
		for k := range p {
			x, y, left := drawn(p[k], half)
			for _, want := range [][2]*big.Rat{{x, y}, {left, left}} {
				if !slices.ContainsFunc(got.atoms, func(a Atom) bool { return a.P.Rational.Cmp(want[0]) == 0 && a.Q.Rational.Cmp(want[1]) == 0 }) {
					t.Errorf("difference 2^-%d: no output has the masses %v and %v",
						bits, want[0].FloatString(20), want[1].FloatString(20))
				}
			}
		}
	}
	within := func(v *big.Rat, in interval.Interval) bool {
		return !interval.Rat(v).Less(in) && !in.Less(interval.Rat(v))
	}
	log := func(x, y float64) float64 { return math.Log(x / y) }
	open := NewDiscretePair([]Atom{
		{P: amount(0.24, 0.26), Q: amount(0.25, 0.25), Offset: interval.Between(log(0.24, 0.25), log(0.26, 0.25)), Tags: []int{0}},
		{P: amount(0.24, 0.26), Q: amount(0.24, 0.25), Offset: interval.Between(log(0.24, 0.25), log(0.26, 0.24)), Tags: []int{1}},
		{P: amount(0.48, 0.52), Q: amount(0.48, 0.52), Offset: interval.Int(0), Tags: []int{2}},
	}, zero, zero, evidence.Epsilon{}, Hooks{}).replacementPair(third)
	var of [4]Atom
	for _, a := range open.atoms {
		if len(a.Tags) == 0 {
			a.Tags = []int{3}
		}
		of[a.Tags[0]] = a
	}
	for k, q := range [][]*big.Rat{{big.NewRat(25, 100)}, {big.NewRat(24, 100), big.NewRat(49, 200), big.NewRat(25, 100)}} {
		for _, q := range q {
			for p := int64(240); p <= 260; p += 2 {
				p := big.NewRat(p, 1000)
				x, y, left := drawn(p, q)
				a := of[k]
				lo, hi := a.Offset.Bounds()
				xf, _ := x.Float64()
				yf, _ := y.Float64()
				if !within(x, a.P.Enclosure) || !within(y, a.Q.Enclosure) || !within(left, of[3].P.Enclosure) || log(xf, yf) < lo-1e-15 || log(xf, yf) > hi+1e-15 {
					t.Errorf("masses %v and %v become %v and %v, not in %v, %v", p, q, x, y, a.P.Enclosure, a.Q.Enclosure)
				}
			}
		}
	}
	for k, want := range [][4]float64{{0.24, 0.76 / 3, 0.73 / 3, 0.25}, {0.24, 0.76 / 3, 0.24, 0.25}, {0.48, 0.52, 0.48, 0.52}, {0, 0.02, 0, 0.02}} {
		x, y := of[k].P.Enclosure, of[k].Q.Enclosure
		lo, hi := x.Bounds()
		from, to := y.Bounds()
		if lo < want[0]-1e-15 || hi > want[1]+1e-15 || from < want[2]-1e-15 || to > want[3]+1e-15 {
			t.Errorf("output %d has masses in %v and %v, want %v", k, x, y, want)
		}
	}
	if s, exact := of[2].Offset.Sign(); s != 0 || !exact {
		t.Errorf("a loss of 0 became %v", of[2].Offset)
	}
}

// A subsampled family derives its name, universe and source from the family. It is a bound only if the original family
// is one, or has several pairs of unknown direction. Poisson sampling gives two directions, sampling without
// replacement one.
func TestSubsampledFamilies(t *testing.T) {
	l := lawsOf(t, 20, []int64{12, 6, 2}, []int64{4, 6, 10})
	pair := SymmetricPair("pair", "source", l)
	if pair.Size != 1 || pair.Relation != query.Any || pair.Source != "source" {
		t.Fatalf("%+v", pair.Name)
	}
	quarter := big.NewRat(1, 4)
	for kind, c := range map[Sampling]struct {
		size         int
		name, source string
	}{
		Poisson:            {2, `subsample(pair, 1/4, "poisson")`, "Zhu, Dong and Wang 2022, Theorem 11; source"},
		WithoutReplacement: {1, `subsample(pair, 1/4, "without_replacement")`, "Zhu, Dong and Wang 2022; source"},
	} {
		f := must.For(Subsample(t.Context(), New(pair), quarter, kind))(t).uses[0].Of
		if f.Size != c.size || f.Name != c.name || f.Source != c.source || f.Bound || !f.Universe.Same(sampledUniverse(kind)) || f.Universe.Same(sampledUniverse("other")) {
			t.Errorf("%s: %d pairs of %s from %s, Bound: %t", kind, f.Size, f.Name, f.Source, f.Bound)
		}
		p := must.For(f.Pair(t.Context(), 0))(t).(*DiscretePair)
		if kind == Poisson {
			r := must.For(f.Pair(t.Context(), 1))(t).(*DiscretePair)
			for i, a := range p.atoms {
				if b := r.atoms[len(r.atoms)-1-i]; a.P.Rational.Cmp(b.Q.Rational) != 0 || a.Q.Rational.Cmp(b.P.Rational) != 0 {
					t.Errorf("the second pair is not the reverse of the first at atom %d", i)
				}
			}
		}
	}
	many := &DominatingPairs{Name: "two", Size: 2, Relation: query.AddRemove, Pair: PairAndReverse("", "", l).Pair, Removes: func(i int) bool { return i == 0 }}
	if f := must.For(Subsample(t.Context(), New(many), quarter, Poisson))(t).uses[0].Of; f.Bound {
		t.Error("a family whose pairs know their direction became a bound")
	}
	many.Removes = nil
	if f := must.For(Subsample(t.Context(), New(many), quarter, Poisson))(t).uses[0].Of; !f.Bound {
		t.Error("a family of two pairs without directions is not a bound")
	}
	bounded := SymmetricPair("bounded", "source", l)
	bounded.Bound = true
	if f := must.For(Subsample(t.Context(), New(bounded), quarter, WithoutReplacement))(t).uses[0].Of; !f.Bound {
		t.Error("subsampling a bound did not give a bound")
	}
	replaces := &DominatingPairs{Name: "replaces", Size: 2, Relation: query.Replace, Pair: many.Pair}
	if _, err := Subsample(t.Context(), New(replaces), quarter, Poisson); err == nil {
		t.Error("Poisson sampling under the replace relation gave no error")
	}
	if _, err := Subsample(t.Context(), New(many), quarter, WithoutReplacement); err == nil {
		t.Error("sampling without replacement under the add-remove relation gave no error")
	}
}
