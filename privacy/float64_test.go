package privacy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/ctxtest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/privacy/internal/pld"
)

// mixtures returns pairs whose divergences have closed forms.
func mixtures(t *testing.T) map[string]Pair {
	t.Helper()
	out := map[string]Pair{}
	for _, mu := range cases.Of([]float64{1}, []float64{0.05, 1}) {
		out[fmt.Sprintf("normal %g", mu)] = Normal(interval.Float(mu))
	}
	for _, e := range []float64{0.7} {
		eps := must.For(evidence.NewEpsilon("eps", e))(t)
		out[fmt.Sprintf("Laplace %g", e)] = Laplace(eps)
	}
	for name, p := range maps.Clone(out) {
		for _, rate := range cases.Of([]*big.Rat{big.NewRat(1, 3)}, []*big.Rat{big.NewRat(1, 1000), big.NewRat(1, 3)}) {
			for kind, of := range map[string]mixture{"removal": removal, "addition": addition, "replacement": replacement} {
				out[fmt.Sprintf("%s of %s at %s", kind, name, rate.RatString())] = subsamplePair(p, rate, of)
			}
		}
	}
	return out
}

func float64Of(t *testing.T, p Pair, times int) *pld.Account {
	t.Helper()
	f, err := p.float64Pair(t.Context(), 100)
	if err != nil || f == nil {
		t.Fatalf("no float64 account: %v", err)
	}
	return &pld.Account{Parts: []pld.Part{{Upper: f.above, Lower: f.below, Times: times}}}
}

// For one use, the bounds on δ enclose the closed form.
func TestFloat64DeltaEnclosesClosedForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for name, p := range mixtures(t) {
		_, most := p.LossRange().Bounds()
		for range cases.Of(1, 2) {
			at := min(most, 12) * rng.Float64()
			eps := must.For(evidence.NewEpsilon("eps", at))(t)
			want := must.For(p.Delta(t.Context(), eps))(t)
			least, size := want.Enclosure.Bounds()
			if size < 1e-60 { // δ is too small for a bound from one use
				continue
			}
			lo, hi, err := float64Of(t, p, 1).LogDelta(t.Context(), at, at, 1e-3)
			lo, hi = math.Exp(lo), math.Exp(hi)
			switch {
			case err != nil:
				t.Errorf("%s, ε = %g: %v", name, at, err)
			case lo > size || hi < least:
				t.Errorf("%s: δ(%g) in [%g, %g], want %g", name, at, lo, hi, size)
			case hi-lo > 0.05*size && !strings.HasSuffix(name, "1/1000"): // at rate 1/1000 the losses hardly differ
				t.Errorf("%s: δ(%g) in [%g, %g] is too wide for %g", name, at, lo, hi, size)
			}
		}
	}
}

// responses returns the pair of the laws (p, 1 − p) and (q, 1 − q).
func responses(t *testing.T, p, q *big.Rat) *DiscretePair {
	t.Helper()
	l := must.For(NewRationalPair([]*big.Rat{p, new(big.Rat).Sub(one, p)}, []*big.Rat{q, new(big.Rat).Sub(one, q)}))(t)
	return l
}

