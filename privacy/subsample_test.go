package privacy

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/query"
)

// ternary is randomized response with three answers and ε₀ = 3.
func ternary(t *testing.T) *DominatingPairs {
	t.Helper()
	three := must.For(evidence.NewEpsilon("eps", 3))(t)
	w := three.Enclosure().Exp()
	low := interval.Int(1).Quo(w.Add(interval.Int(2)))
	am := func(v interval.Interval) evidence.RatOrInterval { return evidence.RatOrInterval{Enclosure: v} }
	zeroLoss := interval.Int(0)
	return symmetricPair("ternary", "test", NewDiscretePair([]Atom{
		{P: am(low.Mul(w)), Q: am(low), Steps: 1, Offset: zeroLoss}, {P: am(low), Q: am(low.Mul(w)), Steps: -1, Offset: zeroLoss}, {P: am(low), Q: am(low), Offset: zeroLoss},
	}, zero, zero, three, Hooks{}))
}

// Ten uses of ternary randomized response at ε₀ = 3, sampled without replacement at rate 1/10, have δ(1) = .2429.
// Composing the two directions separately would give .1899 and 0.
func TestSubsampledTernary(t *testing.T) {
	rate := big.NewRat(1, 10)
	unit, _ := evidence.NewEpsilon("eps", 1)
	one := must.For(Subsample(t.Context(), New(ternary(t)), rate, WithoutReplacement))(t)
	ten := must.For(Compose(t.Context(), []*Account{one}, []int{10}))(t)
	d := must.For(ten.Delta(t.Context(), unit))(t)
	lo, hi := d.Bounds()
	if fmt.Sprintf("%.4f %.4f", lo, hi) != "0.2429 0.2429" {
		t.Errorf("δ(1) is %v", d)
	}
	pair, _ := ternary(t).Pair(t.Context(), 0)
	for how, want := range map[mixture]string{removal: "0.1899", addition: "0.0000"} {
		apart := subsamplePair(pair, rate, removal)
		if how == addition {
			apart = apart.Reverse()
		}
		got := must.For(newComposition(0, []factor{{apart, 10}}).delta(t.Context(), unit))(t)
		if lo, hi := got.Enclosure.Bounds(); fmt.Sprintf("%.4f %.4f", lo, hi) != want+" "+want {
			t.Errorf("direction %d: δ(1) in [%g, %g], want %s", how, lo, hi, want)
		}
	}
}

