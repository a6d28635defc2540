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
	"dpworkbench/interval"
	"dpworkbench/mvg/internal/symmetric"
	"dpworkbench/query"

	"gonum.org/v1/gonum/mat"
)

// What a frame says of WᵀW holds in rationals, and within a few roundings: A − λI and λI − A
// have no negative minor.
func TestFrameInRationals(t *testing.T) {
	rng := rand.New(rand.NewPCG(95, 1))
	rat := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	for k := range 200 {
		w, weights := symmetric.RandomBasis(2, rng), []float64{math.Exp(rng.NormFloat64()), math.Exp(rng.NormFloat64())}
		if k%2 == 0 { // skew, within what is taken as orthonormal
			w.Set(0, 1, w.At(0, 1)+1e-9*rng.NormFloat64())
		}
		f := ok(newFrame(w, weights))
		var gram [2][2]*big.Rat
		for i := range 2 {
			for j := range 2 {
				gram[i][j] = new(big.Rat)
				for r := range 2 {
					gram[i][j].Add(gram[i][j], new(big.Rat).Mul(rat(w.At(r, i)), rat(w.At(r, j))))
				}
			}
		}
		for j := range 2 {
			want := new(big.Rat)
			for i := range 2 {
				want.Add(want, new(big.Rat).Mul(rat(weights[i]), new(big.Rat).Mul(gram[i][j], gram[i][j])))
			}
			if lo, hi := f.charges[j].Bounds(); rat(lo).Cmp(want) > 0 || rat(hi).Cmp(want) < 0 || hi-lo > 0x1p-51*hi {
				t.Errorf("charge %d in [%v, %v]", j, lo, hi)
			}
		}
		below := func(x float64) bool { // all eigenvalues are
			a, b := new(big.Rat).Sub(rat(x), gram[0][0]), new(big.Rat).Sub(rat(x), gram[1][1])
			det := new(big.Rat).Sub(new(big.Rat).Mul(a, b), new(big.Rat).Mul(gram[0][1], gram[1][0]))
			return a.Sign() >= 0 && b.Sign() >= 0 && det.Sign() >= 0
		}
		above := func(x float64) bool {
			a, b := new(big.Rat).Sub(gram[0][0], rat(x)), new(big.Rat).Sub(gram[1][1], rat(x))
			det := new(big.Rat).Sub(new(big.Rat).Mul(a, b), new(big.Rat).Mul(gram[0][1], gram[1][0]))
			return a.Sign() >= 0 && b.Sign() >= 0 && det.Sign() >= 0
		}
		const close = 0x1p-50
		if !below(f.most) || !above(f.least) || below(f.most-close) || above(f.least+close) {
			t.Errorf("W = %v: eigenvalues of WᵀW said to be from %v to %v", mat.Formatted(w), f.least, f.most)
		}
		// An order beyond 64 has bounds for the whole.
		if k > 2 {
			continue
		}
		many := symmetric.RandomBasis(enclosedOrder+1, rng)
		g := ok(newFrame(many, uniform(enclosedOrder+1, 2)))
		if !(g.least < 1 && g.most > 1 && g.most-g.least < 1e-10) {
			t.Errorf("order 65: from %v to %v", g.least, g.most)
		}
		for j, c := range g.charges {
			if lo, hi := c.Bounds(); lo > 2 || hi < 2 || hi-lo > 1e-10 {
				t.Errorf("order 65: charge %d in [%v, %v]", j, lo, hi)
			}
		}
	}
}

// The ends of the information about a Gram matrix with a record replaced meet for Ψ = I and for
// Ψ = Σ, whatever the signal.
func TestReplacedInformationMeets(t *testing.T) {
	rng := rand.New(rand.NewPCG(96, 1))
	for range 25 {
		m := 2 + rng.IntN(3)
		goal := Goal{MostInformation, make([]float64, m)}
		for i := range goal.Weights {
			goal.Weights[i] = math.Exp(1.5 * rng.NormFloat64())
		}
		g := ok(NewGram(m, 1, query.Replace, math.Exp(rng.NormFloat64())))
		for mode := Unimodal; mode <= Equimodal; mode++ {
			o := ok(solveAt(t.Context(), g, goal, Recipe{Mode: mode}, 1, 1))
			if o.Value.Hi-o.Value.Lo > 3e-8*o.Value.Hi {
				t.Errorf("record replaced, mode %d, λ = %v: information in [%v, %v]", mode, goal.Weights, o.Value.Lo, o.Value.Hi)
			}
		}
	}
}

// ln(1 + d) − d/(1 + d) to a few roundings, against 256 bits.
func TestExcess(t *testing.T) {
	for x := 1e-12; x < 1e12; x *= 1.37 {
		d := interval.Float(x)
		want := log1p(d).Sub(d.Quo(interval.Int(1).Add(d))).Mid()
		if got := excess(x); math.Abs(got-want) > 4e-13*want || x < 1e-3 && math.Abs(got-want) > 8*unit*want {
			t.Errorf("excess(%v) = %v, want %v", x, got, want)
		}
	}
	if excess(0) != 0 || !math.IsInf(excess(math.Inf(1)), 1) {
		t.Errorf("excess at the ends: %v, %v", excess(0), excess(math.Inf(1)))
	}
}

