package mvg

import (
	"context"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/internal/cases"
	"dpworkbench/internal/elementary"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// excess returns ln(1 + d) − d/(1 + d) up to a few roundings, compared with 256 bits.
func TestExcess(t *testing.T) {
	for x := 1e-12; x < 1e12; x *= 1.37 {
		d := interval.Float(x)
		want := log1p(d).Sub(d.Quo(interval.Int(1).Add(d))).Mid()
		if got := excess(x); math.Abs(got-want) > 4e-13*want || x < 1e-3 && math.Abs(got-want) > 8*unit*want {
			t.Errorf("excess(%v) = %v, want %v", x, got, want)
		}
	}
	if excess(0) != 0 || !math.IsInf(excess(math.Inf(1)), 1) {
		t.Errorf("excess(0) = %v, excess(∞) = %v", excess(0), excess(math.Inf(1)))
	}
}

// The bounds of a cell contain the gain, a probability, at both radii and between them, computed with 256 bits.
func TestGainsOnCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(97, 1))
	for range cases.Of(600, 3000) {
		half, shift, eps := float64(1+rng.IntN(60))/2, math.Exp(3*rng.NormFloat64()), 3*rng.Float64()
		l := &losses{half: half, shift: shift, least: eps, most: eps}
		x1, c := math.Exp(2*rng.NormFloat64()), 2*rng.Float64()-1
		x2 := x1 * (1 + 0.1*rng.Float64())
		least, most := l.gains(x1, x2, c)
		if !(0 <= least && least <= most && most <= 1) {
			t.Fatalf("gains in [%v, %v]", least, most)
		}
		for _, x := range []float64{x1, (x1 + x2) / 2, x2} {
			one, a, cos, at := interval.Int(1), interval.Float(shift), interval.Float(c), interval.Float(x)
			d := a.Quo(at).Sub(cos)
			argument := d.Mul(d).Add(one.Sub(cos.Mul(cos)))
			loss := argument.Log().Mul(interval.Float(half)).Add(a.Mul(a.Quo(interval.Int(2)).Sub(at.Mul(cos))))
			gain := 0.0
			if rest := interval.Float(eps).Sub(loss); rest.Less(interval.Int(0)) {
				gain = one.Sub(rest.Exp()).Mid()
			}
			if gain < least || gain > most {
				t.Fatalf("x in [%v, %v], c = %v: gain %v outside [%v, %v]", x1, x2, c, gain, least, most)
			}
		}
		if same, other := l.gains(x1, x1, c); other-same > 1e-9*(1+shift*shift+half) {
			t.Fatalf("a cell of width 0 has gains in [%v, %v]", same, other)
		}
	}
	far := &losses{half: 500, shift: 1}
	if v := far.gain(1e300, -8*unit, 0); v > 1 || v < 1-1e-15 {
		t.Errorf("the lower bound on the gain at an infinite loss is %v", v)
	}
	if v := far.gain(1e300, 8*unit, 0); v != 1 {
		t.Errorf("the upper bound on the gain at an infinite loss is %v", v)
	}
	if a, b := far.gain(0, 8*unit, 700), far.gain(0, -8*unit, 1e9); a != 0 || b != 0 {
		t.Errorf("the gains at a loss of −∞ are %v, %v", a, b)
	}
}