// These compositions have a δ that is known exactly from integers. They have many different parts, or δ far below the
// float64 range.
func TestFloat64AccountsHoldExactDeltas(t *testing.T) {
	var different []factor
	for i := range int64(18) {
		different = append(different, factor{responses(t, big.NewRat(3+i, 7+2*i), big.NewRat(2+i, 8+2*i)), 1})
	}
	for name, c := range map[string]struct {
		factors []factor
		at      []*big.Rat // e^ε
		depth   float64    // ln δ at the last e^ε is below depth
	}{
		"different": {different, []*big.Rat{one, big.NewRat(11, 10), big.NewRat(5, 2)}, -2},
		"deep":      {[]factor{{responses(t, big.NewRat(1, 1<<20), big.NewRat(1, 1<<30)), 60}}, []*big.Rat{interval.RationalPower(big.NewRat(1000, 1), big.NewInt(30)), interval.RationalPower(big.NewRat(1000, 1), big.NewInt(60))}, -750},
	} {
		p := newComposition(0, c.factors)
		a := must.For(p.float64Account(t.Context(), 0))(t)
		for i, w := range c.at {
			exact, err := p.exactDelta(t.Context(), w)
			if err != nil || exact == nil {
				t.Fatal(exact, err)
			}
			want := interval.RationalLog(exact)
			from, to := interval.RationalLog(w).Bounds()
			lo, hi, err := a.LogDelta(t.Context(), max(from, 0), to, 1e-4)
			if least, most := want.Bounds(); err != nil || lo > most || hi < least || hi-lo > 2e-4 {
				t.Errorf("%s: ln δ(ln %v) in [%.12g, %.12g], want %v: %v", name, w, lo, hi, want, err)
			} else if i == len(c.at)-1 && !(most < c.depth) {
				t.Errorf("%s: ln δ = %g is not below the float64 range", name, most)
			}
			if i == 0 {
				continue
			}
			least, most, err := a.Epsilon(t.Context(), want.Mid(), want.Mid(), 1e-4, math.Inf(-1))
			if err != nil || least > to*(1+1e-12) || most < from*(1-1e-12) || most-least > 2e-4*most {
				t.Errorf("%s: ε(e^%g) in [%.12g, %.12g], want %.12g: %v", name, want.Mid(), least, most, to, err)
			}
		}
	}
}

// The float64 tangents lie above the exact trade-off function, and the float64 events below it. The bounds on μ from
// both enclose the exact μ.
func TestFloat64TangentsEncloseExactTradeoff(t *testing.T) {
	t.Parallel()
	table := must.For(NewRationalPair([]*big.Rat{big.NewRat(5, 10), big.NewRat(3, 10), big.NewRat(2, 10)}, []*big.Rat{big.NewRat(3, 10), big.NewRat(3, 10), big.NewRat(4, 10)}))(t)
	p := newComposition(0, []factor{{table, 6}})
	exact, err := p.exactPair(t.Context())
	if err != nil || exact == nil {
		t.Fatal(exact, err)
	}
	lines, under, err := p.tangents(t.Context(), big.NewRat(1, 1e12))
	if err != nil {
		t.Fatal(err)
	}
	outer, inner, want := hull(envelope(lines)), hull(under), hull(exact.points(true))
	for k := int64(0); k <= 200; k++ {
		q := big.NewRat(k, 200)
		high, _ := heightAt(outer, q).Float64()
		low, _ := heightAt(inner, q).Float64()
		if v, _ := heightAt(want, q).Float64(); low > v || high < v || high-low > 3e-3 {
			t.Errorf("at q = %v in [%g, %g], want %g", q, low, high, v)
		}
	}
	least, most := exact.LossRange().Bounds()
	far := max(-least, most) * (1 + 1e-15)
	reached, bound, err := p.gdpOfTangents(t.Context(), far, 1e-12)
	if err != nil {
		t.Fatal(err)
	}
	low, _ := reached.Bounds()
	_, high := bound.Bounds()
	if mu := exact.gdp().Mid(); low > mu || high < mu || high-low > 0.02*mu {
		t.Errorf("μ in [%g, %g], want %g", low, high, mu)
	}
}

