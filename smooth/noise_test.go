package smooth

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"dpworkbench/evidence"
	"dpworkbench/evidence/evidencetest"
	"dpworkbench/internal/must"
	"dpworkbench/interval"
)

func cauchyOf(t testing.TB, num, den int64) Noise { return must.For(Cauchy(big.NewRat(num, den)))(t) }

func studentOf(t testing.TB, num, den int64) Noise { return must.For(Student(big.NewRat(num, den)))(t) }

// holds fails unless an enclosure is narrow and holds what another formula gives, to its rounding.
func holds(t *testing.T, what string, a interval.Interval, want float64) {
	t.Helper()
	lo, hi := a.Bounds()
	if !(lo <= want*(1+1e-13) && hi >= want*(1-1e-13)) || hi-lo > 1e-14*math.Abs(want) {
		t.Errorf("%s in [%.17g, %.17g], another formula gives %.17g", what, lo, hi, want)
	}
}

// The moments are π/(γ sin(π(k + 1)/γ)) in ratios, and those of Student's t gamma functions.
func TestMoments(t *testing.T) {
	for _, g := range [][2]int64{{21, 10}, {3, 1}, {7, 2}, {4, 1}, {10, 1}, {100, 1}} {
		n, v := cauchyOf(t, g[0], g[1]), float64(g[0])/float64(g[1])
		m, ok := n.AbsMoment()
		if !ok {
			t.Fatalf("γ = %g has no first moment", v)
		}
		holds(t, "E|Z|", m, math.Sin(math.Pi/v)/math.Sin(2*math.Pi/v))
		if s, ok := n.SquareMoment(); ok != (v > 3) {
			t.Errorf("γ = %g: a second moment, %v", v, ok)
		} else if ok {
			holds(t, "E Z²", s, math.Sin(math.Pi/v)/math.Sin(3*math.Pi/v))
		}
	}
	for _, d := range []int64{2, 3, 5, 40} {
		n, v := studentOf(t, d, 1), float64(d)
		m, _ := n.AbsMoment()
		a, _ := math.Lgamma((v + 1) / 2)
		b, _ := math.Lgamma(v / 2)
		holds(t, "E|T|", m, 2*math.Sqrt(v)*math.Exp(a-b)/(math.Sqrt(math.Pi)*(v-1)))
		if s, ok := n.SquareMoment(); ok != (d > 2) {
			t.Errorf("d = %d: a second moment, %v", d, ok)
		} else if ok {
			holds(t, "E T²", s, v/(v-2))
		}
	}
	for _, n := range []Noise{cauchyOf(t, 2, 1), cauchyOf(t, 11, 10), studentOf(t, 1, 1), studentOf(t, 1, 2)} {
		if _, ok := n.AbsMoment(); ok {
			t.Errorf("%s has a first moment", n.Name())
		}
	}
}

// Tails have closed forms for γ = 2, d = 1 (both Cauchy's law) and d = 2.
func TestTails(t *testing.T) {
	for _, z := range []float64{0, 1e-3, 0.5, 1, math.Nextafter(1, 2), 1.5, 10, 1e5} {
		at := interval.Float(z)
		cauchy := math.Atan2(1, z) / math.Pi
		holds(t, "tail of γ = 2", cauchyOf(t, 2, 1).Tail(at), cauchy)
		holds(t, "tail of d = 1", studentOf(t, 1, 1).Tail(at), cauchy)
		if z < 100 { // no cancellation of the formula
			lo, hi := studentOf(t, 2, 1).Tail(at).Bounds()
			if want := 0.5 - z/(2*math.Sqrt(2+z*z)); !(lo <= want+1e-15 && hi >= want-1e-15) {
				t.Errorf("tail of d = 2 at %g in [%g, %g], want %g", z, lo, hi, want)
			}
		}
		if z < 100 {
			holds(t, "tail of Laplace", Laplace().Tail(at), math.Exp(-z)/2)
		}
	}
	// An interval's tail holds those of its points.
	wide := cauchyOf(t, 3, 1).Tail(interval.Between(0.9, 1.1))
	for _, z := range []float64{0.9, 1, 1.1} {
		if p := cauchyOf(t, 3, 1).Tail(interval.Float(z)); p.Less(wide) || wide.Less(p) {
			t.Errorf("the tail at %g lies outside of that of an interval around it", z)
		}
	}
}