// Internal functions reject arguments that their callers never pass.
func TestInternalFunctionsRejectBadInput(t *testing.T) {
	var c Covariance
	for _, v := range []float64{math.Inf(1), 0, -1, math.NaN()} {
		if err := c.set(mat.NewSymDense(2, []float64{1, 0, 0, v})); err == nil || !strings.Contains(err.Error(), "entry (1, 1)") {
			t.Errorf("a diagonal covariance with %v: error %v", v, err)
		}
	}
	g := newRelaxation([]float64{1}, []*mat.Dense{mat.NewDense(1, 2, []float64{1, 0})})
	if v := g.value([]float64{1}); !math.IsInf(v, 1) {
		t.Errorf("the dual of a singular sum is %v", v)
	}
	if v := g.merit([]float64{1}, 1); !math.IsInf(v, 1) {
		t.Errorf("the merit of a singular sum is %v", v)
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	many := must.Be(NewBox(1, uniform(14, 1)))
	o := &optimizer{ctx: stopped, s: many, goal: Goal{LeastError, uniform(14, 1)}, basis: must.Be(newBasis(symmetric.RandomBasis(14, rand.NewPCG(1, 1)), uniform(14, 1))), mu: evidence.Certified{Lo: 1, Hi: 1}}
	eye := symmetric.Multiple(14, 1)
	eye.SetSym(0, 1, 0.5)
	for name, f := range map[string]func() error{
		"worst entries":        func() error { _, err := o.worstEntry(many)(eye, nil); return err },
		"worst signs":          func() error { _, err := many.worstSigns(stopped, eye); return err },
		"worst squares":        func() error { _, err := o.vertexRows(many, o.boxOracle(many)).solve(1, false, false); return err },
		"worst planes":         func() error { _, err := o.boxOracle(many).worst(uniform(14, 1)); return err },
		"a sign maximum":       func() error { _, err := o.signMaximum(symmetric.Exactly(eye)); return err },
		"vertices":             func() error { _, err := o.overVertices(many, symmetric.Exactly(eye)); return err },
		"the optimizer's over": func() error { _, err := o.over(exactly(uniform(14, 1))); return err },
		"a finish":             func() error { _, err := o.finish(uniform(14, 1), interval.Int(1), true, ""); return err },
		"factors":              func() error { _, err := o.factored(symmetric.Exactly(symmetric.Eye(14)), nil); return err },
		"free directions":      func() error { _, err := o.box(many); return err },
		"signs beyond 2^20": func() error {
			_, err := must.Be(NewBox(1, uniform(22, 1))).worstSigns(stopped, symmetric.Multiple(22, 1))
			return err
		},
		"angles":           func() error { _, err := newAngles(stopped, 5, 10); return err },
		"a vertex maximum": func() error { _, err := many.vertexMaximum(stopped, must.Be(NewDense(eye))); return err },
	} {
		if err := f(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// The information of a box in its own axes is refused if its widths or μ are out of range.
func TestBoxInformationOutOfRange(t *testing.T) {
	for _, c := range []struct {
		h    float64
		l    float64
		mu   float64
		want string
	}{{1e60, 1, 1, "2·half_width[0] = 2e+60"}, {1e-60, 1, 1, "2·half_width[0]"}, {1, 1, 1e-60, "budget"}, {1, 1e120, 1, "weights[1]"}} {
		box := must.Be(NewBox(2, []float64{c.h, 1}))
		if o, err := solveAt(t.Context(), box, Goal{MostInformation, []float64{1, c.l}}, Params{}, c.mu, c.mu); o != nil || !errors.Is(err, evidence.ErrParameter) || !ErrorContains(err, c.want) {
			t.Errorf("half-width %g, λ = %g, μ = %g: %v, error %v, want %q", c.h, c.l, c.mu, o, err, c.want)
		}
	}
	for _, mode := range []Mode{Unimodal, Bimodal} {
		for _, c := range []struct{ l, mu float64 }{{1e120, 1}, {1, 1e-60}} {
			if o, err := solveAt(t.Context(), must.Be(NewGram(2, 1, query.Replace, 1)), Goal{MostInformation, []float64{1, c.l}}, Params{Mode: mode}, c.mu, c.mu); mode == Bimodal && (o != nil || !errors.Is(err, evidence.ErrParameter)) {
				t.Errorf("Gram matrix, λ = %g, μ = %g: %v, error %v", c.l, c.mu, o, err)
			}
		}
	}
}

// The cosine's distribution function agrees with closed forms: the arc sine in dimension 2, and in odd dimensions a
// polynomial, with (1 − c²)^k integrated in rational arithmetic.
func TestCosines(t *testing.T) {
	law := newCosines(2)
	for _, c := range []float64{-0.999999, -0.7, -0.2, -1e-9, 0} {
		lo, hi := law.below(c)
		want := math.Atan2(math.Sqrt((1-c)*(1+c)), -c) / math.Pi
		if want < lo*(1-1e-14) || want > hi*(1+1e-14) || hi-lo > 1e-12*hi {
			t.Errorf("dimension 2: Pr[c ≤ %v] in [%v, %v], want %v", c, lo, hi, want)
		}
	}
	for _, dimension := range []int{3, 5, 9, 61, 401} {
		k := (dimension - 3) / 2
		integral := func(c *big.Rat) *big.Rat { // of (1 − x²)^k from 0
			sum, power, binomial := new(big.Rat), new(big.Rat).Set(c), big.NewInt(1)
			square := new(big.Rat).Mul(c, c)
			for j := range int64(k + 1) {
				term := new(big.Rat).Mul(power, new(big.Rat).SetFrac(binomial, big.NewInt(2*j+1)))
				if sum.Add(sum, term); j < int64(k) {
					binomial = new(big.Int).Div(new(big.Int).Mul(binomial, big.NewInt(int64(k)-j)), big.NewInt(j+1))
					power = power.Mul(power, square)
					power.Neg(power)
				}
			}
			return sum
		}
		whole := integral(big.NewRat(1, 1))
		law := newCosines(dimension)
		for _, c := range []float64{-1, -0.75, -0.5, -0.125, -1. / 1024} {
			lo, hi := law.below(c)
			want := integral(new(big.Rat).SetFloat64(c))
			want.Quo(want, whole).Add(want, big.NewRat(1, 1)).Quo(want, big.NewRat(2, 1))
			if want.Cmp(new(big.Rat).SetFloat64(lo)) < 0 || want.Cmp(new(big.Rat).SetFloat64(hi)) > 0 {
				f, _ := want.Float64()
				t.Errorf("dimension %d: Pr[c ≤ %v] in [%v, %v], want %v", dimension, c, lo, hi, f)
			}
			if hi-lo > 1e-12*hi+1e-320 {
				t.Errorf("dimension %d: Pr[c ≤ %v] in [%v, %v] is wide", dimension, c, lo, hi)
			}
		}
	}
}

// The rounding allowance for the cells of rank-one noise equals the one derived by hand, up to a few percent.
func TestRankOneAllowsForRounding(t *testing.T) {
	same := func(name string, got, want, share float64) {
		t.Helper()
		if math.Abs(got-want) > share*math.Abs(want) {
			t.Errorf("%s: %v is allowed, want %v", name, got, want)
		}
	}
	// In dimension 3 the terms are powers of x. So the number of terms down to 2⁻⁶⁰ of the sum is known.
	law := newCosines(3)
	for _, c := range []struct {
		x     float64
		terms float64
	}{{0.5, 60}, {0.25, 30}, {0.125, 20}} {
		lo, hi := law.series(c.x)
		same("a series", (hi-lo)/(hi+lo), 6*(c.terms+3)*unit+0x1p-58, 0.01)
		if sum := 1 / (1 - c.x); lo > sum || hi < sum {
			t.Errorf("Σ %vⁿ in [%v, %v]", c.x, lo, hi)
		}
	}
	for _, c := range []float64{-0.9, -0.5, -0.25} {
		lo, hi := law.below(c)
		under, over := law.series((1 + c) / 2)
		width := (over-under)/(over+under) + (law.hi-law.lo)/(law.hi+law.lo) + 4*unit
		same("a share", (hi-lo)/(hi+lo), width, 0.03)
	}
	if lo, hi := law.below(-1); lo != 0 || hi != 0 {
		t.Errorf("below −1: [%v, %v]", lo, hi)
	}
	if lo, hi := law.below(0); lo > 0.5 || hi != 0.5 {
		t.Errorf("below 0: [%v, %v]", lo, hi)
	}
	// In dimension 3 the law is uniform. The width of a cell is a few units of the distribution function at its upper
	// bound.
	s := must.Be(newAngles(t.Context(), 3, 40))
	for j := range 20 {
		exact, below := (s.cuts[j+1]-s.cuts[j])/2, (1+s.cuts[j+1])/2
		if s.least[j] > exact || s.most[j] < exact || s.most[j]-s.least[j] > 4*6*70*unit*below*2 {
			t.Errorf("part %d: [%v, %v] of %v", j, s.least[j], s.most[j], exact)
		}
		if math.Abs(exact-1.0/40) > 1e-9 {
			t.Errorf("part %d has %v", j, exact)
		}
	}
	for _, dimension := range []int{2, 3, 40, 2000, 2001, 100000} {
		law, close := newCosines(dimension), 1e-9
		if dimension > 2000 {
			close = 0.02
		}
		for _, p := range []float64{1e-3, 0.1, 0.3, 0.499} {
			if lo, hi := law.below(cosineQuantile(dimension, p)); hi < p*(1-close) || lo > p*(1+close) {
				t.Errorf("dimension %d: [%v, %v] lie below the quantile of %v", dimension, lo, hi, p)
			}
		}
	}
	// At a given loss the width of the gain comes from the errors of the logarithm, the sums and the exponential.
	rng := rand.New(rand.NewPCG(117, 1))
	for range 200 {
		l := &losses{half: 1 + 20*rng.Float64(), shift: 1, least: 0.25, most: 0.25}
		argument, second := 1+3*rng.Float64(), 0.5+rng.Float64()
		first := l.half * math.Log(argument)
		gain := -math.Expm1(0.25 - first - second)
		above, below := l.gain(argument, 8*unit, second), l.gain(argument, -8*unit, second)
		loss := 8*unit*l.half + 2*elementary.LogError*first + 4*unit*(first+second+0.25)
		want := 2 * (1 - gain) * (loss + 2*elementary.ExpError)
		if off := above - below; below > gain+4*unit || above < gain-4*unit || math.Abs(off-want) > 0.05*want+8*unit {
			t.Errorf("half %v, argument %v: gains in [%v, %v], want %v and %v apart", l.half, argument, below, above, gain, want)
		}
	}
	// For large x the error of a²/2 − acx dominates: eight units of a(a + x).
	for _, x := range []float64{1000, 1e5} {
		l := &losses{half: 1, shift: 1.5, least: 0.25, most: 0.25}
		least, most := l.gains(x, x, 0)
		gain := -math.Expm1(0.25 - 1.125 - math.Log1p(1.5/x*1.5/x))
		if want := 2 * (1 - gain) * 8 * unit * 1.5 * (1.5 + x); least > gain || most < gain || math.Abs(most-least-want) > 0.05*want {
			t.Errorf("at %v gains are in [%v, %v], want %v and %v apart", x, least, most, gain, want)
		}
	}
	// The upper bound uses the least ε and the lower bound the largest ε.
	wide := &losses{half: 1, shift: 1, least: 0.25, most: 0.5}
	if above, below := wide.gain(2, 8*unit, 1), wide.gain(2, -8*unit, 1); math.Abs(above+math.Expm1(0.25-math.Ln2-1)) > 1e-14 || math.Abs(below+math.Expm1(0.5-math.Ln2-1)) > 1e-14 {
		t.Errorf("gains in [%v, %v]", below, above)
	}
}
