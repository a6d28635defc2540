package smooth_test

import (
	"math"
	"math/big"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
	"dpworkbench/smooth"
)

// β and scales agree with the theorems to 200 bits, for ε = 3/2. Cauchy's β is ε/(2(γ + 1)), and its scale 1/β.
// Laplace's β is ε/(2 ln(2/δ)), and its scale 2/ε. Student's t splits ε/(d + 1) equally between β and 1/(2√d·scale).
func TestCalibrateAgainstTheorems(t *testing.T) {
	e := evidencetest.Epsilon(1.5)
	same := func(what string, a interval.Interval, want interval.Interval) {
		t.Helper()
		if d := a.Sub(want); d.Less(interval.Float(-0x1p-200)) || interval.Float(0x1p-200).Less(d) || !d.Narrow(0) && !interval.Hull(d, d.Neg()).Less(interval.Float(0x1p-180)) {
			lo, hi := d.Bounds()
			t.Errorf("%s is off by [%g, %g]", what, lo, hi)
		}
	}
	of := func(a, b int64) interval.Interval { return interval.Rat(rat(a, b)) }
	c := must.For(smooth.Calibrate(cauchyOf(t, 5, 2), e, evidence.Delta{}, nil))(t)
	same("Cauchy's β", c.BetaEnclosure(), of(3, 14))
	same("Cauchy's scale", c.Scale(), of(14, 3))
	c = must.For(smooth.Calibrate(cauchyOf(t, 5, 2), e, evidence.Delta{}, rat(1, 9)))(t)
	same("a β of one's own", c.BetaEnclosure(), of(1, 9))
	same("its scale", c.Scale(), of(14, 3))
	l := must.For(smooth.Calibrate(smooth.Laplace(), e, evidencetest.RationalDelta(rat(1, 50)), nil))(t)
	same("Laplace's β", l.BetaEnclosure().Mul(interval.Int(100).Log()), of(3, 4))
	same("Laplace's scale", l.Scale(), of(4, 3))
	s := must.For(smooth.Calibrate(studentOf(t, 4, 1), e, evidence.Delta{}, nil))(t)
	same("Student's β", s.BetaEnclosure(), of(3, 20))
	same("Student's scale", s.Scale(), of(5, 3)) // 1/(2·2·3/20)
	s = must.For(smooth.Calibrate(studentOf(t, 4, 1), e, evidence.Delta{}, rat(1, 10)))(t)
	same("Student's own β", s.BetaEnclosure(), of(1, 10))
	same("and its scale", s.Scale(), of(5, 4)) // 1/(4·(3/10 − 1/10))
	for c, source := range map[*smooth.Calibration]string{c: "Nissim, Raskhodnikova and Smith 2007, Corollary 2.4: β ≤ ε/(2(γ + 1)), scale 2(γ + 1)/ε", l: "Nissim, Raskhodnikova and Smith 2007, Corollary 2.4: β ≤ ε/(2 ln(2/δ)), scale 2/ε",
		s: "Bun and Steinke 2019: ε = (d + 1)(β + s/(2√d)), scale 1/s"} {
		lo, hi := c.Beta().Bounds()
		low, high := c.BetaEnclosure().Bounds()
		if c.Source() != source || c.Claim().Epsilon.Text() != "1.5" || c.Claim().Source != source || lo != low || hi != high {
			t.Errorf("%s, %v", c.Source(), c.Claim())
		}
	}
}