// The mean, around a point too, is an integral of tails: E|Z| = 2∫ Pr[Z > z] dz, and E|Z − b| is more
// by ∫₀^b (1 − 2 Pr[Z > z]) dz.
func TestMeansAreIntegralsOfTails(t *testing.T) {
	for _, n := range []Noise{cauchyOf(t, 4, 1), cauchyOf(t, 5, 2), studentOf(t, 3, 1), Laplace()} {
		integral := func(f func(z float64) float64, to float64, steps int) (sum float64) {
			for k := range steps {
				sum += f((float64(k)+0.5)*to/float64(steps)) * to / float64(steps)
			}
			return sum
		}
		tail := func(z float64) float64 { return n.Tail(interval.Float(z)).Mid() }
		mean, _ := n.AbsMoment()
		if want := 2 * (integral(tail, 8, 400) + n.Above(interval.Int(8)).Mid()); math.Abs(mean.Mid()-want) > 1e-3 {
			t.Errorf("%s: E|Z| = %g, by tails %g", n.Name(), mean.Mid(), want)
		}
		if zero := n.AbsAround(interval.Int(0)).Mid(); math.Abs(zero-mean.Mid()) > 1e-12 {
			t.Errorf("%s: E|Z| = %g, around 0 %g", n.Name(), mean.Mid(), zero)
		}
		for _, b := range []float64{0.3, 1, 4} {
			want := mean.Mid() + integral(func(z float64) float64 { return 1 - 2*tail(z) }, b, 100)
			if got := n.AbsAround(interval.Float(b)).Mid(); math.Abs(got-want) > 1e-3 {
				t.Errorf("%s: E|Z − %g| = %g, by tails %g", n.Name(), b, got, want)
			}
		}
	}
}

// 0.95 quantiles of Student's t, from printed tables.
func TestQuantiles(t *testing.T) {
	for d, want := range map[int64]float64{1: 6.313752, 2: 2.919986, 3: 2.353363, 10: 1.812461, 30: 1.697261} {
		lo, hi, err := studentOf(t, d, 1).Quantile(big.NewRat(9, 10))
		if err != nil || hi-lo > 1e-14*hi || math.Abs(lo-want) > 1e-6 {
			t.Errorf("d = %d: in [%g, %g], %v; tables have %g", d, lo, hi, err, want)
		}
	}
	for _, n := range []Noise{cauchyOf(t, 3, 1), cauchyOf(t, 11, 10), studentOf(t, 1, 2), Laplace()} {
		for _, p := range []*big.Rat{big.NewRat(1, 1000), big.NewRat(1, 2), big.NewRat(999, 1000)} {
			lo, hi, err := n.Quantile(p)
			if err != nil {
				t.Fatal(err)
			}
			want := 1 - toFloat(p)
			if a, b := 2*n.Tail(interval.Float(lo)).Mid(), 2*n.Tail(interval.Float(hi)).Mid(); a < want-1e-12 || b > want+1e-12 {
				t.Errorf("%s: beyond the quantiles [%g, %g] of %s lie %g and %g", n.Name(), lo, hi, p, a, b)
			}
		}
	}
	for _, p := range []*big.Rat{nil, big.NewRat(0, 1), big.NewRat(1, 1), big.NewRat(-1, 2)} {
		if _, _, err := Laplace().Quantile(p); err == nil {
			t.Errorf("p = %v was taken", p)
		}
	}
}