// Bounds enclose the gain, a probability, on every cell: at its corners and between, in 256
// bits.
func TestGainsOnCells(t *testing.T) {
	rng := rand.New(rand.NewPCG(97, 1))
	for range 3000 {
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
			t.Fatalf("a cell of one point has gains in [%v, %v]", same, other)
		}
	}
	far := &losses{half: 500, shift: 1}
	if v := far.gain(1e300, -8*unit, 0); v > 1 || v < 1-1e-15 {
		t.Errorf("the least gain of an endless loss is %v", v)
	}
	if v := far.gain(1e300, 8*unit, 0); v != 1 {
		t.Errorf("the largest gain of an endless loss is %v", v)
	}
	if a, b := far.gain(0, 8*unit, 700), far.gain(0, -8*unit, 1e9); a != 0 || b != 0 {
		t.Errorf("gains of endless profit are %v, %v", a, b)
	}
}

// The angles' probabilities hold 1, and the two halves mirror each other.
func TestAnglesSumToOne(t *testing.T) {
	for _, dimension := range []int{2, 3, 10, 501, 5000} {
		s := ok(newAngles(t.Context(), dimension, 60))
		least, most := 0.0, 0.0
		for j := range 60 {
			if !(0 <= s.least[j] && s.least[j] <= s.most[j]) || s.cuts[j] > s.cuts[j+1] || s.most[j] != s.most[59-j] || s.cuts[j] != -s.cuts[60-j] {
				t.Errorf("dimension %d, part %d: [%v, %v] from %v to %v", dimension, j, s.least[j], s.most[j], s.cuts[j], s.cuts[j+1])
			}
			least, most = least+s.least[j], most+s.most[j]
		}
		if !(least <= 1 && most >= 1 && most-least < 1e-10) {
			t.Errorf("dimension %d: probabilities sum to [%v, %v]", dimension, least, most)
		}
	}
}

// Parts refuse what their callers should not hand them.
func TestPartsRefuse(t *testing.T) {
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
	many := ok(NewBox(1, uniform(14, 1)))
	o := &optimizer{ctx: stopped, s: many, goal: Goal{LeastError, uniform(14, 1)}, frame: ok(newFrame(symmetric.RandomBasis(14, rand.NewPCG(1, 1)), uniform(14, 1))), mu: evidence.Certified{Lo: 1, Hi: 1}}
	eye := symmetric.Multiple(14, 1)
	eye.SetSym(0, 1, 0.5)
	for name, f := range map[string]func() error{
		"worst entries":   func() error { _, err := o.worstEntry(many)(eye, nil); return err },
		"worst signs":     func() error { _, err := many.worstSigns(stopped, eye); return err },
		"worst squares":   func() error { _, err := o.vertexRows(many, o.boxOracle(many)).solve(1, false, false); return err },
		"worst planes":    func() error { _, err := o.boxOracle(many).worst(uniform(14, 1)); return err },
		"a sign maximum":  func() error { _, err := o.signMaximum(symmetric.Exactly(eye)); return err },
		"vertices":        func() error { _, err := o.overVertices(many, symmetric.Exactly(eye)); return err },
		"what is over":    func() error { _, err := o.over(exactly(uniform(14, 1))); return err },
		"a finish":        func() error { _, err := o.finish(uniform(14, 1), interval.Int(1), true, ""); return err },
		"factors":         func() error { _, err := o.factored(symmetric.Exactly(symmetric.Eye(14)), nil); return err },
		"free directions": func() error { _, err := o.box(many); return err },
		"signs beyond 2^20": func() error {
			_, err := ok(NewBox(1, uniform(22, 1))).worstSigns(stopped, symmetric.Multiple(22, 1))
			return err
		},
		"an optimum's angle": func() error { _, err := newAngles(stopped, 5, 10); return err },
		"a vertex maximum":   func() error { _, err := many.vertexMaximum(stopped, ok(NewDense(eye))); return err },
	} {
		if err := f(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// The information of a box in its axes is refused where its widths or μ are out of range.
func TestBoxInformationOutOfRange(t *testing.T) {
	for _, c := range []struct {
		h    float64
		l    float64
		mu   float64
		want string
	}{{1e60, 1, 1, "2·half_width[0] = 2e+60"}, {1e-60, 1, 1, "2·half_width[0]"}, {1, 1, 1e-60, "budget"}, {1, 1e120, 1, "weights[1]"}} {
		box := ok(NewBox(2, []float64{c.h, 1}))
		if o, err := solveAt(t.Context(), box, Goal{MostInformation, []float64{1, c.l}}, Recipe{}, c.mu, c.mu); o != nil || !errors.Is(err, evidence.ErrParameter) || !says(err, c.want) {
			t.Errorf("half-width %g, λ = %g, μ = %g: %v, error %v, want %q", c.h, c.l, c.mu, o, err, c.want)
		}
	}
	for _, mode := range []Mode{Unimodal, Bimodal} {
		for _, c := range []struct{ l, mu float64 }{{1e120, 1}, {1, 1e-60}} {
			if o, err := solveAt(t.Context(), ok(NewGram(2, 1, query.Replace, 1)), Goal{MostInformation, []float64{1, c.l}}, Recipe{Mode: mode}, c.mu, c.mu); mode == Bimodal && (o != nil || !errors.Is(err, evidence.ErrParameter)) {
				t.Errorf("Gram matrix, λ = %g, μ = %g: %v, error %v", c.l, c.mu, o, err)
			}
		}
	}
}