// At extreme parameters the float64 answer may be wide, but it encloses the true value.
func TestFloat64AtExtremeParameters(t *testing.T) {
	eps := func(v float64) evidence.Epsilon { return must.Be(evidence.NewEpsilon("eps", v)) }
	known := func(v float64) Pair {
		return must.For(must.For(ApproxDP(eps(v), new(big.Rat)))(t).Pair(t.Context(), 0))(t)
	}
	small := Laplace(eps(1e-3))
	tiny := new(big.Rat).SetFrac(big.NewInt(1), interval.RationalPower(big.NewRat(10, 1), big.NewInt(250)).Num())
	for name, c := range map[string]struct {
		of       Pair
		from, to float64 // bounds of ε at δ = 1e-6, composed with three uses of Laplace noise with ε = 1/1000
		wide     float64
		slow     bool
	}{
		"Gaussian noise, μ = 2000":  {Normal(interval.Int(2000)), 2e6 + 2000*4.7534, 2e6 + 2000*4.7535, 1e-4, true},
		"Laplace noise, ε = 2000":   {Laplace(eps(2000)), 2000 - 4e-6, 2000 + 4e-3, 1e-3, true},
		"next to no noise":          {known(1e21), 1e21, 1e21, math.Inf(1), false},
		"one large loss":            {known(1e5), 1e5 + 2.9e-3, 1e5 + 3.1e-3, 1e-4, false},
		"next to no sampling":       {subsamplePair(Normal(interval.Int(1)), tiny, removal), 2.9e-3, 3e-3, 1e-4, true},
		"next to no privacy loss":   {Laplace(eps(1e-120)), 2.9e-3, 3e-3, 1e-4, true},
		"a discrete Gaussian, once": {must.For(DiscreteGaussian(big.NewRat(64, 1), 1))(t), 0.5039, 0.5041, 1e-4, true},
	} {
		if c.slow && !cases.All() {
			continue
		}
		p := newComposition(0, []factor{{c.of, 1}, {small, 3}})
		e := must.For(p.epsilon(t.Context(), big.NewRat(1, 1e6), math.Inf(-1)))(t)
		lo, hi := e.Enclosure.Bounds()
		if lo > c.to || hi < c.from || hi-lo > c.wide*hi && !math.IsInf(c.wide, 1) {
			t.Errorf("%s: ε in [%.12g, %.12g], want [%.12g, %.12g]", name, lo, hi, c.from, c.to)
		}
	}
}

// If the upper and the lower pairs differ, the upper bound matches the upper pairs and the lower bound the lower pairs,
// however many uses a part has.
func TestFloat64AccountKeepsSidesApart(t *testing.T) {
	const uses, step, gap = 26, 0.1, 0.05 // losses are on a lattice, and smaller by gap in the lower pairs
	var above, below []Atom
	masses := []float64{.05, .1, .15, .2, .2, .1, .05, .05, .05, .05}
	for j, m := range masses {
		loss := step * float64(j-4)
		above = append(above, Atom{P: amount(m, m), Q: amount(m, m), Offset: interval.Float(loss)})
		below = append(below, Atom{P: amount(m, m), Q: amount(m, m), Offset: interval.Float(loss - gap)})
	}
	var factors []factor
	for _, n := range []int{15, 3, 1, 7} {
		pair := NewDiscretePair(above, zero, zero, evidence.Epsilon{}, Hooks{})
		pair.below = NewDiscretePair(below, zero, zero, evidence.Epsilon{}, Hooks{})
		factors = append(factors, factor{pair, n})
	}
	law := []float64{1}
	for range uses {
		next := make([]float64, len(law)+len(masses)-1)
		for i, v := range law {
			for j, m := range masses {
				next[i+j] += v * m
			}
		}
		law = next
	}
	a := must.For(newComposition(0, factors).float64Account(t.Context(), 0))(t)
	for _, eps := range []float64{0.5, 3, 6} {
		delta := func(shift float64) (sum float64) {
			for k, v := range law {
				sum += v * max(0, -math.Expm1(eps-step*float64(k-4*uses)+shift))
			}
			return math.Log(sum)
		}
		lo, hi, err := a.LogDelta(t.Context(), eps, eps, 1e-3)
		if most, least := delta(0), delta(uses*gap); err != nil || hi < most-1e-9 || hi > most+1e-2 || lo > least+1e-9 || lo < least-1e-2 {
			t.Errorf("ln δ(%g) in [%g, %g], want [%g, %g]: %v", eps, lo, hi, least, most, err)
		}
	}
}