// The errors, densities and laws of a mechanism are those of its noise, scaled.
func TestMechanismScalesNoise(t *testing.T) {
	q := threeOf(t, 0, 2, 5)
	for _, n := range []smooth.Noise{studentOf(t, 3, 1), cauchyOf(t, 5, 1), smooth.Laplace()} {
		d := new(big.Rat)
		name := "smooth_sensitivity(eps=1, " + n.Name() + ")"
		if n.Name() == "laplace" {
			d, name = rat(1, 100), "smooth_sensitivity(eps=1, delta=1/100, laplace)"
		}
		c := must.For(smooth.Calibrate(n, evidencetest.Epsilon(1), evidencetest.RationalDelta(d), nil))(t)
		m := must.For(smooth.New(ctx, q, c))(t)
		if m.Name() != name || m.Query() != q || m.ClaimedDelta().Float() != toFloat(d) || m.ClaimedEpsilon().Float() != 1 {
			t.Errorf("%s has the claims %v, %v", m.Name(), m.ClaimedEpsilon(), m.ClaimedDelta())
		}
		values := []*big.Rat{rat(0, 1), rat(2, 1), rat(5, 1)}
		var sum, weighted float64
		for x := range 3 {
			local := []float64{2, 3, 3}
			s, at, beta := 0.0, 0, c.BetaEnclosure().Mid()
			for y, l := range local {
				far := int(math.Abs(float64(x - y)))
				if v := l * math.Exp(-beta*float64(far)); v > s {
					s, at = v, far
				}
			}
			near := func(what string, n evidence.Number, want float64) {
				t.Helper()
				if lo, hi := n.Bounds(); lo > want*(1+1e-13) || hi < want*(1-1e-13) || hi-lo > 1e-14*hi {
					t.Errorf("%s of %s at %d: %v, want %g", what, m.Name(), x, n, want)
				}
			}
			bound, from := m.SmoothBound(x)
			if near("S", bound, s); from != at {
				t.Errorf("S at %d, want %d", from, at)
			}
			sigma := s * c.Scale().Mid()
			near("scale", m.NoiseScale(x), sigma)
			first, _ := n.AbsMoment()
			second, _ := n.SquareMoment()
			near("error", m.Distortion(x), sigma*first.Mid())
			near("square", m.SquaredError(x), sigma*sigma*second.Mid())
			lo, hi, _ := n.Quantile(rat(3, 4))
			near("quantile", must.For(m.ErrorQuantile(x, rat(3, 4)))(t), sigma*(lo+hi)/2)
			for _, r := range []*big.Rat{rat(-1, 1), rat(2, 1), rat(9, 2)} {
				away := new(big.Rat).Sub(r, values[x])
				near("density", must.For(m.DensityAt(x, r))(t), n.Density(interval.Float(toFloat(away.Abs(away))/sigma)).Mid()/sigma)
			}
			each := must.For(m.Distortions(ctx))(t)
			if math.Abs(each[x]-sigma*first.Mid()) > 1e-13*each[x] {
				t.Errorf("distortion %d is %g", x, each[x])
			}
			sum += each[x]
			weighted += each[x] * []float64{0.25, 0.75, 0}[x]
			// OnRange moves an answer to the nearest value, so the cuts are 1 and 7/2.
			moved := must.For(m.OnRange(ctx))(t)
			tail := func(cut float64) float64 { // Pr[answer > cut]
				z := (cut - toFloat(values[x])) / sigma
				if z >= 0 {
					return n.Tail(interval.Float(z)).Mid()
				}
				return 1 - n.Tail(interval.Float(-z)).Mid()
			}
			for r, want := range []float64{1 - tail(1), tail(1) - tail(3.5), tail(3.5)} {
				if p := moved.Enclose(x, r); math.Abs(p.Mid()-want) > 1e-14 {
					t.Errorf("%s at dataset %d: probability %g of value %d, want %g", m.Name(), x, p.Mid(), r, want)
				}
			}
			if moved.Name() != m.Name()+", on the range" || math.IsInf(moved.ClaimedEpsilon().Float(), 1) != (d.Sign() > 0) {
				t.Errorf("%s has the claim %v", moved.Name(), moved.ClaimedEpsilon())
			}
		}
		if e := must.For(m.ExpectedDistortion(ctx, nil))(t).Float(); math.Abs(e-sum/3) > 1e-13*e {
			t.Errorf("the mean error is %g, want %g", e, sum/3)
		}
		if e := must.For(m.ExpectedDistortion(ctx, []*big.Rat{rat(1, 4), rat(3, 4), rat(0, 1)}))(t).Float(); math.Abs(e-weighted) > 1e-13*e {
			t.Errorf("the weighted error is %g, want %g", e, weighted)
		}
	}
	// The center differs from the query's value, with and without noise.
	still := must.For(smooth.NewGlobal(threeOf(t, 3, 3, 3), evidencetest.Epsilon(1), q))(t)
	for x, want := range []int64{3, 1, 2} {
		n, ok := still.Distortion(x).(evidence.Exact)
		s, exact := still.SquaredError(x).(evidence.Exact)
		if !ok || !exact || n.Value.Cmp(rat(want, 1)) != 0 || s.Value.Cmp(rat(want*want, 1)) != 0 {
			t.Errorf("without noise at %d: %v, %v", x, still.Distortion(x), still.SquaredError(x))
		}
	}
	if w := must.For(still.Worst(ctx))(t); w.Loss.Float() != 0 {
		t.Errorf("without noise and shifts: loss %v", w)
	}
	moved := must.For(still.OnRange(ctx))(t)
	for x := range 3 {
		for r, want := range []float64{0, 1, 0} {
			if p := moved.Enclose(x, r).Mid(); p != want {
				t.Errorf("answer 3 becomes value %d with probability %g", r, p)
			}
		}
	}
	off := must.For(smooth.NewGlobal(threeOf(t, 1, 2, 5), evidencetest.Epsilon(0.5), q))(t) // Δ = 3: scale 6
	if off.Name() != "laplace(eps=0.5, line=True)" || off.Source() != "Dwork et al. 2006" {
		t.Error(off.Name())
	}
	want := 1 + 6*math.Exp(-1./6)
	if e := off.Distortion(0).Float(); math.Abs(e-want) > 1e-14*want {
		t.Errorf("error %g with another center, want %g", e, want)
	}
	if e := off.SquaredError(0).Float(); math.Abs(e-73) > 1e-12 {
		t.Errorf("squared error %g with another center, want 73", e)
	}
	if w := must.For(off.Worst(ctx))(t); w.X+w.Y != 3 || math.Abs(w.Loss.Float()-0.5) > 1e-15 {
		t.Errorf("worst pair %+v, want loss 0.5", w)
	}
	for e, want := range map[float64]float64{0.1: -math.Expm1((0.1 - 0.5) / 2), 0.5: 0, 0.7: 0} {
		if d := must.For(off.DeltaAt(ctx, evidencetest.Epsilon(e)))(t); math.Abs(d.Float()-want) > 1e-15 {
			t.Errorf("δ(%g) = %v, want %g", e, d, want)
		}
	}
	c := must.For(smooth.Calibrate(smooth.Laplace(), evidencetest.Epsilon(1), evidencetest.RationalDelta(rat(1, 100)), nil))(t)
	if g := must.For(smooth.New(ctx, threeOf(t, 1, 1, 1), c))(t).Grid(); g.Cmp(new(big.Rat).SetFrac64(1, 1<<32)) != 0 {
		t.Errorf("without noise: grid %v", g)
	}
}