// The supremum of a shift of Student's t is where u² − δu − d = 0; that of a change of scale
// alone is at 0 or at infinity.
func TestSupremumAgainstClosedForms(t *testing.T) {
	for _, d := range []float64{1, 2.5, 30} {
		n := must.For(Student(new(big.Rat).SetFloat64(d)))(t)
		for _, shift := range []float64{1e-3, 0.1, 1, 20, 1e4} {
			u := (shift - math.Sqrt(shift*shift+4*d)) / 2
			want := (d + 1) / 2 * math.Log((d+(u-shift)*(u-shift))/(d+u*u))
			if lo, hi := n.supremum(shift, 1, 0); lo > want || hi < want || hi-lo > 1e-8 {
				t.Errorf("d = %g, shift %g: in [%.12g, %.12g], want %.12g", d, shift, lo, hi, want)
			}
		}
	}
	for _, n := range []Noise{cauchyOf(t, 3, 2), cauchyOf(t, 4, 1), studentOf(t, 3, 1)} {
		for _, r := range []float64{0.5, 0.9, 1.1, 7} {
			want := max(math.Log(r), (1-n.index())*math.Log(r))
			if lo, hi := n.supremum(0, r, 0); lo > want || hi < want || hi-lo > 1e-8 {
				t.Errorf("%s, scales 1 and %g: in [%.12g, %.12g], want %.12g", n.Name(), r, lo, hi, want)
			}
		}
	}
}

// No point of the line is above the supremum, and some are next to it.
func TestSupremumAgainstPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	for range 60 {
		n := []Noise{cauchyOf(t, 4, 1), cauchyOf(t, 6, 5), studentOf(t, 3, 1), studentOf(t, 1, 2)}[r.IntN(4)]
		shift, ratio := math.Exp(3*r.NormFloat64()), math.Exp(0.5*r.NormFloat64())
		lo, hi := n.supremum(shift, ratio, 0)
		g := func(z float64) float64 {
			if n.family == student {
				return n.index() / 2 * math.Log1p(z*z/(n.index()-1))
			}
			return math.Log1p(math.Pow(math.Abs(z), n.index()))
		}
		best := (1 - n.index()) * math.Log(ratio)
		for k := -1500; k <= 1500; k++ {
			for _, z := range []float64{math.Copysign(math.Expm1(math.Abs(float64(k))/75), float64(k)), shift + math.Copysign(math.Expm1(math.Abs(float64(k))/75), float64(k)), float64(k) / 1500 * shift} {
				best = max(best, math.Log(ratio)+g((z-shift)/ratio)-g(z))
			}
		}
		if best > hi || best < lo-1e-3*(1+lo) || hi-lo > 1e-8*(1+hi) {
			t.Errorf("%s, shift %g, scales 1 and %g: in [%.12g, %.12g], points reach %.12g", n.Name(), shift, ratio, lo, hi, best)
		}
	}
}

// The profile of two Laplace laws against sums over a fine grid, and its closed form where the
// scales are one.
func TestLaplaceProfile(t *testing.T) {
	for _, c := range [][4]float64{{1, 1, 1.2, 0.3}, {1, 1.2, 1, 0.3}, {0, 1, 1.5, 0.1}, {0, 1.5, 1, 0.2}, {3, 1, 1.1, 0.5}, {0.2, 1, 1.02, 2}, {2, 2, 1.4, 0}, {1, 1, 1.5, 1.2}} {
		delta, s, u, eps := c[0], c[1], c[2], c[3]
		sum := 0.0
		const step = 1e-4
		for z := -60 + step/2; z < 60; z += step {
			p, q := math.Exp(-math.Abs(z)/s)/(2*s), math.Exp(-math.Abs(z-delta)/u)/(2*u)
			sum += max(0, p-math.Exp(eps)*q) * step
		}
		lo, hi := laplaceProfile(interval.Float(delta), interval.Float(s), interval.Float(u), false, interval.Float(eps)).Bounds()
		if lo > sum+1e-6 || hi < sum-1e-6 || hi-lo > 1e-12 {
			t.Errorf("Δ, s, t, ε = %v: in [%g, %g], sums give %g", c, lo, hi, sum)
		}
	}
	for _, eps := range []float64{0, 0.5, 0.9, 1, 2} {
		lo, hi := laplaceProfile(interval.Int(2), interval.Int(2), interval.Int(2), true, interval.Float(eps)).Bounds()
		if want := max(0, -math.Expm1((eps-1)/2)); lo > want+1e-15 || hi < want-1e-15 {
			t.Errorf("one scale, ε = %g: in [%g, %g], want %g", eps, lo, hi, want)
		}
	}
}