// If μ is an interval, the cells of the upper list have at least the mass that they have for every μ in it, and the
// cells of the lower list at most that mass.
func TestFloat64Cells(t *testing.T) {
	phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
	for _, mu := range [][2]float64{{3, 3}, {3, 3.5}} {
		p := Normal(interval.Between(mu[0], mu[1])).(*closedForm)
		above, below := p.float64Cells()
		step := (above.Loss[len(above.Loss)-1] - above.Loss[0]) / float64(len(above.Loss)-1)
		for _, m := range mu {
			under := func(l float64) float64 { return phi((l - m*m/2) / m) }
			for k, l := range above.Loss {
				want := under(l)
				if k > 0 {
					want -= under(l - step)
				}
				if got := math.Exp(above.Log[k]); !(got >= want*(1-1e-9)-1e-15) || mu[0] == mu[1] && got > want*(1+1e-6)+1e-15 {
					t.Errorf("μ in %v: the upper cell that ends at %g has the mass %g, and for μ = %g it is %g", mu, l, got, m, want)
				}
			}
			for k, l := range below.Loss {
				want := under(l+step) - under(l)
				if got := math.Exp(below.Log[k]); l+step < above.Loss[len(above.Loss)-1] && (!(got <= want*(1+1e-6)+1e-15) || mu[0] == mu[1] && got < want*(1-1e-6)-1e-15) {
					t.Errorf("μ in %v: the lower cell that begins at %g has the mass %g, and for μ = %g it is %g", mu, l, got, m, want)
				}
			}
			if last := above.Loss[len(above.Loss)-1]; above.Infinity < 1-under(last)-1e-15 || above.Infinity > 1e-60 {
				t.Errorf("μ in %v: the infinity mass is %g", mu, above.Infinity)
			}
		}
	}
}

// quickLog and quickExp enclose the logarithms and exponentials of every number in an interval, to about float64
// precision.
func TestQuickLogAndExp(t *testing.T) {
	for _, c := range [][2]float64{{0.25, 0.25}, {0.25, 4}, {1e-300, 1e300}, {0x1p-1001, 1}, {1, 800}} {
		lo, hi := quickLog(interval.Between(c[0], c[1])).Bounds()
		if a, b := math.Log(c[0]), math.Log(c[1]); lo > a || hi < b || a-lo > 1e-14*math.Abs(a) || hi-b > 1e-14*math.Abs(b) {
			t.Errorf("ln of %v is [%v, %v], want [%v, %v]", c, lo, hi, a, b)
		}
		lo, hi = quickExp(interval.Between(-c[1], -c[0])).Bounds()
		if a, b := math.Exp(-c[1]), math.Exp(-c[0]); lo > a || hi < b || a-lo > 1e-14*a+1e-300 || hi-b > 1e-14*b {
			t.Errorf("e^ of −%v is [%v, %v], want [%v, %v]", c, lo, hi, a, b)
		}
	}
}

