package privacy_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy"
	"dpworkbench/query"
)

// Under sampling without replacement, the masses of an output depend on which law makes it likelier. If an interval
// leaves that undecided, the masses of the output and of the remainder cover both cases. An output whose loss is
// exactly 0 keeps its precision.
func TestReplacementPairNearZeroLoss(t *testing.T) {
	third := big.NewRat(1, 3)
	drawn := func(p, q *big.Rat) (x, y, left *big.Rat) { // by the definition; left remains under both laws
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
	replaced := func(l *privacy.DiscretePair) []privacy.Atom {
		return sampled(t, privacy.SymmetricPair("", "", l), third, replacement).(*privacy.DiscretePair).Atoms()
	}
	half := big.NewRat(1, 2)
	for _, bits := range []uint{2, 60, 300} {
		d := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), bits))
		p := []*big.Rat{new(big.Rat).Add(half, d), new(big.Rat).Sub(half, d)}
		got := replaced(twoLaws(t, p, []*big.Rat{half, half}))
		for k := range p {
			x, y, left := drawn(p[k], half)
			for _, want := range [][2]*big.Rat{{x, y}, {left, left}} {
				if !slices.ContainsFunc(got, func(a privacy.Atom) bool { return a.P.Rational.Cmp(want[0]) == 0 && a.Q.Rational.Cmp(want[1]) == 0 }) {
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
	open := replaced(privacy.NewDiscretePair([]privacy.Atom{
		{P: between(0.24, 0.26), Q: between(0.25, 0.25), Offset: interval.Between(log(0.24, 0.25), log(0.26, 0.25)), Tags: []int{0}},
		{P: between(0.24, 0.26), Q: between(0.24, 0.25), Offset: interval.Between(log(0.24, 0.25), log(0.26, 0.24)), Tags: []int{1}},
		{P: between(0.48, 0.52), Q: between(0.48, 0.52), Offset: interval.Int(0), Tags: []int{2}},
	}, noMass, noMass, evidence.Epsilon{}, privacy.Hooks{}))
	var of [4]privacy.Atom
	for _, a := range open {
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

// A subsampled family derives its name, universe and source from the original family. It is a bound only if the
// original family is a bound, or has several pairs of unknown direction. Poisson sampling gives two directions, and
// sampling without replacement gives one.
func TestSubsampledFamilies(t *testing.T) {
	l := twoLaws(t, rats(20, 12, 6, 2), rats(20, 4, 6, 10))
	sample := func(f *privacy.DominatingPairs, kind privacy.Sampling) *privacy.DominatingPairs {
		return must.For(must.For(privacy.Subsample(t.Context(), privacy.New(f), big.NewRat(1, 4), kind))(t).Pairs(t.Context()))(t)
	}
	pair := privacy.SymmetricPair("pair", "source", l)
	if pair.Size != 1 || pair.Relation != query.Any || pair.Source != "source" {
		t.Fatalf("%+v", pair.Name)
	}
	quarter := big.NewRat(1, 4)
	for kind, c := range map[privacy.Sampling]struct {
		size         int
		name, source string
		other        privacy.Sampling
	}{
		privacy.Poisson:            {2, `subsample(pair, 1/4, "poisson")`, "Zhu, Dong and Wang 2022, Theorem 11; source", privacy.WithoutReplacement},
		privacy.WithoutReplacement: {1, `subsample(pair, 1/4, "without_replacement")`, "Zhu, Dong and Wang 2022; source", privacy.Poisson},
	} {
		f := sample(pair, kind)
		same, other := sample(pair, kind).Universe, sample(pair, c.other).Universe
		if f.Size != c.size || f.Name != c.name || f.Source != c.source || f.Bound || !f.Universe.Same(same) || f.Universe.Same(other) {
			t.Errorf("%s: %d pairs of %s from %s, Bound: %t", kind, f.Size, f.Name, f.Source, f.Bound)
		}
		p := must.For(f.Pair(t.Context(), 0))(t).(*privacy.DiscretePair)
		if kind == privacy.Poisson {
			r := must.For(f.Pair(t.Context(), 1))(t).(*privacy.DiscretePair)
			atoms := r.Atoms()
			for i, a := range p.Atoms() {
				if b := atoms[len(atoms)-1-i]; a.P.Rational.Cmp(b.Q.Rational) != 0 || a.Q.Rational.Cmp(b.P.Rational) != 0 {
					t.Errorf("the second pair is not the reverse of the first at atom %d", i)
				}
			}
		}
	}
	many := pairsOf("two", l, l.Reverse())
	many.Relation, many.Removes = query.AddRemove, func(i int) bool { return i == 0 }
	if f := sample(many, privacy.Poisson); f.Bound {
		t.Error("a family whose pairs know their direction became a bound")
	}
	many.Removes = nil
	if f := sample(many, privacy.Poisson); !f.Bound {
		t.Error("a family of two pairs without directions is not a bound")
	}
	bounded := privacy.SymmetricPair("bounded", "source", l)
	bounded.Bound = true
	if f := sample(bounded, privacy.WithoutReplacement); !f.Bound {
		t.Error("subsampling a bound did not give a bound")
	}
	replaces := &privacy.DominatingPairs{Name: "replaces", Size: 2, Relation: query.Replace, Pair: many.Pair}
	if _, err := privacy.Subsample(t.Context(), privacy.New(replaces), quarter, privacy.Poisson); err == nil {
		t.Error("Poisson sampling under the replace relation gave no error")
	}
	if _, err := privacy.Subsample(t.Context(), privacy.New(many), quarter, privacy.WithoutReplacement); err == nil {
		t.Error("sampling without replacement under the add-remove relation gave no error")
	}
}

// ternary is randomized response with three answers and ε₀ = 3.
func ternary(t *testing.T) *privacy.DominatingPairs {
	t.Helper()
	three := must.For(evidence.NewEpsilon("eps", 3))(t)
	w := three.Enclosure().Exp()
	low := interval.Int(1).Quo(w.Add(interval.Int(2)))
	am := func(v interval.Interval) evidence.RatOrInterval { return evidence.RatOrInterval{Enclosure: v} }
	zeroLoss := interval.Int(0)
	return privacy.SymmetricPair("ternary", "test", privacy.NewDiscretePair([]privacy.Atom{
		{P: am(low.Mul(w)), Q: am(low), Steps: 1, Offset: zeroLoss}, {P: am(low), Q: am(low.Mul(w)), Steps: -1, Offset: zeroLoss}, {P: am(low), Q: am(low), Offset: zeroLoss},
	}, noMass, noMass, three, privacy.Hooks{}))
}

// Ten uses of ternary randomized response at ε₀ = 3, sampled without replacement at rate 1/10, have δ(1) = .2429.
// Composing the two directions separately would give .1899 and 0.
func TestSubsampledTernary(t *testing.T) {
	rate := big.NewRat(1, 10)
	unit, _ := evidence.NewEpsilon("eps", 1)
	one := must.For(privacy.Subsample(t.Context(), privacy.New(ternary(t)), rate, privacy.WithoutReplacement))(t)
	ten := must.For(privacy.Compose(t.Context(), []*privacy.Account{one}, []int{10}))(t)
	d := must.For(ten.Delta(t.Context(), unit))(t)
	lo, hi := d.Bounds()
	if fmt.Sprintf("%.4f %.4f", lo, hi) != "0.2429 0.2429" {
		t.Errorf("δ(1) is %v", d)
	}
	for how, want := range map[direction]string{removal: "0.1899", addition: "0.0000"} {
		got := must.For(composed(t, alone(sampled(t, ternary(t), rate, how)), 10).Delta(t.Context(), unit))(t)
		if lo, hi := got.Bounds(); fmt.Sprintf("%.4f %.4f", lo, hi) != want+" "+want {
			t.Errorf("direction %d: δ(1) in [%g, %g], want %s", how, lo, hi, want)
		}
	}
}

// alone returns the account of one pair without its reverse.
func alone(p privacy.Pair) *privacy.Account { return privacy.New(pairsOf("pair", p)) }

// The divergence of a subsampled pair at every order matches quadrature over the base's loss, for normal and Laplace
// laws. Moments match, too. Grids enclose the same values.
func TestSubsampledPairMatchesQuadrature(t *testing.T) {
	t.Parallel()
	half, _ := evidence.NewEpsilon("eps", 0.5)
	for name, base := range map[string]*privacy.DominatingPairs{
		"normal": privacy.NormalPairs("", "", interval.Float(1.25)), "Laplace": privacy.LaplacePairs("", "", half),
	} {
		for _, rate := range []*big.Rat{big.NewRat(1, 10)} {
			g, _ := rate.Float64()
			for _, how := range []direction{removal, addition, replacement} {
				p := sampled(t, base, rate, how)
				// The quadrature uses float64 cells of the base, with masses under both laws.
				far := 0.5
				if name == "normal" { // the moments need outputs this far out
					far = 24
				}
				const n = 20_000
				integral := func(of func(p, q float64) float64) float64 {
					sum := 0.0
					add := func(x, y float64, negative bool) {
						c := [2]float64{g*x + (1-g)*y, y}
						switch {
						case how == addition:
							c = [2]float64{y, g*x + (1-g)*y}
						case how == replacement && negative:
							c = [2]float64{x, (1-g)*x + g*y}
						}
						sum += of(c[0], c[1])
					}
					density := func(l float64) float64 {
						if name == "normal" {
							mu := 1.25
							z := (l - mu*mu/2) / mu
							return math.Exp(-z*z/2) / math.Sqrt(2*math.Pi) / mu
						}
						return math.Exp((l-0.5)/2) / 4
					}
					total := 0.0
					for k := range n {
						l := -far + (float64(k)+0.5)*2*far/n
						x := density(l) * 2 * far / n
						y := x * math.Exp(-l)
						total += math.Max(0, x-y)
						add(x, y, l < 0)
					}
					if name == "Laplace" {
						add(0.5, 0.5*math.Exp(-0.5), false)
						add(0.5*math.Exp(-0.5), 0.5, true)
						total += 0.5 - 0.5*math.Exp(-0.5)
					}
					if how == replacement {
						sum += of((1-g)*total, (1-g)*total)
					}
					return sum
				}
				if all := integral(func(p, _ float64) float64 { return p }); math.Abs(all-1) > 1e-6 {
					t.Fatalf("%s at %v: the masses sum to %v", name, rate, all)
				}
				for _, at := range []float64{0, 0.05, 0.3, 1} {
					want := integral(func(p, q float64) float64 { return math.Max(0, p-math.Exp(at)*q) })
					var eps evidence.Epsilon
					if at > 0 {
						eps, _ = evidence.NewEpsilon("eps", at)
					}
					closed := must.For(p.Delta(t.Context(), eps))(t)
					if lo, hi := closed.Enclosure.Bounds(); lo > want+1e-7 || hi < want-1e-7 || hi-lo > 1e-12 {
						t.Errorf("%s, %v at %v: δ(%g) in [%g, %g], want %g", name, how, rate, at, lo, hi, want)
					}
				}
				if name != "Laplace" || how != replacement { // other tests cover the moments of all other cases
					continue
				}
				for _, order := range []float64{0.5, 7} {
					want := math.Log(integral(func(p, q float64) float64 {
						if p <= 0 {
							return 0
						}
						return p * math.Pow(p/q, order)
					}))
					if lo, hi := p.LogMoment(interval.Float(order)).Bounds(); lo > want+1e-6 || hi < want-1e-6 || hi-lo > 0.02*(1+hi) {
						t.Errorf("%s, %v at %v: log-moment of %g in [%g, %g], want %g", name, how, rate, order, lo, hi, want)
					}
				}
			}
		}
	}
}

func TestSubsampleRefuses(t *testing.T) {
	known := must.For(privacy.ApproxDP(evidence.Epsilon{}, big.NewRat(1, 10)))(t)
	one, third := privacy.New(known), big.NewRat(1, 3)
	graphs := privacy.PairAndReverse("graphs", "", ternaryPair(t))
	atoms := []privacy.Atom{privacy.RationalAtom(big.NewRat(1, 2), big.NewRat(1, 3))}
	broken := privacy.SymmetricPair("broken", "", privacy.NewDiscretePair(atoms, noMass, noMass, evidence.Epsilon{}, privacy.Hooks{}))
	for name, c := range map[string]struct {
		of   *privacy.Account
		rate *big.Rat
		kind privacy.Sampling
	}{
		"rate = -1":              {one, big.NewRat(-1, 1), privacy.Poisson},
		"rate = 3/2":             {one, big.NewRat(3, 2), privacy.Poisson},
		"kind = ":                {one, third, "bernoulli"},
		"add or remove a record": {privacy.New(graphs), third, privacy.Poisson},
		"replace a record":       {privacy.New(graphs), third, privacy.WithoutReplacement},
		"is not a pair of probability distributions": {privacy.New(broken), third, privacy.Poisson},
	} {
		got, err := privacy.Subsample(t.Context(), c.of, c.rate, c.kind)
		if got != nil || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	// Sampling at rate 1 changes nothing.
	whole := must.For(privacy.Subsample(t.Context(), one, big.NewRat(1, 1), privacy.Poisson))(t)
	d, err := whole.Delta(t.Context(), evidence.Epsilon{})
	if e, ok := d.(evidence.Exact); err != nil || !ok || e.Value.Cmp(big.NewRat(1, 10)) != 0 {
		t.Errorf("at rate 1: %v, %v", d, err)
	}
}

func ternaryPair(t *testing.T) privacy.Pair {
	t.Helper()
	p := must.For(ternary(t).Pair(t.Context(), 0))(t)
	return p
}

// For tiny universes the sampled laws can be listed. With at most one record, Poisson sampling gives exactly the pair
// and its reverse. If one of two records is drawn, every pair of neighbors is known. Both bounds are attained exactly
// for one use, and the bound of Poisson sampling also for two.
func TestSubsampleIsTightOnTinyUniverses(t *testing.T) {
	law := func(masses ...int64) (out []*big.Rat) {
		for _, m := range masses {
			out = append(out, big.NewRat(m, 20))
		}
		return out
	}
	mix := func(p, q []*big.Rat, g *big.Rat) (out []*big.Rat) {
		rest := new(big.Rat).Sub(big.NewRat(1, 1), g)
		for i := range p {
			out = append(out, new(big.Rat).Add(new(big.Rat).Mul(g, p[i]), new(big.Rat).Mul(rest, q[i])))
		}
		return out
	}
	twice := func(p []*big.Rat) (out []*big.Rat) {
		for _, x := range p {
			for _, y := range p {
				out = append(out, new(big.Rat).Mul(x, y))
			}
		}
		return out
	}
	hockey := func(p, q []*big.Rat, w *big.Rat) *big.Rat {
		sum := new(big.Rat)
		for i := range p {
			if d := new(big.Rat).Sub(p[i], new(big.Rat).Mul(w, q[i])); d.Sign() > 0 {
				sum.Add(sum, d)
			}
		}
		return sum
	}
	// The first pair differs from its reverse, and the second equals its reverse.
	with, without := law(11, 5, 3, 1), law(4, 6, 2, 8)
	left, right := law(12, 5, 3), law(3, 5, 12)
	family := func(p, q []*big.Rat, relation query.Relation) *privacy.DominatingPairs {
		l := must.For(privacy.NewRationalPair(p, q))(t)
		f := privacy.PairAndReverse("laws", "test", l)
		f.Relation, f.Removes = relation, func(i int) bool { return i == 0 }
		return f
	}
	for _, g := range []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 5), big.NewRat(9, 10)} {
		drawn := mix(with, without, g)
		sampled := map[string]struct {
			f     *privacy.DominatingPairs
			kind  privacy.Sampling
			pairs [][2][]*big.Rat
		}{
			"poisson": {family(with, without, query.AddRemove), privacy.Poisson, [][2][]*big.Rat{{drawn, without}, {without, drawn}}},
		}
		if g.Cmp(big.NewRat(1, 2)) == 0 {
			one := mix(left, right, g) // one record of each kind
			sampled["without replacement"] = struct {
				f     *privacy.DominatingPairs
				kind  privacy.Sampling
				pairs [][2][]*big.Rat
			}{family(left, right, query.Replace), privacy.WithoutReplacement, [][2][]*big.Rat{{left, one}, {one, left}, {one, right}, {right, one}}}
		}
		for name, c := range sampled {
			once := must.For(privacy.Subsample(t.Context(), privacy.New(c.f), g, c.kind))(t)
			two := must.For(privacy.Compose(t.Context(), []*privacy.Account{once}, []int{2}))(t)
			for _, w := range []*big.Rat{big.NewRat(1, 1), big.NewRat(11, 10), big.NewRat(3, 2), big.NewRat(2, 1)} {
				var eps evidence.Epsilon
				if w.Cmp(big.NewRat(1, 1)) > 0 {
					eps = must.For(evidence.LogEpsilon("eps", w))(t)
				}
				most, both := new(big.Rat), new(big.Rat)
				for _, p := range c.pairs {
					if d := hockey(p[0], p[1], w); d.Cmp(most) > 0 {
						most = d
					}
					if d := hockey(twice(p[0]), twice(p[1]), w); d.Cmp(both) > 0 {
						both = d
					}
				}
				for _, a := range []struct {
					of    *privacy.Account
					want  *big.Rat
					equal bool // whether the bound is attained
				}{{once, most, true}, {two, both, c.kind == privacy.Poisson}} {
					d := must.For(a.of.Delta(t.Context(), eps))(t)
					_, hi := d.Bounds()
					want, _ := a.want.Float64()
					if hi < want*(1-1e-12) || a.equal && hi > want*(1+1e-9)+1e-15 {
						t.Errorf("%s at %v: δ(ln %v) is %v, want %v from the sampled laws", name, g, w, d, want)
					}
				}
			}
		}
	}
}

// ε of one use on sampled records matches mpmath, whose findroot solves the closed form of δ with 60 digits.
func TestEpsilonOfOneSampledUse(t *testing.T) {
	for _, c := range []struct {
		mu    float64
		rate  string
		how   direction
		delta float64
		want  string
	}{
		{2, "1e-12", replacement, 1e-20, "3.442912802483892163847e-7"},
		{2, "1e-12", removal, 1e-20, "3.442912802483892163847e-7"},
		{2, "1e-12", addition, 1e-20, "9.998753937990197031857e-13"},
		{0.5, "0.01", addition, 1e-9, "0.008996485872730087906234"},
		{0.5, "0.01", removal, 1e-9, "0.1049486700285269961244"},
		{1.25, "0.9", addition, 1e-6, "2.262757890843872500797"},
		{30, "0.3", removal, 1e-100, "1084.547058818802096009"},
		{4, "0.999", addition, 1e-100, "6.907755278982137052054"},
		{0.001, "0.5", addition, 1e-4, "0.0002464132661987224192599"},
	} {
		rate, _ := new(big.Rat).SetString(c.rate)
		p := sampled(t, privacy.NormalPairs("", "", interval.Float(c.mu)), rate, c.how)
		e := must.For(alone(p).Epsilon(t.Context(), evidencetest.Delta(c.delta)))(t)
		want, _ := new(big.Rat).SetString(c.want)
		exact, _ := want.Float64()
		if lo, hi := e.Bounds(); lo > exact || hi < exact || hi-lo > 1e-13*hi {
			t.Errorf("μ = %g, rate %s, direction %d, δ = %g: ε in [%g, %g], want %s", c.mu, c.rate, c.how, c.delta, lo, hi, c.want)
		}
	}
}

// Subsampling twice equals subsampling once at the product of the rates. At rate 0 neighbors have equal laws.
func TestSubsampleTwice(t *testing.T) {
	half, third := big.NewRat(1, 2), big.NewRat(1, 3)
	for _, kind := range []privacy.Sampling{privacy.Poisson, privacy.WithoutReplacement} {
		base := privacy.New(privacy.NormalPairs("normal", "test", interval.Float(1.5)))
		once := must.For(privacy.Subsample(t.Context(), base, big.NewRat(1, 6), kind))(t)
		twice := must.For(privacy.Subsample(t.Context(), must.For(privacy.Subsample(t.Context(), base, half, kind))(t), third, kind))(t)
		lo, hi := must.For(once.Epsilon(t.Context(), evidencetest.Delta(1e-4)))(t).Bounds()
		if least, most := must.For(twice.Epsilon(t.Context(), evidencetest.Delta(1e-4)))(t).Bounds(); lo > most || hi < least || once.Relation() != twice.Relation() {
			t.Errorf("%s: ε in [%g, %g] under %q sampled once, and in [%g, %g] under %q sampled twice", kind, lo, hi, once.Relation(), least, most, twice.Relation())
		}
		none := must.For(privacy.Subsample(t.Context(), base, new(big.Rat), kind))(t)
		if d := must.For(none.Delta(t.Context(), evidence.Epsilon{}))(t); !isExactly(d, 0) {
			t.Errorf("%s at rate 0: δ(0) is %v", kind, d)
		}
	}
}

func isExactly(n evidence.Number, v float64) bool {
	lo, hi := n.Bounds()
	return lo == v && hi == v
}

// The upper end of ε is large enough for losses beyond the range of intervals: ten sampled uses with losses of 1e80.
func TestEpsilonOfHugeSampledLosses(t *testing.T) {
	ctx := context.Background()
	eps := must.For(evidence.NewEpsilon("eps", 1e80))(t)
	known := must.For(privacy.ApproxDP(eps, new(big.Rat)))(t)
	a := must.For(privacy.Subsample(ctx, privacy.New(known), big.NewRat(1, 10), privacy.Poisson))(t)
	ten := must.For(privacy.Compose(ctx, []*privacy.Account{a}, []int{10}))(t)
	v := must.For(ten.Epsilon(ctx, evidencetest.Delta(1e-6)))(t)
	if _, hi := v.Bounds(); hi < 3e80 {
		t.Errorf("ε = %v, want 3e80 or more", v)
	}
}

// An output that only Q can give, with an interval mass, has the loss ln(1 − γ) after the record is sampled.
func TestRemovalPairOfIntervalMasses(t *testing.T) {
	point := func(v float64) evidence.RatOrInterval { return between(v, v) }
	ln2 := interval.RationalLog(big.NewRat(2, 1))
	l := privacy.NewDiscretePair([]privacy.Atom{{P: point(0.75), Q: point(0.375), Offset: ln2}}, point(0.25), point(0.625), evidence.Epsilon{}, privacy.Hooks{})
	lo, hi := sampled(t, privacy.SymmetricPair("", "", l), big.NewRat(1, 4), removal).LossRange().Bounds()
	if math.Abs(lo-math.Log(0.75)) > 1e-15 || math.Abs(hi-math.Log(1.25)) > 1e-15 {
		t.Errorf("losses in [%v, %v], want [ln 3/4, ln 5/4]", lo, hi)
	}
}