// As many draws as their law says lie beyond its deciles, and not beyond those of another law:
// Hoeffding's inequality at 1e-9 for all of them together.
func TestDraws(t *testing.T) {
	const n = 4000
	radius := math.Sqrt(math.Log(2*8*7/1e-9) / (2 * n))
	farthest := func(drawn, as Noise) float64 {
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
	for _, noise := range []Noise{Laplace(), cauchyOf(t, 4, 1), cauchyOf(t, 5, 2), studentOf(t, 3, 1), studentOf(t, 3, 2)} {
		if gap := farthest(noise, noise); gap > radius {
			t.Errorf("%s: shares are off by %g, want at most %g", noise.Name(), gap, radius)
		}
	}
	if gap := farthest(studentOf(t, 3, 1), cauchyOf(t, 4, 1)); gap < radius {
		t.Errorf("draws of one law pass for another's: off by %g alone", gap)
	}
}

func TestNoiseRefusals(t *testing.T) {
	for _, g := range []*big.Rat{nil, big.NewRat(1, 1), big.NewRat(-4, 1), big.NewRat(1001, 1)} {
		if _, err := Cauchy(g); err == nil {
			t.Errorf("gamma = %v was taken", g)
		}
		if g == nil || g.Sign() > 0 && g.IsInt() && g.Num().Int64() == 1 {
			continue
		}
		if _, err := Student(g); err == nil {
			t.Errorf("d = %v was taken", g)
		}
	}
	eps := must.For(evidence.NewEpsilon("eps", 1))(t)
	for name, f := range map[string]func() (*Calibration, error){
		"Laplace without δ": func() (*Calibration, error) { return Calibrate(Laplace(), eps, evidence.Delta{}, nil) },
		"Cauchy with δ": func() (*Calibration, error) {
			return Calibrate(cauchyOf(t, 4, 1), eps, evidencetest.RationalDelta(big.NewRat(1, 9)), nil)
		},
		"β beyond": func() (*Calibration, error) {
			return Calibrate(cauchyOf(t, 4, 1), eps, evidence.Delta{}, big.NewRat(11, 100))
		},
		"β = 0": func() (*Calibration, error) { return Calibrate(cauchyOf(t, 4, 1), eps, evidence.Delta{}, new(big.Rat)) },
		"all of ε for β": func() (*Calibration, error) {
			return Calibrate(studentOf(t, 3, 1), eps, evidence.Delta{}, big.NewRat(1, 4))
		},
		"ε = 0": func() (*Calibration, error) {
			return Calibrate(cauchyOf(t, 4, 1), evidence.Epsilon{}, evidence.Delta{}, nil)
		},
		"no rises": func() (*Calibration, error) {
			_, err := NewBound(nil, must.For(Calibrate(cauchyOf(t, 4, 1), eps, evidence.Delta{}, nil))(t))
			return nil, err
		},
		"rises out of order": func() (*Calibration, error) {
			_, err := NewBound([]Rise{{0, big.NewRat(1, 1)}, {0, big.NewRat(2, 1)}}, must.For(Calibrate(cauchyOf(t, 4, 1), eps, evidence.Delta{}, nil))(t))
			return nil, err
		},
		"a negative value": func() (*Calibration, error) {
			_, err := NewBound([]Rise{{0, big.NewRat(-1, 1)}}, must.For(Calibrate(cauchyOf(t, 4, 1), eps, evidence.Delta{}, nil))(t))
			return nil, err
		},
	} {
		if _, err := f(); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if _, err := Calibrate(cauchyOf(t, 4, 1), eps, evidence.Delta{}, big.NewRat(1, 10)); err != nil {
		t.Errorf("the theorem's own β: %v", err)
	}
}
