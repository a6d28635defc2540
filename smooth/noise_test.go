package smooth_test

import (
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/smooth"
)

func cauchyOf(t testing.TB, num, den int64) smooth.Noise {
	return must.For(smooth.Cauchy(big.NewRat(num, den)))(t)
}

func studentOf(t testing.TB, num, den int64) smooth.Noise {
	return must.For(smooth.Student(big.NewRat(num, den)))(t)
}

// The fraction of draws above each k/9-quantile of |Z| is near its probability, and is far from it for another law.
// Hoeffding's inequality bounds the false-positive rate of all these tests together by 1e-9.
func TestDraws(t *testing.T) {
	const n = 2000
	radius := math.Sqrt(math.Log(2*8*7/1e-9) / (2 * n))
	farthest := func(drawn, as smooth.Noise) float64 {
		src := rand.NewPCG(7, 8)
		var z []float64
		for range n {
			x := must.For(drawn.Draw(src))(t)
			lo, _ := x(60)
			v, _ := new(big.Float).SetInt(lo).Float64()
			z = append(z, math.Ldexp(v, -60))
		}
		worst := 0.0
		for k := 1; k <= 8; k++ {
			_, cut, err := as.Quantile(big.NewRat(int64(k), 9))
			if err != nil {
				t.Fatal(err)
			}
			up, down := 0, 0
			for _, v := range z {
				if v > cut {
					up++
				}
				if v < -cut {
					down++
				}
			}
			want := (1 - float64(k)/9) / 2
			worst = max(worst, math.Abs(float64(up)/n-want), math.Abs(float64(down)/n-want))
		}
		return worst
	}
	for _, noise := range []smooth.Noise{smooth.Laplace(), cauchyOf(t, 4, 1), cauchyOf(t, 5, 2), studentOf(t, 3, 1), studentOf(t, 3, 2)} {
		if gap := farthest(noise, noise); gap > radius {
			t.Errorf("%s: fractions are off by %g, want at most %g", noise.Name(), gap, radius)
		}
	}
	if gap := farthest(studentOf(t, 3, 1), cauchyOf(t, 4, 1)); gap < radius {
		t.Errorf("the test accepts the draws of another law: off by only %g", gap)
	}
}

// AtEpsilon finds a member with the requested smallest ε in a few evaluations, however ε grows with the parameter. It
// fails if ε jumps over the request or stays below it.
func TestAtEpsilonForAnyGrowth(t *testing.T) {
	q := threeOf(t, 0, 1, 1)
	// Laplace noise has different scales at the datasets of q, so the smallest ε is infinite.
	endless := must.For(smooth.New(ctx, q, must.For(smooth.Calibrate(smooth.Laplace(), evidencetest.Epsilon(1), evidencetest.RationalDelta(rat(1, 100)), nil))(t)))(t)
	member := func(loss float64) (*smooth.Mechanism, error) { // with smallest ε = loss
		if math.IsInf(loss, 1) {
			return endless, nil
		}
		return smooth.NewGlobal(q, must.Be(evidence.NewEpsilon("eps", loss)), nil)
	}
	for name, c := range map[string]struct {
		of   func(e float64) float64
		none bool
		most int // evaluations
	}{
		"ε itself":                 {func(e float64) float64 { return e }, false, 3},
		"a third of ε":             {func(e float64) float64 { return e / 3 }, false, 3},
		"ten times ε":              {func(e float64) float64 { return 10 * e }, false, 3},
		"a thousandth of ε":        {func(e float64) float64 { return e / 1000 }, false, 5},
		"the cube":                 {func(e float64) float64 { return e * e * e / 8 }, false, 40},
		"the ninth power":          {func(e float64) float64 { return 5 * math.Pow(e, 9) }, false, 40},
		"the square root":          {func(e float64) float64 { return math.Sqrt(e) / 9 }, false, 60},
		"infinite above 4":         {func(e float64) float64 { return map[bool]float64{false: e / 4, true: math.Inf(1)}[e > 4] }, false, 60},
		"a jump":                   {func(e float64) float64 { return map[bool]float64{false: e / 9, true: 9 * e}[e > 1] }, true, 120},
		"bounded":                  {func(e float64) float64 { return e / (1 + e) / 9 }, true, 300},
		"always above the request": {func(e float64) float64 { return 5 + e }, true, 210},
	} {
		for _, want := range []float64{0.5, 0.75} {
			asked := 0
			m, err := smooth.AtEpsilon(ctx, func(e evidence.Epsilon) (*smooth.Mechanism, error) { asked++; return member(c.of(e.Value())) }, evidencetest.Epsilon(want))
			if asked > c.most || errors.Is(err, smooth.ErrNotReached) != c.none || err != nil && !c.none {
				t.Errorf("%s, %g: %d evaluations, error %v", name, want, asked, err)
				continue
			}
			if c.none {
				if m != nil {
					t.Errorf("%s, %g: %v is returned with an error", name, want, m.Name())
				}
				continue
			}
			if _, hi := must.For(m.SmallestEpsilon(ctx))(t).Bounds(); hi > want || hi <= want*(1-1e-6) {
				t.Errorf("%s, %g: smallest ε = %g", name, want, hi)
			}
		}
	}
}

// For Cauchy's law the median of |Z| is 1, and at ε = 1 the scale is 2.
func TestMedianError(t *testing.T) {
	c := must.For(smooth.Calibrate(studentOf(t, 1, 1), evidencetest.Epsilon(1), evidence.Delta{}, nil))(t)
	if lo, hi := must.For(c.Quantile(smooth.Constant(rat(3, 1)).Amount(), rat(1, 2)))(t).Bounds(); lo > 6 || hi < 6 || hi-lo > 1e-14 {
		t.Errorf("the median error is in [%v, %v], want 6", lo, hi)
	}
}