// The divergence of a subsampled pair at every order matches quadrature over the base's loss, for normal and Laplace
// laws, and so do moments. Grids enclose the same values.
func TestSubsampledPairMatchesQuadrature(t *testing.T) {
	t.Parallel()
	half, _ := evidence.NewEpsilon("eps", 0.5)
	for name, base := range map[string]*closedForm{"normal": Normal(interval.Float(1.25)).(*closedForm), "Laplace": Laplace(half).(*closedForm)} {
		for _, rate := range []*big.Rat{big.NewRat(1, 10)} {
			g, _ := rate.Float64()
			for _, how := range []mixture{removal, addition, replacement} {
				p := newSubsampled(base, rate, how)
				// Cells of the base in float64, with masses under both laws.
				far := p.reach(60)
				if name == "normal" { // as far as the moments reach
					far += 12
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
				if name != "Laplace" || how != replacement { // other log-moments have tests of their own
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
	known := must.For(ApproxDP(evidence.Epsilon{}, big.NewRat(1, 10)))(t)
	one, third := New(known), big.NewRat(1, 3)
	graphs := PairAndReverse("graphs", "", ternaryPair(t))
	broken := symmetricPair("broken", "", NewDiscretePair([]Atom{RationalAtom(big.NewRat(1, 2), big.NewRat(1, 3))}, zero, zero, evidence.Epsilon{}, Hooks{}))
	for name, c := range map[string]struct {
		of   *Account
		rate *big.Rat
		kind Sampling
	}{
		"rate = \"-1\"":          {one, big.NewRat(-1, 1), Poisson},
		"rate = \"3/2\"":         {one, big.NewRat(3, 2), Poisson},
		"kind = ":                {one, third, "bernoulli"},
		"add or remove a record": {New(graphs), third, Poisson},
		"replace a record":       {New(graphs), third, WithoutReplacement},
		"is not a pair of probability distributions": {New(broken), third, Poisson},
	} {
		if got, err := Subsample(t.Context(), c.of, c.rate, c.kind); got != nil || !errors.Is(err, evidence.ErrParameter) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	// At rate 1 nothing changes.
	whole := must.For(Subsample(t.Context(), one, big.NewRat(1, 1), Poisson))(t)
	d, err := whole.Delta(t.Context(), evidence.Epsilon{})
	if e, ok := d.(evidence.Exact); err != nil || !ok || e.Value.Cmp(big.NewRat(1, 10)) != 0 {
		t.Errorf("at rate 1: %v, %v", d, err)
	}
}

func ternaryPair(t *testing.T) Pair {
	t.Helper()
	p := must.For(ternary(t).Pair(t.Context(), 0))(t)
	return p
}

// For tiny universes the sampled laws are explicit. With at most one record, Poisson sampling gives exactly the pair
// and its reverse. If one of two records is drawn, every pair of neighbors is known. Both bounds are attained exactly,
// for one use and two.
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
	// One pair that differs from its reverse, and one that equals it.
	with, without := law(11, 5, 3, 1), law(4, 6, 2, 8)
	left, right := law(12, 5, 3), law(3, 5, 12)
	family := func(p, q []*big.Rat, relation query.Relation) *DominatingPairs {
		l := must.For(NewRationalPair(p, q))(t)
		f := PairAndReverse("laws", "test", l)
		f.Relation, f.Removes = relation, func(i int) bool { return i == 0 }
		return f
	}
	for _, g := range []*big.Rat{big.NewRat(1, 2), big.NewRat(1, 5), big.NewRat(9, 10)} {
		drawn := mix(with, without, g)
		sampled := map[string]struct {
			f     *DominatingPairs
			kind  Sampling
			pairs [][2][]*big.Rat
		}{
			"poisson": {family(with, without, query.AddRemove), Poisson, [][2][]*big.Rat{{drawn, without}, {without, drawn}}},
		}
		if g.Cmp(big.NewRat(1, 2)) == 0 {
			one := mix(left, right, g) // one record of each kind
			sampled["without replacement"] = struct {
				f     *DominatingPairs
				kind  Sampling
				pairs [][2][]*big.Rat
			}{family(left, right, query.Replace), WithoutReplacement, [][2][]*big.Rat{{left, one}, {one, left}, {one, right}, {right, one}}}
		}
		for name, c := range sampled {
			once := must.For(Subsample(t.Context(), New(c.f), g, c.kind))(t)
			two := must.For(Compose(t.Context(), []*Account{once}, []int{2}))(t)
			for _, w := range []*big.Rat{big.NewRat(1, 1), big.NewRat(11, 10), big.NewRat(3, 2), big.NewRat(2, 1)} {
				var eps evidence.Epsilon
				if w.Cmp(one) > 0 {
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
					of    *Account
					want  *big.Rat
					equal bool // one use attains the bound, and so do the directions of Poisson sampling
				}{{once, most, true}, {two, both, c.kind == Poisson}} {
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

// ε of one use on sampled records matches mpmath: findroot on the closed form of δ, with 60 digits.
func TestEpsilonOfOneSampledUse(t *testing.T) {
	for _, c := range []struct {
		mu    float64
		rate  string
		how   mixture
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
		p := newComposition(0, []factor{{newSubsampled(Normal(interval.Float(c.mu)).(*closedForm), rate, c.how), 1}})
		e := must.For(p.epsilon(t.Context(), evidencetest.Delta(c.delta).Rat(), 0))(t)
		want, _ := new(big.Rat).SetString(c.want)
		exact, _ := want.Float64()
		if lo, hi := e.Enclosure.Bounds(); lo > exact || hi < exact || hi-lo > 1e-13*hi {
			t.Errorf("μ = %g, rate %s, direction %d, δ = %g: ε in [%g, %g], want %s", c.mu, c.rate, c.how, c.delta, lo, hi, c.want)
		}
	}
}

// Subsampling twice is subsampling at the product of the rates. At rate 0 neighbors have equal laws.
func TestSubsampleTwice(t *testing.T) {
	half, third := big.NewRat(1, 2), big.NewRat(1, 3)
	for _, kind := range []Sampling{Poisson, WithoutReplacement} {
		base := New(NormalPairs("normal", "test", interval.Float(1.5)))
		once := must.For(Subsample(t.Context(), base, big.NewRat(1, 6), kind))(t)
		twice := must.For(Subsample(t.Context(), must.For(Subsample(t.Context(), base, half, kind))(t), third, kind))(t)
		lo, hi := must.For(once.Epsilon(t.Context(), evidencetest.Delta(1e-4)))(t).Bounds()
		if least, most := must.For(twice.Epsilon(t.Context(), evidencetest.Delta(1e-4)))(t).Bounds(); lo > most || hi < least || once.Relation() != twice.Relation() {
			t.Errorf("%s: ε in [%g, %g] under %q sampled once, and in [%g, %g] under %q sampled twice", kind, lo, hi, once.Relation(), least, most, twice.Relation())
		}
		none := must.For(Subsample(t.Context(), base, new(big.Rat), kind))(t)
		if d := must.For(none.Delta(t.Context(), evidence.Epsilon{}))(t); !isExactly(d, 0) {
			t.Errorf("%s at rate 0: δ(0) is %v", kind, d)
		}
	}
}

func isExactly(n evidence.Number, v float64) bool {
	lo, hi := n.Bounds()
	return lo == v && hi == v
}