// Compositions in float64 return the error of their context at each place that polls the context.
func TestFloat64Stops(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(ctx context.Context, p *composition) error{
		"δ": func(ctx context.Context, p *composition) error {
			_, err := p.float64Delta(ctx, evidence.Epsilon{})
			return err
		},
		"ε": func(ctx context.Context, p *composition) error {
			_, err := p.float64Epsilon(ctx, big.NewRat(1, 100), math.Inf(-1))
			return err
		},
		"δ of drawn uses": func(ctx context.Context, p *composition) error {
			_, err := newSampledProduct(p, big.NewRat(1, 4), addition).delta(ctx, must.Be(evidence.NewEpsilon("eps", 0.1)), 0.1)
			return err
		},
		"ε of drawn uses": func(ctx context.Context, p *composition) error {
			_, err := newSampledProduct(p, big.NewRat(1, 4), removal).epsilon(ctx, must.Be(evidence.NewDelta("delta", 0.1)), 0.5)
			return err
		},
		"ε of an addition": func(ctx context.Context, _ *composition) error {
			p := newSubsampled(Normal(interval.Int(1)).(*closedForm), big.NewRat(1, 4), addition)
			_, err := p.epsilon(ctx, must.Be(evidence.NewDelta("delta", 0.01)))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctxtest.EachPoll(t, 1, func(ctx context.Context) error {
				p := newComposition(0, []factor{{Laplace(must.Be(evidence.NewEpsilon("eps", 1))), 2}})
				p.width = 0.1
				return do(ctx, p)
			})
		})
	}
	ended, end := context.WithCancel(t.Context())
	end()
	p := newComposition(0, []factor{{Laplace(must.Be(evidence.NewEpsilon("eps", 1))), 2}})
	drawn := newSampledProduct(p, big.NewRat(1, 4), addition)
	for name, do := range map[string]func() error{ // these poll too often to be stopped at each poll
		"μ":             func() error { _, err := p.gdp(ended); return err },
		"tangents of μ": func() error { _, _, err := p.gdpOfTangents(ended, 2, 1e-6); return err },
		"points":        func() error { _, _, err := p.points(ended); return err },
		"lists":         func() error { _, err := drawn.float64Pair(ended, 0); return err },
		"inversion":     func() error { _, err := drawn.invert(ended, must.Be(evidence.NewDelta("delta", 0.1))); return err },
	} {
		if err := do(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The float64 list of an interval pair has the largest possible losses and masses, and errors that reach the least
// ones.
func TestFloat64ListOfIntervalLosses(t *testing.T) {
	l := NewDiscretePair([]Atom{{P: amount(0.25, 0.5), Q: amount(1, 1), Offset: interval.Between(-1, -0.5)}, {P: amount(0.25, 0.25), Q: amount(1, 1), Offset: interval.Between(1, 3)}, {P: amount(0.125, 0.25), Q: amount(1, 1), Offset: interval.Between(4, 4.25)}},
		amount(0.0625, 0.125), zero, evidence.Epsilon{}, Hooks{})
	got := l.list()
	if !slices.Equal(got.Loss, []float64{-0.5, 3, 4.25}) || got.LossError != 2 || math.Abs(got.LogError-math.Ln2) > 1e-14 || got.Infinity != 0.125 || got.InfinityError != 0.0625 || math.Abs(got.Log[0]-math.Log(0.5)) > 1e-15 {
		t.Errorf("%+v", got)
	}
}

// Just below the largest finite loss, the upper end of δ is the possible infinity mass and little more. The lower end
// is nearly 0.
func TestDeltaNearTheLargestLoss(t *testing.T) {
	t.Parallel()
	open := NewDiscretePair([]Atom{{P: amount(0.5, 0.5), Q: amount(0.25, 0.25), Offset: interval.Float(math.Ln2)}, {P: amount(0.4, 0.5), Q: amount(0.75, 0.75), Offset: interval.Between(-0.7, -0.4)}},
		amount(0, 0.1), zero, evidence.Epsilon{}, Hooks{})
	p := newComposition(0, []factor{{open, 1}, {Laplace(must.Be(evidence.NewEpsilon("eps", 1))), 1}})
	lo, hi := must.For(p.float64Delta(t.Context(), must.Be(evidence.NewEpsilon("eps", 1+math.Ln2-1e-9))))(t).Bounds()
	if lo > 1e-9 || hi < 0.1 || hi > 0.1+1e-8 {
		t.Errorf("δ in [%g, %g]", lo, hi)
	}
	// On a lattice the precision grows until the answer is narrow, even if δ is far below Chernoff's bound.
	response := must.For(ApproxDP(must.Be(evidence.NewEpsilon("eps", 0.5)), new(big.Rat)))(t)
	pair := must.For(response.Pair(t.Context(), 0))(t)
	lo, hi = must.For(newComposition(0, []factor{{pair, 2}}).delta(t.Context(), must.Be(evidence.NewEpsilon("eps", 1-0x1p-50))))(t).Enclosure.Bounds()
	if want := -math.Expm1(-0x1p-50) / math.Pow(1+math.Exp(-0.5), 2); !(lo <= want*(1+1e-14) && hi >= want*(1-1e-14) && hi-lo < 1e-11*hi) {
		t.Errorf("δ in [%g, %g], want %g", lo, hi, want)
	}
}
